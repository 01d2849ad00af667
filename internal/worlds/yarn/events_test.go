package yarn_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// busy is a site with a job, j, whose ApplicationMaster and first map run on n1.
func busy(t *testing.T) (*site, stream) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	s.say(x, events(1, 6000, &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000}}}))
	s.want(s.next(), "1s job-arrived")
	s.say(x, events(2, 7000, container("c1", 0), asks(20, 3), container("c2", 20)))
	s.want(s.next(), "2s started job-amended stage-ready demand")
	s.want(s.next(), "2s started")
	return s, x
}

func container(id string, prio int32) *wire.Event {
	return &wire.Event{What: &wire.Event_Container{Container: &wire.Container{Id: id, Application: "j", Attempt: 1, Priority: prio, Node: "n1",
		Resources: map[string]int64{"memory-mb": 512, "vcores": 1}}}}
}

func asks(prio, n int32) *wire.Event {
	return &wire.Event{What: &wire.Event_Asks{Asks: &wire.Asks{Application: "j", Attempt: 1,
		Rows: []*wire.Ask{{Priority: prio, Place: "*", Count: n, Resources: map[string]int64{"memory-mb": 512, "vcores": 1}}}}}}
}

func completion(id string, exit int32) *wire.Event {
	return &wire.Event{What: &wire.Event_Completion{Completion: &wire.Completion{Container: id, Cause: wire.Cause_CAUSE_EXITED, Exit: exit}}}
}

// batch is the next one, with all that its events say.
func (s *site) batch() drive.Batch {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := s.Next(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// What ran on a node that comes back empty is lost, before it comes up; its end, told later, is nothing.
func TestANodeComesBack(t *testing.T) {
	s, x := busy(t)
	s.say(x, events(5, 8000, &wire.Event{What: &wire.Event_NodeDown{NodeDown: "n1"}}))
	s.want(s.next(), "3s node-down")
	s.say(x, events(6, 9000, &wire.Event{What: &wire.Event_NodeUp{NodeUp: &wire.Node{Name: "n1", Rack: "/r1"}}}))
	s.want(s.next(), "4s ended ended")
	s.want(s.next(), "4s node-up")
	s.say(x, events(7, 9500, completion("c2", -105), beats("n1")))
	s.want(s.next(), "4.5s heartbeat")
}

// What an ApplicationMaster asked for is void when it ends, and what it says behind its end is not heard.
func TestAnApplicationMasterEnds(t *testing.T) {
	s, x := busy(t)
	s.say(x, events(5, 8000, completion("c2", -105), completion("c1", 137),
		&wire.Event{What: &wire.Event_AttemptEnd{AttemptEnd: &wire.AttemptEnd{Application: "j", Attempt: 1, End: wire.End_END_FAILED}}}, asks(20, 9)))
	b := s.batch()
	s.want(inWords(b), "3s ended ended demand")
	if d := b.Events[2]; d.Stage != sched.Map || d.Count != 0 {
		t.Errorf("the job asks for %d of %v", d.Count, d.Stage)
	}
}

// A handle is not used again in the batch that tells its end.
func TestHandlesAreNotUsedAtOnce(t *testing.T) {
	s, x := busy(t)
	s.say(x, events(5, 8000, completion("c2", 0), container("c3", 20)))
	b := s.batch()
	s.want(inWords(b), "3s started ended")
	if b.Events[0].Attempt == b.Events[1].Attempt {
		t.Error("a container has the handle of one that ends in the same batch")
	}
}

// A failed map's container may end well: that it is asked for again, at the priority of those, takes
// it back. One that was seen to fail was never counted.
func TestMapsAreAskedForAgain(t *testing.T) {
	s, x := busy(t)
	s.say(x, events(5, 8000, completion("c2", 0), asks(5, 1)))
	s.want(s.next(), "3s ended output-lost demand")
	s.say(x, events(7, 9000, asks(5, 0), container("c3", 20)))
	s.want(s.next(), "4s demand")
	s.want(s.next(), "4s started")
	s.say(x, events(9, 9500, completion("c3", 1), asks(5, 1)))
	s.want(s.next(), "4.5s ended demand")
	// What was seen to fail is asked for once. The next one that is asked for ended well.
	s.say(x, events(11, 10000, asks(5, 0), container("c4", 20)))
	s.want(s.next(), "5s demand")
	s.want(s.next(), "5s started")
	s.say(x, events(13, 10500, completion("c4", 0), asks(5, 1)))
	s.want(s.next(), "5.5s ended output-lost demand")
}

// Asks say of which items they know, so that the book does not count twice what it has planned.
func TestAsksSayWhatTheyKnow(t *testing.T) {
	s, x := busy(t)
	e := asks(20, 2)
	e.GetAsks().Applied = 7
	s.say(x, events(5, 8000, e))
	if d := s.batch().Events[0]; d.Kind != sched.Demand || d.Item != 7 || d.Count != 2 {
		t.Errorf("told %v of %d containers with item %d", d.Kind, d.Count, d.Item)
	}
}

// A container that a policy takes back for another job is preempted, whatever YARN calls that; one that it
// kills is killed.
func TestKillsEndAsTheyWereMeant(t *testing.T) {
	for _, as := range []sched.Outcome{sched.Preempted, sched.Killed} {
		s, x := busy(t)
		kill := sched.Item{Verb: sched.Kill, ID: 1, Job: 1, Stage: sched.Map, Outcome: as}
		kill.Attempts.To = 1
		if err := s.Enact(&sched.Plan{Items: []sched.Item{kill}, Victims: []sched.AttemptID{2}}); err != nil {
			t.Fatal(err)
		}
		end := completion("c2", -102)
		end.GetCompletion().Cause = wire.Cause_CAUSE_PREEMPTED
		s.say(x, events(5, 8000, end))
		if e := s.batch().Events[0]; e.Kind != sched.Ended || e.Outcome != as {
			t.Errorf("%v %v, want %v", e.Kind, e.Outcome, as)
		}
	}
}

// What an operator wants counted besides memory and cores counts, on nodes and of containers; anything
// else does not.
func TestNamedResources(t *testing.T) {
	s := newSite(t, yarn.Config{Named: []string{"yarn.io/gpu"}})
	x := s.attach("shared", hello())
	has := map[string]int64{"memory-mb": 4096, "vcores": 4, "yarn.io/gpu": 2, "yarn.io/fpga": 1}
	m := snapshot(1, 5000)
	m.GetSnapshot().Nodes[0].Resources, m.GetSnapshot().Nodes[0].Attributes = has, []string{"fast"}
	s.say(x, m)
	want := units.Vector{units.Memory: 4 * int64(units.GB), units.VCores: 4, units.Named0: 2}
	for _, e := range s.batch().Events {
		if e.Kind == sched.NodeUp && e.Detail.Node.Class.Capacity != want {
			t.Errorf("the node offers %v, want %v", e.Detail.Node.Class.Capacity, want)
		}
		if e.Kind == sched.NodeUp && !slices.Equal(e.Detail.Node.Labels, []string{"fast"}) {
			t.Errorf("the node's labels are %q", e.Detail.Node.Labels)
		}
	}
	ask := asks(20, 1)
	ask.GetAsks().Rows[0].Resources = has
	s.say(x, events(1, 6000, &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000}}}, ask))
	for range 2 {
		for _, e := range s.batch().Events {
			if e.Kind != sched.JobAmended {
				continue
			}
			if got := e.Detail.Job.Stage(sched.Map).Containers[0].Needs; got != want {
				t.Errorf("a map takes %v, want %v", got, want)
			}
			return
		}
	}
	t.Error("nobody is told what a map takes")
}

// A plan says on which events it was decided, as one from before a full state is void where it arrives
// behind that.
func TestPlansSayWhatWasSeen(t *testing.T) {
	s, x := busy(t)
	item := sched.ItemID(0)
	seen := func() int64 {
		t.Helper()
		item++
		start := sched.Item{Verb: sched.Start, ID: item, Job: 1, Stage: sched.Map, Node: 1, Count: 1}
		if err := s.Enact(&sched.Plan{Items: []sched.Item{start}}); err != nil {
			t.Fatal(err)
		}
		for {
			m, err := x.Recv()
			if err != nil {
				t.Fatal(err)
			}
			if p := m.GetPlan(); p != nil {
				return p.Seen
			}
		}
	}
	if n := seen(); n != 5 {
		t.Errorf("upon events below 5 it was decided, and the plan says below %d", n)
	}
	s.say(x, events(5, 8000, beats("n1")))
	s.want(s.next(), "3s heartbeat")
	if n := seen(); n != 6 {
		t.Errorf("upon events below 6 it was decided, and the plan says below %d", n)
	}
}

// An item that comes twice is answered once; what YARN cannot do is refused here.
func TestItemsComeTwice(t *testing.T) {
	s, x := busy(t)
	p := &sched.Plan{Items: []sched.Item{{Verb: sched.Start, ID: 1, Job: 99, Node: 1, Count: 1}, {Verb: sched.Start, ID: 2, Job: 1, Stage: sched.Map, Node: 99, Count: 1},
		{Verb: sched.Sleep, ID: 3, Node: 1}, {Verb: sched.Start, ID: 4, Job: 1, Stage: sched.Map, Node: 1}}}
	for range 2 {
		if err := s.Enact(p); err != nil {
			t.Fatal(err)
		}
	}
	s.say(x, events(5, 8000, beats("n1")))
	b := s.batch()
	s.want(inWords(b), "3s refused refused refused refused heartbeat")
	for i, why := range []sched.Code{sched.UnknownJob, sched.UnknownNode, sched.CannotDo, sched.BadItem} {
		if b.Events[i].Why != why {
			t.Errorf("item %d is refused as %v, want %v", i+1, b.Events[i].Why, why)
		}
	}
}

// That a node is as it was is no news. One that is being decommissioned has nothing to offer, and what runs
// there runs on.
func TestANodeIsDecommissioned(t *testing.T) {
	s, x := busy(t)
	changed := func(mb int64, attributes ...string) *wire.Event {
		n := &wire.Node{Name: "n1", Rack: "/r1", Attributes: attributes}
		if mb > 0 {
			n.Resources = map[string]int64{"memory-mb": mb, "vcores": 4}
		}
		return &wire.Event{What: &wire.Event_NodeChanged{NodeChanged: n}}
	}
	s.say(x, events(5, 8000, changed(4096), changed(4096, "fast"), changed(4096, "fast"), changed(0), changed(0), beats("n1")))
	b := s.batch()
	s.want(inWords(b), "3s node-changed node-changed heartbeat")
	if got := b.Events[1].Detail.Node.Class.Capacity; got != (units.Vector{}) {
		t.Errorf("it offers %v", got)
	}
}
