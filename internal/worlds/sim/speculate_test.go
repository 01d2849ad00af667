package sim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// second asks for a second attempt of a map of job 1 on a node, once, when so many seconds have passed.
func second(when float64, task sched.TaskID, node sched.NodeID) func(*driver, []sched.Event, *sched.Plan) {
	done := false
	return func(d *driver, _ []sched.Event, p *sched.Plan) {
		if d.at < at(when) || done {
			return
		}
		done = true
		if d.w.cfg.Progress > 0 && task == 1 { // what the driver would note of a start of its own
			d.jobs[1].live++
			needs := units.Slots(1, 0)
			d.nodes[node].free.Sub(&needs)
		}
		p.Bound = append(p.Bound, sched.Bound{Task: task, Locality: sched.Anywhere})
		d.item(sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Map, Task: task, Node: node, Count: 1, Tasks: sched.Span{From: int32(len(p.Bound) - 1), To: int32(len(p.Bound))}})
	}
}

// A map on a slow node gets a second attempt on a quick one: that commits, the first is superseded
// at the same instant, and its room is free again.
func TestSecondAttempt(t *testing.T) {
	c := uniform(2, 1, 1, 0)
	slow := *c.Nodes[0].Class
	slow.Name, slow.Speed = "slow", 0.1
	c.Nodes[0].Class, c.Classes = &slow, append(c.Classes, &slow)
	cfg := Config{Cluster: c, Workload: load(shape{id: "j", maps: 2, mapS: 10}), Progress: 2 * sec}
	d := newDriver(t, cfg)
	var seen []float64
	helped := second(12, 1, 2)
	d.extra = func(d *driver, batch []sched.Event, p *sched.Plan) {
		for i := range batch {
			if e := &batch[i]; e.Kind == sched.Progress && d.at == at(8) {
				seen = append(seen, math.Round(e.X*1e9)/1e9)
			}
		}
		helped(d, batch, p)
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"j/map/2 on n2 0s-10s committed", "j/map/1 on n2 12s-22s committed", "j/map/1 on n1 0s-22s superseded", "job j 22s committed"}
	if !slices.Equal(d.trace, want) {
		t.Errorf("%s", strings.Join(d.trace, "\n"))
	}
	if !slices.Equal(seen, []float64{0.08, 0.8}) {
		t.Errorf("progress after 8 s: %v", seen)
	}
}

// A second attempt that is lost, fails or is killed leaves the first at work; so does the other way round.
func TestSecondAttemptGoes(t *testing.T) {
	for name, cfg := range map[string]Config{
		"second": {Outages: []Outage{{Node: 2, Down: at(8), Up: units.Never}}},
		"first":  {Outages: []Outage{{Node: 1, Down: at(8), Up: units.Never}}},
	} {
		cfg.Cluster, cfg.Workload, cfg.Progress = uniform(2, 1, 1, 0), load(shape{id: "j", maps: 1, mapS: 10}), sec
		d := newDriver(t, cfg)
		d.extra = second(5, 1, 2)
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		want := map[string][]string{
			"second": {"j/map/1 on n2 5s-8s lost", "j/map/1 on n1 0s-10s committed", "job j 10s committed"},
			"first":  {"j/map/1 on n1 0s-8s lost", "j/map/1 on n2 5s-15s committed", "job j 15s committed"},
		}[name]
		if !slices.Equal(d.trace, want) {
			t.Errorf("%s goes:\n%s", name, strings.Join(d.trace, "\n"))
		}
	}
}

// What cannot have a second attempt is refused, and no task has a third.
func TestSecondAttemptRefused(t *testing.T) {
	for want, c := range map[sched.Code]struct {
		progress units.Duration
		tasks    []sched.TaskID
	}{
		sched.CannotDo: {0, []sched.TaskID{1}},
		sched.Stale:    {sec, []sched.TaskID{3}},
		sched.BadItem:  {sec, []sched.TaskID{9}},
	} {
		d := newDriver(t, Config{Cluster: uniform(3, 1, 1, 0), Workload: load(shape{id: "j", maps: 3, mapS: 10}), Progress: c.progress,
			Outages: []Outage{{Node: 3, Down: 0, Up: at(5)}}})
		ask := second(2, c.tasks[0], 2)
		d.extra = ask
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		if len(d.refused) != 1 || d.refused[0].Why != want {
			t.Errorf("want %v, refused %+v", want, d.refused)
		}
	}
}
