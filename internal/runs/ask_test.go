package runs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Two jobs on one slot, of a class whose tasks take ten seconds a map of 400 bytes and nothing else. Every
// number of the answers follows by hand.
func TestAsk(t *testing.T) {
	in := inputs(t, 800, 400)
	noon := time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)
	batch := func(deadline string) *Local {
		var jobs []*scenario.Job
		for i, input := range []string{"f00", "f01"} {
			j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: j%d\napp: grep\nclass: grep\nparams: {pattern: x}\ninput: %q\noutput: %q\nreduces: 0\n%s\n",
				i, filepath.Join(in, input), filepath.Join(in, "out", fmt.Sprint(i)), deadline))
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, j)
		}
		l, err := NewLocal(jobs, Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, Block: 400}, noon)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	class := func() []*profile.Class {
		c := profile.New("grep")
		c.Runs = 1
		c.Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
		return []*profile.Class{c}
	}
	near := func(what string, got time.Time, seconds float64) {
		t.Helper()
		if off := got.Sub(noon).Seconds() - seconds; off > 0.01*seconds+0.05 || off < -0.01*seconds-0.05 {
			t.Errorf("%s: %v after noon, want %v s", what, got.Sub(noon), seconds)
		}
	}

	a, err := batch("deadline: 25s").Ask(t.Context(), "fifo", 1, class())
	if err != nil {
		t.Fatal(err)
	}
	first, second := &a.Jobs[0], &a.Jobs[1]
	near("the first is done", *first.Done, 20)
	near("the second is done", *second.Done, 30)
	near("the second waits", *second.WaitsTill, 20)
	near("its deadline", *second.Deadline, 25)
	if !slices.Equal(second.WaitsFor, []string{"j0"}) || len(first.WaitsFor) != 0 || first.WaitsTill != nil {
		t.Errorf("the first waits for %v, the second for %v", first.WaitsFor, second.WaitsFor)
	}
	if l := batch("deadline: 25s"); l.Alone(t.Context(), a, "fifo", 1, class()) != nil {
		t.Fatal("alone is not known")
	}
	if *second.Alone < 9.9 || *second.Alone > 10.1 || *first.Alone < 19.9 || *first.Alone > 20.1 {
		t.Errorf("alone they take %v and %v", *first.Alone, *second.Alone)
	}
	if !first.InTime() || second.InTime() {
		t.Errorf("in time: %v, %v", first.InTime(), second.InTime())
	}
	if first.By90 != nil || first.Chance != nil || first.Shared != nil || len(a.Beside) != 0 {
		t.Errorf("more is told than is known: %+v", first)
	}

	// Cost models tell how much that varies, of both jobs: the second runs behind the first. Held to plays of
	// their own.
	known := class()
	for range enough {
		known[0].Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
	}
	known[0].Models = []*profile.Model{{Key: profile.Key{Stage: workload.Map}, Fixed: 10, Own: profile.LogNormal(0.3), Shared: profile.LogNormal(0.2), Tasks: 1000, Jobs: 100}}
	if a, err = batch("deadline: 33s").Ask(t.Context(), "fifo", 1, known); err != nil {
		t.Fatal(err)
	}
	const plays = 200_000
	dice := rand.New(rand.NewPCG(1, 2))
	var took [2][]float64
	for range plays {
		factor := func(sigma float64) float64 { return math.Exp(sigma*dice.NormFloat64() - sigma*sigma/2) }
		one := 10 * factor(0.2) * (factor(0.3) + factor(0.3))
		took[0], took[1] = append(took[0], one), append(took[1], one+10*factor(0.2)*factor(0.3))
	}
	for i := range took {
		slices.Sort(took[i])
		met, _ := slices.BinarySearch(took[i], 33)
		want, by, chance := took[i][plays*9/10], a.Jobs[i].By90.Sub(noon).Seconds(), *a.Jobs[i].Chance
		if math.Abs(by-want) > 0.07*want || math.Abs(chance-float64(met)/plays) > 0.1 {
			t.Errorf("job %d is done by %v s, want %v, and in time with %v, want %v", i, by, want, chance, float64(met)/plays)
		}
	}

	// Under edf the deadlines decide, and rtmr says itself what it would refuse.
	if a, err = batch("deadline: 25s").Ask(t.Context(), "rtmr", 1, class()); err != nil {
		t.Fatal(err)
	}
	if a.Jobs[0].Refused != "" || a.Jobs[1].Refused == "" || a.Jobs[1].Done != nil || a.Jobs[1].InTime() {
		t.Errorf("rtmr: %+v", a.Jobs)
	}
	// Two other runs here: if they keep the cores busy, each task takes three times as long.
	shared := batch("deadline: 25s")
	shared.Memory = openMemory(t, t.TempDir())
	for i := range 2 {
		live, err := shared.Memory.Store().Begin(store.Run{Name: "r", Began: noon}, []*store.Job{{Name: fmt.Sprint("other", i), State: store.Running, Submitted: noon}})
		if err != nil {
			t.Fatal(err)
		}
		defer live.Close()
	}
	if a, err = shared.Ask(t.Context(), "fifo", 1, class()); err != nil {
		t.Fatal(err)
	}
	near("the first is done beside two runs", *a.Jobs[0].Shared, 60)
	near("the second is", *a.Jobs[1].Shared, 90)
	if len(a.Beside) != 2 {
		t.Errorf("beside: %+v", a.Beside)
	}
	past, later := noon, noon.Add(time.Hour)
	if a := (&Answer{Deadline: &past, Done: &later, New: true}); !a.InTime() {
		t.Error("a job is given up by a guess")
	}
	if a := (&Answer{Refused: "it is"}); a.InTime() {
		t.Error("a job without a deadline that is refused is in time")
	}
	// Jobs of its application with other parameters say something, as a guess.
	kin := class()
	kin[0].Name = profile.Member("grep", "other", 1)
	if a, err = batch("deadline: 25s").Ask(t.Context(), "fifo", 1, kin); err != nil || !a.Jobs[1].New || !a.Jobs[1].InTime() || a.Jobs[1].By90 != nil {
		t.Fatalf("by another class of its application: %+v, %v", a, err)
	}
	near("by a guess the second is done", *a.Jobs[1].Done, 30)
	if _, err := batch("deadline: 25s").Ask(t.Context(), "fifo", 1, nil); err == nil {
		t.Error("nothing is known, and there is an answer")
	}
}

// Late compares what jobs are expected to take with what they have.
func TestLate(t *testing.T) {
	in := inputs(t, 400)
	j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: w\napp: grep\nclass: grep\nparams: {pattern: x}\ninput: %q\noutput: %q\nreduces: 0\narrive: 1h\ndeadline: 8s\n", in, filepath.Join(t.TempDir(), "out")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLocal([]*scenario.Job{j}, Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, Block: 400}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := profile.New("grep")
	c.Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
	all, err := l.Foresee(t.Context(), "fifo", 1, []*profile.Class{c})
	if err != nil {
		t.Fatal(err)
	}
	if late := l.Late(&all[0]); late < 1900*units.Millisecond || late > 2100*units.Millisecond {
		t.Errorf("it is late by %v", late)
	}
	all[0].Done = 8
	if late := l.Late(&all[0]); late != 0 {
		t.Errorf("just in time is late: %v", late)
	}
}

// A deadline that ask says would be promised is promised when it is taken, also where few jobs of the class are known.
func TestOffersHold(t *testing.T) {
	in := inputs(t, 400)
	noon := time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, jobs := range []float64{1, 3, 50} {
		c := profile.New("c")
		c.Runs = int64(jobs)
		for range enough {
			c.Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
		}
		c.Models = []*profile.Model{{Key: profile.Key{Stage: workload.Map, Part: profile.Run}, Fixed: 10, Own: profile.LogNormal(0.3), Shared: profile.LogNormal(0.2), Tasks: 3 * jobs, Jobs: jobs}}
		ask := func(deadline time.Duration) *Answer {
			j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: j\napp: grep\nclass: c\nparams: {pattern: x}\ninput: %q\noutput: %q\nreduces: 0\ndeadline: %dms\n",
				in, filepath.Join(t.TempDir(), "out"), deadline.Milliseconds()))
			if err != nil {
				t.Fatal(err)
			}
			l, err := NewLocal([]*scenario.Job{j}, Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, Block: 400}, noon)
			if err != nil {
				t.Fatal(err)
			}
			a, err := l.Ask(t.Context(), "promise", 1, []*profile.Class{c})
			if err != nil {
				t.Fatal(err)
			}
			return &a.Jobs[0]
		}
		first := ask(9 * time.Second)
		if first.Promised || first.Unpromised != "behind" || first.Earliest == nil || first.Chance == nil || *first.Chance > 0.6 {
			t.Fatalf("%v jobs: %+v", jobs, first)
		}
		if again := ask(first.Earliest.Sub(noon)); !again.Promised {
			t.Errorf("%v jobs: %v was said to be promised, and is not: %+v", jobs, first.Earliest.Sub(noon), again)
		}
	}
}

// Who ends a workflow answers for its deadline: not the job before it, nor one that has a deadline of its own.
func TestWorkflowsAreAskedOf(t *testing.T) {
	jobs := []*workload.Job{{ID: "a"}, {ID: "b", After: []string{"a"}}, {ID: "c", After: []string{"a"}}, {ID: "d"}}
	for _, j := range jobs {
		j.Deadline = units.Never
	}
	jobs[2].Deadline = 5
	workload.NewWorkflow("w", 9, jobs[:3])
	for i, want := range []units.Time{units.Never, 9, 5, units.Never} {
		if got := dueOf(jobs[i], jobs); got != want {
			t.Errorf("%s: %v, want %v", jobs[i].ID, got, want)
		}
	}
}
