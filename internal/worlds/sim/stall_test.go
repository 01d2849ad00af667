package sim

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A run in which nodes fail faster than tasks can finish is stuck, whether no task ends, or maps
// end whose outputs go before a reduce has read them.
func TestFutileRuns(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"long task":    {Config{Cluster: uniform(2, 1, 1, 0), Workload: load(shape{id: "j", maps: 3, mapS: 600}), Failures: Failures{MTBF: sec, MTTR: sec}}, "attempts were lost"},
		"with beats":   {Config{Cluster: uniform(2, 1, 1, 0), Heartbeat: sec, Workload: load(shape{id: "j", maps: 3, mapS: 600}), Failures: Failures{MTBF: 20 * sec, MTTR: sec}}, "attempts were lost"},
		"lost outputs": {Config{Cluster: uniform(2, 1, 1, 1), Workload: load(shape{id: "j", maps: 3, mapS: 1, reduces: 1, reduS: 600, slow: 1}), Failures: Failures{MTBF: 20 * sec, MTTR: sec}}, "attempts were lost"},
		"racks":        {Config{Cluster: uniform(2, 1, 1, 0), Workload: load(shape{id: "j", maps: 3, mapS: 600}), Failures: Failures{RackMTBF: 20 * sec, RackMTTR: sec}}, "attempts were lost"},
		"all away":     {Config{Cluster: uniform(2, 1, 1, 0), Workload: load(shape{id: "j", maps: 3, mapS: 1, labels: []string{"gpu"}}), Failures: Failures{MTBF: sec, MTTR: sec}}, "nothing has happened but"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, tc.cfg)
			d.w.stall.most = patience{losses: 500, lives: 100}
			if err := d.run(); !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want one that says %q", err, tc.want)
			}
		})
	}
}

// A task that takes as long as a node mostly lives is done in the end. Nobody gives up before both
// bounds are passed: that on instants, and that for each node, which many nodes that fail now and
// then do not pass.
func TestPatienceWithFailures(t *testing.T) {
	for _, c := range []struct {
		most  patience
		stuck bool
	}{{ordinaryPatience, false}, {patience{losses: 3, lives: 1000}, false}, {patience{losses: 3000, lives: 1}, false}, {patience{losses: 3, lives: 1}, true}} {
		d := newDriver(t, Config{Cluster: uniform(3, 1, 1, 0), Workload: load(shape{id: "j", maps: 5, mapS: 100}), Failures: Failures{MTBF: 20 * sec, MTTR: sec}, Seed: 7})
		d.w.stall.most.losses, d.w.stall.most.lives = c.most.losses, c.most.lives
		if err := d.run(); errors.Is(err, ErrStuck) != c.stuck || err != nil && !c.stuck {
			t.Errorf("%+v: %v", c.most, err)
		}
	}
}

// endless is a user who does not think and whose jobs take no time.
type endless struct {
	made int
	due  units.Time
}

func (s *endless) Due() units.Time { return s.due }

func (s *endless) Next() (*workload.Job, error) {
	s.made++
	s.due = units.Never
	return shape{id: "j" + strconv.Itoa(s.made), maps: 1}.job(), nil
}

func (s *endless) Ended(_ *workload.Job, now units.Time) { s.due = now }

// An instant at which jobs come and end for ever is told.
func TestEndlessInstant(t *testing.T) {
	w, err := New(Config{Cluster: uniform(1, 1, 1, 0), Source: func() workload.Source { return &endless{} }})
	if err != nil {
		t.Fatal(err)
	}
	w.stall.most.arrivals = 1000
	var p sched.Plan
	items := 0
	for {
		batch, err := w.Next(t.Context())
		if err != nil {
			if !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), `jobs come and end at this instant, the last of 1001 is job "j1002"`) {
				t.Fatal(err)
			}
			return
		}
		p.Items, p.Bound = p.Items[:0], p.Bound[:0]
		for i := range batch.Events {
			if e := &batch.Events[i]; e.Kind == sched.JobArrived {
				items += 2
				p.Items = append(p.Items, sched.Item{ID: sched.ItemID(items - 1), Verb: sched.Admit, Job: e.Job},
					sched.Item{ID: sched.ItemID(items), Verb: sched.Start, Job: e.Job, Stage: sched.Map, Node: 1, Count: 1, Tasks: sched.Span{From: 0, To: 1}})
				p.Bound = append(p.Bound, sched.Bound{Task: 1})
			}
		}
		if err := w.Enact(&p); err != nil {
			t.Fatal(err)
		}
	}
}
