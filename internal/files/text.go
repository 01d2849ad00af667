package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/slackline/slackline/internal/files/codec"
)

// Text is the text of a file: unpacked, by its first bytes, from gzip, zstd, bzip2, snappy or s2;
// without a byte order mark; and with each line ended by LF, where the file may have LF, CR LF or
// CR, as Hadoop's LineReader takes them.
type Text struct {
	in    io.Reader
	close func() error
	head  []byte // has been looked at, and is handed out first
	err   error  // behind head
	cr    bool   // the byte before was CR, so an LF belongs to it
}

// Open opens a file. Its errors are sentences that name it.
func Open(name string) (*Text, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, unread(name, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errorf("%s is a folder; name a file", name)
	} else if err != nil {
		err = unread(name, err)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t, err := Read(name, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.close = f.Close
	return t, nil
}

// Check says why Open would not open a file that is read later, nil if it would.
func Check(name string) error {
	t, err := Open(name)
	if err != nil {
		return err
	}
	return t.Close()
}

// Error says that a file cannot be read, in a sentence that names it.
type Error struct {
	text string
	err  error // what the system said, nil if it said nothing
}

func (e *Error) Error() string { return e.text }

// Unwrap returns what the system said.
func (e *Error) Unwrap() error { return e.err }

func errorf(format string, args ...any) error { return &Error{text: fmt.Sprintf(format, args...)} }

// unread says why a file cannot be read.
func unread(name string, err error) error {
	text := fmt.Sprintf("%s: it cannot be read: %v", name, cause(err))
	switch {
	case name == "":
		text = "the name of the file is empty"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		text = name + ": there is no such file"
	}
	return &Error{text, err}
}

// cause is what the system said, without the name of the file, which the sentence has already.
func cause(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}

// Read is the text of what is open already, such as standard input. The name is for errors, and
// tells the format where the first bytes do not. A file is noted as read, by whatever way it came.
func Read(name string, in io.Reader) (*Text, error) {
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			if out, err := os.Stdout.Stat(); err == nil && info.Mode().IsRegular() && os.SameFile(info, out) {
				return nil, errorf("%s: standard output goes to it, which the command reads; send that to another file", name)
			}
			Reads(name, info)
		}
	}
	t := &Text{in: in}
	if err := t.look(name); err != nil {
		return nil, err
	}
	kind, err := codec.Detect(bytes.NewReader(t.head))
	if err == nil && kind == codec.None {
		return t.plain(name, name)
	}
	packed := codec.Stream(kind, io.MultiReader(bytes.NewReader(t.head), &after{in, t.err}))
	t = &Text{in: packed}
	if err = t.look(name); err != nil {
		return nil, err
	}
	if what, cure := Twice(t.head, kind); what != "" {
		return nil, errorf("%s: it is %s; %s", name, what, cure)
	}
	return t.plain(name, "")
}

// after goes on behind what was looked at.
type after struct {
	in  io.Reader
	err error
}

func (a *after) Read(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	return a.in.Read(p)
}

// look reads the first bytes. An error behind the first of them is kept until they have been read.
func (t *Text) look(name string) error {
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(t.in, head)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		if _, damaged := errors.AsType[*codec.Damage](err); !damaged {
			err = io.EOF
		}
	}
	t.head, t.err = head[:n], err
	if n == 0 && err != nil && err != io.EOF {
		return unread(name, err)
	}
	return nil
}

// plain drops the byte order mark, and refuses what is no text.
func (t *Text) plain(name, called string) (*Text, error) {
	if err := refuse(name, t.head, called); err != nil {
		return nil, err
	}
	t.head = bytes.TrimPrefix(t.head, []byte("\ufeff"))
	return t, nil
}

// Read reads text. An error other than io.EOF says what is wrong without the file's name.
func (t *Text) Read(p []byte) (int, error) {
	for {
		n, err := t.raw(p)
		n = t.lines(p[:n])
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

func (t *Text) raw(p []byte) (int, error) {
	if len(t.head) > 0 {
		n := copy(p, t.head)
		t.head = t.head[n:]
		return n, nil
	}
	if t.err != nil {
		return 0, cause(t.err)
	}
	n, err := t.in.Read(p)
	if err != nil {
		t.err = err
		err = cause(err)
	}
	return n, err
}

// lines makes each end of a line LF, and returns how many bytes are left.
func (t *Text) lines(p []byte) int {
	from := 0
	if t.cr && len(p) > 0 {
		t.cr = false
		if p[0] == '\n' {
			from = 1
		}
	}
	to := 0
	for from < len(p) {
		i := bytes.IndexByte(p[from:], '\r')
		if i < 0 && from == to {
			return len(p)
		}
		if i < 0 {
			i = len(p) - from
		}
		to += copy(p[to:], p[from:from+i])
		if from += i; from == len(p) {
			break
		}
		p[to] = '\n'
		to++
		switch from++; {
		case from == len(p):
			t.cr = true
		case p[from] == '\n':
			from++
		}
	}
	return to
}

// Close closes the file.
func (t *Text) Close() error {
	if packed, ok := t.in.(*codec.Reader); ok {
		packed.Close()
	}
	if t.close == nil {
		return nil
	}
	return t.close()
}

// MaxBytes bounds what is read as a whole, such as files that people write: a device may have no end.
const MaxBytes = 64 << 20

// ReadAll reads a whole text of at most MaxBytes.
func ReadAll(name string) ([]byte, error) {
	t, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	text, err := io.ReadAll(io.LimitReader(t, MaxBytes+1))
	switch {
	case err != nil:
		return nil, unread(name, err)
	case len(text) > MaxBytes:
		return nil, errorf("%s: the file is larger than %d MB", name, MaxBytes>>20)
	}
	return text, nil
}
