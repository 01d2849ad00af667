// Package speculate holds the rules by which slow tasks get a second attempt.
package speculate

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Hadoop copies a task that falls behind the others of its job (paper 003, section 2.1.2; Hadoop
// 0.20, TaskInProgress.hasSpeculativeTask). A task is a candidate when
//
//   - no task of its stage is open any more: what never ran goes first;
//   - its one attempt has run for Lag at least;
//   - that is behind the average progress of all tasks of the stage, finished ones counted in full, by Gap at least.
//
// The slowest goes first, to the next node with room for it that is not the one where it is slow. A
// task has two attempts at most. It is looked at who is behind once in Interval, when a Tick comes,
// as between reports of progress nothing changes.
//
// After a resync it begins again: the Tick is void, and the nodes are gone through from the first one. A
// take-over changes nothing: what runs it finds in the view.
//
// Deviations: Hadoop looks when a node asks for work, and gives that node the first candidate it
// comes to; the average is that of all reports, not of the last second.
type Hadoop struct {
	c Config
	saved

	slow []candidate // reused
	best []float64   // by task
	runs []uint8
}

// Config says when a task is behind.
type Config struct {
	Lag      units.Duration // it has run for so long
	Gap      float64        // and is behind the average progress by so much
	Interval units.Duration // between two looks
}

type candidate struct {
	task      sched.TaskID
	container uint8
	node      sched.NodeID
	progress  float64
}

// NewHadoop returns the part.
func NewHadoop(c Config) *Hadoop { return &Hadoop{c: c} }

// Decide adds copies to the plan when its Tick has come. O(running attempts + nodes).
func (h *Hadoop) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	now := v.Now()
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		h.Wake, h.Node = 0, 0 // the Tick is void, and handles may be others
	}
	if h.Wake != 0 && now >= h.Wake {
		h.Wake = 0
		for j := sched.JobID(1); j <= v.Jobs(); j++ {
			if job := v.Job(j); job != nil && job.Standing() == sched.Admitted && !job.Cancelled {
				for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
					h.look(v, job, s, p)
				}
			}
		}
	}
	if root := v.Queue(sched.Root); h.Wake == 0 && root != nil && root.Runs > 0 {
		h.Wake = now.Add(h.c.Interval)
		p.WakeMe(h.Wake, sched.Because(sched.Wakeup, int64(h.Wake)))
	}
}

// look finds the tasks of a stage that are behind, and copies them.
func (h *Hadoop) look(v sched.View, job *sched.Job, s sched.Stage, p *sched.Plan) {
	t := &job.Stages[s]
	if t.Open > 0 || t.Running == 0 || t.Withheld || t.Total < 2 {
		return
	}
	h.best, h.runs = refit(h.best, int(t.Total)+1), refit(h.runs, int(t.Total)+1)
	sum := float64(t.Done)
	for a := v.Youngest(job.ID, s, 0); a != 0; a = v.Youngest(job.ID, s, a) {
		at := v.Attempt(a)
		if at.Task < 1 || int(at.Task) >= len(h.best) {
			return // the world does not say which task runs
		}
		sum += max(0, at.Progress-h.best[at.Task])
		h.best[at.Task] = max(h.best[at.Task], at.Progress)
		h.runs[at.Task]++
	}
	// Both sides of the difference are rounded: of two that are nearly equal it would keep but their errors.
	average := units.Rounded(sum / float64(t.Total))
	h.slow = h.slow[:0]
	for a := v.Youngest(job.ID, s, 0); a != 0; a = v.Youngest(job.ID, s, a) {
		at := v.Attempt(a)
		if h.runs[at.Task] == 1 && !at.Dying && v.Now().Sub(at.Started) >= h.c.Lag && units.Rounded(average-units.Rounded(at.Progress)) >= units.Rounded(h.c.Gap) {
			h.slow = append(h.slow, candidate{at.Task, at.Container, at.Node, at.Progress})
		}
	}
	slices.SortFunc(h.slow, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(units.Rounded(a.progress), units.Rounded(b.progress)), cmp.Compare(a.task, b.task))
	})
	for _, c := range h.slow {
		container := job.Spec.Stage(s).Container(int(c.container))
		n := h.room(v, job, &container.Needs, c.node)
		if n == 0 {
			return
		}
		const mille = 1000
		p.Add(sched.Item{Verb: sched.Speculate, Job: job.ID, Stage: s, Task: c.task, Node: n, Container: c.container, Count: 1,
			Reason: sched.Because(Straggler, int64(units.Rounded(c.progress*mille)), int64(units.Rounded(average*mille)))})
	}
}

// room returns the next node, round about, that has room for so much and is not that one; 0 if there is none.
func (h *Hadoop) room(v sched.View, job *sched.Job, needs *units.Vector, not sched.NodeID) sched.NodeID {
	for range v.Nodes() {
		if h.Node++; h.Node > v.Nodes() {
			h.Node = 1
		}
		n := v.Node(h.Node)
		if n != nil && n.ID != not && n.Serves() && n.Free.Fits(needs) && n.Suits(job.Spec) {
			return h.Node
		}
	}
	return 0
}

// refit returns the list with so many zeros.
func refit[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// saved is the state: the Tick that is due, and who got the last copy.
type saved struct {
	Wake units.Time   `json:"wake"`
	Node sched.NodeID `json:"node"`
}

// Remembers is what outlives a round.
func (h *Hadoop) Remembers() any { return &h.saved }

// Straggler copies a task that is behind the others.
var Straggler = &sched.Cause{Name: "straggler", Text: "it has done {done} of its work, the tasks of its stage {others} on average",
	Numbers: []sched.Number{sched.PerMille.Named("done", "its progress in thousandths", 250), sched.PerMille.Named("others", "the average of its stage", 700)}}

// Entry lists the part.
func Entry() compose.Entry {
	return compose.Entry{
		Name:   "speculate",
		Kind:   compose.KindSpeculate,
		Doc:    "a second attempt for tasks that fall behind the others of their job",
		Cite:   "Hadoop 0.20; paper 003, section 2.1.2",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Speculate}, Causes: []*sched.Cause{Straggler, sched.Wakeup}},
		Params: []compose.Param{
			{Name: "lag", Type: compose.Span, Default: "1m", Doc: "how long a task must have run"},
			{Name: "gap", Type: compose.Count, Default: "20", Unit: "percent", Doc: "how many points of progress a task must be behind the average"},
			{Name: "interval", Type: compose.Span, Default: "5s", Doc: "time between two checks; below 100ms counts as 100ms"},
		},
		Step: func(a compose.Args) (compose.Step, error) {
			if gap := a.Count("gap"); gap > 100 {
				return nil, a.Misused("gap", "gap is %d, but no task can be more than 100 points behind", gap)
			}
			return NewHadoop(Config{Lag: a.Span("lag"), Gap: float64(a.Count("gap")) / 100, Interval: max(100*units.Millisecond, a.Span("interval"))}), nil
		},
	}
}
