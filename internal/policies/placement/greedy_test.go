package placement_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// given notes what each node gets on its first beats.
type given struct{ beats [][]string }

func (g *given) Batch(int64, units.Time, []sched.Event) error { return nil }

func (g *given) Plan(_ int64, at units.Time, p *sched.Plan) error {
	var list []string
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Start && it.Refused == sched.OK {
			if len(list) == 0 {
				list = []string{fmt.Sprintf("%v n%d", at, it.Node)}
			}
			list = append(list, fmt.Sprintf("%d:%v/%v", it.Job, it.Stage, it.Locality))
		}
	}
	if list != nil {
		g.beats = append(g.beats, list)
	}
	return nil
}

// first plays the jobs on a cluster that beats every three seconds and returns the first so many
// beats on which a node got something: "0s n1 1:map/node 1:map/remote" says that node 1 got two
// maps of job 1 at the start, one of them far from its data.
func first(t *testing.T, beats int, policy string, c *cluster.Cluster, jobs ...*workload.Job) string {
	t.Helper()
	w, err := sim.New(sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: jobs}, Heartbeat: 3 * units.Second})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	g := &given{}
	if err := drive.New(w, p, g).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, b := range g.beats[:min(beats, len(g.beats))] {
		lines = append(lines, strings.Join(b, " "))
	}
	return strings.Join(lines, ", ")
}

func nodes(n, racks int, offer units.Vector) *cluster.Cluster {
	return cluster.Uniform(n, racks, cluster.Class{Name: "c", Speed: 1, Capacity: offer})
}

// job is one of ten-minute tasks: a map for each list of hosts, and so many reduces, which need not wait for the maps.
func job(id string, reduces int, hosts ...[]cluster.NodeID) *workload.Job {
	j := &workload.Job{ID: id, Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Never}
	maps := workload.StageSpec{Kind: workload.Map, Hosts: workload.HostsOf(hosts...)}
	for range hosts {
		maps.Tasks = append(maps.Tasks, workload.Task{Work: 10 * units.Minute})
	}
	if len(hosts) > 0 {
		j.Stages = append(j.Stages, maps)
	}
	if reduces > 0 {
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: slices.Repeat([]workload.Task{{Work: 10 * units.Minute}}, reduces)})
	}
	return j
}

// in gives the tasks of all stages containers with these needs.
func in(j *workload.Job, needs ...units.Vector) *workload.Job {
	for i := range j.Stages {
		for k, n := range needs {
			j.Stages[i].Containers = append(j.Stages[i].Containers, cluster.Container{Name: fmt.Sprint("k", k), Needs: n})
		}
	}
	return j
}

func cores(n int64) (v units.Vector) {
	v[units.VCores] = n
	return v
}

var (
	anywhere []cluster.NodeID
	on1, on2 = []cluster.NodeID{1}, []cluster.NodeID{2}
)

func TestGreedy(t *testing.T) {
	for _, c := range []struct {
		rule   string
		policy string
		on     *cluster.Cluster
		jobs   []*workload.Job
		beats  int
		want   string
	}{
		{"Local maps first, as many as fit (paper 003, section 4.1).",
			"greedy", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, on2, on1, on1, on1)}, 1,
			"0s n1 1:map/node 1:map/node 1:map/node"},
		{"Behind the last local one a node gets one other and no more, no matter how many slots are free (paper 003, section 4.1).",
			"greedy", nodes(2, 2, units.Slots(4, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on1)}, 2,
			"0s n1 1:map/node 1:map/remote, 1.5s n2 1:map/node 1:map/node"},
		{"With another bound it gets as many others as that.",
			"greedy(nonlocal=2)", nodes(2, 2, units.Slots(4, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on2)}, 1,
			"0s n1 1:map/remote 1:map/remote"},
		{"Without a bound it is filled.",
			"greedy(nonlocal=0)", nodes(2, 2, units.Slots(4, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on2, on2)}, 1,
			"0s n1 1:map/remote 1:map/remote 1:map/remote 1:map/remote"},
		{"The second job is not looked at while the first has a map, though it has local ones (paper 003, section 2.1.1).",
			"greedy", nodes(2, 2, units.Slots(2, 0)), []*workload.Job{job("a", 0, on2, on2), job("b", 0, on1, on1)}, 1,
			"0s n1 1:map/remote"},
		{"When the first has none left, it is the second's turn, within the same bound.",
			"greedy", nodes(2, 2, units.Slots(4, 0)), []*workload.Job{job("a", 0, on1), job("b", 0, on1, on2, on2)}, 1,
			"0s n1 1:map/node 2:map/node 2:map/remote"},
		{"A task without preferred nodes is at home everywhere: it is not one of the others.",
			"greedy", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, anywhere, anywhere, anywhere, anywhere)}, 1,
			"0s n1 1:map/anywhere 1:map/anywhere 1:map/anywhere"},
		{"Data in the node's rack are not on the node, so such a map is one of the others (paper 003, section 4.1) ...",
			"greedy", nodes(2, 1, units.Slots(3, 0)), []*workload.Job{job("a", 0, on2, on2, on2)}, 1,
			"0s n1 1:map/rack"},
		{"... unless the rack counts as local (Hadoop 1.2.1, obtainNewNodeOrRackLocalMapTask).",
			"greedy(local=rack)", nodes(2, 1, units.Slots(3, 0)), []*workload.Job{job("a", 0, on2, on2, on2)}, 1,
			"0s n1 1:map/rack 1:map/rack 1:map/rack"},
		{"What is farther away is still bounded then.",
			"greedy(local=rack)", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, on2, on2, on2)}, 1,
			"0s n1 1:map/remote"},
		{"One reduce for each node and beat, wherever maps are (paper 003, section 2.1.1).",
			"greedy", nodes(2, 1, units.Slots(1, 3)), []*workload.Job{job("a", 4, on1)}, 3,
			"0s n1 1:map/node 1:reduce/anywhere, 1.5s n2 1:reduce/anywhere, 3s n1 1:reduce/anywhere"},
		{"Or another number of them.",
			"greedy(reduces=2)", nodes(2, 1, units.Slots(1, 3)), []*workload.Job{job("a", 4, on1)}, 1,
			"0s n1 1:map/node 1:reduce/anywhere 1:reduce/anywhere"},
		{"Or all that fit.",
			"greedy(reduces=0)", nodes(2, 1, units.Slots(1, 3)), []*workload.Job{job("a", 4, on1)}, 1,
			"0s n1 1:map/node 1:reduce/anywhere 1:reduce/anywhere 1:reduce/anywhere"},
	} {
		if got := first(t, c.beats, c.policy, c.on, c.jobs...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.rule, got, c.want)
		}
	}
}

// On nodes where maps and reduces draw on the same resources.
func TestGreedyOnSharedNodes(t *testing.T) {
	one := cores(1)
	of := func(pool string, j *workload.Job) *workload.Job {
		j.Queue = pool
		return in(j, one)
	}
	for _, c := range []struct {
		rule   string
		policy string
		vcores int64
		jobs   []*workload.Job
		want   string
	}{
		{"Of one job maps go before reduces, or these would hold the room that the maps need which they wait for. By shares its reduces, of which none runs, would come first.",
			"fair-share", 3, []*workload.Job{in(job("a", 2, anywhere, anywhere), one)},
			"0s n1 1:map/anywhere 1:map/anywhere 1:reduce/anywhere"},
		{"The first job's reduce goes before the second's maps.",
			"greedy", 3, []*workload.Job{in(job("a", 1, anywhere), one), in(job("b", 0, anywhere, anywhere), one)},
			"0s n1 1:map/anywhere 1:reduce/anywhere 2:map/anywhere"},
		{"Once the node has had its reduce, maps of later jobs go on.",
			"greedy", 4, []*workload.Job{in(job("a", 3), one), in(job("b", 0, anywhere, anywhere), one)},
			"0s n1 1:reduce/anywhere 2:map/anywhere 2:map/anywhere"},
		{"Jobs of different pools are compared by what their pools have: once p has a map, q's reduce goes before p's other job.",
			"fair-share", 3, []*workload.Job{of("p", job("a", 0, anywhere)), of("p", job("b", 0, anywhere)), of("q", job("c", 1))},
			"0s n1 1:map/anywhere 3:reduce/anywhere 2:map/anywhere"},
		{"Of the kinds of container in which a stage can run it is the first that fits.",
			"greedy", 4, []*workload.Job{in(job("a", 0, anywhere, anywhere, anywhere), cores(3), one)},
			"0s n1 1:map/anywhere 1:map/anywhere"},
		{"A job whose containers do not fit is passed over.",
			"greedy", 3, []*workload.Job{in(job("a", 0, anywhere, anywhere), cores(2)), in(job("b", 0, anywhere), one)},
			"0s n1 1:map/anywhere 2:map/anywhere"},
	} {
		if got := first(t, 1, c.policy, nodes(1, 1, cores(c.vcores)), c.jobs...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.rule, got, c.want)
		}
	}
}

// stub is a view of one node and two jobs that could start there, and a book that refuses the first.
type stub struct{ sched.View }

func (stub) Node(sched.NodeID) *sched.Node { return &sched.Node{ID: 1} }
func (stub) Job(j sched.JobID) *sched.Job  { return &sched.Job{ID: j, Spec: &workload.Job{}} }
func (stub) Queue(sched.QueueID) *sched.Queue {
	return &sched.Queue{Stages: [sched.Stages]sched.QueueTally{sched.Map: {Open: 4}}}
}
func (stub) First(_ sched.NodeID, s sched.Stage, after sched.JobID) sched.JobID {
	if s != sched.Map || after >= 2 {
		return 0
	}
	return after + 1
}

type strict struct{ left int }

func (b *strict) Propose(_ *sched.Plan, it *sched.Item) sched.Code {
	if it.Job == 1 || b.left == 0 {
		return sched.NoRoom
	}
	b.left--
	it.Locality = sched.NodeLocal
	return sched.OK
}

// A start that is refused is not tried again on this beat, and the next job has its turn.
func TestRefusedStarts(t *testing.T) {
	var p sched.Plan
	p.Reset(&strict{left: 2})
	(&placement.Greedy{NonLocal: 1, Reduces: 1}).Decide(stub{}, []sched.Event{{Kind: sched.Heartbeat, Node: 1}}, &p)
	var got []string
	for _, it := range p.Items {
		got = append(got, fmt.Sprint(it.Job, it.Refused == sched.OK))
	}
	if want := "1 false, 2 true, 2 true, 2 false"; strings.Join(got, ", ") != want {
		t.Errorf("the starts are %v, want %s", got, want)
	}
}

// Masters go before all tasks, the other stages behind reduces and by the rule of maps.
func TestGreedyStagesInTurn(t *testing.T) {
	only := func(id string, kind workload.Stage, hosts ...[]cluster.NodeID) *workload.Job {
		j := job(id, 0, hosts...)
		j.Stages[0].Kind = kind
		return j
	}
	if got := first(t, 1, "greedy", nodes(1, 1, units.Slots(1, 1)), job("a", 0, anywhere), only("b", workload.Master, anywhere)); got != "0s n1 2:master/anywhere" {
		t.Errorf("beside a map and a master: %s", got)
	}
	one := cores(1)
	if got := first(t, 1, "greedy", nodes(1, 1, one), in(only("a", workload.Other0, anywhere), one), in(job("b", 1), one)); got != "0s n1 2:reduce/anywhere" {
		t.Errorf("beside another stage and a reduce: %s", got)
	}
	if got := first(t, 1, "greedy", nodes(2, 2, units.Slots(3, 0)), only("a", workload.Other0, on1, on2, on2)); got != "0s n1 1:other0/node 1:other0/remote" {
		t.Errorf("another stage: %s", got)
	}
}
