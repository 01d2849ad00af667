package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Cache keeps the reports of simulations in a folder, each under the sum of all that it follows
// from: the program itself, what the scenario says, the trace that it plays, the policy and the
// seed. So a grid that was killed continues where it was, and one that was changed runs only what
// changed. Each report stands beside its own sum: one that was damaged or altered counts as none.
// Nothing is ever wrong in it for being old, so the folder may be removed at any time.
type Cache struct{ dir string }

// OpenCache opens the cache in a folder, which is made if need be.
func OpenCache(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder for results cannot be made: %w", err)
	}
	return &Cache{dir}, nil
}

// program is the sum of the running program's file: another build decides by itself.
var program = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return sumFile(path)
})

func sumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Key returns the sum for a scenario, without policy and seed. It reads the trace, if there is one.
func (c *Cache) Key(s *scenario.Scenario) (string, error) {
	build, err := program()
	if err != nil {
		return "", err
	}
	var traces []string
	for _, file := range s.Traces() {
		sum, err := sumFile(file)
		if err != nil {
			return "", err
		}
		traces = append(traces, sum)
	}
	played := *s
	played.Policies, played.Seeds = nil, nil // each run has one of its own
	text, err := json.Marshal(struct {
		Build    string
		Traces   []string
		Scenario *scenario.Scenario
		Params   map[string]string
	}{build, traces, &played, s.Params})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func (c *Cache) file(cell *Cell) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", cell.Key, cell.Policy, cell.Seed))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name[2:]+".json")
}

// kept is how a report is kept.
type kept struct {
	Sum string          `json:"sum"` // of the run and the file that it belongs into
	Run json.RawMessage `json:"run"`
}

func sumOf(file string, run []byte) string {
	sum := sha256.Sum256(slices.Concat([]byte(filepath.Base(file)), []byte{'\n'}, run))
	return hex.EncodeToString(sum[:])
}

// Find returns the report of a cell, nil if there is none. One that cannot be read, or is not as it
// was written, counts as none.
func (c *Cache) Find(cell *Cell) *report.Run {
	file := c.file(cell)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var k kept
	if json.Unmarshal(text, &k) != nil || k.Sum != sumOf(file, k.Run) {
		return nil
	}
	run := &report.Run{}
	if json.Unmarshal(k.Run, run) != nil || run.Policy != cell.Policy || run.Seed != cell.Seed || run.Scenario != cell.Scenario || len(run.Jobs) != run.Summary.Jobs {
		return nil
	}
	return run
}

// Keep keeps the report of a cell. Whoever looks for it meanwhile sees none or all of it.
func (c *Cache) Keep(cell *Cell, run *report.Run) error {
	text, err := json.Marshal(run.Unexplained()) // whoever asks for accounts runs it again
	if err != nil {
		return err
	}
	file := c.file(cell)
	if text, err = json.Marshal(kept{sumOf(file, text), text}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), file)
}

// Fill notes in cells that ran before their results, and returns how many those are. Those that
// somebody is to watch have to run.
func (c *Cache) Fill(cells []Cell) (found int) {
	for i := range cells {
		if c := &cells[i]; c.Key == "" || c.Journal != "" || len(c.Sinks) > 0 {
			continue
		}
		if cells[i].Known = c.Find(&cells[i]); cells[i].Known != nil {
			found++
		}
	}
	return found
}
