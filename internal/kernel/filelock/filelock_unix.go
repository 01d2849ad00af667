//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Take locks a file, which is made if need be. ErrTaken says that another process has it locked.
func Take(path string, perm os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, perm)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrTaken
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Taken tells whether a process has locked a file.
func Taken(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
