package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// lessons is a world that tells of classes in its first batch.
type lessons struct {
	drive.World
	classes []*profile.Class
}

func (w *lessons) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if len(w.classes) == 0 || err != nil {
		return b, err
	}
	at := 0
	for at < len(b.Events) && b.Events[at].Kind <= sched.ProfileLearned {
		at++
	}
	events := append([]sched.Event{}, b.Events[:at]...)
	for _, c := range w.classes {
		events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	b.Events, w.classes = append(events, b.Events[at:]...), nil
	return b, nil
}

// known is a class of which each map takes so long, each reduce three seconds and each start of a master two.
func known(maps ...units.Duration) *profile.Class {
	c := profile.New("c")
	for _, d := range maps {
		c.Attempt(workload.Map, "small", 0, d, 0)
	}
	c.Attempt(workload.Reduce, "small", 0, 3*units.Second, units.Second)
	c.Attempt(workload.Other0, "small", 0, 3*units.Second, 0)
	c.At(workload.Master, "small").Start.Add(2)
	return c
}

// discrepancies keeps what the book of a fork did not expect to be told.
type discrepancies struct {
	texts []string
	ended map[sched.JobID]bool
	began int
}

func (d *discrepancies) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.Discrepancy:
			d.texts = append(d.texts, fmt.Sprintf("%v: %s", at, e.Text))
		case sched.JobEnded:
			d.ended[e.Job] = true
		case sched.Started:
			d.began++
		}
	}
	return nil
}

func (d *discrepancies) Plan(int64, units.Time, *sched.Plan) error { return nil }

// The simulator begins from the book of a world that binds late, at any time, and each job that is
// there comes to its end. Nothing is told that the book does not expect.
func TestForksOfLateBinding(t *testing.T) {
	t.Parallel()
	for _, text := range everyone() {
		t.Run(text, func(t *testing.T) {
			forks, alive, stock := 0, 0, 0
			for seed := range uint64(runs(30)) {
				cfg := twinned(seed)
				p, err := catalog.New(text, pools())
				if err != nil {
					t.Fatal(err)
				}
				l := drive.New(&lessons{adverse.New(cfg), []*profile.Class{known(4 * units.Second)}}, p)
				for {
					if err := l.Step(context.Background()); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
					if l.Round%17 != int64(seed)%17 {
						continue
					}
					tale := &discrepancies{ended: map[sched.JobID]bool{}}
					f, err := l.Fork(func(book *ledger.Ledger) (drive.World, error) {
						return sim.From(sim.Config{Cluster: cfg.Cluster, Heartbeat: units.Second, Seed: seed}, book)
					}, tale)
					if err != nil && strings.Contains(err.Error(), "a stock scheduler is placing work") {
						stock++
						continue
					}
					if err != nil {
						t.Fatalf("seed %d, round %d: %v", seed, l.Round, err)
					}
					forks++
					var here []sched.JobID
					for j := sched.JobID(1); j <= f.Ledger.Jobs(); j++ {
						if job := f.Ledger.Job(j); job != nil && job.State != sched.Finished {
							here = append(here, j)
							for s := range sched.Stages {
								alive += int(job.Stages[s].Running)
							}
						}
					}
					// For good, as far as the book knows; after a resync it knows only of those
					// that are up.
					away := false
					for n := range cfg.Cluster.Nodes {
						node := l.Ledger.Node(sched.NodeID(n + 1))
						away = away || node == nil || !node.Serves()
					}
					// So is the only node that carries the job's labels, if the job avoids that.
					for _, j := range here {
						spec := f.Ledger.Job(j).Spec
						away = away || len(spec.Labels) > 0 && len(spec.Avoids) > 0
					}
					err = f.Run(context.Background())
					// A queue that cannot grow may be full of ApplicationMasters: no map runs, and some are asked for.
					all := &f.Ledger.Queue(sched.Root).Stages
					full := strings.Contains(text, "elastic=false") && all[sched.Master].Occupied > 0 && all[sched.Map].Occupied == 0 && all[sched.Map].Open > 0
					if (away || full) && errors.Is(err, sim.ErrStuck) {
						continue
					} else if err != nil {
						t.Fatalf("seed %d, forked in round %d: %v", seed, l.Round, err)
					}
					for _, j := range here {
						if !tale.ended[j] {
							t.Fatalf("seed %d, forked in round %d: job %d has not ended", seed, l.Round, j)
						}
					}
					if len(tale.texts) > 0 {
						t.Fatalf("seed %d, forked in round %d: %s", seed, l.Round, tale.texts[0])
					}
				}
			}
			t.Logf("%d forks, %d attempts ran, %d with a stock scheduler", forks, alive, stock)
			if forks == 0 || alive == 0 || stock == 0 {
				t.Errorf("%d forks, %d attempts ran when they began, %d had a stock scheduler: this tests nothing", forks, alive, stock)
			}
		})
	}
}

// What becomes of a simulation that began from the book of a world that binds late is what becomes of the same
// begun once more from any later round of it: the tasks of a stage take equally long, so it makes no difference
// which of them an attempt is at. No attempt is lost or doubled, and what runs ends when it would have.
func TestForksOfLateForks(t *testing.T) {
	t.Parallel()
	for _, text := range everyone() {
		if text == "slack" {
			// It opens nodes at a Tick. Which of these beat in vain meanwhile no book knows, so that of two that are
			// open a fork may serve the other first: a task begins a part of a beat later.
			continue
		}
		t.Run(text, func(t *testing.T) {
			forks, alive := 0, 0
			// Policies that reject jobs need more runs.
			for seed := uint64(0); seed < uint64(runs(30)) || forks < 30 && seed < 300; seed++ {
				// ApplicationMasters may fill a queue for good.
				if strings.Contains(text, "elastic=false") && seed%3 != 0 {
					continue
				}
				cfg := twinned(seed)
				for _, j := range cfg.Jobs { // no book knows how far a shuffle is, or whose input is left
					for i := range j.Stages {
						st := &j.Stages[i]
						st.Hosts = workload.Hosts{}
						if st.Kind == workload.Reduce {
							st.Kind = workload.Other0
						}
					}
				}
				p, err := catalog.New(text, pools())
				if err != nil {
					t.Fatal(err)
				}
				twin := drive.New(&lessons{adverse.New(cfg), []*profile.Class{known(4 * units.Second)}}, p)
				// A node is away or avoided for good, nobody knows which attempts are at one task, or what a task
				// takes.
				unclear := func() bool {
					for j := sched.JobID(1); j <= twin.Ledger.Jobs(); j++ {
						for s := range sched.Stages {
							job := twin.Ledger.Job(j)
							if job == nil {
								continue
							}
							if len(job.Spec.Avoids) > 0 {
								return true
							}
							if c := &job.Stages[s]; c.Running > max(0, c.Total-c.Done) || int(c.Total) > job.Spec.Tasks(s) {
								return true
							}
						}
					}
					for n := range cfg.Cluster.Nodes {
						if node := twin.Ledger.Node(sched.NodeID(n + 1)); node == nil || !node.Serves() {
							return true
						}
					}
					return false
				}
				for twin.Round < 20+int64(seed)%30 || twin.Ledger.Stock() || unclear() {
					if err = twin.Step(context.Background()); err != nil {
						break
					}
				}
				if errors.Is(err, io.EOF) {
					continue
				} else if err != nil {
					t.Fatal(seed, twin.Round, err)
				}
				from := sim.Config{Cluster: cfg.Cluster, Heartbeat: units.Second, Seed: seed}
				whole := &deeds{began: map[sched.AttemptID]deed{}}
				l, err := twin.Fork(func(book *ledger.Ledger) (drive.World, error) { return sim.From(from, book) }, whole)
				if err != nil {
					t.Fatal(err)
				}
				whole.view = func() *ledger.Ledger { return l.Ledger }
				whole.knows(l.Ledger)
				ran, made := branchesOf(t, l, whole, from, seed, 7, func(round int64, _, got, want []deed) {
					for i := range max(len(got), len(want)) {
						if i >= len(got) || i >= len(want) || got[i] != want[i] {
							t.Fatalf("seed %d, forked in round %d:\n%v\nbut in the whole run\n%v", seed, round, got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
						}
					}
				})
				forks, alive = forks+made, alive+ran
			}
			t.Logf("%d forks, %d attempts ran", forks, alive)
			if forks == 0 || alive == 0 {
				t.Errorf("%d forks, %d attempts ran when they began: this tests nothing", forks, alive)
			}
		})
	}
}

// untold is a world that does not say what tasks take: a real one.
type untold struct{ drive.World }

func (w untold) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	for i := range b.Events {
		if e := &b.Events[i]; e.Kind == sched.JobArrived {
			spec := *e.Detail.Job
			spec.Stages = slices.Clone(spec.Stages)
			for k := range spec.Stages {
				st := &spec.Stages[k]
				st.Tasks = slices.Clone(st.Tasks)
				for n := range st.Tasks {
					st.Tasks[n].Work, st.Tasks[n].Shuffle = 0, 0
				}
			}
			e.Detail = &sched.Detail{Job: &spec}
		}
	}
	return b, err
}

// The tasks of a job that does not say what they take go on, and begin, by what is known of its
// class: twenty maps of a minute on eight slots end after three, whenever the fork was made. What
// runs for longer than the mean takes as long as the longest; what runs for twice as long as that, half as long again.
func TestForksByProfile(t *testing.T) {
	class := &cluster.Class{Name: "small", Speed: 1, Capacity: units.Slots(4, 1)}
	nodes := &cluster.Cluster{Racks: 1, Classes: []*cluster.Class{class}, Nodes: []*cluster.Node{{Name: "a", Rack: 1, Class: class}, {Name: "b", Rack: 1, Class: class}}}
	for _, test := range []struct {
		maps  []units.Duration // learned
		takes units.Duration   // in truth
		ends  map[int]units.Duration
		error string
	}{
		{maps: []units.Duration{units.Minute}, takes: units.Minute,
			ends: map[int]units.Duration{5: 3 * units.Minute, 30: 3 * units.Minute, 61: 3 * units.Minute, 100: 3 * units.Minute, 179: 3 * units.Minute}},
		{maps: []units.Duration{50 * units.Second, 70 * units.Second}, takes: 100 * units.Second,
			ends: map[int]units.Duration{30: 180 * units.Second, 65: 190 * units.Second, 90: 210 * units.Second}},
		{maps: []units.Duration{10 * units.Second}, takes: 100 * units.Second,
			ends: map[int]units.Duration{15: 35 * units.Second, 60: 139 * units.Second}},
		{takes: units.Minute, ends: map[int]units.Duration{5: 0},
			error: `simulation: job "j": what its tasks of the stage map take is not known: they have no work, and nothing was learned of class "c"`},
	} {
		for at, ends := range test.ends {
			m := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, 20)}
			for i := range m.Tasks {
				m.Tasks[i].Work = test.takes
			}
			job := &workload.Job{ID: "j", Class: "c", Deadline: units.Never, Soft: units.Never, Weight: 1, SlowStart: 1, Stages: []workload.StageSpec{m}}
			w, err := sim.New(sim.Config{Cluster: nodes, Workload: &workload.Workload{Jobs: []*workload.Job{job}}, Heartbeat: units.Second, Progress: units.Second})
			if err != nil {
				t.Fatal(err)
			}
			p, err := catalog.New("fifo", pools())
			if err != nil {
				t.Fatal(err)
			}
			world := drive.World(untold{w})
			if len(test.maps) > 0 {
				world = &lessons{world, []*profile.Class{known(test.maps...)}}
			}
			l := drive.New(world, p)
			for l.Ledger.Now() < units.Time(at)*units.Time(units.Second) {
				if err := l.Step(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			f, err := l.Fork(func(book *ledger.Ledger) (drive.World, error) {
				return sim.From(sim.Config{Cluster: nodes, Heartbeat: units.Second}, book)
			})
			if test.error != "" {
				if err == nil || err.Error() != test.error {
					t.Errorf("without a profile: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			// Nodes beat half a second apart, so a wave may be that much behind.
			if over := f.Ledger.Now().Sub(units.Time(0).Add(ends)); over < 0 || over > 4*units.Second {
				t.Errorf("maps of %v, forked at %ds: it ends at %v, not at %v", test.maps, at, f.Ledger.Now(), ends)
			}
		}
	}
}
