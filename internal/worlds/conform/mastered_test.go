package conform

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// promises counts the jobs with ApplicationMasters that were promised their deadlines, and those that kept them.
type promises struct {
	view     func() sched.View
	due      map[sched.JobID]units.Time
	promised int
	kept     int
}

func (c *promises) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		e := &events[i]
		switch due, is := c.due[e.Job]; {
		case e.Kind == sched.Resync:
			clear(c.due) // the policy says again what it has promised
		case is && e.Kind == sched.JobEnded:
			if delete(c.due, e.Job); e.Outcome == sched.Committed && at <= due {
				c.kept++
			}
		}
	}
	return nil
}

func (c *promises) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		job := c.view().Job(it.Job)
		if it.Verb != sched.Admit || it.Refused != sched.OK || it.Reason.Cause.Name != "promised" || job.Spec.Stage(sched.Master) == nil {
			continue
		}
		c.promised++
		c.due[it.Job] = job.Deadline
	}
	return nil
}

// Jobs with ApplicationMasters, in map slots and outside of them, are promised their deadlines
// where the cost of their class and the start-up of their masters are known; and where nothing goes
// wrong each promise is kept: under each policy that promises deadlines for the worst case.
func TestMastersArePromised(t *testing.T) {
	played := 0
	for _, text := range everyone() {
		p, err := catalog.New(text, pools())
		if err != nil {
			t.Fatal(err)
		}
		// Those that read cost models promise by a probability.
		if !slices.Contains(p.Causes(), estimate.Promised) || p.StudiesModels() {
			continue
		}
		played++
		t.Run(text, func(t *testing.T) {
			for _, calm := range []bool{true, false} {
				var promised [3]int // by where masters live: nowhere, in slots, outside
				for seed := range uint64(runs(30)) {
					policy, err := catalog.New(text, pools())
					if err != nil {
						t.Fatal(err)
					}
					cfg := twinned(seed)
					if calm {
						cfg.Calm = 0
					}
					c := &promises{due: make(map[sched.JobID]units.Time)}
					l := drive.New(&taught{World: adverse.New(cfg)}, policy, c)
					c.view = func() sched.View { return l.Ledger }
					if err := l.Run(t.Context()); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if calm && c.kept < c.promised {
						t.Errorf("seed %d: %d promises, %d kept", seed, c.promised, c.kept)
					}
					promised[seed%3] += c.promised
				}
				if promised[1] == 0 || promised[2] == 0 {
					t.Errorf("calm: %v: %d promises to jobs with masters in slots, %d outside: this tests nothing", calm, promised[1], promised[2])
				}
			}
		})
	}
	if played == 0 {
		t.Error("no policy promises deadlines: this tests nothing")
	}
}
