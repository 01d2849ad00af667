package runs

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Cluster is what a process that schedules a Hadoop cluster keeps in a folder, so that the next one continues
// where it stopped: since when times count, and which applications were promised their deadlines. It is a sink
// of the run, which sees promises given and jobs end.
type Cluster struct {
	follow.Single
	dir    string
	lock   *os.File
	before map[string]bool // promises of earlier processes
	state  clusterState
	warn   func(string)
	failed bool // the state could not be written, which was told
}

// clusterState is the file.
type clusterState struct {
	Origin   time.Time       `json:"origin,omitzero"` // what 0 of all times stands for
	Promised map[string]bool `json:"promised"`        // by YARN's name of the application
}

// before is how long before the first process times count from: jobs that it finds running were submitted
// earlier. Those that are older still count as submitted then.
const before = 30 * 24 * time.Hour

// OpenCluster opens the folder, which is made if need be, for this process alone. Warn is told that its state
// cannot be written.
func OpenCluster(dir string, warn func(string)) (*Cluster, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder for the state cannot be made: %w", err)
	}
	c := &Cluster{dir: dir, warn: warn, before: make(map[string]bool)}
	lock, err := filelock.Take(filepath.Join(dir, "lock"), 0o600)
	switch {
	case errors.Is(err, filelock.ErrTaken):
		return nil, fmt.Errorf("another process schedules a cluster with the state in %s; a cluster has one at a time", dir)
	case err != nil:
		return nil, err
	}
	c.lock = lock
	text, err := os.ReadFile(c.file())
	if err == nil {
		err = json.Unmarshal(text, &c.state)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s cannot be read: %w; remove it to start again without the promises in it", c.file(), err), lock.Close())
	}
	if c.state.Promised == nil {
		c.state.Promised = make(map[string]bool)
	}
	for app := range c.state.Promised {
		c.before[app] = true
	}
	if c.state.Origin.IsZero() { // known before anything is recorded, and the same in each process
		c.state.Origin = time.Now().Add(-before).UTC().Truncate(time.Second)
		c.save()
	}
	return c, nil
}

func (c *Cluster) file() string { return filepath.Join(c.dir, "state.json") }

// Close lets another process have the folder.
func (c *Cluster) Close() error { return c.lock.Close() }

// Origin is since when times count.
func (c *Cluster) Origin() time.Time { return c.state.Origin }

// Promised tells whether an earlier process promised an application its deadline.
func (c *Cluster) Promised(app string) bool { return c.before[app] }

// Promises are how many such applications there are.
func (c *Cluster) Promises() int { return len(c.before) }

// Plan notes promises.
func (c *Cluster) Plan(_ units.Time, decisions []follow.Decision) error {
	changed := false
	for i := range decisions {
		d := &decisions[i]
		if (d.Verb == sched.Admit || d.Verb == sched.Foretell) && d.Refused == sched.OK && d.Job != nil && d.Outlook.Word.Binds() && !c.state.Promised[d.Job.Spec.ID] {
			c.state.Promised[d.Job.Spec.ID], changed = true, true
		}
	}
	if changed {
		c.save()
	}
	return nil
}

// Batch forgets the promises of jobs that are no more.
func (c *Cluster) Batch(_ units.Time, records []follow.Record) error {
	changed := false
	var there map[string]bool // after a resync
	for i := range records {
		switch e := &records[i]; {
		case e.Kind == sched.Resync:
			there = make(map[string]bool)
		case e.Kind == sched.JobArrived && e.Job != nil && there != nil:
			there[e.Job.Spec.ID] = true
		case e.Kind == sched.JobEnded && e.Job != nil && c.state.Promised[e.Job.Spec.ID]:
			delete(c.state.Promised, e.Job.Spec.ID)
			changed = true
		}
	}
	if there != nil {
		for app := range c.state.Promised {
			if !there[app] {
				delete(c.state.Promised, app)
				changed = true
			}
		}
	}
	if changed {
		c.save()
	}
	return nil
}

// save replaces the file. A promise that could not be written holds as long as this process lives.
func (c *Cluster) save() {
	text, err := json.MarshalIndent(&c.state, "", "\t")
	if err == nil {
		err = os.WriteFile(c.file()+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(c.file()+".new", c.file())
	}
	if err != nil && !c.failed {
		c.warn(fmt.Sprintf("the state cannot be written, so a process that takes over will not know what was promised: %v", err))
	}
	c.failed = err != nil
}

// Secret returns what Slackline and the plug-in share: the text of a file, or if none is named that of one in
// the folder of the state, which is made.
func Secret(dir, file string) (path string, secret []byte, err error) {
	if path = file; path == "" {
		path = filepath.Join(dir, "secret")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return path, nil, fmt.Errorf("a secret cannot be made: %w", err)
		}
		random := make([]byte, 32)
		_, _ = rand.Read(random) // package crypto/rand ends the process where there is none
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(hex.EncodeToString(random) + "\n")
			err = errors.Join(err, f.Close())
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return path, nil, fmt.Errorf("a secret cannot be made: %w", err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return path, nil, fmt.Errorf("the secret cannot be read: %w", err)
	}
	if secret = []byte(strings.TrimSpace(string(text))); len(secret) == 0 {
		return path, nil, fmt.Errorf("the file %s holds no secret: it is empty", path)
	}
	// Windows has no such bits.
	if is, err := os.Stat(path); err == nil && is.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" {
		return path, nil, fmt.Errorf("the secret in %s is open to everybody on this machine (%#o); chmod o= %s closes it", path, is.Mode().Perm(), path)
	}
	return path, secret, nil
}
