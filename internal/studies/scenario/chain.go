package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/worlds/engine/input"
)

// Chain lets each of the jobs wait for those that write what it reads, as input or side files,
// whether or not it says so.
// A job that reads what it writes itself is refused, as its next run would read what this one wrote.
func Chain(jobs []*Job, there ...*Job) error {
	writes := newWriters(slices.Concat(there, jobs))
	for _, j := range jobs {
		j.src.Errs, j.fed = nil, make(map[string]string)
		own := false
		feed := func(other *Job, key string) { // from what the other one writes
			if other != j && !slices.Contains(j.After, other.Name) {
				j.After = append(j.After, other.Name)
			}
			if other != j {
				j.fed[other.Name] = key
			}
		}
		for i, path := range j.Input {
			for _, other := range writes.of(path) {
				if other == j && !own {
					own = true
					j.src.Failf("output", "%s", j.Overlaps(path))
				}
				feed(other, j.inputKey(i))
			}
		}
		for i, text := range j.Files {
			path, _, _ := strings.Cut(text, "#")
			for _, other := range writes.of(path) {
				feed(other, fmt.Sprintf("files[%d]", i))
			}
		}
		commands := j.commands()
		for _, key := range slices.Sorted(maps.Keys(commands)) {
			for _, path := range Paths(commands[key]) {
				for _, other := range writes.of(path) {
					if input.Within(path, other.Output) {
						feed(other, key)
					}
				}
			}
		}
		if err := j.src.Err(); err != nil {
			return err
		}
	}
	return nil
}

// whole is what may be a whole path within a command: behind a flag, a quote, or a sign of the shell's.
var whole = regexp.MustCompile("/[^\\s'\"`|<>;&()=]+")

// Paths are the whole paths that a text of a command may name.
func Paths(text string) []string { return whole.FindAllString(text, -1) }

// commands are those of a job, by their keys.
func (j *Job) commands() map[string]string {
	list := map[string]string{"map": j.Map.CPU, "map.gpu": j.Map.GPU, "combine": j.Combine, "reduce": j.Reduce}
	for i, in := range j.Inputs {
		list[fmt.Sprintf("inputs[%d].map", i)] = in.Map
	}
	return list
}

// Overlaps says how the output of the job lies to an input of its own.
func (j *Job) Overlaps(path string) string {
	const cure = "; name a directory outside of what the job reads"
	switch own, in := canonical(j.Output), canonical(path); {
	case own == in:
		return fmt.Sprintf("output %q is its own input%s", j.Output, cure)
	case strings.HasPrefix(in, own+string(filepath.Separator)):
		return fmt.Sprintf("output %q contains its own input %q%s", j.Output, path, cure)
	}
	return fmt.Sprintf("output %q lies in its own input %q, so the next run would read what this one wrote%s", j.Output, path, cure)
}

// inputKey is where a path of the job's input stands in its file.
func (j *Job) inputKey(i int) string {
	if len(j.Inputs) == 0 {
		return fmt.Sprintf("input[%d]", i)
	}
	for k, part := range j.Inputs {
		if i < len(part.Path) {
			return fmt.Sprintf("inputs[%d].path", k)
		}
		i -= len(part.Path)
	}
	return "inputs"
}

// writers find jobs by what they write, so that a path need not be compared with the output of each.
type writers struct {
	at, within map[string][]*Job // by directory: whose output it is, and whose lies in it
	real       map[string]string // where links on the way to a directory lead: many files lie in one
}

func newWriters(jobs []*Job) writers {
	w := writers{at: make(map[string][]*Job), within: make(map[string][]*Job), real: make(map[string]string)}
	for _, j := range jobs {
		for _, own := range w.places(j.Output) {
			w.at[own] = append(w.at[own], j)
			for dir, last := filepath.Dir(own), own; dir != last; dir, last = filepath.Dir(dir), dir {
				w.within[dir] = append(w.within[dir], j)
			}
		}
	}
	return w
}

// places are a path as it is written, which a glob may match, and where links on the way lead.
func (w writers) places(path string) []string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return []string{canonical(path)}
	}
	list := []string{w.canonical(abs)}
	if abs != list[0] {
		list = append(list, abs)
	}
	return list
}

// canonical is that of an absolute path; the links on the way to its directory are followed once.
func (w writers) canonical(abs string) string {
	info, err := os.Lstat(abs)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || filepath.Separator == '\\' {
		return canonical(abs)
	}
	dir := filepath.Dir(abs)
	real, known := w.real[dir]
	if !known {
		real = canonical(dir)
		w.real[dir] = real
	}
	return filepath.Join(real, filepath.Base(abs))
}

// of are the jobs that write what is read at a path or glob.
func (w writers) of(path string) (found []*Job) {
	add := func(jobs []*Job) {
		for _, j := range jobs {
			if !slices.Contains(found, j) && input.Reads(path, j.Output) {
				found = append(found, j)
			}
		}
	}
	for _, base := range w.places(path) {
		if at := strings.IndexAny(base, "*?["); at >= 0 {
			base = filepath.Dir(base[:at] + "x")
		}
		add(w.within[base])
		for dir, last := base, ""; dir != last; dir, last = filepath.Dir(dir), dir {
			add(w.at[dir])
		}
	}
	return found
}
