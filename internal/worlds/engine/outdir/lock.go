package outdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// Lock is the right to write to an output directory. The system takes it from a process that ends,
// however it ends, so that the lock of a dead process is nobody's.
type Lock struct{ f *os.File }

// BusyError says that another process has the lock.
type BusyError struct{ PID int } // 0 = it is not known

// Error is the error as one sentence.
func (e *BusyError) Error() string {
	if e.PID == 0 {
		return "another process is writing there"
	}
	return fmt.Sprintf("process %d is writing there", e.PID)
}

// Take takes the lock of an output directory. If another process has it, the error is a BusyError.
func Take(output string) (*Lock, error) {
	l, err := takeLock(lockPath(output))
	return l, says(output, err)
}

// Busy returns a BusyError if a process is at work in an output directory, nil if none is or there
// is no such directory.
func Busy(output string) error {
	path := lockPath(output)
	for left := lingers; filelock.Taken(path); left-- {
		if left == 0 || !orphaned(path) {
			return says(output, &BusyError{holder(path)})
		}
		time.Sleep(lingering)
	}
	return nil
}

// What a process was starting when it was killed has its locks until it runs: so often, and so long each time, is a
// lock looked at again whose process has ended.
const (
	lingers   = 100
	lingering = 5 * time.Millisecond
)

// orphaned tells whether a lock that is taken was that of a process which has ended.
func orphaned(path string) bool {
	p, err := os.FindProcess(holder(path))
	return err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// takeLock takes the lock that a file stands for, which is made if need be. A link is not followed,
// as the file is written to.
func takeLock(path string) (*Lock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s, which should be its lock, is not a plain file", filepath.Base(path))
	}
	for left := lingers; ; {
		f, err := filelock.Take(path, 0o666)
		if errors.Is(err, filelock.ErrTaken) {
			if left--; left > 0 && orphaned(path) {
				time.Sleep(lingering)
				continue
			}
			return nil, &BusyError{holder(path)}
		}
		if err != nil {
			return nil, err
		}
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if l := (&Lock{f}); l.holds() {
			return l, nil
		}
		// Who had it has removed the file between our opening and locking it.
		_ = f.Close()
	}
}

// holder reads who has the lock. Where a locked file cannot be read, nobody knows.
func holder(path string) int {
	text, _ := os.ReadFile(path)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// holds tells whether the file that was locked is still the one at its path: a directory that was
// removed, or replaced by another process's, is no longer ours.
func (l *Lock) holds() bool {
	mine, err := l.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.f.Name())
	return err == nil && os.SameFile(mine, there)
}

// Release gives the lock up.
func (l *Lock) Release() error { return l.f.Close() }
