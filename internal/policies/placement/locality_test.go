package placement_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/schedtest"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func later(j *workload.Job, at units.Duration) *workload.Job {
	j.Arrive = units.Time(0).Add(at)
	return j
}

// rule is one rule of a source, and what nodes get by it.
type rule struct {
	says   string
	policy string
	on     *cluster.Cluster
	jobs   []*workload.Job
	beats  int
	want   string
}

func check(t *testing.T, rules []rule) {
	t.Helper()
	for _, c := range rules {
		if got := first(t, c.beats, c.policy, c.on, c.jobs...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.says, got, c.want)
		}
	}
}

// Two nodes beat at 0s, 3s, … and at 1.5s, 4.5s, …; three at 0s, 1s, 2s, 3s, …
func TestMatchmaking(t *testing.T) {
	check(t, []rule{
		{"A local map of a later job goes before the first job's others (lines 7 to 17).",
			"matchmaking", nodes(2, 2, units.Slots(2, 0)), []*workload.Job{job("a", 0, on2, on2), job("b", 0, on1, on1)}, 2,
			"0s n1 2:map/node 2:map/node, 1.5s n2 1:map/node 1:map/node"},
		{"Of the jobs with local maps the first goes first, while there is room (lines 5 to 18).",
			"matchmaking", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, on1, on2), job("b", 0, on1, on1)}, 1,
			"0s n1 1:map/node 2:map/node 2:map/node"},
		{"No local map the first time in a row: nothing (lines 19 to 21). The second time: one other and no more, though more slots are free (lines 22 to 25).",
			"matchmaking", nodes(2, 2, units.Slots(4, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on2, on2, on2, on2)}, 3,
			"1.5s n2 1:map/node 1:map/node 1:map/node 1:map/node, 3s n1 1:map/remote, 6s n1 1:map/remote"},
		{"It is a map of the first job in the queue (line 23).",
			"matchmaking", nodes(2, 2, units.Slots(1, 0)), []*workload.Job{job("a", 0, on2, on2), job("b", 0, on2)}, 2,
			"1.5s n2 1:map/node, 3s n1 1:map/remote"},
		{"A local map takes the marker away (lines 11 to 14): behind it no other on the same beat, though slots are free; one on the next.",
			"matchmaking", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, on1, on2, on2, on2, on2, on2)}, 3,
			"0s n1 1:map/node, 1.5s n2 1:map/node 1:map/node 1:map/node, 3s n1 1:map/remote"},
		{"A job that comes takes all markers away (algorithm 2), though it has nothing for the node: it gets no other at 3s, but at 6s.",
			"matchmaking", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on2, on2), later(job("b", 0, on2), 2*units.Second)}, 2,
			"1.5s n2 1:map/node 1:map/node 1:map/node, 6s n1 1:map/remote"},
		{"Also from a node that is just used to others: it got one at 3s, a job comes, so it gets none at 6s.",
			"matchmaking", nodes(2, 2, units.Slots(4, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on2, on2, on2, on2), later(job("b", 0, on2), 5*units.Second)}, 3,
			"1.5s n2 1:map/node 1:map/node 1:map/node 1:map/node, 3s n1 1:map/remote, 9s n1 1:map/remote"},
		{"Data in the node's rack are not on the node.",
			"matchmaking", nodes(2, 1, units.Slots(1, 0)), []*workload.Job{job("a", 0, on2, on2)}, 2,
			"1.5s n2 1:map/node, 3s n1 1:map/rack"},
		{"A map without preferred nodes is at home everywhere.",
			"matchmaking", nodes(2, 2, units.Slots(3, 0)), []*workload.Job{job("a", 0, anywhere, anywhere, on2), job("b", 0, on1)}, 2,
			"0s n1 1:map/anywhere 1:map/anywhere 2:map/node, 1.5s n2 1:map/node"},
		{"Reduces are served as by greedy.",
			"matchmaking", nodes(2, 2, units.Slots(1, 3)), []*workload.Job{job("a", 3, on2)}, 3,
			"0s n1 1:reduce/anywhere, 1.5s n2 1:map/node 1:reduce/anywhere, 3s n1 1:reduce/anywhere"},
		{"Or as many as asked for.",
			"matchmaking(reduces=0)", nodes(2, 2, units.Slots(1, 3)), []*workload.Job{job("a", 3, on2)}, 1,
			"0s n1 1:reduce/anywhere 1:reduce/anywhere 1:reduce/anywhere"},
		{"Where maps and reduces share resources, the node goes to the first job of all.",
			"matchmaking", nodes(2, 2, cores(2)), []*workload.Job{in(job("a", 1), cores(1)), in(job("b", 0, on1, on1), cores(1))}, 1,
			"0s n1 1:reduce/anywhere 2:map/node"},
		{"And a node that is marked keeps the first time in a row there as well.",
			"matchmaking", nodes(2, 2, cores(2)), []*workload.Job{in(job("a", 0, on2, on2, on2, on2), cores(1)), in(job("b", 2), cores(1))}, 3,
			"0s n1 2:reduce/anywhere, 1.5s n2 1:map/node 1:map/node, 3s n1 1:map/remote"},
	})
}

func TestDelay(t *testing.T) {
	check(t, []rule{
		{"A job with a local map goes before one without, whatever the order (algorithm 2, node-local).",
			"delay(D=30s)", nodes(2, 2, units.Slots(2, 0)), []*workload.Job{job("a", 0, on2, on2), job("b", 0, on1, on1)}, 2,
			"0s n1 2:map/node 2:map/node, 1.5s n2 1:map/node 1:map/node"},
		{"A job waits D for the rack of its data, though it was first in line: skipped again at 3s, it has waited 3s at 6s and 6s at 9s.",
			"delay(D=4.5s)", nodes(2, 1, units.Slots(1, 0)), []*workload.Job{job("a", 0, on2, on2)}, 2,
			"1.5s n2 1:map/node, 9s n1 1:map/rack"},
		{"And as long again for other racks, so until 12s.",
			"delay(D=4.5s,rack=4.5s)", nodes(2, 2, units.Slots(1, 0)), []*workload.Job{job("a", 0, on2, on2)}, 2,
			"1.5s n2 1:map/node, 12s n1 1:map/remote"},
		{"Once it has started one in the rack it waits for the second span only, not for D again: skipped at 13s, it has waited 3s at 16s.",
			"delay(D=9s,rack=3s)", nodes(3, 2, units.Slots(1, 0)), []*workload.Job{job("a", 0, on1, on1, on1)}, 3,
			"0s n1 1:map/node, 11s n3 1:map/rack, 16s n2 1:map/remote"},
		{"Waits that no span of time can hold are waits all the same: node 1 gets nothing for ten minutes, and then node 2 the next.",
			"delay(D=60000d,rack=60000d)", nodes(2, 2, units.Slots(1, 0)), []*workload.Job{job("a", 0, on2, on2)}, 2,
			"1.5s n2 1:map/node, 10m1.5s n2 1:map/node"},
		{"With D=0 it does not wait.",
			"delay(D=0s,rack=0s)", nodes(2, 2, units.Slots(2, 0)), []*workload.Job{job("a", 0, on2, on2, on2)}, 1,
			"0s n1 1:map/remote 1:map/remote"},
		{"When the wait is over, a node may get several non-local maps on one beat (paper 003, section 4.2): level 2 stays.",
			"delay(D=3s,rack=0s)", nodes(3, 3, units.Slots(3, 0)), []*workload.Job{job("a", 0, on2, on2, on2, on2, on2, on2)}, 2,
			"1s n2 1:map/node 1:map/node 1:map/node, 5s n3 1:map/remote 1:map/remote 1:map/remote"},
		{"A local map sets the level back, so that the job waits again.",
			"delay(D=3s,rack=0s)", nodes(3, 3, units.Slots(1, 0)), []*workload.Job{job("a", 0, on2, on2), later(job("b", 0, on2), 20*units.Second)}, 3,
			"1s n2 1:map/node, 5s n3 1:map/remote, 24s n1 2:map/remote"},
		{"A map without preferred nodes never waits.",
			"delay(D=1h,rack=1h)", nodes(2, 2, units.Slots(2, 0)), []*workload.Job{job("a", 0, anywhere, anywhere)}, 1,
			"0s n1 1:map/anywhere 1:map/anywhere"},
		{"Reduces are served as by greedy.",
			"delay", nodes(2, 2, units.Slots(1, 3)), []*workload.Job{job("a", 3, on2)}, 3,
			"0s n1 1:reduce/anywhere, 1.5s n2 1:map/node 1:reduce/anywhere, 3s n1 1:reduce/anywhere"},
	})
}

// The rules as journals, markers and waits and all.
func TestScenarios(t *testing.T) { schedtest.Run(t, "testdata/*.txt", nil) }

// What was saved of another policy, or by hand, is refused in a sentence.
func TestBadMemory(t *testing.T) {
	for _, policy := range []string{"matchmaking", "delay"} {
		p, err := catalog.New(policy, queues.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range []string{`{`, `[0]`, `{"last":0,"jobs":[{"Job":-3}]}`, `{"last":0,"jobs":[{"Job":99999999}]}`} {
			if err := p.Load(wrap(policy, state)); err == nil {
				t.Errorf("%s: %s is no state of it", policy, state)
			}
		}
	}
}

// Of jobs that have ended nothing is remembered.
func TestDelayForgets(t *testing.T) {
	p, err := catalog.New("fifo+delay", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Cluster: nodes(2, 1, units.Slots(1, 0)), Workload: &workload.Workload{Jobs: []*workload.Job{job("a", 0, on2, on2)}}, Heartbeat: 3 * units.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.New(w, p).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := p.Save(&text); err != nil || !strings.Contains(text.String(), `"jobs":[]`) {
		t.Errorf("%s, %v", text.String(), err)
	}
}

func wrap(policy, state string) *strings.Reader {
	return strings.NewReader(fmt.Sprintf(`{"version":1,"policy":%q,"parts":{"place":%s,"admit":{}}}`, policy, state))
}
