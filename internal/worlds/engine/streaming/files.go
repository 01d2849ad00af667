package streaming

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/fault"
)

// File is a side file: it stands in the working directory of each attempt under its name.
type File struct{ Path, Name string }

// sideFile reads PATH or, as Hadoop writes it, PATH#NAME. One that is made later need not be there.
func sideFile(text string, later func(path string) bool) (File, error) {
	path, name, named := strings.Cut(text, "#")
	if !named {
		name = filepath.Base(path)
	}
	if path == "" || !filepath.IsLocal(name) || name == "." {
		return File{}, fmt.Errorf("%q: its name in the working directory would be %q, which is outside of it", text, name)
	}
	if _, err := os.Stat(path); err != nil && (later == nil || !later(path)) {
		return File{}, fmt.Errorf("%q: %w", path, fault.Bare(err))
	}
	abs, err := filepath.Abs(path)
	return File{abs, filepath.Clean(filepath.FromSlash(name))}, err
}

// link puts the file into the directory: by a link, or as a copy where links are not to be had.
func (f File) link(dir string) error {
	if _, err := os.Stat(f.Path); err != nil {
		return fault.Bare(err)
	}
	to := filepath.Join(dir, f.Name)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Symlink(f.Path, to) == nil {
		return nil
	}
	from, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	copied, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o777)
	if err != nil {
		return err
	}
	_, err = io.Copy(copied, from)
	return errors.Join(err, copied.Close())
}

// Find returns the program that a command names: a side file, or one on the path. A path in it is
// absolute or leads to a side file.
func Find(command string, files []File) (string, error) {
	if filepath.IsAbs(command) {
		return Runnable(command, command)
	}
	for _, f := range files {
		if filepath.Clean(filepath.FromSlash(command)) == f.Name {
			return Runnable(command, f.Path)
		}
		if below, ok := strings.CutPrefix(filepath.ToSlash(filepath.Clean(command)), filepath.ToSlash(f.Name)+"/"); ok {
			return Runnable(command, filepath.Join(f.Path, below)) // of a directory
		}
	}
	if strings.ContainsAny(command, `/\`) {
		return "", fmt.Errorf("%s is not among the side files; list it under files, or write its whole path", command)
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", fmt.Errorf("there is no command %s, neither on the path nor among the side files", command)
	}
	return filepath.Abs(path)
}

// Runnable returns the path of a program that stands at a place, if it can be run.
func Runnable(command, path string) (string, error) {
	found, err := exec.LookPath(path)
	if info, e := os.Stat(path); e == nil && info.IsDir() {
		return "", fmt.Errorf("%s cannot be run: it is a directory", command)
	}
	switch {
	case err == nil:
		if with := Interpreter(found); with != "" {
			if _, err := os.Stat(with); errors.Is(err, fs.ErrNotExist) { // the system would say this of the script
				if bare, cr := strings.CutSuffix(with, "\r"); cr {
					return "", fmt.Errorf("%s cannot be run: its first line names %q, which does not exist; save it with LF as line end, and it names %s", command, with, bare)
				}
				return "", fmt.Errorf("%s cannot be run: its first line names %s, and there is no such file", command, with)
			}
		}
		return found, nil
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%s cannot be run: its permissions do not allow it; chmod +x %s, or name what runs it, such as sh %s", command, path, command)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s cannot be run: there is no such file", command)
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	return "", fmt.Errorf("%s cannot be run: %w", command, err)
}

// Interpreter is the program that the first line of a script names, empty if it names none that can be looked for.
func Interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	names, script := strings.CutPrefix(line, "#!")
	// The system takes a CR for a part of the name, and env for a part of the one that it is to find.
	words := strings.FieldsFunc(names, func(r rune) bool { return r == ' ' || r == '\t' })
	if n := len(words); script && n > 1 && filepath.Base(words[0]) == "env" && strings.HasSuffix(words[n-1], "\r") {
		return words[n-1]
	}
	if script && len(words) > 0 && filepath.IsAbs(words[0]) {
		return words[0]
	}
	return ""
}

// notSideFiles returns those words of a command, behind its first, that name a file in one of the
// folders and no side file: the command runs in a folder of its own, and will not find them there.
func notSideFiles(words []string, files []File, folders []string) []string {
	var list []string
	for _, word := range words[min(1, len(words)):] {
		clean := filepath.Clean(filepath.FromSlash(word))
		if !filepath.IsLocal(clean) || slices.ContainsFunc(files, func(f File) bool {
			return clean == f.Name || strings.HasPrefix(clean, f.Name+string(filepath.Separator))
		}) {
			continue
		}
		if slices.ContainsFunc(folders, func(dir string) bool {
			info, err := os.Stat(filepath.Join(dir, clean))
			return err == nil && info.Mode().IsRegular()
		}) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}
