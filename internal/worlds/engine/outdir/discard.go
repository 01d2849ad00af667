package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// NothingLeftError says that there is nothing in an output directory that a run has left and
// another could resume.
type NothingLeftError struct{ Output string }

// Error is the error as one sentence.
func (e *NothingLeftError) Error() string {
	return fmt.Sprintf("output %q: there is nothing left of an interrupted run", e.Output)
}

// Discard removes what a run has left in an output directory that has not come to its end, and
// nothing else: what others put there stays, as does the output of a job that has finished. That a
// process is at work there is an error. A dry one only looks.
func Discard(output string, dry bool) (d Discarded, err error) {
	if info, err := os.Lstat(output); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return d, fmt.Errorf("output %q: it is a link, and links are not followed", output)
	}
	dir := at(output)
	state, err := dir.State()
	if err != nil {
		return d, err
	}
	if state == Taken && AllSucceeded([]string{output}) {
		if !dry {
			err = dir.tidy()
		}
		return Discarded{Finished: true, Ended: true}, err
	}
	if state != Interrupted && state != Finished {
		return d, &NothingLeftError{output}
	}
	if dry {
		err = Busy(output)
	} else if dir.lock, err = Take(output); err == nil {
		defer func() { err = errors.Join(err, dir.lock.Release()) }()
	}
	if err != nil {
		return d, err
	}
	h, err := dir.history()
	if err != nil {
		return d, err
	}
	d.Finished = state == Finished
	for _, c := range h.done {
		switch {
		case c.Lost:
		case c.Reduce:
			d.Reduces++
		default:
			d.Maps++
		}
	}
	if err := d.measure(dir.join(temporary)); err != nil {
		return d, says(output, err)
	}
	if d.Finished {
		if !dry {
			err = dir.removeTraces()
		}
		return d, err
	}
	if err := dir.inherit(h); err != nil {
		return d, err
	}
	if dry {
		names, err := os.ReadDir(output)
		d.Whole = dir.made && err == nil && len(names) == 1 // nothing but what a job keeps there while it runs
		return d, nil
	}
	err = dir.remove()
	_, gone := os.Lstat(output)
	d.Whole = errors.Is(gone, fs.ErrNotExist)
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
