package lab

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The simulator against what is known about queues and lists.
//
// Means are compared by independent seeds. A mean over n seeds is off by more than k standard
// errors, estimated from the same seeds, with the probability that Student's t with n-1 degrees of
// freedom exceeds k. For n = 40 and k = 7 that is 2·10⁻⁸, so that all comparisons of this file
// together fail a simulator that is right with less than 10⁻⁶. What each would notice is written
// down with it: an error that is found all but surely, as it lies 7 + 5 standard errors away. Seeds
// are fixed, so that a test that passes passes again; SLACKLINE_LONG=1 takes so many more jobs that
// also a wait shows a mean that is 2 % off.
const (
	seeds = 40
	sigma = 7
)

// compare holds the mean over the seeds against what theory says.
func compare(t *testing.T, what string, want float64, sample func(seed uint64) float64) {
	t.Helper()
	var s stat.Sum
	for seed := range uint64(seeds) {
		s.Add(sample(seed + 1))
	}
	se := s.Deviation() / math.Sqrt(seeds)
	text := fmt.Sprintf("%s: %.5g ± %.2g, theory says %.5g (off by %.1f standard errors; an error of %.1f %% would be noticed)",
		what, s.Mean(), sigma*se, want, (s.Mean()-want)/se, 100*(sigma+5)*se/want)
	if math.Abs(s.Mean()-want) > sigma*se {
		t.Error(text)
	}
	t.Log(text)
}

// station is a queue: servers that serve single tasks in order of arrival, which come as a Poisson stream.
type station struct {
	servers int
	load    float64 // of each server
	times   sim.Times
	beat    units.Duration
}

const service = 10 * units.Second

// wait returns the mean wait of so many tasks, in service times, after as many as a tenth of them came before.
func (s station) wait(t *testing.T, seed uint64, tasks int) float64 {
	t.Helper()
	class := cluster.Class{Name: "server", Speed: 1, Capacity: units.Slots(1, 0)}
	rng := rand.New(rand.NewPCG(seed, 99))
	w := &workload.Workload{}
	at := 0.0
	for i := range tasks + tasks/10 {
		at += rng.ExpFloat64() / (s.load * float64(s.servers)) * service.Seconds()
		w.Jobs = append(w.Jobs, single(fmt.Sprint(i), units.Time(units.FromSeconds(at)), []units.Duration{service}))
	}
	watch := &waits{skip: tasks / 10}
	play(t, sim.Config{Cluster: cluster.Uniform(s.servers, 1, class), Workload: w, Times: s.times, Heartbeat: s.beat, Seed: seed}, "fifo+greedy(nonlocal=0)", watch)
	return watch.sum.Mean() / service.Seconds()
}

// single is a job of maps.
func single(id string, at units.Time, work []units.Duration) *workload.Job {
	j := &workload.Job{ID: id, Class: "c", Arrive: at, Soft: units.Never, Deadline: units.Never, Weight: 1, Stages: []workload.StageSpec{{Kind: workload.Map}}}
	for _, d := range work {
		j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Work: d})
	}
	return j
}

func play(t *testing.T, cfg sim.Config, policy string, sinks ...drive.Sink) {
	t.Helper()
	p, err := catalog.New(policy, NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	drivePolicy(t, cfg, p, sinks...)
}

func drivePolicy(t *testing.T, cfg sim.Config, p sched.Policy, sinks ...drive.Sink) {
	t.Helper()
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.New(w, p, sinks...).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// waits sums how long jobs wait for their first task.
type waits struct {
	skip    int
	arrived []units.Time // by handle
	sum     stat.Sum
}

func (w *waits) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			for int(e.Job) >= len(w.arrived) {
				w.arrived = append(w.arrived, 0)
			}
			w.arrived[e.Job] = at
		case sched.Started:
			if w.skip--; w.skip < 0 {
				w.sum.Add(at.Add(-e.Age).Sub(w.arrived[e.Job]).Seconds())
			}
		}
	}
	return nil
}

func (w *waits) Plan(int64, units.Time, *sched.Plan) error { return nil }

// erlangC is the mean wait in M/M/c, in service times.
func erlangC(c int, load float64) float64 {
	a := load * float64(c)
	term, sum := 1.0, 0.0
	for k := range c {
		sum += term
		term *= a / float64(k+1)
	}
	delayed := term / (1 - load) / (sum + term/(1-load))
	return delayed / (float64(c) * (1 - load))
}

// pollaczek is the mean wait in M/G/1, in service times (Pollaczek and Khinchine).
func pollaczek(load, cv float64) float64 { return load * (1 + cv*cv) / (2 * (1 - load)) }

// Queues that have a formula. The Pareto law is one of CV 0.3, so that its fourth moment exists and
// means settle as they should.
func TestQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many tasks")
	}
	n := scenarios(1500, 50_000)
	exponential := sim.Times{Law: sim.Exponential}
	for name, q := range map[string]struct {
		station
		want float64
	}{
		"M/M/1":            {station{1, 0.5, exponential, 0}, erlangC(1, 0.5)},
		"M/M/3":            {station{3, 0.6, exponential, 0}, erlangC(3, 0.6)},
		"M/M/8":            {station{8, 0.8, exponential, 0}, erlangC(8, 0.8)},
		"M/D/1":            {station{1, 0.6, sim.Times{}, 0}, pollaczek(0.6, 0)},
		"M/G/1 log-normal": {station{1, 0.5, sim.Times{Law: sim.LogNormal, CV: 0.8}, 0}, pollaczek(0.5, 0.8)},
		"M/G/1 Pareto":     {station{1, 0.6, sim.Times{Law: sim.Pareto, CV: 0.3}, 0}, pollaczek(0.6, 0.3)},
	} {
		t.Run(strings.ReplaceAll(name, "/", ""), func(t *testing.T) {
			compare(t, "mean wait in "+name, q.want, func(seed uint64) float64 { return q.wait(t, seed, n) })
		})
	}
}

// Where nothing queues, a task waits for the next beat of a node: half of the time between two, as
// arrivals do not know when nodes beat. A beat that is missed, or one too many, shows. So little
// load is needed, as a node that works does not beat: even a thousandth of it made the wait 0.501,
// which the long test noticed.
func TestWaitForBeats(t *testing.T) {
	const beat, servers, load = 3 * units.Second, 4, 0.0001
	n := scenarios(500, 20_000)
	compare(t, "mean wait for a beat, in intervals", 0.5+load, func(seed uint64) float64 {
		q := station{servers, load, sim.Times{}, beat}
		return q.wait(t, seed, n) * service.Seconds() / (beat.Seconds() / servers)
	})
}

// The laws of task times have mean 1 and the CV that was asked for. Each is drawn so often that a
// mean that is 2 % off is noticed.
func TestLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many tasks")
	}
	for name, law := range map[string]sim.Times{
		"uniform":     {Law: sim.Uniform, CV: 0.4},
		"normal":      {Law: sim.Normal, CV: 0.2},
		"exponential": {Law: sim.Exponential, CV: 1},
		"log-normal":  {Law: sim.LogNormal, CV: 0.5},
		"Pareto":      {Law: sim.Pareto, CV: 0.3},
		"empirical":   {Law: sim.Empirical, CV: math.Sqrt(2) / 3, Values: []float64{2, 3, 1, 5, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			n := scenarios(1, 10) * int(1.3*math.Pow((sigma+5)*law.CV/0.02, 2)/seeds)
			draws := map[uint64]*spans{}
			for seed := range uint64(seeds) {
				s := &spans{}
				work := make([]units.Duration, n)
				for i := range work {
					work[i] = service
				}
				c := cluster.Uniform(1, 1, cluster.Class{Name: "k", Speed: 1, Capacity: units.Slots(n, 0)})
				play(t, sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: []*workload.Job{single("j", 0, work)}}, Times: law, Seed: seed + 1}, "fifo+greedy(nonlocal=0)", s)
				draws[seed+1] = s
			}
			compare(t, "mean", 1, func(seed uint64) float64 { return draws[seed].sum / float64(n) / service.Seconds() })
			if law.Law != sim.Normal { // which is cut off, so its CV is a little less
				compare(t, "second moment", 1+law.CV*law.CV, func(seed uint64) float64 {
					return draws[seed].squares / float64(n) / (service.Seconds() * service.Seconds())
				})
			}
		})
	}
}

// spans sums the times of attempts, and their squares.
type spans struct {
	began        map[sched.AttemptID]units.Time
	sum, squares float64
}

func (s *spans) Batch(_ int64, at units.Time, events []sched.Event) error {
	if s.began == nil {
		s.began = map[sched.AttemptID]units.Time{}
	}
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.Started:
			s.began[e.Attempt] = at.Add(-e.Age)
		case sched.Ended:
			d := at.Add(-e.Age).Sub(s.began[e.Attempt]).Seconds()
			s.sum += d
			s.squares += d * d
		}
	}
	return nil
}

func (s *spans) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Graham's bound (1969): a list of independent tasks on m machines, none idle while one waits, ends by
//
//	sum/m + (1 - 1/m)·longest ≤ (2 - 1/m)·optimum
//
// and for m(m-1) tasks of 1 before one of m it takes 2m-1 where m would do: the bound is met exactly.
func TestGraham(t *testing.T) {
	for seed := range uint64(scenarios(200, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := 1 + rng.IntN(8)
		work := make([]units.Duration, 1+rng.IntN(40))
		sum, longest := units.Duration(0), units.Duration(0)
		for i := range work {
			work[i] = units.Duration(1 + rng.IntN(100_000_000_000))
			sum, longest = sum+work[i], max(longest, work[i])
		}
		got := makespan(t, m, work)
		if lower := max(longest, sum/units.Duration(m)); got < lower || float64(got) > float64(sum)/float64(m)+(1-1/float64(m))*float64(longest)+1 {
			t.Errorf("seed %d: %d tasks on %d machines took %v; %v in all, the longest %v", seed, len(work), m, got, sum, longest)
		}
	}
	for m := 2; m <= 9; m++ {
		work := make([]units.Duration, m*(m-1)+1)
		for i := range work {
			work[i] = service
		}
		work[len(work)-1] = units.Duration(m) * service
		if got := makespan(t, m, work); got != units.Duration(2*m-1)*service {
			t.Errorf("the worst list on %d machines took %v, want %v", m, got, units.Duration(2*m-1)*service)
		}
	}
}

func makespan(t *testing.T, machines int, work []units.Duration) units.Duration {
	t.Helper()
	b := report.NewBuilder("sim", "list", "fifo", 0)
	c := cluster.Uniform(machines, 1, cluster.Class{Name: "k", Speed: 1, Capacity: units.Slots(1, 0)})
	play(t, sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: []*workload.Job{single("j", 0, work)}}}, "fifo+greedy(nonlocal=0)", follow.New(b))
	return units.FromSeconds(b.Run().Summary.Makespan)
}
