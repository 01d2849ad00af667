package sim

import (
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// So many tasks and jobs are made at a time, which a run plays in some milliseconds.
const aheadTasks = 1 << 13

// Ahead returns the configuration for runs whose jobs are read and unfolded, and the places of their input
// drawn, on another processor, while a run plays those before. The source must be one that does not care when
// jobs end.
func Ahead(cfg Config) Config {
	plain := cfg
	cfg.Source = func() workload.Source {
		w, err := New(plain)
		if err != nil {
			return &ahead{some: some{jobs: []coming{{err: err}}, due: units.Never}}
		}
		s := &ahead{world: w, some: some{due: w.source.Due()}, next: make(chan some, 1)}
		go s.make()
		return s
	}
	return cfg
}

// ahead is the source of one of them. What makes its jobs ends by itself behind some of them, so that nobody
// has to stop it when the run is cut off.
type ahead struct {
	world *World // makes the jobs, and never begins
	some         // that are there
	next  chan some
	at    string // where the job stands that Next returned last
}

// some jobs in a row, and when the one behind them is due.
type some struct {
	jobs []coming
	due  units.Time // units.Never: there is none
}

type coming struct {
	due units.Time
	job *workload.Job
	err error // it is the last one
	at  string
}

// make makes the next jobs.
func (s *ahead) make() {
	w := s.world
	more := some{due: w.source.Due()}
	for tasks := 0; tasks < aheadTasks && more.due != units.Never; tasks++ {
		c := coming{due: more.due}
		if _, c.job, c.err = w.make(); c.err == nil {
			more.due, c.at = w.source.Due(), w.position()
			for i := range c.job.Stages {
				tasks += len(c.job.Stages[i].Tasks)
			}
		} else {
			more.due = units.Never
		}
		more.jobs = append(more.jobs, c)
	}
	s.next <- more
}

// Due is when the next job arrives.
func (s *ahead) Due() units.Time {
	if len(s.jobs) > 0 {
		return s.jobs[0].due
	}
	return s.due
}

// Next takes the job that is due.
func (s *ahead) Next() (*workload.Job, error) {
	if len(s.jobs) == 0 {
		if s.some = <-s.next; s.due != units.Never {
			go s.make()
		}
	}
	c := s.jobs[0]
	s.jobs, s.at = s.jobs[1:], c.at
	return c.job, c.err
}

// made says that the jobs are.
func (s *ahead) made() bool { return true }

// Ended has nothing to do: the source does not care.
func (s *ahead) Ended(*workload.Job, units.Time) {}

// Position is where the job stands that Next returned last.
func (s *ahead) Position() string { return s.at }
