package dumb

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// World is a cluster and its workload, looked at from end to end whenever anything is asked.
type World struct {
	cfg    sim.Config
	begun  bool
	now    units.Time
	wake   units.Time
	timed  int // moments so far
	source workload.Source
	script []change
	nodes  []*node // by handle, [0] unused
	racks  []*rack // that have nodes
	jobs   []*job  // by handle, nil = nobody has it
	runs   []*run  // in order of their start
	ended  map[string]bool
	report moment
	limit  moment

	toSettle, leaving      []int // nodes to bring to where they should be; nodes that go with the next batch
	size                   int
	doomed                 []*job
	news                   []want
	seen                   map[sched.ItemID]bool
	out                    []sched.Event
	freeJobs, freeRuns     []int // the last one is taken next
	restedJobs, restedRuns []int // free after this batch
	lastRun, arrivals      int
}

// moment is when something happens, and its number among what was timed.
type moment struct {
	at  units.Time
	seq int
}

var never = moment{at: units.Never}

// want is a container on a node with labels.
type want struct {
	needs  units.Vector
	labels []string
}

// New returns the world at time 0.
func New(cfg sim.Config) (*World, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.MaxFailures == 0 {
		cfg.MaxFailures = 4
	}
	w := &World{cfg: cfg, wake: units.Never, report: never, limit: never, size: len(cfg.Cluster.Nodes), nodes: []*node{nil}, jobs: []*job{nil},
		ended: map[string]bool{}, seen: map[sched.ItemID]bool{}}
	if cfg.Source != nil {
		w.source = cfg.Source()
	} else {
		w.source = cfg.Workload.Source()
	}
	for _, n := range cfg.Cluster.Nodes {
		w.nodes = append(w.nodes, &node{spec: n, factor: 1, beat: -1, breaks: never, repaired: never, awake: never, restored: never})
	}
	for id := 1; id <= cfg.Cluster.Racks; id++ {
		r := &rack{id: cluster.RackID(id), class: rackBreaks, changes: never}
		if slices.ContainsFunc(cfg.Cluster.Nodes, func(n *cluster.Node) bool { return n.Rack == r.id && n.Class.Most == 0 }) {
			w.racks = append(w.racks, r)
		}
	}
	w.script = w.plan()
	return w, nil
}

// Can says what the simulator is able to do: the same as sim.
func (w *World) Can() sched.Capabilities {
	return sched.Capabilities{World: "sim", Bind: true, Kill: true, Mold: true, Power: true, Speculate: w.cfg.Progress > 0, Heartbeat: w.cfg.Heartbeat, Origin: w.cfg.Origin}
}

// WakeAt asks for a Tick at t.
func (w *World) WakeAt(t units.Time) { w.wake = t }

// Next steps to the next time at which anything happens.
func (w *World) Next(context.Context) (drive.Batch, error) {
	if !w.begun {
		w.begin()
	}
	for len(w.out) > 0 || !w.over() {
		at := w.soonest()
		if at == units.Never {
			return drive.Batch{}, errors.New("nothing will ever happen again")
		}
		w.transfer(at)
		w.burn(at)
		w.now = at
		w.happen()
		if len(w.out) > 0 {
			slices.SortStableFunc(w.out, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
			b := drive.Batch{At: w.now, Events: w.out}
			w.out = nil
			w.freeJobs, w.freeRuns = append(w.freeJobs, w.restedJobs...), append(w.freeRuns, w.restedRuns...)
			w.restedJobs, w.restedRuns = nil, nil
			return b, nil
		}
	}
	return drive.Batch{}, io.EOF
}

func (w *World) begin() {
	w.begun = true
	for n := 1; n < len(w.nodes); n++ {
		if w.nodes[n].spec.Class.Most > 0 {
			w.offer(n)
		} else {
			w.comeUp(n)
		}
	}
	profiles := slices.Clone(w.cfg.Profiles)
	for range profiles { // bubbles
		for i := 1; i < len(profiles); i++ {
			if profiles[i].Name < profiles[i-1].Name {
				profiles[i-1], profiles[i] = profiles[i], profiles[i-1]
			}
		}
	}
	for _, p := range profiles {
		w.emit(sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: p}})
	}
	for i := range w.racks {
		w.expectRack(i)
	}
	if w.cfg.Until > 0 {
		w.limit = w.in(units.Duration(w.cfg.Until))
	}
}

func (w *World) emit(e sched.Event) { w.out = append(w.out, e) }

// in times something.
func (w *World) in(d units.Duration) moment {
	w.timed++
	return moment{w.now.Add(d), w.timed}
}

func (w *World) over() bool {
	return w.source.Due() == units.Never && !slices.ContainsFunc(w.jobs, func(j *job) bool { return j != nil })
}

// soonest is the least of all times at which anything may happen.
func (w *World) soonest() units.Time {
	if len(w.out)+len(w.leaving)+len(w.doomed) > 0 {
		return w.now
	}
	at := w.wake
	if first := w.first(); first.does != nil {
		at = min(at, first.moment.at)
	}
	for n := 1; n < len(w.nodes); n++ {
		if hb := w.cfg.Heartbeat; hb > 0 && w.wanted(n) {
			t := w.phase(n)
			for t < w.now || w.nodes[n].beat == t {
				t += units.Time(hb)
			}
			at = min(at, t)
		} else if hb == 0 && (w.nodes[n].news || slices.ContainsFunc(w.news, w.waitedFor)) {
			at = w.now
		}
	}
	return max(at, w.now)
}

func (w *World) phase(n int) units.Time {
	return units.Time(int64(n-1) * int64(w.cfg.Heartbeat) / int64(len(w.nodes)-1))
}

// thing is something that is timed.
type thing struct {
	moment
	class int
	does  func()
}

// The classes of things, in the order in which they happen at one instant.
const (
	changes = iota
	breaks
	repairs
	rackBreaks
	rackRepairs
	wakes
	restores
	mastersUp
	transfers
	ends
	limits
	arrives
	reports
)

// first looks through everything that is timed for what comes first.
func (w *World) first() thing {
	best := thing{moment: never}
	see := func(class int, m moment, does func()) {
		if m.at < best.at || m.at == best.at && m.at != units.Never && (class < best.class || class == best.class && m.seq < best.seq) {
			best = thing{m, class, does}
		}
	}
	for i, c := range w.script {
		see(changes, moment{c.at, i}, func() { w.script = slices.Delete(w.script, i, i+1); c.does() })
	}
	for n, nd := range w.nodes[1:] {
		see(breaks, nd.breaks, func() { w.breakDown(n + 1) })
		see(repairs, nd.repaired, func() { nd.repaired = never; w.away(n+1, -1) })
		see(wakes, nd.awake, func() { w.wakeUp(n + 1) })
		see(restores, nd.restored, func() { w.restore(n + 1) })
	}
	for i, r := range w.racks {
		see(r.class, r.changes, func() { w.rackChanges(i) })
	}
	for _, r := range w.runs {
		switch {
		case r.fetching:
			left := max(0, math.Ceil(r.flow/w.rate()-0.25))
			see(transfers, moment{w.now.Add(units.Duration(left)), r.handle}, func() { w.fetched(r) })
		case r.isMaster():
			see(mastersUp, r.end, func() { w.masterUp(r) })
		default:
			see(ends, r.end, func() { w.finish(r) })
		}
	}
	see(limits, w.limit, w.cutOff)
	see(arrives, moment{at: max(w.source.Due(), w.now)}, w.arrive)
	see(reports, w.report, w.tellProgress)
	return best
}

// happen makes the events of an instant.
func (w *World) happen() {
	leaving, doomed := w.leaving, w.doomed
	w.leaving, w.doomed = nil, nil
	for _, n := range leaving {
		switch nd := w.nodes[n]; {
		case nd.state != draining || !w.empty(n):
		case nd.slept && !nd.removed:
			w.fallAsleep(n)
		default:
			w.goDown(n)
		}
	}
	for _, j := range doomed {
		w.endJob(j, sched.Killed, j.doom())
	}
	for {
		next := w.first()
		if next.at != w.now || next.class > restores {
			w.settle()
			if next = w.first(); next.at != w.now {
				break
			}
		}
		next.does()
	}
	w.settle()
	if w.wake <= w.now {
		w.wake = units.Never
		w.emit(sched.Event{Kind: sched.Tick})
		w.everythingIsNew()
	}
	for n := 1; n < len(w.nodes) && !w.over(); n++ {
		nd, hb := w.nodes[n], units.Time(w.cfg.Heartbeat)
		beats := nd.news || slices.ContainsFunc(w.news, func(x want) bool { return w.room(n, x) })
		if hb > 0 {
			beats = w.now >= w.phase(n) && (w.now-w.phase(n))%hb == 0 && nd.beat != w.now
		}
		if nd.news = false; beats && w.wanted(n) {
			nd.beat = w.now
			w.emit(sched.Event{Kind: sched.Heartbeat, Node: cluster.NodeID(n)})
		}
	}
	w.news = nil
}

// wanted tells whether the node has room for a container of a stage that waits.
func (w *World) wanted(n int) bool {
	for _, j := range w.jobs {
		for _, s := range j.all() {
			if w.waits(s) && slices.ContainsFunc(s.wants(), func(x want) bool { return w.room(n, x) }) {
				return true
			}
		}
	}
	return false
}

// waitedFor tells whether a stage still waits for such a container.
func (w *World) waitedFor(x want) bool {
	for _, j := range w.jobs {
		for _, s := range j.all() {
			if w.waits(s) && slices.ContainsFunc(s.wants(), func(y want) bool { return y.needs == x.needs && slices.Equal(y.labels, x.labels) }) {
				return true
			}
		}
	}
	return false
}

func (w *World) room(n int, x want) bool {
	nd := w.nodes[n]
	return nd.serves() && nd.free.Fits(&x.needs) && nd.spec.Carries(x.labels)
}

// everythingIsNew lets nodes be served that have room for anything that waits.
func (w *World) everythingIsNew() {
	for _, j := range w.jobs {
		for _, s := range j.all() {
			if w.waits(s) {
				w.news = append(w.news, s.wants()...)
			}
		}
	}
}
