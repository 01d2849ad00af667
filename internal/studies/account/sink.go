package account

import (
	"slices"
	"sort"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Accountant is the sink that makes the accounts of a run.
type Accountant struct {
	follow.Single
	Beat  units.Duration // of the world's nodes; 0 = they are served at once
	Rule  string         // the order of the policy, in words
	Only  string         // the job whose account is kept; "" = of all
	most  int            // attempts to look at
	seen  int            // attempts looked at
	jobs  []*job         // in order of arrival
	there []*job         // by index
	nodes [][]step       // by handle
	past  []*ran         // attempts that have ended, in that order, as far back as anybody may ask
	live  []*ran         // by index
	ended map[string]units.Time
	now   units.Time
}

// job is what is noted of one.
type job struct {
	spec    *workload.Job
	number  int
	arrived units.Time
	taken   bool   // its deadline is promised
	ran     []*ran // in order of their start
	gates   []gate
	kills   []string // why attempts were killed
	account *Account
	outcome sched.Outcome
}

// ran is an attempt.
type ran struct {
	job          *job
	began, ended units.Time // units.Never: it runs
	needs        *units.Vector
	on           string
	why          string // it failed, or was killed
	remote       units.Duration
	task         sched.TaskID
	node         sched.NodeID
	stage        sched.Stage
	outcome      sched.Outcome
	locality     sched.Locality
}

// step is a node from a time on.
type step struct {
	at    units.Time
	spec  *cluster.Node // nil: nobody has described it
	up    bool
	speed float64 // on top of its class's
}

// gate is what lets a job run, or does not, from a time on.
type gate struct {
	at    units.Time
	verb  sched.Verb // NoVerb: the stage got ready
	stage sched.Stage
	count int32
	why   string
}

// Enough is how many attempts are looked at where nobody asks for more, which takes a tenth of a second or
// two: for each wait these are all that ran meanwhile, so that where many jobs wait for long their accounts
// would take far longer than the run.
const Enough = 300_000

// New returns a sink for a run. It keeps accounts of all jobs, or of those that end before so many attempts have been
// looked at (0 = no limit).
func New(most int) *Accountant { return &Accountant{most: most, ended: map[string]units.Time{}} }

func (a *Accountant) full() bool { return a.most > 0 && a.seen > a.most }

// Batch takes in what happened.
func (a *Accountant) Batch(at units.Time, records []follow.Record) error {
	if a.full() {
		a.past, a.live = nil, nil
		return nil
	}
	for i := range records {
		e := &records[i]
		a.now = max(a.now, e.At)
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged, sched.NodeDown, sched.Refused:
			a.turn(e)
		case sched.JobArrived:
			if e.Job != nil && !e.Again {
				a.arrive(e.Job)
			}
		case sched.StageReady:
			if j := a.of(e.Job); j != nil {
				j.bar(gate{at: e.At, stage: e.Stage})
			}
		case sched.JobAmended:
			if j := a.of(e.Job); j != nil {
				j.spec = e.Job.Spec
			}
		case sched.Started:
			if e.Attempt != nil && !e.Again {
				a.start(e.Attempt)
			}
		case sched.Ended:
			if e.Attempt != nil {
				a.end(e)
			}
		case sched.JobEnded:
			if j := a.of(e.Job); j != nil {
				j.outcome = e.Outcome
				a.ended[j.spec.ID] = e.Job.Ended
				if a.Only == "" || a.Only == j.spec.ID {
					j.account = a.walk(j, e.Job.Ended)
				}
				j.ran, j.gates, j.kills = nil, nil, nil
				a.there[e.Job.Index] = nil
				a.forget()
			}
		}
	}
	return nil
}

// Plan takes in what was decided about jobs.
func (a *Accountant) Plan(at units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		d := &decisions[i]
		j := a.of(d.Job)
		if j == nil || a.full() {
			continue
		}
		j.taken = j.taken || d.Verb != sched.Reject && d.Outlook.Word.Binds()
		switch d.Verb {
		case sched.Admit, sched.Hold, sched.Reject, sched.Sample, sched.Withhold, sched.Release, sched.SetSlots:
			g := gate{at: at, verb: d.Verb, stage: d.Stage, count: d.Count}
			if d.Held {
				g.at = max(at, d.At)
			}
			if d.Verb == sched.Hold || d.Verb == sched.Withhold || d.Verb == sched.SetSlots {
				g.why = d.Why()
			}
			j.bar(g)
		case sched.Kill:
			j.kills = append(j.kills, d.Why())
		}
	}
	return nil
}

// bar notes a gate, at its time.
func (j *job) bar(g gate) {
	i := len(j.gates)
	for ; i > 0 && j.gates[i-1].at > g.at; i-- {
	}
	j.gates = slices.Insert(j.gates, i, g)
}

func (a *Accountant) of(j *follow.Job) *job {
	if j == nil || j.Index >= len(a.there) {
		return nil
	}
	return a.there[j.Index]
}

func (a *Accountant) arrive(j *follow.Job) {
	n := &job{spec: j.Spec, number: j.Number, arrived: j.Arrived, taken: j.Spec.Promised}
	*sched.Row(&a.jobs, j.Number) = n
	*sched.Row(&a.there, j.Index) = n
}

func (a *Accountant) start(at *follow.Attempt) {
	j := a.of(at.Job)
	if j == nil {
		return
	}
	r := &ran{job: j, began: at.Began, ended: units.Never, needs: at.Needs, task: at.Task, node: at.Node, stage: at.Stage, locality: at.Locality}
	if at.On != nil {
		r.on = at.On.Name
	}
	j.ran = append(j.ran, r)
	*sched.Row(&a.live, at.Index) = r
}

func (a *Accountant) end(e *follow.Record) {
	i := int(e.Attempt.Index)
	if i >= len(a.live) || a.live[i] == nil {
		return
	}
	r := a.live[i]
	a.live[i] = nil
	r.ended, r.outcome, r.task = max(e.At, r.began), e.Outcome, e.Attempt.Task
	if e.Outcome == sched.Failed {
		r.why = e.Text
	}
	if r.stage != sched.Reduce {
		r.remote = e.Spans[sched.PhaseShuffle]
	}
	if e.Outcome == sched.Killed || e.Outcome == sched.Preempted {
		if n := len(r.job.kills); n > 0 {
			r.why = r.job.kills[n-1]
		}
	}
	n := len(a.past)
	a.past = append(a.past, r)
	for ; n > 0 && a.past[n-1].ended > r.ended; n-- { // told late
		a.past[n], a.past[n-1] = a.past[n-1], a.past[n]
	}
}

// forget drops what ended before any job came that is there.
func (a *Accountant) forget() {
	if len(a.past) < kept || len(a.past) < cap(a.past)/2 {
		return
	}
	oldest := a.now
	for _, j := range a.there {
		if j != nil {
			oldest = min(oldest, j.arrived)
		}
	}
	a.past = slices.Clone(a.past[a.from(oldest.Add(-a.Beat)):])
}

// kept is how many attempts are kept at least.
const kept = 8192

// from is the place of the first attempt that ended after a time.
func (a *Accountant) from(t units.Time) int {
	return sort.Search(len(a.past), func(i int) bool { return a.past[i].ended > t })
}

// turn notes how a node stands.
func (a *Accountant) turn(e *follow.Record) {
	if e.Host != nil && e.Node > 0 {
		x := 0.0
		if e.Kind == sched.NodeChanged {
			x = e.X
		}
		a.note(e.At, e.Node, e.Host, x)
	}
}

func (a *Accountant) note(at units.Time, h sched.NodeID, n *follow.Node, x float64) {
	steps := sched.Row(&a.nodes, h)
	s := step{at: at, spec: n.Spec, up: n.State == sched.Awake && n.Spec != nil, speed: 1}
	if len(*steps) > 0 {
		s.speed = (*steps)[len(*steps)-1].speed
	}
	if x > 0 {
		s.speed = x
	}
	*steps = append(*steps, s)
}

// Named is the account of the newest job with that name, nil if there is none.
func (a *Accountant) Named(job string) *Account {
	for i, j := range slices.Backward(a.jobs) {
		if j != nil && j.spec.ID == job {
			return a.Of(i)
		}
	}
	return nil
}

// Of returns the account of the job that arrived as the number-th, nil if there is none. One that has not ended is
// told of until now.
func (a *Accountant) Of(number int) *Account {
	if number >= len(a.jobs) || a.jobs[number] == nil {
		return nil
	}
	j := a.jobs[number]
	if j.account == nil && !a.full() && j.outcome == sched.NoOutcome && (a.Only == "" || a.Only == j.spec.ID) {
		open := a.walk(j, a.now)
		open.Open = true
		return open
	}
	return j.account
}
