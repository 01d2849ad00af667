package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// desk is what this process has opened and made. A process is one command.
var desk struct {
	sync.Mutex
	in        map[string]fs.FileInfo // by the names that were given
	out       []output
	overwrite bool
}

// Stdin is the name of standard input.
const Stdin = "standard input"

// gone tells whether another file has the number of an input now: systems give those of removed files to new ones.
func gone(name string, in, other fs.FileInfo) bool {
	now, err := os.Stat(name)
	return !in.ModTime().Equal(other.ModTime()) && name != Stdin && (errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, in))
}

// An output is a file that the command makes.
type output struct {
	path string // without links
	what string
	open *File // nil: it is in its place, or only promised
}

// Overwrite says whether files that somebody else made may be replaced: the user said so. Inputs of
// the command may not, whatever the user says.
func Overwrite(may bool) {
	desk.Lock()
	defer desk.Unlock()
	desk.overwrite = may
}

// Reads notes that the command reads a file, which something else opens: no output takes its place.
func Reads(name string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		return
	}
	desk.Lock()
	defer desk.Unlock()
	if desk.in == nil {
		desk.in = map[string]fs.FileInfo{}
	}
	desk.in[name] = info
}

// isInput refuses a file that the command reads, under whatever name.
func isInput(name string, info fs.FileInfo) error {
	desk.Lock()
	defer desk.Unlock()
	for as, in := range desk.in {
		if os.SameFile(in, info) && !gone(as, in, info) {
			if as != name {
				name += ", which is " + as + ","
			}
			return fmt.Errorf("%s is what the command reads; name another file", name)
		}
	}
	return nil
}

// writes notes an output, unless the command makes another one of that name.
func writes(name, what string, f *File) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	desk.Lock()
	defer desk.Unlock()
	for i := range desk.out {
		o := &desk.out[i]
		if o.path != path {
			continue
		}
		if o.what != what || o.open != nil && f != nil {
			return fmt.Errorf("%s: the command would write a %s and a %s there; give each its own file", name, o.what, what)
		}
		if f != nil {
			o.open = f
		}
		return nil
	}
	desk.out = append(desk.out, output{path, what, f})
	return nil
}

// done notes that a file is in its place, or given up.
func done(f *File, kept bool) {
	desk.Lock()
	defer desk.Unlock()
	for i := range desk.out {
		if o := &desk.out[i]; o.open == f {
			if o.open = nil; !kept {
				desk.out = append(desk.out[:i], desk.out[i+1:]...)
			}
			return
		}
	}
}
