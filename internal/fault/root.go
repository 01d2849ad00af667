package fault

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Root is an os.Root whose files and changes may fail: whatever links stand below it, none leads an
// operation out of it.
type Root struct{ *os.Root }

// OpenRoot is os.OpenRoot. That alone never fails by a schedule, as nothing is done with it yet.
func OpenRoot(path string) (*Root, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Root{r}, nil
}

// Path is the name of what lies there for who does not know the root; schedules draw by it.
func (r *Root) Path(name string) string { return filepath.Join(r.Name(), name) }

// OpenFile opens a file to be read.
func (r *Root) OpenFile(name string) (*File, error) {
	return opened(Open, r.Path(name), func() (*os.File, error) { return r.Root.Open(name) })
}

// CreateFile is os.Root.Create.
func (r *Root) CreateFile(name string) (*File, error) {
	return opened(Create, r.Path(name), func() (*os.File, error) { return r.Root.Create(name) })
}

// SyncFile brings what a file holds to disk. Windows does that only for who may write to it.
func (r *Root) SyncFile(name string) error {
	how := os.O_RDONLY
	if runtime.GOOS == "windows" {
		how = os.O_RDWR
	}
	return first(Sync, r.Path(name), func() error {
		f, err := r.Root.OpenFile(name, how, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Move is os.Root.Rename.
func (r *Root) Move(from, to string) error {
	return first(Rename, r.Path(from), func() error { return r.Root.Rename(from, to) })
}

// Delete is os.Root.Remove.
func (r *Root) Delete(name string) error {
	return first(Remove, r.Path(name), func() error { return r.Root.Remove(name) })
}

// DeleteAll is os.Root.RemoveAll.
func (r *Root) DeleteAll(name string) error {
	return first(Remove, r.Path(name), func() error { return r.Root.RemoveAll(name) })
}
