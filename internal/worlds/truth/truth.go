// Package truth is what the worlds of the product know of jobs for certain, and how they obey a
// plan: what may start, why something may not, and what is counted. How a task is run is each
// world's own.
//
// Tests have worlds of their own to hold these against (adverse, dumb); they share nothing with this package.
//
//	truth.go  what is known of jobs, stages, tasks and nodes
//	enact.go  what the items of a plan do
package truth

import (
	"math"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Job is the truth about a job.
type Job struct {
	Spec     *workload.Job
	Here     bool // it has arrived, and its end was not told
	Ends     bool // it is to end: none of its tasks start any more
	Admitted bool
}

// Stage is the truth about a stage of a job.
type Stage struct {
	Spec     *workload.StageSpec
	Ready    bool // its tasks may start
	Withheld bool
	Open     int32
	Busy     int32 // attempts
	Done     int32
	Limit    int32        // attempts that may run, -1 = no bound
	Sample   int32        // tasks it may still start although the job is not admitted
	slot     units.Vector // what a container takes where the stage lists none
}

// NewStage returns a stage of which nothing has begun.
func NewStage(spec *workload.StageSpec) Stage {
	s := Stage{Spec: spec, Open: int32(len(spec.Tasks)), Limit: -1}
	if len(spec.Containers) == 0 {
		s.slot = spec.Container(0).Needs
	}
	return s
}

// Cut has the stage cut otherwise before it has begun.
func (s *Stage) Cut(spec *workload.StageSpec) { s.Spec, s.Open = spec, int32(len(spec.Tasks)) }

// needs returns what a container of the i-th kind takes.
func (s *Stage) needs(i int) *units.Vector {
	if len(s.Spec.Containers) == 0 {
		return &s.slot
	}
	return &s.Spec.Containers[i].Needs
}

// Waits tells whether the stage has tasks that may start.
func (s *Stage) Waits(j *Job) bool {
	return j.Here && !j.Ends && s.Ready && !s.Withheld && s.Open > 0 && (s.Limit < 0 || s.Busy < s.Limit) && (j.Admitted || s.Sample > 0)
}

// Task is the truth about a task: 8 bytes. Few tasks fail, so worlds count that beside them.
type Task struct {
	Node  int32  // of its output, once committed
	Tries uint16 // attempts so far; those beyond what it holds count as the last
	Live  uint8  // attempts that run
	State State
}

// State is where a task stands.
type State uint8

// The states.
const (
	Open State = iota
	Runs
	Done
	Vanished // done; its output is gone, which nobody has missed so far
)

// Begin counts an attempt that starts.
func (s *Stage) Begin(t *Task) {
	if t.State == Open {
		t.State = Runs
		s.Open--
	}
	if t.Tries < math.MaxUint16 {
		t.Tries++
	}
	t.Live++
	s.Busy++
	if s.Sample > 0 {
		s.Sample--
	}
}

// End counts an attempt that has ended. Its task is done if it was committed, and open again unless
// another attempt is at it, or has done it; it tells whether it is.
func (s *Stage) End(t *Task, outcome sched.Outcome) (open bool) {
	s.Busy--
	t.Live--
	switch {
	case outcome == sched.Committed:
		t.State = Done
		s.Done++
	case t.Live == 0 && t.State == Runs:
		t.State = Open
		s.Open++
		return true
	}
	return false
}

// Reopen takes back a task that was done. While an attempt is at it still, it runs.
func (s *Stage) Reopen(t *Task) {
	s.Done--
	if t.State = Runs; t.Live == 0 {
		t.State = Open
		s.Open++
	}
}

// Node is the truth about a node.
type Node struct {
	Spec *cluster.Node
	Free units.Vector
	Away bool // it serves nobody
}
