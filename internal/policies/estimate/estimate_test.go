package estimate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// known is a view of which only profiles are asked.
type known struct {
	sched.View
	class *profile.Class
}

func (k known) Profile(string) *profile.Class { return k.class }

const mib = units.Bytes(1 << 20)

func job(reduces int, inputs ...units.Bytes) *workload.Job {
	j := &workload.Job{ID: "j", Class: "c"}
	maps := workload.StageSpec{Kind: workload.Map}
	for _, in := range inputs {
		maps.Tasks = append(maps.Tasks, workload.Task{Input: in})
	}
	if len(inputs) > 0 {
		j.Stages = append(j.Stages, maps)
	}
	if reduces > 0 {
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)})
	}
	return j
}

// mastered gives the job a master.
func mastered(j *workload.Job) *workload.Job {
	j.Stages = slices.Insert(j.Stages, 0, workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1)})
	return j
}

// learned has seen maps of 1 and 2 s for a MiB on two classes of nodes, reduces of 3 s and half a
// second of fetching, and an intermediate ratio of 0.5.
func learned() *profile.Class {
	c := profile.New("c")
	c.Attempt(workload.Map, "fast", 10*mib, 10*units.Second, 0)
	c.Attempt(workload.Map, "slow", 10*mib, 20*units.Second, 0)
	c.Attempt(workload.Map, "slow", 5*mib, 5*units.Second, 0)
	c.Attempt(workload.Reduce, "slow", 4*mib, 12*units.Second, units.Second)
	c.Attempt(workload.Reduce, "slow", 4*mib, 4*units.Second, 2*units.Second)
	c.Ratio.Add(0.5)
	c.Ratio.Add(0.25)
	return c
}

func TestWorst(t *testing.T) {
	onlyMaps := profile.New("c")
	onlyMaps.Attempt(workload.Map, "slow", 10*mib, 20*units.Second, 0)
	bytesless := profile.New("c")
	bytesless.Attempt(workload.Map, "slow", 0, 7*units.Second, 0)
	bytesless.Attempt(workload.Reduce, "slow", 0, 4*units.Second, units.Second)
	slowToStart := learned()
	slowToStart.At(workload.Map, "fast").Start.Add(3)
	slowToStart.At(workload.Reduce, "fast").Start.Add(4)
	started := learned()
	started.At(workload.Master, "fast").Start.Add(5)
	started.At(workload.Master, "slow").Start.Add(3)
	for _, c := range []struct {
		rule  string
		class *profile.Class
		job   *workload.Job
		skew  float64
		want  estimate.Times
	}{
		{"The worst cost of a byte on any class of nodes, times the largest input (eq. 4.3; alg. 5.2, line 1).",
			learned(), job(0, 8*mib, 4*mib), 1, estimate.Times{Map: 16 * units.Second, Maps: 24 * units.Second, Known: true}},
		{"Reduces share eta times the input (eq. 4.2, 4.4; alg. 5.3, line 2): 0.5 of 16 MiB by 4, each MiB 3 s and 0.5 s to fetch.",
			learned(), job(4, 8*mib, 8*mib), 1, estimate.Times{Map: 16 * units.Second, Maps: 32 * units.Second, Reduce: 7 * units.Second, Known: true}},
		{"The largest of them gets more than the mean.",
			learned(), job(4, 8*mib, 8*mib), 2, estimate.Times{Map: 16 * units.Second, Maps: 32 * units.Second, Reduce: 14 * units.Second, Known: true}},
		{"No task is shorter than the longest start.",
			slowToStart, job(4, mib), 1, estimate.Times{Map: 3 * units.Second, Maps: 3 * units.Second, Reduce: 4 * units.Second, Known: true}},
		{"Without bytes the longest task stands for all.",
			bytesless, job(2, 0, 0), 1, estimate.Times{Map: 7 * units.Second, Maps: 14 * units.Second, Reduce: 5 * units.Second, Known: true}},
		{"A master takes what it took at worst to start up.", started, mastered(job(0, 8*mib)), 1, estimate.Times{Map: 16 * units.Second, Maps: 16 * units.Second, Master: 5 * units.Second, Known: true}},
		{"Where that is not known, nothing is.", learned(), mastered(job(0, 8*mib)), 1, estimate.Times{}},
		{"Nothing is known of an unknown class.", nil, job(1, mib), 1, estimate.Times{}},
		{"Nor of a job of which only the maps are known: c_r = 0 would admit everything.", onlyMaps, job(1, mib), 1, estimate.Times{}},
		{"Without reduces that is enough.", onlyMaps, job(0, mib), 1, estimate.Times{Map: 2 * units.Second, Maps: 2 * units.Second, Known: true}},
	} {
		if got := estimate.Worst(known{class: c.class}, c.job, c.skew); got != c.want {
			t.Errorf("%s\n got %+v\nwant %+v", c.rule, got, c.want)
		}
	}
}

// What a job of the same sizes took once is never more than what is expected of it at worst, to the nanosecond.
func TestWorstIsNoLessThanWhatWasSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := profile.New("c")
		type seen struct {
			in  units.Bytes
			ran units.Duration
		}
		var maps, reduces []seen
		between := units.Bytes(0)
		sizes := rapid.Custom(func(t *rapid.T) seen {
			return seen{units.Bytes(rapid.Int64Range(1, 1<<34).Draw(t, "bytes")), units.Duration(rapid.Int64Range(0, int64(units.Hour)).Draw(t, "ran"))}
		})
		inputs := []units.Bytes{}
		read := units.Bytes(0)
		for _, s := range rapid.SliceOfN(sizes, 1, 8).Draw(t, "maps") {
			maps = append(maps, s)
			inputs = append(inputs, s.in)
			read += s.in
			c.Attempt(workload.Map, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "node"), s.in, s.ran, 0)
		}
		largest := units.Bytes(0)
		for _, s := range rapid.SliceOfN(sizes, 1, 8).Draw(t, "reduces") {
			fetch := units.Duration(rapid.Int64Range(0, int64(units.Minute)).Draw(t, "fetch"))
			reduces = append(reduces, seen{s.in, s.ran + fetch})
			between, largest = between+s.in, max(largest, s.in)
			c.Attempt(workload.Reduce, "a", s.in, s.ran, fetch)
		}
		c.Ratio.Add(float64(between) / float64(read))
		// A share that is rounded down would be a byte short.
		skew := float64(largest+1) * float64(len(reduces)) / float64(between)
		got := estimate.Worst(known{class: c}, job(len(reduces), inputs...), skew)
		sum := units.Duration(0)
		for _, s := range maps {
			sum += s.ran
			if s.ran > got.Map {
				t.Fatalf("a map took %v, expected %v", s.ran, got.Map)
			}
		}
		if sum > got.Maps {
			t.Fatalf("all maps took %v, expected %v", sum, got.Maps)
		}
		for _, s := range reduces {
			if s.ran > got.Reduce {
				t.Fatalf("a reduce took %v, expected %v", s.ran, got.Reduce)
			}
		}
	})
}

// By hand: maps of 10, 20 and 5 s for 10, 10 and 5 MiB are 4/3 s a MiB on average; reduces 3 and 1
// s, and 0.25 and 0.5 s to fetch; 0.5 and 0.25 of the input.
func TestMean(t *testing.T) {
	got := estimate.Mean(known{class: learned()}, job(4, 12*mib, 6*mib))
	near := func(got units.Duration, seconds float64) bool {
		return got.Seconds() > seconds-1e-6 && got.Seconds() < seconds+1e-6
	}
	if !got.Known || !near(got.Map, 16) || !near(got.Maps, 24) || !near(got.Reduce, 0.375*18/4*2.375) {
		t.Errorf("%+v", got)
	}
	if got := estimate.Mean(known{}, job(1, mib)); got.Known {
		t.Errorf("nothing is known: %+v", got)
	}
}

// A slot that is served each 10 s waits behind a task for the next such instant.
func TestServedEvery(t *testing.T) {
	for _, c := range []struct{ task, own, least, most float64 }{
		{2, 0, 8, 8},       // two of ten seconds
		{12, 0, 8, 8},      // the second beat
		{9.9, 0, 5, 5},     // just in time is not counted on
		{10, 0, 5, 5},      // nor is the instant itself
		{10.1, 0, 9.9, 10}, // just too late
		{40, 0.5, 4.5, 5.5},
		{0, 0, 0, 0},
	} {
		l := estimate.Law{Typical: c.task, Own: finish.LogNormal(c.own), Shared: finish.Sure(1)}
		if l.ServedEvery(10); l.Wait < c.least-1e-6 || l.Wait > c.most+1e-6 {
			t.Errorf("behind tasks of %v s a slot waits for %v s, want %v to %v", c.task, l.Wait, c.least, c.most)
		}
		if l.ServedEvery(0); l.Wait != 0 {
			t.Errorf("served at once, a slot waits for %v s", l.Wait)
		}
	}
}

// Maps of unlike sizes are any of these sizes: on the average they take the mean, and none is larger than the largest.
func TestUnlikeMaps(t *testing.T) {
	class, g := learned(), profile.Gather{}
	for i := range 20 {
		g.Add(profile.Key{Stage: workload.Map, Node: "fast"}, float64(10*mib), -1, 10+float64(i)/10)
	}
	g.Add(profile.Key{Stage: workload.Map, Part: profile.Emitted}, float64(20*mib), -1, float64(8*mib))
	class.Learn(&g, nil)
	profile.Fit([]*profile.Class{class})
	sizes := []units.Bytes{400 * mib}
	for range 19 {
		sizes = append(sizes, 4*mib)
	}
	alike, ok := estimate.Chances(known{class: class}, job(0, 10*mib), "", 1)
	mixed, also := estimate.Chances(known{class: class}, job(0, sizes...), "", 1)
	if !ok || !also {
		t.Fatal("nothing is known")
	}
	m := class.Model(workload.Map, "", profile.Run)
	if got, want := mixed.Map.Own.Mean(), alike.Map.Own.Mean(); math.Abs(got/want-1) > 0.05 {
		t.Errorf("a map takes %.3f times what is typical on the average, want %.3f", got, want)
	}
	largest := m.Typical(float64(400*mib), -1) / mixed.Map.Typical
	for _, p := range []float64{0.99, 0.999} {
		// one of 20 maps is the largest, so beyond a time in 20 times fewer cases than that map alone
		got, want := mixed.Map.Own.Quantile(p), largest*alike.Map.Own.Quantile(1-20*(1-p))
		if got < 0.9*want || got > 1.2*want {
			t.Errorf("a map is below %.1f times what is typical with %v, want %.1f", got, p, want)
		}
	}
}
