package experiment

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Baselines of paper 001, and list schedulers that people ask for first. They cut nothing and wait for nothing, so
// nobody would pick them for energy:
//
//	HEFT      edf+ranks(by=up)+take(first=fast)       who has the longest path to the end goes first, to the fastest
//	                                                  free node
//	CPoP      edf+ranks(by=through)+take(first=fast)  who is on the longest path goes first
//	EEDAW     edf+ranks(by=left)+take(first=frugal)   the workflow with least time beside its longest path goes
//	                                                  first, to the free node that needs least
//	ATP-EEDAW the same with the numbers of tasks of atp
//
// Assumptions: HEFT and CPoP choose among nodes that are free, as tasks come one by one; no node is kept for CPoP's
// critical path. EEDAW's two sources are not to be had: its progress is the path that is left, and its nodes are
// those free ones that need least for a task.

// rankedFirst orders jobs by a virtual deadline that stands for a rank.
var rankedFirst = &sched.Cause{Name: "ranked", Text: "its rank stands for a deadline at {due}",
	Numbers: []sched.Number{sched.Clock.Named("due", "the instant that stands for its rank", 90e9)}}

type ranks struct{ by string }

func ranksEntry() compose.Entry {
	return compose.Entry{Name: "ranks", Kind: compose.KindShare, Doc: "ranks the jobs of a workflow by paths", Cite: "baseline",
		Params: []compose.Param{{Name: "by", Type: compose.Choice, Default: "up", Choices: []string{"up", "through", "left"}, Doc: "the path to the end, the path through it, or the time that the workflow has beside what is left"}},
		Traits: compose.Traits{Heeds: sched.EventsOf(sched.JobArrived, sched.JobAmended, sched.JobEnded), Causes: []*sched.Cause{rankedFirst}},
		Step:   func(a compose.Args) (compose.Step, error) { return &ranks{a.Choice("by")}, nil }}
}

// Decide ranks the jobs of workflows of which some have come, or been cut, or ended.
func (r *ranks) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	var seen []string
	for i := range batch {
		job := v.Job(batch[i].Job)
		if job == nil || job.Spec.Workflow == nil || batch[i].Kind == sched.JobEnded && r.by != "left" || slices.Contains(seen, job.Spec.Workflow.ID) {
			continue
		}
		seen = append(seen, job.Spec.Workflow.ID)
		r.rank(v, job.Spec.Workflow.Jobs, job.Spec.Workflow.Deadline, p)
	}
}

func (r *ranks) rank(v sched.View, ids []string, deadline units.Time, p *sched.Plan) {
	up, down, took := map[string]units.Duration{}, map[string]units.Duration{}, map[string]units.Duration{}
	longest := units.Duration(0)
	there := func(id string) *sched.Job {
		if j := v.Job(v.Find(id)); j != nil && j.Standing() <= sched.Admitted {
			return j
		}
		return nil
	}
	for _, id := range ids {
		if j := there(id); j != nil {
			for k := range j.Spec.Stages {
				took[id] += j.Spec.Stages[k].Tasks[0].Work
			}
			for _, b := range j.Spec.After {
				down[id] = max(down[id], down[b]+took[b])
			}
		}
	}
	for _, id := range slices.Backward(ids) {
		j := there(id)
		if j == nil {
			continue
		}
		up[id] += took[id] // of those behind it until now
		longest = max(longest, up[id])
		for _, b := range j.Spec.After {
			up[b] = max(up[b], up[id])
		}
	}
	for _, id := range ids {
		j := there(id)
		if j == nil {
			continue
		}
		at := v.Now()
		switch r.by {
		case "up":
			at = at.Add(longest - up[id])
		case "through":
			at = at.Add(longest - up[id] - down[id])
		default:
			at = deadline.Add(-longest)
		}
		if at = max(at, 1); at != j.Virtual {
			p.Add(sched.Item{Verb: sched.SetDeadline, Job: j.ID, At: at, Reason: sched.Because(rankedFirst, int64(at))})
		}
	}
}

// take fills nodes, the fastest or the most frugal of those that are free first.
type take struct {
	placement.Greedy
	frugal bool
}

func takeEntry() compose.Entry {
	return compose.Entry{Name: "take", Kind: compose.KindPlace, Doc: "fills the fastest or most frugal free nodes first", Cite: "baseline",
		Params: []compose.Param{{Name: "first", Type: compose.Choice, Default: "fast", Choices: []string{"fast", "frugal"}, Doc: "which nodes are filled first"}},
		Traits: compose.Traits{Causes: []*sched.Cause{sched.FirstInOrder}},
		Step:   func(a compose.Args) (compose.Step, error) { return &take{frugal: a.Choice("first") == "frugal"}, nil }}
}

// Decide fills the nodes that beat.
func (t *take) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	beats := slices.DeleteFunc(slices.Clone(batch), func(e sched.Event) bool { return e.Kind != sched.Heartbeat || v.Node(e.Node) == nil })
	slices.SortStableFunc(beats, func(a, b sched.Event) int {
		x, y := v.Class(v.Node(a.Node).Class), v.Class(v.Node(b.Node).Class)
		if !t.frugal {
			return cmp.Compare(y.Spec.Speed, x.Spec.Speed)
		}
		first := v.Job(v.Waiting(sched.Map, 0))
		if first == nil {
			return 0
		}
		p, q := x.Rate(first.Spec, sched.Map, 0), y.Rate(first.Spec, sched.Map, 0)
		return cmp.Compare(units.Rounded(float64(p.Watts)/p.Speed), units.Rounded(float64(q.Watts)/q.Speed))
	})
	t.Greedy.Decide(v, beats, p)
}
