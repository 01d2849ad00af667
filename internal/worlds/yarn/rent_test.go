package yarn_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/cloud/cloudtest"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// renting is a site at which one node can be rented, of a cloud that calls it n7; n1 is its own.
func renting(t *testing.T) (*site, stream, *cloudtest.Cloud) {
	c := cloudtest.New(1, time.Hour, cloudtest.Moods{})
	c.Call("n7")
	class := &cluster.Class{Name: "more", Speed: 1, Most: 1, Price: 1, WakeTime: 20 * units.Millisecond,
		Capacity: units.Vector{units.Memory: int64(2 * units.GB), units.VCores: 4}}
	s := newSite(t, yarn.Config{Offers: []yarn.Offer{{Class: class, From: c}}})
	t.Cleanup(s.GiveBack)
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	b := s.batch()
	s.want(inWords(b), "0s resync take-over node-up node-changed")
	for _, e := range b.Events {
		if e.Kind == sched.NodeChanged && (e.State != sched.Offered || e.Node != rented || !e.Detail.Node.Class.Rented()) {
			t.Errorf("the offer is %+v", e)
		}
	}
	return s, x, c
}

const rented = 1 // it was offered before n1 was told of

var whim = sched.Because(&sched.Cause{Name: "whim", Text: "on a whim"})

// ask asks for it, or for its end.
func (s *site) ask(id sched.ItemID, verb sched.Verb, node sched.NodeID) {
	s.t.Helper()
	if err := s.Enact(&sched.Plan{Items: []sched.Item{{ID: id, Verb: verb, Node: node, Reason: whim}}}); err != nil {
		s.t.Fatal(err)
	}
}

// settle has the world hear what the cloud has told, which goes on to list only then.
func (s *site) settle(c *cloudtest.Cloud) {
	s.t.Helper()
	for from, end := c.Lists(), time.Now().Add(10*time.Second); c.Lists() < from+3; {
		if time.Now().After(end) {
			s.t.Fatal("nothing is on its way at the cloud any more: ", c.Log())
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		if b, err := s.Next(ctx); err == nil {
			s.t.Errorf("a batch comes: %s", inWords(b))
		}
		cancel()
	}
}

// told is what an operator was told.
func (s *site) told() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.notes)
}

func up(name string) *wire.Event {
	return &wire.Event{What: &wire.Event_NodeUp{NodeUp: &wire.Node{Name: name, Rack: "/r1", Resources: map[string]int64{"memory-mb": 1024, "vcores": 2}}}}
}

// has waits until the cloud's log has a line that begins so.
func has(t *testing.T, c *cloudtest.Cloud, what string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !slices.ContainsFunc(c.Log(), func(l string) bool { return strings.HasPrefix(l, what) }); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there is no %q in %v", what, c.Log())
		}
	}
}

// joins rents the node, has it join and a map of j end there; it waits until its name is known.
func joins(t *testing.T) (*site, stream, *cloudtest.Cloud) {
	s, x, c := renting(t)
	s.ask(1, sched.Wake, rented)
	has(t, c, "rent ")
	s.say(x, events(1, 6000, &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000}}}))
	b := s.batch()
	s.want(inWords(b), "1s node-changed job-arrived")
	if e := b.Events[0]; e.Node != rented || e.State != sched.Waking {
		t.Errorf("it is %+v", e)
	}
	s.settle(c)
	s.say(x, events(2, 7000, up("n7")))
	b = s.batch()
	s.want(inWords(b), "2s node-up")
	if e := b.Events[0]; e.Node != rented || e.Detail.Node.Class.Name != "more" || e.Detail.Node.Class.Capacity[units.Memory] != int64(units.GB) || e.State != 0 {
		t.Errorf("it came as %+v, of class %+v", e, e.Detail.Node.Class)
	}
	return s, x, c
}

func on(node string, e *wire.Event) *wire.Event {
	e.GetContainer().Node = node
	return e
}

// A node comes because it was asked for, by the name that its cloud tells, and of the class that was offered, as large
// as it is. It goes when nothing runs there and no application may fetch anything from there, and is offered again.
func TestARentedNode(t *testing.T) {
	s, x, c := joins(t)
	s.say(x, events(3, 8000, on("n7", container("c1", 20))))
	s.want(s.next(), "3s job-amended stage-ready")
	s.want(s.next(), "3s started")
	s.say(x, events(4, 9000, completion("c1", 0)))
	s.want(s.next(), "4s ended")
	s.ask(2, sched.Sleep, rented) // its map output may be fetched
	s.say(x, events(5, 9500, on("n7", container("c2", 10))))
	b := s.batch()
	s.want(inWords(b), "4.5s job-amended stage-ready refused")
	s.want(s.next(), "4.5s started")
	if e := b.Events[len(b.Events)-1]; e.Why != sched.Needed || e.Node != rented {
		t.Errorf("it is refused with %+v", e)
	}
	s.say(x, events(6, 9600, &wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: "j", End: wire.End_END_SUCCEEDED}}}))
	s.want(s.next(), "4.6s ended job-ended")
	s.ask(3, sched.Sleep, rented)
	s.say(x, events(7, 10000, beats("n7")))
	s.want(s.next(), "5s heartbeat")
	has(t, c, "back ")
	s.say(x, events(8, 11000, &wire.Event{What: &wire.Event_NodeDown{NodeDown: "n7"}}, beats("n1")))
	s.want(s.next(), "6s heartbeat")
	b = s.batch()
	s.want(inWords(b), "6s node-changed")
	if e := b.Events[0]; e.Node != rented || e.State != sched.Offered {
		t.Errorf("it is %+v", e)
	}
	if c.Count() != 0 || strings.Contains(strings.Join(s.told(), " "), "cloud") {
		t.Errorf("%d nodes are there, told %q", c.Count(), s.told())
	}
}

// A node that drains goes when what runs there has ended, and no sooner; own nodes do not go.
func TestARentedNodeDrains(t *testing.T) {
	s, x, c := joins(t)
	s.say(x, events(3, 8000, on("n7", container("c1", 0))))
	s.want(s.next(), "3s started")
	s.ask(2, sched.Sleep, rented)
	s.ask(3, sched.Sleep, 2)
	s.say(x, events(4, 9000, beats("n7")))
	b := s.batch()
	s.want(inWords(b), "4s refused heartbeat")
	s.settle(c)
	if e := b.Events[0]; e.Why != sched.CannotDo || e.Node != 2 || c.Count() != 1 {
		t.Errorf("it is refused with %+v, %d nodes are there", e, c.Count())
	}
	// A full state in the midst of it says so, too.
	s.say(x, &wire.AttachRequest{Says: &wire.AttachRequest_Snapshot{Snapshot: &wire.Snapshot{Next: 5, TimeMs: 9500, Mode: wire.Mode_MODE_OURS,
		Nodes: []*wire.Node{up("n7").GetNodeUp()}}}})
	b = s.batch()
	s.want(inWords(b), "4.5s resync node-up")
	if e := b.Events[1]; e.Node != rented || e.State != sched.Draining {
		t.Errorf("it is %+v", e)
	}
	s.say(x, events(5, 10000, beats("n7")))
	s.want(s.next(), "5s heartbeat")
	has(t, c, "back ")
}

// Nobody pays for a node that the ResourceManager has lost; it is offered again.
func TestARentedNodeIsLost(t *testing.T) {
	s, x, c := joins(t)
	s.say(x, events(3, 8000, &wire.Event{What: &wire.Event_NodeDown{NodeDown: "n7"}}))
	s.want(s.next(), "3s node-down")
	has(t, c, "back ")
	s.want(s.next(), "3s node-changed")
}

// One that its cloud names too late is one of the cluster's own; it is given back even so.
func TestANameThatComesTooLate(t *testing.T) {
	s, x, c := renting(t)
	c.Call("")
	s.ask(1, sched.Wake, rented)
	has(t, c, "rent ")
	s.say(x, events(1, 6000, up("n7")))
	s.want(s.next(), "1s node-up node-changed")
	c.Call("n7")
	s.want(s.next(), "1s node-changed") // it is offered again
	if said := s.told(); !strings.Contains(strings.Join(said, " "), "has joined before its cloud told its name") {
		t.Errorf("told %q", said)
	}
}
