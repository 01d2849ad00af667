package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// link is what the run remembers of a job, for others that wait for it. It outlives the job by the
// workload.Remembered that end next, or until another job gets its name.
type link struct {
	id        string
	job       *job   // nil once it has ended
	output    string // as it was given
	followers []*job // that wait for it
	over      bool
	committed bool
}

// batch is jobs that came together. When all have ended, what tells a later run of those that
// finished is of no use any more.
type batch struct {
	jobs []*job
	left int // that have not ended
}

// submit takes in jobs that came together, or says in one sentence why they cannot be; then it has
// changed nothing. O(log) for each job and for each that it waits for, besides the reading of its
// input.
func (w *World) submit(list []Job) error {
	links := make(map[string]*link, len(list))
	outputs := make(map[string]string, len(list))
	dirs, replaced := make([]string, len(list)), []string(nil)
	for i := range list {
		c := &list[i]
		if k := w.known[c.Spec.ID]; links[c.Spec.ID] != nil || k != nil && !k.over {
			return fmt.Errorf("job %q: another job has this id", c.Spec.ID)
		}
		links[c.Spec.ID] = &link{id: c.Spec.ID, output: c.Output}
		if err := w.check(c, outputs); err != nil {
			return fmt.Errorf("job %q: %w", c.Spec.ID, err)
		}
		if dirs[i] = c.Output; c.Replace {
			replaced = append(replaced, c.Output)
		}
	}
	if i, err := outdir.Check(dirs, replaced...); err != nil {
		return fmt.Errorf("job %q: %w", list[i].Spec.ID, err)
	}
	find := func(id string) *link {
		if k := links[id]; k != nil {
			return k
		}
		return w.known[id]
	}
	for i := range list {
		for _, before := range list[i].Spec.After {
			if find(before) == nil {
				return fmt.Errorf("job %q: it waits for job %q, which does not exist", list[i].Spec.ID, before)
			}
		}
	}
	if err := acyclic(list); err != nil {
		return err
	}
	b := &batch{left: len(list)}
	for i := range list {
		j, err := w.newJob(&list[i], find)
		if err != nil {
			return err
		}
		j.batch = b
		b.jobs = append(b.jobs, j)
		links[list[i].Spec.ID].job = j
	}
	for id, k := range links {
		w.known[id] = k
	}
	for path, id := range outputs {
		w.outputs[path] = id
	}
	for _, j := range b.jobs {
		w.present++
		w.number++
		j.number = w.number
		w.enqueue(j)
	}
	return nil
}

// check reports the first thing that cannot be of a job by itself, and notes its output.
func (w *World) check(j *Job, outputs map[string]string) error {
	switch {
	case j.Program == nil:
		return fmt.Errorf("it has no program")
	case len(j.Input) == 0:
		return fmt.Errorf("it has no input")
	case j.Output == "":
		return fmt.Errorf("it has no output directory")
	case j.SkipBad < 0:
		return fmt.Errorf("%d bad records to skip are negative", j.SkipBad)
	case j.Reduces < 0:
		return fmt.Errorf("%d reduces are negative", j.Reduces)
	}
	for _, st := range w.cfg.stages(j, nil, j.Reduces) {
		if !slices.ContainsFunc(w.nodes[1:], func(nd *node) bool {
			_, fits := st.Fitting(&nd.Spec.Class.Capacity)
			return fits && nd.Spec.Carries(j.Spec.Labels)
		}) {
			return fmt.Errorf("no node that it may use offers a %s", st.Kinds()[0].Name)
		}
	}
	if err := task.CheckFormats(j.Program, j.Sources, j.Written); err != nil {
		return err
	}
	path, err := filepath.Abs(j.Output)
	if err != nil {
		return err
	}
	for _, taken := range []map[string]string{outputs, w.outputs} {
		if other, ok := taken[path]; ok {
			return fmt.Errorf("output %q is also that of job %q", j.Output, other)
		}
	}
	outputs[path] = j.Spec.ID
	return nil
}

// acyclic refuses jobs that wait for each other in a circle.
func acyclic(list []Job) error {
	missing := make(map[string]int, len(list))
	followers := make(map[string][]string)
	for i := range list {
		missing[list[i].Spec.ID] = 0
	}
	for i := range list {
		s := &list[i].Spec
		for _, before := range s.After {
			if _, here := missing[before]; here {
				missing[s.ID]++
				followers[before] = append(followers[before], s.ID)
			}
		}
	}
	var free []string
	for id, n := range missing {
		if n == 0 {
			free = append(free, id)
		}
	}
	for ; len(free) > 0; free = free[1:] {
		for _, f := range followers[free[0]] {
			if missing[f]--; missing[f] == 0 {
				free = append(free, f)
			}
		}
	}
	var stuck []string
	for i := range list {
		if id := list[i].Spec.ID; missing[id] > 0 {
			stuck = append(stuck, fmt.Sprintf("%q", id))
		}
	}
	if stuck == nil {
		return nil
	}
	return fmt.Errorf("the jobs %s wait for each other", strings.Join(stuck, ", "))
}

// fed tells whether the job reads what one of its predecessors writes, so that its input is not
// there before that has ended.
func fed(j *Job, find func(id string) *link) bool {
	return slices.ContainsFunc(j.Spec.After, func(id string) bool {
		before := find(id)
		return !before.over && slices.ContainsFunc(j.Input, func(in string) bool { return input.Reads(in, before.output) })
	})
}

// enqueue lets the job wait for its time, behind those that it names.
func (w *World) enqueue(j *job) {
	for i, id := range j.cfg.Spec.After {
		switch k := w.known[id]; {
		case slices.Contains(j.cfg.Spec.After[:i], id):
		case !k.over:
			k.followers = append(k.followers, j)
			if j.missing++; !k.job.arrived {
				j.unseen++
			}
		case !k.committed:
			j.broken = true
		}
	}
	w.getReady(j)
}

// getReady lets a job that has its input wait for its time, and reads that of one that waits for no
// other.
func (w *World) getReady(j *job) {
	switch {
	case j.Spec != nil, j.missing == 0 && j.broken:
		w.waiting.Push(j)
	case j.missing == 0:
		w.prepare(j)
	}
}

// depart lets go of a job that has ended. Those behind it may start, or can never; one that reads
// what it wrote arrives.
func (w *World) depart(j *job) {
	k := w.known[j.cfg.Spec.ID]
	followers := k.followers
	k.job, k.followers, k.over, k.committed = nil, nil, true, j.ending == sched.Committed
	for _, f := range followers {
		f.missing--
		f.broken = f.broken || !k.committed
		switch {
		case f.guessed && f.missing == 0 && !f.broken && !f.now().Ends:
			w.prepare(f)
		case !f.arrived && f.Spec == nil:
			w.getReady(f)
		case f.arrived && f.broken:
			w.endNext(f, sched.Killed, behindFailed)
		default:
			w.mayStart(f)
		}
	}
	if path, err := filepath.Abs(k.output); err == nil {
		delete(w.outputs, path)
	}
	if w.gone = append(w.gone, k); len(w.gone) > workload.Remembered {
		if k := w.gone[0]; w.known[k.id] == k {
			delete(w.known, k.id)
		}
		w.gone = w.gone[1:]
	}
	w.present--
	w.jobs[j.id] = nil
	w.endedJobs = append(w.endedJobs, j.id)
	for _, nd := range w.nodes[1:] {
		delete(nd.outputs, j)
	}
	w.unwant(j)
	j.stages, j.splits, j.input = nil, nil, nil
	if j.batch.left--; j.batch.left == 0 {
		w.over = append(w.over, j.batch)
	}
}

// behindFailed is why a job ends behind one that failed.
const behindFailed = "its predecessor did not finish"

// comesBefore orders jobs by their arrival, those of one time in the order in which they were
// submitted.
func comesBefore(a, b **job) bool {
	if at, then := (*a).cfg.Spec.Arrive, (*b).cfg.Spec.Arrive; at != then {
		return at < then
	}
	return (*a).number < (*b).number
}
