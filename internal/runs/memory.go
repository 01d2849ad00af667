package runs

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/profile"
)

// Memory is what runs on this machine leave behind in a folder: a store with profiles, runs, jobs
// and attempts. Where nothing can be written, what is there can still be read.
type Memory struct {
	store    *store.Store
	readOnly error // why nothing can be written; nil: it can
	path     string
}

// OpenMemory opens the memory in a folder, which is made if need be. If that cannot be, the memory
// is there to be read only, and may be empty; ReadOnly says so.
func OpenMemory(dir string) (*Memory, error) {
	s, err := store.Open(storeIn(dir))
	if err == nil {
		return &Memory{store: s, path: storeIn(dir)}, nil
	}
	m, again := ReadMemory(dir)
	if again != nil {
		return nil, err
	}
	m.readOnly = err
	return m, nil
}

// ReadMemory opens the memory in a folder for whoever only asks. Nothing is made or written; where
// there is none it is empty.
func ReadMemory(dir string) (*Memory, error) {
	s, err := store.OpenReadOnly(storeIn(dir))
	return &Memory{store: s, readOnly: errAsking, path: storeIn(dir)}, err
}

func storeIn(dir string) string { return filepath.Join(dir, "slackline.db") }

// errAsking is why nothing is kept where nobody asked for that.
var errAsking = errors.New("it is read-only")

// ReadOnly says why nothing can be kept, nil if it can.
func (m *Memory) ReadOnly() error { return m.readOnly }

// Trusted says why others than this user may write to the store, nil if nobody can.
func (m *Memory) Trusted() error { return outdir.TrustedFile(m.path) }

// Close closes the store.
func (m *Memory) Close() error { return m.store.Close() }

// Store returns the store.
func (m *Memory) Store() *store.Store { return m.store }

// Profiles returns what is known of all classes, with models; where families are named, of others what they lend alone.
func (m *Memory) Profiles(families ...string) ([]*profile.Class, error) {
	known, err := m.store.Profiles(families...)
	profile.Complete(known, known)
	return known, err
}

// Last returns the report of the last run of jobs by a policy that came to its end, nil if there is
// none.
func (m *Memory) Last(jobs, policy string) (*report.Run, error) {
	text, err := m.store.Last(jobs, policy)
	if text == nil || err != nil {
		return nil, err
	}
	run, err := report.ReadRun(text)
	if err != nil {
		return nil, fmt.Errorf("the report of the last run of %s by %s cannot be read: %w", jobs, policy, err)
	}
	return run, nil
}

// wrote returns the jobs that the store knows to have written an output directory, the newest first.
func (m *Memory) wrote(output string, f store.JobFilter) ([]*store.Job, error) {
	if m == nil {
		return nil, nil
	}
	jobs, err := m.store.Jobs(f)
	return slices.DeleteFunc(jobs, func(j *store.Job) bool { return j.Output != output }), err
}
