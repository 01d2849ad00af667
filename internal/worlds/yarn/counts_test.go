package yarn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stages says what an event tells of a job's stages: how many tasks each has, and + if there may be more.
func stages(e sched.Event) string {
	said := ""
	for _, st := range e.Detail.Job.Stages {
		said += fmt.Sprintf(" %v %d", st.Kind, len(st.Tasks))
		if st.Grows {
			said += "+"
		}
	}
	return e.Kind.String() + said
}

func submission(files *wire.Files, tags ...string) *wire.Event {
	return &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "j", Name: "sort", Type: "MAPREDUCE", SubmitTimeMs: 6000, Held: true,
		Tags: tags, Files: files}}}
}

func usual(class string) (maps, reduces int) {
	if class == "sort" {
		return 5, 2
	}
	return 0, 0
}

// first attaches a plug-in, and takes in its first state.
func (s *site) first() stream {
	s.t.Helper()
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	return x
}

// The splits of a job say how many maps it has, what each reads and where that lies; its job.xml has the number
// of reduces. Read late, they amend what was told.
func TestCountsOfSplits(t *testing.T) {
	s := newSite(t, yarn.Config{Slots: &yarn.Split{Slot: units.Vector{units.Memory: int64(units.GB)}}, Usual: usual})
	x := s.first()
	files := &wire.Files{Hosts: []string{"n1", "elsewhere"}, Reduces: 2, SlowStart: 0.8, Map: map[string]int64{"memory-mb": 1024}, Reduce: map[string]int64{"memory-mb": 2048},
		Splits: []*wire.Split{{Bytes: 100, Hosts: []int32{0}}, {Bytes: 50}, {Bytes: 7, Hosts: []int32{1, 0, 99, -1}}}}
	s.say(x, events(1, 6000, submission(nil, "in:60", "class:unknown")))
	b := s.batch()
	s.want(stages(b.Events[0]), "job-arrived master 1 map 0+ reduce 0+")
	s.say(x, events(2, 6500, submission(files, "in:60", "class:unknown")))
	b = s.batch()
	s.want(stages(b.Events[0]), "job-amended master 1 map 3 reduce 2")
	j := b.Events[0].Detail.Job
	if err := j.Validate(); err != nil {
		t.Error(err)
	}
	var read []string
	for i, m := range j.Stage(sched.Map).Tasks {
		read = append(read, fmt.Sprint(int64(m.Input), j.Stage(sched.Map).Hosts.Of(i)))
	}
	s.want(strings.Join(read, " "), "100 [1] 50 [] 7 [1]") // a host that never was a node is nobody's
	s.want(fmt.Sprint(j.SlowStart, j.Stage(sched.Map).Containers[0].Needs, j.Stage(sched.Reduce).Containers[0].Needs),
		fmt.Sprint(0.8, units.Vector{units.MapSlots: 1}, units.Vector{units.ReduceSlots: 2}))

	// A job without reduces has no such stage; what it asks for changes no number.
	s.say(x, events(3, 7000, &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "k", Type: "MAPREDUCE", SubmitTimeMs: 7000,
		Files: &wire.Files{Splits: []*wire.Split{{Bytes: 1}}}}}}))
	s.want(stages(s.batch().Events[0]), "job-arrived master 1 map 1")
	s.say(x, events(4, 8000, asks(20, 4)))
	for _, e := range s.batch().Events {
		if e.Kind == sched.JobAmended {
			t.Errorf("splits are final, and asks made it %s", stages(e))
		}
	}
}

// The deadline in a job's configuration is held against what may be claimed, and outlasts the ResourceManager that
// read it.
func TestTheDeadlineOfAConfiguration(t *testing.T) {
	s := newSite(t, yarn.Config{Claims: yarn.Claims{"root": {Users: []string{"anna"}}}})
	x := s.first()
	app := func(id, user string) *wire.Event {
		return &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: id, User: user, Type: "MAPREDUCE", Held: true, SubmitTimeMs: 6000,
			Files: &wire.Files{Deadline: "66000"}}}}
	}
	s.say(x, events(1, 6000, app("a", "ben"), app("b", "anna")))
	b := s.batch()
	if len(b.Events) != 1 || b.Events[0].Detail.Job.ID != "b" || b.Events[0].Detail.Job.Deadline.Sub(b.Events[0].Detail.Job.Arrive) != units.Minute {
		t.Errorf("%v", b.Events)
	}
	again := snapshot(1, 7000)
	again.GetSnapshot().Applications = []*wire.Application{{Id: "b", User: "anna", Type: "MAPREDUCE", SubmitTimeMs: 6000}}
	s.say(x, again)
	for _, e := range s.batch().Events {
		if e.Kind == sched.JobArrived && e.Detail.Job.Deadline.Sub(e.Detail.Job.Arrive) != units.Minute {
			t.Errorf("its deadline is now %v", e.Detail.Job.Deadline)
		}
	}
}

// Without splits, the class says how many tasks there are, until the ApplicationMaster asks.
func TestCountsOfTheClass(t *testing.T) {
	s := newSite(t, yarn.Config{Usual: usual})
	x := s.first()
	s.say(x, events(1, 6000, submission(nil, "in:60")))
	s.want(stages(s.batch().Events[0]), "job-arrived master 1 map 5 reduce 2")
	amended := func(first int64, list ...*wire.Event) string {
		t.Helper()
		s.say(x, events(first, 7000+10*first, append(list, beats("n1"))...))
		said := ""
		for {
			b := s.batch()
			for _, e := range b.Events {
				switch e.Kind {
				case sched.JobAmended:
					said = stages(e)
				case sched.Heartbeat:
					return said
				}
			}
		}
	}
	s.want(amended(2, asks(20, 3)), "job-amended master 1 map 3 reduce 2")
	s.want(amended(4, container("c1", 20), asks(20, 2)), "")
	s.want(amended(7, completion("c1", 0), asks(20, 4)), "job-amended master 1 map 5 reduce 2")
	s.want(amended(10, asks(10, 1)), "job-amended master 1 map 5 reduce 2") // that shows what a reduce takes
	s.want(amended(12, asks(10, 2)), "")
	s.want(amended(14, asks(10, 3)), "job-amended master 1 map 5 reduce 3")
}

// A job whose class nobody knows grows, and so does one without a deadline: nothing is promised to that.
func TestCountsOfNobody(t *testing.T) {
	s := newSite(t, yarn.Config{Usual: usual})
	x := s.first()
	s.say(x, events(1, 6000, submission(nil, "in:60", "class:other")))
	s.want(stages(s.batch().Events[0]), "job-arrived master 1 map 0+ reduce 0+")
	s.say(x, events(2, 6100, &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "k", Name: "sort", Type: "MAPREDUCE", SubmitTimeMs: 6100}}}))
	s.want(stages(s.batch().Events[0]), "job-arrived master 1 map 0+ reduce 0+")
}

// Who is refused is told on what the number of tasks rests, and which tag would do.
func TestRefusalsNameTheirGrounds(t *testing.T) {
	for _, c := range []struct {
		files *wire.Files
		class string
		want  string
	}{
		{&wire.Files{Reduces: 1, Splits: []*wire.Split{{Bytes: 1}, {Bytes: 1}}}, "sort", "; it has 2 maps and 1 reduce, counted from its splits; submitted now with the tag in:75 it would be accepted"},
		{nil, "sort", "; it is assumed to have 5 maps and 2 reduces, like earlier jobs of its class; submitted now with the tag in:75 it would be accepted"},
		{nil, "other", "; submitted now with the tag in:75 it would be accepted"},
	} {
		s := newSite(t, yarn.Config{Usual: usual})
		x := s.first()
		s.say(x, events(1, 6000, submission(c.files, "in:60", "class:"+c.class)))
		b := s.batch()
		late := &sched.Cause{Name: "late", Text: "it would be late"}
		err := s.Enact(&sched.Plan{Items: []sched.Item{{Verb: sched.Reject, ID: 1, Job: b.Events[0].Job, Outlook: sched.Offer(b.At.Add(74*units.Second+1), true), Reason: sched.Because(late)}}})
		if err != nil {
			t.Fatal(err)
		}
		for {
			m, err := x.Recv()
			if err != nil {
				t.Fatal(err)
			}
			if v := m.GetPlan(); v != nil {
				said := v.Items[0].GetVerdict().Sentence
				if said = said[strings.Index(said, ";"):]; said != c.want {
					t.Errorf("got  %s\nwant %s", said, c.want)
				}
				s.say(x, events(2, 6100, &wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: "j", End: wire.End_END_FAILED}}}))
				if e := s.batch().Events[0]; e.Outcome != sched.Killed || e.Text != "rejected: "+v.Items[0].GetVerdict().Sentence {
					t.Errorf("it ends as %v, %q", e.Outcome, e.Text)
				}
				break
			}
		}
	}
}
