package shadow

import (
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Kind is how a start of the stock scheduler compares with the advice that stands when it is told
// (journal.Play). Advice for a node stands until that node beats again, or the policy advises
// something for it again.
type Kind uint8

// The kinds, from full agreement to none.
const (
	Same       Kind = iota // the job's stage was advised for that node
	OtherStage             // another stage of that job was
	OtherNode              // the job's stage was advised, for another node
	OtherJob               // that node was to run other jobs, and the job's stage was advised nowhere
	Nothing                // the job's stage was advised nowhere, and nothing for that node
	Kinds                  // their number
)

var kindNames = [Kinds]string{"same", "other_stage", "other_node", "other_job", "nothing"}

// MarshalText names the kind in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(kindNames[k]), nil }

// Start is a start that was not advised.
type Start struct {
	At    float64        `json:"at_s"`
	Node  string         `json:"node"`
	Job   string         `json:"job"`
	Stage workload.Stage `json:"stage"`
	Kind  Kind           `json:"kind"`
	// the first that was advised for the node instead, and why; "" = nothing was
	Advised string `json:"advised,omitempty"`
	Why     string `json:"why,omitempty"`
}

// Agreement counts the starts of the stock scheduler while a policy watched. It is a sink of one run.
type Agreement struct {
	Counts  [Kinds]int
	Starts  []Start        // those that were not advised, the first of them
	Watched units.Duration // how long

	most   int // Starts to keep
	on     bool
	seen   bool // that the policy only watched
	since  units.Time
	jobs   map[sched.JobID]*workload.Job
	nodes  map[sched.NodeID]string
	advice map[sched.NodeID]*page
	stands map[stageOf]int // containers that are advised, of all nodes
	beats  []sched.NodeID  // of the round
}

// stageOf is a stage of a job.
type stageOf struct {
	job   sched.JobID
	stage sched.Stage
}

// page is what is advised for a node.
type page struct {
	round int64 // of the plan
	list  []advised
}

// advised is a start that a plan would have made, and how many containers of it nobody has started yet.
type advised struct {
	stageOf
	left int
	item sched.Item
}

var _ drive.Sink = (*Agreement)(nil)

// NewAgreement keeps so many of the starts that were not advised.
func NewAgreement(most int) *Agreement {
	return &Agreement{most: most, jobs: map[sched.JobID]*workload.Job{}, nodes: map[sched.NodeID]string{},
		advice: map[sched.NodeID]*page{}, stands: map[stageOf]int{}}
}

// Total is how many starts there were.
func (a *Agreement) Total() (n int) {
	for _, k := range a.Counts {
		n += k
	}
	return n
}

// Batch compares the starts of a round with the advice of the rounds before.
func (a *Agreement) Batch(_ int64, at units.Time, events []sched.Event) error {
	resync := len(events) > 0 && events[0].Kind == sched.Resync
	if resync {
		a.stop(at)
		clear(a.jobs)
		clear(a.nodes)
		clear(a.advice)
		clear(a.stands)
	}
	a.beats = a.beats[:0]
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.Control:
			if a.stop(at); e.Control == sched.Watch {
				a.on, a.seen, a.since = true, true, at
			}
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				a.nodes[e.Node] = e.Detail.Node.Name
			}
		case sched.JobArrived, sched.JobAmended:
			if e.Detail != nil && e.Detail.Job != nil {
				a.jobs[e.Job] = e.Detail.Job
			}
			if e.Kind == sched.JobArrived {
				a.void(e.Job)
			}
		case sched.Heartbeat:
			a.beats = append(a.beats, e.Node)
		}
	}
	for i := range events { // they stand before arrivals
		if e := &events[i]; e.Kind == sched.Started && a.on && !resync && a.jobs[e.Job] != nil {
			a.compare(at, e)
		}
	}
	if a.on {
		a.Watched += at.Sub(a.since)
		a.since = at
	}
	return nil
}

// stop notes that the policy no longer only watches.
func (a *Agreement) stop(at units.Time) {
	if a.on {
		a.Watched += at.Sub(a.since)
	}
	a.on = false
}

// Plan takes in what is advised.
func (a *Agreement) Plan(round int64, _ units.Time, p *sched.Plan) error {
	if !a.on {
		return nil
	}
	for _, n := range a.beats {
		if x := a.advice[n]; x != nil {
			a.renew(x, round)
		}
	}
	for i := range p.Items {
		it := &p.Items[i]
		if it.Verb != sched.Start || it.Refused != sched.Watched {
			continue
		}
		x := a.advice[it.Node]
		if x == nil {
			x = &page{round: round}
			a.advice[it.Node] = x
		}
		a.renew(x, round)
		y := advised{stageOf{it.Job, it.Stage}, int(max(1, it.Count)), *it}
		x.list = append(x.list, y)
		a.stands[y.stageOf] += y.left
	}
	return nil
}

// renew voids what an earlier plan has advised for a node.
func (a *Agreement) renew(x *page, round int64) {
	if x.round == round {
		return
	}
	for i := range x.list {
		a.stands[x.list[i].stageOf] -= x.list[i].left
	}
	x.round, x.list = round, x.list[:0]
}

// void drops what was advised for an earlier job under the same handle. It stands until then, as starts of the
// batch in which a job ends are compared after that.
func (a *Agreement) void(j sched.JobID) {
	for _, x := range a.advice {
		x.list = slices.DeleteFunc(x.list, func(y advised) bool { return y.job == j })
	}
	for s := range sched.Stages {
		delete(a.stands, stageOf{j, s})
	}
}

// compare counts a start.
func (a *Agreement) compare(at units.Time, e *sched.Event) {
	var here []advised
	if x := a.advice[e.Node]; x != nil {
		here = x.list
	}
	open := slices.IndexFunc(here, func(x advised) bool { return x.left > 0 && a.jobs[x.job] != nil })
	kind := Nothing
	switch {
	case a.use(here, func(x *advised) bool { return x.job == e.Job && x.stage == e.Stage }):
		kind = Same
	case a.use(here, func(x *advised) bool { return x.job == e.Job }):
		kind = OtherStage
	case a.stands[stageOf{e.Job, e.Stage}] > 0:
		kind = OtherNode
	case open >= 0:
		kind = OtherJob
	}
	a.Counts[kind]++
	if kind == Same || len(a.Starts) >= a.most {
		return
	}
	s := Start{At: at.Add(-e.Age).Seconds(), Node: a.nodes[e.Node], Job: a.jobs[e.Job].ID, Stage: e.Stage, Kind: kind}
	if open >= 0 {
		x := &here[open]
		s.Advised = a.jobs[x.job].ID + " " + x.stage.String()
		s.Why = new(sched.Plan).Why(&x.item, func(j sched.JobID) *workload.Job { return a.jobs[j] })
	}
	a.Starts = append(a.Starts, s)
}

// use finds advice for the node that a start follows, and counts it as followed.
func (a *Agreement) use(here []advised, follows func(*advised) bool) bool {
	for i := range here {
		if x := &here[i]; x.left > 0 && follows(x) {
			x.left--
			a.stands[x.stageOf]--
			return true
		}
	}
	return false
}
