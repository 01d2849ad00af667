package speculate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// log notes the copies, and how attempts end.
type log struct{ lines []string }

func (l *log) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.Ended {
			l.lines = append(l.lines, fmt.Sprintf("%v %v", at, e.Outcome))
		}
	}
	return nil
}

func (l *log) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Speculate && it.Refused == sched.OK {
			l.lines = append(l.lines, fmt.Sprintf("%v copy of %d to node %d: %v", at, it.Task, it.Node, it.Reason))
		}
	}
	return nil
}

// play runs maps of these seconds, one on each of as many nodes and spare nodes besides, and returns what happened.
func play(t *testing.T, policy string, spare int, slow map[int]float64, seconds ...float64) []string {
	t.Helper()
	p, err := catalog.New(policy, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.Uniform(len(seconds)+spare, 1, cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(1, 0)})
	for i, speed := range slow {
		class := *c.Nodes[i].Class
		class.Name, class.Speed = fmt.Sprint("slow", i), speed
		c.Nodes[i].Class, c.Classes = &class, append(c.Classes, &class)
	}
	j := &workload.Job{ID: "j", Deadline: units.Never, Soft: units.Never, Weight: 1, Stages: []workload.StageSpec{{Kind: workload.Map}}}
	for _, s := range seconds {
		j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Work: units.FromSeconds(s)})
	}
	w, err := sim.New(sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: []*workload.Job{j}}, Progress: units.Second})
	if err != nil {
		t.Fatal(err)
	}
	can := w.Can()
	if err := p.Suits(&can); err != nil {
		t.Fatal(err)
	}
	l := &log{}
	if err := drive.New(w, p, l).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return l.lines
}

// Node 1 works at a tenth of the speed. Its map is through 6 % after a minute, when three of four
// are done: the average is 76.5 %. It is copied to a node that is free, commits there a minute
// later, and the first attempt is superseded.
func TestTheSlowIsCopied(t *testing.T) {
	got := play(t, "fifo+greedy(nonlocal=0)+speculate(interval=10s)", 0, map[int]float64{0: 0.1}, 100, 50, 50, 50)
	want := []string{"50s committed", "50s committed", "50s committed",
		"1m copy of 1 to node 2: it has done 6 % of its work, the tasks of its stage 76.5 % on average",
		"2m40s committed", "2m40s superseded"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is not behind by the gap, has not run for the lag, or has no node to go to, is not copied;
// nor is anything twice.
func TestTheOthersAreNot(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		spare  int
		slow   map[int]float64
	}{
		"even":      {"fifo+speculate(interval=1s, lag=1s)", 3, nil},
		"lag":       {"fifo+speculate(interval=1s, lag=1h)", 3, map[int]float64{0: 0.1}},
		"gap":       {"fifo+speculate(interval=1s, lag=1s, gap=100)", 3, map[int]float64{0: 0.1}},
		"no policy": {"fifo", 3, map[int]float64{0: 0.1}},
		"all equal": {"fifo+speculate(interval=1s, lag=1s, gap=1)", 3, map[int]float64{0: 0.5, 1: 0.5, 2: 0.5, 3: 0.5}},
	} {
		for _, line := range play(t, c.policy, c.spare, c.slow, 50, 50, 50, 50) {
			if strings.Contains(line, "copy") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	copies := 0
	for _, line := range play(t, "fifo+speculate(interval=1s, lag=1s)", 5, map[int]float64{0: 0.01, 4: 0.01, 5: 0.01, 6: 0.01, 7: 0.01, 8: 0.01}, 50, 50, 50, 50) {
		if strings.Contains(line, "copy of 1 ") {
			copies++
		}
	}
	if copies != 1 {
		t.Errorf("task 1 was copied %d times", copies)
	}
}

// A world without reports of progress is told to be needed.
func TestNeedsAWorldThatCan(t *testing.T) {
	p, err := catalog.New("edf+speculate", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Suits(&sched.Capabilities{World: "sim", Bind: true}); err == nil || !strings.Contains(err.Error(), "needs a world that can speculate") {
		t.Error(err)
	}
}
