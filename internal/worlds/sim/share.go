package sim

import (
	"sync"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// sharedTasks is how many tasks are kept for other runs at most: about 70 MB.
const sharedTasks = 1 << 20

// Share returns the configuration for runs that differ in their policies alone, at the same time or one
// after the other. The jobs of its source are unfolded, and the places of their input drawn, once for all
// of them: by the run that comes to a job first. Those behind the first million of tasks each run makes for
// itself. The source must be one that does not care when jobs end.
func Share(cfg Config) (Config, error) {
	w, err := New(cfg)
	if err != nil {
		return cfg, err
	}
	d := &deck{world: w, again: cfg.Source, most: sharedTasks, due: []units.Time{w.source.Due()}}
	cfg.Source = func() workload.Source { return &dealt{deck: d} }
	return cfg, nil
}

// deck is the jobs that runs share.
type deck struct {
	world *World // draws the places of their input, and never begins
	again func() workload.Source
	most  int // tasks

	mu    sync.Mutex
	jobs  []*workload.Job
	due   []units.Time // when each arrives, and the one behind the last
	tasks int
	err   error // of the job behind the last
}

// job returns the n-th job, from 0. ok is false for one that is not shared.
func (d *deck) job(n int) (j *workload.Job, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case n < len(d.jobs):
		return d.jobs[n], true, nil
	case d.err != nil:
		return nil, true, d.err
	case d.tasks >= d.most:
		return nil, false, nil
	}
	if _, j, d.err = d.world.make(); d.err != nil {
		return nil, true, d.err
	}
	for i := range j.Stages {
		d.tasks += len(j.Stages[i].Tasks)
	}
	d.jobs, d.due = append(d.jobs, j), append(d.due, d.world.source.Due())
	return j, true, nil
}

func (d *deck) dueAt(n int) units.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.due[n]
}

// behind returns a source that has brought the first n jobs.
func (d *deck) behind(n int) workload.Source {
	s := d.again()
	for range n {
		if _, err := s.Next(); err != nil {
			break // it says so again
		}
	}
	return s
}

// dealt is the source of one of the runs.
type dealt struct {
	deck *deck
	n    int             // jobs that it has brought
	own  workload.Source // nil while the jobs are shared
}

// Due is when the next job arrives.
func (s *dealt) Due() units.Time {
	if s.own != nil {
		return s.own.Due()
	}
	return s.deck.dueAt(s.n)
}

// Next takes the job that is due.
func (s *dealt) Next() (*workload.Job, error) {
	if s.own == nil {
		j, ok, err := s.deck.job(s.n)
		if ok {
			s.n++
			return j, err
		}
		s.own = s.deck.behind(s.n)
	}
	return s.own.Next()
}

// Ended has nothing to do: the source does not care.
func (s *dealt) Ended(*workload.Job, units.Time) {}

// Position is where the job stands that Next returned last.
func (s *dealt) Position() string {
	of := s.own
	if of == nil {
		of = s.deck.behind(s.n)
	}
	if at, ok := of.(recordedSource); ok {
		return at.Position()
	}
	return ""
}
