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
	Calm    int  // beats after which all mischief ends; 0 = it is kind from the start
	Limit   int  // beats after which a run counts as stuck; 10,000
	Cancels bool // users cancel jobs

	Watching bool // the scheduler is to watch first
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
	seen     map[sched.ItemID]bool
	told     bool // nothing was swallowed since the last resync
	yielded  bool // a stock scheduler places work, until it is told to stop
	watching bool // so it does, and the scheduler is told only to watch
	out      []sched.Event
	given    []sched.Event
	ending   []*Life // whose ends the next batch tells

	// Lives is the truth about every attempt so far: what whoever follows the run should come to.
	Lives []*Life
}

// Life is what an attempt was, and when it was told to be over.
type Life struct {
	Job          string
	Arrived      units.Time // the job
	Stage        sched.Stage
	Node         sched.NodeID
	Container    uint8
	Locality     sched.Locality
	Item         sched.ItemID
	Began, Ended units.Time
	Outcome      sched.Outcome
	Unseen       bool // a resync has swallowed its end
}

type node struct {
	spec   *cluster.Node
	up     bool
	free   units.Vector
	idle   int // beat in which it came up, or the last container on it ended
	back   int // beat at which it comes back, or is awake
	mute   int // beat until which it does not beat
	power  sched.PowerState
	closed bool // it is drained
}

type job struct {
	spec      *workload.Job
	admitted  bool
	arrived   bool
	came      int // beat in which it arrived
	over      bool
	failed    bool
	cancelled int  // beat in which its user cancelled it, 0 = none did
	capped    bool // its ApplicationMaster asks for no more than headroom at a time
	headroom  int
	stages    []*stage
}

type stage struct {
	spec   *workload.StageSpec
	tasks  []taskState // which the world keeps to itself
	done   int         // of them
	sample int32       // tasks that may start although the job is not admitted
	ready  bool
	asked  bool // its demand has changed since it was told
	shown  int  // tasks that it asks for so far, those from the first on
	told   int  // tasks that the book was told of
	grows  bool // nobody has said that these are all
}

type taskState uint8

const (
	taskOpen taskState = iota
	taskRuns
	taskDone
)

// move brings a task to another state.
func (s *stage) move(task int, to taskState) {
	if s.tasks[task] == taskDone {
		s.done--
	}
	s.tasks[task] = to
	if to == taskDone {
		s.done++
	}
}

type attempt struct {
	id    sched.AttemptID
	job   sched.JobID
	stage int
	task  int // by position
	near  sched.Locality
	node  sched.NodeID
	kind  uint8
	item  sched.ItemID
	began bool // its start was told
	since int  // beat in which it started
	ends  int  // beat
	life  *Life
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
	w := &World{cfg: cfg, dice: rand.New(rand.NewPCG(cfg.Seed, 7)), wake: units.Never, told: true, watching: cfg.Watching, seen: make(map[sched.ItemID]bool), nodes: make([]*node, 1), jobs: make([]*job, 1),
		attempts: make([]*attempt, 1)}
	for _, n := range cfg.Cluster.Nodes {
		w.nodes = append(w.nodes, &node{spec: n, up: true, free: n.Class.Capacity})
	}
	for i := range cfg.Jobs {
		j := &job{spec: cfg.Jobs[i]}
		for k := range j.spec.Stages {
			s := &j.spec.Stages[k]
			j.stages = append(j.stages, &stage{spec: s, tasks: make([]taskState, len(s.Tasks))})
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// Can says that tasks are bound late, and attempts can be killed.
func (w *World) Can() sched.Capabilities {
	return sched.Capabilities{World: "adverse", Kill: true, Mold: true, Power: true, Heartbeat: Beat}
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
		for _, l := range w.ending {
			l.Ended = w.now()
		}
		w.ending = w.ending[:0]
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
	w.control()
	w.startUnplanned()
	w.cancel()
	w.moveJobs()
	w.supplies()
	turn := !w.watching && !w.yielded && w.naughty(60) || w.watching && w.beat > 1 && (w.beat >= w.cfg.Calm || w.naughty(12))
	if (turn || w.beat == 1 && w.watching || w.naughty(40) || !w.told && w.beat >= w.cfg.Calm) && !w.ends() {
		w.watching = w.watching != turn
		w.resync(turn)
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
		if nd.up && nd.power == sched.Awake && nd.mute <= w.beat {
			w.tell(sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(n)})
		}
	}
}

func (w *World) moveNodes() {
	for n := 1; n < len(w.nodes); n++ {
		nd := w.nodes[n]
		switch {
		case !nd.up && nd.back <= w.beat:
			nd.up, nd.free, nd.idle = true, nd.spec.Class.Capacity, w.beat
			nd.power, nd.closed = sched.Awake, false
			w.tell(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: nd.spec}})
		case nd.up && nd.power == sched.Waking && nd.back <= w.beat:
			nd.power, nd.closed = sched.Awake, false
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
		jb.stages[0].move(slices.Index(jb.stages[0].tasks, taskDone), taskOpen)
		jb.stages[0].asked = true
		w.tell(sched.Event{Kind: sched.OutputLost, Job: sched.JobID(j), Stage: jb.stages[0].spec.Kind})
	}
}

// control yields to a stock scheduler now and then, in the midst of what was asked for, and takes over again.
func (w *World) control() {
	switch {
	case !w.yielded && !w.watching && w.naughty(30):
		w.yielded = true
		w.tell(sched.Event{Kind: sched.Control, Control: sched.Yield})
		for _, o := range w.orders {
			w.refuse(&o.item, o.item.Count, sched.Yielded)
			w.jobs[o.item.Job].stages[w.stageOf(&o.item)].asked = true
		}
		w.orders = w.orders[:0]
	case w.yielded && (w.beat >= w.cfg.Calm || w.naughty(8)):
		w.yielded = false
		w.tell(sched.Event{Kind: sched.Control, Control: sched.TakeOver})
	}
}

// ends tells whether a job has ended in this beat: that is news which a full state does not contain.
func (w *World) ends() bool {
	return slices.ContainsFunc(w.out, func(e sched.Event) bool { return e.Kind == sched.JobEnded })
}

// resync voids the book and tells everything anew, each fact with its age, jobs and attempts in any order. It may be the turn from or to
// watching.
func (w *World) resync(turn bool) {
	w.told = true
	w.orders = w.orders[:0]
	w.out = w.out[:0]
	for _, l := range w.ending {
		l.Unseen = true
	}
	w.tell(sched.Event{Kind: sched.Resync})
	switch {
	case w.yielded:
		w.tell(sched.Event{Kind: sched.Control, Control: sched.Yield})
	case w.watching:
		w.tell(sched.Event{Kind: sched.Control, Control: sched.Watch})
	case turn:
		w.tell(sched.Event{Kind: sched.Control, Control: sched.TakeOver})
	}
	for n := 1; n < len(w.nodes); n++ {
		nd := w.nodes[n]
		if nd.closed = false; nd.up {
			w.tell(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Power: nd.power, Age: w.age(nd.idle), Detail: &sched.Detail{Node: nd.spec}})
		}
	}
	var running []*attempt
	for _, a := range w.attempts[1:] {
		if a != nil {
			running = append(running, a)
		}
	}
	for _, i := range w.dice.Perm(len(w.jobs) - 1) {
		jb, id := w.jobs[i+1], sched.JobID(i+1)
		if !jb.arrived || jb.over {
			continue
		}
		jb.capped = false
		w.tell(sched.Event{Kind: sched.JobArrived, Job: id, Age: w.age(jb.came), Detail: &sched.Detail{Job: jb.now()}})
		if jb.cancelled > 0 {
			w.tell(sched.Event{Kind: sched.JobCancelled, Job: id})
		}
		for _, s := range jb.stages {
			if s.asked = s.ready; s.ready {
				w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
			}
		}
	}
	w.attempts = make([]*attempt, 1)
	for _, i := range w.dice.Perm(len(running)) {
		a := running[i]
		a.id = sched.AttemptID(len(w.attempts))
		w.attempts = append(w.attempts, a)
		w.tellStart(a)
	}
}

// age is how long ago a beat was.
func (w *World) age(beat int) units.Duration { return units.Duration(w.beat-beat) * Beat }

// now describes the job as far as anybody knows it: with the tasks that are known, and those that are done.
func (j *job) now() *workload.Job {
	spec := *j.spec
	spec.Stages = slices.Clone(spec.Stages)
	for k, s := range j.stages {
		s.told = max(s.told, s.shown)
		spec.Stages[k].Tasks, spec.Stages[k].Grows = s.spec.Tasks[:s.told], s.grows
		for i, state := range s.tasks {
			if state == taskDone {
				spec.Stages[k].Done = append(spec.Stages[k].Done, int32(i+1))
			}
		}
	}
	return &spec
}
