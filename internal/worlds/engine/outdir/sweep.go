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

// kept are the files that stay for as long as the job is not forgotten.
func (d *Dir) kept() map[string]bool {
	return map[string]bool{d.logPath(): true, lockPath(d.path): true}
}

// sweep removes what attempts and dead processes left that is no committed output. What stands in
// place goes only where it is known that a commit has moved it there.
func (d *Dir) sweep() error {
	kept := d.kept()
	for _, folder := range d.outputs {
		kept[folder] = true
	}
	for _, c := range d.done {
		kept[d.join(temporary, c.Dir)] = true
	}
	return d.within(func(root *fault.Root) error {
		if err := d.takeBack(root); err != nil {
			return err
		}
		return prune(root, temporary, kept)
	})
}

// prune removes all below a directory but what is kept, and the way to it. It follows no links.
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

// Abort removes all that the job has written, unless the directory is another's by now, and gives
// it up. Of a job whose commit failed when the output that it replaces was gone, what is to be committed
// stays: a later run goes on there.
func (d *Dir) Abort() error {
	var err error
	if d.Held() && !d.gone {
		err = d.remove()
	}
	d.Release()
	return err
}

// remove removes all that Slackline wrote to the output directory of a job that will not finish,
// the directory if Slackline made it, and the folders above it that SetUp made. What else stands in
// one of them stays, and so does that. The log goes in the very end.
func (d *Dir) remove() error {
	err := d.within(func(root *fault.Root) error {
		for _, c := range d.done {
			d.stale = append(d.stale, c.placed(root)...)
		}
		d.done = nil
		if err := d.takeBack(root); err != nil {
			return err
		}
		if err := prune(root, temporary, d.kept()); err != nil {
			return err
		}
		if d.ended {
			if err := root.Delete(SuccessFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return d.removeRun(root)
	})
	if err != nil || !d.made {
		return err
	}
	for _, dir := range append([]string{d.path}, d.above...) {
		if err := fault.Delete(dir); err != nil {
			if names, e := os.ReadDir(dir); e == nil && len(names) > 0 {
				return nil // the user, or another job, has something there
			}
			return d.explain(err)
		}
	}
	return nil
}

// Forget removes the last traces of a job that is committed. They tell a later run that it need not
// run again; where they cannot be removed they are of no harm.
func (d *Dir) Forget() {
	for range d.opt.Tries {
		if d.removeTraces() == nil {
			return
		}
	}
}

func (d *Dir) removeTraces() error { return d.within(d.removeRun) }

// removeRun removes what a run keeps beside its output. The log goes last: as long as anything is
// there, it says whose that is.
func (d *Dir) removeRun(root *fault.Root) error {
	if err := prune(root, temporary, map[string]bool{d.logPath(): true}); err != nil {
		return err
	}
	if err := root.Delete(filepath.Join(temporary, logName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.DeleteAll(temporary)
}

// tidy removes what is left beside the output of a job that has finished, if the log is gone already
// and it is ours: a lock is left, or nothing, or _SUCCESS is what only Slackline writes.
func (d *Dir) tidy() error {
	_, err := os.Lstat(d.join(temporary, logName))
	if !AllSucceeded([]string{d.path}) || !errors.Is(err, fs.ErrNotExist) || Busy(d.path) != nil {
		return nil
	}
	names, err := os.ReadDir(d.join(temporary))
	if err != nil {
		return nil // there is none, or it is something else
	}
	for _, n := range names { // a run has no other file there than these
		if !n.IsDir() && n.Name() != lockName && n.Name() != SuccessFile {
			return says(d.path, fmt.Errorf("%s/%s in it is not from the job that wrote it; move it away", temporary, n.Name()))
		}
	}
	begun, err := d.begun(len(names) == 0)
	if parts, e := success.Read(d.path); err != nil || !begun && (e != nil || parts == nil) {
		return err
	}
	return d.removeTraces()
}

// Keep leaves of the traces of a job that is committed only the log, which notes that its run has
// come to its end. It tells a later run of the same jobs that this one need not run again, and is of no
// harm where that cannot be noted.
func (d *Dir) Keep() {
	err := d.within(func(root *fault.Root) error {
		return prune(root, temporary, map[string]bool{d.logPath(): true})
	})
	if err != nil {
		return
	}
	if log, _, err := openLog(d.logPath(), d.opt.Sync == SyncAll); err == nil {
		_ = errors.Join(log.append(entry{Ended: true}), log.close())
	}
}

// Forget calls Dir.Forget on those of the output directories whose jobs have finished.
func Forget(outputs []string) { finished(outputs, (*Dir).Forget) }

// Keep calls Dir.Keep on them.
func Keep(outputs []string) { finished(outputs, (*Dir).Keep) }

func finished(outputs []string, do func(*Dir)) {
	for _, path := range outputs {
		d := at(path)
		if state, err := d.State(); err == nil && state == Finished && Busy(path) == nil {
			do(d)
		}
	}
}

// Reopen makes a job that had finished unfinished, so that it runs again. What it wrote goes when
// it begins.
func Reopen(output string) error {
	lock, err := takeLock(lockPath(output))
	if err != nil {
		return err
	}
	return errors.Join(fault.Delete(filepath.Join(output, SuccessFile)), lock.Release())
}
