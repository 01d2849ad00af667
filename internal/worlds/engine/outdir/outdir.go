package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/success"
)

// Options are what a run wants of the output directories of its jobs.
type Options struct {
	Sync Sync
	// Fresh throws away what an interrupted run has left, and does not resume it.
	Fresh bool
	// Replace puts the output where an earlier one stands that Replaceable allows to replace.
	Replace bool
	// Tries is how often to try what may go well a moment later; 0 = once.
	Tries int
}

// Sync says what outlives a loss of power. Map output never has to: it is made again.
type Sync uint8

// What is synced.
const (
	SyncOutput Sync = iota // what a job wrote, before _SUCCESS says that it is there
	SyncAll                // that, and of each task that is committed its parts and the log, before the commit is told
	SyncNothing
)

// Dir is the output directory of a job, for a process that works on it. It belongs to one goroutine
// at a time.
type Dir struct {
	path string
	opt  Options

	lock      *Lock
	log       *log
	left      *History // what an interrupted run has left and the job resumes from; nil = nothing
	described bool     // the log says what the job is
	life      int      // how many processes have worked on the job before

	looked bool     // what was there before SetUp is known
	made   bool     // Slackline made the directory, now or in a process before, so that it may remove it
	above  []string // folders above it that SetUp made, the lowest first

	done    []*Commit       // tasks whose parts count
	writer  map[string]Task // by the name of a part
	outputs map[int]string  // folders of the map outputs that count, by task
	old     []string        // files of the output in place that this one will replace
	stale   []string        // files in place whose tasks do not count any more
	gone    bool            // the old output is, or in part
	ended   bool            // this process has made SuccessFile
}

// New returns the output directory at a path. Nothing is made yet.
func New(path string, opt Options) *Dir {
	opt.Tries = max(1, opt.Tries)
	return &Dir{path: path, opt: opt, writer: make(map[string]Task), outputs: make(map[int]string)}
}

// at is an output directory that nobody is to write to.
func at(path string) *Dir { return New(path, Options{}) }

// SuccessFile stands in the directory of a finished job.
const SuccessFile = success.Name

const (
	temporary = "_temporary"
	logName   = "log"
	lockName  = "lock"
)

func (d *Dir) join(path ...string) string {
	return filepath.Join(append([]string{d.path}, path...)...)
}

func (d *Dir) logPath() string { return d.join(temporary, logName) }

func lockPath(output string) string { return filepath.Join(output, temporary, lockName) }

// Local is where this process keeps map output.
func (d *Dir) Local() string { return d.join(temporary, strconv.Itoa(d.life), "local") }

// says puts the directory before an error.
func says(output string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("output %q: %w", output, err)
}

// explain does so with an error of the system, less the path that it names.
func (d *Dir) explain(err error) error { return says(d.path, fault.Bare(err)) }

// within calls f with the directory as a root, so that no link leads out of it.
func (d *Dir) within(f func(root *fault.Root) error) error {
	root, err := fault.OpenRoot(d.path)
	if err == nil {
		err = errors.Join(f(root), root.Close())
	}
	return d.explain(err)
}

// again reads as often as is to be tried, if it is the reading that fails and not what is read.
func (d *Dir) again(read func() error) (err error) {
	for range d.opt.Tries {
		var failed *fs.PathError
		if err = read(); err == nil || errors.Is(err, fs.ErrNotExist) || !errors.As(err, &failed) {
			break
		}
	}
	return err
}

// SetUp makes the directory of a job, or takes over the one that an interrupted run has left,
// before the first attempt, and writes down what the job is. Behind an error it may be called
// again.
func (d *Dir) SetUp(describe func() *Description) error {
	if d.lock == nil {
		if err := d.make(); err != nil {
			return err
		}
		lock, err := Take(d.path)
		if err != nil {
			return err
		}
		d.lock = lock
	}
	names, _ := os.ReadDir(d.join(temporary))
	for _, n := range names {
		if life, err := strconv.Atoi(n.Name()); err == nil {
			d.life = max(d.life, life+1)
		}
	}
	if d.log == nil {
		if err := d.openLog(); err != nil {
			return err
		}
	}
	if err := d.sweep(); err != nil || d.described {
		return err
	}
	if d.old == nil { // or the line below does it, at once
		if err := d.log.clear(); err != nil { // only now, as it tells what may be swept
			return says(d.path, err)
		}
	}
	job := describe()
	job.Made, job.Replaces = d.made, d.old
	if err := d.note(entry{Job: job}); err != nil {
		return err
	}
	d.described = true
	return nil
}

// make makes the directory. It may be there if it is empty, or if an interrupted job left it.
func (d *Dir) make() error {
	state, err := d.State()
	if err != nil {
		return err
	}
	switch {
	case (state == Taken || state == Finished) && !d.opt.Replace:
		return errExists(d.path)
	case state == Free:
		if err := d.inside(); err != nil {
			return err
		}
	}
	if !d.looked { // a second call finds what the first has made
		_, err := os.Lstat(d.path)
		d.looked, d.made, d.above = true, errors.Is(err, fs.ErrNotExist), missing(filepath.Dir(d.path))
	}
	return d.explain(fault.MakeDirs(d.join(temporary)))
}

// missing lists the folders from this one upwards that are not there.
func missing(dir string) (list []string) {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return list
		}
		list = append(list, dir)
		dir = filepath.Dir(dir)
	}
}

// openLog opens the log, and takes over what stands there of the directory.
func (d *Dir) openLog() error {
	log, records, err := openLog(d.logPath(), d.opt.Sync == SyncAll)
	if err != nil {
		return says(d.path, err)
	}
	seen := 0
	if d.left != nil {
		seen = d.left.Lines
	}
	if replaces := d.opt.Replace && AllSucceeded([]string{d.path}); replaces {
		d.old, err = d.own()
		err = says(d.path, err)
	} else if len(records) != seen && !d.opt.Fresh {
		err = says(d.path, errors.New("another process has just written there"))
	} else {
		err = d.inherit(replay(records))
	}
	if err != nil {
		return errors.Join(err, log.close())
	}
	d.log, d.described = log, d.left != nil && d.left.job != nil
	return nil
}

// Held tells whether the directory is still the one that this process began to write.
func (d *Dir) Held() bool { return d.lock != nil && d.lock.holds() }

// Gone is the error where it is not.
func (d *Dir) Gone() error {
	return says(d.path, errors.New("the directory was removed or replaced while the job ran"))
}

// Locked tells whether this process has taken the directory and not given it up, so that there is
// something to commit or to remove. What another has left is not ours to remove as long as it could
// not be taken over.
func (d *Dir) Locked() bool { return d.lock != nil }

// Release gives up the log and the lock. What is on disk stays as it is.
func (d *Dir) Release() {
	if d.log != nil {
		_ = d.log.close()
		d.log = nil
	}
	if d.lock != nil {
		_ = d.lock.Release()
		d.lock = nil
	}
}

// Leave gives the directory up for another process to resume, and removes what attempts wrote
// that nobody will use. What cannot be removed now is removed by whoever resumes.
func (d *Dir) Leave() {
	if d.Held() && d.described {
		_ = d.sweep()
	}
	d.Release()
}
