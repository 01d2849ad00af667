package input

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/worlds/engine/success"
)

// outputs are directories, by their paths, with what a job that has finished says it wrote there, in
// order of name; of others that is nothing.
type outputs map[string][]success.Part

func (o outputs) of(dir string) ([]success.Part, error) {
	if parts, known := o[dir]; known {
		return parts, nil
	}
	parts, err := success.Read(dir)
	if err == nil {
		o[dir] = parts
	}
	return parts, err
}

// file checks a file that is named by itself.
func (o outputs) file(path string) error {
	dir := filepath.Dir(path)
	if _, err := o.of(dir); err != nil {
		return err
	}
	if part := o.part(path); part != nil {
		return part.Check(dir)
	}
	return nil
}

// part is a file as the job says that wrote it, nil if none says so.
func (o outputs) part(path string) *success.Part {
	parts, _ := o.of(filepath.Dir(path))
	i, named := slices.BinarySearchFunc(parts, filepath.Base(path), func(p success.Part, name string) int { return strings.Compare(p.Name, name) })
	if !named {
		return nil
	}
	return &parts[i]
}

// matching checks that beside the files which a pattern matches in a directory no other is missing
// that it would.
func (o outputs) matching(dir, pattern string) error {
	return o.check(dir, func(part string) bool {
		is, err := filepath.Match(filepath.Base(pattern), part)
		return is && err == nil && !hidden(part)
	})
}

// whole checks all that a job wrote to a directory.
func (o outputs) whole(dir string) error {
	_, begun := os.Lstat(filepath.Join(dir, "_temporary", "log"))
	_, ended := os.Lstat(filepath.Join(dir, success.Name))
	if begun == nil && ended != nil {
		return errors.New("the job that writes it has not finished; resume it (slackline resume), or leave it out")
	}
	return o.check(dir, func(string) bool { return true })
}

func (o outputs) check(dir string, which func(part string) bool) error {
	parts, err := o.of(dir)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if which(p.Name) {
			if err := p.Check(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
