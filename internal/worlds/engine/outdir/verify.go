package outdir

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// bufferSize is how much of a part is read at once.
const bufferSize = 128 << 10

var (
	errSum  = errors.New("the checksum does not match")
	errGone = errors.New("there is no such file")
)

// Damage is a committed task whose parts are not what was written.
type Damage struct {
	Task
	Err error
}

// DamagedError says that a job cannot be committed before these tasks have run again.
type DamagedError struct{ Tasks []Damage }

// Error is the error as one sentence.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%d committed tasks have changed, first %v", len(e.Tasks), e.Tasks[0].Err)
}

// verify checks that the parts of all committed tasks are as they were written, and brings them to
// the disk. What cannot be read may be readable a moment later, and is not damaged if that is for
// want of room or of the disk.
func (d *Dir) verify() error {
	var bad []Damage
	err := d.again(func() (err error) {
		if bad, err = d.damaged(); err != nil || len(bad) == 0 {
			return err
		}
		for _, b := range bad {
			if unread(b.Err) {
				return b.Err
			}
		}
		return bad[0].Err
	})
	if len(bad) > 0 && !unread(err) {
		return &DamagedError{bad}
	}
	return err
}

// unread tells whether a part could not be read for a reason that is not its own.
func unread(err error) bool {
	_, read := errors.AsType[*fs.PathError](err)
	kind := failure.Of(err)
	return read && (kind == failure.NoRoom || kind == failure.NoDisk)
}

// damaged reads the parts of all committed tasks, several at once, and returns the tasks of which
// one has changed.
func (d *Dir) damaged() (list []Damage, err error) {
	root, err := fault.OpenRoot(d.path)
	if err != nil {
		return nil, d.explain(err)
	}
	defer root.Close()
	errs := make([]error, len(d.done))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(d.done)) {
		readers.Go(func() {
			buf := make([]byte, bufferSize)
			for i := next.Add(1) - 1; i < int64(len(d.done)); i = next.Add(1) - 1 {
				errs[i] = d.done[i].check(root, buf, d.opt.Sync != SyncNothing)
			}
		})
	}
	readers.Wait()
	for i, c := range d.done {
		if errs[i] != nil {
			list = append(list, Damage{c.Task, errs[i]})
		}
	}
	return list, nil
}

// check reads the parts of a task, where they are before the commit of the job or, if that had
// begun, where it has moved them. With sync it has them on the disk.
func (c *Commit) check(root *fault.Root, buf []byte, sync bool) error {
	for _, p := range c.Parts {
		path := c.from(p)
		got, err := sum(root, path, buf)
		if errors.Is(err, fs.ErrNotExist) {
			path = p.Name
			got, err = sum(root, path, buf)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = errGone
		case err == nil && got != p:
			err = errSum
		}
		if err == nil && sync {
			err = synced(root, path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// synced has a file on the disk. Where that fails once it is damaged: the system may have dropped
// what it could not write, and would say the next time that all is well.
func synced(root *fault.Root, path string) error {
	if err := root.SyncFile(path); err != nil {
		return fmt.Errorf("it cannot be brought to the disk: %w", fault.Bare(err))
	}
	return nil
}

// list names the files of a directory, none of them read yet.
func list(root *fault.Root, dir string) ([]task.Part, error) {
	names, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	parts := []task.Part{}
	for _, n := range names {
		parts = append(parts, task.Part{Name: n.Name(), Size: task.Unread})
	}
	return parts, err
}

// read reads those of the parts in a directory that are unread.
func read(root *fault.Root, dir string, parts []task.Part) ([]task.Part, error) {
	parts = slices.Clone(parts)
	var buf []byte
	for i := range parts {
		if parts[i].Size != task.Unread {
			continue
		}
		if buf == nil {
			buf = make([]byte, bufferSize)
		}
		p, err := sum(root, filepath.Join(dir, parts[i].Name), buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", parts[i].Name, fault.Bare(err))
		}
		parts[i] = p
	}
	return parts, nil
}

// sum reads a file.
func sum(root *fault.Root, path string, buf []byte) (task.Part, error) {
	if _, err := plain(root, path); err != nil {
		return task.Part{}, err
	}
	f, err := root.OpenFile(path)
	if err != nil {
		return task.Part{}, err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	size, err := io.CopyBuffer(h, struct{ io.Reader }{f}, buf)
	return task.Part{Name: filepath.Base(path), Size: size, Sum: h.Sum32()}, err
}

// adopt takes over the parts of a task that another process has committed, if all are there as they
// were written.
func (d *Dir) adopt(c *Commit) error {
	root, err := fault.OpenRoot(d.path)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := errors.Join(named(c.Parts), d.clash(c)); err != nil {
		return err
	}
	if !filepath.IsLocal(c.Dir) {
		return fmt.Errorf("%q is outside of %s", c.Dir, temporary)
	}
	if err := straight(root, filepath.Join(temporary, c.Dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := c.check(root, make([]byte, bufferSize), false); err != nil {
		return err
	}
	c.moving = true
	c.moving = len(c.placed(root)) > 0
	d.count(c)
	return nil
}
