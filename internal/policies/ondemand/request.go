package ondemand

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// request rents nodes when eq. 12 does not hold: as many as the units fill that lack. It gives none back.
type request struct {
	recent

	line   []*sched.Job // reused
	claims []Claim
	due    []*sched.Job // of each claim
}

// recent is what outlives a round.
type recent struct {
	Own  estimate.Own `json:"own"`
	Next units.Time   `json:"next"` // when to look again
}

// asks are the events at which it looks at once; at the others it does so once in a second.
var (
	asks  = sched.EventsOf(sched.Resync, sched.Control, sched.JobArrived, sched.JobAmended, sched.NodeDown, sched.Refused)
	turns = sched.EventsOf(sched.Ended, sched.JobEnded, sched.Heartbeat, sched.NodeUp)
)

// Decide rents. O(jobs² + running attempts + nodes) with a look.
func (r *request) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	at, turn := false, false
	for i := range batch {
		e := &batch[i]
		if e.Kind == sched.Resync || e.Kind == sched.Control {
			r.Own, r.Next = estimate.Own{}, 0
		}
		r.Own.Notice(v, e)
		at, turn = at || asks.Has(e.Kind), turn || turns.Has(e.Kind)
	}
	if !at && (!turn || v.Now() < r.Next) || !v.World().Can(sched.Wake) {
		return
	}
	r.Next = v.Now().Add(units.Second)
	r.claim(v)
	lack, last := Short(r.claims, float64(free(v)))
	if lack <= 0 {
		return
	}
	left := int64(math.Ceil(units.Rounded(lack)))
	for n := sched.NodeID(1); n <= v.Nodes() && left > 0; n++ {
		nd := v.Node(n)
		if nd == nil || nd.State != sched.Offered {
			continue
		}
		capacity := &v.Class(nd.Class).Spec.Capacity
		has := unitsOf(capacity, capacity)
		if has == 0 {
			continue
		}
		why := sched.Because(UnitsLack, left, int64(r.due[last].Due()))
		why.Job = r.due[last].ID
		if p.Add(sched.Item{Verb: sched.Wake, Node: n, Reason: why}) {
			left -= has
		}
	}
}

// claim notes what the jobs need, in the order of their deadlines.
func (r *request) claim(v sched.View) {
	r.line, r.claims, r.due = r.line[:0], r.claims[:0], r.due[:0]
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if job := v.Job(j); job != nil && job.Due() != units.Never && job.Standing() <= sched.Admitted && !job.Cancelled {
			r.line = append(r.line, job)
		}
	}
	slices.SortFunc(r.line, func(a, b *sched.Job) int {
		x, y := sched.Key{int64(a.Due()), a.Seq}, sched.Key{int64(b.Due()), b.Seq}
		return slices.Compare(x[:], y[:])
	})
	for _, job := range r.line {
		if c, defined := claim(v, &r.Own, job); defined {
			r.claims, r.due = append(r.claims, c), append(r.due, job)
		}
	}
}

// free is how many units the nodes have that are up or on their way and nobody holds.
func free(v sched.View) (sum int64) {
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		k := v.Class(c)
		if k == nil {
			continue
		}
		capacity := &k.Spec.Capacity
		sum += max(0, unitsOf(capacity, &k.Free)) + unitsOf(capacity, capacity)*int64(k.Nodes[sched.Waking])
	}
	return sum
}

// Remembers is what outlives a round.
func (r *request) Remembers() any { return &r.recent }

// UnitsLack rents a node.
var UnitsLack = &sched.Cause{Name: "units-lack", Text: "{units} {units?unit lacks|units lack} for what is due by {deadline}",
	Numbers: []sched.Number{sched.Count.Named("units", "units that lack", 7), sched.Clock.Named("deadline", "the deadline for which they do", 90e9)}}

// RequestEntry lists the requests.
func RequestEntry() compose.Entry {
	return compose.Entry{
		Name: "request",
		Kind: compose.KindScale,
		Doc:  "rents nodes when the units that there are do not meet all deadlines, and gives none back; a published baseline, need is ours",
		Cite: "paper 002, section 3.3",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Wake}, Reads: compose.Reads{Profiles: true}, Causes: []*sched.Cause{UnitsLack},
			Heeds: (asks | turns) &^ sched.EventsOf(sched.Resync, sched.Control)},
		Step: func(compose.Args) (compose.Step, error) { return &request{}, nil },
	}
}

// Entry lists the scheme.
func Entry() compose.Entry {
	return compose.Entry{
		Name:   "ondemand",
		Kind:   compose.KindScheme,
		Doc:    "jobs by their demand, and nodes of a cloud when it is more than there is; a published baseline",
		Cite:   "paper 002",
		Params: compose.Of(compose.KindAdmit, admit.MasterParams("10")),
		Parts:  []compose.Entry{OrderEntry(), admit.AllEntry(), placement.GreedyEntry(), RequestEntry()},
	}
}
