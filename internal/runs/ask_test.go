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
			j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: j%d\napp: grep\nparams: {pattern: x}\ninput: %q\noutput: %q\nreduces: 0\n%s\n",
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
	class := func(errors int) []*profile.Class {
		c := profile.New("grep")
		c.Runs = 1
		c.Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
		for i := range errors {
			c.Predicted(1 + 0.1*float64(i%10)) // 1, 1.1, … 1.9
		}
		return []*profile.Class{c}
	}
	near := func(what string, got time.Time, seconds float64) {
		t.Helper()
		if off := got.Sub(noon).Seconds() - seconds; off > 0.01*seconds+0.05 || off < -0.01*seconds-0.05 {
			t.Errorf("%s: %v after noon, want %v s", what, got.Sub(noon), seconds)
		}
	}

	a, err := batch("deadline: 25s").Ask(t.Context(), "fifo", 1, class(0))
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
	if *second.Alone < 9.9 || *second.Alone > 10.1 || *first.Alone < 19.9 || *first.Alone > 20.1 {
		t.Errorf("alone they take %v and %v", *first.Alone, *second.Alone)
	}
	if !first.InTime() || second.InTime() {
		t.Errorf("in time: %v, %v", first.InTime(), second.InTime())
	}
	if first.By90 != nil || first.Chance != nil || first.Shared != nil || len(a.Beside) != 0 {
		t.Errorf("more is told than is known: %+v", first)
	}

	// Cost models tell before errors do, of both jobs: the second runs behind the first. Held to plays of
	// their own.
	known := class(0)
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

	// Ten errors of 1 to 1.9 times: nine of ten are within the largest of them, as one more may be beyond.
	// Eight of them, 1 to 1.7, leave the first job, of 20 s, in time at 35 s: eight of eleven places.
	if a, err = batch("deadline: 35s").Ask(t.Context(), "fifo", 1, class(10)); err != nil {
		t.Fatal(err)
	}
	first = &a.Jobs[0]
	if by := first.By90.Sub(noon).Seconds(); by < 20*1.8 || by > 20*2 {
		t.Errorf("90 %% by %v s", by)
	}
	if c := *first.Chance; c < 7.0/11 || c > 8.1/11 {
		t.Errorf("its deadline is met with %v", c)
	}

	// Of a deadline beyond all ten errors they say ten of eleven. If by the cost models one job of fifteen takes longer
	// than the largest of them, 38 s, and hardly any takes 80 s, the rest falls by as much.
	for _, c := range []struct {
		deadline    string
		least, most float64
	}{{"deadline: 39s", 0.909, 0.94}, {"deadline: 45s", 0.92, 0.98}, {"deadline: 80s", 0.98, 0.9999}} {
		without, with := class(10), class(10)
		wide := *known[0].Models[0]
		wide.Own, wide.Shared = profile.LogNormal(0.4), profile.LogNormal(0.4)
		with[0].Models = []*profile.Model{&wide}
		a, err := batch(c.deadline).Ask(t.Context(), "fifo", 1, without)
		b, err2 := batch(c.deadline).Ask(t.Context(), "fifo", 1, with)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if x, y := *a.Jobs[0].Chance, *b.Jobs[0].Chance; math.Abs(x-10.0/11) > 1e-9 || y < c.least || y > c.most {
			t.Errorf("%s is met with %v by errors alone, and with %v by models beyond them; want 10/11 and %v to %v", c.deadline, x, y, c.least, c.most)
		}
	}

	// Under edf the deadlines decide, and rtmr says itself what it would refuse.
	if a, err = batch("deadline: 25s").Ask(t.Context(), "rtmr", 1, class(0)); err != nil {
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
	if a, err = shared.Ask(t.Context(), "fifo", 1, class(0)); err != nil {
		t.Fatal(err)
	}
	near("the first is done beside two runs", *a.Jobs[0].Shared, 60)
	near("the second is", *a.Jobs[1].Shared, 90)
	if len(a.Beside) != 2 {
		t.Errorf("beside: %+v", a.Beside)
	}
	if a := (&Answer{Refused: "it is"}); a.InTime() {
		t.Error("a job without a deadline that is refused is in time")
	}
	if _, err := batch("deadline: 25s").Ask(t.Context(), "fifo", 1, nil); err == nil {
		t.Error("nothing is known, and there is an answer")
	}
}

// Late compares what jobs are expected to take with what they have.
func TestLate(t *testing.T) {
	in := inputs(t, 400)
	j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: w\napp: grep\nparams: {pattern: x}\ninput: %q\noutput: %q\nreduces: 0\narrive: 1h\ndeadline: 8s\n", in, filepath.Join(t.TempDir(), "out")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLocal([]*scenario.Job{j}, Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, Block: 400}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := profile.New("grep")
	c.Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
	expected, err := l.Expect(t.Context(), "fifo", 1, []*profile.Class{c})
	if err != nil {
		t.Fatal(err)
	}
	if late := l.Late(expected)["w"]; late < 1900*units.Millisecond || late > 2100*units.Millisecond {
		t.Errorf("it is late by %v", late)
	}
	expected[0].Seconds = 8
	if late := l.Late(expected); len(late) != 0 {
		t.Errorf("just in time is late: %v", late)
	}
}
