package promise

import (
	"errors"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A job of a class of which nothing is known is told a wide statement, and is not given up before its deadline.
func TestUnknownClass(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	strange := policytest.Claims("a", 5, 20)
	strange.Class = "nobody knows"
	d.At(0, arrives(1, strange), arrives(2, policytest.Claims("b", 5, 9000)))
	is := d.told(1)
	if half := is.Half.Sub(0).Seconds(); half < 4 || half > 8 { // maps of all that is known take a second
		t.Errorf("it is told %v s, want some 5", half)
	}
	if wide := is.By.Sub(0).Seconds() / is.Half.Sub(0).Seconds(); is.Word != sched.Unpromised || wide < 5 {
		t.Errorf("it is told %+v, %.1f times its median", is, wide)
	}
	if first := d.Book.First(1, sched.Map, 0); first != 1 {
		t.Errorf("job %d goes first, want the one of which nothing is known", first)
	}
}

// What reduces take of a job without maps is held against one map, and says nothing absurd of the next job's.
func TestReducesWithoutMaps(t *testing.T) {
	d := newDesk(t, usual)
	only, next := policytest.Claims("only", 0, 90), policytest.Claims("next", 5, 900)
	only.Stages = []workload.StageSpec{{Kind: workload.Reduce, Tasks: make([]workload.Task, 1)}}
	next.Stages = append(next.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 2)})
	d.At(0, policytest.Opening(only)...)
	d.At(10, sched.Event{Kind: sched.Tick})
	e := sched.Event{Kind: sched.Ended, Outcome: sched.Committed}
	e.Spans[0] = 10 * units.Second
	d.s.jobs[1].Laws[0] = &law{Mean: 1e-3} // as of a class of which only reduces are known
	d.s.ended(d.Book, d.Book.Job(1), sched.Reduce, 0, &e)
	next.Class = "next"
	if d.At(10, arrives(2, next)); d.s.any[1].N != 1 || d.told(2).Half > 900e9 {
		t.Errorf("a job of five maps is told %+v after a reduce of 10 s", d.told(2))
	}
}

// Its own first tasks tell what the next ones take, so what it is told gets narrower, around that.
func TestFirstTasksTell(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	strange := policytest.Claims("a", 40, 9000)
	strange.Class = "nobody knows"
	d.At(0, arrives(1, strange))
	wide := func() float64 {
		r := &d.s.jobs[1]
		w := place{r: r, job: d.Book.Job(1), end: 1, scale: d.s.factor(r, 0)}
		st := d.s.statement(0, &w)
		return (st.by(finish.Certain/100) - st.half()) / d.s.task(w.r, 0)
	}
	before, job := wide(), d.Book.Job(1)
	for i := range 8 {
		e := sched.Event{Kind: sched.Ended, Outcome: sched.Committed}
		e.Spans[0] = units.FromSeconds(20 + float64(i%2))
		d.s.ended(d.Book, job, sched.Map, 0, &e)
	}
	d.s.look(d.Book, true, nil, &sched.Plan{})
	if after, takes := wide(), d.s.task(&d.s.jobs[1], 0); after <= 0 || after > before/3 || takes < 17 || takes > 27 {
		t.Errorf("with one in a hundred it takes %.1f maps longer, and %.1f before any had ended; a map takes %.1f s", after, before, takes)
	}
}

// A job of an application that is known with other parameters is told what such jobs take, but as a guess: widely,
// and nobody gives it up by that. What is learned meanwhile of another one of them moves it.
func TestKin(t *testing.T) {
	d := newDesk(t, Config{Most: 1000, Reject: true})
	named := func(name string, seconds float64) sched.Event {
		e := learned(0.1, 0.1)
		e.Detail.Profile.Name, e.Detail.Profile.Models[0].Fixed = name, seconds
		return e
	}
	d.At(0, policytest.Opening()[0], named("grep~a-00000001", 1))
	job := policytest.Claims("a", 5, 2)
	job.Class = "grep~b-00000002"
	d.At(0, arrives(1, job))
	is := d.told(1)
	if half := is.Half.Sub(0).Seconds(); half < 4 || half > 6 || is.By.Sub(0).Seconds() < 5*half || is.Word != sched.Unpromised || d.Book.First(1, sched.Map, 0) != 1 {
		t.Errorf("it is told %+v, want some 5 s, widely, and no refusal", is)
	}
	copied := newScheduler(d.s.Config)
	if copied.copy(d.s); copied.kin["grep"] != "grep~a-00000001" {
		t.Error("a copy forgets what is of the family")
	}
	text, err := d.s.save()
	if err = errors.Join(err, copied.load(text)); err != nil || copied.kin["grep"] != "grep~a-00000001" {
		t.Errorf("what is saved forgets what is of the family: %v", err)
	}
	before := d.s.jobs[1].Laws[0].Mean
	if few := d.s.jobs[1].Laws[0].Few; few != 1 {
		t.Errorf("a guess counts as if one over %v jobs were known", 1/few)
	}
	if d.At(0, named("grep~c-00000003", 4)); d.s.jobs[1].Laws[0].Mean < 3*before {
		t.Errorf("a map takes %v s, and %v s before another class of the family was known", d.s.jobs[1].Laws[0].Mean, before)
	}
	if d.At(0, named("find", 90)); d.s.jobs[1].Laws[0].Mean > 5*before {
		t.Error("another family moves it")
	}
	if d.At(0, named("grep~b-00000002", 2)); d.s.jobs[1].Strange {
		t.Error("its own class is known, and it is strange")
	}
}

// Of a class of which one job is known more is left open than of one of which a hundred are.
func TestYoungClassIsToldMore(t *testing.T) {
	wide := func(jobs float64) float64 {
		e := learned(0.3, 0.1)
		e.Detail.Profile.Models[0].Jobs = jobs
		d := newDesk(t, usual)
		d.At(0, policytest.Opening()[0], e)
		d.At(0, arrives(1, policytest.Claims("a", 5, 9000)))
		is := d.told(1)
		return is.By.Sub(is.Half).Seconds()
	}
	if young, old := wide(1), wide(100); young < 1.15*old {
		t.Errorf("with 99 %% it takes %.2f s longer, and %.2f of a known class", young, old)
	}
}

// Where jobs of a class take a hundredth of what its models say of each, or as long, the models say little: the next
// job is told a wide statement, and is not given up by it. Until jobs have shown that, it is.
func TestDoubtedModels(t *testing.T) {
	for _, doubted := range []bool{false, true} {
		d := known(t, usual, 0.1, 0.1)
		for i := range 12 {
			x := 0.0
			if i%2 == 0 {
				x = -4.6
			}
			if doubted {
				d.s.classOf("c")[0].Jobs.add(x, 1, mostLately)
			}
		}
		d.At(0, arrives(1, policytest.Claims("a", 20, 8)), arrives(2, policytest.Claims("b", 5, 9000)))
		is, in := d.told(1), d.s.jobs[1].InTime
		if wide := is.By.Sub(0).Seconds() / is.Half.Sub(0).Seconds(); in != doubted || (wide > 5) != doubted || (is.Chance > 100_000) != doubted {
			t.Errorf("doubted: %v: it is told %+v, %.1f times its median, and can be in time: %v", doubted, is, wide, in)
		}
	}
}

// folded is a job with one reduce behind so many maps of a second each, on one slot.
func folded(id string, maps, deadline int) *workload.Job {
	j := policytest.Claims(id, maps, deadline)
	j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 1)})
	return j
}

// reducing is a desk on which a reduce takes a second by models that are doubted.
func reducing(t *testing.T) *desk {
	d, e := newDesk(t, usual), learned(0.1, 0.1)
	e.Detail.Profile.At(sched.Reduce, "n").Task.Add(1)
	of := *e.Detail.Profile.Models[0]
	of.Stage = sched.Reduce
	e.Detail.Profile.Models = append(e.Detail.Profile.Models, &of)
	d.At(0, policytest.Opening()[0], e)
	for i := range 12 {
		d.s.classOf("c")[1].Jobs.add(-4.6*float64(i%2), 1, mostLately)
	}
	return d
}

// What its reduces take is a guess, but its maps alone do not meet the deadline: it goes behind. Where they do, it does
// not.
func TestGivenUpByItsMaps(t *testing.T) {
	for maps, in := range map[int]bool{5: true, 20: false} {
		d := reducing(t)
		d.At(0, arrives(1, folded("a", maps, 8)), arrives(2, folded("b", 2, 9000)))
		if r := &d.s.jobs[1]; !r.Guess[1] || r.Guess[0] || r.InTime != in {
			t.Errorf("%d maps of a second, due in 8 s: it can be in time: %v, want %v (a guess: %v)", maps, r.InTime, in, r.Guess)
		}
	}
}

// A reduce that began before the last map was over is told apart from one that takes as long: what it takes is
// counted from that end, and so is its age.
func TestReducesWorkBehindTheMaps(t *testing.T) {
	d := reducing(t)
	delete(d.s.classes, "c")
	d.At(0, arrives(1, folded("a", 1, 9000)))
	r, job := &d.s.jobs[1], d.Book.Job(1)
	r.Over = units.Time(49 * units.Second)
	e := sched.Event{Kind: sched.Ended, Outcome: sched.Committed}
	e.Spans[0] = 9 * units.Second
	job.Stages[sched.Map].Done, job.Stages[sched.Map].Open = 1, 0
	d.At(50)
	d.s.ended(d.Book, job, sched.Reduce, 0, &e)
	if took := r.Own[1].Sum / r.Own[1].N * r.Laws[1].Mean; took < 0.99 || took > 1.01 {
		t.Errorf("a reduce that ran for nine seconds, one of them behind the maps, counts as %.2f s", took)
	}
}
