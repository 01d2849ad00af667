package conform

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// promises counts the jobs with ApplicationMasters, or all, that were promised their deadlines, and those that kept
// them.
type promises struct {
	all      bool
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
		if it.Verb != sched.Admit || it.Refused != sched.OK || it.Reason.Cause.Name != "promised" || !c.all && job.Spec.Stage(sched.Master) == nil {
			continue
		}
		if _, again := c.due[it.Job]; !again || !c.all {
			c.promised++
		}
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
		if !slices.Contains(p.About().Causes, estimate.Promised) || p.StudiesModels() {
			continue
		}
		played++
		t.Run(text, func(t *testing.T) {
			for _, calm := range []bool{true, false} {
				var promised [3]int // by where masters live: nowhere, in slots, outside
				for seed := range uint64(max(10, runs(30))) {
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

// costly is a world that knows from its first batch on what tasks of jobs that are drawn take at worst.
type costly struct {
	drive.World
	told bool
}

func (w *costly) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if w.told || err != nil {
		return b, err
	}
	w.told = true
	const worst = 6 * units.Second // four beats at most, behind one to be granted and one to start
	at, known := 0, []sched.Event(nil)
	for at < len(b.Events) && b.Events[at].Kind <= sched.ProfileLearned {
		at++
	}
	for i := range 6 {
		c := profile.New(fmt.Sprint("j", i+1))
		c.Attempt(workload.Map, "small", 0, worst, 0)
		c.Attempt(workload.Reduce, "small", 0, worst, 0)
		c.Attempt(workload.Master, "small", 0, units.Second, 0)
		c.At(workload.Master, "small").Start.Add(worst.Seconds())
		known = append(known, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	b.Events = slices.Concat(b.Events[:at], known, b.Events[at:])
	return b, nil
}

// Where nothing goes wrong every promise for the worst case is kept, of jobs that are drawn, with deadlines that
// are near: where the world binds late, in grants that come later, and behind YARN's stream.
func TestPromisesOfDrawnJobs(t *testing.T) {
	unit := units.Vector{units.VCores: 1, units.Memory: 1 << 30}
	for _, text := range []string{"rtmr", "rtmr(feedback=false)", "dc(cost=worst)"} {
		t.Run(text, func(t *testing.T) {
			fresh, promised := fromCatalogue(t, text), 0
			for seed := range uint64(max(20, runs(60))) {
				r, needs := rand.New(rand.NewPCG(seed, 97)), units.Vector{}
				if seed%2 == 0 {
					needs = unit
				}
				jobs := drawn(r, needs)
				for _, j := range jobs {
					if j.Deadline != units.Never {
						j.Deadline = j.Arrive.Add(units.Duration(15+r.IntN(90)) * units.Second)
					}
				}
				var w drive.World = adverse.New(adverse.Config{Cluster: machines(), Jobs: jobs, Seed: seed})
				if seed%2 == 0 {
					split := &yarn.Split{Masters: units.Vector{units.VCores: 2, units.Memory: 2 << 30}, Slot: unit}
					w = fake(t, yarn.Config{Slots: split}, jobs, units.Vector{units.VCores: 8, units.Memory: 8 << 30}, seed, 0)
				}
				c := &promises{all: true, due: make(map[sched.JobID]units.Time)}
				l := drive.New(&costly{World: w}, fresh(), c)
				c.view = func() sched.View { return l.Ledger }
				if err := l.Run(t.Context()); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if promised += c.promised; c.kept < c.promised {
					t.Errorf("seed %d: %d promises, %d kept", seed, c.promised, c.kept)
				}
			}
			if promised == 0 {
				t.Error("no promise was made: this tests nothing")
			}
		})
	}
}
