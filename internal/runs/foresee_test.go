package runs

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// chained are two jobs on one slot of which the second reads what the first writes: half of what that reads.
func chained(t *testing.T) (*Local, []*profile.Class) {
	t.Helper()
	in := inputs(t, 1600)
	var jobs []*scenario.Job
	for _, text := range []string{"name: b\napp: grep\nclass: grep\nparams: {pattern: x}\ninput: %[1]s/a\noutput: %[1]s/b\nreduces: 0\ndeadline: 40s\n",
		"name: a\napp: grep\nclass: grep\nparams: {pattern: x}\ninput: %[2]s\noutput: %[1]s/a\nreduces: 0\ndeadline: 200s\n"} {
		j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, text, filepath.Join(in, "out"), filepath.Join(in, "f00")))
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	l, err := NewLocal(jobs, Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, Block: 400}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := profile.New("grep")
	c.Runs = 1
	for range 20 {
		c.Attempt(workload.Map, LocalClass, 400, 10*units.Second, 0)
	}
	c.Output.Add(0.5)
	return l, []*profile.Class{c}
}

// Of a job that waits for another one it is known when it is done, by how much such jobs write for what they read:
// four maps of ten seconds, then two. The order of the files says nothing.
func TestForeseeChains(t *testing.T) {
	l, known := chained(t)
	all, err := l.Ask(t.Context(), "fifo", 1, known)
	if err != nil {
		t.Fatal(err)
	}
	b, a := &all.Foreseen[0], &all.Foreseen[1]
	if math.Abs(a.Done-40) > 0.5 || math.Abs(b.Done-60) > 0.5 || len(b.Behind) != 1 || b.Behind[0] != "a" || math.Abs(b.Began.Seconds()-40) > 0.5 {
		t.Errorf("done after %v and %v s; the second begins at %v behind %v", a.Done, b.Done, b.Began, b.Behind)
	}
	if e := b.Expected(); math.Abs(e.Seconds-20) > 0.5 { // from the end of the first, as it is measured
		t.Errorf("it is expected to take %v", e.Seconds)
	}
	if all.Jobs[0].InTime() || !all.Jobs[1].InTime() {
		t.Errorf("%+v", all.Jobs)
	}
	guess, err := l.Ask(t.Context(), "promise", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []*Answers{all, guess} { // a play of what nobody knows says nothing of when it begins
		b, a := &all.Jobs[0], &all.Jobs[1]
		if !slices.Equal(b.WaitsFor, []string{"a"}) || !b.WaitsTill.Equal(*a.Done) || a.WaitsTill != nil {
			t.Errorf("%s: it waits for %v until %v, which is done %v", all.Policy, b.WaitsFor, b.WaitsTill, a.Done)
		}
	}
	known[0].Output = profile.Estimate{}
	if _, err := l.Ask(t.Context(), "fifo", 1, known); err == nil {
		t.Error("nobody knows how much the first job writes, and there is an answer")
	}
}

// What is said before a run is what the policy says in it, to the last digit.
func TestForeseeIsWhatIsSaidThen(t *testing.T) {
	l, known := chained(t)
	known[0].Models = []*profile.Model{{Key: profile.Key{Stage: workload.Map}, Fixed: 10, Own: profile.LogNormal(0.3), Shared: profile.LogNormal(0.2),
		Tasks: 1000, Jobs: 100}}
	all, err := l.Foresee(t.Context(), "promise", 1, known)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := l.sim("promise", 1, known, true)
	if err != nil {
		t.Fatal(err)
	}
	run, err := lab.Run(t.Context(), lab.Cell{Policy: "promise", Seed: 1, World: lab.Simulated(cfg)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		f := &all[i]
		j := &run.Jobs[i]
		if j.ID != f.ID || len(j.Outlooks) == 0 {
			t.Fatalf("%s is told %+v, %s was foreseen", j.ID, j.Outlooks, f.ID)
		}
		if o := &j.Outlooks[0]; !f.Says() || f.Done != o.Half-j.Submitted || f.Ninety != o.Ninety-j.Submitted || f.Chance != o.Chance || f.Sure != o.Sure-j.Submitted {
			t.Errorf("%s: foreseen %+v, told %+v", f.ID, f, o)
		}
	}
}
