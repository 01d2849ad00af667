package adverse

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Config says how large the world is and how long it is unkind.
type Config struct {
	Cluster *cluster.Cluster
	Jobs    []*workload.Job // each in the order of arrival, behind its predecessors
	Seed    uint64
	Calm    int // beats after which all mischief ends; 0 = it is kind from the start
	Limit   int // beats after which a run counts as stuck; 10,000
}

// Beat is the time between two beats of a node.
const Beat = units.Second

// World is the unkind world.
type World struct {
	cfg      Config
	dice     *rand.Rand
	beat     int
	started  bool
	wake     units.Time
	nodes    []*node // by handle
	jobs     []*job  // by handle
	attempts []*attempt
	orders   []order // items taken over and not yet done
	lastItem sched.ItemID
	told     bool // nothing was swallowed since the last resync
	out      []sched.Event
	given    []sched.Event
}

type node struct {
	spec *cluster.Node
	up   bool
	free units.Vector
	back int // beat at which it comes back
	mute int // beat until which it does not beat
}

type job struct {
	spec     *workload.Job
	admitted bool
	arrived  bool
	over     bool
	failed   bool
	stages   []*stage
}

type stage struct {
	spec       *workload.StageSpec
	open, done int
	ready      bool
	asked      bool // its demand has changed since it was told
}

type attempt struct {
	id    sched.AttemptID
	job   sched.JobID
	stage int
	node  sched.NodeID
	kind  uint8
	item  sched.ItemID
	began bool // its start was told
	ends  int  // beat
}

type order struct {
	item sched.Item
	due  int
}

var _ drive.World = (*World)(nil)

// New returns the world before its first beat.
func New(cfg Config) *World {
	if cfg.Limit == 0 {
		cfg.Limit = 10_000
	}
	w := &World{cfg: cfg, dice: rand.New(rand.NewPCG(cfg.Seed, 7)), wake: units.Never, told: true, nodes: make([]*node, 1), jobs: make([]*job, 1),
		attempts: make([]*attempt, 1)}
	for _, n := range cfg.Cluster.Nodes {
		w.nodes = append(w.nodes, &node{spec: n, up: true, free: n.Class.Capacity})
	}
	for i := range cfg.Jobs {
		j := &job{spec: cfg.Jobs[i]}
		for k := range j.spec.Stages {
			s := &j.spec.Stages[k]
			j.stages = append(j.stages, &stage{spec: s, open: len(s.Tasks)})
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// Can says that tasks are bound late, and attempts can be killed.
func (w *World) Can() sched.Capabilities {
	return sched.Capabilities{World: "adverse", Kill: true, Heartbeat: Beat}
}

// WakeAt asks for a Tick.
func (w *World) WakeAt(t units.Time) { w.wake = t }

// Next lets one beat pass, or more if the world is silent.
func (w *World) Next(ctx context.Context) (drive.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return drive.Batch{}, err
		}
		if !slices.ContainsFunc(w.jobs[1:], func(j *job) bool { return !j.over }) && len(w.out) == 0 {
			return drive.Batch{}, io.EOF
		}
		if w.beat++; w.beat > w.cfg.Limit {
			return drive.Batch{}, fmt.Errorf("adverse: after %d beats jobs still run", w.cfg.Limit)
		}
		w.pass()
		if len(w.out) == 0 || !w.hasNews() && w.naughty(5) {
			w.out = w.out[:0] // silence: the heartbeats of this beat are lost
			continue
		}
		slices.SortStableFunc(w.out, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		w.given, w.out = w.out, w.given[:0]
		return drive.Batch{At: w.now(), Events: w.given}, nil
	}
}

func (w *World) now() units.Time { return units.Time(0).Add(units.Duration(w.beat) * Beat) }

// hasNews tells whether the batch says anything but that nodes beat.
func (w *World) hasNews() bool {
	return slices.ContainsFunc(w.out, func(e sched.Event) bool { return e.Kind != sched.Heartbeat })
}

// naughty throws a die with so many sides, and is never lucky after the calm has come.
func (w *World) naughty(sides int) bool { return w.beat < w.cfg.Calm && w.dice.IntN(sides) == 0 }

func (w *World) tell(e sched.Event) { w.out = append(w.out, e) }

// pass makes what happens within one beat.
func (w *World) pass() {
	if !w.started {
		w.started = true
		for n := 1; n < len(w.nodes); n++ {
			w.tell(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: w.nodes[n].spec}})
		}
	}
	w.moveNodes()
	w.endAttempts()
	w.doOrders()
	w.startUnplanned()
	w.moveJobs()
	if (w.naughty(40) || !w.told && w.beat >= w.cfg.Calm) && !w.ends() {
		w.resync()
	}
	w.tellDemand()
	if w.wake <= w.now() {
		w.wake = units.Never
		w.tell(sched.Event{Kind: sched.Tick})
	}
	for n := 1; n < len(w.nodes); n++ {
		nd := w.nodes[n]
		if w.naughty(15) {
			nd.mute = w.beat + 1 + w.dice.IntN(4)
		}
		if nd.up && nd.mute <= w.beat {
			w.tell(sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(n)})
		}
	}
}

func (w *World) moveNodes() {
	for n := 1; n < len(w.nodes); n++ {
		nd := w.nodes[n]
		switch {
		case !nd.up && nd.back <= w.beat:
			nd.up, nd.free = true, nd.spec.Class.Capacity
			w.tell(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: nd.spec}})
		case nd.up && w.naughty(50):
			nd.up, nd.back = false, w.beat+2+w.dice.IntN(6)
			w.tell(sched.Event{Kind: sched.NodeDown, Node: sched.NodeID(n)})
			for _, a := range w.attempts[1:] {
				if a != nil && a.node == sched.NodeID(n) {
					w.end(a, sched.Lost)
				}
			}
			w.loseOutputs()
		}
	}
}

// loseOutputs takes back some committed maps of jobs whose reduces still need them.
func (w *World) loseOutputs() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		if !jb.arrived || jb.over || len(jb.stages) < 2 || jb.stages[0].done == 0 {
			continue
		}
		jb.stages[0].done--
		jb.stages[0].open++
		jb.stages[0].asked = true
		w.tell(sched.Event{Kind: sched.OutputLost, Job: sched.JobID(j), Stage: jb.stages[0].spec.Kind})
	}
}

func (w *World) endAttempts() {
	for _, a := range w.attempts[1:] {
		if a == nil || a.ends > w.beat {
			continue
		}
		if w.naughty(12) {
			w.end(a, sched.Failed)
		} else {
			w.end(a, sched.Committed)
		}
	}
}

// end ends an attempt. One whose start was never told comes and goes in one batch.
func (w *World) end(a *attempt, o sched.Outcome) {
	if !a.began {
		w.tellStart(a)
	}
	s := w.jobs[a.job].stages[a.stage]
	w.nodes[a.node].free.Add(w.need(a.job, a.stage, a.kind))
	if o == sched.Committed {
		s.done++
	} else {
		s.open++
		s.asked = true
	}
	w.attempts[a.id] = nil
	w.tell(sched.Event{Kind: sched.Ended, Attempt: a.id, Outcome: o})
}

func (w *World) need(j sched.JobID, s int, kind uint8) *units.Vector {
	c := w.jobs[j].stages[s].spec.Container(int(kind))
	return &c.Needs
}

// doOrders does what was asked for and is due, as far as the world likes.
func (w *World) doOrders() {
	later := w.orders[:0]
	for _, o := range w.orders {
		if o.due > w.beat {
			later = append(later, o)
			continue
		}
		w.lastItem = max(w.lastItem, o.item.ID)
		it := &o.item
		jb := w.jobs[it.Job]
		k := slices.IndexFunc(jb.stages, func(s *stage) bool { return s.spec.Kind == it.Stage })
		left := it.Count
		for ; left > 0 && !w.naughty(8) && w.startable(it, k); left-- {
			w.start(it.Job, k, it.Node, it.Container, it.ID)
		}
		if left > 0 {
			w.tell(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Count: left, Why: sched.Stale})
			if k >= 0 {
				jb.stages[k].asked = true
			}
		}
	}
	w.orders = later
}

func (w *World) startable(it *sched.Item, k int) bool {
	jb := w.jobs[it.Job]
	return k >= 0 && !jb.over && jb.stages[k].ready && jb.stages[k].open > 0 && w.nodes[it.Node].up &&
		w.nodes[it.Node].free.Fits(w.need(it.Job, k, it.Container))
}

func (w *World) start(j sched.JobID, k int, n sched.NodeID, kind uint8, item sched.ItemID) {
	id := slices.IndexFunc(w.attempts[1:], func(a *attempt) bool { return a == nil }) + 1
	if id == 0 || slices.ContainsFunc(w.out, func(e sched.Event) bool { return e.Attempt == sched.AttemptID(id) }) {
		id = len(w.attempts)
		w.attempts = append(w.attempts, nil)
	}
	a := &attempt{id: sched.AttemptID(id), job: j, stage: k, node: n, kind: kind, item: item, ends: w.beat + 1 + w.dice.IntN(4)}
	w.attempts[id] = a
	w.jobs[j].stages[k].open--
	w.nodes[n].free.Sub(w.need(j, k, kind))
	w.tellStart(a)
}

func (w *World) tellStart(a *attempt) {
	a.began = true
	w.tell(sched.Event{Kind: sched.Started, Attempt: a.id, Job: a.job, Stage: w.jobs[a.job].stages[a.stage].spec.Kind, Node: a.node,
		Container: a.kind, Locality: sched.Anywhere, Item: a.item})
}

// startUnplanned does what a stock scheduler beside ours would.
func (w *World) startUnplanned() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		for k, s := range jb.stages {
			n := sched.NodeID(1 + w.dice.IntN(len(w.nodes)-1))
			if jb.arrived && jb.admitted && !jb.over && s.ready && s.open > 0 && w.nodes[n].up && w.naughty(30) &&
				w.nodes[n].free.Fits(w.need(sched.JobID(j), k, 0)) {
				w.start(sched.JobID(j), k, n, 0, 0)
				s.asked = true
			}
		}
	}
}

// moveJobs lets jobs arrive, get on and end.
func (w *World) moveJobs() {
	for i := 1; i < len(w.jobs); i++ {
		jb, id := w.jobs[i], sched.JobID(i)
		switch {
		case jb.over:
		case !jb.arrived && jb.spec.Arrive <= w.now():
			jb.arrived = true
			w.tell(sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: jb.spec}})
			w.getReady(jb, id)
		case jb.arrived && w.doomed(jb): // one beat after it arrived
			w.endJob(id, sched.Killed, "its predecessor did not finish")
		case jb.arrived:
			w.getReady(jb, id)
			last := jb.stages[len(jb.stages)-1]
			if last.done == len(last.spec.Tasks) && !w.runs(id) {
				w.endJob(id, sched.Committed, "")
			}
		}
	}
}

// doomed tells whether the job waits for one that did not finish.
func (w *World) doomed(jb *job) bool {
	return slices.ContainsFunc(w.jobs[1:], func(p *job) bool { return p.failed && slices.Contains(jb.spec.After, p.spec.ID) })
}

func (w *World) runs(j sched.JobID) bool {
	return slices.ContainsFunc(w.attempts[1:], func(a *attempt) bool { return a != nil && a.job == j })
}

// getReady lets stages start: the first when the predecessors have ended, others when the one before is done.
func (w *World) getReady(jb *job, id sched.JobID) {
	for k, s := range jb.stages {
		if s.ready || w.doomed(jb) {
			continue
		}
		if k == 0 {
			if slices.ContainsFunc(w.jobs[1:], func(p *job) bool { return slices.Contains(jb.spec.After, p.spec.ID) && !p.over }) {
				return
			}
		} else if before := jb.stages[k-1]; before.done < len(before.spec.Tasks) {
			return
		} else {
			w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
		}
		s.ready, s.asked = true, true
	}
}

func (w *World) endJob(j sched.JobID, o sched.Outcome, why string) {
	jb := w.jobs[j]
	jb.over, jb.failed = true, o != sched.Committed
	for _, a := range w.attempts[1:] {
		if a != nil && a.job == j {
			w.end(a, sched.Killed)
		}
	}
	w.orders = slices.DeleteFunc(w.orders, func(o order) bool { return o.item.Job == j })
	w.tell(sched.Event{Kind: sched.JobEnded, Job: j, Outcome: o, Text: why})
	for k := 1; k < len(w.jobs) && o != sched.Committed; k++ {
		if next := w.jobs[k]; next.arrived && !next.over && w.doomed(next) {
			w.endJob(sched.JobID(k), sched.Killed, "its predecessor did not finish")
		}
	}
}

// tellDemand says what stages want, counting the items done so far; sometimes a beat late.
func (w *World) tellDemand() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		for _, s := range jb.stages {
			if !jb.arrived || jb.over || !s.ready || !s.asked || w.naughty(6) {
				continue
			}
			s.asked = false
			w.tell(sched.Event{Kind: sched.Demand, Job: sched.JobID(j), Stage: s.spec.Kind, Count: int32(s.open), Item: w.counted(sched.JobID(j))})
		}
	}
}

// counted returns the last item that the demand of a job counts: those still waiting to be done are not in it.
func (w *World) counted(j sched.JobID) sched.ItemID {
	last := w.lastItem
	for _, o := range w.orders {
		if o.item.Job == j {
			last = min(last, o.item.ID-1)
		}
	}
	return last
}

// ends tells whether a job has ended in this beat: that is news which a full state does not contain.
func (w *World) ends() bool {
	return slices.ContainsFunc(w.out, func(e sched.Event) bool { return e.Kind == sched.JobEnded })
}

// resync voids the book and tells everything anew.
func (w *World) resync() {
	w.told = true
	w.orders = w.orders[:0]
	w.out = w.out[:0]
	w.tell(sched.Event{Kind: sched.Resync})
	for n := 1; n < len(w.nodes); n++ {
		if w.nodes[n].up {
			w.tell(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: w.nodes[n].spec}})
		}
	}
	var running []*attempt
	for _, a := range w.attempts[1:] {
		if a != nil {
			running = append(running, a)
		}
	}
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		if !jb.arrived || jb.over {
			continue
		}
		w.tell(sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j), Detail: &sched.Detail{Job: jb.spec}})
		for _, s := range jb.stages {
			if s.asked = s.ready; s.ready {
				w.tell(sched.Event{Kind: sched.StageReady, Job: sched.JobID(j), Stage: s.spec.Kind})
			}
		}
	}
	w.attempts = make([]*attempt, 1)
	for _, a := range running {
		a.id = sched.AttemptID(len(w.attempts))
		w.attempts = append(w.attempts, a)
		w.tellStart(a)
	}
}

// Enact takes over what the plan says, to be done some time.
func (w *World) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Refused != sched.OK || it.Held {
			continue
		}
		switch it.Verb {
		case sched.Start:
			if w.naughty(60) {
				w.told = false // swallowed: only a resync will tell
				continue
			}
			due := w.beat + 1
			if w.beat < w.cfg.Calm {
				due += w.dice.IntN(3)
			}
			w.orders = append(w.orders, order{*it, due})
		case sched.Kill:
			for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
				if at := w.attempts[a]; at != nil && !w.naughty(10) {
					w.end(at, cmp.Or(it.Outcome, sched.Killed))
				} else {
					w.tell(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: a, Count: 1, Why: sched.Stale})
				}
			}
		case sched.Admit, sched.Hold:
			w.jobs[it.Job].admitted = it.Verb == sched.Admit
		case sched.Reject:
			if jb := w.jobs[it.Job]; !jb.over {
				w.endJob(it.Job, sched.Killed, it.Reason.String())
			}
		}
	}
	return nil
}
