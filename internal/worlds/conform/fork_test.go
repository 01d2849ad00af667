package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// deeds keeps what became of attempts and jobs, by what they are called.
type deeds struct {
	view  func() *ledger.Ledger
	began map[sched.AttemptID]deed
	ends  []deed
}

// deed is what an attempt did, or what became of a job.
type deed struct {
	what         string
	began, ended units.Time
	spans        [sched.Phases]units.Duration // as was told
}

func (d deed) String() string {
	return fmt.Sprintf("%s from %v to %v, phases %v", d.what, d.began, d.ended, d.spans)
}

func sorted(list []deed) []deed {
	return slices.SortedFunc(slices.Values(list), func(a, b deed) int { return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.began, b.began)) })
}

// knows takes in what runs when a fork begins.
func (d *deeds) knows(l *ledger.Ledger) {
	for j := sched.JobID(1); j <= l.Jobs(); j++ {
		for s := range sched.Stages {
			for a := l.Youngest(j, s, 0); a != 0; a = l.Youngest(j, s, a) {
				at := l.Attempt(a)
				d.begin(l, a, at.Job, at.Stage, at.Task, at.Node, at.Started)
			}
		}
	}
}

func (d *deeds) begin(l *ledger.Ledger, a sched.AttemptID, j sched.JobID, s sched.Stage, t sched.TaskID, n sched.NodeID, at units.Time) {
	d.began[a] = deed{what: fmt.Sprintf("%s %v %d on %d", l.Job(j).Spec.ID, s, t, n), began: at}
}

func (d *deeds) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.Started:
			d.begin(d.view(), e.Attempt, e.Job, e.Stage, e.Task, e.Node, at.Add(-e.Age))
		case sched.Ended:
			did := d.began[e.Attempt]
			did.ended, did.spans = at.Add(-e.Age), e.Spans
			d.ends = append(d.ends, did)
		case sched.JobEnded:
			d.ends = append(d.ends, deed{what: fmt.Sprintf("job %s %v", d.view().Job(e.Job).Spec.ID, e.Outcome), ended: at})
		}
	}
	return nil
}

func (d *deeds) Plan(int64, units.Time, *sched.Plan) error { return nil }

// forkable is a run in which tasks take what is known of them: with deadlines, queues,
// predecessors, masters, and maps that are far from their input.
func forkable(seed uint64, masters, behind bool) sim.Config {
	dice := rand.New(rand.NewPCG(seed, 3))
	capacity := units.Slots(3, 2)
	if masters {
		capacity = units.Vector{units.VCores: 6, units.Memory: int64(8 * units.GB)}
	}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: capacity}
	c := &cluster.Cluster{Racks: 2, Classes: []*cluster.Class{class}}
	for n := range 6 {
		c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprint("n", n), Rack: cluster.RackID(1 + n%2), Class: class})
	}
	task := []cluster.Container{{Name: "task", Needs: units.Vector{units.VCores: 1, units.Memory: int64(units.GB)}}}
	work := &workload.Workload{}
	for i := range 14 {
		j := &workload.Job{ID: fmt.Sprint("j", i), Class: "c", Queue: string(rune('a' + i%2)), User: fmt.Sprint("u", i%3), Arrive: units.Time(dice.IntN(60)) * units.Time(units.Second),
			Soft: units.Never, Deadline: units.Never, Weight: 1, SlowStart: 1}
		if dice.IntN(3) > 0 {
			j.Deadline = j.Arrive.Add(units.Duration(30+dice.IntN(200)) * units.Second)
		}
		m, r := workload.StageSpec{Kind: workload.Map}, workload.StageSpec{Kind: workload.Reduce}
		for range 1 + dice.IntN(9) {
			m.Tasks = append(m.Tasks, workload.Task{Input: 64 * units.MB, Work: units.Duration(1000+dice.IntN(9000)) * units.Millisecond})
		}
		for range 1 + dice.IntN(3) {
			r.Tasks = append(r.Tasks, workload.Task{Work: units.Duration(1000+dice.IntN(5000)) * units.Millisecond, Shuffle: units.Duration(dice.IntN(3000)) * units.Millisecond})
		}
		j.Stages = []workload.StageSpec{m, r}
		if masters {
			j.Stages[0].Containers, j.Stages[1].Containers = task, task
			j.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: []workload.Task{{Work: units.Second}}, Containers: task}}, j.Stages...)
		}
		work.Jobs = append(work.Jobs, j)
	}
	slices.SortStableFunc(work.Jobs, func(a, b *workload.Job) int { return int(a.Arrive - b.Arrive) })
	for i, j := range work.Jobs {
		if i > 0 && behind && dice.IntN(5) == 0 {
			j.After = []string{work.Jobs[dice.IntN(i)].ID}
		}
	}
	known := profile.New("c")
	known.Attempt(workload.Map, "c", 64*units.MB, 10*units.Second, 0)
	known.Attempt(workload.Reduce, "c", 0, 6*units.Second, 3*units.Second)
	return sim.Config{Cluster: c, Workload: work, Seed: seed, Heartbeat: []units.Duration{units.Second, 3 * units.Second}[seed%2], Replicas: 2, Profiles: []*profile.Class{known},
		Read: sim.ReadRates{Rack: 60 * units.MB, Remote: 30 * units.MB}}
}

// What becomes of a run in a simulator that begins where its book stands, at any time, is what
// becomes of the run itself: each attempt and each job begins and ends alike.
func TestForks(t *testing.T) {
	t.Parallel()
	for _, text := range append(everyone(), "fair(users=true)+limit(running=3,per_user=2)", "fair(preemption=true,fair_timeout=20s,min_timeout=10s,interval=1s)") {
		for _, masters := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s masters=%v", text, masters), func(t *testing.T) {
				alive := 0
				for seed := range uint64(runs(10)) {
					alive += fork(t, text, forkable(seed, masters, !rejects(t, text)), seed)
				}
				if alive == 0 {
					t.Error("nothing ran in any fork: this tests nothing")
				}
			})
		}
	}
}

// rejects tells whether the policy rejects jobs. A book does not know who was rejected: jobs behind
// such a one are killed in the run alone.
func rejects(t *testing.T, policy string) bool {
	return slices.Contains([]string{"rtmr admission", "promise admission", "constraint", "planned jobs"}, fromCatalogue(t, policy)().Recipe().Parts[compose.KindAdmit].Name)
}

// fork plays a run and, from several instants of it, forks, and returns how many attempts ran when they began.
func fork(t *testing.T, text string, cfg sim.Config, seed uint64) (alive int) {
	t.Helper()
	alive, _ = branches(t, text, cfg, seed, func(round int64, whole, got, want []deed) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("seed %d, forked in round %d:\n%v\nbut in the whole run\n%v", seed, round, got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
			}
		}
	})
	return alive
}

// branches plays a run, forks it at several instants, and has what comes of each fork compared with
// what came of the run behind it. It returns how many attempts ran when forks began, and how many
// forks there were.
func branches(t *testing.T, text string, cfg sim.Config, seed uint64, compare func(round int64, whole, got, want []deed)) (alive, forks int) {
	t.Helper()
	p, err := catalog.New(text, pools())
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	whole := &deeds{began: map[sched.AttemptID]deed{}}
	world := drive.World(w)
	if seed%2 == 1 { // a batch for each instant, to fork at any
		world = struct{ drive.World }{w}
	}
	l := drive.New(world, p, whole)
	whole.view = func() *ledger.Ledger { return l.Ledger }
	return branchesOf(t, l, whole, cfg, seed, 25, compare)
}

// branchesOf plays a run on, and forks it once in so many rounds.
func branchesOf(t *testing.T, l *drive.Loop, whole *deeds, cfg sim.Config, seed uint64, every int, compare func(round int64, whole, got, want []deed)) (alive, forks int) {
	t.Helper()
	type branch struct {
		round int64
		from  int
		tale  *deeds
	}
	var all []branch
	dice := rand.New(rand.NewPCG(seed, 9))
	for {
		if err := l.Step(context.Background()); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if dice.IntN(every) > 0 {
			continue
		}
		tale := &deeds{began: map[sched.AttemptID]deed{}}
		f, err := l.Fork(func(book *ledger.Ledger) (drive.World, error) { return sim.From(cfg, book) }, tale)
		if err != nil {
			t.Fatal(err)
		}
		tale.view = func() *ledger.Ledger { return f.Ledger }
		tale.knows(f.Ledger)
		alive += len(tale.began)
		if err := f.Run(context.Background()); err != nil {
			t.Fatalf("seed %d, forked in round %d: %v", seed, l.Round, err)
		}
		all = append(all, branch{l.Round, len(whole.ends), tale})
	}
	for _, b := range all {
		compare(b.round, whole.ends, sorted(b.tale.ends), sorted(whole.ends[b.from:]))
	}
	return alive, len(all)
}

// Without heartbeats forks go the same way where a node that is served for nothing changes nothing.
func TestForksAtOnce(t *testing.T) {
	for _, text := range everyone() {
		for seed := range uint64(runs(10)) {
			cfg := forkable(seed, false, !rejects(t, text))
			cfg.Heartbeat = 0
			fork(t, text, cfg, seed)
		}
	}
}

// How far the shuffle of a reduce is that began before its job's last map ended, a book does not
// know: such a reduce may end too early, by no more than it has waited. One job at a time, so that
// nothing else follows from it.
func TestForksInShuffles(t *testing.T) {
	early, forks := 0, 0
	for seed := range uint64(runs(100)) {
		cfg := forkable(seed, false, false)
		cfg.Workload.Jobs = cfg.Workload.Jobs[:1]
		cfg.Workload.Jobs[0].SlowStart = 0.3
		_, n := branches(t, "fifo", cfg, seed, func(round int64, whole, got, want []deed) {
			if len(got) != len(want) {
				t.Fatalf("seed %d, forked in round %d: %d ends, %d in the whole run", seed, round, len(got), len(want))
			}
			for i := range got {
				if got[i] == want[i] {
					continue
				}
				early++
				g, w := got[i], want[i]
				lastMap, first := last(whole, " map "), g.began
				waited := lastMap.Sub(cmp.Or(first, firstReduce(whole)))
				if g.what != w.what || g.ended > w.ended || w.ended.Sub(g.ended) > waited || strings.Contains(g.what, " map ") {
					t.Fatalf("seed %d, forked in round %d: %v, in the whole run %v; its maps ended at %v", seed, round, g, w, lastMap)
				}
			}
		})
		forks += n
	}
	if early == 0 || early > forks {
		t.Errorf("%d of %d forks had an end too early: this tests nothing, or more than it should", early, forks)
	}
}

// last is when the last deed of a kind ended.
func last(list []deed, kind string) (at units.Time) {
	for _, d := range list {
		if strings.Contains(d.what, kind) {
			at = max(at, d.ended)
		}
	}
	return at
}

// firstReduce is when the first reduce began.
func firstReduce(list []deed) units.Time {
	at := units.Never
	for _, d := range list {
		if strings.Contains(d.what, " reduce ") {
			at = min(at, d.began)
		}
	}
	return at
}
