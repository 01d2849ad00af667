package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/codec"
	"github.com/slackline/slackline/mapreduce"
)

func TestFailureOf(t *testing.T) {
	_, gone := os.Open(filepath.Join(t.TempDir(), "gone"))
	at := func(err error) error { return &fs.PathError{Op: "write", Path: "run-0", Err: err} }
	for _, c := range []struct {
		err  error
		want Failure
	}{
		{nil, Transient},
		{errors.New("the connection was lost"), Transient},
		{gone, Transient}, // map output that was removed is made again
		{fmt.Errorf("%w: %w", fault.ErrInjected, syscall.EIO), Transient},
		{io.ErrUnexpectedEOF, Transient},
		{&UserError{App: "x", Where: "here", Err: errors.New("no")}, Transient},
		{&UserError{App: "x", Where: "here", Panic: "no"}, Transient},
		{&UserError{App: "x", Where: "here", Err: at(syscall.ENOSPC)}, Transient}, // a disk of its own
		{at(syscall.EFBIG), Permanent},
		{at(syscall.EACCES), Permanent},
		{at(syscall.EPERM), Permanent},
		{at(syscall.EROFS), Permanent},
		{fmt.Errorf("input %q: %w", "a.gz", &codec.Damage{Kind: codec.Gzip, Err: errors.New("bad")}), Permanent},
		{&UserError{Where: "input \"a\": record 2", Err: &mapreduce.BadRecord{Err: errors.New("bad")}}, Permanent},
		{Fail(Permanent, gone), Permanent},
		{fmt.Errorf("further out: %w", Fail(Permanent, errors.New("x"))), Permanent},
		{at(syscall.ENOSPC), NoRoom},
		{at(syscall.EMFILE), NoRoom},
		{at(syscall.ENFILE), NoRoom},
		{&FetchError{Map: 1, Output: &Output{}, Err: at(syscall.EMFILE)}, NoRoom},
		{errors.Join(at(syscall.EACCES), at(syscall.ENOSPC)), NoRoom},
		{Fail(Transient, at(syscall.ENOSPC)), Transient},
	} {
		if got := FailureOf(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
	if err := Fail(Permanent, gone); !errors.Is(err, fs.ErrNotExist) || err.Error() != gone.Error() {
		t.Errorf("a kind changes the error: %v", err)
	}
	if Fail(Permanent, nil) != nil {
		t.Error("nothing fails permanently")
	}
}
