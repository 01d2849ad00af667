// Package success is the file _SUCCESS, with which a job ends that has finished. It names what the
// job wrote, so that whoever reads the directory later can tell that all of it is there:
//
//	slackline output 1
//	8f3a1c02 1234567 part-r-00000
//	00000000 0 part-r-00001
//	end 2
//
// A line is the CRC32C of a file in hexadecimal, its size in bytes, and its name, as a Go string in
// quotes if it begins with a quote or holds what is not printed. The last line counts the files.
//
// The _SUCCESS of other programs is empty (Hadoop's) or holds something else (the S3A committers').
// Such a one says that a job has finished, and nothing of its files.
package success

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/units"
)

// Name is what the file is called.
const Name = "_SUCCESS"

const head = "slackline output 1\n"

// Part is a file that a job wrote.
type Part struct {
	Name string
	Size int64
	Sum  uint32 // CRC32C
}

func byName(a, b Part) int { return strings.Compare(a.Name, b.Name) }

// Text is what _SUCCESS holds of the files of a job, in the order of their names.
func Text(parts []Part) []byte {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, byName)
	text := []byte(head)
	for _, p := range parts {
		name := p.Name
		if quoted := strconv.Quote(name); strings.HasPrefix(name, `"`) || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
			name = quoted
		}
		text = fmt.Appendf(text, "%08x %d %s\n", p.Sum, p.Size, name)
	}
	return fmt.Appendf(text, "end %d\n", len(parts))
}

var errDamaged = errors.New("its _SUCCESS is damaged, so nobody knows whether all of it is there; make it again, or remove that file if it is")

// Parse returns the files that a _SUCCESS names, in order of name; none of one that another program wrote.
func Parse(text []byte) (parts []Part, err error) {
	rest, ours := bytes.CutPrefix(text, []byte(head))
	if cut := len(text) > 0 && strings.HasPrefix(head, string(text)); cut {
		return nil, errDamaged
	}
	if !ours {
		return nil, nil
	}
	for line := range strings.Lines(string(rest)) {
		rest = rest[len(line):]
		line, whole := strings.CutSuffix(line, "\n")
		if count, last := strings.CutPrefix(line, "end "); last {
			if !whole || len(rest) > 0 || count != strconv.Itoa(len(parts)) {
				return nil, errDamaged
			}
			slices.SortFunc(parts, byName)
			return parts, nil
		}
		fields := strings.SplitN(line, " ", 3)
		if len(fields) < 3 {
			return nil, errDamaged
		}
		sum, err1 := strconv.ParseUint(fields[0], 16, 32)
		size, err2 := strconv.ParseInt(fields[1], 10, 64)
		name, err3 := fields[2], error(nil)
		if strings.HasPrefix(name, `"`) {
			name, err3 = strconv.Unquote(name)
		}
		if errors.Join(err1, err2, err3) != nil || size < 0 || filepath.Base(name) != name {
			return nil, errDamaged
		}
		p := Part{Name: name, Size: size, Sum: uint32(sum)}
		parts = append(parts, p)
	}
	return nil, errDamaged
}

// Read returns the files that the _SUCCESS in a directory names; none if it names none, or if there
// is no such file.
func Read(dir string) ([]Part, error) {
	text, err := os.ReadFile(filepath.Join(dir, Name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, Name), fault.Bare(err))
	}
	parts, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return parts, nil
}

// Ours tells whether a job of Slackline's has finished in a directory, whatever became of its files since.
func Ours(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, Name))
	return err == nil && bytes.HasPrefix(text, []byte(head))
}

// Check holds a file in a directory against what _SUCCESS says of it.
func (p Part) Check(dir string) error {
	path := filepath.Join(dir, p.Name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing, which %s names (%v)", path, Name, units.Bytes(p.Size))
	case err != nil:
		return fmt.Errorf("%s: %w", path, fault.Bare(err))
	case info.Size() != p.Size:
		return fmt.Errorf("%s is not as %s says (%v for %v); make it again, or remove %s if it is meant to be so",
			path, Name, sized(info.Size(), p.Size), sized(p.Size, info.Size()), filepath.Join(dir, Name))
	}
	return nil
}

// sized is a size, in bytes if it would look like the other.
func sized(n, other int64) string {
	if text := units.Bytes(n).String(); text != units.Bytes(other).String() {
		return text
	}
	return fmt.Sprintf("%d bytes", n)
}
