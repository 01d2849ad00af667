package streaming

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// File is a side file: it stands in the working directory of each attempt under its name.
type File struct{ Path, Name string }

// SideFile reads PATH or, as Hadoop writes it, PATH#NAME.
func SideFile(text string) (File, error) {
	path, name, named := strings.Cut(text, "#")
	if !named {
		name = filepath.Base(path)
	}
	if path == "" || !filepath.IsLocal(name) || name == "." {
		return File{}, fmt.Errorf("%q: its name in the working directory is %q, which does not lie in it", text, name)
	}
	if _, err := os.Stat(path); err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return File{}, fmt.Errorf("%q: %w", path, err)
	}
	abs, err := filepath.Abs(path)
	return File{abs, filepath.Clean(filepath.FromSlash(name))}, err
}

// link puts the file into the directory: by a link, or as a copy where links are not to be had.
func (f File) link(dir string) error {
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

// Find returns the program that a command names: a side file, or one on the path. A path in it is absolute or leads to a side file.
func Find(command string, files []File) (string, error) {
	if filepath.IsAbs(command) {
		return exec.LookPath(command)
	}
	for _, f := range files {
		if filepath.Clean(filepath.FromSlash(command)) == f.Name {
			return f.Path, nil
		}
		if below, ok := strings.CutPrefix(filepath.ToSlash(filepath.Clean(command)), filepath.ToSlash(f.Name)+"/"); ok {
			return filepath.Join(f.Path, below), nil // of a directory
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
