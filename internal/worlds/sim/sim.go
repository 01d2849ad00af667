package sim

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// World is a cluster and its workload in virtual time. It implements drive.World and is used by one loop only.
type World struct {
	cfg  Config
	now  units.Time
	wake units.Time // the Tick asked for

	queue   queue
	changes []change // the script, in order of time
	source  workload.Source
	next    arriving

	nodes    []node // by handle, [0] unused
	racks    racks
	kinds    []kind  // of containers with labels
	waiting  []int32 // kinds that some stage waits for, ascending
	beat     beats
	touched  []int32 // nodes whose state may have to change at this instant
	leaving  []int32 // drained nodes that are empty, to go with the next batch
	size     int     // nodes that should be there
	draining int

	jobs    []job            // by handle, [0] unused
	links   map[string]*link // of jobs that have arrived or that others wait for, by ID
	recent  recent           // of these, what a source brought last
	doomed  []int32          // arrived jobs that can never run, to end with the next batch
	present int              // jobs in the system
	powered bool             // some class says what its nodes draw
	begun   units.Time       // what attempts drew before is not told

	attempts []attempt     // by handle, [0] unused
	paces    []pace        // by handle
	marks    []energy.Mark // by handle, nil = what containers draw just adds (powered), or no class says anything
	timed    int           // attempts whose end stands in the queue

	freeJobs, endedJobs         []int32 // handles to be used again; those of this batch rest until the next
	freeAttempts, endedAttempts []int32

	out, given []sched.Event   // the batch being made, and the one handed out
	latest     sched.EventKind // that was added to it
	mixed      bool            // some kind was added behind a higher one
	held       int             // of the batch being made, those that wait for others: see Heed
	news       sched.Events    // kinds of the others
	made       bool            // the batch is, and has to be handed out
	waits      sched.Events    // kinds of events that may
	seen       drive.Seen
	late       bool // it began from the book of a world that binds late: see late.go
	asks       []asking
	grew       []int32      // jobs of which nobody had said how many tasks they have
	last       sched.ItemID // that it was given
	started    bool
	calls      uint64
	failed     error     // of the source of jobs
	cover      []int32   // nodes with the first copies, by position; nil = any
	popular    []float64 // files: see files.go
	fabric     fabric
	reporting  bool // a report of progress is in the queue
	idle       idling
	stall      stall
	coming     int // entries of the queue that were written down: changes, arrivals, the limit
	lapsed     int // entries of the queue that are stale
}

var _ drive.World = (*World)(nil)

// New returns the world at time 0, or says in one sentence what is wrong with the configuration.
func New(cfg Config) (*World, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.MaxFailures == 0 {
		cfg.MaxFailures = 4
	}
	if cfg.Recent == 0 {
		cfg.Recent = workload.Remembered
	}
	if cfg.Patience == 0 {
		cfg.Patience = units.Hour
	}
	w := &World{
		cfg:      cfg,
		wake:     units.Never,
		changes:  cfg.script(),
		jobs:     make([]job, 1),
		attempts: make([]attempt, 1),
		paces:    make([]pace, 1),
		size:     len(cfg.Cluster.Nodes),
		links:    make(map[string]*link),
		next:     arriving{at: units.Never},
		stall:    stall{most: ordinaryPatience, ended: units.Never},
	}
	w.fabric.ends.Before = (*flow).before
	w.cfg.Times = cfg.Times.normalized()
	w.popular = newPopularity(cfg.Files)
	w.makeNodes()
	w.powered = slices.ContainsFunc(cfg.Cluster.Classes, energy.Known)
	if w.powered && slices.ContainsFunc(cfg.Cluster.Classes, func(c *cluster.Class) bool { return !c.Adds() }) {
		w.marks = make([]energy.Mark, 1)
	}
	if w.racks = newRacks(cfg.Cluster); cfg.Placement == Cover {
		w.cover = Covering(cfg.Cluster)
	}
	w.source = cfg.source()
	w.beat = newBeats(cfg.Heartbeat, len(cfg.Cluster.Nodes))
	return w, nil
}

// Can says what the simulator is able to do.
func (w *World) Can() sched.Capabilities {
	can := w.cfg.Can()
	can.Bind = !w.late
	return can
}

// WakeAt asks for a Tick at t. One for the past comes at once.
func (w *World) WakeAt(t units.Time) { w.wake = t }

// mayWait are the kinds of events that may be told late.
const mayWait = sched.Events(1<<sched.Started | 1<<sched.Ended)

// Heed lets starts and ends of attempts wait that nobody heeds: they are told with the next event of
// another kind. A world that binds late tells its demand at once, and with it all else.
func (w *World) Heed(kinds sched.Events) {
	if w.waits = mayWait &^ kinds; w.late {
		w.waits = 0
	}
}

// Next moves the clock to the next instant at which something happens that is to be told, and
// returns what has.
func (w *World) Next(ctx context.Context) (drive.Batch, error) {
	if w.calls%1024 == 0 {
		if err := ctx.Err(); err != nil {
			return drive.Batch{}, err
		}
	}
	w.calls++
	if !w.started {
		w.begin()
	}
	if w.made {
		w.made = false
		return w.hand(), nil
	}
	if w.cfg.Heartbeat > 0 && !w.tells() { // what the last plan has started waits, too
		w.hold()
	}
	for planned := w.now; ; planned = units.Never {
		w.audit() // what the last plan has left
		if w.over() && len(w.out) == 0 {
			return drive.Batch{}, io.EOF
		}
		at := w.pass()
		if err := w.stuck(at); err != nil {
			if w.held > 0 {
				return w.hand(), nil // the error comes again
			}
			return drive.Batch{}, err
		}
		if w.now = at; at == planned {
			w.held = 0 // what the last plan has started is told with what else happens at its instant
		}
		w.happen()
		if w.failed != nil {
			return drive.Batch{}, w.failed
		}
		w.audit()
		if len(w.grew)+len(w.asks) > 0 {
			w.tellDemand()
		}
		switch {
		case w.held > 0 && w.reorders():
			return w.handHeld(), nil
		case w.tells(), w.over() && w.held > 0:
			return w.hand(), nil
		}
		w.hold()
	}
}

// pass lets attempts end that nobody heeds, each at its instant, for as long as nothing else happens, and returns
// when something else may, units.Never if nothing will. It is what Next would do without it, instant by instant.
func (w *World) pass() units.Time {
	if !w.waits.Has(sched.Ended) || len(w.out) > w.held || w.draining+len(w.leaving)+len(w.doomed) > 0 {
		return w.soonest()
	}
	for {
		w.audit()
		d, until := w.earliest(), min(w.nextBeat(), max(w.wake, w.now))
		ends := d != nil && d.at < min(until, horizon) && d.class() == attemptEnd && !w.attempts[d.arg].breaks
		if len(w.out) > w.held {
			if until <= w.now || d != nil && d.at == w.now && !ends {
				return w.now // something else is to happen at this instant
			}
			w.idle.progress(w.now)
			w.hold()
		}
		if !ends {
			if d != nil {
				until = min(until, d.at)
			}
			return until
		}
		w.now = d.at
		w.queue.pop()
		w.finish(d.arg)
		if w.tells() {
			return w.now
		}
	}
}

// hold holds back what there is of the batch being made.
func (w *World) hold() { w.held, w.news = len(w.out), 0 }

// reorders tells whether an event of this instant would come before those that were held back.
func (w *World) reorders() bool { return w.news&(1<<sched.Started-1) != 0 }

// handHeld returns what was held back in a batch of its own, as late as it is told; that of this instant comes
// behind it, and handles are free again when that is told too.
func (w *World) handHeld() drive.Batch {
	rest := slices.Clone(w.out[w.held:])
	w.out, w.made = w.out[:w.held], true
	b := w.batch()
	w.out, w.mixed = append(w.out, rest...), true
	return b
}

// tells tells whether the batch being made has an event that may not wait.
func (w *World) tells() bool { return w.news&^w.waits != 0 }

// begin brings what is there at time 0.
func (w *World) begin() {
	w.started = true
	for n := 1; n < len(w.nodes); n++ {
		w.comes(int32(n))
	}
	profiles := slices.Clone(w.cfg.Profiles)
	slices.SortStableFunc(profiles, func(a, b *profile.Class) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range profiles {
		w.emit(sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: p}})
	}
	w.nextChange(0)
	for r := range w.racks.count() {
		w.expectRackBreakdown(int32(r), 0)
	}
	w.expectArrival()
	if w.cfg.Until > 0 {
		w.queue.push(w.cfg.Until, limit, 0, 0)
		w.coming++
	}
}

// soonest returns the next instant at which something may happen, units.Never if there is none.
func (w *World) soonest() units.Time {
	if len(w.out) > w.held || len(w.leaving)+len(w.doomed)+len(w.asks) > 0 {
		return w.now
	}
	at := max(w.wake, w.now)
	if d := w.earliest(); d != nil {
		at = min(at, d.at)
	}
	if at > w.now {
		at = min(at, w.nextBeat())
	}
	return at
}

// earliest returns the first entry of the queue that is not stale.
func (w *World) earliest() *due {
	if w.lapsed > 0 {
		w.dropStale()
	}
	return w.queue.top()
}

// dropStale drops stale entries until one is met that is not.
func (w *World) dropStale() {
	for d := w.queue.top(); w.lapsed > 0 && d != nil && w.stale(d); d = w.queue.top() {
		w.queue.pop()
		w.lapsed--
	}
}

func (w *World) stale(d *due) bool {
	switch d.class() {
	case attemptEnd, masterUp:
		return w.attempts[d.arg].gen != d.gen
	case arrival:
		return w.next.gen != d.gen
	case fetched:
		return w.fabric.gen != d.gen
	}
	return false
}

// happen makes the events of the instant.
func (w *World) happen() {
	if len(w.leaving)+len(w.doomed) > 0 {
		w.settle()
	}
	for {
		d := w.earliest()
		if d == nil || d.at != w.now {
			break
		}
		if d.class() > restored && len(w.touched) > 0 {
			w.reconcile() // which may make this entry stale
			continue
		}
		e := *d
		w.queue.pop()
		w.handle(&e)
	}
	if len(w.touched) > 0 {
		w.reconcile()
	}
	if w.wake <= w.now {
		w.wake = units.Never
		w.emit(sched.Event{Kind: sched.Tick})
		w.freshen()
	}
	if !w.over() {
		w.sendBeats()
	}
}

// settle does what was left for this batch because the last one could not carry it in order.
func (w *World) settle() {
	for _, n := range w.leaving {
		w.leave(n)
	}
	w.leaving = w.leaving[:0]
	for i := 0; i < len(w.doomed); i++ {
		if j := w.doomed[i]; w.jobs[j].Here {
			w.endJob(j, sched.Killed, w.doom(j))
		}
	}
	w.doomed = w.doomed[:0]
}

func (w *World) handle(d *due) {
	switch d.class() {
	case scripted:
		w.coming--
		w.change(&w.changes[d.arg])
		w.nextChange(int(d.arg) + 1)
	case breakdown:
		w.breakDown(d.arg, d.gen)
	case repair:
		w.repaired(d.arg)
	case rackBreakdown, rackRepair:
		w.rackChanges(d.arg, d.gen, d.class() == rackBreakdown)
	case awake:
		w.awoken(d.arg, d.gen)
	case restored:
		w.restore(d.arg, d.gen)
	case masterUp:
		w.masterReady(d.arg)
	case fetched:
		w.fabric.timed = false
		w.fetched()
	case attemptEnd:
		w.finish(d.arg)
	case progressReport:
		w.report()
	case arrival:
		w.arrive()
	case limit:
		w.coming--
		w.cutOff()
	}
}

func (w *World) nextChange(i int) {
	if i < len(w.changes) {
		w.queue.push(w.changes[i].at, scripted, int32(i), 0)
		w.coming++
	}
}

// emit adds an event to the batch being made.
func (w *World) emit(e sched.Event) {
	e.Age = units.Duration(w.now)
	*w.add(e.Kind) = e
}

// add adds an event to the batch being made, which the caller fills in before anything else happens. Until the
// batch is handed out, Age is when it happened.
func (w *World) add(k sched.EventKind) *sched.Event {
	w.out = append(w.out, sched.Event{})
	e := &w.out[len(w.out)-1]
	e.Kind, e.Age = k, units.Duration(w.now)
	w.news |= 1 << k
	if k < w.latest {
		w.mixed = true
	}
	w.latest = k
	return e
}

// hand returns the batch in the order of the kinds, those of a kind in the order they were made,
// and lets the handles that ended in it be used again from now on: what uses them is told in a
// later batch.
func (w *World) hand() drive.Batch {
	if len(w.endedJobs) > 0 {
		w.freeJobs, w.endedJobs = append(w.freeJobs, w.endedJobs...), w.endedJobs[:0]
	}
	if len(w.endedAttempts) > 0 {
		w.freeAttempts, w.endedAttempts = append(w.freeAttempts, w.endedAttempts...), w.endedAttempts[:0]
	}
	return w.batch()
}

// batch returns the batch being made, with the ages of its events: only starts and ends have waited.
func (w *World) batch() drive.Batch {
	for i := range w.out {
		e := &w.out[i]
		e.Age = units.Duration(w.now) - e.Age
	}
	inOrder := !w.mixed
	w.held, w.news, w.mixed, w.latest = 0, 0, false, 0
	if inOrder {
		w.given, w.out = w.out, w.given[:0]
		return drive.Batch{At: w.now, Events: w.given}
	}
	var place [sched.EventKinds + 1]int
	for i := range w.out {
		place[w.out[i].Kind+1]++
	}
	for k := 1; k < len(place); k++ {
		place[k] += place[k-1]
	}
	w.given = slices.Grow(w.given[:0], len(w.out))[:len(w.out)]
	for i := range w.out {
		k := w.out[i].Kind
		w.given[place[k]] = w.out[i]
		place[k]++
	}
	w.out = w.out[:0]
	return drive.Batch{At: w.now, Events: w.given}
}
