package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Committer keeps the output directory of a job as Hadoop's FileOutputCommitter does:
//
//	OUT/_temporary/0/_temporary/attempt_r_000003_0/part-r-00003   an attempt writes here
//	OUT/_temporary/0/task_r_000003/part-r-00003                   its commit renames the directory
//	OUT/part-r-00003, OUT/_SUCCESS                                the commit of the job
//
// So what two attempts of a task write does not mix, and _SUCCESS is there only if all parts are.
type Committer struct {
	Sync bool // directories are on disk before a commit is told, so that it outlives the machine; part files have been synced by then

	dir  string
	made []string // folders above it that SetUp made, the lowest first
}

// NewCommitter returns the committer of an output directory. Nothing is made yet.
func NewCommitter(dir string) *Committer { return &Committer{dir: dir} }

// SuccessFile is the empty file that stands in the directory of a finished job.
const SuccessFile = "_SUCCESS"

// Check refuses an output directory that exists.
func (c *Committer) Check() error {
	_, err := os.Lstat(c.dir)
	if err == nil {
		return c.exists()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output %q: %w", c.dir, bare(err))
	}
	return nil
}

func (c *Committer) exists() error { return fmt.Errorf("output %q: it exists already", c.dir) }

// SetUp makes the output directory, which must not exist: of two jobs with one directory the second fails.
func (c *Committer) SetUp() error {
	c.made = missing(filepath.Dir(c.dir))
	err := os.MkdirAll(filepath.Dir(c.dir), 0o777)
	if err == nil {
		err = os.Mkdir(c.dir, 0o777)
	}
	if errors.Is(err, fs.ErrExist) {
		return c.exists()
	}
	if err == nil {
		err = os.MkdirAll(c.join("_temporary"), 0o777)
	}
	if err != nil {
		return fmt.Errorf("output %q: %w", c.dir, bare(err))
	}
	return nil
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

func (c *Committer) join(path ...string) string {
	return filepath.Join(append([]string{c.dir, "_temporary", "0"}, path...)...)
}

func stageLetter(reduce bool) string {
	if reduce {
		return "r"
	}
	return "m"
}

// AttemptDir is where an attempt writes its part file. The attempt makes it.
func (c *Committer) AttemptDir(reduce bool, task, attempt int) string {
	return c.join("_temporary", fmt.Sprintf("attempt_%s_%06d_%d", stageLetter(reduce), task, attempt))
}

// CommitTask makes the output of the attempt that of its task. A task is committed once.
func (c *Committer) CommitTask(reduce bool, task, attempt int) error {
	to := c.join(fmt.Sprintf("task_%s_%06d", stageLetter(reduce), task))
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("output %q: task %s_%06d is committed already", c.dir, stageLetter(reduce), task)
	}
	if err := c.sync(c.AttemptDir(reduce, task, attempt)); err != nil {
		return err
	}
	if err := os.Rename(c.AttemptDir(reduce, task, attempt), to); err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	return c.sync(c.join())
}

// sync brings what a directory holds to disk, if that is asked for. Where a system cannot (Windows) its own journal has to do.
func (c *Committer) sync(dir string) error {
	if !c.Sync || runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	return nil
}

// CommitJob moves the parts of all committed tasks into place and ends with _SUCCESS.
func (c *Committer) CommitJob() error {
	tasks, err := os.ReadDir(c.join())
	if err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	for _, t := range tasks {
		if t.Name() == "_temporary" {
			continue
		}
		parts, err := os.ReadDir(c.join(t.Name()))
		if err != nil {
			return fmt.Errorf("output %q: %w", c.dir, err)
		}
		for _, p := range parts {
			if err := os.Rename(c.join(t.Name(), p.Name()), filepath.Join(c.dir, p.Name())); err != nil {
				return fmt.Errorf("output %q: %w", c.dir, err)
			}
		}
	}
	if err := c.sync(c.dir); err != nil { // all parts are there before _SUCCESS is
		return err
	}
	if err := os.RemoveAll(filepath.Join(c.dir, "_temporary")); err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, SuccessFile), nil, 0o666); err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	if err := c.sync(c.dir); err != nil {
		return err
	}
	return c.sync(filepath.Dir(c.dir))
}

// Abort removes the output directory of a job that SetUp made and that will not finish, and the folders above it that SetUp made
// unless something else stands in them.
func (c *Committer) Abort() error {
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("output %q: %w", c.dir, err)
	}
	for _, dir := range c.made {
		if os.Remove(dir) != nil {
			break // another job writes there too
		}
	}
	return nil
}
