package scale

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// hall is a view of nodes and of jobs that wait, and a book that lets nodes sleep.
type hall struct {
	sched.View
	now   units.Time
	nodes []*sched.Node
	jobs  []*sched.Job
	meek  bool // a world that cannot
}

func (h *hall) World() *sched.Capabilities      { return &sched.Capabilities{Power: !h.meek} }
func (h *hall) Now() units.Time                 { return h.now }
func (h *hall) Nodes() sched.NodeID             { return sched.NodeID(len(h.nodes)) }
func (h *hall) Node(n sched.NodeID) *sched.Node { return h.nodes[n-1] }
func (h *hall) Job(j sched.JobID) *sched.Job    { return h.jobs[j-1] }
func (h *hall) Propose(_ *sched.Plan, it *sched.Item) sched.Code {
	switch it.Verb {
	case sched.Sleep:
		h.nodes[it.Node-1].State = sched.Asleep
	case sched.Wake:
		h.nodes[it.Node-1].State = sched.Waking
	}
	return sched.OK
}

func (h *hall) Waiting(s sched.Stage, after sched.JobID) sched.JobID {
	for j := int(after); j < len(h.jobs); j++ {
		if h.jobs[j].Stages[s].Open > 0 {
			return sched.JobID(j + 1)
		}
	}
	return 0
}

// rooms makes a hall of nodes, one for each letter: a = awake and idle, b = busy with one of its 4
// vcores, f = full, s = asleep, d = down, x = draining. A capital letter marks a node with the
// label "gpu".
func rooms(nodes string) *hall {
	h := &hall{now: units.Time(units.Hour)}
	for i, c := range nodes {
		class := &cluster.Class{Capacity: units.Vector{units.VCores: 4}}
		nd := &sched.Node{ID: sched.NodeID(i + 1), Spec: &cluster.Node{Class: class}, State: sched.Awake, Free: class.Capacity}
		if c >= 'A' && c <= 'Z' {
			nd.Spec.Labels = []string{"gpu"}
			c += 'a' - 'A'
		}
		switch c {
		case 'b':
			nd.Occupied, nd.Free[units.VCores] = 1, 3
		case 'f':
			nd.Occupied, nd.Free[units.VCores] = 4, 0
		case 's':
			nd.State = sched.Asleep
		case 'd':
			nd.State = sched.Down
		case 'x':
			nd.State = sched.Draining
		}
		h.nodes = append(h.nodes, nd)
	}
	return h
}

// wait adds a job with so many maps that take so many vcores, or else as many as the second number.
func (h *hall) wait(open int, limit int32, label string, cores ...int64) *hall {
	spec := workload.StageSpec{Kind: workload.Map}
	for _, c := range cores {
		spec.Containers = append(spec.Containers, cluster.Container{Needs: units.Vector{units.VCores: c}})
	}
	j := &sched.Job{ID: sched.JobID(len(h.jobs) + 1), Spec: &workload.Job{Stages: []workload.StageSpec{spec}}}
	if label != "" {
		j.Spec.Labels = []string{label}
	}
	j.Stages[sched.Map] = sched.Tally{Open: int32(open), Limit: limit}
	h.jobs = append(h.jobs, j)
	return h
}

// scales returns what a batch brings: "sleep 3, wake 1, at 1h".
func (h *hall) scales(s *Sleep, batch ...sched.Event) string {
	var p sched.Plan
	p.Reset(h)
	s.Decide(h, batch, &p)
	var list []string
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.WakeMe {
			list = append(list, fmt.Sprint("at ", it.At))
		} else {
			list = append(list, fmt.Sprint(it.Verb, " ", it.Node))
		}
	}
	return strings.Join(list, ", ")
}

var arrives = sched.Event{Kind: sched.JobArrived, Job: 1}

func TestSleep(t *testing.T) {
	five := Config{Idle: 5 * units.Minute, Keep: 1}
	for _, c := range []struct {
		why  string
		hall *hall
		c    Config
		want string
	}{
		{"The last ones sleep first, and one stays awake.", rooms("aaa"), five, "sleep 3, sleep 2"},
		{"Whoever runs something counts as awake and does not sleep.", rooms("aba"), five, "sleep 3, sleep 1"},
		{"So many stay awake.", rooms("aaaa"), Config{units.Minute, 3}, "sleep 4"},
		{"All may sleep.", rooms("aa"), Config{units.Minute, 0}, "sleep 2, sleep 1"},
		{"Nobody is touched who is away or to leave.", rooms("adxsa"), five, "sleep 5"},
		{"A task that waits keeps awake the node that it would go to.", rooms("aaa").wait(1, -1, "", 1), Config{units.Minute, 0}, "sleep 3, sleep 2, at 1h1m"},
		{"Nobody wakes where there is room.", rooms("bsss").wait(3, -1, "", 1), five, ""},
		{"As many wake as waiting tasks fill: 3 go to node 1, 8 to two others,", rooms("bsss").wait(11, -1, "", 1), five, "wake 2, wake 3"},
		{"and one more needs another.", rooms("bssss").wait(12, -1, "", 1), five, "wake 2, wake 3, wake 4"},
		{"No more may start than the bound of the job says.", rooms("fssss").wait(12, 4, "", 1), five, "wake 2"},
		{"Jobs come one after the other, and share what is woken.", rooms("fsss").wait(2, -1, "", 1).wait(1, -1, "", 2).wait(1, -1, "", 3), five, "wake 2, wake 3"},
		{"What fits nowhere wakes nobody,", rooms("fsss").wait(2, -1, "", 5), five, ""},
		{"unless another kind of container fits.", rooms("fsss").wait(2, -1, "", 5, 4), five, "wake 2, wake 3"},
		{"A label is looked for.", rooms("fssS").wait(1, -1, "gpu", 1), five, "wake 4"},
		{"Nobody sleeps while work finds no room.", rooms("aS").wait(9, -1, "gpu", 1), Config{units.Minute, 0}, "wake 2, at 1h1m"},
		{"A world that cannot is left alone.", &hall{meek: true}, five, ""},
	} {
		if got := c.hall.scales(NewSleep(c.c), arrives); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// It asks for a Tick at the instant when a node will be due, and looks at nothing before, whatever commits or beats.
func TestSleepIsDueToTheInstant(t *testing.T) {
	s, h := NewSleep(Config{Idle: units.Minute, Keep: 1}), rooms("aba")
	h.nodes[0].Since, h.nodes[2].Since = h.now.Add(-20*units.Second), h.now.Add(-30*units.Second)
	if got := h.scales(s, arrives); got != "at 1h30s" {
		t.Errorf("got %q", got)
	}
	h.now = h.now.Add(29 * units.Second)
	if got := h.scales(s, sched.Event{Kind: sched.Heartbeat, Node: 1}, sched.Event{Kind: sched.Ended, Outcome: sched.Committed}); got != "" {
		t.Errorf("before: %q", got)
	}
	if got := h.scales(s, sched.Event{Kind: sched.Tick}); got != "at 1h30s" {
		t.Errorf("at a Tick for another part, which voids its own: %q", got)
	}
	h.now = h.now.Add(units.Second)
	if got := h.scales(s, sched.Event{Kind: sched.Tick}); got != "sleep 3, at 1h40s" {
		t.Errorf("when it is due: %q", got)
	}
}

// Who is on the way up is not woken again and counts as room; one that was refused sleeps again.
func TestWaking(t *testing.T) {
	s, h := NewSleep(Config{Idle: units.Minute, Keep: 1}), rooms("fss").wait(4, -1, "", 1)
	if got := h.scales(s, arrives); got != "wake 2" {
		t.Fatalf("got %q", got)
	}
	var again Sleep
	text, err := json.Marshal(s.Remembers())
	if err != nil || json.Unmarshal(text, again.Remembers()) != nil {
		t.Fatal(err)
	}
	if same, _ := json.Marshal(again.Remembers()); !bytes.Equal(text, same) || again.Wake != s.Wake {
		t.Errorf("saved %s, then %s", text, same)
	}
	if got := h.scales(s, arrives); got != "at 1h1m" {
		t.Errorf("while it is on its way: %q", got)
	}
	h.jobs[0].Stages[sched.Map].Open = 8
	h.nodes[1].State = sched.Asleep
	if got := h.scales(s, arrives); !strings.HasPrefix(got, "wake 2, wake 3") {
		t.Errorf("asleep again: %q", got)
	}
}
