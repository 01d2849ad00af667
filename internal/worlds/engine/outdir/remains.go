package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/task"
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
		return Taken, fmt.Errorf("output %q: %w", c.dir, task.Bare(err))
	}
	has := func(name string) bool {
		_, err := os.Lstat(c.join(name))
		return err == nil
	}
	if len(names) == 0 {
		return Free, nil
	}
	if begun, err := c.begun(len(names) == 1); err != nil || !begun {
		return Taken, err
	}
	switch {
	case !has(SuccessFile):
		return Interrupted, nil
	case has(filepath.Join(temporary, logName)):
		return Finished, nil
	}
	return Taken, nil
}

// begun tells whether a job of Slackline has begun to write: a log or a lock of it is there, or
// nothing yet. Another tool's _temporary is not ours to remove, and where a link stands in the
// place of one of our own files we would write or remove what lies elsewhere.
func (c *Committer) begun(alone bool) (bool, error) {
	info, err := os.Lstat(c.join(temporary))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return false, c.link(temporary)
	}
	if err != nil || !info.IsDir() {
		return false, c.explain(err)
	}
	names, err := os.ReadDir(c.join(temporary))
	if err != nil {
		return false, c.explain(err)
	}
	begun := alone && len(names) == 0 // it died at once
	for _, n := range names {
		if n.Type()&fs.ModeSymlink != 0 {
			return false, c.link(filepath.Join(temporary, n.Name()))
		}
		begun = begun || n.Type().IsRegular() && (n.Name() == logName || n.Name() == lockName)
	}
	return begun, nil
}

func (c *Committer) link(name string) error {
	return fmt.Errorf("output %q: %s in it is a link, and links are not followed there", c.dir, filepath.ToSlash(name))
}

// Check refuses an output directory that holds anything but what an interrupted job left there, one
// that another process writes to, and one that nothing may be written to.
func (c *Committer) Check() error {
	state, err := c.State()
	switch {
	case err != nil:
		return err
	case state == Free: // it, or the first folder above it that there is, has to take what is written
		dir := c.dir
		if above := missing(dir); len(above) > 0 {
			dir = filepath.Dir(above[len(above)-1])
		}
		return c.explain(writable(dir))
	case state == Interrupted:
		return c.explain(Busy(c.LockPath()))
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
	return fmt.Errorf("output %q: %w", c.dir, task.Bare(err))
}

// Adopt takes over the output of a task that another process has committed, if all of it is there as it was written.
func (c *Committer) Adopt(reduce bool, task int, dir string, parts []task.Part) error {
	root, err := fault.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	d := committed{reduce: reduce, task: task, dir: dir, parts: parts, moving: true}
	if err := errors.Join(named(parts), c.clash(reduce, task, parts)); err != nil {
		return err
	}
	if !filepath.IsLocal(dir) {
		return fmt.Errorf("%q leads out of %s", dir, temporary)
	}
	if err := straight(root, filepath.Join(temporary, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.check(root, make([]byte, bufferSize)); err != nil {
		return err
	}
	d.moving = len(d.placed(root)) > 0
	c.count(d)
	return nil
}

// Sweep removes what other processes left but the output of tasks that were adopted, and these
// directories. What stands in place goes only where it is known that a commit has moved it there.
func (c *Committer) Sweep(keep map[string]bool) error {
	kept := map[string]bool{c.LogPath(): true, c.LockPath(): true}
	maps.Copy(kept, keep)
	for _, d := range c.done {
		kept[c.Below(d.dir)] = true
	}
	return c.within(func(root *fault.Root) error {
		if err := c.takeBack(root); err != nil {
			return err
		}
		return prune(root, temporary, kept)
	})
}

// Prune removes all below a directory but what is kept, and the way to it. It follows no links, to
// the directory itself neither.
func Prune(dir string, kept map[string]bool) error {
	if info, err := os.Lstat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is no directory, and links are not followed there", dir)
	}
	root, err := fault.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(prune(root, ".", kept), root.Close())
}

func prune(root *fault.Root, dir string, kept map[string]bool) error {
	ways := make(map[string]bool)
	for k := range kept {
		for d := filepath.Dir(k); !ways[d]; d = filepath.Dir(d) {
			ways[d] = true
		}
	}
	return pruneBelow(root, dir, kept, ways)
}

func pruneBelow(root *fault.Root, dir string, kept, ways map[string]bool) error {
	names, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if err != nil {
		return err
	}
	for _, n := range names {
		name := filepath.Join(dir, n.Name())
		switch path := root.Path(name); {
		case kept[path]:
			continue
		case ways[path] && n.IsDir():
			err = pruneBelow(root, name, kept, ways)
		default:
			err = root.DeleteAll(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Forget removes the log and the lock of a job that is committed, and with them the last trace of its process.
func (c *Committer) Forget() error {
	return c.within(func(root *fault.Root) error { return root.DeleteAll(temporary) })
}

// Discard removes all that attempts and commits have made. The log goes in the very end, with Abort.
func (c *Committer) Discard() error {
	err := c.within(func(root *fault.Root) error {
		for _, d := range c.done {
			c.stale = append(c.stale, d.placed(root)...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.done, c.by = nil, make(map[string]int)
	return c.Sweep(nil)
}

// Abort removes all that Slackline wrote to the output directory of a job that will not finish, the
// directory if Slackline made it, and the folders above it that SetUp made. What else stands in one
// of them stays, and so does that.
func (c *Committer) Abort() error {
	if err := c.Discard(); err != nil {
		return err
	}
	err := c.within(func(root *fault.Root) error {
		if c.ended {
			if err := root.Delete(SuccessFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return root.DeleteAll(temporary)
	})
	if err != nil || !c.Made {
		return err
	}
	for _, dir := range append([]string{c.dir}, c.above...) {
		if err := fault.Delete(dir); err != nil {
			if names, e := os.ReadDir(dir); e == nil && len(names) > 0 {
				return nil // the user, or another job, has something there
			}
			return c.explain(err)
		}
	}
	return nil
}
