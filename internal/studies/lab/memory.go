package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
)

// Memory is what runs on this machine leave behind in a folder: profiles in the store, and the last report of each set of jobs
// under each policy.
type Memory struct {
	dir   string
	store *store.Store
}

// OpenMemory opens the memory in a folder, which is made if need be.
func OpenMemory(dir string) (*Memory, error) {
	if err := os.MkdirAll(filepath.Join(dir, "last"), 0o777); err != nil {
		return nil, fmt.Errorf("the folder for what runs teach cannot be made (name another by --store): %w", err)
	}
	s, err := store.Open(filepath.Join(dir, "slackline.db"))
	if err != nil {
		return nil, err
	}
	return &Memory{dir, s}, nil
}

// Close closes the store.
func (m *Memory) Close() error { return m.store.Close() }

// Profiles returns what is known of all classes.
func (m *Memory) Profiles() ([]*profile.Class, error) { return m.store.Profiles() }

// Keep keeps what a run taught, and its report under the name of a file.
func (m *Memory) Keep(run *report.Run, taught []*profile.Class, name string) error {
	for _, c := range taught {
		if err := m.store.Learn(c); err != nil {
			return err
		}
	}
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	file := filepath.Join(m.dir, "last", name)
	if err := os.WriteFile(file+".new", text, 0o666); err != nil {
		return err
	}
	return os.Rename(file+".new", file) // so that a reader never sees half of it
}

// Last returns the report that Keep kept under the name, nil if there is none.
func (m *Memory) Last(name string) (*report.Run, error) {
	text, err := os.ReadFile(filepath.Join(m.dir, "last", name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	run := &report.Run{}
	return run, json.Unmarshal(text, run)
}
