package engine

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// World is the engine during one run.
type World struct {
	cfg     Config
	now     units.Time
	wake    units.Time
	told    units.Time // when progress was
	started bool
	handed  bool // the first batch

	nodes    []*node    // by handle, [0] unused
	jobs     []*job     // by handle, [0] unused; nil = the handle is free
	attempts []*attempt // by handle

	freeJobs, endedJobs []sched.JobID // handles to be used again; those of this batch rest until the next
	free, resting       []sched.AttemptID

	known   map[string]*link  // jobs of the run by ID, those that ended lately too
	outputs map[string]string // IDs of jobs that have not ended, by absolute output directory
	gone    []*link           // of known jobs that have ended, the oldest first
	waiting heap.Heap[*job]   // jobs that have not arrived and wait for nothing but their time
	parting []parting         // jobs that are to end in the next batch
	over    []*batch          // of jobs that have all ended since the last batch of events
	number  int               // of the job that was submitted last
	present int               // jobs that were submitted and have not ended
	begun   int               // of these, that have a log and a lock open
	wants   []*want           // what stages of jobs that are there may ask for
	shut    bool              // no more jobs are let in
	arrived []*Request        // to cancel jobs that have arrived in this batch
	seen    drive.Seen
	looks   int // at jobs, one by one; tests hold it against how many there are

	desks  []*cloud.Desk // at clouds that offer nodes
	drains int           // nodes that drain, to be given back
	lost   []sched.NodeID

	halted error // why the machine cannot continue; nil = it can
	paused error // why the run was stopped before its end; nil = it was not

	reports  *mailbox[report]
	running  sync.WaitGroup // goroutines of attempts
	settling sync.WaitGroup // goroutines that commit jobs or remove what they wrote
	out      []sched.Event
	given    []sched.Event
}

var _ drive.World = (*World)(nil)

// New checks the jobs, finds and cuts their input, and returns the engine before anything runs or
// is written. An error is one sentence on what cannot be: input that is not there, an output
// directory that is, a circle of predecessors.
func New(cfg Config) (*World, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	w := empty(cfg)
	w.shut = cfg.Source == nil
	if err := w.submit(cfg.Jobs); err != nil {
		return nil, err
	}
	return w, nil
}

// empty is the engine without jobs.
func empty(cfg Config) *World {
	w := &World{cfg: cfg, wake: units.Never, nodes: make([]*node, 1), jobs: make([]*job, 1), attempts: make([]*attempt, 1),
		known: make(map[string]*link), outputs: make(map[string]string), reports: newMailbox[report]()}
	w.waiting.Before = comesBefore
	for _, n := range cfg.Cluster.Nodes {
		w.nodes = append(w.nodes, &node{Node: truth.Node{Spec: n, Free: n.Class.Capacity}, up: !n.Class.Rented(),
			outputs: make(map[*job]bool)})
		if n.Class.Rented() {
			w.nodes[len(w.nodes)-1].lease = offered
		}
	}
	return w
}

// slots is how many map and reduce slots there are by now.
func (w *World) slots() (maps, reduces int) {
	for _, n := range w.nodes[1:] {
		maps += int(n.Spec.Class.Capacity[units.MapSlots])
		reduces += int(n.Spec.Class.Capacity[units.ReduceSlots])
	}
	return maps, reduces
}

// Can says what the engine is able to do.
func (w *World) Can() sched.Capabilities {
	can := sched.Capabilities{World: "engine", Bind: true, Kill: true, Mold: true, Speculate: w.cfg.Progress > 0, Power: w.rents(), Heartbeat: w.cfg.Heartbeat, Prompt: true}
	if at := w.cfg.began(); !at.IsZero() {
		can.Origin = at.Format(time.RFC3339Nano)
	}
	return can
}

// WakeAt asks for a Tick at t.
func (w *World) WakeAt(t units.Time) { w.wake = t }

func (w *World) emit(e sched.Event) { w.out = append(w.out, e) }

// Next waits until something has happened. When ctx ends, or the machine has no more room, it
// pauses the run: it stops all attempts, tells their end, and then returns why. What unfinished
// jobs have committed stays, for another run to resume. A run whose source is open has no end
// of its own: it ends when ctx does while it has no job.
func (w *World) Next(ctx context.Context) (drive.Batch, error) {
	if !w.started {
		w.begin()
	}
	for {
		if fault.Dead() {
			return drive.Batch{}, w.die()
		}
		w.forget()
		if w.done(ctx) {
			w.await(&w.running) // goroutines that were left behind
			w.giveAllBack()
			return drive.Batch{}, io.EOF
		}
		if w.paused != nil {
			w.leave()
			w.giveAllBack()
			return drive.Batch{}, w.paused
		}
		w.now = max(w.now, w.cfg.Clock())
		if err := cmp.Or(ctx.Err(), w.halted); err != nil {
			w.pause(err)
			if len(w.out) > 0 {
				return w.hand(), nil
			}
			continue
		}
		for _, r := range w.reports.take() {
			w.hear(r)
		}
		if w.halted != nil {
			continue
		}
		w.part()
		w.giveBack()
		w.step()
		w.requests()
		w.arrivals()
		w.alarms()
		w.progress()
		if w.wake <= w.now {
			w.wake = units.Never
			w.emit(sched.Event{Kind: sched.Tick})
		}
		w.beats()
		if len(w.out) > 0 {
			return w.hand(), nil
		}
		if !w.done(ctx) && w.halted == nil { // which a job that has just come may have met
			w.sleep(ctx)
		}
	}
}

// done tells whether all jobs have ended, none will come, and that was told.
func (w *World) done(ctx context.Context) bool {
	return len(w.out) == 0 && w.present == 0 && (w.shut || ctx.Err() != nil)
}

// begin tells what is there.
func (w *World) begin() {
	w.started = true
	for n := 1; n <= len(w.cfg.Cluster.Own()); n++ {
		w.nodes[n].fresh = true
		w.emit(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: w.nodes[n].Spec}})
	}
	w.goShopping()
	for _, p := range w.cfg.Profiles {
		w.emit(sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: p}})
	}
}

// hear takes in what another goroutine reports.
func (w *World) hear(r report) {
	switch {
	case r.attempt != nil:
		w.ended(&r)
	case r.cut != nil:
		w.molded(&r)
	case r.read != nil:
		w.prepared(r.job, r.read, r.err)
	case r.job != nil:
		w.settled(r.job, r.err)
	case r.rented:
		w.rented(r.node, r.up)
	case r.up:
		w.nodeUp(r.node)
	default:
		w.nodeDown(r.node)
	}
}

// hand returns the batch in the order of kinds.
func (w *World) hand() drive.Batch {
	slices.SortStableFunc(w.out, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	w.given, w.out, w.handed = w.out, w.given[:0], true
	w.free = append(w.free, w.resting...)
	w.freeJobs = append(w.freeJobs, w.endedJobs...)
	w.resting, w.endedJobs = w.resting[:0], w.endedJobs[:0]
	return drive.Batch{At: w.now, Events: w.given}
}

// sleep waits for a report, a request, the next alarm, or the end of ctx.
func (w *World) sleep(ctx context.Context) {
	due := min(w.wake, w.nextStep(), w.nextArrival(), w.nextAlarm(), w.nextBeat(), w.nextProgress())
	var alarm <-chan time.Time
	var came <-chan struct{}
	if w.cfg.Source != nil { // behind a door that is shut there are jobs to be cancelled
		came = w.cfg.Source.Came()
	}
	if due < units.Never {
		t := time.NewTimer(time.Duration(max(0, due.Sub(w.now))))
		defer t.Stop()
		alarm = t.C
	}
	select {
	case <-w.reports.bell:
	case <-came:
	case <-alarm:
	case <-ctx.Done():
	}
}

// await waits for goroutines, for the grace period at most: user code that does not stop cannot be
// stopped.
func (w *World) await(group *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	t := time.NewTimer(time.Duration(w.cfg.Grace))
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}
