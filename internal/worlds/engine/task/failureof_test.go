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
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/mapreduce"
)

func TestFailureOf(t *testing.T) {
	_, gone := os.Open(filepath.Join(t.TempDir(), "gone"))
	at := func(err error) error { return &fs.PathError{Op: "write", Path: "run-0", Err: err} }
	for _, c := range []struct {
		err  error
		want failure.Kind
	}{
		{nil, failure.Transient},
		{errors.New("the connection was lost"), failure.Transient},
		{gone, failure.Transient}, // map output that was removed is made again
		{fmt.Errorf("%w: %w", fault.ErrInjected, syscall.EIO), failure.NoDisk},
		{io.ErrUnexpectedEOF, failure.Transient},
		{&UserError{App: "x", Where: "here", Err: errors.New("no")}, failure.Transient},
		{&UserError{App: "x", Where: "here", Panic: "no"}, failure.Transient},
		{&UserError{App: "x", Where: "here", Err: at(syscall.ENOSPC)}, failure.Transient}, // a disk of its own
		{&UserError{App: "x", Where: "here", Err: at(syscall.EIO)}, failure.Transient},
		{at(syscall.EFBIG), failure.Permanent},
		{at(syscall.EACCES), failure.Permanent},
		{at(syscall.EPERM), failure.Permanent},
		{at(syscall.EROFS), failure.Permanent},
		{fmt.Errorf("input %q: %w", "a.gz", &codec.Damage{Kind: codec.Gzip, Err: errors.New("bad")}), failure.Permanent},
		{&UserError{Where: "input \"a\": record 2", Err: &mapreduce.BadRecord{Err: errors.New("bad")}}, failure.Permanent},
		{failure.As(failure.Permanent, gone), failure.Permanent},
		{fmt.Errorf("further out: %w", failure.As(failure.Permanent, errors.New("x"))), failure.Permanent},
		{at(syscall.ENOSPC), failure.NoRoom},
		{at(syscall.EMFILE), failure.NoRoom},
		{at(syscall.ENFILE), failure.NoRoom},
		{&FetchError{Map: 1, Output: &Output{}, Err: at(syscall.EMFILE)}, failure.NoRoom},
		{at(syscall.ESTALE), failure.NoDisk},
		{at(syscall.ETIMEDOUT), failure.NoDisk},
		{&codec.Damage{Kind: codec.Gzip, Err: at(syscall.EIO)}, failure.NoDisk}, // it is the disk that is damaged
		{errors.Join(at(syscall.EIO), at(syscall.ENOSPC)), failure.NoRoom},
		{errors.Join(at(syscall.EACCES), at(syscall.ENOSPC)), failure.NoRoom},
		{failure.As(failure.Transient, at(syscall.ENOSPC)), failure.Transient},
	} {
		if got := failure.Of(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
	if err := failure.As(failure.Permanent, gone); !errors.Is(err, fs.ErrNotExist) || err.Error() != gone.Error() {
		t.Errorf("a kind changes the error: %v", err)
	}
	if failure.As(failure.Permanent, nil) != nil {
		t.Error("nothing fails permanently")
	}
}
