package engine_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// crowded is a wordcount whose maps begin when so many of them are there at a time.
func crowded(t *testing.T, n int) (p *mapreduce.Program, most *atomic.Int32) {
	var now atomic.Int32
	all := make(chan struct{})
	open := sync.OnceFunc(func() { close(all) })
	most = &atomic.Int32{}
	return brittle(t, func(int, int) error {
		k := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); k > was && !most.CompareAndSwap(was, k); was = most.Load() {
		}
		if int(k) == n {
			open()
		}
		<-all
		time.Sleep(time.Millisecond) // so that one too many would be seen
		return nil
	}), most
}

// Slots follow the steps of the run: with one slot no two maps run at a time, with four from a later step on
// four do, and nothing that runs is stopped.
func TestSlotsFollowSteps(t *testing.T) {
	one, four := []units.Vector{units.Slots(1, 1)}, []units.Vector{units.Slots(4, 1)}
	second := units.Time(units.Second / 10)
	var first atomic.Bool // has been seen: before that no time comes to the second, however slow the machine
	watch := stopwatch()
	clock := func() units.Time {
		now := watch()
		if !first.Load() {
			now = min(now, second-1)
		}
		return now
	}
	o := opened(t, engine.Config{Cluster: workers(1, 4, 1), Clock: clock, Steps: []engine.Step{{At: 0, Slots: one}, {At: second, Slots: four}}}, conform.Friendly{})
	if e := o.until(sched.NodeChanged); e.Detail.Node.Class.Capacity != one[0] {
		t.Errorf("the node is told with %v", e.Detail.Node.Class.Capacity)
	}
	first.Store(true)
	wide := o.job("wide")
	var most *atomic.Int32
	wide.Program, most = crowded(t, 4) // a map ends when four run
	o.submit("", wide)
	if jobs := o.shut(); jobs["wide"] != "committed" || most.Load() != 4 {
		t.Errorf("jobs ended %v, and %d maps ran at a time", jobs, most.Load())
	}
	if n := o.watch.Ends[sched.Killed] + o.watch.Ends[sched.Lost] + o.watch.Ends[sched.Preempted]; n > 0 {
		t.Errorf("%d attempts were ended", n)
	}
	for _, steps := range [][]engine.Step{{{At: 1, Slots: one}, {At: 1, Slots: four}}, {{At: 0}}, {{At: 0, Slots: []units.Vector{units.Slots(-1, 1)}}}} {
		if _, err := engine.New(engine.Config{Cluster: workers(1, 4, 1), Clock: func() units.Time { return 0 }, Steps: steps}); err == nil {
			t.Errorf("%v is taken", steps)
		}
	}
}

// A node gets other slots while it runs: what is beyond them runs on and is not followed, and with
// more of them more runs.
func TestSlotsChange(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 4, 1)}, conform.Friendly{})
	o.ask("there is no node 2", engine.Request{Node: 2, Slots: units.Slots(1, 1)})
	o.ask("cannot offer -1", engine.Request{Node: 1, Slots: units.Slots(-1, 1)})
	var most *atomic.Int32
	slow := o.job("slow")
	changed := make(chan struct{})
	slow.Program = brittle(t, func(int, int) error { <-changed; return nil })
	o.submit("", slow)
	o.until(sched.JobArrived)
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(1, 1)})
	e := o.until(sched.NodeChanged)
	if got := e.Detail.Node.Class.Capacity; got != units.Slots(1, 1) {
		t.Errorf("the node is told with %v", got)
	}
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(0, 0)})
	o.submit("no node that it may use offers a map-slot", o.job("no room"))
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(6, 2)})
	close(changed)
	o.until(sched.JobEnded)
	wide := o.job("wide")
	wide.Program, most = crowded(t, 6)
	o.submit("", wide)
	o.until(sched.JobEnded)
	if most.Load() != 6 {
		t.Errorf("%d maps ran at a time in 6 slots", most.Load())
	}
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(2, 1)})
	narrow := o.job("narrow")
	narrow.Program, most = crowded(t, 2)
	o.submit("", narrow)
	if jobs := o.shut(); jobs["slow"] != "committed" || jobs["wide"] != "committed" || jobs["narrow"] != "committed" {
		t.Errorf("jobs ended %v", jobs)
	}
	if most.Load() != 2 {
		t.Errorf("%d maps ran at a time in 2 slots", most.Load())
	}
	if n := o.watch.Ends[sched.Killed] + o.watch.Ends[sched.Lost] + o.watch.Ends[sched.Preempted]; n > 0 {
		t.Errorf("%d attempts were ended", n)
	}
	for _, b := range o.watch.Close(3) {
		t.Error(b)
	}
}
