package admit_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"github.com/slackline/slackline/internal/policies/estimate"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const mib = units.Bytes(1 << 20)

// classes are those of which everything is known, as it is: maps take 10 s for a MiB and hand on
// what they read, reduces so many seconds for a MiB as the name says.
func classes() (all []*profile.Class) {
	varies := profile.New("varies") // maps of 10 s, and one of 20
	for _, s := range []int{10, 10, 10, 20} {
		varies.Attempt(workload.Map, "c", mib, units.Duration(s)*units.Second, 0)
	}
	all = append(all, varies)
	for _, s := range []int{10, 30} {
		c := profile.New(fmt.Sprint("reduce", s))
		c.Attempt(workload.Map, "c", mib, 10*units.Second, 0)
		c.Attempt(workload.Reduce, "c", mib, units.Duration(s)*units.Second, 0)
		c.Ratio.Add(1)
		all = append(all, c)
	}
	for _, s := range []float64{15, 25} { // masters that start up for so long
		c := profile.New(fmt.Sprintf("up%v", s))
		c.Attempt(workload.Map, "c", mib, 10*units.Second, 0)
		c.Attempt(workload.Reduce, "c", mib, 10*units.Second, 0)
		c.At(workload.Master, "c").Start.Add(s)
		all = append(all, c)
	}
	slow := profile.New("slow") // a byte once took days
	slow.Attempt(workload.Map, "c", 1, units.Hour*1000, 0)
	return append(all, slow)
}

// timed is a job of maps of a MiB and reduces of one each, of that class, with a deadline so long after its arrival.
func timed(id, class string, at, deadline, maps, reduces int) *workload.Job {
	j := &workload.Job{ID: id, Class: class, Weight: 1, Arrive: units.Time(0).Add(units.Duration(at) * units.Second), Soft: units.Never, Deadline: units.Never}
	if j.SlowStart = 1; deadline > 0 {
		j.SlowStart = 0 // the policy sees to it that reduces wait
		j.Deadline = j.Arrive.Add(units.Duration(deadline) * units.Second)
	}
	st := workload.StageSpec{Kind: workload.Map}
	for range maps {
		st.Tasks = append(st.Tasks, workload.Task{Input: mib, Work: 10 * units.Second})
	}
	j.Stages = append(j.Stages, st)
	if reduces > 0 {
		took := 10 * units.Second
		if class == "reduce30" {
			took = 30 * units.Second
		}
		// The maps' output is shared among the reduces.
		took = took * units.Duration(maps) / units.Duration(reduces)
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: slices.Repeat([]workload.Task{{Work: took}}, reduces)})
	}
	return j
}

// fates notes what became of jobs: "a yes 40s" was accepted and ended at 40 s, "b no: why" was refused.
type fates struct {
	lines []string
	names map[sched.JobID]string
	specs map[sched.JobID]*workload.Job
	gets  map[sched.JobID]int32 // map slots
}

func (f *fates) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			f.names[e.Job], f.specs[e.Job] = e.Detail.Job.ID, e.Detail.Job
		case sched.JobEnded:
			if e.Outcome == sched.Committed {
				f.lines = append(f.lines, fmt.Sprintf("%s yes, %d slots, %v", f.names[e.Job], f.gets[e.Job], at))
			}
		}
	}
	return nil
}

func (f *fates) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		switch it := &p.Items[i]; it.Verb {
		case sched.Reject:
			f.lines = append(f.lines, fmt.Sprintf("%s no: %s", f.names[it.Job], p.Why(it, func(j sched.JobID) *workload.Job { return f.specs[j] })))
		case sched.SetSlots:
			f.gets[it.Job] = it.Count
		}
	}
	return nil
}

// play runs jobs under a policy on nodes with one map slot each, of which some have a reduce slot.
func play(t *testing.T, policy string, nodes, reduces int, jobs ...*workload.Job) string {
	t.Helper()
	full := units.Slots(1, 1)
	full[units.Memory] = 1 // for a master
	c := cluster.Uniform(nodes, 1, cluster.Class{Name: "c", Speed: 1, Capacity: full})
	less := &cluster.Class{Name: "less", Speed: 1, Capacity: units.Slots(1, 0)}
	c.Classes = append(c.Classes, less)
	for i := reduces; i < nodes; i++ {
		c.Nodes[i].Class = less
	}
	w, err := sim.New(sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: jobs}, Profiles: classes()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fates{names: map[sched.JobID]string{}, specs: map[sched.JobID]*workload.Job{}, gets: map[sched.JobID]int32{}}
	if err := drive.New(w, p, f).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(f.lines)
	return strings.Join(f.lines, "; ")
}

func TestConstraint(t *testing.T) {
	for _, c := range []struct {
		says           string
		nodes, reduces int
		jobs           []*workload.Job
		want           string
	}{
		{"It gets the fewest slots with which its maps end by the latest start of its reduces (5.1): 40 s of maps in 60 - 20 s want 1, in 59 - 20 s want 2.",
			4, 4, []*workload.Job{timed("a", "reduce10", 0, 60, 4, 2)}, "a yes, 1 slots, 1m"},
		{"...", 4, 4, []*workload.Job{timed("a", "reduce10", 0, 59, 4, 2)}, "a yes, 2 slots, 40s"},
		{"So many are not free now: refused, though there would be time enough.",
			2, 2, []*workload.Job{timed("a", "reduce10", 0, 40, 4, 2), timed("b", "reduce10", 1, 300, 1, 1)},
			"a yes, 2 slots, 40s; b no: it needs 1 map slot at 1.0 s, and 0 are free then; a holds 2 map slots until 20.0 s at the latest"},
		{"They are free again when the maps that hold them have ended.",
			2, 2, []*workload.Job{timed("a", "reduce10", 0, 40, 4, 2), timed("b", "reduce10", 21, 300, 1, 1)},
			"a yes, 2 slots, 40s; b yes, 1 slots, 50s"},
		{"Not so many reduce slots are left at the latest start of the reduces: from 20s to 30s the other holds one of two.",
			4, 2, []*workload.Job{timed("a", "reduce10", 0, 30, 1, 1), timed("b", "reduce10", 1, 33, 2, 2)},
			"a yes, 1 slots, 20s; b no: it needs 2 reduce slots at 24.0 s, and 1 is free then; a holds 1 reduce slot until 30.0 s at the latest"},
		{"It never accepts more reduces than there are slots, whatever the deadline.",
			4, 2, []*workload.Job{timed("a", "reduce10", 0, 100000, 3, 3)}, "a no: it needs 3 reduce slots at once, but the cluster has 2"},
		{"The maps cannot end before the latest start of the reduces.",
			4, 2, []*workload.Job{timed("a", "reduce10", 5, 10, 1, 1)}, "a no: alone on this cluster it takes 20.0 s on average (its maps 10.0 s, its reduces 10.0 s), and its deadline is in 10.0 s, 10.0 s before that"},
		{"80 s of maps take 40 s with both slots, and the reduces 40 s behind them: 79 s are too few for it alone, 80 s are not.",
			2, 2, []*workload.Job{timed("a", "reduce10", 0, 79, 8, 2)}, "a no: alone on this cluster it takes 1:20 min on average (its maps 40.0 s, its reduces 40.0 s), and its deadline is in 1:19 min, 1.0 s before that"},
		{"...", 2, 2, []*workload.Job{timed("a", "reduce10", 0, 80, 8, 2)}, "a yes, 2 slots, 1m20s"},
		{"Reduces wait for the last map, and a job without a deadline comes last.",
			1, 1, []*workload.Job{timed("a", "reduce10", 0, 0, 2, 1), timed("b", "reduce10", 1, 60, 2, 1)},
			"a yes, 0 slots, 1m10s; b yes, 1 slots, 50s"},
		{"Nothing is known of the class.",
			1, 1, []*workload.Job{timed("a", "other", 0, 400, 2, 1), timed("b", "other", 0, 0, 1, 1)},
			"a no: there is no profile of its class, so its deadline cannot be tested; b yes, 0 slots, 20s"},
	} {
		if got := play(t, "dc", c.nodes, c.reduces, c.jobs...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.says, got, c.want)
		}
	}
}

// The first published flaw. The one reduce slot is free at 30s, the latest start of a's reduce, and
// at 20s, that of b's, when a is not to hold it yet. But b needs it for 30 s, and has it from 11s
// to 41s: a misses, as its maps end at 20s and its reduce starts at 41s.
func TestInstantFlaw(t *testing.T) {
	a, b := timed("a", "reduce10", 0, 50, 2, 1), timed("b", "reduce30", 1, 49, 1, 1)
	if got, want := play(t, "dc", 2, 1, a), "a yes, 1 slots, 40s"; got != want {
		t.Errorf("alone: %s, want %s", got, want)
	}
	if got, want := play(t, "dc", 2, 1, a, b), "a yes, 1 slots, 1m1s; b yes, 1 slots, 41s"; got != want {
		t.Errorf("both: %s, want %s; the deadlines are 50s and 50s", got, want)
	}
}

// A unit of data has one cost, the mean, unless the worst is asked for: 12.5 s or 20 s a map, of
// which four are to end within 60 s.
func TestConstraintCost(t *testing.T) {
	for policy, want := range map[string]string{"dc": "a yes, 1 slots, 40s", "dc(cost=mean)": "a yes, 1 slots, 40s", "dc(cost=worst)": "a yes, 2 slots, 20s",
		"edf+constraint": "a yes, 1 slots, 40s", "edf+constraint(cost=worst)": "a yes, 2 slots, 20s"} {
		if got := play(t, policy, 4, 1, timed("a", "varies", 0, 60, 4, 0)); got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

// A master moves the instant from which maps count: four maps of 10 s, 60 s less 15 in which it starts
// up, take one slot; less 25, two. One in a map slot takes one slot more, until its job ends, so that
// of two such jobs one is let in where there are three slots.
func TestConstraintMasters(t *testing.T) {
	with := func(j *workload.Job, class string, own bool) *workload.Job {
		st := workload.StageSpec{Kind: workload.Master, Tasks: []workload.Task{{Work: 5 * units.Second}}}
		if own {
			st.Containers = []cluster.Container{{Name: "master", Needs: units.Vector{units.Memory: 1}}}
		}
		j.Stages = slices.Insert(j.Stages, 0, st)
		j.Class = class
		return j
	}
	a := func(class string, own bool) *workload.Job { return with(timed("a", "", 0, 60, 4, 0), class, own) }
	b := with(timed("b", "", 1, 60, 4, 0), "up25", false)
	for _, c := range []struct {
		slots int
		jobs  []*workload.Job
		want  string
	}{
		{2, []*workload.Job{a("up15", true)}, "a yes, 1 slots, 45s"},
		{2, []*workload.Job{a("up25", true)}, "a yes, 2 slots, 25s"},
		{3, []*workload.Job{a("up25", false)}, "a yes, 2 slots, 25s"},
		{3, []*workload.Job{a("up15", false), b}, "a yes, 1 slots, 45s; b no: it needs 3 map slots at 1.0 s, and 1 is free then; a holds 2 map slots until 1:00 min at the latest"},
		{1, []*workload.Job{a("up15", false)}, "a no: it needs 2 map slots at once, but the cluster has 1"},
	} {
		if got := play(t, "dc", c.slots, 1, c.jobs...); got != c.want {
			t.Errorf("%d slots: %s, want %s", c.slots, got, c.want)
		}
	}
	// A master holds its slot while reduces run: a's from 15 s to 25 s.
	slow := with(timed("a", "", 0, 60, 1, 1), "up15", false)
	late := timed("b", "reduce10", 20, 12, 2, 0)
	if got, want := play(t, "dc", 2, 1, slow, late), "a yes, 1 slots, 25s; b no: it needs 2 map slots at 20.0 s, and 1 is free then; a holds 1 map slot until 1:00 min at the latest"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// Without deadlines masters leave room for tasks: of two slots one holds a master at a time.
	x, y := with(timed("x", "", 0, 0, 1, 0), "up15", false), with(timed("y", "", 0, 0, 1, 0), "up15", false)
	if got, want := play(t, "dc", 2, 1, x, y), "x yes, 0 slots, 15s; y yes, 0 slots, 30s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A cost beyond all times that can be told is no time: it is not said to be one.
func TestUnbounded(t *testing.T) {
	for _, policy := range []string{"dc", "dc(cost=worst)"} {
		if got, want := play(t, policy, 1, 1, timed("a", "slow", 5, 30, 4, 0)), "a no: "+sched.Because(estimate.Unbounded).String(); got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

// A refusal says by which cost.
func TestConstraintSaysCost(t *testing.T) {
	for policy, want := range map[string][2]string{"dc": {"50.0 s on average", "20.0 s"}, "dc(cost=worst)": {"1:20 min at worst", "50.0 s"}} {
		if got, want := play(t, policy, 1, 1, timed("a", "varies", 0, 30, 4, 0)), "a no: alone on this cluster it takes "+want[0]+", and its deadline is in 30.0 s, "+want[1]+" before that"; got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

// The second. 30 s of maps on two slots take 15 s, if one cuts them; three maps of 10 s take two waves, 20 s.
func TestFluidFlaw(t *testing.T) {
	if got, want := play(t, "dc", 4, 1, timed("a", "reduce10", 0, 15, 3, 0)), "a yes, 2 slots, 20s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What was saved is what is known.
func TestConstraintIsSaved(t *testing.T) {
	p, err := catalog.New("dc", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const text = `[{"job":1,"id":"a","map_slots":2,"reduce_slots":1,"reduce_start":5,"deadline":9,"withheld":true}]`
	state := fmt.Sprintf(`{"version":1,"policy":"dc","parts":{"admit":%s}}`, text)
	if err := p.Load(strings.NewReader(state)); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := p.Save(&again); err != nil || !strings.Contains(again.String(), text) {
		t.Errorf("%s, %v", again.String(), err)
	}
}

// A job of which nobody knows how many tasks it has is let in without a promise, behind all that is
// promised, and stays so when an amendment says the number. One that waits for room for its master
// is tested then.
func TestCountUnknown(t *testing.T) {
	policy, err := catalog.New("dc", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	book := ledger.New(sched.Capabilities{Kill: true}, policy.About().Order)
	var plan sched.Plan
	round := int64(0)
	at := func(second int, want string, events ...sched.Event) {
		t.Helper()
		round++
		batch := book.Apply(units.Time(second)*1e9, round, events)
		book.Begin(&plan)
		policy.Decide(book, batch, &plan)
		book.Check(&plan)
		var got []string
		for i := range plan.Items {
			it := plan.Items[i]
			it.ID = 0
			got = append(got, strings.TrimSpace(string(journal.AppendItem(nil, &plan, &it))))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%d s: %s\nwant %s", second, text, want)
		}
	}
	master := workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1)}
	with := func(id string, deadline int) *workload.Job {
		j := timed(id, "reduce10", 0, deadline, 2, 1)
		j.Stages = append([]workload.StageSpec{master}, j.Stages...)
		return j
	}
	first, second := with("first", 100), with("second", 200)
	grows := func(j *workload.Job) *sched.Detail {
		is := *j
		is.Stages = slices.Clone(j.Stages)
		is.Stages[2].Tasks, is.Stages[2].Grows = nil, true
		return &sched.Detail{Job: &is}
	}
	class := classes()[1]
	class.At(workload.Master, "c").Start.Add(4)
	node := &cluster.Node{Name: "n", Class: &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(3, 2)}}
	at(0, fmt.Sprintf("admit job=1 word=unpromised reason=count-unknown:2; set-deadline job=1 at=%d reason=count-unknown:2; hold job=2 reason=master-share:1", units.Never),
		sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: node}}, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: class}},
		sched.Event{Kind: sched.JobArrived, Job: 1, Detail: grows(first)}, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: grows(second)})
	at(50, "admit job=2 word=promised confidence=1000000 by=200000000000 reason=promised:200000000000; set-slots job=2 stage=map count=1 reason=promised:200000000000; withhold job=2 stage=reduce reason=maps-first",
		sched.Event{Kind: sched.JobAmended, Job: 1, Detail: &sched.Detail{Job: first}}, sched.Event{Kind: sched.JobAmended, Job: 2, Detail: &sched.Detail{Job: second}})
	if book.Job(1).Due() != units.Never || book.Job(2).Due() != second.Deadline {
		t.Errorf("they stand by %v and %v", book.Job(1).Due(), book.Job(2).Due())
	}
}

// That time was lost is not held against a job: one that runs when the policy takes over, and one
// that an earlier run had begun or promised, runs on, with a promise where its deadline can still
// be kept.
func TestConstraintTakesOver(t *testing.T) {
	for _, c := range []struct {
		what string
		due  int
		runs bool
		with func(*workload.Job)
		want string
	}{
		{"too late", 5, false, func(*workload.Job) {}, "reject alone-late-mean"},
		{"promised, too late", 5, false, func(j *workload.Job) { j.Promised = true }, "admit begun"},
		{"done in part, too late", 5, false, func(j *workload.Job) { j.Stages[0].Done = []int32{1} }, "admit begun"},
		{"runs, too late", 5, true, func(*workload.Job) {}, "admit begun"},
		{"runs, unknown", 500, true, func(j *workload.Job) { j.Class = "nobody knows" }, "admit begun"},
		{"runs, and grows", 500, true, func(j *workload.Job) { j.Stages[1].Grows = true }, "admit count-unknown"},
		{"runs, in time", 500, true, func(*workload.Job) {}, "admit promised"},
	} {
		policy, err := catalog.New("dc", queues.Config{})
		if err != nil {
			t.Fatal(err)
		}
		book := ledger.New(sched.Capabilities{Kill: true}, policy.About().Order)
		j := timed("j", "reduce10", 0, c.due, 2, 1)
		c.with(j)
		node := &cluster.Node{Name: "n", Class: &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 2)}}
		events := []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.TakeOver}, {Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: node}},
			{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: classes()[1]}}, {Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: j}}}
		if c.runs {
			events = append(events, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1})
		}
		slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		var plan sched.Plan
		batch := book.Apply(units.Time(1e9), 1, events)
		book.Begin(&plan)
		policy.Decide(book, batch, &plan)
		book.Check(&plan)
		got := ""
		if len(plan.Items) > 0 {
			got = plan.Items[0].Verb.String() + " " + plan.Items[0].Reason.Cause.String()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
