package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/success"
)

// Replaceable tells whether an output directory holds the finished output of a job of Slackline's and
// nothing else, so that another run may take its place. That it holds something else is an error, as
// is a process at work there.
func Replaceable(output string) (bool, error) {
	d := at(output)
	state, err := d.State()
	if err != nil || state == Free || state == Interrupted {
		return false, err
	}
	if err := errors.Join(Busy(output), d.tidy()); err != nil {
		return false, err
	}
	if _, err = d.own(); err == nil {
		err = writable(output)
	}
	return err == nil, d.explain(err)
}

// own are the files that a finished job wrote to the directory, if nothing else is there.
func (d *Dir) own() ([]string, error) {
	if info, err := os.Stat(d.path); err == nil && !info.IsDir() {
		return nil, errors.New("it is no directory, but a file; remove it, or name another directory")
	}
	parts, err := success.Read(d.path)
	if err != nil {
		return nil, err
	}
	if each, _ := filepath.Glob(filepath.Join(d.path, "*", SuccessFile)); parts == nil && len(each) > 0 {
		return nil, fmt.Errorf("it exists already, with a folder for each of several runs, such as %s; remove it, or name another directory", filepath.Base(filepath.Dir(each[0])))
	}
	if info, err := os.Lstat(d.path); err != nil || !info.IsDir() || parts == nil {
		return nil, errors.New("it exists already, and Slackline did not write it, or an earlier version; remove it, or name another directory")
	}
	own := map[string]bool{SuccessFile: true}
	names := []string{SuccessFile}
	for _, p := range parts {
		own[p.Name] = true
		names = append(names, p.Name)
	}
	begun, err := d.begun(false)
	if err != nil {
		return nil, err
	}
	found, err := os.ReadDir(d.path)
	for _, f := range found {
		if name := f.Name(); !own[name] && !(begun && name == temporary) || own[name] && !f.Type().IsRegular() {
			return nil, fmt.Errorf("%s in it is not from the job that wrote it; move it away, or name another directory", filepath.ToSlash(name))
		}
	}
	return names, err
}

// replaces tells whether what stands in place is an output that the job at work, or an interrupted one,
// is to replace, and has not begun to.
func (d *Dir) replaces() bool {
	h, err := d.history()
	return err == nil && h.replaces()
}

func (h *History) replaces() bool { return h.job != nil && len(h.job.Replaces) > 0 && !h.moving }

// giveWay removes the output that the job replaces, when all of its own is on the disk: _SUCCESS first, so
// that nobody takes the rest for the whole. From here on only the new one can become whole again.
func (d *Dir) giveWay(root *fault.Root) error {
	d.gone = len(d.old) > 0
	for _, name := range d.old {
		if err := root.Delete(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
