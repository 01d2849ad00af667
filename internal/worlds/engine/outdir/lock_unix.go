//go:build unix

package outdir

import (
	"errors"
	"os"
	"syscall"
)

var errBusy = errors.New("the lock is taken")

func lockFile(path string) (*os.File, error) {
	return flock(os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666))
}

// tryFile takes the lock of a file that is there.
func tryFile(path string) (*os.File, error) { return flock(os.Open(path)) }

func flock(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errBusy
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
