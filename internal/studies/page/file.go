package page

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// File is a file that appears under its name when it is whole, and never before. Until then its
// bytes stand beside it, under a name that begins with a dot. What a process that was killed left
// there goes when the same file is begun again.
type File struct {
	*bufio.Writer
	file *os.File
	name string
}

// CreatePage begins a file for a page, CreateTrace one for a trace, and CreateFile one for anything
// else. They fail at once where the file could not be written in the end. A page does not replace
// what is no page, and a trace what is no trace: a mistyped name must not cost somebody a file.
func CreatePage(name string) (*File, error) { return create(name, firstLine, "page") }

// CreateTrace begins a file for a trace.
func CreateTrace(name string) (*File, error) { return create(name, head, "trace") }

func CreateFile(name string) (*File, error) { return create(name, "", "file") }

func create(name, first, what string) (*File, error) {
	if name == "" {
		return nil, errors.New("the name of the file is empty")
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return nil, fmt.Errorf("%s is a folder; name a file", name)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a regular file; name one", name)
		case info.Size() > 0 && !begins(name, first):
			return nil, fmt.Errorf("%s exists already and is not a %s; name another file", name, what)
		}
	}
	dir, base := filepath.Split(name)
	begin := fmt.Sprintf(".%.100s.", base)
	sweepAll(dir, begin)
	for i := 0; ; i++ {
		f, err := filelock.Take(filepath.Join(dir, fmt.Sprintf("%s%d-%d.part", begin, os.Getpid(), i)), 0o666)
		if err == nil {
			err = f.Truncate(0)
		}
		switch {
		case err == nil && !there(f):
			f.Close() // another process took it for left over before it was locked, and has removed it
		case err == nil:
			return &File{bufio.NewWriterSize(f, 1<<18), f, name}, nil
		case errors.Is(err, filelock.ErrTaken):
		case os.IsNotExist(err):
			return nil, fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Clean(dir))
		default:
			if cause, ok := errors.AsType[*os.PathError](err); ok {
				err = cause.Err
			}
			return nil, fmt.Errorf("%s cannot be written: %w", name, err)
		}
	}
}

var left = regexp.MustCompile(`^[0-9]+-[0-9]+\.part$`)

// sweepAll removes the files whose names begin so that a process left when it was killed. What
// cannot be removed stays.
func sweepAll(dir, begin string) {
	if dir == "" {
		dir = "."
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		if rest, ok := strings.CutPrefix(e.Name(), begin); ok && e.Type().IsRegular() && left.MatchString(rest) && !filelock.Taken(filepath.Join(dir, e.Name())) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// there tells whether an open file still has its name.
func there(f *os.File) bool {
	has, err := f.Stat()
	named, err2 := os.Stat(f.Name())
	return err == nil && err2 == nil && os.SameFile(has, named)
}

// begins tells whether a file begins with these bytes.
func begins(name, first string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(first))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == first
}

// Commit puts the whole file in its place. What was there before is replaced.
func (f *File) Commit() error {
	err := errors.Join(f.Flush(), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.name)
	}
	if err != nil {
		os.Remove(f.file.Name())
		return fmt.Errorf("%s cannot be written: %w", f.name, err)
	}
	return nil
}

// Discard leaves nothing behind. After Commit it does nothing.
func (f *File) Discard() {
	if f.file.Close() == nil {
		os.Remove(f.file.Name())
	}
}
