package sim

import (
	"errors"
	"fmt"
	"github.com/slackline/slackline/internal/policies/rtmr"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const sec = units.Second

func at(s float64) units.Time { return units.Time(units.FromSeconds(s)) }

// uniform is a cluster of equal nodes of speed 1.
func uniform(nodes, racks, maps, reduces int) *cluster.Cluster {
	return cluster.Uniform(nodes, racks, cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(maps, reduces)})
}

type shape struct {
	id                  string
	arrive              float64
	maps, reduces       int
	mapS, shufS, reduS  float64
	slow, share         float64
	after               []string
	hosts               [][]cluster.NodeID
	labels              []string
	mapCont, reduceCont []cluster.Container
}

func (s shape) job() *workload.Job {
	j := &workload.Job{ID: s.id, Class: "c", Arrive: at(s.arrive), Soft: units.Never, Deadline: units.Never, Weight: 1,
		After: s.after, SlowStart: s.slow, Labels: s.labels}
	if s.maps > 0 {
		st := workload.StageSpec{Kind: workload.Map, CPUShare: s.share, Containers: s.mapCont}
		for i := range s.maps {
			t := workload.Task{Input: 64 * units.MB, Work: units.FromSeconds(s.mapS)}
			if i < len(s.hosts) {
				st.Hosts.Set(i, s.hosts[i]...)
			}
			st.Tasks = append(st.Tasks, t)
		}
		j.Stages = append(j.Stages, st)
	}
	if s.reduces > 0 {
		st := workload.StageSpec{Kind: workload.Reduce, CPUShare: s.share, Containers: s.reduceCont}
		for range s.reduces {
			st.Tasks = append(st.Tasks, workload.Task{Work: units.FromSeconds(s.reduS), Shuffle: units.FromSeconds(s.shufS)})
		}
		j.Stages = append(j.Stages, st)
	}
	return j
}

func load(shapes ...shape) *workload.Workload {
	w := &workload.Workload{}
	for _, s := range shapes {
		w.Jobs = append(w.Jobs, s.job())
	}
	return w
}

// runs drives the configuration to its end and compares what ended, in order.
func runs(t *testing.T, cfg Config, want ...string) *driver {
	t.Helper()
	d := newDriver(t, cfg)
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if len(d.refused) > 0 {
		t.Errorf("refused: %+v", d.refused)
	}
	if diff := cmp.Diff(want, d.trace); diff != "" {
		t.Errorf("what ended (-want +got):\n%s", diff)
	}
	return d
}

func TestOneWaveAtOnce(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 2, 1), Workload: load(shape{id: "j", maps: 3, mapS: 10})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n1 0s-10s committed",
		"j/map/3 on n1 10s-20s committed",
		"job j 20s committed")
}

// Two nodes beat at 0, 3, 6, … and 1.5, 4.5, …: the map freed at 10 is followed at 12, the one freed at 11.5 at 13.5.
func TestHeartbeatsKeepTheirPhase(t *testing.T) {
	d := runs(t, Config{Cluster: uniform(2, 1, 1, 0), Heartbeat: 3 * sec, Workload: load(shape{id: "j", arrive: 0.5, maps: 3, mapS: 10})},
		"j/map/1 on n2 1.5s-11.5s committed",
		"j/map/2 on n1 3s-13s committed",
		"j/map/3 on n2 13.5s-23.5s committed",
		"job j 23.5s committed")
	if d.beats != 3 {
		t.Errorf("%d beats, want 3: nodes without room and nodes that nothing waits for are silent", d.beats)
	}
}

// The first wave of reduces starts when half of the maps are done and waits for the last map; the
// second wave takes its shuffle time.
func TestFirstWaveOverlaps(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 1, 1), Workload: load(shape{id: "j", maps: 2, reduces: 2, mapS: 10, shufS: 4, reduS: 6, slow: 0.5})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n1 10s-20s committed",
		"j/reduce/1 on n1 10s-30s committed",
		"j/reduce/2 on n1 30s-40s committed",
		"job j 40s committed")
}

func TestSlowStartOneWaitsForAllMaps(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 1, 1), Workload: load(shape{id: "j", maps: 2, reduces: 1, mapS: 10, shufS: 4, reduS: 6, slow: 1})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n1 10s-20s committed",
		"j/reduce/1 on n1 20s-30s committed",
		"job j 30s committed")
}

func TestSlowStartZeroStartsReducesAtOnce(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 1, 1), Workload: load(shape{id: "j", maps: 1, reduces: 1, mapS: 10, shufS: 4, reduS: 6})},
		"j/map/1 on n1 0s-10s committed",
		"j/reduce/1 on n1 0s-20s committed",
		"job j 20s committed")
}

// Half of the work is CPU: at double speed from 10 on, the 20 s left of it take 15; the shuffle is not touched.
func TestSpeedActsOnCPUShare(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 1, 1), Speeds: []SpeedStep{{At: at(10), Factor: 2}},
		Workload: load(shape{id: "j", maps: 1, reduces: 1, mapS: 30, shufS: 4, reduS: 8, slow: 1, share: 0.5})},
		"j/map/1 on n1 0s-25s committed",
		"j/reduce/1 on n1 25s-35s committed",
		"job j 35s committed")
}

func TestSpeedChangesBackAndForth(t *testing.T) {
	runs(t, Config{Cluster: uniform(2, 1, 1, 0),
		Speeds:   []SpeedStep{{At: 0, Factor: 0.5}, {At: at(10), Node: 1, Factor: 1}, {At: at(20), Factor: 0.25}},
		Workload: load(shape{id: "j", maps: 2, mapS: 20})},
		"j/map/1 on n1 0s-40s committed", // 5 + 10 + 5 at a quarter
		"j/map/2 on n2 0s-1m committed",  // 10 + 10 at a quarter
		"job j 1m committed")
}

// A crash at 15 loses the running second map and the output of the first; the reduce on the other
// node is in its shuffle and waits for both.
func TestLostMapOutputRunsAgain(t *testing.T) {
	c := uniform(2, 1, 1, 0)
	reducer := cluster.Class{Name: "r", Speed: 1, Capacity: units.Slots(0, 1)}
	c.Classes = append(c.Classes, &reducer)
	c.Nodes[1].Class = &reducer
	runs(t, Config{Cluster: c, Outages: []Outage{{Node: 1, Down: at(15), Up: at(30)}},
		Workload: load(shape{id: "j", maps: 2, reduces: 1, mapS: 10, shufS: 4, reduS: 6})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n1 10s-15s lost",
		"j/map/1 on n1 30s-40s committed",
		"j/map/2 on n1 40s-50s committed",
		"j/reduce/1 on n2 0s-1m committed",
		"job j 1m committed")
}

// At 22 the shuffle is half done and starts over when the maps have run again; at 26 it is over and the reduce goes on.
func TestReducePastItsShuffleGoesOn(t *testing.T) {
	for _, tc := range []struct {
		down float64
		want []string
	}{
		{22, []string{
			"j/map/1 on n1 0s-20s committed",
			"j/map/1 on n1 30s-50s committed",
			"j/reduce/1 on n2 0s-1m committed",
			"job j 1m committed"}},
		{24, []string{
			"j/map/1 on n1 0s-20s committed",
			"j/reduce/1 on n2 0s-30s committed",
			"job j 30s committed"}},
	} {
		t.Run(fmt.Sprint(tc.down), func(t *testing.T) {
			c := uniform(2, 1, 1, 0)
			reducer := cluster.Class{Name: "r", Speed: 1, Capacity: units.Slots(0, 1)}
			c.Nodes[1].Class = &reducer
			runs(t, Config{Cluster: c, Outages: []Outage{{Node: 1, Down: at(tc.down), Up: at(30)}},
				Workload: load(shape{id: "j", maps: 1, reduces: 1, mapS: 20, shufS: 4, reduS: 6})}, tc.want...)
		})
	}
}

// The map's output vanishes at 26, when nobody needs it; the reduce's own node crashes at 28, and then it is missed.
func TestVanishedOutputIsMissedLater(t *testing.T) {
	c := uniform(2, 1, 1, 0)
	reducer := cluster.Class{Name: "r", Speed: 1, Capacity: units.Slots(0, 1)}
	c.Nodes[1].Class = &reducer
	runs(t, Config{Cluster: c, Outages: []Outage{{Node: 1, Down: at(26), Up: at(27)}, {Node: 2, Down: at(28), Up: at(29)}},
		Workload: load(shape{id: "j", maps: 1, reduces: 1, mapS: 20, shufS: 4, reduS: 6})},
		"j/map/1 on n1 0s-20s committed",
		"j/reduce/1 on n2 0s-28s lost",
		"j/map/1 on n1 28s-48s committed",
		"j/reduce/1 on n2 29s-58s committed",
		"job j 58s committed")
}

func TestOutputsOfMapOnlyJobsStay(t *testing.T) {
	runs(t, Config{Cluster: uniform(2, 1, 1, 0), Outages: []Outage{{Node: 1, Down: at(15), Up: at(16)}},
		Workload: load(shape{id: "j", maps: 3, mapS: 10})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n2 0s-10s committed",
		"j/map/3 on n1 10s-15s lost",
		"j/map/3 on n2 15s-25s committed",
		"job j 25s committed")
}

// Two of three nodes are to leave at 5: they finish what they run, start nothing more, and are back at 25.
func TestDrainedNodesFinishTheirWork(t *testing.T) {
	runs(t, Config{Cluster: uniform(3, 1, 1, 0), Sizes: []SizeStep{{At: at(5), Nodes: 1}, {At: at(25), Nodes: 3}},
		Workload: load(shape{id: "j", maps: 8, mapS: 10})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n2 0s-10s committed",
		"j/map/3 on n3 0s-10s committed",
		"j/map/4 on n1 10s-20s committed",
		"j/map/5 on n1 20s-30s committed",
		"j/map/6 on n2 25s-35s committed",
		"j/map/7 on n3 25s-35s committed",
		"j/map/8 on n1 30s-40s committed",
		"job j 40s committed")

}

// A draining node is gone when its last attempt has ended, one batch later.
func TestDrainedNodeLeavesWhenEmpty(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(2, 1, 1, 0), Sizes: []SizeStep{{At: at(5), Nodes: 1}}, Workload: load(shape{id: "j", maps: 4, mapS: 10})})
	var down units.Time
	d.extra = func(d *driver, batch []sched.Event, _ *sched.Plan) {
		for _, e := range batch {
			if e.Kind == sched.NodeDown {
				down = d.at
			}
		}
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if down != at(10) {
		t.Errorf("the node left at %v, its attempt ended at 10s", down)
	}
}

// A policy may run one job at a time by its own rule. When the first ends, every node with room is
// asked, not only the one that the end made room on.
func TestEndOfAJobAsksAllNodes(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(2, 1, 1, 0), Workload: load(shape{id: "a", maps: 1, mapS: 10}, shape{id: "b", maps: 2, mapS: 10})})
	d.limit = func(j *dJob, _ sched.Stage) int {
		if j.id != d.order[0] {
			return 0
		}
		return 9
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"a/map/1 on n1 0s-10s committed", "job a 10s committed", "b/map/1 on n1 10s-20s committed", "b/map/2 on n2 10s-20s committed", "job b 20s committed"}
	if diff := cmp.Diff(want, d.trace); diff != "" {
		t.Error(diff)
	}
}

// A draining node keeps the map outputs that the job still needs until the job is over.
func TestDrainedNodeWaitsForItsOutputs(t *testing.T) {
	var seen []string
	d := newDriver(t, Config{Cluster: uniform(2, 1, 1, 1), Sizes: []SizeStep{{At: at(12), Nodes: 1}},
		Workload: load(shape{id: "j", maps: 2, reduces: 1, mapS: 10, shufS: 4, reduS: 6, slow: 1}, shape{id: "k", arrive: 50, maps: 1, mapS: 1})})
	d.extra = func(d *driver, batch []sched.Event, _ *sched.Plan) {
		for _, e := range batch {
			switch e.Kind {
			case sched.NodeDown, sched.NodeUp, sched.OutputLost, sched.JobEnded:
				seen = append(seen, fmt.Sprintf("%v %v", d.at, e.Kind))
			case sched.NodeChanged:
				seen = append(seen, fmt.Sprintf("%v %v %v", d.at, e.Kind, e.Detail.Node.Class.Capacity))
			}
		}
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"0s node-up", "0s node-up", "12s node-changed {}", "20s job-ended", "20s node-down", "51s job-ended"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestLeavingByCrash(t *testing.T) {
	runs(t, Config{Cluster: uniform(2, 1, 1, 0), Sizes: []SizeStep{{At: at(5), Nodes: 1, Crash: true}},
		Workload: load(shape{id: "j", maps: 2, mapS: 10})},
		"j/map/2 on n2 0s-5s lost",
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n1 10s-20s committed",
		"job j 20s committed")
}

// Overlapping failures, and one that ends when the next begins, are one.
func TestOutagesOverlap(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(1, 1, 1, 0), Workload: load(shape{id: "j", arrive: 2, maps: 1, mapS: 10}),
		Outages: []Outage{{Node: 1, Down: at(1), Up: at(5)}, {Node: 1, Down: at(3), Up: at(4)}, {Node: 1, Down: at(5), Up: at(7)}}})
	var ups []units.Time
	d.extra = func(d *driver, batch []sched.Event, _ *sched.Plan) {
		for _, e := range batch {
			if e.Kind == sched.NodeUp {
				ups = append(ups, d.at)
			}
		}
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]units.Time{0, at(7)}, ups); diff != "" {
		t.Error(diff)
	}
}

func TestPredecessors(t *testing.T) {
	runs(t, Config{Cluster: uniform(2, 1, 1, 1), Workload: load(
		shape{id: "c", maps: 1, mapS: 5, after: []string{"a", "b"}},
		shape{id: "a", maps: 1, mapS: 10},
		shape{id: "b", arrive: 3, maps: 1, mapS: 10})},
		"a/map/1 on n1 0s-10s committed",
		"job a 10s committed",
		"b/map/1 on n2 3s-13s committed",
		"job b 13s committed",
		"c/map/1 on n1 13s-18s committed",
		"job c 18s committed")
}

// b is rejected: c, which waits for it, and d behind c end with it, and e, which arrives later, in
// the batch after its arrival.
func TestJobsBehindARejectedOneNeverRun(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(1, 1, 1, 0), Workload: load(
		shape{id: "b", maps: 1, mapS: 1}, shape{id: "c", maps: 1, mapS: 1, after: []string{"b"}},
		shape{id: "d", maps: 1, mapS: 1, after: []string{"c"}}, shape{id: "e", arrive: 4, maps: 1, mapS: 1, after: []string{"d"}},
		shape{id: "f", maps: 1, mapS: 7})})
	d.admit = func(j *dJob) bool { return j.spec.ID == "f" || j.spec.ID == "e" }
	rejected := false
	var texts []string
	d.extra = func(d *driver, batch []sched.Event, _ *sched.Plan) {
		for _, e := range batch {
			if e.Kind == sched.JobEnded && e.Text != "" {
				texts = append(texts, e.Text)
			}
		}
		if !rejected {
			rejected = true
			d.item(sched.Item{Verb: sched.Reject, Job: d.order[0], Reason: sched.Because(rtmr.Late, int64(at(1)), int64(at(2)))})
		}
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"job b 0s killed", "job c 0s killed", "job d 0s killed", "job e 4s killed", "f/map/1 on n1 0s-7s committed", "job f 7s committed"}
	if diff := cmp.Diff(want, d.trace); diff != "" {
		t.Error(diff)
	}
	if want := []string{"rejected: would finish at 2.0 s, 1.0 s after its deadline", `it waited for job "b", which did not finish`,
		`it waited for job "c", which did not finish`, `it waited for job "d", which did not finish`}; !slices.Equal(texts, want) {
		t.Errorf("texts %q", texts)
	}
}

func TestKill(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(1, 1, 2, 0), Workload: load(shape{id: "j", maps: 2, mapS: 10})})
	d.extra = func(d *driver, batch []sched.Event, p *sched.Plan) {
		if batch[0].Kind != sched.Tick {
			return
		}
		p.Victims = append(p.Victims, 2, 9)
		d.item(sched.Item{Verb: sched.Kill, Job: 1, Stage: sched.Map, Count: 2, Outcome: sched.Preempted, Attempts: sched.Span{From: 0, To: 2}})
	}
	d.w.WakeAt(at(4))
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"j/map/2 on n1 0s-4s preempted", "j/map/1 on n1 0s-10s committed", "j/map/2 on n1 4s-14s committed", "job j 14s committed"}
	if diff := cmp.Diff(want, d.trace); diff != "" {
		t.Error(diff)
	}
	if len(d.refused) != 1 || d.refused[0].Why != sched.UnknownAttempt || d.refused[0].Attempt != 9 {
		t.Errorf("refused %+v", d.refused)
	}
}

// Four failures of a task fail the job (Hadoop's default), kill what else runs of it, and leave the other job alone.
func TestTaskThatAlwaysFailsFailsItsJob(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(1, 1, 3, 0), Failures: Failures{Rate: 1 - 1e-12},
		Workload: load(shape{id: "j", maps: 1, mapS: 10}, shape{id: "k", maps: 1, mapS: 10})})
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, s := range d.trace {
		if strings.HasPrefix(s, "j/map") && strings.HasSuffix(s, "failed") {
			failed++
		}
	}
	if failed != 4 || d.ended["j"] != sched.Failed || d.ended["k"] != sched.Failed {
		t.Errorf("%d failures, ended %v: %q", failed, d.ended, d.trace)
	}
}

// What cannot be is refused with a reason, task by task, and an item that comes again does nothing.
func TestRefusals(t *testing.T) {
	c := uniform(2, 1, 1, 1)
	d := newDriver(t, Config{Cluster: c, Workload: load(shape{id: "j", maps: 3, reduces: 1, mapS: 10, slow: 1},
		shape{id: "l", maps: 1, mapS: 1, labels: []string{"gpu"}})})
	d.admit = func(*dJob) bool { return false }
	step := func(items ...sched.Item) []sched.Code {
		t.Helper()
		d.plan.Reset(nil)
		for _, it := range items {
			if it.Task > 0 {
				from := int32(len(d.plan.Bound))
				d.plan.Bound = append(d.plan.Bound, sched.Bound{Task: it.Task, Locality: sched.Anywhere})
				it.Tasks = sched.Span{From: from, To: from + 1}
			}
			d.plan.Items = append(d.plan.Items, it)
		}
		if err := d.w.Enact(&d.plan); err != nil {
			t.Fatal(err)
		}
		b, err := d.w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var why []sched.Code
		for _, e := range b.Events {
			if e.Kind == sched.Refused {
				why = append(why, e.Why)
			}
			if e.Kind == sched.Started {
				why = append(why, sched.OK)
			}
		}
		return why
	}
	if _, err := d.w.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	start := func(id int, j, task, n int, s sched.Stage) sched.Item {
		return sched.Item{ID: sched.ItemID(id), Verb: sched.Start, Job: sched.JobID(j), Task: sched.TaskID(task), Node: sched.NodeID(n), Stage: s, Count: 1}
	}
	admit := func(id, j int) sched.Item {
		return sched.Item{ID: sched.ItemID(id), Verb: sched.Admit, Job: sched.JobID(j)}
	}
	got := step(start(1, 1, 1, 1, sched.Map), admit(2, 1), admit(3, 2), start(4, 1, 1, 1, sched.Map), start(5, 1, 1, 2, sched.Map),
		start(6, 1, 2, 1, sched.Map), start(7, 1, 1, 1, sched.Reduce), start(8, 9, 1, 1, sched.Map), start(9, 1, 1, 9, sched.Map),
		start(10, 1, 9, 1, sched.Map), start(11, 2, 1, 1, sched.Map), start(12, 1, 1, 1, workload.Other0),
		sched.Item{ID: 13, Verb: sched.SetTasks, Job: 1, Count: 1}, sched.Item{ID: 14, Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 1},
		sched.Item{ID: 15, Verb: sched.Sleep, Node: 2}, start(16, 1, 2, 2, sched.Map))
	want := []sched.Code{sched.OK, sched.NotAdmitted, sched.Stale, sched.NoRoom, sched.NotReady, sched.UnknownJob, sched.UnknownNode, sched.BadItem,
		sched.WrongLabels, sched.BadItem, sched.BadItem, sched.BadItem, sched.NodeAway}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if why := step(start(4, 1, 1, 1, sched.Map), start(17, 1, 2, 1, sched.Map)); !slices.Equal(why, []sched.Code{sched.NoRoom}) {
		t.Errorf("an item seen before: %v", why)
	}
}

func TestTimeLimit(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 1, 0), Until: at(15), Workload: load(shape{id: "j", maps: 5, mapS: 10}, shape{id: "late", arrive: 15, maps: 1, mapS: 1})},
		"j/map/1 on n1 0s-10s committed",
		"j/map/2 on n1 10s-15s killed",
		"job j 15s killed")
}

func TestStuckRunsSaySo(t *testing.T) {
	gpu := shape{id: "j", maps: 1, mapS: 1, labels: []string{"gpu"}}
	one := shape{id: "j", maps: 1, mapS: 1}
	big := []cluster.Container{{Name: "big", Needs: units.Vector{units.VCores: 1}}}
	yarn := cluster.Uniform(1, 1, cluster.Class{Name: "y", Speed: 1, Capacity: units.Vector{units.VCores: 2}})
	for name, tc := range map[string]struct {
		cfg   Config
		admit bool
		want  string
	}{
		"labels":           {Config{Cluster: uniform(1, 1, 1, 0), Workload: load(gpu)}, true, `job "j" waits for a node that carries the labels`},
		"labels and beats": {Config{Cluster: uniform(1, 1, 1, 0), Heartbeat: sec, Workload: load(gpu)}, true, `job "j" waits for a node that carries the labels`},
		"admission":        {Config{Cluster: uniform(1, 1, 1, 0), Workload: load(one)}, false, `job "j" waits for the policy to admit it`},
		"predecessor": {Config{Cluster: uniform(1, 1, 1, 0), Workload: load(gpu, shape{id: "k", maps: 1, mapS: 1, after: []string{"j"}})}, true,
			`job "k" waits for its predecessors j`},
		"no node": {Config{Cluster: uniform(1, 1, 1, 0), Workload: load(one), Outages: []Outage{{Node: 1, Down: 0, Up: units.Never}}}, true, `waits for a node to be up`},
		"reduces hold all room": {Config{Cluster: yarn, Outages: []Outage{{Node: 1, Down: at(4.5), Up: at(5)}},
			Workload: load(shape{id: "j", maps: 1, reduces: 2, mapS: 10, mapCont: big, reduceCont: big, arrive: 1})}, true, "other attempts hold that wait themselves"},
		"beats for nothing": {Config{Cluster: uniform(1, 1, 1, 0), Heartbeat: sec, Workload: load(one), Patience: units.Minute}, true, `the policy to start 1 open map tasks`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, tc.cfg)
			d.admit = func(*dJob) bool { return tc.admit }
			switch name {
			case "beats for nothing":
				d.limit = func(*dJob, sched.Stage) int { return 0 }
			case "reduces hold all room":
				d.limit = func(j *dJob, s sched.Stage) int { // reduces go first
					if s == sched.Map && len(j.open[sched.Reduce]) > 0 {
						return 0
					}
					return 9
				}
			}
			err := d.run()
			if !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
	}
}

// Without heartbeats a beat that got something is followed by another at the same instant, one that did not is not.
func TestBeatsAtOnceEndWhenNothingCame(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(2, 1, 3, 0), Workload: load(shape{id: "j", maps: 5, mapS: 10})})
	d.limit = func(*dJob, sched.Stage) int { return 1 } // one task a beat
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	// Rounds of 2, 2, 1+0 and one more for the node that got the fifth: it is full with three, the
	// other is not asked again.
	if d.beats != 6 || d.at != at(10) {
		t.Errorf("%d beats, ended at %v", d.beats, d.at)
	}
}

func TestApplicationMaster(t *testing.T) {
	j := shape{id: "j", maps: 2, mapS: 10}.job()
	vc := func(n int64) []cluster.Container {
		return []cluster.Container{{Name: "c", Needs: units.Vector{units.VCores: n}}}
	}
	j.Stages[0].Containers = vc(1)
	j.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: []workload.Task{{Work: 5 * sec}}, Containers: vc(1)}}, j.Stages...)
	runs(t, Config{Cluster: cluster.Uniform(1, 1, cluster.Class{Name: "y", Speed: 1, Capacity: units.Vector{units.VCores: 2}}),
		Workload: &workload.Workload{Jobs: []*workload.Job{j}}},
		"j/map/1 on n1 5s-15s committed",
		"j/map/2 on n1 15s-25s committed",
		"j/master/1 on n1 0s-25s committed",
		"job j 25s committed")
}

func TestTasksWithoutWorkEndAtOnce(t *testing.T) {
	runs(t, Config{Cluster: uniform(1, 1, 1, 1), Workload: load(shape{id: "j", maps: 2, reduces: 1, slow: 1})},
		"j/map/1 on n1 0s-0s committed",
		"j/map/2 on n1 0s-0s committed",
		"j/reduce/1 on n1 0s-0s committed",
		"job j 0s committed")
}

// Paper 000, table 1 and figure 2 under FIFO: 6 slots at half speed in minutes 0-10 and 20-30 and
// at full speed in 10-20 and 30-40; demands 120 and 60. And overloaded: a quarter of the speed from
// minute 30 on.
func TestPaper000FIFO(t *testing.T) {
	for _, tc := range []struct {
		speeds []SpeedStep
		j1, j2 float64 // minutes
	}{
		{[]SpeedStep{{At: 0, Factor: 0.5}, {At: at(600), Factor: 1}, {At: at(1200), Factor: 0.5}, {At: at(1800), Factor: 1}}, 30, 40},
		{[]SpeedStep{{At: 0, Factor: 0.5}, {At: at(1800), Factor: 0.25}}, 50, 90},
	} {
		d := newDriver(t, Config{Cluster: uniform(6, 1, 1, 0), Speeds: tc.speeds,
			Workload: load(shape{id: "J1", maps: 120, mapS: 60}, shape{id: "J2", arrive: 600, maps: 60, mapS: 60})})
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		for id, min := range map[string]float64{"J1": tc.j1, "J2": tc.j2} {
			if want := fmt.Sprintf("job %s %v committed", id, at(60*min)); !slices.Contains(d.trace, want) {
				t.Errorf("not: %s", want)
			}
		}
	}
}

// A node without room for the containers of one job, which take a part of what another's take, does not beat.
func TestBeatsOfNodesWithRoomForOthers(t *testing.T) {
	one := func(v units.Vector) []cluster.Container { return []cluster.Container{{Name: "c", Needs: v}} }
	d := runs(t, Config{Cluster: cluster.Uniform(1, 1, cluster.Class{Name: "y", Speed: 1, Capacity: units.Vector{units.VCores: 1, units.Memory: 4}}), Heartbeat: sec,
		Workload: load(shape{id: "a", maps: 1, mapS: 10, mapCont: one(units.Vector{units.VCores: 1})},
			shape{id: "b", maps: 1, mapS: 10, mapCont: one(units.Vector{units.VCores: 1, units.Memory: 1})})},
		"a/map/1 on n1 0s-10s committed",
		"job a 10s committed",
		"b/map/1 on n1 10s-20s committed",
		"job b 20s committed")
	if d.beats != 2 {
		t.Errorf("%d beats, want 2", d.beats)
	}
}
