package conform

import (
	"encoding/json"
	"io"
	"math/rand/v2"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Friendly admits every job and fills each node that beats with the first jobs in order of arrival.
type Friendly struct{}

// About says nothing.
func (Friendly) About() sched.About { return sched.About{} }

// Decide admits and fills.
func (Friendly) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived:
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
		case sched.Heartbeat:
			fill(v, e.Node, p)
		}
	}
}

func fill(v sched.View, n sched.NodeID, p *sched.Plan) {
	for s := range sched.Stages {
		after := sched.JobID(0)
		for j := v.First(n, s, after); j != 0; j = v.First(n, s, after) {
			if !p.Start(j, s, n, 1, sched.Remote, sched.Because(sched.FirstInOrder, 1)) {
				after = j
			}
		}
	}
}

// Save has nothing to write.
func (Friendly) Save(io.Writer) error { return nil }

// Load has nothing to read.
func (Friendly) Load(io.Reader) error { return nil }

// hesitant is Friendly, but that it admits a job only after a while.
type hesitant struct {
	Friendly
	delay units.Duration
}

// Decide admits whom it has let wait, and fills.
func (h hesitant) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || job.State >= sched.Admitted {
			continue
		}
		if until := job.Arrived.Add(h.delay); until <= v.Now() {
			p.Admit(j, sched.Outlook{}, sched.Because(sched.AdmitAll))
		} else {
			p.WakeMe(until, sched.Because(sched.Wakeup, int64(until)))
		}
	}
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.Heartbeat {
			fill(v, e.Node, p)
		}
	}
}

// whim is why Brutal does what it does.
var whim = &sched.Cause{Name: "whim", Text: "for no reason"}

// Brutal works like Friendly, and besides proposes nonsense, aims at what must not be, and kills
// what runs, by a seed. It calms down after so many decisions, so that a run can end; what is
// refused anyway it asks for to the end.
type Brutal struct {
	Seed   uint64 `json:"seed"`
	Rounds int    `json:"rounds"` // decisions made
	Calm   int    `json:"calm"`   // decisions after which it kills no more
	Gentle bool   `json:"gentle"` // it rejects no job, so that all can finish
}

// Decide works, kills and talks nonsense.
func (b *Brutal) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	b.Rounds++
	dice := rand.New(rand.NewPCG(b.Seed, uint64(b.Rounds)))
	b.aim(dice, v, p)
	if b.Rounds < b.Calm {
		b.nonsense(dice, v, p)
		b.race(dice, v, p)
	}
	b.ask(dice, v, p)
	if dice.IntN(5) == 0 {
		b.bound(dice, v, p)
	}
	Friendly{}.Decide(v, batch, p)
	b.aim(dice, v, p)
	if b.Rounds >= b.Calm || dice.IntN(3) > 0 {
		return
	}
	j := sched.JobID(1 + dice.IntN(max(1, int(v.Jobs()))))
	s := sched.Map + sched.Stage(dice.IntN(2))
	if dice.IntN(2) == 0 {
		p.Preempt(j, s, 1+dice.IntN(2), sched.Because(whim))
	} else if a := v.Youngest(j, s, 0); a != 0 {
		p.Add(sched.Item{Verb: sched.Kill, Attempt: a, Outcome: sched.Killed})
	}
}

// ask wakes who sleeps and rents what is offered, tells jobs of their finish, and sets the number of tasks of
// stages that have not begun.
func (b *Brutal) ask(dice *rand.Rand, v sched.View, p *sched.Plan) {
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if nd := v.Node(n); nd != nil && (nd.State == sched.Asleep || nd.State == sched.Offered) {
			p.Add(sched.Item{Verb: sched.Wake, Node: n, Reason: sched.Because(whim)})
		}
	}
	for j := sched.JobID(1); j <= v.Jobs() && b.Rounds < b.Calm; j++ {
		job := v.Job(j)
		if job == nil {
			continue
		}
		p.Foretell(j, sched.Outlook{Word: sched.Expected, By: v.Now().Add(units.Minute)}, sched.Because(whim))
		for i := range job.Spec.Stages {
			if st := &job.Spec.Stages[i]; st.MaxTasks > 0 && dice.IntN(3) == 0 {
				p.Add(sched.Item{Verb: sched.SetTasks, Job: j, Stage: st.Kind, Count: int32(st.MinTasks + dice.IntN(st.MaxTasks-st.MinTasks+1)), Reason: sched.Because(whim)})
			}
		}
	}
}

// bound asks for starts beyond bounds that it sets and takes back at once, of a job that it holds for a
// moment, and for a group of which one cannot be.
func (b *Brutal) bound(dice *rand.Rand, v sched.View, p *sched.Plan) {
	s := sched.Map + sched.Stage(dice.IntN(2))
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		j := v.First(n, s, 0)
		if j == 0 || !v.Node(n).Beats {
			continue
		}
		do := func(verb sched.Verb, count int) {
			p.Add(sched.Item{Verb: verb, Job: j, Stage: s, Count: int32(count), Reason: sched.Because(whim)})
		}
		start := func(n sched.NodeID, group int32) {
			p.Add(sched.Item{Verb: sched.Start, Job: j, Stage: s, Node: n, Count: 1, Group: group, Reason: sched.Because(whim)})
		}
		do(sched.Hold, 0)
		start(n, 0)
		do(sched.Admit, 0)
		do(sched.Withhold, 0)
		start(n, 0)
		do(sched.Release, 0)
		do(sched.SetSlots, 0)
		start(n, 0)
		do(sched.SetSlots, -1)
		start(n, 9)
		start(v.Nodes()+1, 9)
		return
	}
}

// race starts a second attempt of what was started last, while there is room: whoever commits first counts.
func (b *Brutal) race(dice *rand.Rand, v sched.View, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs() && v.World().Speculate; j++ {
		a := v.Attempt(v.Youngest(j, sched.Map+sched.Stage(dice.IntN(2)), 0))
		if a != nil && dice.IntN(2) == 0 {
			p.Add(sched.Item{Verb: sched.Speculate, Job: j, Stage: a.Stage, Task: a.Task, Node: sched.NodeID(1 + dice.IntN(int(v.Nodes()))), Container: a.Container, Count: 1})
		}
	}
}

// aim asks for what would break a promise if it were done: a stage that is not ready or whose job
// is not admitted, and more of one that is than a node has room for, on a node that is full, down
// or draining.
func (b *Brutal) aim(dice *rand.Rand, v sched.View, p *sched.Plan) {
	if dice.IntN(40) == 0 {
		p.Add(sched.Item{Verb: sched.Sleep, Node: sched.NodeID(1 + dice.IntN(max(1, int(v.Nodes()))))})
	}
	j := v.Job(sched.JobID(1 + dice.IntN(max(1, int(v.Jobs())))))
	if j == nil {
		return
	}
	for s := range sched.Stages {
		t := &j.Stages[s]
		if t.Open <= 0 {
			continue
		}
		idle := t.Ready && j.State == sched.Admitted
		for n := sched.NodeID(1); n <= v.Nodes(); n++ {
			node := v.Node(n)
			if node == nil || idle && node.Serves() && v.First(n, s, 0) != 0 {
				continue // there Friendly works
			}
			p.Start(j.ID, s, n, 50, sched.Remote, sched.Because(whim))
		}
	}
}

// nonsense proposes what cannot be: places and jobs that do not exist, stages that are not ready, more than there is.
func (b *Brutal) nonsense(dice *rand.Rand, v sched.View, p *sched.Plan) {
	for range dice.IntN(4) {
		verb := sched.Verb(dice.IntN(int(sched.Verbs) + 2))
		if verb == sched.Reject && b.Gentle {
			continue // nothing takes that back
		}
		last := sched.Item{Verb: verb, Job: sched.JobID(dice.IntN(int(v.Jobs()) + 4)),
			Stage: sched.Stage(dice.IntN(int(sched.Stages) + 2)), Node: sched.NodeID(dice.IntN(int(v.Nodes()) + 3)), Count: int32(dice.IntN(9) - 2),
			Container: uint8(dice.IntN(3)), Attempt: sched.AttemptID(1<<20 + dice.IntN(9)), Locality: sched.Locality(dice.IntN(5)),
			Group: int32(dice.IntN(3)), Task: sched.TaskID(dice.IntN(5)),
			At: units.Time(dice.IntN(3))}
		switch verb {
		case sched.Hold, sched.Withhold, sched.Sleep, sched.SetSlots:
			last.At = 0 // or it would come behind what takes it back
		}
		p.Add(last)
		switch last.Verb { // what would really keep a job from ending is taken back at once
		case sched.Hold:
			p.Admit(last.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
		case sched.Withhold:
			p.Add(sched.Item{Verb: sched.Release, Job: last.Job, Stage: last.Stage})
		case sched.Sleep:
			p.Add(sched.Item{Verb: sched.Wake, Node: last.Node})
		case sched.SetSlots:
			p.Add(sched.Item{Verb: sched.SetSlots, Job: last.Job, Stage: last.Stage, Count: -1})
		}
	}
}

// About declares why Brutal does what it does.
func (*Brutal) About() sched.About { return sched.About{Causes: []*sched.Cause{whim}} }

// Save writes the state.
func (b *Brutal) Save(w io.Writer) error { return json.NewEncoder(w).Encode(b) }

// Load reads it.
func (b *Brutal) Load(r io.Reader) error { return json.NewDecoder(r).Decode(b) }
