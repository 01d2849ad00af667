package outdir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// A lock that outlives its process for a moment, as what that was starting has it, is waited for; one that stays is
// somebody's.
func TestOrphanedLock(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]func(string) error{"Busy": Busy, "Take": func(dir string) error {
		l, err := Take(dir)
		if err == nil {
			err = l.Release()
		}
		return err
	}} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Dir(lockPath(dir)), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := filelock.Take(lockPath(dir), 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(strconv.Itoa(ended.Process.Pid)); err != nil {
			t.Fatal(err)
		}
		if busy, is := errors.AsType[*BusyError](take(dir)); !is || busy.PID != ended.Process.Pid {
			t.Errorf("%s: %v", name, busy)
		}
		time.AfterFunc(50*time.Millisecond, func() { f.Close() })
		if err := take(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
