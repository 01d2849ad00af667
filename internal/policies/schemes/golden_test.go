package schemes_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// finishes notes when jobs end, and how many tasks of J2 had committed at an instant.
type finishes struct {
	minute map[string]float64
	ids    map[sched.JobID]string
	asked  units.Time
	tasks  map[sched.AttemptID]sched.JobID
	second int // tasks of J2 committed until then
}

func (f *finishes) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			f.ids[e.Job] = e.Detail.Job.ID
		case sched.JobEnded:
			f.minute[f.ids[e.Job]] = at.Seconds() / 60
		case sched.Ended:
			if at <= f.asked && e.Outcome == sched.Committed && f.ids[f.tasks[e.Attempt]] == "J2" {
				f.second++
			}
		case sched.Started:
			f.tasks[e.Attempt] = e.Job
		}
	}
	return nil
}

func (f *finishes) Plan(int64, units.Time, *sched.Plan) error { return nil }

func ofMinute(m float64) units.Time { return units.Time(0).Add(units.Minute.Scale(m)) }

// paper000 plays the case of table 1: six map slots, and so many tasks of one minute on a node of
// speed 1 that J1 demands 120 and J2 60 GHz-minutes of a cluster of 3 GHz at speed 0.5.
func paper000(t *testing.T, policy string, speeds map[float64]float64) *finishes {
	t.Helper()
	job := func(id string, arrive float64, tasks int, deadline float64) *workload.Job {
		j := &workload.Job{ID: id, Class: "map-only", Weight: 1, Soft: units.Never, Arrive: ofMinute(arrive), Deadline: ofMinute(deadline)}
		st := workload.StageSpec{Kind: workload.Map}
		for range tasks {
			st.Tasks = append(st.Tasks, workload.Task{Work: units.Minute})
		}
		j.Stages = []workload.StageSpec{st}
		return j
	}
	cfg := sim.Config{Cluster: cluster.Uniform(6, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 0)}),
		Workload: &workload.Workload{Jobs: []*workload.Job{job("J1", 0, 120, 40), job("J2", 10, 60, 30)}}}
	for _, at := range []float64{0, 10, 20, 30} {
		if f, ok := speeds[at]; ok {
			cfg.Speeds = append(cfg.Speeds, sim.SpeedStep{At: ofMinute(at), Factor: f})
		}
	}
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := &finishes{minute: map[string]float64{}, ids: map[sched.JobID]string{}, tasks: map[sched.AttemptID]sched.JobID{}, asked: ofMinute(30)}
	if err := drive.New(w, p, f).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return f
}

// Under Fair, 45 of J2's 60 tasks are done at minute 30, besides J1's: figure 2.
func TestPaper000FairAtMinute30(t *testing.T) {
	f := paper000(t, "fair", map[float64]float64{0: 0.5, 10: 1, 20: 0.5, 30: 1})
	if f.second != 45 {
		t.Errorf("%d of 60 tasks of J2 are done at minute 30, the paper says 45", f.second)
	}
}

// Paper 000, table 1 and figure 2 (section 2.2). EDF-N and EDF-P are its section 6's on the same
// jobs. The overloaded cluster is ours, in place of figure 3, whose inputs are not given: the
// capacity halves at minute 30.
func TestPaper000Table1(t *testing.T) {
	green := map[float64]float64{0: 0.5, 10: 1, 20: 0.5, 30: 1}
	overloaded := map[float64]float64{0: 0.5, 30: 0.25}
	for _, c := range []struct {
		policy string
		speeds map[float64]float64
		j1, j2 float64
	}{
		{"fifo", green, 30, 40},
		{"fair", green, 40, 35},
		{"edf-p", green, 40, 20},
		{"edf-n", overloaded, 50, 90},
		{"edf-p", overloaded, 90, 30},
	} {
		t.Run(fmt.Sprintf("%s %v", c.policy, c.j1), func(t *testing.T) {
			f := paper000(t, c.policy, c.speeds)
			if f.minute["J1"] != c.j1 || f.minute["J2"] != c.j2 {
				t.Errorf("J1 ends at %v, J2 at %v; want %v and %v", f.minute["J1"], f.minute["J2"], c.j1, c.j2)
			}
		})
	}
}
