package runs

import (
	"iter"
	"maps"
	"path/filepath"
)

// taken are the output directories of jobs, so that those of a job that comes need not be compared with all.
type taken struct {
	at     map[string]*keptJob
	within map[string]map[*keptJob]bool // by directory: whose output it is, or lies in it
}

func newTaken() taken {
	return taken{make(map[string]*keptJob), make(map[string]map[*keptJob]bool)}
}

// upwards goes through a directory and all above it.
func upwards(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, last := dir, ""; at != last && yield(at); at, last = filepath.Dir(at), at {
		}
	}
}

func (t taken) add(j *keptJob) {
	t.at[j.row.Output] = j
	for dir := range upwards(j.row.Output) {
		if t.within[dir] == nil {
			t.within[dir] = make(map[*keptJob]bool)
		}
		t.within[dir][j] = true
	}
}

func (t taken) remove(j *keptJob) {
	delete(t.at, j.row.Output)
	for dir := range upwards(j.row.Output) {
		if delete(t.within[dir], j); len(t.within[dir]) == 0 {
			delete(t.within, dir)
		}
	}
}

// beside adds the jobs whose output is that directory, lies in it, or has it in it.
func (t taken) beside(output string, found map[*keptJob]bool) {
	maps.Copy(found, t.within[output])
	for dir := range upwards(output) {
		if j := t.at[dir]; j != nil {
			found[j] = true
		}
	}
}
