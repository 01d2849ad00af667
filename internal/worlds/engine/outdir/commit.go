package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// Committer keeps the output directory of a job as Hadoop's FileOutputCommitter does:
//
//	OUT/_temporary/0/_temporary/attempt_r_000003_0/part-r-00003   an attempt writes here
//	OUT/_temporary/0/task_r_000003/part-r-00003                   its commit renames the directory
//	OUT/part-r-00003, OUT/_SUCCESS                                the commit of the job
//
// So what two attempts of a task write does not mix, and _SUCCESS is there only if all parts are.
// The number below _temporary counts the processes that have worked on the job, so that what a dead
// one left behind is never in the way of the next. Beside it stand
//
//	OUT/_temporary/log     what has been committed
//	OUT/_temporary/lock    of the process that is at work
//	OUT/_temporary/0/local map output, if no other directory is named for it
//
// All that it changes lies in OUT: it works through an os.Root, and links on the way are not followed.
type Committer struct {
	// directories are on disk before a commit is told, so that it outlives the machine; part files
	// have been synced by then
	Sync bool

	Made bool // Slackline made the output directory, now or in a process before, so that it may remove it

	dir   string
	life  int
	seen  bool           // what was there before SetUp
	above []string       // folders above it that SetUp made, the lowest first
	done  []committed    // tasks
	by    map[string]int // the task that each file is of
	stale []string       // files in place whose tasks do not count any more
	ended bool           // this process has made SuccessFile
}

// committed is the output of a task: where it is until the job is committed, below _temporary, and its files.
type committed struct {
	reduce bool
	task   int
	dir    string
	parts  []task.Part
	moving bool // the commit of the job has begun since, so that files may be in place
}

// NewCommitter returns the committer of an output directory. Nothing is made yet.
func NewCommitter(dir string) *Committer { return &Committer{dir: dir, by: make(map[string]int)} }

// SuccessFile is the empty file that stands in the directory of a finished job.
const SuccessFile = "_SUCCESS"

const (
	temporary = "_temporary"
	logName   = "log"
	lockName  = "lock"
)

// SetUp makes the output directory. It may be there if it is empty, or if an interrupted job left it.
func (c *Committer) SetUp() error {
	state, err := c.State()
	if err != nil {
		return err
	}
	if state == Taken || state == Finished {
		return c.exists()
	}
	if !c.seen { // a second call finds what the first has made
		_, err := os.Lstat(c.dir)
		c.seen, c.Made, c.above = true, errors.Is(err, fs.ErrNotExist), missing(filepath.Dir(c.dir))
	}
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
	return c.join(c.attemptDir(reduce, task, attempt))
}

func (c *Committer) attemptDir(reduce bool, task, attempt int) string {
	return filepath.Join(temporary, strconv.Itoa(c.life), temporary, fmt.Sprintf("attempt_%s_%d", taskName(reduce, task), attempt))
}

// within calls f with the output directory as a root, so that no link leads out of it.
func (c *Committer) within(f func(root *fault.Root) error) error {
	root, err := fault.OpenRoot(c.dir)
	if err == nil {
		err = errors.Join(f(root), root.Close())
	}
	return c.explain(err)
}

// CommitTask makes the output of the attempt that of its task: the files that it says it wrote, or,
// if it says nothing, those that are there. A task is committed once. It returns where they are,
// below _temporary, and what they are; Withdraw takes it back.
func (c *Committer) CommitTask(reduce bool, task, attempt int, parts []task.Part) (dir string, _ []task.Part, err error) {
	if c.find(reduce, task) >= 0 {
		return "", nil, fmt.Errorf("output %q: task %s is committed already", c.dir, taskName(reduce, task))
	}
	dir = filepath.Join(strconv.Itoa(c.life), "task_"+taskName(reduce, task))
	from, to := c.attemptDir(reduce, task, attempt), filepath.Join(temporary, dir)
	err = c.within(func(root *fault.Root) (err error) {
		if err := root.DeleteAll(to); err != nil { // of a commit that could not be told
			return err
		}
		if parts == nil {
			if parts, err = sums(root, from); err != nil {
				return err
			}
		}
		if err := confined(root, from, parts); err != nil {
			return err
		}
		if err := c.clash(reduce, task, parts); err != nil {
			return err
		}
		if parts, err = read(root, from, parts); err != nil {
			return err
		}
		if err := root.Move(from, to); err != nil {
			return err
		}
		if c.Sync {
			if err := errors.Join(fault.SyncDir(c.join(to)), fault.SyncDir(c.join(filepath.Dir(to)))); err != nil {
				return errors.Join(err, root.DeleteAll(to))
			}
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	c.count(committed{reduce: reduce, task: task, dir: dir, parts: parts})
	return dir, parts, nil
}

// find returns the place of a task among those that are committed, -1 if it is not.
func (c *Committer) find(reduce bool, task int) int {
	return slices.IndexFunc(c.done, func(d committed) bool { return d.reduce == reduce && d.task == task })
}

// Withdraw takes back the commit of a task.
func (c *Committer) Withdraw(reduce bool, task int) error {
	i := c.find(reduce, task)
	if i < 0 {
		return nil
	}
	d := c.discount(i)
	return c.within(func(root *fault.Root) error {
		c.stale = append(c.stale, d.placed(root)...)
		return errors.Join(c.takeBack(root), root.DeleteAll(filepath.Join(temporary, d.dir)))
	})
}

// Drop removes what an attempt wrote that does not count.
func (c *Committer) Drop(reduce bool, task, attempt int) error {
	return c.within(func(root *fault.Root) error { return root.DeleteAll(c.attemptDir(reduce, task, attempt)) })
}

// CommitJob moves the parts of all committed tasks into place and ends with _SUCCESS, unless
// something else stands in a place. Before the first is moved it calls begin, which writes that
// down. It may be called again after an error. The log and the lock stay until Forget.
func (c *Committer) CommitJob(begin func() error) error {
	return c.within(func(root *fault.Root) error {
		if err := c.takeBack(root); err != nil {
			return err
		}
		if err := c.free(root); err != nil {
			return err
		}
		if err := begin(); err != nil {
			return err
		}
		for i := range c.done {
			if err := c.done[i].move(root); err != nil {
				return err
			}
		}
		if err := prune(root, temporary, map[string]bool{c.LogPath(): true, c.LockPath(): true}); err != nil {
			return err
		}
		if c.Sync {
			if err := fault.SyncDir(c.dir); err != nil {
				return err
			}
		}
		return c.succeed(root)
	})
}

// move moves the parts of a task into place.
func (d *committed) move(root *fault.Root) error {
	d.moving = true
	for _, p := range d.parts {
		if _, err := root.Lstat(d.from(p)); errors.Is(err, fs.ErrNotExist) {
			if info, err := root.Lstat(p.Name); err == nil && info.Size() == p.Size {
				continue // it has been moved before
			}
		}
		if err := root.Move(d.from(p), p.Name); err != nil {
			return err
		}
	}
	return nil
}

// succeed makes _SUCCESS. An empty one that was there is as good, but not ours to remove.
func (c *Committer) succeed(root *fault.Root) error {
	_, was := root.Lstat(SuccessFile)
	f, err := root.CreateFile(SuccessFile)
	if err != nil {
		return err
	}
	c.ended = c.ended || was != nil
	if c.Sync {
		err = errors.Join(f.Sync(), fault.SyncDir(c.dir))
	}
	return errors.Join(err, f.Close())
}
