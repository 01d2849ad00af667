package scale

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// crowded is a book of so many nodes and jobs of ten maps each, due from two hours on.
func crowded(nodes, jobs int) (*ledger.Ledger, *sched.Plan) {
	book, plan := ledger.New(sched.Capabilities{World: "desk", Bind: true, Power: true}, nil), &sched.Plan{}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(8, 4), Idle: 100, Dynamic: 100, WakeTime: units.Minute}
	events := []sched.Event{{Kind: sched.Resync}}
	for n := range nodes {
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Rack: 1, Class: class}}})
	}
	p := &profile.Class{Name: "c", Runs: 1, Stages: []profile.Stage{{Stage: sched.Map, Node: "c", Task: profile.Estimate{N: 9, Mean: 20, Min: 20, Max: 20}}}}
	events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: p}})
	for j := range jobs {
		spec := &workload.Job{ID: fmt.Sprint("j", j), Class: "c", Weight: 1, Deadline: units.Time(2*units.Hour) + units.Time(j*7919%jobs)*1e9, Soft: units.Never,
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 10)}}}
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: spec}})
	}
	book.Apply(0, 1, events)
	book.Begin(plan)
	for j := range jobs {
		plan.Admit(sched.JobID(j+1), sched.Outlook{}, sched.Because(sched.AdmitAll))
	}
	return book, plan
}

// 10,000 jobs of ten maps of 20 s, due a second after each other from two hours on.
func TestCrowded(t *testing.T) {
	book, plan := crowded(1000, 10_000)
	for _, c := range []struct {
		what  string
		first units.Time
		seen  units.Time
		peak  int64
		shut  int
	}{
		{"nothing is known of what comes", 0, 0, 0, 0},
		{"not yet", 1 - units.Time(looksFirst*units.Minute), 0, 0, 0},
		// Up to the last job there are 2e6 s of work in 7200 + 9999 - 60 - 24 s (with the margin), or 117 slots: 15
		// nodes of 8.
		{"now it is", -units.Time(looksFirst * units.Minute), 0, 0, 1000 - 15},
		{"a tenth of all could not wait", -units.Time(looksFirst * units.Minute), 0, 100_000, 1000 - 115},
		{"so it was ten minutes ago", -units.Time(looksFirst * units.Minute), -units.Time(peakFades / 2), 100_000, 1000 - 65},
		{"so it was long ago", -units.Time(looksFirst * units.Minute), -units.Time(2 * peakFades), 100_000, 1000 - 15},
		{"together they need all", -units.Time(looksFirst * units.Minute), 0, 990_000, 0},
	} {
		s := NewSlack()
		s.First, s.Seen, s.Peak, s.Shut = c.first, c.seen, c.peak, slices.Repeat([]bool{true}, 1001)
		s.look(book, plan)
		shut := 0
		for _, is := range s.Shut[1:] {
			if is {
				shut++
			}
		}
		if shut != c.shut {
			t.Errorf("%s: %d nodes are shut, want %d", c.what, shut, c.shut)
		}
		if aside := c.peak > 900_000; aside != (s.Wake == 0) {
			t.Errorf("%s: it asks for a Tick at %v; who stands aside asks for none", c.what, s.Wake)
		}
	}
}

// A hundred nodes, of which ten use half as much, and jobs of ten maps of 20 s that have two hours: the ten do as much
// of them now as they can in the minute that a node takes to wake, beside what cannot wait; not where costs change.
func TestFrugalNodesWorkAhead(t *testing.T) {
	for _, c := range []struct {
		what         string
		frugal, jobs int
		peak         int64
		costs        []float64
		open         int
	}{
		{"all of them", 50, 1000, 0, nil, 10},
		{"as many as have work for a minute", 50, 12, 0, nil, 5}, // 2400 s
		{"beside what cannot wait", 50, 1000, 50_000, nil, 10},
		{"they use no less", 100, 1000, 0, nil, 4}, // 200,000 s in 7116 + 999 s are 25 slots
		{"costs change", 50, 12, 0, []float64{3, 1}, 0},
	} {
		book, plan := crowded(90, c.jobs)
		var events []sched.Event
		frugal := &cluster.Class{Name: "f", Speed: 1, Capacity: units.Slots(8, 4), Idle: units.Watts(c.frugal), Dynamic: units.Watts(c.frugal), WakeTime: units.Minute}
		for n := range 10 {
			events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 91), Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("f", n), Rack: 1, Class: frugal}}})
		}
		if c.costs != nil {
			events = append(events, sched.Event{Kind: sched.ForecastIssued, Of: sched.Price, Detail: &sched.Detail{Forecast: &sched.Forecast{Interval: units.Hour, Mid: c.costs}}})
		}
		book.Apply(0, 2, events)
		s := NewSlack()
		s.First, s.Peak, s.Shut = -units.Time(looksFirst*units.Minute), c.peak, slices.Repeat([]bool{true}, 101)
		s.look(book, plan)
		open := 0
		for n, shut := range s.Shut {
			if n == 0 || shut {
				continue
			}
			if open++; s.Rank[n] > slices.Max(s.Reach) {
				t.Errorf("%s: no job may use node %d", c.what, n)
			}
		}
		if open != c.open {
			t.Errorf("%s: %d nodes get tasks, want %d", c.what, open, c.open)
		}
	}
}

// Nothing comes: when it has looked for long enough it looks again, and lets nodes sleep.
func TestNothingComes(t *testing.T) {
	book, plan := crowded(10, 0)
	s := NewSlack()
	if s.look(book, plan); s.Wake == 0 {
		t.Error("it asks for no Tick while it learns what comes")
	}
}

// BenchmarkSlack is what a look costs with nodes and jobs that wait.
func BenchmarkSlack(b *testing.B) {
	for _, size := range [][2]int{{1000, 10_000}, {10_000, 1000}} {
		b.Run(fmt.Sprintf("%d nodes, %d jobs", size[0], size[1]), func(b *testing.B) {
			book, plan := crowded(size[0], size[1])
			s := NewSlack()
			s.First = -units.Time(looksFirst * units.Minute)
			for b.Loop() {
				s.look(book, plan)
			}
		})
	}
}

// 100 nodes of 100 + 100 W. A joule costs three times as much for two hours as in the two hours after them. What fits
// into the cheap hours waits for them; of what does not, the rest is done before; what is behind the forecast costs the
// mean.
func TestTariff(t *testing.T) {
	book, plan := crowded(100, 1)
	told := &sched.Forecast{Interval: 2 * units.Hour, Mid: []float64{3, 1}}
	book.Apply(1, 2, []sched.Event{{Kind: sched.ForecastIssued, Of: sched.Price, Detail: &sched.Detail{Forecast: told}}})
	s := NewSlack()
	s.survey(book)
	s.look(book, plan)
	const hour = 3_600_000
	for _, c := range []struct {
		what       string
		work, time int64
		want       float64
	}{
		{"it fits into the cheap hours", hour, 4 * hour, 0},
		{"there are none in its time", hour, 2 * hour, 0.5},
		{"half an hour of them is too little", hour, 5 * hour / 2, (1 - 0.9/2) / 2},
		{"all but a tenth is full there", 2 * hour, 4 * hour, (2 - 2*0.9) / 2},
		{"it would rather wait for the mean than work now", 2 * hour, 6 * hour, 0},
		{"more than there is takes all at all times", 6 * hour, 4 * hour, 0.9 + (6-4*0.9)/4},
	} {
		if got := s.tariff.level(float64(c.work), c.time); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: it takes %v now, want %v", c.what, got, c.want)
		}
	}
	if s.tariff.now != 1500 {
		t.Errorf("a joule costs %d thousandths of the mean, want 1500", s.tariff.now)
	}
	told.Mid = []float64{2, 2}
	if s.look(book, plan); len(s.tariff.cells) != 0 || s.tariff.level(hour, 4*hour) != 0.25 {
		t.Errorf("with the same price at all hours it takes %v, want a quarter", s.tariff.level(hour, 4*hour))
	}
}

// A miss of a job that was made to wait adds a quarter, and each that was in time takes a thousandth; jobs that could
// not wait, or did not end well, say nothing.
func TestGamma(t *testing.T) {
	h := rooms("a")
	s := NewSlack()
	for _, c := range []struct {
		due     units.Time
		outcome sched.Outcome
		want    int64
	}{
		{h.now + 1, sched.Committed, 1000}, {h.now - 1, sched.Committed, 1250}, {h.now, sched.Committed, 1249}, {0, sched.Committed, 1249},
		{h.now - 1, sched.Killed, 1249}, {h.now - 1, sched.Committed, 1499},
	} {
		*sched.Row(&s.Had, sched.JobID(1)) = c.due
		if s.notice(h, &sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: c.outcome}); s.Gamma != c.want || s.Had[1] != 0 {
			t.Errorf("due %v, %v: γ is %d, want %d", c.due, c.outcome, s.Gamma, c.want)
		}
	}
	s.Gamma = mostGamma
	s.Had[1] = h.now - 1
	if s.notice(h, &sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}); s.Gamma != mostGamma {
		t.Errorf("γ is %d, at most %d", s.Gamma, mostGamma)
	}
}

// How long a node has to sleep for its wake, by hand: 60 s at 100 W, at 95 W less for each second asleep.
func TestPays(t *testing.T) {
	for _, c := range []struct {
		idle, sleep units.Watts
		wake, want  units.Duration
	}{
		{100, 5, 60 * units.Second, 63158 * units.Millisecond}, {100, 0, 60 * units.Second, 60 * units.Second},
		{0, 0, 60 * units.Second, 60 * units.Second}, {100, 5, 0, units.Second}, {100, 100, units.Minute, 1e18}, {100, 50, 180 * units.Second, 6 * units.Minute},
	} {
		got := pays(&cluster.Class{Idle: c.idle, Sleep: c.sleep, WakeTime: c.wake})
		if max(got-c.want, c.want-got) > c.want/100_000 {
			t.Errorf("%v idle, %v asleep, %v to wake: %v, want %v", c.idle, c.sleep, c.wake, got, c.want)
		}
	}
}

// A job has an hour of all nodes left, and has begun; two nodes of a fifth of all are held. An hour costs 3, then 1.
// Working now, they would take an hour of 2 · 200 W at 3; later as much at 1, and 2 · 100 W at 3 up to then. As much
// again idle does not pay, nor does an hour that costs nearly the same.
func TestWaits(t *testing.T) {
	const hour = 3_600_000
	for _, c := range []struct {
		what  string
		cost  []float64
		begun []float64
		held  stay
		want  units.Time
	}{
		{"half of it is idle", []float64{3, 1}, []float64{0, hour}, stay{200, 400, 0.2}, units.Time(units.Hour)},
		{"nearly all of it is", []float64{3, 1}, []float64{0, hour}, stay{300, 400, 0.2}, 0},
		{"an hour that costs nearly the same", []float64{3, 2.5}, []float64{0, hour}, stay{200, 400, 0.2}, 0},
		{"the last hour costs least", []float64{3, 2.9, 0.1}, []float64{0, 0, 10 * hour}, stay{40, 400, 0.2}, 2 * units.Time(units.Hour)},
		{"work of a tenth of the time", []float64{3, 1}, []float64{0, hour / 50}, stay{200, 400, 0.2}, 0},
		{"work that is due sooner", []float64{3, 1}, []float64{hour, 0}, stay{200, 400, 0.2}, 0},
		{"nobody is held", []float64{3, 1}, []float64{0, hour}, stay{}, 0},
		{"one is paid to draw power", []float64{1, -1}, []float64{0, hour / 50}, stay{20, 400, 0.2}, units.Time(units.Hour)},
		{"nothing is expected", nil, nil, stay{200, 400, 0.2}, 0},
	} {
		s := NewSlack()
		s.tariff.cost, s.begun, s.held = c.cost, c.begun, c.held
		for i := range c.cost {
			s.tariff.ends = append(s.tariff.ends, int64(i+1)*hour)
		}
		if len(c.cost) > 0 {
			s.tariff.ends[len(c.cost)-1] = math.MaxInt64
		}
		if got := s.waits(7); got != c.want && got != c.want+7 {
			t.Errorf("%s: until %v, want %v", c.what, got, c.want)
		}
	}
}
