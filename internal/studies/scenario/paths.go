package scenario

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/slackline/slackline/internal/config"
)

// address matches what names something on another machine, or a file by a scheme. A drive of
// Windows has one letter.
var address = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+):/`)

// NoAddress refuses a path that names something on another machine.
func NoAddress(path string) error {
	m := address.FindStringSubmatch(path)
	switch {
	case m == nil:
		return nil
	case strings.EqualFold(m[1], "file"):
		return fmt.Errorf("%q is an address; write the path alone, without %s: before it", path, m[1])
	}
	return fmt.Errorf("%q is an address, and jobs run on this machine with its files; copy the data, and name a local path", path)
}

// LocalPath is a path of a job file as the system knows it: ~ and $HOME at its start are the home
// directory. What a shell would make of another ~ is refused, as it would name a file of just that
// name; variables are those of Vars.
func LocalPath(path string) (string, error) {
	if err := NoAddress(path); err != nil {
		return "", err
	}
	for _, home := range []string{"~", "$HOME"} {
		rest, ok := strings.CutPrefix(path, home)
		if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
			continue
		}
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%q: the home directory is not known; write the full path", path)
		}
		return dir + rest, nil
	}
	if strings.HasPrefix(path, "~") {
		return "", fmt.Errorf("%q: only ~ at the start of a path is expanded; write the full path, or ./%s for a file with that name", path, path)
	}
	return path, nil
}

// localPaths reads the paths of a job file.
func (j *Job) localPaths() {
	read := func(path *string, key string) {
		local, err := LocalPath(*path)
		if err != nil {
			j.src.Failf(key, "%s: %v", key, err)
			return
		}
		*path = local
	}
	list := func(paths config.Texts, key string) {
		for i := range paths {
			at := fmt.Sprintf("%s[%d]", key, i)
			if !j.src.Has(at) { // a single one need not be written as a list
				at = key
			}
			read(&paths[i], at)
		}
	}
	list(j.Input, "input")
	for i := range j.Inputs {
		list(j.Inputs[i].Path, fmt.Sprintf("inputs[%d].path", i))
	}
	list(j.Files, "files")
	read(&j.Output, "output")
}
