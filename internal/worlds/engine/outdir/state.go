package outdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/worlds/engine/success"
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
func (d *Dir) State() (State, error) {
	names, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(d.path); err == nil {
			return Taken, nil // a link to nowhere
		}
		return Free, nil
	}
	if info, e := os.Stat(d.path); e == nil && !info.IsDir() {
		return Taken, nil
	}
	if err != nil {
		return Taken, d.explain(err)
	}
	has := func(name string) bool {
		_, err := os.Lstat(d.join(name))
		return err == nil
	}
	if len(names) == 0 {
		return Free, nil
	}
	if begun, err := d.begun(len(names) == 1); err != nil || !begun {
		return Taken, err
	}
	switch {
	case !has(SuccessFile):
		return Interrupted, nil
	case !has(filepath.Join(temporary, logName)):
		return Taken, nil
	case d.replaces():
		return Interrupted, nil
	}
	return Finished, nil
}

// begun tells whether a job of Slackline has begun to write: a log or a lock of it is there, or
// nothing yet. Another tool's _temporary is not ours to remove, and where a link replaces
// one of our own files we would write or remove what lies elsewhere.
func (d *Dir) begun(alone bool) (bool, error) {
	info, err := os.Lstat(d.join(temporary))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return false, d.link(temporary)
	}
	if err != nil || !info.IsDir() {
		return false, d.explain(err)
	}
	names, err := os.ReadDir(d.join(temporary))
	if err != nil {
		return false, d.explain(err)
	}
	begun := alone && len(names) == 0 // it died at once
	for _, n := range names {
		if n.Type()&fs.ModeSymlink != 0 {
			return false, d.link(filepath.Join(temporary, n.Name()))
		}
		begun = begun || n.Type().IsRegular() && (n.Name() == logName || n.Name() == lockName)
	}
	return begun, nil
}

func (d *Dir) link(name string) error {
	return fmt.Errorf("output %q: %s in it is a link, and links are not followed there", d.path, filepath.ToSlash(name))
}

// check refuses an output directory that holds anything but what a job has left there, one that
// another process writes to, and one that nothing may be written to.
func (d *Dir) check() (State, error) {
	state, err := d.State()
	switch {
	case err != nil:
	case state == Free: // it, or the first folder above it that there is, has to take what is written
		dir := d.path
		if above := missing(dir); len(above) > 0 {
			dir = filepath.Dir(above[len(above)-1])
		}
		err = errors.Join(d.inside(), d.explain(writable(dir)))
	case state == Interrupted:
		err = Busy(d.path)
	case state == Taken:
		if err = d.tidy(); err == nil {
			err = errExists(d.path)
		}
	}
	return state, err
}

// ErrExists is the error of an output directory in which something stands that no job may touch.
var ErrExists = errors.New("it exists already")

func errExists(output string) error { return says(output, ErrExists) }

// inside refuses a new output directory within that of another job: whoever reads that one would read both.
func (d *Dir) inside() error {
	path, err := filepath.Abs(d.path)
	if err != nil {
		return d.explain(err)
	}
	path = files.Resolved(path)
	for dir := filepath.Dir(path); dir != path; path, dir = dir, filepath.Dir(dir) {
		if _, err := os.Lstat(at(dir).logPath()); err == nil || success.Ours(dir) {
			return says(d.path, fmt.Errorf("it lies in %s, to which another job writes or has written, and whoever reads that reads all that is in it", dir))
		}
	}
	return nil
}

// Check says which of the jobs with these output directories cannot run, and why; -1 if all can.
// What interrupted runs left may be resumed, and what Replaceable allows may be replaced. A job that is
// finished may stand beside others that are not: a run of all of them was interrupted behind its end.
func Check(outputs []string, replaced ...string) (int, error) {
	finished := 0
	for i, path := range outputs {
		if slices.Contains(replaced, path) {
			continue
		}
		state, err := at(path).check()
		if err != nil {
			return i, err
		}
		if state == Finished {
			finished++
		}
	}
	if finished > 0 && finished == len(outputs) {
		return 0, errExists(outputs[0])
	}
	return -1, nil
}

// HasFinished tells whether a job has finished there whose run has not forgotten it. Where that
// cannot be seen whoever writes there says why.
func HasFinished(output string) bool {
	state, err := at(output).State()
	return err == nil && state == Finished
}

// AllSucceeded tells whether there are output directories, and the jobs of all have finished.
func AllSucceeded(outputs []string) bool {
	for _, path := range outputs {
		if _, err := os.Stat(filepath.Join(path, SuccessFile)); err != nil || at(path).replaces() {
			return false
		}
	}
	return len(outputs) > 0
}

// Remains is what stands in an output directory.
type Remains struct {
	Finished bool            // a job has
	Command  json.RawMessage // of the job, if its run has not ended; nil if it has, or if there is none
	Kept     json.RawMessage // of the job, if its run has ended, and not all of its jobs have finished
	Began    time.Time       // 0 of the clock of that run; zero: it is not known
}

// WithFolders adds the folders of policies that are within output directories, where a run has left
// something.
func WithFolders(dirs []string) []string {
	var all []string
	for _, dir := range dirs {
		all = append(all, dir)
		names, _ := os.ReadDir(dir) // if it cannot be read, there is nothing to resume
		for _, n := range names {
			below := filepath.Join(dir, n.Name())
			if _, err := os.Stat(filepath.Join(below, temporary)); err == nil {
				all = append(all, below)
			}
		}
	}
	return all
}

// Left looks at what a run has left in an output directory. That a process is at work there is an
// error.
func Left(output string) (r Remains, err error) {
	d := at(output)
	state, err := d.State()
	if err != nil || state == Free {
		return r, err
	}
	if r.Finished = AllSucceeded([]string{output}); state == Taken {
		return r, nil
	}
	if err := Busy(output); err != nil {
		return r, err
	}
	h, err := d.history()
	if err == nil && h.job != nil && h.ended {
		r.Kept = h.job.Command
	} else if err == nil && h.job != nil {
		r.Command, r.Began = h.job.Command, h.job.Began
	}
	return r, err
}

// Intact refuses an output directory that is finished, but whose parts are not those that its log
// names, byte for byte.
func Intact(output string) error {
	d := at(output)
	h, err := d.history()
	if err != nil {
		return err
	}
	for _, c := range h.done {
		if len(c.Parts) == 0 { // a map whose output reduces have read
			continue
		}
		if err := d.adopt(c); err != nil {
			return says(output, fmt.Errorf("a job had finished it, but its files have changed: %w; "+
				"remove it, or name another directory", err))
		}
	}
	names, err := os.ReadDir(output)
	for _, n := range names {
		if _, ours := d.writer[n.Name()]; strings.HasPrefix(n.Name(), "part-") && !ours {
			return says(output, fmt.Errorf("a job had finished it, but %s is not from that job; "+
				"move it away, or name another directory", n.Name()))
		}
	}
	return err
}
