package filelock

import (
	"os"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION: somebody has the file open and shares it with nobody.
const errSharing = syscall.Errno(32)

// Take locks a file, which is made if need be. ErrTaken says that another process has it locked.
func Take(path string, _ os.FileMode) (*os.File, error) { return open(path, syscall.OPEN_ALWAYS) }

// Taken tells whether a process has locked a file.
func Taken(path string) bool {
	f, err := open(path, syscall.OPEN_EXISTING)
	if err == nil {
		f.Close()
	}
	return err == ErrTaken
}

// open opens a file so that nobody else can, but to read who has it, until it is closed.
func open(path string, how uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == errSharing {
		return nil, ErrTaken
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
