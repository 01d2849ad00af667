package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files"
)

// File is an input file.
type File struct {
	Path   string
	Size   int64
	Wrote  int64 // when it was written last, in nanoseconds since 1970; 0 = unknown
	Source int   // number of the input that names it, from 0
	// Node and Changed are its inode, and when that changed last, in nanoseconds since 1970: whoever
	// sets the time of a file back cannot set these. 0 where the system does not tell.
	Node    uint64
	Changed int64
}

// Find returns the files that the inputs name, in the order of the inputs: a file, a directory with
// all below it in order of name, or a glob. As in Hadoop, what a directory or glob holds is skipped
// if its name begins with "_" or ".". Links are followed, to directories as well; a link that leads
// in a circle, or nowhere, is an error, as whatever else cannot be read later on. So is output of a
// job that is not what its _SUCCESS says, or of one that has not finished.
func Find(inputs []string) ([]File, error) {
	var found []File
	outputs := outputs{}
	for _, input := range inputs {
		err := find(input, func(f File) { found = append(found, f) }, outputs)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func find(input string, add func(File), outputs outputs) error {
	if _, err := os.Stat(input); err == nil {
		return findAt(input, add, outputs)
	} else if !errors.Is(err, fs.ErrNotExist) && !isGlob(input) {
		return fmt.Errorf("input %q: %w", input, fault.Bare(err))
	}
	if !isGlob(input) {
		return fmt.Errorf("input %q: there is no such file or directory", input)
	}
	matches, err := filepath.Glob(input)
	if err != nil {
		return fmt.Errorf("input %q: the pattern is malformed", input)
	}
	some := false
	dirs := make(map[string]bool)
	for _, path := range matches {
		if hidden(filepath.Base(path)) {
			continue
		}
		some = true
		if err := findAt(path, add, outputs); err != nil {
			return err
		}
		dirs[filepath.Dir(path)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if err := outputs.matching(dir, input); err != nil {
			return fmt.Errorf("input %q: %w", input, err)
		}
	}
	if !some {
		return fmt.Errorf("input %q: no file matches the pattern", input)
	}
	return nil
}

// findAt adds the file, or all files below the directory. above are the directories that lead there.
func findAt(path string, add func(File), outputs outputs, above ...fs.FileInfo) error {
	info, err := os.Stat(path)
	if err != nil {
		if to, e := os.Readlink(path); e == nil && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("input %q: it is a link to %q, which is not there", path, to)
		}
		return fmt.Errorf("input %q: %w", path, fault.Bare(err))
	}
	if info.Mode().IsRegular() {
		if info.Size() == 0 {
			if err := reallyEmpty(path); err != nil {
				return err
			}
		}
		if err := errors.Join(readable(path), outputs.file(path)); err != nil {
			return fmt.Errorf("input %q: %w", path, err)
		}
		files.Reads(path, info)
		f := File{Path: path, Size: info.Size(), Wrote: info.ModTime().UnixNano()}
		f.Node, f.Changed = inode(info)
		add(f)
		return nil
	}
	if !info.IsDir() {
		return fmt.Errorf("input %q: it is neither a file nor a directory", path)
	}
	for _, dir := range above {
		if os.SameFile(dir, info) {
			return fmt.Errorf("input %q: it is a link to a directory above it, which makes a cycle", path)
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("input %q: %w", path, fault.Bare(err))
	}
	if err := outputs.whole(path); err != nil {
		return fmt.Errorf("input %q: %w", path, err)
	}
	above = append(slices.Clip(above), info)
	for _, e := range entries {
		if hidden(e.Name()) {
			continue
		}
		if err := findAt(filepath.Join(path, e.Name()), add, outputs, above...); err != nil {
			return err
		}
	}
	return nil
}

// reallyEmpty refuses a file of size 0 that has something to read: the kernel makes what stands in
// some while they are read, as below /proc. Such a file would be left out in silence, as there is
// nothing in it to cut.
func reallyEmpty(path string) error {
	f, err := os.Open(path)
	if err == nil {
		var n int
		n, err = f.Read(make([]byte, 1))
		f.Close()
		if n > 0 {
			return fmt.Errorf("input %q: its size is 0, but there is something to read; copy it to a regular file", path)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("input %q: %w", path, fault.Bare(err))
	}
	return nil
}

func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[") }

// Within tells whether a path is a directory or lies in it, by where links on the way lead. Neither need be there.
func Within(path, dir string) bool {
	p, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	d, err := filepath.Abs(dir)
	p, d = files.Resolved(p), files.Resolved(d)
	return err == nil && (p == d || strings.HasPrefix(p, strings.TrimSuffix(d, string(filepath.Separator))+string(filepath.Separator)))
}

// Reads tells whether what is read at a path has to do with a directory, by their names or by those
// that links on the way lead to: what the path or glob names lies in the directory, or the directory
// lies in that and is not passed over as hidden. Neither need be there.
func Reads(path, dir string) bool {
	return Leads(path, dir) || meets(names(files.Resolved(path)), names(files.Resolved(dir)))
}

// Leads is Reads by the names alone, as those of found files begin with the path: the system is not asked.
func Leads(path, name string) bool { return meets(names(path), names(name)) }

func meets(p, d []string) bool {
	matched := false // a match is passed over if its name is hidden, even if the pattern says that name
	for i := range min(len(p), len(d)) {
		if p[i] != d[i] {
			if ok, err := filepath.Match(p[i], d[i]); err != nil || !ok {
				return false
			}
			matched = true
		}
		if matched && i == len(p)-1 && hidden(d[i]) {
			return false
		}
	}
	return len(d) <= len(p) || !slices.ContainsFunc(d[len(p):], hidden)
}

// Through returns the first directory that was searched for these files, at one of the paths or below,
// and has to do with another directory by where links lead; "" if none has. Each directory is resolved
// once, and only globs are tried one after the other: a demo names its files one by one, thousands of them.
func Through(paths []string, found []File, dir string) string {
	to := names(files.Resolved(dir))
	named := map[string]bool{}
	var globs [][]string
	for _, path := range paths {
		if isGlob(path) {
			globs = append(globs, names(path))
		} else if abs, err := filepath.Abs(path); err == nil {
			named[abs] = true
		}
	}
	concerned, seen := map[string]bool{}, map[string]bool{}
	concerns := func(sub string) bool {
		yes, known := concerned[sub]
		if !known {
			yes = meets(names(files.Resolved(sub)), to)
			concerned[sub] = yes
		}
		return yes
	}
	for _, f := range found {
		in := filepath.Dir(f.Path)
		if seen[in] {
			continue
		}
		seen[in] = true
		at := names(in)
		top := len(at) + 1 // names on the way to the highest path below which the directory was found
		for _, glob := range globs {
			if len(glob) <= len(at) && meets(glob, at) {
				top = min(top, len(glob))
			}
		}
		if abs, err := filepath.Abs(in); err == nil {
			for n := len(at); n >= 0 && (n == len(at) || !hidden(at[n])); n, abs = n-1, filepath.Dir(abs) {
				if named[abs] {
					top = min(top, n)
				}
			}
		}
		first := ""
		for n, sub := len(at), in; n >= top; n, sub = n-1, filepath.Dir(sub) {
			if concerns(sub) {
				first = sub
			}
		}
		if first != "" {
			return first
		}
	}
	return ""
}

// names are those on the way to a path from the root.
func names(path string) []string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}
