package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is an input file.
type File struct {
	Path   string
	Size   int64
	Source int // number of the input that names it, from 0
}

// Find returns the files that the inputs name, in the order of the inputs: a file, a directory with all below it in order of
// name, or a glob. As in Hadoop, what a directory or glob holds is skipped if its name begins with "_" or ".".
func Find(inputs []string) ([]File, error) {
	var found []File
	for _, input := range inputs {
		err := find(input, func(f File) { found = append(found, f) })
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func find(input string, add func(File)) error {
	if _, err := os.Stat(input); err == nil {
		return findAt(input, add)
	} else if !errors.Is(err, fs.ErrNotExist) && !isGlob(input) {
		return fmt.Errorf("input %q: %w", input, bare(err))
	}
	if !isGlob(input) {
		return fmt.Errorf("input %q: there is no such file or directory", input)
	}
	matches, err := filepath.Glob(input)
	if err != nil {
		return fmt.Errorf("input %q: the pattern is malformed", input)
	}
	some := false
	for _, path := range matches {
		if hidden(filepath.Base(path)) {
			continue
		}
		some = true
		if err := findAt(path, add); err != nil {
			return err
		}
	}
	if !some {
		return fmt.Errorf("input %q: no file matches the pattern", input)
	}
	return nil
}

// findAt adds the file, or all files below the directory.
func findAt(root string, add func(File)) error {
	info, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("input %q: %w", root, bare(err))
	}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("input %q: it is neither a file nor a directory", root)
		}
		add(File{Path: root, Size: info.Size()})
		return nil
	}
	// A root that is a link is walked by the directory that it points to: WalkDir itself follows none.
	top := root
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		top = resolved
	}
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("input %q: %w", root, err)
		}
		if path == top {
			return nil
		}
		if hidden(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := os.Stat(path) // follows links to files; links to directories could lead in circles
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		below, err := filepath.Rel(top, path)
		if err != nil {
			return fmt.Errorf("input %q: %w", root, err)
		}
		add(File{Path: filepath.Join(root, below), Size: info.Size()})
		return nil
	})
}

func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[") }

// bare takes the operation and path off an error that is told with a path of its own.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Within tells whether a path is a directory or lies in it, by their names alone: neither need be there.
func Within(path, dir string) bool {
	p, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	d, err := filepath.Abs(dir)
	return err == nil && (p == d || strings.HasPrefix(p, strings.TrimSuffix(d, string(filepath.Separator))+string(filepath.Separator)))
}
