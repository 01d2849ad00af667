package ledger

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// mine is a cause that a policy declares.
var mine = &sched.Cause{Name: "mine", Text: "because I say so"}

// busy returns a book with two jobs, three nodes, things promised, running, done and held, and its saved form.
func busy(t testing.TB) (*Ledger, []byte) {
	t.Helper()
	l := New(sched.Capabilities{Bind: true, Kill: true, Heartbeat: units.Second}, testOrder{ceiling: 9})
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
	var events []sched.Event
	for n := 1; n <= 3; n++ {
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n),
			Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: cluster.RackID(n%2 + 1), Class: class}}})
	}
	for j := 1; j <= 2; j++ {
		spec := &workload.Job{ID: string(rune('a' + j)), Queue: "a", Deadline: units.Time(j), Stages: []workload.StageSpec{
			{Kind: workload.Map, Tasks: make([]workload.Task, 3), Hosts: workload.HostsOf([]cluster.NodeID{1, 2}, []cluster.NodeID{2, 3}, []cluster.NodeID{3})},
			{Kind: workload.Reduce, Tasks: make([]workload.Task, 2)}}}
		if j == 2 {
			spec.After = []string{"b"}
		}
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j), Detail: &sched.Detail{Job: spec}})
	}
	events = append(events, sched.Event{Kind: sched.Heartbeat, Node: 1}, sched.Event{Kind: sched.Heartbeat, Node: 2})
	l.Apply(1, 1, events)
	var p sched.Plan
	l.Begin(&p)
	p.Admit(1, sched.Outlook{}, sched.Reason{})
	p.Start(1, sched.Map, 1, 1, sched.Remote, sched.Reason{})
	p.Start(1, sched.Map, 2, 1, sched.Remote, sched.Reason{})
	p.Start(1, sched.Map, 3, 1, sched.Remote, sched.Because(mine)) // it does not beat
	p.Start(9, sched.Map, 3, 1, sched.Remote, sched.Reason{})      // it does not exist
	p.WakeMe(77, sched.Reason{})
	l.Check(&p)
	l.Apply(2, 2, []sched.Event{{Kind: sched.Started, Attempt: 1, Item: 2, Job: 1, Stage: sched.Map, Task: p.Bound[0].Task, Node: 1}})
	var out bytes.Buffer
	if err := l.Save(&out); err != nil {
		t.Fatal(err)
	}
	return l, out.Bytes()
}

// What is loaded saves itself alike, and answers alike.
func TestSaveAndLoad(t *testing.T) {
	l, text := busy(t)
	m := New(l.can, l.order)
	if err := m.Load(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := m.Save(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), text) {
		t.Errorf("saved:  %s\nloaded: %s", text, again.Bytes())
	}
	if len(m.held) != 1 || m.grants.n != 1 || m.Youngest(1, sched.Map, 0) != 1 || m.Job(2).State != sched.Waiting {
		t.Errorf("held %v, grants %d, youngest %d, job 2 %v", m.held, m.grants.n, m.Youngest(1, sched.Map, 0), m.Job(2).State)
	}
	if l.Due() != 77 || m.Due() != 77 {
		t.Errorf("due at %v, loaded at %v, want 77", l.Due(), m.Due())
	}
	if why := m.held[0].Reason; why.Cause == nil || why.String() != "mine" {
		t.Errorf("an item waits because %q, of which no cause is declared", why)
	}
	if err := m.Load(bytes.NewReader(text), mine); err != nil || m.held[0].Reason.Cause != mine {
		t.Errorf("an item waits because %q, %v", m.held[0].Reason, err)
	}
	for n := sched.NodeID(1); n <= 3; n++ {
		if a, b := l.First(n, sched.Map, 0), m.First(n, sched.Map, 0); a != b {
			t.Errorf("first on node %d: %d and %d", n, a, b)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	_, text := busy(t)
	for _, c := range []struct{ from, to, want string }{
		{"", "", "the saved book cannot be read"},
		{`"version":9`, `"version":1`, "the saved book has version 1, this build reads version 9; the build that saved it reads it"},
		{`"bounds":[3,4,2]`, `"bounds":[2,4,2]`, "the saved book is damaged: job 2 of 1"},
		{`"bounds":[3,4,2]`, `"bounds":[3,4,1]`, "the saved book is damaged: attempt 1 of 0"},
		{`"bounds":[3,4,2]`, `"bounds":[3,4,99999999999]`, "the saved book is damaged: 99999999999 handles"},
		{`"List":`, `"Lost":`, "the saved book is damaged: a stage of job 1 of 2"},
		{`"parent":1`, `"parent":7`, "the saved book is damaged: queue 2 of 2"},
		{`"Job":1,"Node":2,"Left":1`, `"Job":1,"Node":9,"Left":1`, "the saved book is damaged: a grant of job 1 of 2"},
		{`"Job":1,"Node":2,"Left":1`, `"Job":1,"Node":2,"Left":2000000000`, "the saved book is damaged: a grant of job 1 of 2"},
		{`"rack":1`, `"rack":2147483647`, "the saved book is damaged: node 2 of 3"},
		{`"rack":1`, `"rack":-5`, "the saved book is damaged: node 2 of 3"},
	} {
		damaged := strings.Replace(string(text), c.from, c.to, 1)
		if c.from == "" {
			damaged = "{"
		}
		l := New(sched.Capabilities{Bind: true}, nil)
		if err := l.Load(strings.NewReader(damaged)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
}

// What a saved book says of the task 0, which there is not, means nothing.
func TestLoadOfTaskZero(t *testing.T) {
	l := open(t, bound, nil)
	stage := maps(17, 1)
	stage.Tasks = append(stage.Tasks, make([]workload.Task, 17)...)
	for i := range 17 {
		stage.Hosts.Set(17+i, 2)
	}
	l.told(nodeUp(1, 1, 20, 1), nodeUp(2, 1, 20, 1), jobOf(1, "a", stage))
	l.decide(admit(1), start(1, sched.Map, 2, 17))
	var text bytes.Buffer
	if err := l.Save(&text); err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(text.String(), `"List":[{}`, `"List":[{"state":3}`, 1)
	if damaged == text.String() {
		t.Fatal("there is no task 0 to damage")
	}
	m := New(bound, nil)
	if err := m.Load(strings.NewReader(damaged)); err != nil {
		t.Fatal(err)
	}
	if got := m.Nearest(2, 1, sched.Map); got != sched.RackLocal {
		t.Errorf("what is open is %v, want %v", got, sched.RackLocal)
	}
}

// FuzzLoad: a damaged book is refused, or it is one that can be worked with; it never crashes.
func FuzzLoad(f *testing.F) {
	_, text := busy(f)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte(`"bounds":[`)) && len(text) > 1<<16 {
			return
		}
		l := New(sched.Capabilities{Bind: true, Kill: true}, testOrder{ceiling: 9})
		if l.Load(bytes.NewReader(text)) != nil {
			return
		}
		l.Apply(l.now+1, l.round+1, []sched.Event{{Kind: sched.Heartbeat, Node: 1}, {Kind: sched.Ended, Attempt: 1, Outcome: sched.Failed}})
		var p sched.Plan
		l.Begin(&p)
		for s := range sched.Stages {
			for j := l.First(1, s, 0); j != 0; j = l.First(1, s, j) {
				p.Start(j, s, 1, 2, sched.Remote, sched.Reason{})
			}
		}
		l.Check(&p)
	})
}
