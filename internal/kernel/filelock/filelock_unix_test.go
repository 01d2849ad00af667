//go:build unix

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A lock is seen by others and ends with its file; whoever only looks at a file is no lock to others who look.
func TestTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if Taken(path) {
		t.Error("a file that is not there is locked")
	}
	f, err := Take(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(path, 0o600); !errors.Is(err, ErrTaken) || !Taken(path) {
		t.Errorf("a lock is not seen: %v", err)
	}
	if err := f.Close(); err != nil || Taken(path) {
		t.Errorf("a lock that was given back: %v", err)
	}
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_SH); err != nil { // as Taken of another process does
		t.Fatal(err)
	}
	if Taken(path) {
		t.Error("one who looks takes another who looks for a lock")
	}
}
