package yarn_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
)

// places has the world ask for so many maps of job j on n1.
func (s *sequence) places(id sched.ItemID, count int32) {
	s.t.Helper()
	err := s.Enact(&sched.Plan{Items: []sched.Item{{ID: id, Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: count, Locality: sched.Anywhere}}})
	if err != nil {
		s.t.Fatal(err)
	}
}

func answer(item int64, granted, refused int32, why wire.Why) *wire.Event {
	return &wire.Event{What: &wire.Event_Answer{Answer: &wire.Answer{Item: item, Application: "j", Granted: granted, Refused: refused, Why: why}}}
}

// What is refused for a limit is asked for no more, whatever the ApplicationMaster says meanwhile,
// until something of its queues has ended, the queues change, it moves to another one, or a while has
// passed.
func TestALimitIsTriedAgainWhenItMoves(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 9", rows(1, true, "20:*=9"))
	item := sched.ItemID(0)
	hit := func() {
		t.Helper()
		item++
		s.places(item, 4)
		s.tells("demand map 0; refused", answer(int64(item), 0, 4, wire.Why_WHY_LIMIT))
		s.tells("demand map 0", rows(1, true, "20:*=9"))
	}
	s.tells("started map", container("c1", 20))
	hit()
	s.tells("ended committed; demand map 9", completion("c1", 0))
	hit()
	s.tells("demand map 9", &wire.Event{What: &wire.Event_Queues{Queues: &wire.Queues{Queues: []*wire.Queue{{Path: "root"}}}}})
	hit()
	s.tells("demand map 9", &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000, Queue: "root.b"}}})
	hit()
	s.ms += 30000
	s.tells("demand map 9")
	item++
	s.places(item, 4)
	s.tells("refused", answer(int64(item), 0, 4, wire.Why_WHY_NO_ROOM)) // which is no limit
}

// What is owed to another queue is asked for again when something of that queue has begun or ended, as well as when
// something of its own has ended; a limit of its own is not moved by others.
func TestWhatIsOwedToOthers(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 9", rows(1, true, "20:*=9"))
	other := &wire.Application{Id: "k", Type: "MAPREDUCE", SubmitTimeMs: 6000, Queue: "root.b"}
	s.tells("job-arrived", &wire.Event{What: &wire.Event_Application{Application: other}})
	item := sched.ItemID(0)
	refused := func(why wire.Why) {
		t.Helper()
		item++
		s.places(item, 4)
		s.tells("demand map 0; refused", answer(int64(item), 0, 4, why))
	}
	theirs := func(id string) *wire.Event {
		e := container(id, 20)
		e.GetContainer().Application = "k"
		return e
	}
	refused(wire.Why_WHY_OWED)
	s.tells("stage-ready map; started map; demand map 9", theirs("k1"))
	refused(wire.Why_WHY_OWED)
	s.tells("ended committed; demand map 9", completion("k1", 0))
	s.tells("started map", container("c1", 20))
	refused(wire.Why_WHY_LIMIT)
	s.tells("started map", theirs("k2"))
	s.tells("started map", container("c2", 20))
	s.tells("ended committed", completion("k2", 0))
	s.tells("ended committed; demand map 9", completion("c1", 0))
}

// A node of a partition offers nothing: YARN's own scheduler places all work there, which surprises nobody.
func TestPartitionsOfferNothing(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	m := snapshot(1, 5000)
	m.GetSnapshot().Nodes[0].Partition = "gpu"
	s.say(x, m)
	b := s.batch()
	node := b.Events[len(b.Events)-1].Detail.Node
	if !slices.Equal(node.Labels, []string{"partition=gpu"}) {
		t.Errorf("its labels are %q", node.Labels)
	}
	if has := node.Class.Capacity; has != (yarn.Split{}).Masters {
		t.Errorf("it offers %v", has)
	}
	s.say(x, events(2, 6000, container("c1", 20), beats("n1")))
	for _, e := range s.batch().Events {
		if e.Kind == sched.Started && e.Why != sched.Yielded {
			t.Errorf("%+v", e)
		}
	}
}

// An application that is left to the stock scheduler is named to the operator, once.
func TestWhoIsLeftToYARN(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	left := &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000, Stock: "placement constraints"}}}
	s.tells("", left)
	s.tells("", left)
	s.tells("stage-ready map; started map by YARN", container("c1", 20))
	s.lock.Lock()
	defer s.lock.Unlock()
	if all := strings.Join(s.notes, "\n"); strings.Count(all, "asks for placement constraints, which Slackline does not know: the cluster's own scheduler places its containers") != 1 {
		t.Errorf("the operator was told %q", all)
	}
}

// A full state may come in parts.
func TestAFullStateInParts(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	first, rest := snapshot(7, 5000), snapshot(7, 5000)
	first.GetSnapshot().More = true
	rest.GetSnapshot().Nodes = []*wire.Node{{Name: "n2", Rack: "/r1", Resources: map[string]int64{"memory-mb": 4096}}}
	s.say(x, first)
	s.say(x, rest)
	s.want(s.next(), "0s resync take-over node-up node-up")
	s.say(x, events(7, 6000, beats("n1", "n2")))
	s.want(s.next(), "1s heartbeat heartbeat")
}

// A policy is made by the queues of the first full state. When these change the world stops, so that
// another one can be made.
func TestOtherQueuesEndTheWorld(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	m := snapshot(1, 5000)
	m.GetSnapshot().Queues = []*wire.Queue{{Path: "root"}, {Path: "root.a", Maximum: 25}}
	s.say(x, m)
	if got := s.Begin(t.Context()); len(got) != 2 || got[1].Path != "root.a" {
		t.Fatalf("it begins with %v", got)
	}
	s.want(s.next(), "0s resync take-over node-up")
	same := &wire.Queues{Queues: m.GetSnapshot().Queues}
	s.say(x, events(1, 6000, &wire.Event{What: &wire.Event_Queues{Queues: same}}, beats("n1")))
	s.want(s.next(), "1s heartbeat")
	if s.Others() {
		t.Error("the same queues are others")
	}
	s.say(x, events(3, 7000, &wire.Event{What: &wire.Event_Queues{Queues: &wire.Queues{Queues: same.Queues[:1]}}}))
	if _, err := s.Next(context.Background()); !errors.Is(err, io.EOF) || !s.Others() {
		t.Errorf("it goes on: %v", err)
	}
}
