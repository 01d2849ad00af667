package rds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
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
	after := func(at units.Time, change ...sched.Event) []float64 {
		d.at(at, append(change, sched.Event{Kind: sched.Tick})...)
		return of.Learner.Rules[0].Then
	}
	twin := d.c.set.proportional() // a model that learns the same by itself
	tally.Occupied, tally.Done = 2, 15
	used := 3 * 0.5 * 6.0 / 40
	twin.Add([]float64{used, 0, 0, math.Log1p(40) / 10}, 0.25)
	if got := after(1200, sched.Event{Kind: sched.NodeChanged, Node: 1, X: 0.5}); of.Samples != 1 || !slices.EqualFunc(got, twin.Rules[0].Then, near) || m.Past[0][0][0] != 0.25 || !near(m.Past[0][1][0], used) {
		t.Errorf("%d samples make it %v, and it did %v; want %v", of.Samples, got, m.Past[0], twin.Rules[0].Then)
	}
	// The next one knows what was before. A job that has nothing left to start teaches nothing.
	tally.Done = 19
	twin.Add([]float64{2 * 0.5 * 6.0 / 40, 0.25, used, math.Log1p(40) / 10}, 0.1)
	if got := after(1800); of.Samples != 2 || !slices.EqualFunc(got, twin.Rules[0].Then, near) || m.Past[0][0] != [mostLags]float64{0.1, 0.25} {
		t.Errorf("%d samples make it %v, and it did %v; want %v", of.Samples, got, m.Past[0], twin.Rules[0].Then)
	}
	tally.Open = 0
	if after(2400); of.Samples != 2 {
		t.Errorf("it learns from a job whose slots wait for its last tasks")
	}
}

// What runs are stored trains a model before its first job runs (section 5.2): where maps of the class get slower
// the more of them run at once, it knows so by rules; where they do not, one rule is as good.
func TestTrained(t *testing.T) {
	for _, slows := range []bool{true, false} {
		d := newDesk(t, settings{hard: 200})
		p := profile.New("c")
		p.At(sched.Map, "").Task = profile.Estimate{N: 40, Mean: 60, Min: 60, Max: 60}
		dice := rand.New(rand.NewPCG(1, 7))
		for range 6 {
			of := profile.Course{Stage: sched.Map, Tasks: 1000, Step: 100}
			slots := 0.0
			for i := range 60 {
				if i%6 == 0 {
					slots = float64(1 + dice.IntN(40))
				}
				does := slots
				if slows {
					does = min(slots, 12)
				}
				of.Used, of.Done = append(of.Used, 100*slots), append(of.Done, 100*does/60)
			}
			p.Courses = append(p.Courses, of)
		}
		job := d.comesWith("c", 1000, 0, func(j *workload.Job) { j.Stages = j.Stages[:1] })
		k := d.c.class(d.book, job)
		d.c.taught(d.book, p)
		m := &k.Stages[0]
		for _, slots := range []float64{4, 10, 30} {
			unit := m.unit(d.c.set.interval, 1000)
			does := slots
			if slows {
				does = min(slots, 12)
			}
			got, _ := m.Learner.Predict(d.c.set.regress(nil, slots*unit, &[2][mostLags]float64{{does * unit}, {slots * unit}}, 1000))
			if math.Abs(got/unit-does) > 3 {
				t.Errorf("slows %t: of %v slots it expects what %v do, and they do what %v do", slows, slots, got/unit, does)
			}
		}
		if n := len(m.Learner.Rules); slows && n < 2 {
			t.Errorf("%d rules for what is no line", n)
		}
		before := m.Learner
		if d.c.taught(d.book, p); m.Learner != before {
			t.Error("it is trained again while jobs run")
		}
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

// The first class starts from a guess. What its model learns then corrects the guess, so it goes with it when a
// profile says what a task takes, and a class that starts from another is not known by what that one has seen.
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
	for n := range 64 { // tasks take 20 s, and by the guess 60: slots do three times as much
		of.Learner.Add([]float64{float64(n) / 200, 0, 0, math.Log1p(40) / 10}, 3*float64(n)/200)
		of.Samples++
	}
	if got := says(job); got != "by-plan 0" {
		t.Errorf("where the class was guessed and has run the reason is %s", got)
	}
	known := &profile.Class{Name: "sort", Stages: []profile.Stage{{Stage: sched.Map, Task: profile.Estimate{N: 40, Mean: 20, Min: 20}}}}
	for range 2 { // the second profile lets the model go on
		d.c.taught(d.book, known)
		e := of.affine(&d.c.set, []float64{0.1, 0, 0, math.Log1p(40) / 10})
		if of.Mean != 20 || !near(e.inputs[0], 1) {
			t.Errorf("with a mean of %v s a slot is expected to do %v of what it would by that", of.Mean, e.inputs[0])
		}
		of.Samples++
	}
	if of.Samples != 2 {
		t.Errorf("the model has %d samples, and there were two since its first profile", of.Samples)
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
