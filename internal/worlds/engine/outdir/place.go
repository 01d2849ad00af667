package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// What the commit of a job moves into place lies there among files that others may put there. Only
// a rename by that commit takes a part from where the commit of its task has left it; so, once the
// commit of the job has begun, a part that is not there any more is the file in place, and of one
// that still is there what stands in place is somebody else's. A name in the output directory says
// nothing.

// clash refuses a name that another task has written: of two files that are committed under one
// name, one would be lost.
func (c *Committer) clash(reduce bool, task int, parts []task.Part) error {
	for _, p := range parts {
		if other, there := c.by[p.Name]; there && other != task {
			kind := "map"
			if reduce {
				kind = "reduce"
			}
			return fmt.Errorf("%s tasks %d and %d both wrote a file called %q, and one would overwrite the other; put the task's number into its name, as in %q",
				kind, min(other, task)+1, max(other, task)+1, p.Name, p.Name+"-$mapreduce_task_partition")
		}
	}
	return nil
}

// count takes in a task whose output counts from now on.
func (c *Committer) count(d committed) {
	c.done = append(c.done, d)
	for _, p := range d.parts {
		c.by[p.Name] = d.task
	}
}

// discount gives up the place of a task among those that are committed, and its names.
func (c *Committer) discount(i int) committed {
	d := c.done[i]
	c.done = slices.Delete(c.done, i, i+1)
	for _, p := range d.parts {
		delete(c.by, p.Name)
	}
	return d
}

// from is where a part is before the commit of the job moves it.
func (d *committed) from(p task.Part) string { return filepath.Join(temporary, d.dir, p.Name) }

// placed returns the names of the files that the commit of the job has moved into place.
func (d *committed) placed(root *fault.Root) (names []string) {
	for _, p := range d.parts {
		if _, err := root.Lstat(d.from(p)); d.moving && errors.Is(err, fs.ErrNotExist) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Disown takes note of a task that does not count any more, though a log says that it was committed
// and that then the commit of the job began: what was moved into place of it goes with the next
// Sweep. Of a task that was adopted nothing does.
func (c *Committer) Disown(reduce bool, task int, dir string, parts []task.Part) error {
	if c.find(reduce, task) >= 0 || !filepath.IsLocal(dir) || named(parts) != nil {
		return nil
	}
	d := committed{reduce: reduce, task: task, dir: dir, parts: parts, moving: true}
	return c.within(func(root *fault.Root) error {
		c.stale = append(c.stale, d.placed(root)...)
		return nil
	})
}

// takeBack removes from their place files whose tasks do not count any more.
func (c *Committer) takeBack(root *fault.Root) error {
	for ; len(c.stale) > 0; c.stale = c.stale[1:] {
		if plain(root, c.stale[0]) != nil {
			continue // it is gone, or has become what no task writes
		}
		if err := root.Delete(c.stale[0]); err != nil {
			return err
		}
	}
	return nil
}

// free checks, before the first part is moved, that none would overwrite what is not the same, byte for byte.
func (c *Committer) free(root *fault.Root) error {
	for _, d := range c.done {
		for _, p := range d.parts {
			if _, err := root.Lstat(d.from(p)); errors.Is(err, fs.ErrNotExist) {
				continue // it has been moved before
			}
			if err := vacant(root, p); err != nil {
				return err
			}
		}
	}
	return vacant(root, task.Part{Name: SuccessFile})
}

// vacant checks that nothing stands at the place of a file but that file itself.
func vacant(root *fault.Root, p task.Part) error {
	info, err := root.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() && info.Size() == p.Size {
		if got, err := sum(root, p.Name, make([]byte, bufferSize)); err != nil || got == p {
			return err
		}
	}
	return fmt.Errorf("%s is there already and not what this job wrote, so it stays as it is and the job is not committed; move it away and run the job again", p.Name)
}
