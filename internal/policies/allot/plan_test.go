package allot

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// hall is a view of jobs on a cluster, of whose classes maps and reduces took 10 s each.
type hall struct {
	sched.View
	cluster units.Vector
	jobs    []*sched.Job
	uneven  bool // maps took 4 and 16 s
	now     units.Time
	bytes   units.Bytes // that the first map read; the second a thousand times as many
	known   *profile.Class
}

func (h *hall) Now() units.Time         { return h.now }
func (h *hall) Capacity() *units.Vector { return &h.cluster }
func (h *hall) Jobs() sched.JobID       { return sched.JobID(len(h.jobs)) }
func (h *hall) Job(j sched.JobID) *sched.Job {
	return h.jobs[j-1]
}

func (h *hall) Profile(name string) *profile.Class {
	if name == "new" {
		return nil
	}
	if h.known != nil {
		return h.known
	}
	c := profile.New(name)
	for i := range 2 {
		took := 10 * units.Second
		if h.uneven {
			took += units.Duration(12*i-6) * units.Second
		}
		c.Attempt(workload.Map, "n", h.bytes*units.Bytes(1+999*i), took, 0)
		c.Attempt(workload.Reduce, "n", 0, 8*units.Second, 2*units.Second)
	}
	return c
}

// A question about an instant at which a job would be late leaves the plan for now as it is.
func TestQuestionsDecideNothing(t *testing.T) {
	for _, started := range []units.Time{units.Never, 0} {
		h := &hall{cluster: units.Slots(10, 2)}
		h.known = h.Profile("c")
		h.comes("c", 20, 2, 100*units.Second, 1, sched.Admitted).Started = started
		last := h.comes("c", 20, 2, 5000*units.Second, 1, sched.Pending)
		h.jobs = h.jobs[:1]
		var asked, fresh plan
		for _, now := range []units.Time{units.Time(0), units.Time(units.Second), units.Time(80 * units.Second)} {
			h.now = units.Time(1000 * units.Second)
			Admission{plan: &asked}.Ask(h, last)
			h.now, fresh.memo = now, nil
			asked.make(h, nil)
			fresh.make(h, nil)
			is, _ := asked.MarshalJSON()
			if want, _ := fresh.MarshalJSON(); string(is) != string(want) {
				t.Errorf("at %v, after a question: %s, want %s", now, is, want)
			}
		}
	}
}

// A question counts the masters of jobs that would be let in with the one that is asked about: here of one that has
// begun meanwhile.
func TestQuestionsCountMastersBefore(t *testing.T) {
	h := &hall{cluster: units.Slots(10, 0)}
	for i, is := range []sched.JobState{sched.Admitted, sched.HeldBack, sched.Pending} {
		j := h.comes("new", 1, 0, 0, 1, is)
		j.Spec.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: make([]workload.Task, 1)}}, j.Spec.Stages...)
		if i == 1 {
			j.Stages[sched.Master].Occupied = 1
		}
	}
	last := h.jobs[2]
	h.jobs = h.jobs[:2]
	a := Admission{plan: new(plan), share: 0.1}.Ask(h, last)
	if want := sched.Because(admit.MasterShare, 2, 1, int64(units.MapSlots)); a.Verb != sched.Hold || a.Reason != want {
		t.Errorf("%v (%v), want %v", a.Verb, a.Reason, want)
	}
}

// comes adds a job; 0 s is no deadline.
func (h *hall) comes(class string, maps, reduces int, deadline units.Duration, weight float64, is sched.JobState) *sched.Job {
	spec := &workload.Job{Class: class, Weight: weight, Deadline: units.Never}
	if deadline > 0 {
		spec.Deadline = units.Time(deadline)
	}
	for _, s := range []struct {
		kind  sched.Stage
		tasks int
	}{{workload.Map, maps}, {workload.Reduce, reduces}} {
		if s.tasks > 0 {
			spec.Stages = append(spec.Stages, workload.StageSpec{Kind: s.kind, Tasks: make([]workload.Task, s.tasks)})
		}
	}
	j := &sched.Job{ID: h.Jobs() + 1, Seq: int64(h.Jobs()), Spec: spec, State: is, Started: units.Never, Deadline: spec.Deadline}
	h.jobs = append(h.jobs, j)
	return j
}

const third = 333333333

// By hand: ten maps of 10 s by the mean bound are A = 100 - 10, C = 10. On 9 slots and a deadline
// of 40 s one needs 90/30 = 3 slots, a third of the cluster, so three run: both of the class that
// is worth more, and one of the other.
func TestRank(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3)}
	for range 3 {
		h.comes("poor", 10, 0, 40*units.Second, 1, sched.Pending)
	}
	h.comes("rich", 10, 0, 40*units.Second, 2, sched.Pending)
	h.comes("rich", 10, 0, 40*units.Second, 1, sched.Pending)
	p := &plan{}
	p.make(h, nil)
	poor, rich := p.Classes[0], p.Classes[1]
	if poor.Gamma < third || poor.Gamma > third+1 || poor.Admit != 1 || rich.Admit != 2 || poor.Slots[0] != 3 || rich.Slots[0] != 6 {
		t.Errorf("%+v", p)
	}
	// The whole cluster would earn 3 with the poor, whom the price keeps out, as there is room for no more.
	if p.Price != poor.worth() || p.Price < 2999 || p.Price > 3001 {
		t.Errorf("the price is %d", p.Price)
	}
	var out sched.Plan
	Admission{plan: p}.Decide(h, []sched.Event{{Kind: sched.JobArrived}}, &out)
	verbs := ""
	for _, it := range out.Items {
		verbs += it.Verb.String() + " "
	}
	if verbs != "admit reject reject admit admit " || out.Items[1].Reason.A != 1 || out.Items[0].Reason.B != 40e9 {
		t.Errorf("%s %+v", verbs, out.Items)
	}
	// Who runs stays, whatever comes.
	for _, j := range h.jobs[:3] {
		j.State = sched.Admitted
	}
	p.make(h, nil)
	if p.Classes[0].Admit != 3 || p.Classes[1].Admit != 0 || p.Classes[0].Slots[0] != 9 || p.Classes[1].Slots[0] != 1 {
		t.Errorf("%+v", p)
	}
}

// needOf is what a job of the class needs.
func needOf(p *plan, h sched.View, j *sched.Job, c *class) needs {
	c.read = false
	o := p.outline(h, j, c)
	return o.need(h, j)
}

// Reduces of 8 s that fetch for 2 s are tasks of 10 s. With slots apart, a job takes the same part
// of both; where containers draw on one resource, what it takes adds up (equations 29 and 30).
func TestNeed(t *testing.T) {
	h := &hall{cluster: units.Slots(20, 10)}
	j := h.comes("c", 11, 6, 70*units.Second, 1, sched.Pending)
	// Mean: A = 110 - 10, B = 60 - 10, C = 20: (100/20 + 50/10)/50 = 1/5 of both: 4 map slots and 2 reduce slots.
	if n := needOf(&plan{}, h, j, &class{}); n.gamma != whole/5 || n.slots[0].Slots != 4 || n.slots[1].Slots != 2 || n.takes != 70*units.Second {
		t.Errorf("%+v", n)
	}
	// Upper: A = 90, B = 40, C = 40: (90/20 + 40/10)/30.
	if n := needOf(&plan{upper: true}, h, j, &class{}); n.gamma != 283333333 {
		t.Errorf("%+v", n)
	}
	// A loose deadline: one slot of each kind, a tenth of the reduce slots.
	j.Deadline = units.Time(units.Hour)
	if n := needOf(&plan{}, h, j, &class{}); n.gamma != whole/10 || n.slots[0].Slots != 1 || n.slots[1].Slots != 1 {
		t.Errorf("%+v", n)
	}
	for i := range j.Spec.Stages {
		c := cluster.Container{Name: "c"}
		c.Needs[units.Memory] = int64(units.GB)
		j.Spec.Stages[i].Containers = []cluster.Container{c}
	}
	h.cluster = units.Vector{}
	h.cluster[units.Memory] = 40 * int64(units.GB)
	j.Deadline = units.Time(70 * units.Second)
	// (sqrt(100·50) + 100)/50 map containers and (sqrt(100·50) + 50)/50 for reduces, of 40 in all.
	const parts = 145710678 // 1e9 (2 · 70.7107 + 150) / 50 / 40
	if n := needOf(&plan{}, h, j, &class{}); n.gamma < parts-2 || n.gamma > parts+2 {
		t.Errorf("%+v, want %v", n, parts)
	}
	// A master of 4 GB takes a tenth besides.
	c := cluster.Container{Name: "m"}
	c.Needs[units.Memory] = 4 * int64(units.GB)
	j.Spec.Stages = append(j.Spec.Stages, workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1), Containers: []cluster.Container{c}})
	if n := needOf(&plan{}, h, j, &class{}); n.why.Cause != Unplanned { // of which nothing is known
		t.Errorf("%+v", n)
	}
	if got := master(&h.cluster, j); got != 0.1 {
		t.Errorf("the master takes %v", got)
	}
	// A single map takes its mean on one slot, whatever the longest map of its class took: with 4 and 16 s
	// A = 10 - 16, C = 16.
	one := &hall{cluster: units.Slots(20, 10), uneven: true}
	k := one.comes("c", 1, 0, 11*units.Second, 1, sched.Pending)
	if n := needOf(&plan{}, one, k, &class{}); n.gamma != whole/20 || n.slots[0].Slots != 1 || n.takes != 10*units.Second || n.late != 0 {
		t.Errorf("%+v", n)
	}
	if n := needOf(&plan{upper: true}, one, k, &class{}); n.late != 32*units.Second { // A = 10 - 32, C = 32
		t.Errorf("%+v", n)
	}
	k.Deadline = units.Time(10 * units.Second)
	if n := needOf(&plan{}, one, k, &class{}); n.late != 10*units.Second {
		t.Errorf("%+v", n)
	}
	// No cluster helps where the deadline is C, and a cluster without slots for reduces helps no job with some.
	h.cluster = units.Slots(9, 0)
	k = h.comes("c", 5, 1, units.Hour, 1, sched.Pending)
	l := h.comes("c", 5, 0, 10*units.Second, 1, sched.Pending)
	for _, j := range []*sched.Job{k, l} {
		if n := needOf(&plan{}, h, j, &class{}); n.late == 0 || n.why.Cause != TooLate {
			t.Errorf("%+v", n)
		}
	}
}

// Queues foresee jobs that are not there yet, and say what they are worth. Jobs that cannot be
// planned for have what is left.
func TestForeseen(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3)}
	p := &plan{described: map[string]queues.Queue{"rich": {MaxRunning: new(2), Weight: 5}}}
	j := h.comes("rich", 10, 0, 40*units.Second, 1, sched.Pending)
	j.Spec.Queue = "rich"
	h.comes("poor", 10, 0, 40*units.Second, 3, sched.Pending)
	h.comes("poor", 10, 0, 40*units.Second, 3, sched.Pending)
	p.make(h, nil)
	if p.Classes[0].Admit != 1 || p.Classes[1].Admit != 2 || p.Classes[1].Slots[0] != 6 {
		t.Errorf("%+v", p)
	}
	// The rich have gone; what they need is remembered, and their place kept.
	h.jobs[0].State = sched.Finished
	h.comes("new", 10, 0, 40*units.Second, 1, sched.Pending)
	h.comes("idle", 10, 0, 0, 1, sched.Pending)
	p.make(h, nil)
	if len(p.Classes) != 4 || p.Classes[2].Admit != 1 || p.Classes[3].Admit != 2 || p.Classes[0].Slots[0] != 1 {
		t.Errorf("%+v", p)
	}
	h.jobs[1].State, h.jobs[2].State = sched.Finished, sched.Finished // the poor leave three slots to the others
	p.make(h, nil)
	if len(p.Classes) != 3 || p.Classes[0].Slots[0] != 2 || p.Classes[1].Slots[0] != 2 || p.Classes[2].Slots[0] != 6 {
		t.Errorf("%+v", p)
	}
}

// Jobs of a class may differ. Those that run hold what each of them needs, and the next takes what those need that
// ask: by hand, on 9 slots one of 40 s needs 3 (A = 90, C = 10), one of 100 s needs 1, one of 25 s needs 6.
func TestUnlikeJobs(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3)}
	h.comes("c", 10, 0, 40*units.Second, 1, sched.Admitted)
	h.comes("c", 10, 0, 100*units.Second, 1, sched.Admitted)
	h.comes("c", 10, 0, 100*units.Second, 1, sched.Pending)
	h.comes("c", 10, 0, 100*units.Second, 1, sched.Pending)
	p := &plan{}
	p.make(h, nil)
	if c := p.Classes[0]; c.Admit != 4 || c.Gamma < third/3 || c.Gamma > third/3+1 || c.Slots[0] != 9 || p.Price != 0 {
		t.Errorf("%+v", c)
	}
	h.comes("c", 10, 0, 25*units.Second, 1, sched.Pending)
	p.make(h, nil) // 3 + 1 run; each that asks counts as the neediest of them, and not one fits
	if c := p.Classes[0]; c.Admit != 2 || c.Gamma < 2*third || c.Gamma > 2*third+2 || c.Slots[0] != 9 || p.Price != c.worth() {
		t.Errorf("%+v", c)
	}
}

// A job that was held has less time left than one that has just come, and one that runs has what it was given.
// By hand, the first needs 90/(40 - 10 - 10) = 4.5 of 9 slots.
func TestNeedCountsFromNow(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3), now: units.Time(10 * units.Second)}
	held := h.comes("c", 10, 0, 40*units.Second, 1, sched.HeldBack)
	runs := h.comes("c", 10, 0, 40*units.Second, 1, sched.Admitted)
	runs.Started = 0
	if n := needOf(&plan{}, h, held, &class{}); n.gamma != whole/2 || n.takes != 30*units.Second {
		t.Errorf("%+v", n)
	}
	if n := needOf(&plan{}, h, runs, &class{}); n.gamma < third || n.gamma > third+1 {
		t.Errorf("%+v", n)
	}
}

// Two maps took 10 s, one for a byte and one for a thousand. The next of a thousand takes 10 s too, and not
// a thousand times as long as the small one did for a byte.
func TestNeedReadsTimes(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3), bytes: 1}
	j := h.comes("c", 10, 0, 40*units.Second, 1, sched.Pending)
	for i := range j.Spec.Stages[0].Tasks {
		j.Spec.Stages[0].Tasks[i].Input = 1000
	}
	c := &class{}
	if n := needOf(&plan{}, h, j, c); n.gamma < third || n.gamma > third+1 {
		t.Errorf("%+v", n)
	}
	h.uneven = true                                            // what is learned since counts: maps of 4 and 16 s
	if n := needOf(&plan{}, h, j, c); n.gamma/10 != 38888888 { // A = 100 - 16, C = 16: 3.5 slots
		t.Errorf("%+v", n)
	}
}

// The plan follows what drifts: what is known of a class, and the cluster. By hand, a job of ten maps of
// 10 s and 40 s needs 3 slots; of 12 s, A = 120 - 12 and C = 12, 108/28 of them; with 4 and 16 s 84/24.
func TestDrift(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3)}
	twelve := profile.New("c")
	twelve.Attempt(workload.Map, "n", 0, 12*units.Second, 0)
	ten := h.Profile("c")
	h.known = ten
	h.comes("c", 10, 0, 40*units.Second, 1, sched.Admitted).Started = 0
	p := &plan{}
	follow := func(of sched.EventKind, slots float64) {
		t.Helper()
		Admission{plan: p}.Decide(h, []sched.Event{{Kind: of}}, &sched.Plan{})
		if c := p.Classes[0]; math.Abs(float64(c.Gamma)-whole*slots/float64(h.cluster[units.MapSlots])) > 1 {
			t.Errorf("after %v a part of %v of the cluster, want %v slots", of, float64(c.Gamma)/whole, slots)
		}
	}
	follow(sched.JobArrived, 3)
	h.known = twelve
	follow(sched.Heartbeat, 3) // nothing was told
	follow(sched.ProfileLearned, 108/28.0)
	h.known = ten
	follow(sched.ProfileLearned, 3)
	h.cluster = units.Slots(18, 3)
	follow(sched.NodeUp, 3)
	h.known, h.uneven = nil, true
	follow(sched.JobEnded, 84/24.0)
}

// An ApplicationMaster takes its part of the cluster, and its start comes off the time: of 45 s 5 s, by
// hand.
func TestNeedOfMasters(t *testing.T) {
	h := &hall{cluster: units.Slots(9, 3)}
	h.cluster[units.Memory] = 100
	j := h.comes("c", 10, 0, 45*units.Second, 1, sched.Pending)
	h.known = h.Profile("c")
	h.known.At(workload.Master, "n").Start.Add(3)
	h.known.At(workload.Master, "n").Start.Add(5)
	in := []cluster.Container{{Name: "am", Needs: units.Vector{units.Memory: 10}}}
	master := workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1), Containers: in}
	j.Spec.Stages = slices.Insert(j.Spec.Stages, 0, master)
	if n := needOf(&plan{}, h, j, &class{}); n.why.Cause != nil || math.Abs(float64(n.gamma)-whole*(3/9.0+0.1)) > 1 {
		t.Errorf("%+v", n)
	}
}
