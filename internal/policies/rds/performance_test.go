package rds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/maths/fuzzy"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// A sample of a model is what a job did in an interval with the slots that it held on the way, the
// mean of those at both ends, at the speed that nodes have. Here 4 become 2 at half the speed, and
// it does 10 of 40 maps of 100 s.
func TestSamples(t *testing.T) {
	d := newDesk(t, settings{hard: 200})
	job := d.comesWith("c", 40, 1, nil)
	job.State = sched.Admitted
	tally := &job.Stages[sched.Map]
	tally.Occupied, tally.Done = 4, 5
	d.at(600, sched.Event{Kind: sched.Tick}) // from here on it is measured
	of := &d.c.Classes[0].Stages[0]
	of.Mean = 100
	m := d.c.find(job.ID)
	tally.Occupied, tally.Done = 2, 15
	d.at(1200, sched.Event{Kind: sched.NodeChanged, Node: 1, X: 0.5}, sched.Event{Kind: sched.Tick})
	if want := 3 * 0.5 * 6.0 / 40; len(of.Outputs) != 1 || of.Outputs[0] != 0.25 || !near(of.Inputs[0], want) || m.Was[0] != 0.25 || !near(m.Used[0], want) {
		t.Errorf("samples %v of %v, and it did %v with %v; want 0.25 of %v", of.Outputs, of.Inputs, m.Was[0], m.Used[0], want)
	}
	// The next one knows what was before. A job that has nothing left to start teaches nothing.
	tally.Done = 19
	d.at(1800, sched.Event{Kind: sched.Tick})
	if want := []float64{2 * 0.5 * 6.0 / 40, 0.25, 3 * 0.5 * 6.0 / 40, math.Log1p(40) / 10}; len(of.Outputs) != 2 || of.Outputs[1] != 0.1 || !slices.EqualFunc(of.Inputs[inputs:], want, near) {
		t.Errorf("samples %v of %v, want 0.1 of %v", of.Outputs[1:], of.Inputs[inputs:], want)
	}
	tally.Open = 0
	d.at(2400, sched.Event{Kind: sched.Tick})
	if len(of.Outputs) != 2 {
		t.Errorf("it learns %v from a job whose slots wait for its last tasks", of.Outputs[2:])
	}
}

// A class of which nothing is known starts from the known one whose jobs have the most similar numbers of tasks.
func TestNewClassIsLikeTheNearest(t *testing.T) {
	d := newDesk(t, settings{hard: 200})
	for _, known := range []struct {
		class         string
		maps, reduces int
		mean          float64
	}{{"small", 5, 1, 20}, {"large", 500, 20, 200}, {"medium", 50, 5, 80}} {
		job := d.comesWith(known.class, known.maps, known.reduces, nil)
		k := d.c.class(d.book, job)
		for s, stage := range planned {
			k.Stages[s].Mean, k.Stages[s].Known, k.Stages[s].Tasks = known.mean, true, float64(job.Stages[stage].Total)
		}
	}
	for maps, want := range map[int]float64{8: 20, 40: 80, 2000: 200} {
		job := d.comesWith("new"+string(rune('a'+maps%26)), maps, max(1, maps/20), nil)
		if k := d.c.class(d.book, job); k.Stages[0].Mean != want || k.known() {
			t.Errorf("%d maps: a task is taken to last %v s, want %v", maps, k.Stages[0].Mean, want)
		}
	}
}

// The first class starts from a guess. What its model learns then corrects the guess, so it goes with it when a profile
// says what a task takes, and a class that starts from another is not known by what that one has seen.
func TestModelsBeginAgainWithTheFirstProfile(t *testing.T) {
	d := newDesk(t, settings{hard: 200, mapPenalty: 0.0107, reducePenalty: 0.0173})
	maps := func(j *workload.Job) { j.Deadline, j.Stages = 6000e9, j.Stages[:1] }
	job := d.comesWith("sort", 40, 0, maps)
	says := func(job *sched.Job) string {
		m := d.c.find(job.ID)
		m.Plan[0] = 1000
		reason := d.c.admission(d.book, m)
		return reason.Cause.Name + " " + string(rune('0'+reason.C))
	}
	if got := says(job); got != "new-class 0" {
		t.Errorf("where no class is known the reason is %s", got)
	}
	of := &d.c.class(d.book, job).Stages[0]
	for n := range 2 * fresh { // tasks take 20 s, and by the guess 60: slots do three times as much
		of.learn([]float64{float64(n) / 200, 0, 0, size(40)}, 3*float64(n)/200)
	}
	if got := says(job); got != "by-plan 0" {
		t.Errorf("where the class was guessed and has run the reason is %s", got)
	}
	known := &profile.Class{Name: "sort", Stages: []profile.Stage{{Stage: sched.Map, Task: profile.Estimate{N: 40, Mean: 20, Min: 20}}}}
	for range 2 { // the second profile lets the model go on
		d.c.taught(d.book, known)
		slots, _, _, _ := of.affine([]float64{0.1, 0, 0, size(40)})
		if of.Mean != 20 || !near(slots, 1) || of.Since != len(of.Outputs) {
			t.Errorf("with a mean of %v s a slot is expected to do %v of what it would by that", of.Mean, slots)
		}
		of.learn([]float64{0.1, 0, 0, size(40)}, 0.1)
	}
	if len(of.Outputs) != 2 {
		t.Errorf("the model has %d samples, and there were two since its first profile", len(of.Outputs))
	}
	if got := says(d.comesWith("new", 40, 0, maps)); got != "new-class 1" {
		t.Errorf("where another class is known the reason is %s", got)
	}
}

// Beyond mostClasses those go that were used longest ago, but none that the present interval uses.
func TestPrune(t *testing.T) {
	c := newController(settings{})
	c.Intervals = 1000
	for i := range mostClasses + 5 {
		c.Classes = append(c.Classes, &performance{Name: string(rune('A' + i)), Used: int64(100 + (i*37)%(mostClasses+5))})
	}
	c.prune()
	if len(c.Classes) != mostClasses || slices.ContainsFunc(c.Classes, func(k *performance) bool { return k.Used < 105 }) {
		t.Errorf("%d classes are left", len(c.Classes))
	}
	for i := range 10 {
		c.Classes = append(c.Classes, &performance{Used: c.Intervals, Name: string(rune('z' + i))})
	}
	for _, k := range c.Classes {
		k.Used = c.Intervals
	}
	if c.prune(); len(c.Classes) != mostClasses+10 {
		t.Errorf("%d classes are left, all of them in use", len(c.Classes))
	}
}

// In an interval four models at most find rules again, those with most samples since. The others have their
// turn in the next.
func TestFewModelsAtATime(t *testing.T) {
	c := newController(settings{})
	for i := range 6 {
		k := &performance{Name: string(rune('a' + i))}
		for s := range k.Stages {
			k.Stages[s] = model{Mean: 60, Learner: proportional()}
		}
		c.Classes = append(c.Classes, k)
		for n := range fresh - 1 + 5*i%6 {
			k.Stages[i%2].learn([]float64{float64(n) / 50, 0, 0, 0.3}, float64(n)/50)
		}
	}
	for _, want := range [][6]int{{31, 0, 0, 0, 0, 32}, {31, 0, 0, 0, 0, 0}, {31, 0, 0, 0, 0, 0}} {
		c.measure(ledger.New(sched.Capabilities{Bind: true}, nil))
		var got [6]int
		for i, k := range c.Classes {
			got[i] = k.Stages[i%2].Since
		}
		if got != want {
			t.Errorf("samples since rules were found: %v, want %v", got, want)
		}
	}
}

// Rules that fit what was seen by a tenth better replace those before; others do not.
func TestRefresh(t *testing.T) {
	for _, bent := range []bool{true, false} {
		m := model{Mean: 60, Learner: proportional()}
		dice := rand.New(rand.NewPCG(3, 9))
		for range fresh {
			x := []float64{dice.Float64(), 0, 0, 0.3}
			y := x[0]
			if bent {
				y = math.Abs(x[0] - 0.5)
			}
			m.learn(x, y+0.001*dice.NormFloat64())
		}
		before := m.Learner.RMSE(m.Inputs, m.Outputs)
		m.refresh(new(fuzzy.Trainer))
		after := m.Learner.RMSE(m.Inputs, m.Outputs)
		if bent && (len(m.Learner.Rules) < 2 || after > before/3) {
			t.Errorf("where progress is no line %d rules miss it by %v, one by %v", len(m.Learner.Rules), after, before)
		}
		if !bent && after > before {
			t.Errorf("where progress is a line new rules miss it by %v, the ones before by %v", after, before)
		}
		if m.Since != 0 || m.Learner.Seen != fresh {
			t.Errorf("%d samples since, %d seen", m.Since, m.Learner.Seen)
		}
	}
}
