package fault

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
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

// first does something if no schedule is against it.
func first(op Op, path string, do func() error) error {
	if err := strike(op, path); err != nil {
		return err
	}
	return do()
}

// opened opens a file if no schedule is against it.
func opened(op Op, path string, open func() (*os.File, error)) (*File, error) {
	var f *os.File
	err := first(op, path, func() (err error) {
		f, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// OpenFile is os.Open.
func OpenFile(path string) (*File, error) {
	return opened(Open, path, func() (*os.File, error) { return os.Open(path) })
}

// CreateFile is os.Create.
func CreateFile(path string) (*File, error) {
	return opened(Create, path, func() (*os.File, error) { return os.Create(path) })
}

// AppendFile opens a file, which is made if need be, to be read and written.
func AppendFile(path string) (*File, error) {
	return opened(Create, path, func() (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) })
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
	return f.write(b, func(s *Schedule) []byte { return s.flip(f.Name(), b) }, f.File.Write)
}

// WriteAt writes as os.File does. A write that fails writes half.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	return f.write(b, func(*Schedule) []byte { return b }, func(b []byte) (int, error) { return f.File.WriteAt(b, off) })
}

func (f *File) write(b []byte, bent func(*Schedule) []byte, write func([]byte) (int, error)) (int, error) {
	s := active.Load()
	if s == nil {
		return write(b)
	}
	wasDead := s.Died()
	if err := strike(Write, f.Name()); err != nil {
		n := 0
		if !wasDead {
			n, _ = write(b[:len(b)/2])
		}
		return n, err
	}
	return write(bent(s))
}

// Sync syncs as os.File does.
func (f *File) Sync() error { return first(Sync, f.Name(), f.File.Sync) }

// Delete is os.Remove.
func Delete(path string) error {
	return first(Remove, path, func() error { return os.Remove(path) })
}

// DeleteAll is os.RemoveAll.
func DeleteAll(path string) error {
	return first(Remove, path, func() error { return os.RemoveAll(path) })
}

// MakeDirs is os.MkdirAll for everybody.
func MakeDirs(path string) error {
	return first(Mkdir, path, func() error { return os.MkdirAll(path, 0o777) })
}

// SyncDir brings the names that a directory holds to disk. It does nothing where that cannot be
// done: on Windows, on file systems that know no such thing, and with a directory that may be
// written to and not be read. Their own journals have to do.
func SyncDir(path string) error {
	if err := strike(Sync, path); err != nil {
		return err
	}
	d, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = d.Sync(); runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Bare takes the operation and path off an error that is told with a path of its own.
func Bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
