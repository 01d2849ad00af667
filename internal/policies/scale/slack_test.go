package scale

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/estimate"
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
	p := &profile.Class{Name: "c", Runs: 1, Stages: []profile.Stage{{Stage: sched.Map, Node: "c", Task: profile.Estimate{N: 9, Mean: 20, Min: 20, Max: 20}}},
		Models: []*profile.Model{{Key: profile.Key{Stage: sched.Map, Node: "c", Part: profile.Run}}}}
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
		// Up to the last job there are 2e6 s of work in 7200 + 9999 - 60 - 20 s, or 117 slots: 15
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

// By how much longer than its mean the last of some tasks is, by hand: of a lognormal law with a deviation of 0.5 the
// mean is exp(1/8), and the quantile at a score z is exp(z/2). No more count than there are slots: 80.
func TestSure(t *testing.T) {
	for _, c := range []struct {
		what  string
		tasks int
		told  sched.Outlook
		score float64
	}{
		{"one task, no promise: 1 %", 1, sched.Outlook{}, 2.3263},
		{"ten: a tenth of that each", 10, sched.Outlook{}, 3.0892},
		{"one that is promised with 90 %", 1, sched.Outlook{Word: sched.Promised, Confidence: 900_000}, 1.2816},
		{"one that is told, and not promised", 1, sched.Outlook{Word: sched.Unpromised, Confidence: 900_000}, 2.3263},
		{"more than there is room for: 80", 1000, sched.Outlook{}, 3.6617},
	} {
		book, plan := crowded(10, 1)
		j := book.Job(1)
		j.Outlook, j.Spec.Stages[0].Tasks = c.told, make([]workload.Task, c.tasks)
		book.Profile("c").Models[0].Own = profile.LogNormal(0.5)
		s := NewSlack()
		s.look(book, plan)
		want := 1000 * (math.Exp(c.score/2-0.125) - 1)
		if got := float64(s.Tails[1][0]); math.Abs(got-want) > 3 {
			t.Errorf("%s: %v thousandths, want %v", c.what, got, want)
		}
	}
	book, plan := crowded(10, 1)
	book.Profile("c").Models = nil
	s := NewSlack()
	if s.look(book, plan); s.Lax[1] != 0 {
		t.Error("nobody knows how its times vary, and it waits")
	}
}

// Of two stages, whose last tasks are 20 s longer than their mean each, both are seldom so long: √(20² + 20²).
func TestSureOfTwoStages(t *testing.T) {
	book, _ := crowded(1, 1)
	s := NewSlack()
	*sched.Row(&s.Tails, 1) = [2]int64{1000, 2000}
	left := estimate.Left{Mean: [2]int64{20_000, 10_000}}
	if known := s.sure(book, book.Job(1), &left, nil); !known || left.Sure != 28_284 {
		t.Errorf("%v ms, known: %v; want 28284", left.Sure, known)
	}
}

// A task is kept from a slow node by what it takes there on average: of two hours that are left it takes there 100
// minutes, or 125. Its last like it may take twice that anywhere.
func TestTakesByTheMean(t *testing.T) {
	for _, c := range []struct {
		mean float64 // over a node of speed 1 and one of 2
		want bool
	}{{4000, true}, {5000, false}, {10_000, true}} { // the last would be late on both
		book, plan := crowded(1, 1)
		fast := &cluster.Class{Name: "f", Speed: 2, Capacity: units.Slots(8, 4)}
		book.Apply(0, 2, []sched.Event{{Kind: sched.NodeUp, Node: 2, Detail: &sched.Detail{Node: &cluster.Node{Name: "f", Rack: 1, Class: fast}}}})
		p := book.Profile("c")
		p.Stages[0].Task.Mean, p.Models[0].Own = c.mean, profile.LogNormal(0.5)
		s := NewSlack()
		s.look(book, plan)
		if got := s.Takes(book, book.Job(1), sched.Map, book.Node(1)); got != c.want {
			t.Errorf("a mean of %v s: it takes it: %v", c.mean, got)
		}
	}
}
