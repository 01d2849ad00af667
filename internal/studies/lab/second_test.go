package lab

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/dumb"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The simulator against a second one that has nothing of what makes it fast (package dumb): the
// same journal, byte for byte, on random small scenarios under policies of the catalogue. A seed
// that fails is printed; it alone is played again by
//
//	go test ./internal/studies/lab -run TestSecondSimulator -second 1234
//
// With -second-out DIR both journals are left there. -second-count N plays N seeds.
var (
	secondSeed = flag.Uint64("second", 0, "play only the scenario of this seed against the second simulator")
	secondMany = flag.Int("second-count", 0, "play so many scenarios against the second simulator")
	secondOut  = flag.String("second-out", "", "leave the journals of a scenario that failed in this folder")
)

// scenarios is how many are tried.
func scenarios(short, long int) int {
	if os.Getenv("SLACKLINE_LONG") != "" {
		return long
	}
	return short
}

func TestSecondSimulator(t *testing.T) {
	second(t, scenarios(100, 1000), func(seed uint64) played { return randomRun(seed, plain) })
}

// With shuffles that share the network, second attempts and power: the same instants up to a
// nanosecond, on at most 20 tasks.
func TestSecondSimulatorShares(t *testing.T) {
	second(t, scenarios(100, 1000), func(seed uint64) played { return randomRun(seed, shared) })
}

// second plays seeds in both worlds.
func second(t *testing.T, n int, make func(seed uint64) played) {
	t.Helper()
	from, to := uint64(1), uint64(n)
	if *secondMany > 0 {
		to = uint64(*secondMany)
	}
	if *secondSeed > 0 {
		from, to = *secondSeed, *secondSeed
	}
	rounds, events, stuck := int64(0), 0, 0
	for seed := from; seed <= to; seed++ {
		a, b := make(seed), make(seed)
		if seed%3 == 0 {
			a.offer(int(seed % 4))
			b.offer(int(seed % 4))
		}
		if seed%5 < 2 {
			a.cfg.Launch = units.Duration(seed%7+1) * 700 * units.Millisecond
			b.cfg.Launch = a.cfg.Launch
		}
		if seed%2 == 0 {
			rate(seed, a.cfg.Cluster)
			rate(seed, b.cfg.Cluster)
			cover(seed, &a.cfg)
			cover(seed, &b.cfg)
		}
		first, err := sim.New(a.cfg)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		other, err := dumb.New(b.cfg)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ended := a.play(t, first, 20_000) // some never end, as nodes fail more often than a task takes
		b.play(t, other, a.rounds)
		if errors.Is(ended, sim.ErrStuck) {
			stuck++
		} else if ended != nil {
			t.Errorf("seed %d, %s: %v", seed, a.policy, ended)
		}
		if diff := a.differs(&b); diff != "" {
			t.Errorf("seed %d, %s: %s", seed, a.policy, diff)
			leave(t, seed, &a, &b)
		}
		rounds += a.rounds
		events += a.events
		if t.Failed() {
			t.Fatalf("play it again: go test ./internal/studies/lab -run '^%s$' -second %d", t.Name(), seed)
		}
	}
	t.Logf("%d scenarios, %d rounds, %d events, %d stuck", to-from+1, rounds, events, stuck)
}

// played is a run of one of the two worlds.
type played struct {
	cfg    sim.Config
	policy string
	meddle float64 // how often the policy is meddled with
	exact  bool    // the journals must be the same
	text   bytes.Buffer
	rounds int64
	events int
	lives  []life
	behind func(drive.World) drive.World // what stands between the world and the scheduler
}

// offer adds nodes that a cloud offers.
func (p *played) offer(most int) {
	c := p.cfg.Cluster
	class := *c.Classes[0]
	class.Name, class.Most, class.WakeTime = "cloud", most, units.Duration(most)*units.Second
	class.Interruptions = float64(most%3) * 30
	c.Classes = append(c.Classes, &class)
	for i := range most {
		c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprint("cloud", i), Rack: 1, Class: &class})
	}
}

// cover has first copies lie on a covering set, in one of six: nodes of the first class, or of the second if there
// is one.
func cover(seed uint64, cfg *sim.Config) {
	if seed%6 == 0 {
		cfg.Placement = sim.Cover
		cfg.Cluster.Classes[0].Idle = units.Watts(90 + 20*(seed/6%2)) // the other class has 100
	}
}

// rate states what tasks take and draw in kinds of containers, and may bend what nodes draw by their load.
func rate(seed uint64, c *cluster.Cluster) {
	d := dice{rand.New(rand.NewPCG(seed, 5))}
	for _, k := range c.Classes {
		for _, container := range []string{"c0", "c1", "gpu", "cores", "map-slot", "reduce-slot"} {
			for _, jobs := range []string{"", "c0", "c1"} {
				if d.chance(0.3) {
					k.Rates = append(k.Rates, cluster.Rate{Container: container, Jobs: jobs, Speed: one(d, 0, 0.5, 2, 4), Watts: one[units.Watts](d, 0, 10, 25.5)})
				}
			}
		}
	}
	for _, k := range c.Classes {
		k.Curve = one(d, nil, nil, []float64{0, 1}, []float64{0, 0.5, 0.6, 1}, []float64{0, 0, 1})
		k.Loads = [][]float64{{0, 1}, {0, 0.2, 1}, {0, 0.1, 0.75, 1}}[max(0, len(k.Curve)-2)]
		if k.Curve == nil || d.chance(0.5) {
			k.Loads = nil
		}
	}
}

// life is an attempt as its world told it.
type life struct {
	job          string
	stage        sched.Stage
	task         sched.TaskID
	node         sched.NodeID
	began, ended units.Time
	outcome      sched.Outcome
}

// play drives a world to its end, for so many rounds at most.
func (p *played) play(t *testing.T, w drive.World, rounds int64) error {
	t.Helper()
	if p.behind != nil {
		w = p.behind(w)
	}
	base, err := catalog.New(p.policy, NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := journal.NewWriter(&p.text, journal.Header{World: w.Can(), Policy: p.policy, Seed: p.cfg.Seed})
	if err != nil {
		t.Fatal(err)
	}
	watch := &lifeSink{p: p, jobs: map[sched.JobID]string{}, runs: map[sched.AttemptID]life{}}
	loop := drive.New(w, &meddler{Policy: base, often: p.meddle, rng: rand.New(rand.NewPCG(p.cfg.Seed, 7))}, rec, watch)
	for err == nil && loop.Round < rounds {
		err = loop.Step(context.Background())
	}
	p.rounds = loop.Round
	if rec.Flush() != nil {
		t.Fatal("the journal cannot be written")
	}
	if err != nil && err.Error() == "EOF" {
		return nil
	}
	return err
}

// differs tells where two runs differ.
func (p *played) differs(o *played) string {
	if p.exact {
		a, b := strings.Split(p.text.String(), "\n"), strings.Split(o.text.String(), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				return fmt.Sprintf("journals differ:\n  sim  %s\n  dumb %s", a[i], b[i])
			}
		}
		if len(a) != len(b) {
			return fmt.Sprintf("journals of %d and %d lines", len(a), len(b))
		}
		return ""
	}
	for i := range min(len(p.lives), len(o.lives)) {
		a, b := p.lives[i], o.lives[i]
		if near := func(x, y units.Time) bool { return max(x, y)-min(x, y) <= 1 }; near(a.began, b.began) && near(a.ended, b.ended) {
			b.began, b.ended = a.began, a.ended
		}
		if a != b {
			return fmt.Sprintf("attempts differ:\n  sim  %+v\n  dumb %+v", a, b)
		}
	}
	if len(p.lives) != len(o.lives) {
		return fmt.Sprintf("%d and %d attempts", len(p.lives), len(o.lives))
	}
	return ""
}

func leave(t *testing.T, seed uint64, a, b *played) {
	if *secondOut == "" {
		return
	}
	for name, p := range map[string]*played{"sim": a, "dumb": b} {
		if err := os.WriteFile(fmt.Sprintf("%s/%d.%s", *secondOut, seed, name), p.text.Bytes(), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// lifeSink notes when attempts begin and end.
type lifeSink struct {
	p    *played
	jobs map[sched.JobID]string
	runs map[sched.AttemptID]life
}

func (s *lifeSink) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			s.jobs[e.Job] = e.Detail.Job.ID
		case sched.Started:
			s.runs[e.Attempt] = life{job: s.jobs[e.Job], stage: e.Stage, task: e.Task, node: e.Node, began: at.Add(-e.Age)}
		case sched.Ended:
			l := s.runs[e.Attempt]
			l.ended, l.outcome = at.Add(-e.Age), e.Outcome
			s.p.lives = append(s.p.lives, l)
		}
		s.p.events++
	}
	return nil
}

func (s *lifeSink) Plan(int64, units.Time, *sched.Plan) error { return nil }

// meddler lets a policy decide, and now and then adds something of its own: a kill, a second
// attempt, a node put to sleep or woken, a stage withheld. So worlds meet what no policy of the
// catalogue asks for.
type meddler struct {
	*compose.Policy
	often float64
	rng   *rand.Rand
	asked int
}

// About tells that it meddles whatever happens.
func (m *meddler) About() sched.About {
	a := m.Policy.About()
	a.Heeds = sched.AnyEvent
	return a
}

func (m *meddler) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if m.often > 0 && m.asked < 200 && m.rng.Float64() < m.often {
		m.asked++
		m.meddle(v, p)
	}
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived || e.Kind == sched.StageReady {
			m.mold(v.Job(e.Job), p)
		}
	}
	m.Policy.Decide(v, batch, p)
}

// mold cuts stages of a job otherwise, where that can be, and now and then where it cannot.
func (m *meddler) mold(job *sched.Job, p *sched.Plan) {
	for i := range job.Spec.Stages {
		if st := &job.Spec.Stages[i]; len(st.Works) > 0 && m.rng.Float64() < 0.6 {
			p.Add(sched.Item{Verb: sched.SetTasks, Job: job.ID, Stage: st.Kind, Count: int32(st.MinTasks + m.rng.IntN(len(st.Works))), Reason: sched.Because(whim)})
		}
	}
}

// meddle adds one item.
func (m *meddler) meddle(v sched.View, p *sched.Plan) {
	j := sched.JobID(1 + m.rng.IntN(max(1, int(v.Jobs()))))
	n := sched.NodeID(1 + m.rng.IntN(max(1, int(v.Nodes()))))
	s := sched.Stage(m.rng.IntN(3))
	it := sched.Item{Job: j, Stage: s, Node: n, Reason: sched.Because(whim)}
	switch m.rng.IntN(14) {
	case 0, 1, 2:
		for a := sched.AttemptID(1); a < 40; a++ { // the first that runs, somewhere else
			if at := v.Attempt(a); at != nil {
				it.Verb, it.Job, it.Stage, it.Task = sched.Speculate, at.Job, at.Stage, at.Task
				break
			}
		}
	case 3:
		it.Verb, it.Count = sched.Kill, 1
	case 4:
		it.Verb, it.Count, it.Outcome = sched.Kill, 2, sched.Preempted
	case 5, 6:
		it.Verb, it.Node = sched.Sleep, first(v, n, func(nd *sched.Node) bool { return nd.State == sched.Awake })
	case 7, 8:
		it.Verb, it.Node = sched.Wake, first(v, n, func(nd *sched.Node) bool { return nd.State == sched.Asleep || nd.State == sched.Offered })
	case 9:
		it.Verb, it.Count = sched.SetSlots, int32(m.rng.IntN(4))
		m.later(v, p, sched.Item{Verb: sched.SetSlots, Job: j, Stage: s, Count: -1})
	case 10:
		it.Verb = sched.Withhold
		m.later(v, p, sched.Item{Verb: sched.Release, Job: j, Stage: s})
	case 11:
		it.Verb = sched.Hold
		m.later(v, p, sched.Item{Verb: sched.Admit, Job: j})
	case 12:
		it.Verb = []sched.Verb{sched.Reject, sched.Sample, sched.Sleep}[m.rng.IntN(3)]
		it.Count = 2
	case 13:
		it.Verb, it.At = sched.WakeMe, v.Now().Add(units.Duration(1+m.rng.IntN(1e10)))
	}
	if it.Verb != sched.NoVerb {
		p.Add(it)
	}
}

// first returns the first node from n on that is so, round about, or n.
func first(v sched.View, n sched.NodeID, so func(nd *sched.Node) bool) sched.NodeID {
	for range v.Nodes() {
		if nd := v.Node(n); nd != nil && so(nd) {
			break
		}
		n = n%max(1, v.Nodes()) + 1
	}
	return n
}

// later undoes an item some seconds from now.
func (m *meddler) later(v sched.View, p *sched.Plan, it sched.Item) {
	it.At = v.Now().Add(units.Duration(1 + m.rng.IntN(2e10)))
	it.Reason = sched.Because(whim)
	p.Add(it)
}
