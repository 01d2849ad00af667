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
	Quits   bool // ApplicationMasters end their jobs, as users ask them to
	Retires bool // nodes are decommissioned
	Rents   int  // so many nodes, the last ones, belong to a cloud, which offers them

	Watching bool       // the scheduler is to watch first
	Begin    units.Time // what the clock shows when the world begins; jobs and their deadlines come so much later
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
	silent   []silence

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
	spec  *cluster.Node
	first *cluster.Node // its description in the beginning
	up    bool
	free  units.Vector
	idle  int             // beat in which it came up, or the last container on it ended
	back  int             // beat at which it comes back, or is awake
	mute  int             // beat until which it does not beat
	state sched.NodeState // what it would be told to be
	item  sched.ItemID    // that wakes it
	twice bool            // that it is up is to be told again
	// it is being decommissioned: it offers nothing, and goes when nothing runs there
	leaving bool
}

type job struct {
	spec      *workload.Job
	admitted  bool
	arrived   bool
	came      int // beat in which it arrived
	over      bool
	failed    bool
	ended     int          // beat in which its ApplicationMaster had all that it wanted, 0 = it has not; it goes later
	cancelled int          // beat in which its user cancelled it, 0 = none did
	quits     int          // beat in which its ApplicationMaster began to end it, 0 = it does not
	eager     bool         // its reduces are asked for before its last map is done
	shunned   sched.NodeID // its ApplicationMaster wants nothing there, 0 = none; spec.Avoids is what was told
	stages    []*stage
}

type stage struct {
	spec   *workload.StageSpec
	tasks  []taskState // which the world keeps to itself
	again  []bool      // tasks that failed: they are asked for in rows of their own, as YARN's other priority
	done   int         // of them
	sample int32       // tasks that may start although the job is not admitted
	ready  bool
	asked  bool // its demand has changed since it was told
	shown  int  // tasks that it asks for so far, those from the first on
	told   int  // tasks that the book was told of
	grows  bool // nobody has said that these are all
	mute   bool // its ApplicationMaster is away: nobody asks for anything
	flight int  // containers started since it asked last
	// that it has asked for and not been given: no more start, though more may than it needs
	claim  int
	racks  map[cluster.RackID]bool // that it has ever named
	nodes  map[sched.NodeID]bool
	hidden []hidden
}

// hidden is a task that has failed, though its attempt ended well as far as anybody was told.
type hidden struct{ task, due int }

type taskState uint8

const (
	taskOpen taskState = iota
	taskRuns
	taskHidden
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
	id       sched.AttemptID
	job      sched.JobID
	stage    int
	task     int // by position, below 0: none needs the container
	locality sched.Locality
	node     sched.NodeID
	kind     uint8
	item     sched.ItemID
	since    int // beat in which it started
	ends     int // beat
	life     *Life
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
	w := &World{cfg: cfg, dice: rand.New(rand.NewPCG(cfg.Seed, 7)), wake: units.Never, told: true, watching: cfg.Watching,
		seen: make(map[sched.ItemID]bool), nodes: make([]*node, 1), jobs: make([]*job, 1), attempts: make([]*attempt, 1)}
	for i, n := range cfg.Cluster.Nodes {
		nd := &node{spec: n, first: n, up: true, state: sched.Awake, free: n.Class.Capacity}
		if i >= len(cfg.Cluster.Nodes)-cfg.Rents {
			own, class := *n, *n.Class
			class.Most, class.WakeTime, own.Class = cfg.Rents, Beat, &class
			nd.spec, nd.up, nd.state = &own, false, sched.Offered
			nd.first = nd.spec
		}
		w.nodes = append(w.nodes, nd)
	}
	for i := range cfg.Jobs {
		j := &job{spec: later(cfg.Jobs[i], cfg.Begin)}
		for k := range j.spec.Stages {
			s := &j.spec.Stages[k]
			j.stages = append(j.stages, &stage{spec: s, racks: make(map[cluster.RackID]bool), nodes: make(map[sched.NodeID]bool)})
			j.stages[k].mute = k > 0 && j.spec.Stages[0].Kind == sched.Master
			j.stages[k].fill(len(s.Tasks))
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// later is a job whose times lie so much later.
func later(spec *workload.Job, by units.Time) *workload.Job {
	j := *spec
	j.Arrive = j.Arrive.Add(units.Duration(by))
	for _, t := range []*units.Time{&j.Deadline, &j.Soft} {
		if *t != units.Never {
			*t = t.Add(units.Duration(by))
		}
	}
	if j.Workflow != nil {
		f := *j.Workflow
		if j.Workflow = &f; f.Deadline != units.Never {
			f.Deadline = f.Deadline.Add(units.Duration(by))
		}
	}
	return &j
}

// fill gives the stage so many tasks that are open.
func (s *stage) fill(n int) { s.tasks, s.again, s.hidden = make([]taskState, n), make([]bool, n), nil }

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

func (w *World) now() units.Time { return w.when(w.beat) }

// when is what the clock shows at a beat.
func (w *World) when(beat int) units.Time { return w.cfg.Begin.Add(units.Duration(beat) * Beat) }

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
			w.stands(sched.NodeID(n))
		}
	}
	w.speakUp()
	w.moveNodes()
	w.endAttempts()
	w.noticeFailures()
	w.moveMasters()
	w.doOrders()
	w.control()
	w.startUnplanned()
	w.cancel()
	w.moveJobs()
	w.supplies()
	turn := !w.watching && !w.yielded && w.naughty(60) || w.watching && w.beat > 1 && (w.beat >= w.cfg.Calm || w.naughty(12))
	if turn || w.beat == 1 && w.watching || w.naughty(40) || !w.told && w.beat >= w.cfg.Calm {
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
		if nd.serves() && nd.mute <= w.beat {
			w.tell(sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(n)})
		}
	}
}
