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
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// bufferSize is how much of a part is read at once.
const bufferSize = 128 << 10

var errSum = errors.New("the checksum does not match")

// Damage is a committed task whose parts are not what was written.
type Damage struct {
	Reduce bool
	Task   int // from 0
	Err    error
}

// Verify reads the parts of all committed tasks, several at once, and returns the tasks that have
// to run again as a part has changed since.
func (c *Committer) Verify() (list []Damage, err error) {
	root, err := fault.OpenRoot(c.dir)
	if err != nil {
		return nil, c.explain(err)
	}
	defer root.Close()
	errs := make([]error, len(c.done))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(c.done)) {
		readers.Go(func() {
			buf := make([]byte, bufferSize)
			for i := next.Add(1) - 1; i < int64(len(c.done)); i = next.Add(1) - 1 {
				errs[i] = c.done[i].check(root, buf)
			}
		})
	}
	readers.Wait()
	for i, d := range c.done {
		if errs[i] != nil {
			list = append(list, Damage{d.reduce, d.task, errs[i]})
		}
	}
	return list, nil
}

// check reads the parts of a task, where they are before the commit of the job or, if that had
// begun, where it has moved them.
func (d *committed) check(root *fault.Root, buf []byte) error {
	for _, p := range d.parts {
		got, err := sum(root, d.from(p), buf)
		if errors.Is(err, fs.ErrNotExist) {
			got, err = sum(root, p.Name, buf)
		}
		if err == nil && got != p {
			err = errSum
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// sums reads the files of a directory.
func sums(root *fault.Root, dir string) ([]task.Part, error) {
	names, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if err != nil {
		return nil, err
	}
	parts, buf := []task.Part{}, make([]byte, bufferSize)
	for _, n := range names {
		p, err := sum(root, filepath.Join(dir, n.Name()), buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name(), task.Bare(err))
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// read reads those of the parts in a directory that are unread.
func read(root *fault.Root, dir string, parts []task.Part) ([]task.Part, error) {
	parts = slices.Clone(parts)
	buf := make([]byte, 0)
	for i := range parts {
		if parts[i].Size != task.Unread {
			continue
		}
		if len(buf) == 0 {
			buf = make([]byte, bufferSize)
		}
		p, err := sum(root, filepath.Join(dir, parts[i].Name), buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", parts[i].Name, task.Bare(err))
		}
		parts[i] = p
	}
	return parts, nil
}

// sum reads a file.
func sum(root *fault.Root, path string, buf []byte) (task.Part, error) {
	if err := plain(root, path); err != nil {
		return task.Part{}, err
	}
	f, err := root.OpenFile(path)
	if err != nil {
		return task.Part{}, err
	}
	defer f.Close()
	p := task.Part{Name: filepath.Base(path)}
	for {
		n, err := f.Read(buf)
		p.Size += int64(n)
		p.Sum = crc32.Update(p.Sum, castagnoli, buf[:n])
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return task.Part{}, err
		}
	}
}
