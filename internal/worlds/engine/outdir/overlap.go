package outdir

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// What the commit of a job moves into place lies there among files that others may put there. Only
// a rename by that commit takes a part from where the commit of its task has left it; so, once the
// commit of the job has begun, a part that is missing is the file in place, and of one
// that still is there what stands in place is somebody else's. A name in the output directory says
// nothing.

// clash refuses a name that another task has written: of two files that are committed under one
// name, one would be lost.
func (d *Dir) clash(c *Commit) error {
	for _, p := range c.Parts {
		if other, there := d.writer[p.Name]; there && other != c.Task {
			kind := "map"
			if c.Reduce {
				kind = "reduce"
			}
			return fmt.Errorf("%s tasks %d and %d both wrote a file called %q, and one would overwrite the other; put the task's number in its name, as in %q",
				kind, min(other.Number, c.Number), max(other.Number, c.Number), p.Name, p.Name+"-$mapreduce_task_partition")
		}
	}
	return nil
}

// from is where a part is before the commit of the job moves it.
func (c *Commit) from(p task.Part) string { return filepath.Join(temporary, c.Dir, p.Name) }

// placed returns the names of the files that the commit of the job has moved into place.
func (c *Commit) placed(root *fault.Root) (names []string) {
	for _, p := range c.Parts {
		if _, err := root.Lstat(c.from(p)); c.moving && errors.Is(err, fs.ErrNotExist) {
			names = append(names, p.Name)
		}
	}
	return names
}

// inherit takes note of what a log says of the directory: whether Slackline made it, and tasks that
// do not count any more, though they were committed and then the commit of the job began. What was
// moved into place of these goes with the next sweep; of a task that was restored nothing does.
func (d *Dir) inherit(h *History) (err error) {
	d.made = d.made || h.job != nil && h.job.Made
	if h.replaces() {
		d.old = h.job.Replaces
	}
	for _, c := range h.done {
		if !c.moving || c.Run != nil || d.find(c.Task) >= 0 || !filepath.IsLocal(c.Dir) || named(c.Parts) != nil {
			continue
		}
		err = errors.Join(err, d.within(func(root *fault.Root) error {
			d.stale = append(d.stale, c.placed(root)...)
			return nil
		}))
	}
	return err
}

// takeBack removes from their place files whose tasks do not count any more.
func (d *Dir) takeBack(root *fault.Root) error {
	for ; len(d.stale) > 0; d.stale = d.stale[1:] {
		if _, err := plain(root, d.stale[0]); err != nil {
			continue // it is gone, or has become what no task writes
		}
		if err := root.Delete(d.stale[0]); err != nil {
			return err
		}
	}
	return nil
}

// free checks, before the first part is moved, that none would overwrite what is not the same, byte
// for byte.
func (d *Dir) free(root *fault.Root) error {
	for _, c := range d.done {
		for _, p := range c.Parts {
			if _, err := root.Lstat(c.from(p)); errors.Is(err, fs.ErrNotExist) {
				continue // it has been moved before
			}
			if err := d.vacant(root, p); err != nil {
				return err
			}
		}
	}
	text := d.success()
	return d.vacant(root, task.Part{Name: SuccessFile, Size: int64(len(text)), Sum: crc32.Checksum(text, castagnoli)})
}

// vacant checks that nothing stands at the place of a file but that file itself, or what it replaces.
func (d *Dir) vacant(root *fault.Root, p task.Part) error {
	info, err := root.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) || slices.Contains(d.old, p.Name) {
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
	return fmt.Errorf("%s exists already and was not written by this job, so it stays and the job is not committed; move it away and run the job again", p.Name)
}
