package yarn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
)

// What real ResourceManagers were seen to say, in small: the order and the oddities are theirs, the numbers are not.

// rows are what an ApplicationMaster asks for, as PRIORITY:PLACE=COUNT; those that it does not name
// stay as they are, unless it says all.
func rows(attempt int32, whole bool, list ...string) *wire.Event {
	x := &wire.Asks{Application: "j", Attempt: attempt, Whole: whole}
	for _, text := range list {
		r := &wire.Ask{Resources: map[string]int64{"memory-mb": 512, "vcores": 1}}
		if _, err := fmt.Sscanf(strings.NewReplacer(":", " ", "=", " ").Replace(text), "%d %s %d", &r.Priority, &r.Place, &r.Count); err != nil {
			panic(err)
		}
		x.Rows = append(x.Rows, r)
	}
	return &wire.Event{What: &wire.Event_Asks{Asks: x}}
}

func released(id string) *wire.Event {
	return &wire.Event{What: &wire.Event_Completion{Completion: &wire.Completion{Container: id, Cause: wire.Cause_CAUSE_RELEASED, Exit: -100}}}
}

func attemptEnd(n int32, how wire.End) *wire.Event {
	return &wire.Event{What: &wire.Event_AttemptEnd{AttemptEnd: &wire.AttemptEnd{Application: "j", Attempt: n, End: how}}}
}

// sequence is a site to which a job, j, has come, with its ApplicationMaster, m, on n1.
type sequence struct {
	*site
	x     stream
	first int64
	ms    int64
}

func newSequence(t *testing.T, cfg yarn.Config) *sequence {
	s := &sequence{site: newSite(t, cfg), first: 1, ms: 6000}
	s.x = s.attach("shared", hello())
	m := snapshot(1, 5000)
	m.GetSnapshot().Nodes = append(m.GetSnapshot().Nodes, &wire.Node{Name: "n2", Rack: "/r2", Resources: map[string]int64{"memory-mb": 4096, "vcores": 4}})
	s.say(s.x, m)
	s.want(s.next(), "0s resync take-over node-up node-up")
	s.tells("job-arrived; started master", &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000}}}, container("m", 0))
	return s
}

// tells holds what comes out against what goes in at one time. Amendments and heartbeats are left out.
func (s *sequence) tells(want string, list ...*wire.Event) {
	s.t.Helper()
	s.say(s.x, events(s.first, s.ms, append(list, beats("n1"))...))
	s.first, s.ms = s.first+int64(len(list))+1, s.ms+1000
	var got []string
	for over := false; !over; {
		for _, e := range s.batch().Events {
			switch e.Kind {
			case sched.Heartbeat:
				over = true
			case sched.JobAmended:
			default:
				got = append(got, said(&e))
			}
		}
	}
	s.want(strings.Join(got, "; "), want)
}

// said is an event in words.
func said(e *sched.Event) string {
	words := e.Kind.String()
	switch e.Kind {
	case sched.Started, sched.OutputLost, sched.StageReady:
		words += " " + e.Stage.String()
		if e.Why == sched.Yielded {
			words += " by YARN"
		}
	case sched.Ended, sched.JobEnded:
		words += " " + e.Outcome.String()
	case sched.Demand:
		words += fmt.Sprintf(" %v %d", e.Stage, e.Count)
		if e.Detail != nil {
			for _, d := range e.Detail.Demand {
				switch {
				case d.Node > 0:
					words += fmt.Sprintf(" n%d=%d", d.Node, d.Count)
				case d.Rack > 0:
					words += fmt.Sprintf(" r%d=%d", d.Rack, d.Count)
				default:
					words += fmt.Sprintf(" *=%d", d.Count)
				}
			}
		}
	}
	return words
}

// The ask that comes with containers does not know of them, so the stock scheduler gives one too many,
// which is given back: no task is done by that, and none has failed.
func TestAsksAreBehind(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 3", rows(1, true, "20:*=3"))
	s.tells("started map; started map; demand map 1", container("c1", 20), container("c2", 20), rows(1, true, "20:*=1"))
	s.tells("demand map 3", rows(1, true, "20:*=3")) // the call that picks both up
	s.tells("started map; started map; demand map 1", container("c3", 20), container("c4", 20), rows(1, true, "20:*=1"))
	s.tells("ended killed; demand map 0", released("c4"), rows(1, true, "20:*=0"))
	s.tells("ended committed; ended committed; ended committed", completion("c1", 0), completion("c2", 0), completion("c3", 0))
	s.done(3, 0)
}

// What an ApplicationMaster has blacklisted its job avoids: nodes by their names or their racks', also one that comes
// later, until it says otherwise or ends. Asks that say nothing of it change nothing, as those of an older plug-in.
func TestBlacklists(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	avoids := func(names ...string) *wire.Event {
		e := rows(1, true, "20:*=3")
		e.GetAsks().Avoids = &wire.Names{Names: names}
		return e
	}
	told := func(want []sched.NodeID, amended bool, list ...*wire.Event) {
		t.Helper()
		s.say(s.x, events(s.first, s.ms, append(list, beats("n1"))...))
		s.first, s.ms = s.first+int64(len(list))+1, s.ms+1000
		for over, was := false, false; !over; {
			for _, e := range s.batch().Events {
				if e.Kind == sched.JobAmended {
					if was = true; !slices.Equal(e.Detail.Job.Avoids, want) {
						t.Errorf("the job avoids %v, want %v", e.Detail.Job.Avoids, want)
					}
				}
				if over = over || e.Kind == sched.Heartbeat; over && was != amended {
					t.Errorf("amended: %v, want %v", was, amended)
				}
			}
		}
	}
	told(nil, true, rows(1, true, "20:*=3")) // by what a map takes
	told([]sched.NodeID{2}, true, avoids("n2"))
	told(nil, false, avoids("n2"))
	told(nil, false, rows(1, true, "20:*=2"))
	told([]sched.NodeID{1, 2}, true, avoids("/r2", "n1", "n3", "elsewhere"))
	told([]sched.NodeID{1, 2, 3}, true, &wire.Event{What: &wire.Event_NodeUp{NodeUp: &wire.Node{Name: "n3", Rack: "/r3"}}})
	told([]sched.NodeID{1, 2, 3, 4}, true, &wire.Event{What: &wire.Event_NodeUp{NodeUp: &wire.Node{Name: "n4", Rack: "/r2"}}})
	told(nil, true, avoids())
	told([]sched.NodeID{1}, true, avoids("n1"))

	m := snapshot(s.first, s.ms) // all is told again
	m.GetSnapshot().Applications = []*wire.Application{{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000}}
	m.GetSnapshot().Asks = []*wire.Asks{avoids("n1").GetAsks()}
	s.say(s.x, m)
	for _, e := range s.batch().Events {
		if e.Kind == sched.JobArrived && !slices.Equal(e.Detail.Job.Avoids, []sched.NodeID{1}) {
			t.Errorf("after a full state the job avoids %v, want n1", e.Detail.Job.Avoids)
		}
	}
	told(nil, true, attemptEnd(1, wire.End_END_FAILED))
}

// done has all told once more, with how many ends of containers the plug-in has counted, and holds the numbers of maps
// and reduces that are done then against these.
func (s *sequence) done(maps, reduces int, counted ...*wire.Done) {
	s.t.Helper()
	m := snapshot(s.first, s.ms)
	m.GetSnapshot().Applications = []*wire.Application{{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000, Done: counted}}
	s.say(s.x, m)
	for {
		for _, e := range s.batch().Events {
			if e.Kind == sched.JobArrived {
				if m, r := len(e.Detail.Job.Stage(sched.Map).Done), len(e.Detail.Job.Stage(sched.Reduce).Done); m != maps || r != reduces {
					s.t.Errorf("%d maps and %d reduces are done, want %d and %d", m, r, maps, reduces)
				}
				return
			}
		}
	}
}

// A map counts on each node that has a copy of its split, once in each of their racks, and once
// anywhere: only that is how many there are. Rows that do not change are not said again, and one that
// is over is said once, with none.
func TestRowsOfPlaces(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 4 *=4 r1=4 r2=3 n1=4 n2=3", rows(1, false, "20:*=4", "20:/r1=4", "20:/r2=3", "20:n1=4", "20:n2=3"))
	s.tells("started map; demand map 3 *=3 r1=3 r2=3 n1=3 n2=3", container("c1", 20), rows(1, false, "20:*=3", "20:/r1=3", "20:n1=3"))
	s.tells("demand map 0 *=0 r1=0 r2=0 n1=0 n2=0", rows(1, false, "20:*=0", "20:/r1=0", "20:/r2=0", "20:n1=0", "20:n2=0"))
	// Failed maps are asked for at a priority of their own: the stage wants what all have together.
	s.tells("ended committed; output-lost map; demand map 1 *=1 r1=1 n1=1 *=0 r1=0 r2=0 n1=0 n2=0", completion("c1", 0), rows(1, false, "5:*=1", "5:/r1=1", "5:n1=1"))
	s.tells("demand map 2", rows(1, true, "5:*=2"))
}

// Reduces are asked for little by little, and for none in between: that is no end of them.
func TestRampsDipToNone(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 2; stage-ready reduce; demand reduce 2", rows(1, false, "20:*=2", "10:*=2"))
	s.tells("started reduce; started reduce; demand reduce 0", container("r1", 10), container("r2", 10), rows(1, false, "10:*=0"))
	s.tells("started map; started map; demand map 0", container("c1", 20), container("c2", 20), rows(1, false, "20:*=0"))
	s.tells("ended committed; demand reduce 2", completion("r1", 0), rows(1, false, "10:*=2"))
}

// A node is lost, and nobody tells the ends of what it had. Its finished maps are asked for again,
// seconds later; the node comes back and tells the ends of containers that nobody knows any more, some
// twice.
func TestANodeVanishes(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	on2 := func(id string) *wire.Event {
		e := container(id, 20)
		e.GetContainer().Node = "n2"
		return e
	}
	s.tells("stage-ready map; demand map 3", rows(1, true, "20:*=3"))
	s.tells("started map; started map; started map; demand map 0", on2("c1"), on2("c2"), container("c3", 20), rows(1, true, "20:*=0"))
	s.tells("ended committed", completion("c1", 0))
	s.tells("node-down", &wire.Event{What: &wire.Event_NodeDown{NodeDown: "n2"}})
	s.tells("output-lost map; demand map 2", rows(1, true, "5:*=2"))
}

// Nobody tells the ends of what an ApplicationMaster had that is killed. The next one asks for what is
// not done, and late ends of the first one's containers are nothing.
func TestASecondAttempt(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 4", rows(1, true, "20:*=4"))
	s.tells("started map; started map; demand map 2", container("c1", 20), container("c2", 20), rows(1, true, "20:*=2"))
	s.tells("ended committed", completion("c1", 0))
	s.tells("ended failed; ended killed; demand map 0", completion("m", 137), released("c2"), attemptEnd(1, wire.End_END_FAILED))
	s.tells("demand master 1", rows(2, true, "0:*=1"))
	s.tells("started master; demand master 0", container("m2", 0), rows(2, true, "0:*=0"))
	s.tells("", completion("c2", -105), completion("c2", -105), rows(1, true, "20:*=9")) // late, and of the first
	s.tells("demand master 0; demand map 3; stage-ready reduce; demand reduce 1", rows(2, true, "20:*=3", "10:*=1"))
	s.done(1, 0)
}

// A user kills a job: what it asked for is never taken back, no container's end is told before the
// job's, and all of them afterwards.
func TestAJobKilledByItsUser(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 7", rows(1, true, "20:*=7"))
	s.tells("started map; demand map 6", container("c1", 20), rows(1, true, "20:*=6"))
	s.tells("ended lost; ended lost; demand map 0; job-ended killed", attemptEnd(1, wire.End_END_KILLED),
		&wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: "j", End: wire.End_END_KILLED}}})
	s.tells("", completion("m", -105), completion("m", -105), completion("c1", -106), rows(1, true, "20:*=6"))
}

// The ResourceManager starts again: its clock of decisions is another, what was done before it has
// forgotten, and what is asked for is told once the ApplicationMaster has called. What was promised
// and since when the job is there stays as it was.
func TestAResourceManagerStartsAgain(t *testing.T) {
	s := newSequence(t, yarn.Config{Promised: func(string) bool { return true }})
	s.tells("stage-ready map; demand map 3", rows(1, true, "20:*=3"))
	s.tells("started map; started map; demand map 1", container("c1", 20), container("c2", 20), rows(1, true, "20:*=1"))
	s.tells("ended committed", completion("c1", 0))
	if err := s.x.CloseSend(); err != nil {
		t.Fatal(err)
	}
	s.want(s.next(), "4s yield")
	second := hello()
	second.Life = "2"
	s.x = s.attach("shared", second)
	m := snapshot(1, 20_000)
	m.GetSnapshot().Applications = []*wire.Application{{Id: "j", Type: "MAPREDUCE", SubmitTimeMs: 6000}}
	m.GetSnapshot().Containers = []*wire.Container{container("m", 0).GetContainer(), container("c2", 20).GetContainer()}
	s.say(s.x, m)
	b := s.batch()
	s.want(inWords(b), "15s resync take-over node-up started started job-arrived stage-ready")
	for _, e := range b.Events {
		if j := e.Detail; e.Kind == sched.JobArrived && (len(j.Job.Stage(sched.Map).Done) != 1 || !j.Job.Promised || e.Age.Seconds() != 14 || j.Job.Arrive.Seconds() != 1) {
			t.Errorf("%d maps are done, promised %v, it came %v ago", len(j.Job.Stage(sched.Map).Done), j.Job.Promised, e.Age)
		}
	}
}

// However often all is told again, and in however many lives of the ResourceManager: what has ended meanwhile counts,
// what ended before counts once, and what was lost again does not.
func TestWhatIsDoneStaysDone(t *testing.T) {
	counted := func(maps, reduces int32) []*wire.Done {
		return []*wire.Done{{Priority: 20, Count: maps}, {Priority: 10, Count: reduces}}
	}
	s := newSequence(t, yarn.Config{})
	s.tells("stage-ready map; demand map 3; stage-ready reduce; demand reduce 3", rows(1, true, "20:*=3", "10:*=3"))
	s.tells("started map; started map; started reduce; demand map 1; demand reduce 2",
		container("c1", 20), container("c2", 20), container("r1", 10), rows(1, true, "20:*=1", "10:*=2"))
	s.tells("ended committed; ended committed; ended committed", completion("c1", 0), completion("c2", 0), completion("r1", 0))
	s.tells("output-lost map; demand map 2; demand reduce 2", rows(1, true, "5:*=1", "20:*=1", "10:*=2"))
	s.done(1, 1, counted(2, 1)...)
	s.done(2, 1, counted(3, 1)...) // nobody was told of that end
	second := hello()
	second.Life = "2"
	s.x = s.attach("shared", second)
	s.done(2, 2, counted(0, 1)...)
	s.done(2, 2, counted(0, 1)...)
	s.done(3, 3, counted(1, 2)...)
}

// Nothing depends on what the clock of this machine shows, nor on one that is put right by ten minutes.
func TestClocksApart(t *testing.T) {
	for _, apart := range []time.Duration{-10 * time.Minute, 0, 10 * time.Minute} {
		s := newSite(t, yarn.Config{})
		x := s.attach("shared", hello())
		at := time.Now().Add(apart).UnixMilli()
		s.say(x, snapshot(1, at))
		s.want(s.next(), "0s resync take-over node-up")
		s.say(x, events(1, at+1000, &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Type: "MAPREDUCE", Tags: []string{"in:60"}, SubmitTimeMs: at + 500}}}))
		b := s.batch()
		if j := b.Events[0].Detail.Job; j.Arrive.Seconds() != 0.5 || j.Deadline.Seconds() != 60.5 || b.Events[0].Age.Seconds() != 0.5 {
			t.Errorf("%v apart: it came at %v and is due at %v", apart, j.Arrive, j.Deadline)
		}
		// The cluster's clock is put back, and then right again: time stands still meanwhile.
		s.WakeAt(b.At.Add(500_000_000))
		s.say(x, events(2, at+1000-600_000, beats("n1")))
		s.want(s.next(), "1s heartbeat")
		s.say(x, events(3, at+2000, beats("n1")))
		s.want(s.next(), "2s tick heartbeat")
	}
}

// Five thousand asks at once are taken in, one by one as they were said.
func TestManyAsks(t *testing.T) {
	s := newSequence(t, yarn.Config{})
	var list []*wire.Event
	for i := range 5000 {
		list = append(list, rows(1, true, fmt.Sprintf("20:*=%d", i%7)))
	}
	s.say(s.x, events(s.first, s.ms, append(list, beats("n1"))...))
	last, seen := int32(-1), 0
	for over := false; !over; {
		for _, e := range s.batch().Events {
			if e.Kind == sched.Demand {
				last, seen = e.Count, seen+1
			}
			over = over || e.Kind == sched.Heartbeat
		}
	}
	if last != 4999%7 || seen != 5000 {
		t.Errorf("%d asks are told, the last of %d", seen, last)
	}
}

// An older plug-in is refused, and what a newer one of the same protocol says besides is passed over.
func TestOlderAndNewer(t *testing.T) {
	s := newSite(t, yarn.Config{})
	older := hello()
	older.Protocol = 0
	s.want(refusal(s.attach("shared", older)),
		`FailedPrecondition: the plug-in (release "9") speaks protocol 0 and Slackline 1.0 speaks 1: install the plug-in of this release`)
	x := s.first()
	s.say(x, &wire.AttachRequest{}) // as a message of a kind that is not known arrives
	s.say(x, events(1, 6000, &wire.Event{}, beats("n1")))
	s.want(s.next(), "1s heartbeat")
}
