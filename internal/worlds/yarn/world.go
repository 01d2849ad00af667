package yarn

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Config says who this Slackline is, and how it looks at a cluster.
type Config struct {
	Secret    []byte         // that plug-in and Slackline share
	TLS       *tls.Config    // by which the stream is encrypted; nil: it is not
	Version   string         // for people
	Name      string         // of this process, for people
	Heartbeat units.Duration // of the cluster's nodes
	Silence   time.Duration  // after which a plug-in that says nothing is given up; 10 s
	Offers    []Offer        // nodes that can be rented
	// what is said of nodes that carry the attribute after which it is named, or of all; the first counts
	Marked []*cluster.Class
	Slots  *Split    // how nodes are cut into slots; nil: containers are counted by what they take
	Named  []string  // YARN's names of what nodes have besides memory and vcores, at most four
	Mode   wire.Mode // to ask for at the start of each session; unspecified: as the plug-in is
	// Origin is the instant 0 of the cluster's clock; the zero time: the earliest that the first
	// snapshot names.
	Origin time.Time
	// Profiles are what is known of classes of jobs at the start.
	Profiles []*profile.Class
	Claims   Claims // what users may claim
	// Usual tells how many maps and reduces jobs of a class had so far, 0 maps if nobody knows. It is
	// called by the goroutine of the loop; nil: nobody ever knows.
	Usual func(class string) (maps, reduces int)
	// Promised tells whether an earlier life of this process promised an application its deadline. It is
	// called by the goroutine of the loop; nil: none has.
	Promised func(application string) bool
	// Clock is this machine's, by which containers' delays are told: where the plug-in is on another
	// one, both clocks have to agree for that; nil: time.Now.
	Clock func() time.Time
	// Note tells an operator of something odd. It is called from any goroutine; nil: nobody is told.
	Note func(sentence string)
}

// World is a YARN cluster.
type World struct {
	cfg     Config
	inbox   chan heard
	looks   chan func()
	news    chan cloud.Change
	stopped chan struct{}
	stop    sync.Once

	lock    sync.Mutex
	session *session // that counts, nil while no plug-in is attached
	wish    wire.Mode

	// What follows belongs to the goroutine of the loop.
	now      *session // whose snapshot the state below began with, or is to begin with
	life     string   // of the ResourceManager that was heard last
	lost     bool     // events are missing: nothing is taken in before the next snapshot
	next     int64    // number of the next event
	acked    int64    // what the plug-in was told to have been taken in
	mode     wire.Mode
	originMs int64
	dated    bool // originMs is known
	at       units.Time
	wake     units.Time
	batches  batches
	refusals []sched.Event // of the world's own, which ride in the next batch

	nodes handles[sched.NodeID] // that were up once
	racks handles[cluster.RackID]
	jobs  handles[sched.JobID]
	runs  handles[sched.AttemptID]
	up    map[sched.NodeID]*cluster.Node

	tenants map[sched.NodeID]*tenant // nodes of clouds
	desks   []*cloud.Desk

	apps  map[sched.JobID]*app
	boxes map[sched.AttemptID]*box
	open  map[sched.ItemID]*order
	seen  drive.Seen

	narrow bool // a node was too small for a slot, which was noted

	queues []*Queue
	begins bool           // they are those that the policy is made by
	other  bool           // and now they are others, so this world has stopped
	limits []limited      // the first to be tried again first
	placed sched.ItemID   // the last item that places something
	begun  *wire.Snapshot // of which parts are missing

	delays Delays
}

var _ drive.World = (*World)(nil)

// New returns a world to which no plug-in has attached yet.
func New(cfg Config) (*World, error) {
	switch {
	case len(cfg.Secret) == 0:
		return nil, errors.New("yarn: without a secret anybody could attach")
	case len(cfg.Named) > int(units.Dims-units.Named0):
		return nil, errors.New("yarn: at most four resources besides memory and vcores can be counted")
	}
	if err := cfg.Slots.validate(); err != nil {
		return nil, err
	}
	cfg.Silence = cmp.Or(cfg.Silence, 10*time.Second)
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	w := &World{cfg: cfg, inbox: make(chan heard, backlog), looks: make(chan func()), news: make(chan cloud.Change), stopped: make(chan struct{}), wish: cfg.Mode, wake: units.Never,
		mode: wire.Mode_MODE_STOCK}
	if !cfg.Origin.IsZero() {
		w.originMs, w.dated = cfg.Origin.UnixMilli(), true
	}
	w.forget()
	return w, nil
}

// forget drops what a snapshot tells again. Nodes keep their handles.
func (w *World) forget() {
	w.jobs, w.runs = handles[sched.JobID]{}, handles[sched.AttemptID]{}
	w.up, w.apps = make(map[sched.NodeID]*cluster.Node), make(map[sched.JobID]*app)
	w.boxes, w.open = make(map[sched.AttemptID]*box), make(map[sched.ItemID]*order)
	w.refusals, w.limits = nil, nil
}

// Can says that YARN binds late, and that containers can be killed.
func (w *World) Can() sched.Capabilities {
	c := sched.Capabilities{World: "yarn", Kill: true, Bounds: true, Power: len(w.cfg.Offers) > 0, Heartbeat: w.cfg.Heartbeat}
	if !w.cfg.Origin.IsZero() {
		c.Origin = w.cfg.Origin.UTC().Format(time.RFC3339Nano)
	}
	return c
}

// Origin is the instant 0 of the run, by the cluster's clock; the zero time before the first snapshot.
// It is for the goroutine of the loop.
func (w *World) Origin() time.Time {
	if !w.dated {
		return time.Time{}
	}
	return time.UnixMilli(w.originMs)
}

// WakeAt asks for a Tick, which rides in the first message of the plug-in from that time on.
func (w *World) WakeAt(t units.Time) { w.wake = t }

// Stop ends the run: Next returns what it has taken in, and then io.EOF.
func (w *World) Stop() { w.stop.Do(func() { close(w.stopped) }) }

// Begin waits for the first full state, and returns the queues that are in it: a policy is made by
// them. It is for the goroutine of the loop, before that.
func (w *World) Begin(ctx context.Context) []*Queue {
	for w.now == nil || w.lost {
		select {
		case m := <-w.inbox:
			w.take(m)
		case <-w.stopped:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	w.begins = true
	return w.queues
}

// Ask asks the plug-in for another mode, now and at the start of each session: to place work, to
// yield, or to watch. It may be called from any goroutine.
func (w *World) Ask(c sched.ControlVerb) {
	m := wire.Mode_MODE_STOCK
	for controlOf(m) != c {
		m++
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.wish = m; w.session != nil {
		select {
		case w.session.out <- &wire.AttachResponse{Says: &wire.AttachResponse_Mode{Mode: m}}:
		default: // it does not read, and will be given up
		}
	}
}

// Look has a function called by the goroutine of the loop, between two of its steps: it may look at what the loop
// knows. It may be called from any other goroutine.
func (w *World) Look(ctx context.Context, look func()) error {
	seen := make(chan struct{})
	select {
	case w.looks <- func() { defer close(seen); look() }:
		<-seen
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Wish is the mode that was asked for last. It may be called from any goroutine.
func (w *World) Wish() wire.Mode {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.wish
}

// Next waits for what the plug-in says. Before that it tells it that all before was taken in: so it is
// the loop that shows to be alive, not a goroutine beside it.
func (w *World) Next(ctx context.Context) (drive.Batch, error) {
	for {
		if b, ok := w.batches.pop(); ok {
			return b, nil
		}
		if w.now != nil && w.acked < w.next {
			w.acked = w.next
			w.beat()
		}
		select {
		case <-w.stopped:
			return drive.Batch{}, io.EOF
		default:
		}
		select {
		case m := <-w.inbox:
			w.take(m)
		case look := <-w.looks:
			look()
		case c := <-w.news:
			w.hear(c)
		case <-w.stopped:
			return drive.Batch{}, io.EOF
		case <-ctx.Done():
			return drive.Batch{}, ctx.Err()
		}
	}
}

func (w *World) beat() {
	w.send(&wire.AttachResponse{Says: &wire.AttachResponse_Beat{Beat: &wire.Beat{Seen: w.next}}})
}

// take takes in one message, and makes batches of it.
func (w *World) take(m heard) {
	w.nodes.reuse()
	w.jobs.reuse()
	w.runs.reuse()
	w.lock.Lock()
	current, wish := w.session, w.wish
	w.lock.Unlock()
	switch {
	case m.says == nil && m.from == w.now: // it is over
		w.now = nil
		w.note("the plug-in is gone: %s", parting(m.from.why))
		w.setMode(wire.Mode_MODE_STOCK)
		w.batches.flush(w.at)
		return
	case m.says == nil || m.from != current && m.from != w.now:
		return
	}
	switch says := m.says.Says.(type) {
	case *wire.AttachRequest_Snapshot:
		x := w.whole(says.Snapshot, m.from)
		if x == nil {
			return
		}
		w.snapshot(x, m.from.life)
		if wish != wire.Mode_MODE_UNSPECIFIED && wish != w.mode {
			w.send(&wire.AttachResponse{Says: &wire.AttachResponse_Mode{Mode: wish}})
		}
	case *wire.AttachRequest_Events:
		e := says.Events
		if m.from != w.now {
			w.now, w.lost = m.from, true
		}
		if !w.lost && e.First != w.next {
			w.lost = true
			why := "events are missing between " + itoa(w.next) + " and " + itoa(e.First)
			w.note("%s", why)
			w.send(&wire.AttachResponse{Says: &wire.AttachResponse_Resync{Resync: &wire.Resync{Why: why}}})
		}
		if w.lost {
			return
		}
		w.next = e.First + int64(len(e.Events))
		if len(e.Events) == 0 {
			w.acked = 0 // a beat is answered
		}
		w.clock(e.TimeMs)
		for _, r := range w.refusals {
			w.tell(r)
		}
		w.refusals = w.refusals[:0]
		for _, x := range e.Events {
			w.event(x)
		}
		if len(w.limits) > 0 && w.limits[0].until <= w.at {
			w.moved(func(l *limited) bool { return l.until <= w.at })
		}
		if w.wake <= w.at {
			w.wake = units.Never
			w.tell(sched.Event{Kind: sched.Tick})
		}
		w.drain()
		w.batches.flush(w.at)
	default:
		w.note("the plug-in says %T, which it should not", m.says.Says)
	}
}

// clock moves to a time of the cluster's clock; it never goes back.
func (w *World) clock(ms int64) { w.at = max(w.at, w.time(ms)) }

// time is an instant of the cluster's clock; what was before the origin counts as that.
func (w *World) time(ms int64) units.Time {
	return units.Time(0).Add(units.Duration(max(0, ms-w.originMs)) * units.Millisecond)
}

// age is for how long it has been so.
func (w *World) age(ms int64) units.Duration {
	if ms == 0 {
		return 0
	}
	return max(0, w.at.Sub(w.time(ms)))
}

// setMode tells who places work from now on, if that has changed.
func (w *World) setMode(m wire.Mode) {
	if m == w.mode || m == wire.Mode_MODE_UNSPECIFIED {
		return
	}
	watched := w.mode == wire.Mode_MODE_WATCH
	w.mode = m
	if watched && m == wire.Mode_MODE_STOCK {
		return // the stock scheduler placed work anyway, and watching ends with the next snapshot only
	}
	w.tell(sched.Event{Kind: sched.Control, Control: controlOf(m)})
}

// controlOf is what the policy is told of a mode.
func controlOf(m wire.Mode) sched.ControlVerb {
	switch m {
	case wire.Mode_MODE_OURS:
		return sched.TakeOver
	case wire.Mode_MODE_WATCH:
		return sched.Watch
	}
	return sched.Yield
}
