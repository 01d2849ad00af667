package drive_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// script is a world that says what is written down, and notes what it is asked.
type script struct {
	batches []drive.Batch
	answer  func(p *sched.Plan) []drive.Batch // what comes next after a plan, nil: nothing
	fails   error                             // of Enact
	log     *[]string
}

func (w *script) Can() sched.Capabilities { return sched.Capabilities{Bind: true, Kill: true} }

func (w *script) Next(ctx context.Context) (drive.Batch, error) {
	if err := ctx.Err(); err != nil {
		return drive.Batch{}, err
	}
	if len(w.batches) == 0 {
		return drive.Batch{}, io.EOF
	}
	b := w.batches[0]
	w.batches = w.batches[1:]
	w.note("next %d", b.At)
	return b, nil
}

func (w *script) Enact(p *sched.Plan) error {
	for _, it := range p.Items {
		w.note("enact %v refused=%v", it.Verb, it.Refused)
	}
	w.note("enacted %d", len(p.Items))
	if w.answer != nil {
		w.batches = append(w.answer(p), w.batches...)
	}
	return w.fails
}

func (w *script) WakeAt(t units.Time) { w.note("wake at %d", t) }

func (w *script) note(format string, args ...any) {
	if w.log != nil {
		*w.log = append(*w.log, fmt.Sprintf(format, args...))
	}
}

// asks is a policy made of one function.
type asks func(v sched.View, batch []sched.Event, p *sched.Plan)

func (a asks) Decide(v sched.View, batch []sched.Event, p *sched.Plan) { a(v, batch, p) }
func (asks) Save(io.Writer) error                                      { return nil }
func (asks) Load(io.Reader) error                                      { return nil }
func (asks) About() sched.About                                        { return sched.About{} }

// witness is a sink that notes what it is shown, and fails when asked to.
type witness struct {
	name        string
	log         *[]string
	batch, plan error
}

func (s *witness) Batch(round int64, at units.Time, events []sched.Event) error {
	*s.log = append(*s.log, fmt.Sprintf("%s sees round %d at %d, %d events", s.name, round, at, len(events)))
	return s.batch
}

func (s *witness) Plan(round int64, at units.Time, p *sched.Plan) error {
	for _, it := range p.Items {
		*s.log = append(*s.log, fmt.Sprintf("%s sees %v refused=%v", s.name, it.Verb, it.Refused))
	}
	return s.plan
}

func node(slots int) sched.Event {
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(slots, 0)}
	return sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}}
}

func job(tasks int) sched.Event {
	return sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &workload.Job{ID: "j", Weight: 1, Soft: units.Never, Deadline: units.Never,
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, tasks)}}}}}
}

// The order of one round: sinks in their order see the batch, the policy decides, a group is
// settled before sinks and world see it, the world is asked, and then when it shall wake the loop.
// A batch of confirmations ends before the policy, and still asks for the Tick.
func TestOrderOfARound(t *testing.T) {
	var log []string
	w := &script{log: &log, batches: []drive.Batch{{At: 5, Events: []sched.Event{node(1), job(2)}}, {At: 6, Events: []sched.Event{{Kind: sched.Granted}}}}}
	p := asks(func(_ sched.View, batch []sched.Event, p *sched.Plan) {
		log = append(log, fmt.Sprintf("decide on %d events", len(batch)))
		p.WakeMe(9, sched.Reason{})
		for range 2 { // the second has no room any more
			p.Add(sched.Item{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 1, Group: 1})
		}
	})
	a, b := &witness{name: "a", log: &log}, &witness{name: "b", log: &log}
	l := drive.New(w, p, a, b)
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"next 5", "a sees round 1 at 5, 3 events", "b sees round 1 at 5, 3 events", "decide on 3 events",
		"a sees wake-me refused=ok", "a sees start refused=not-admitted", "a sees start refused=not-admitted",
		"b sees wake-me refused=ok", "b sees start refused=not-admitted", "b sees start refused=not-admitted",
		"enact wake-me refused=ok", "enact start refused=not-admitted", "enact start refused=not-admitted", "enacted 3", "wake at 9",
		"next 6", "a sees round 2 at 6, 4 events", "b sees round 2 at 6, 4 events", "decide on 4 events",
	}
	if d := cmp.Diff(want, log[:len(want)]); d != "" {
		t.Error(d)
	}
	if l.Round != 2 || l.Decided != 2 {
		t.Errorf("%d rounds, %d decisions", l.Round, l.Decided)
	}
}

// A group that breaks is taken back before anybody sees the plan.
func TestGroupsAreSettledBeforeSinks(t *testing.T) {
	var log []string
	w := &script{log: &log, batches: []drive.Batch{{At: 5, Events: []sched.Event{node(1), job(2)}}}}
	p := asks(func(_ sched.View, _ []sched.Event, p *sched.Plan) {
		p.Admit(1, sched.Outlook{}, sched.Reason{})
		for range 2 {
			p.Add(sched.Item{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 1, Group: 1})
		}
	})
	if err := drive.New(w, p, &witness{name: "a", log: &log}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a sees start refused=group-broken", "enact start refused=group-broken", "a sees start refused=no-room"} {
		if !slices.Contains(log, want) {
			t.Errorf("no %q in %q", want, log)
		}
	}
}

// Confirmations do not wake the policy, but what it waits for is asked for again, with the world's new time.
func TestConfirmationsDoNotWake(t *testing.T) {
	var log []string
	w := &script{log: &log, batches: []drive.Batch{{At: 1, Events: []sched.Event{node(2), job(1)}}, {At: 2, Events: []sched.Event{{Kind: sched.Progress, Attempt: 1, X: 0.5}}},
		{At: 9, Events: []sched.Event{{Kind: sched.Tick}}}}}
	first := true
	l := drive.New(w, asks(func(_ sched.View, _ []sched.Event, p *sched.Plan) {
		if first {
			p.WakeMe(9, sched.Reason{})
		}
		first = false
	}))
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{"next 1", "enact wake-me refused=ok", "enacted 1", "wake at 9", "next 2", "wake at 9", "next 9", "enacted 0", fmt.Sprint("wake at ", int64(units.Never))}
	if d := cmp.Diff(want, log); d != "" {
		t.Error(d)
	}
	if l.Decided != 2 {
		t.Errorf("%d decisions", l.Decided)
	}
}

// A policy that always asks for what is always refused is asked once more, and the world goes on: one
// whose time stands still until it is answered, and one whose time passes meanwhile.
func TestRefusalsDoNotLivelock(t *testing.T) {
	for _, pass := range []units.Duration{0, 1} {
		refusalsDoNotLivelock(t, pass)
	}
}

func refusalsDoNotLivelock(t *testing.T, pass units.Duration) {
	t.Helper()
	answers := 0
	w := &script{batches: []drive.Batch{{At: 1, Events: []sched.Event{node(2), job(1)}}, {At: 200, Events: []sched.Event{{Kind: sched.Heartbeat, Node: 1}}}, {At: 300, Events: []sched.Event{{Kind: sched.Heartbeat, Node: 1}}}}}
	var now units.Time
	w.answer = func(p *sched.Plan) (more []drive.Batch) {
		for _, it := range p.Items {
			if it.Verb == sched.Start && it.Refused == sched.OK {
				answers++
				if answers > 100 {
					t.Fatal("the world does not go on")
				}
				more = append(more, drive.Batch{At: now.Add(pass), Events: []sched.Event{{Kind: sched.Granted, Item: it.ID}, {Kind: sched.Refused, Item: it.ID, Job: 1, Stage: sched.Map, Node: 1, Why: sched.Stale}}})
			}
		}
		return more
	}
	l := drive.New(w, asks(func(v sched.View, _ []sched.Event, p *sched.Plan) {
		now = v.Now()
		p.Admit(1, sched.Outlook{}, sched.Reason{})
		p.Start(1, sched.Map, 1, 1, sched.Remote, sched.Reason{})
	}))
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if l.Decided != 6 || l.Round != 9 {
		t.Errorf("%d decisions in %d rounds, want each of 3 batches decided on, and the first refusal after each", l.Decided, l.Round)
	}
	if got := l.Ledger.Job(1).Stages[sched.Map].Open; got != 1 {
		t.Errorf("%d open tasks: the refusal that woke nobody is not in the book", got)
	}
}

// What stops a run is named with its round, and nothing is asked of the world after it.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		world, batch, plan error
		want               string
		last               string
	}{
		"batch": {batch: broken, want: "round 1: broken", last: "a sees round 1 at 5, 1 events"},
		"plan":  {plan: broken, want: "round 1: broken", last: "a sees wake-me refused=ok"},
		"enact": {world: broken, want: "round 1: broken", last: "enacted 1"},
	} {
		var log []string
		w := &script{log: &log, fails: c.world, batches: []drive.Batch{{At: 5, Events: []sched.Event{node(1)}}, {At: 6}}}
		p := asks(func(_ sched.View, _ []sched.Event, p *sched.Plan) { p.WakeMe(9, sched.Reason{}) })
		err := drive.New(w, p, &witness{name: "a", log: &log, batch: c.batch, plan: c.plan}).Run(context.Background())
		if !errors.Is(err, broken) || err.Error() != c.want || log[len(log)-1] != c.last {
			t.Errorf("%s: %v after %q", name, err, log)
		}
	}
	stop, cancel := context.WithCancel(context.Background())
	cancel()
	if err := drive.New(&script{}, asks(nil)).Run(stop); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := drive.New(&script{}, asks(nil)).Run(context.Background()); err != nil {
		t.Errorf("a world at its end: %v", err)
	}
}

// A plan that may have so many items stops the policy behind them, and only that plan.
func TestMaxItems(t *testing.T) {
	w := &script{batches: []drive.Batch{{At: 5, Events: []sched.Event{node(1)}}, {At: 6, Events: []sched.Event{{Kind: sched.Tick}}}}}
	var sizes []int
	w.answer = func(p *sched.Plan) []drive.Batch { sizes = append(sizes, len(p.Items)); return nil }
	l := drive.New(w, asks(func(_ sched.View, _ []sched.Event, p *sched.Plan) {
		for range 10 {
			p.WakeMe(9, sched.Reason{})
		}
	}))
	l.MaxItems = 3
	if err := l.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	l.MaxItems = 0
	if err := l.Step(context.Background()); err != nil || !slices.Equal(sizes, []int{3, 10}) {
		t.Errorf("plans of %v items, %v", sizes, err)
	}
	defer func() {
		if r := recover(); r != "the policy's own" {
			t.Errorf("a panic of the policy became %v", r)
		}
	}()
	new(sched.Plan).AtMost(1, func() { panic("the policy's own") })
}

// patient is a world that notes what must not wait.
type patient struct {
	script
	heeded []sched.Events
}

func (w *patient) Heed(kinds sched.Events) { w.heeded = append(w.heeded, kinds) }

// listens is a policy that heeds beats only.
type listens struct{ asks }

func (listens) About() sched.About {
	return sched.About{Heeds: sched.EventsOf(sched.Heartbeat)}
}

// A patient world is told after each round what the policy heeds. While the book holds an item, or has
// refused one, nothing may wait: both ride in the next batch, whatever that brings.
func TestPatientWorldsAreToldWhatIsHeeded(t *testing.T) {
	beat := sched.Event{Kind: sched.Heartbeat, Node: 1}
	var batches []drive.Batch
	for at := range units.Time(5) {
		batches = append(batches, drive.Batch{At: at, Events: []sched.Event{beat}})
	}
	batches[0].Events = []sched.Event{node(1), job(2), beat}
	w := &patient{script: script{batches: batches}}
	p := listens{func(v sched.View, _ []sched.Event, p *sched.Plan) {
		switch v.Now() {
		case 1: // there is no such job
			p.Add(sched.Item{Verb: sched.Admit, Job: 7})
		case 2:
			p.Add(sched.Item{Verb: sched.Admit, Job: 1, At: 4})
		}
	}}
	if err := drive.New(w, p).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	beats := sched.EventsOf(sched.Heartbeat)
	want := []sched.Events{beats, sched.AnyEvent, sched.AnyEvent, sched.AnyEvent, beats}
	if !slices.Equal(w.heeded, want) {
		t.Errorf("heeded %x, want %x", w.heeded, want)
	}
}
