package fault

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// File is an os.File whose reading, writing and syncing may fail.
type File struct{ *os.File }

// strike asks the active schedule, if there is one.
func strike(op Op, path string) error {
	s := active.Load()
	if s == nil {
		return nil
	}
	if err := s.before(op, path); err != nil {
		return &fs.PathError{Op: op.String(), Path: path, Err: err}
	}
	return nil
}

// OpenFile is os.Open.
func OpenFile(path string) (*File, error) {
	if err := strike(Open, path); err != nil {
		return nil, err
	}
	return wrap(os.Open(path))
}

// CreateFile is os.Create.
func CreateFile(path string) (*File, error) {
	if err := strike(Create, path); err != nil {
		return nil, err
	}
	return wrap(os.Create(path))
}

// AppendFile opens a file, which is made if need be, to be read and written.
func AppendFile(path string) (*File, error) {
	if err := strike(Create, path); err != nil {
		return nil, err
	}
	return wrap(os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666))
}

func wrap(f *os.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Read reads as os.File does.
func (f *File) Read(b []byte) (int, error) {
	if err := strike(Read, f.Name()); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

// ReadAt reads as os.File does.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	if err := strike(Read, f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, off)
}

// Write writes as os.File does. A write that fails writes half.
func (f *File) Write(b []byte) (int, error) {
	s := active.Load()
	if s == nil {
		return f.File.Write(b)
	}
	wasDead := s.Died()
	if err := strike(Write, f.Name()); err != nil {
		n := 0
		if !wasDead {
			n, _ = f.File.Write(b[:len(b)/2])
		}
		return n, err
	}
	return f.File.Write(s.flip(f.Name(), b))
}

// WriteAt writes as os.File does. A write that fails writes half.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	s := active.Load()
	if s == nil {
		return f.File.WriteAt(b, off)
	}
	wasDead := s.Died()
	if err := strike(Write, f.Name()); err != nil {
		n := 0
		if !wasDead {
			n, _ = f.File.WriteAt(b[:len(b)/2], off)
		}
		return n, err
	}
	return f.File.WriteAt(b, off)
}

// Sync syncs as os.File does.
func (f *File) Sync() error {
	if err := strike(Sync, f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

// Delete is os.Remove.
func Delete(path string) error {
	if err := strike(Remove, path); err != nil {
		return err
	}
	return os.Remove(path)
}

// DeleteAll is os.RemoveAll.
func DeleteAll(path string) error {
	if err := strike(Remove, path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// MakeDirs is os.MkdirAll for everybody.
func MakeDirs(path string) error {
	if err := strike(Mkdir, path); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o777)
}

// SyncDir brings what a directory holds to disk. On Windows, which cannot, it does nothing.
func SyncDir(path string) error {
	if err := strike(Sync, path); err != nil {
		return err
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err = d.Sync(); runtime.GOOS == "windows" {
		err = nil // its own journal has to do
	}
	return errors.Join(err, d.Close())
}
