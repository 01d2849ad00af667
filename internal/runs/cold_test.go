package runs

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The first run of a class is cold, and one that got a quarter of its input or more, and a megabyte, from storage.
func TestWhichRunsAreCold(t *testing.T) {
	warm, once := profile.New("a"), profile.New("a")
	warm.Runs, once.Cold = 1, &profile.Class{Name: "a", Runs: 1}
	from := func(bytes int64) *int64 { return &bytes }
	for _, c := range []struct {
		known   *profile.Class
		fetched *int64
		read    int64
		cold    bool
	}{
		{nil, from(0), 100 << 20, true},
		{profile.New("a"), from(0), 100 << 20, true},
		{once, from(0), 100 << 20, false},
		{warm, from(24 << 20), 100 << 20, false},
		{warm, from(25 << 20), 100 << 20, true},
		{once, from(100 << 20), 100 << 20, true},
		{warm, from(1<<20 - 512), 100, false}, // nobody feels so little
		{warm, from(1 << 20), 100, true},
		{warm, nil, 100 << 20, false}, // the system does not tell
		{warm, from(7 << 20), 0, false},
	} {
		if got := cold(c.known, c.fetched, c.read); got != c.cold {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The first run is kept apart: what is predicted from then on follows from the second, and a
// policy's worst case from both.
func TestPredictionsLeaveColdRunsOut(t *testing.T) {
	m, err := OpenMemory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	job, _ := wordsFile(t)
	first := realRun(t, m, localOf(t, job))
	job.Output += "-again"
	second := realRun(t, m, localOf(t, job))
	if !first.Jobs[0].Cold || second.Jobs[0].Cold {
		t.Fatalf("cold: the first %v, the second %v", first.Jobs[0].Cold, second.Jobs[0].Cold)
	}
	if e := second.Jobs[0].Expected; e == nil || !e.Cold {
		t.Errorf("the second was expected by %+v", e)
	}
	known, err := m.Profiles()
	if err != nil || known[0].Runs != 1 || known[0].Cold.Runs != 1 || known[0].Error.N != 1 || known[0].Cold.Error.N != 0 {
		t.Fatalf("%+v, %v", known[0], err)
	}

	// As if the first had been a thousand times as slow.
	slow := profile.New(known[0].Name)
	slow.Runs = 1
	for range 100 {
		slow.Attempt(workload.Map, "local", units.MB, 1000*units.Second, 0)
	}
	known[0].Cold.Merge(slow)
	job.Output += "-third"
	local := localOf(t, job)
	expected, err := local.Foresee(t.Context(), lab.BaselinePolicy, 1, known)
	if err != nil || expected[0].Done > 100 || expected[0].Cold {
		t.Errorf("expected %+v, %v", expected[0], err)
	}
	cfg, err := local.sim("rtmr", 1, known, false)
	if err != nil || cfg.Profiles[0].Any(workload.Map).Task.Max != 1000 {
		t.Errorf("a policy would plan by %+v", cfg.Profiles[0])
	}
	if e := local.config("rtmr", 1, "", known); e.Profiles[0].Any(workload.Map).Task.Max != 1000 {
		t.Errorf("a policy of the engine would plan by %+v", e.Profiles[0])
	}
}

// A run is told of the classes that its jobs may be of, and of their families; one that takes more jobs, of all.
func TestWhichClassesARunIsToldOf(t *testing.T) {
	known := each.Of([]string{"grep~a-0160448d", "grep~b-1160448d", "other", "words"}, profile.New)
	names := func(l *Local) []string {
		return each.Of(l.whole(known, "rtmr"), func(c *profile.Class) string { return c.Name })
	}
	grep, words := &scenario.Job{}, &scenario.Job{}
	grep.Class, words.Class = "grep~a-0160448d", "words"
	l := &Local{Files: []*scenario.Job{grep, words}}
	if got := names(l); !slices.Equal(got, []string{"grep~a-0160448d", "grep~b-1160448d", "words"}) {
		t.Errorf("it is told of %v", got)
	}
	if l.Open = true; len(names(l)) != len(known) {
		t.Errorf("an open run is told of %v", names(l))
	}
}
