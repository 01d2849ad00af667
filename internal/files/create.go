package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// Kind is what a file that a command makes is.
type Kind struct {
	What string // in a word, such as page
	// Begins is how all files of the kind begin. An older one is known by it, and replaced. A kind
	// without it replaces nothing: a mistyped name must not cost somebody a file.
	Begins string
	// Grows tells that the file has its name from the start, as it says what happened even if the
	// process dies.
	Grows bool
}

// File is a file that appears under its name when it is whole, and never before. Until then its
// bytes stand beside it, under a name that begins with a dot. What a process that was killed left
// there goes when the same file is begun again. Devices and pipes are written to as they are.
type File struct {
	to      *bufio.Writer
	file    *os.File
	name    string // without links
	kind    Kind
	inPlace bool // a device, or a file that grows
}

// Create begins a file. It fails at once, with a sentence that names the file, where the file could
// not be written in the end: it is an input of the command, or another output, or it is there
// already and neither an older one of the kind nor to be replaced (Overwrite).
func Create(name string, kind Kind) (*File, error) {
	f := &File{name: Resolved(name), kind: kind}
	info, err := free(name, f.name, kind)
	if err != nil {
		return nil, err
	}
	if info != nil && !info.Mode().IsRegular() || own(info) != nil {
		f.inPlace = true
		if f.file = own(info); f.file == nil {
			f.file, err = os.OpenFile(name, os.O_WRONLY, 0)
		}
		if err != nil {
			return nil, unwritten(name, err)
		}
	} else if err := writes(f.name, kind.What, f); err != nil {
		return nil, err
	} else if err := f.begin(info); err != nil {
		done(f, false)
		return nil, err
	}
	f.to = bufio.NewWriterSize(f.file, 1<<18)
	return f, nil
}

// begin makes the file: beside its place, or in it if it grows. What a growing file replaces keeps
// its bytes under its other names, if it has any.
func (f *File) begin(old fs.FileInfo) (err error) {
	if !f.kind.Grows {
		return f.beside(old)
	}
	f.inPlace = true
	if old != nil {
		err = os.Remove(f.name)
	}
	if err == nil {
		f.file, err = os.OpenFile(f.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	}
	if err != nil {
		return unmade(f.name, err)
	}
	return nil
}

// Free tells whether Create would make a file of that name, and keeps the name for it. It is for
// files that are made when much else has been done.
func Free(name string, kind Kind) error {
	real := Resolved(name)
	info, err := free(name, real, kind)
	if err != nil || info != nil && !info.Mode().IsRegular() {
		return err
	}
	return writes(real, kind.What, nil)
}

// Reserve keeps a name for what something else makes: none of the command's files is written there.
func Reserve(name, what string) error { return writes(Resolved(name), what, nil) }

// MakeFolder makes a folder for several files, unless it is there.
func MakeFolder(name string) error {
	if err := Reserve(name, "folder"); err != nil {
		return err
	}
	return os.MkdirAll(name, 0o777)
}

// Resolved is a name without links. Of what is not there, they are followed as far as it leads.
func Resolved(name string) string {
	for dir, rest := name, ""; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return name
		}
		dir, rest = above, filepath.Join(filepath.Base(dir), rest)
	}
}

// free refuses a name that nothing may be written to, and returns what is there, nil for nothing.
func free(name, real string, kind Kind) (fs.FileInfo, error) {
	if name == "" {
		return nil, errors.New("the name of the file is empty")
	}
	info, err := os.Stat(real)
	if err != nil {
		if to, e := os.Readlink(real); e == nil { // the file would take the place of the link
			return nil, fmt.Errorf("%s is a link to %s, which is not there; name another file", name, to)
		}
		return nil, nil // making it will tell what is wrong, if anything is
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file", name)
	case !info.Mode().IsRegular():
		return info, nil
	}
	if err := isInput(name, info); err != nil {
		return nil, err
	}
	desk.Lock()
	overwrite := desk.overwrite
	desk.Unlock()
	if info.Size() == 0 || overwrite || own(info) != nil || kind.Is(real) {
		return info, nil
	}
	not := ""
	if kind.Begins != "" {
		not = " and is not a " + kind.What
	}
	return nil, fmt.Errorf("%s exists already%s; name another file, or replace it with --overwrite", name, not)
}

// own is the process's own output where that is what the name stands for, as /dev/stdout does.
func own(info fs.FileInfo) *os.File {
	if info == nil {
		return nil
	}
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if is, err := f.Stat(); err == nil && os.SameFile(is, info) {
			return f
		}
	}
	return nil
}

// Is tells whether a file begins as all of the kind do.
func (k Kind) Is(name string) bool {
	if k.Begins == "" {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(k.Begins))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == k.Begins
}

// beside makes the file in which the bytes stand until they are whole, with the rights of the file
// whose place it takes.
func (f *File) beside(old fs.FileInfo) error {
	dir, base := filepath.Split(f.name)
	begin := fmt.Sprintf(".%.100s.", base)
	sweepAll(dir, begin)
	for i := 0; ; i++ {
		file, err := filelock.Take(filepath.Join(dir, fmt.Sprintf("%s%d-%d.part", begin, os.Getpid(), i)), 0o666)
		if err == nil {
			err = file.Truncate(0)
		}
		switch {
		case err == nil && !there(file):
			file.Close() // another process took it for left over before it was locked, and has removed it
		case err == nil:
			if old != nil {
				_ = file.Chmod(old.Mode().Perm())
			}
			f.file = file
			return nil
		case errors.Is(err, filelock.ErrTaken):
		default:
			return unmade(f.name, err)
		}
	}
}

// unmade says why a file cannot be begun.
func unmade(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
	}
	return unwritten(name, err)
}

func unwritten(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %w", name, cause(err))
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

// Write writes. What a growing file is given is in it when Write returns.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.to.Write(p)
	if err == nil && f.kind.Grows {
		err = f.to.Flush()
	}
	if err != nil {
		err = unwritten(f.name, err)
	}
	return n, err
}

// WriteString writes a string.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// Commit puts the whole file in its place. What was there before is replaced, unless the command
// has read it in the meantime.
func (f *File) Commit() error {
	if info, err := os.Stat(f.name); err == nil && !f.inPlace {
		if err := isInput(f.name, info); err != nil {
			f.Discard()
			return err
		}
	}
	err := f.to.Flush()
	if f.file != os.Stdout && f.file != os.Stderr {
		err = errors.Join(err, f.file.Close())
	}
	if err == nil && !f.inPlace {
		err = os.Rename(f.file.Name(), f.name)
	}
	done(f, err == nil)
	if err != nil {
		if !f.inPlace {
			os.Remove(f.file.Name())
		}
		return unwritten(f.name, err)
	}
	return nil
}

// Discard leaves nothing behind but what is in its place already. After Commit it does nothing.
func (f *File) Discard() {
	switch {
	case f.inPlace && (f.file == os.Stdout || f.file == os.Stderr):
	case f.file.Close() == nil:
		if !f.inPlace {
			os.Remove(f.file.Name())
		}
		done(f, false)
	}
}
