package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/success"
)

// name is what Hadoop calls a task.
func (t Task) name() string {
	letter := "m"
	if t.Reduce {
		letter = "r"
	}
	return fmt.Sprintf("%s_%06d", letter, t.Number-1)
}

// AttemptDir is where an attempt of a task, counted from 0, writes its part file. The attempt makes
// it.
func (d *Dir) AttemptDir(t Task, attempt int) string { return d.join(d.attemptDir(t, attempt)) }

func (d *Dir) attemptDir(t Task, attempt int) string {
	return filepath.Join(temporary, strconv.Itoa(d.life), temporary, fmt.Sprintf("attempt_%s_%d", t.name(), attempt))
}

// CommitTask makes the output of an attempt that of its task, and writes that down: map output
// where it lies, or the files that the attempt says it wrote; if it says nothing, those that are
// there. A task is committed once, until it is withdrawn or lost.
func (d *Dir) CommitTask(c *Commit, attempt int) error {
	if c.Run != nil {
		folder, run := filepath.Dir(c.Run.Path), *c.Run
		run.Path, _ = filepath.Rel(d.join(temporary), run.Path)
		c.Run = &run
		err := d.note(entry{Done: c})
		if err == nil {
			d.outputs[c.Number] = folder
		}
		return err
	}
	if err := d.move(c, attempt); err != nil {
		return err
	}
	err := d.note(entry{Done: c})
	if err != nil {
		err = errors.Join(err, d.Withdraw(c.Task))
	}
	return err
}

// move renames the directory of an attempt to that of its task.
func (d *Dir) move(c *Commit, attempt int) error {
	if d.find(c.Task) >= 0 {
		return says(d.path, fmt.Errorf("task %s is committed already", c.Task.name()))
	}
	c.Dir = filepath.Join(strconv.Itoa(d.life), "task_"+c.Task.name())
	from, to := d.attemptDir(c.Task, attempt), filepath.Join(temporary, c.Dir)
	err := d.within(func(root *fault.Root) (err error) {
		if err := root.DeleteAll(to); err != nil { // of a commit that could not be told
			return err
		}
		if c.Parts == nil {
			if c.Parts, err = list(root, from); err != nil {
				return err
			}
		}
		if err := confined(root, from, c.Parts); err != nil {
			return err
		}
		if err := d.clash(c); err != nil {
			return err
		}
		if c.Parts, err = read(root, from, c.Parts); err != nil {
			return err
		}
		if err := root.Move(from, to); err != nil {
			return err
		}
		if d.opt.Sync == SyncAll {
			if err := errors.Join(fault.SyncDir(d.join(to)), fault.SyncDir(d.join(filepath.Dir(to)))); err != nil {
				return errors.Join(err, root.DeleteAll(to))
			}
		}
		return nil
	})
	if err == nil {
		d.count(c)
	}
	return err
}

// find returns the index of a task among those that are committed, -1 if it is not.
func (d *Dir) find(t Task) int {
	return slices.IndexFunc(d.done, func(c *Commit) bool { return c.Task == t })
}

// count takes in a task whose parts count from now on.
func (d *Dir) count(c *Commit) {
	d.done = append(d.done, c)
	for _, p := range c.Parts {
		d.writer[p.Name] = c.Task
	}
}

// Withdraw takes back the commit of a task.
func (d *Dir) Withdraw(t Task) error {
	i := d.find(t)
	if i < 0 {
		return nil
	}
	c := d.done[i]
	d.done = slices.Delete(d.done, i, i+1)
	for _, p := range c.Parts {
		delete(d.writer, p.Name)
	}
	return d.within(func(root *fault.Root) error {
		d.stale = append(d.stale, c.placed(root)...)
		return errors.Join(d.takeBack(root), root.DeleteAll(filepath.Join(temporary, c.Dir)))
	})
}

// Lose writes down that the output of a map is gone. Where that cannot be written a later run finds
// out by itself.
func (d *Dir) Lose(number int) {
	delete(d.outputs, number)
	_ = d.note(entry{Lost: number})
}

// Drop removes what an attempt wrote that does not count.
func (d *Dir) Drop(t Task, attempt int) error {
	return d.within(func(root *fault.Root) error { return root.DeleteAll(d.attemptDir(t, attempt)) })
}

// Commit makes the output complete, and gives the directory up. What fails may go well a moment
// later, so it is tried again if it may go well at all. The error is a DamagedError if tasks have
// to run again first. Log and lock stay until Forget.
func (d *Dir) Commit() (err error) {
	if !d.Held() {
		return d.Gone()
	}
	if err := d.verify(); err != nil {
		return err
	}
	for range d.opt.Tries {
		if !d.Held() {
			return d.Gone()
		}
		if err = d.commit(); err == nil || !failure.Of(err).Again() {
			break
		}
	}
	if err == nil {
		d.Release()
	}
	return err
}

// commit moves the parts of all committed tasks into place, which the output that they replace leaves,
// and ends with _SUCCESS, unless something else stands in a place. Before the first is moved it writes that
// down. It may be called again.
func (d *Dir) commit() error {
	return d.within(func(root *fault.Root) error {
		if err := d.takeBack(root); err != nil {
			return err
		}
		if err := d.free(root); err != nil {
			return err
		}
		if err := d.giveWay(root); err != nil {
			return err
		}
		if err := d.note(entry{Moving: true}); err != nil {
			return err
		}
		d.old = nil
		if d.opt.Sync != SyncNothing { // or a resumed run would find parts in place that it knows nothing of
			if err := d.log.f.Sync(); err != nil {
				return err
			}
		}
		for _, c := range d.done {
			if err := c.move(root); err != nil {
				return err
			}
		}
		if err := prune(root, temporary, d.kept()); err != nil {
			return err
		}
		return d.succeed(root)
	})
}

// move moves the parts of a task into place.
func (c *Commit) move(root *fault.Root) error {
	c.moving = true
	for _, p := range c.Parts {
		if _, err := root.Lstat(c.from(p)); errors.Is(err, fs.ErrNotExist) {
			if info, err := root.Lstat(p.Name); err == nil && info.Size() == p.Size {
				continue // it has been moved before
			}
		}
		if err := root.Move(c.from(p), p.Name); err != nil {
			return err
		}
	}
	return nil
}

// success is what _SUCCESS says of the job.
func (d *Dir) success() []byte {
	var parts []success.Part
	for _, c := range d.done {
		for _, p := range c.Parts {
			parts = append(parts, success.Part(p))
		}
	}
	return success.Text(parts)
}

// succeed makes _SUCCESS, whole or not at all. What it speaks of is on the disk before it: the parts
// are by now, but not their names, nor that of the directory where it is new.
func (d *Dir) succeed(root *fault.Root) error {
	made := filepath.Join(temporary, SuccessFile)
	f, err := root.CreateFile(made)
	if err != nil {
		return err
	}
	if _, err = f.Write(d.success()); err == nil && d.opt.Sync != SyncNothing {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := d.syncNames(d.made); err != nil {
		return err
	}
	if err := root.Move(made, SuccessFile); err != nil {
		return err
	}
	d.ended = true
	return d.syncNames(false)
}

// syncNames has the names in the directory on the disk, and where it is new its own and those of the
// folders above it that were made for it.
func (d *Dir) syncNames(isNew bool) error {
	if d.opt.Sync == SyncNothing {
		return nil
	}
	err := fault.SyncDir(d.path)
	if isNew {
		for _, dir := range append([]string{d.path}, d.above...) {
			err = errors.Join(err, fault.SyncDir(filepath.Dir(dir)))
		}
	}
	return err
}
