package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/units"
)

// Discarded is what a run had left in an output directory.
type Discarded struct {
	Finished      bool // the job had: its output stays, and only the trace of its run goes
	Ended         bool // that went already, as the run has come to its end
	Maps, Reduces int  // that were done
	Files         int
	Size          units.Bytes
	Whole         bool // the directory itself goes, as Slackline made it and nothing else is in it
}

// NothingLeftError says that there is nothing in an output directory that a run has left and another could go on with.
type NothingLeftError struct{ Output string }

// Error is the error as one sentence.
func (e *NothingLeftError) Error() string {
	return fmt.Sprintf("output %q: no interrupted run has left anything there", e.Output)
}

// Discard removes what a run has left in an output directory that has not come to its end, and
// nothing else: what others put there stays, as does the output of a job that has finished. That a
// process is at work there is an error. A dry one only looks.
func Discard(output string, dry bool) (d Discarded, err error) {
	if info, err := os.Lstat(output); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return d, fmt.Errorf("output %q: it is a link, and links are not followed", output)
	}
	c := outdir.NewCommitter(output)
	state, err := c.State()
	if err != nil {
		return d, err
	}
	if _, err := os.Stat(filepath.Join(output, outdir.SuccessFile)); state == outdir.Taken && err == nil {
		return Discarded{Finished: true, Ended: true}, nil
	}
	if state != outdir.Interrupted && state != outdir.Finished {
		return d, &NothingLeftError{output}
	}
	if dry {
		err = outdir.Busy(c.LockPath())
	} else {
		var lock *outdir.Lock
		if lock, err = outdir.Take(c.LockPath()); err == nil {
			defer func() { err = errors.Join(err, lock.Release()) }()
		}
	}
	if err != nil {
		return d, fmt.Errorf("output %q: %w", output, err)
	}
	records, err := outdir.Read(c.LogPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d, fmt.Errorf("output %q: %w", output, err)
	}
	was, done := replay(records)
	d.Finished = state == outdir.Finished
	for _, t := range done {
		switch {
		case t.lost:
		case t.Reduce:
			d.Reduces++
		default:
			d.Maps++
		}
	}
	if err := d.measure(c.Below("")); err != nil {
		return d, fmt.Errorf("output %q: %w", output, err)
	}
	if !d.Finished {
		for _, t := range done {
			if t.moving && t.Run == nil {
				if err := c.Disown(t.Reduce, t.Task-1, t.Dir, t.Parts); err != nil {
					return d, err
				}
			}
		}
		c.Made = was != nil && was.Made
	}
	switch {
	case dry:
		d.Whole = c.Made && alone(output)
	case d.Finished:
		err = c.Forget()
	default:
		err = c.Abort()
		_, gone := os.Lstat(output)
		d.Whole = errors.Is(gone, fs.ErrNotExist)
	}
	return d, err
}

// measure counts the files below a folder. It follows no links.
func (d *Discarded) measure(dir string) error {
	return filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			d.Files++
			d.Size += units.Bytes(info.Size())
		}
		return err
	})
}

// alone tells whether nothing but what a job keeps there while it runs stands in an output directory.
func alone(output string) bool {
	names, err := os.ReadDir(output)
	return err == nil && len(names) == 1
}
