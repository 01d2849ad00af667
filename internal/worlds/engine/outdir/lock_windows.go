package outdir

import (
	"errors"
	"os"
	"syscall"
)

var errBusy = errors.New("the lock is taken")

// errSharing is ERROR_SHARING_VIOLATION: somebody has the file open and shares it with nobody.
const errSharing = syscall.Errno(32)

func lockFile(path string) (*os.File, error) { return open(path, syscall.OPEN_ALWAYS) }

// tryFile takes the lock of a file that is there.
func tryFile(path string) (*os.File, error) { return open(path, syscall.OPEN_EXISTING) }

// open opens a file so that nobody else can, but to read who has it, until it is closed.
func open(path string, how uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == errSharing {
		return nil, errBusy
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
