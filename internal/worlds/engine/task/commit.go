package task

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/joblog"
)

// Committer keeps the output directory of a job as Hadoop's FileOutputCommitter does:
//
//	OUT/_temporary/0/_temporary/attempt_r_000003_0/part-r-00003   an attempt writes here
//	OUT/_temporary/0/task_r_000003/part-r-00003                   its commit renames the directory
//	OUT/part-r-00003, OUT/_SUCCESS                                the commit of the job
//
// So what two attempts of a task write does not mix, and _SUCCESS is there only if all parts are. The number below _temporary counts
// the processes that have worked on the job, so that what a dead one left behind is never in the way of the next. Beside it stand
//
//	OUT/_temporary/log     what has been committed
//	OUT/_temporary/lock    of the process that is at work
//	OUT/_temporary/0/local map output, if no other directory is named for it
type Committer struct {
	Sync bool // directories are on disk before a commit is told, so that it outlives the machine; part files have been synced by then

	dir   string
	life  int
	made  []string    // folders above it that SetUp made, the lowest first
	found bool        // an empty directory stood there before
	done  []committed // tasks
}

// Part is a file that a task has written.
type Part struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Sum  uint32 `json:"sum"` // CRC32C
}

// committed is the output of a task: where it is until the job is committed, below _temporary, and its files.
type committed struct {
	dir   string
	parts []Part
}

// NewCommitter returns the committer of an output directory. Nothing is made yet.
func NewCommitter(dir string) *Committer { return &Committer{dir: dir} }

// SuccessFile is the empty file that stands in the directory of a finished job.
const SuccessFile = "_SUCCESS"

const (
	temporary = "_temporary"
	logName   = "log"
	lockName  = "lock"
)

// State is what stands at the place of an output directory.
type State uint8

// The states.
const (
	Free        State = iota // nothing, or an empty directory
	Interrupted              // what a job left that has not finished, or one at work
	Finished                 // the output of a job, of whose process traces are left
	Taken                    // anything else
)

// State looks at the output directory.
func (c *Committer) State() (State, error) {
	names, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(c.dir); err == nil {
			return Taken, nil // a link to nowhere
		}
		return Free, nil
	}
	if info, e := os.Stat(c.dir); e == nil && !info.IsDir() {
		return Taken, nil
	}
	if err != nil {
		return Taken, fmt.Errorf("output %q: %w", c.dir, bare(err))
	}
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(c.dir, name))
		return err == nil
	}
	switch {
	case len(names) == 0:
		return Free, nil
	case !has(temporary):
		return Taken, nil
	case !has(SuccessFile):
		return Interrupted, nil
	case has(filepath.Join(temporary, logName)):
		return Finished, nil
	}
	return Taken, nil
}

// Check refuses an output directory that holds anything but what an interrupted job left there, and one that another process writes to.
func (c *Committer) Check() error {
	state, err := c.State()
	switch {
	case err != nil:
		return err
	case state == Free:
		return nil
	case state == Interrupted:
		return c.explain(joblog.Busy(c.LockPath()))
	}
	if state == Finished {
		return fmt.Errorf("output %q: %w", c.dir, ErrFinished)
	}
	return c.exists()
}

// ErrFinished says that an output directory holds what a job has finished whose run has not ended.
var ErrFinished = errors.New("it exists already")

func (c *Committer) exists() error { return fmt.Errorf("output %q: it exists already", c.dir) }

func (c *Committer) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("output %q: %w", c.dir, bare(err))
}

// SetUp makes the output directory. It may be there if it is empty, or if an interrupted job left it.
func (c *Committer) SetUp() error {
	state, err := c.State()
	if err != nil {
		return err
	}
	if state == Taken || state == Finished {
		return c.exists()
	}
	_, err = os.Lstat(c.dir)
	c.found = err == nil && state == Free
	c.made = missing(filepath.Dir(c.dir))
	return c.explain(fault.MakeDirs(c.join(temporary)))
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

// Begin tells how many processes have worked on the job before.
func (c *Committer) Begin(life int) { c.life = life }

// LogPath is the file that the log of the job is kept in.
func (c *Committer) LogPath() string { return c.join(temporary, logName) }

// LockPath is the file whose lock is the right to write here.
func (c *Committer) LockPath() string { return c.join(temporary, lockName) }

// Local is where this process may keep map output.
func (c *Committer) Local() string { return c.join(temporary, strconv.Itoa(c.life), "local") }

// Below returns a path below _temporary.
func (c *Committer) Below(path string) string { return c.join(temporary, path) }

func (c *Committer) join(path ...string) string {
	return filepath.Join(append([]string{c.dir}, path...)...)
}

func taskName(reduce bool, task int) string {
	letter := "m"
	if reduce {
		letter = "r"
	}
	return fmt.Sprintf("%s_%06d", letter, task)
}

// AttemptDir is where an attempt writes its part file. The attempt makes it.
func (c *Committer) AttemptDir(reduce bool, task, attempt int) string {
	return c.join(temporary, strconv.Itoa(c.life), temporary, fmt.Sprintf("attempt_%s_%d", taskName(reduce, task), attempt))
}

// CommitTask makes the output of the attempt that of its task: the files that it says it wrote, or, if it says nothing, those that are
// there. A task is committed once. It returns where they are, below _temporary, and what they are; Withdraw takes it back.
func (c *Committer) CommitTask(reduce bool, task, attempt int, parts []Part) (dir string, _ []Part, err error) {
	dir = filepath.Join(strconv.Itoa(c.life), "task_"+taskName(reduce, task))
	to := c.Below(dir)
	if slices.ContainsFunc(c.done, func(d committed) bool { return d.dir == dir }) {
		return "", nil, fmt.Errorf("output %q: task %s is committed already", c.dir, taskName(reduce, task))
	}
	if err := fault.DeleteAll(to); err != nil { // of a commit that could not be told
		return "", nil, c.explain(err)
	}
	from := c.AttemptDir(reduce, task, attempt)
	if parts == nil {
		if parts, err = sums(from); err != nil {
			return "", nil, c.explain(err)
		}
	}
	if err := c.confined(from, parts); err != nil {
		return "", nil, fmt.Errorf("output %q: %w", c.dir, err)
	}
	if err := fault.Move(from, to); err != nil {
		return "", nil, fmt.Errorf("output %q: %w", c.dir, err)
	}
	if c.Sync {
		if err := errors.Join(fault.SyncDir(to), fault.SyncDir(filepath.Dir(to))); err != nil {
			return "", nil, errors.Join(c.explain(err), fault.DeleteAll(to))
		}
	}
	c.done = append(c.done, committed{dir, parts})
	return dir, parts, nil
}

// Withdraw takes back the last commit of a task.
func (c *Committer) Withdraw() error {
	last := c.done[len(c.done)-1]
	c.done = c.done[:len(c.done)-1]
	return c.explain(fault.DeleteAll(c.Below(last.dir)))
}

// sums reads the files of a directory.
func sums(dir string) ([]Part, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	parts := []Part{}
	for _, n := range names {
		p, err := sum(filepath.Join(dir, n.Name()))
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func sum(path string) (Part, error) {
	f, err := fault.OpenFile(path)
	if err != nil {
		return Part{}, err
	}
	defer f.Close()
	p := Part{Name: filepath.Base(path)}
	buf := make([]byte, bufferSize)
	for {
		n, err := f.Read(buf)
		p.Size += int64(n)
		p.Sum = crc32.Update(p.Sum, castagnoli, buf[:n])
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return Part{}, err
		}
	}
}

// Adopt takes over the output of a task that another process has committed, if all of it is there as it was written.
func (c *Committer) Adopt(dir string, parts []Part) error {
	for _, p := range parts {
		got, err := sum(filepath.Join(c.Below(dir), p.Name))
		if errors.Is(err, fs.ErrNotExist) { // the commit of the job had begun
			got, err = sum(c.join(p.Name))
		}
		if err != nil {
			return err
		}
		if got != p {
			return fmt.Errorf("%s: %w", p.Name, errSum)
		}
	}
	c.done = append(c.done, committed{dir, parts})
	return nil
}

// Sweep removes what other processes left but the output of tasks that were adopted, and these directories.
func (c *Committer) Sweep(keep map[string]bool) error {
	kept := map[string]bool{c.LogPath(): true, c.LockPath(): true}
	maps.Copy(kept, keep)
	here := map[string]bool{} // parts
	for _, d := range c.done {
		kept[c.Below(d.dir)] = true
		for _, p := range d.parts {
			here[p.Name] = true
		}
	}
	names, err := os.ReadDir(c.dir)
	if err != nil {
		return c.explain(err)
	}
	for _, n := range names {
		if name := n.Name(); strings.HasPrefix(name, "part-") && !here[name] {
			if err := fault.Delete(c.join(name)); err != nil {
				return c.explain(err)
			}
		}
	}
	return c.explain(Prune(c.join(temporary), kept))
}

// Prune removes all below a directory but what is kept, and the way to it.
func Prune(dir string, kept map[string]bool) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		path := filepath.Join(dir, n.Name())
		on := false
		for k := range kept {
			on = on || strings.HasPrefix(k, path+string(filepath.Separator))
		}
		switch {
		case kept[path]:
			continue
		case on:
			err = Prune(path, kept)
		default:
			err = fault.DeleteAll(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CommitJob moves the parts of all committed tasks into place and ends with _SUCCESS. It may be called again after an error. The log and
// the lock stay until Forget.
func (c *Committer) CommitJob() error {
	for _, d := range c.done {
		for _, p := range d.parts {
			from, to := filepath.Join(c.Below(d.dir), p.Name), c.join(p.Name)
			if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
				if info, err := os.Lstat(to); err == nil && info.Size() == p.Size {
					continue // it has been moved before
				}
			}
			if err := fault.Move(from, to); err != nil {
				return fmt.Errorf("output %q: %w", c.dir, err)
			}
		}
	}
	if err := Prune(c.join(temporary), map[string]bool{c.LogPath(): true, c.LockPath(): true}); err != nil {
		return c.explain(err)
	}
	if c.Sync {
		if err := fault.SyncDir(c.dir); err != nil {
			return c.explain(err)
		}
	}
	f, err := fault.CreateFile(c.join(SuccessFile))
	if err != nil {
		return c.explain(err)
	}
	if c.Sync {
		err = errors.Join(f.Sync(), fault.SyncDir(c.dir))
	}
	return c.explain(errors.Join(err, f.Close()))
}

// Forget removes the log and the lock of a job that is committed, and with them the last trace of its process.
func (c *Committer) Forget() error { return c.explain(fault.DeleteAll(c.join(temporary))) }

// Discard removes all that attempts and commits have made. The log goes in the very end, with Abort.
func (c *Committer) Discard() error {
	c.done = nil
	return c.Sweep(nil)
}

// Abort removes the output directory of a job that SetUp made and that will not finish, and the folders above it that SetUp made
// unless something else stands in them.
func (c *Committer) Abort() error {
	if err := c.Discard(); err != nil {
		return err
	}
	if c.found {
		return c.explain(Prune(c.dir, nil))
	}
	if err := fault.DeleteAll(c.dir); err != nil {
		return c.explain(err)
	}
	for _, dir := range c.made {
		if fault.Delete(dir) != nil {
			break // another job writes there too
		}
	}
	return nil
}
