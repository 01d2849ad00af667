package report

import (
	"testing"

	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What a history teaches: the start of a master, costs of bytes, ratios, and shuffles of the first and of later waves
// apart.
func TestRecorded(t *testing.T) {
	s := units.Second
	ran := &trace.Ran{Committed: true, Master: 4 * s, Tasks: []trace.RanTask{
		{Kind: workload.Map, Start: 5 * s, End: 15 * s, Input: 100, Output: 40, Records: 9},
		{Kind: workload.Map, Start: 5 * s, End: 25 * s, Input: 100, Output: 60, Records: -1},
		// fetched 3 s behind the last map
		{Kind: workload.Reduce, Start: 10 * s, Shuffle: 18 * s, End: 30 * s, Input: 50, Output: 20, Records: 5},
		{Kind: workload.Reduce, Start: 30 * s, Shuffle: 5 * s, End: 39 * s, Input: 50, Output: 20, Records: 5},
	}}
	spec := &workload.Job{ID: "j", Class: "words", Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 2)},
		{Kind: workload.Reduce, Tasks: make([]workload.Task, 2)}}}
	l := NewLearner()
	if err := l.Recorded(spec, ran, nil); err != nil {
		t.Fatal(err)
	}
	c := l.Profiles()[0]
	m, r := c.Any(workload.Map), c.Any(workload.Reduce)
	for what, got := range map[string][2]float64{
		"runs":           {float64(c.Runs), 1},
		"master":         {c.Any(workload.Master).Start.Mean, 4},
		"maps":           {m.Task.Mean, 15},
		"longest map":    {m.Task.Max, 20},
		"byte":           {m.PerByte.Mean, 0.15},
		"ratio":          {c.Ratio.Mean, 0.5},
		"result":         {c.Output.Mean, 0.2},
		"reduces":        {r.Task.Mean, 3},
		"first wave":     {r.Waves.First.Mean, 3},
		"later wave":     {r.Waves.Later.Mean, 5},
		"starts, untold": {float64(m.Start.N + r.Start.N), 0},
	} {
		if d := got[0] - got[1]; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: %v, want %v", what, got[0], got[1])
		}
	}
	for _, part := range []profile.Part{profile.First, profile.Later} {
		if c.Model(workload.Reduce, "", part) == nil {
			t.Errorf("no model of the %v", part)
		}
	}
	for _, sample := range c.Samples {
		if sample.Stage == workload.Reduce && sample.Part == profile.Run && sample.Jobs[0][0][1] != 5 {
			t.Errorf("records: %v", sample.Jobs)
		}
	}
	if maps, reduces := l.Tasks("words"); maps != 2 || reduces != 2 {
		t.Errorf("jobs of the class have %d maps and %d reduces", maps, reduces)
	}
	ran.Tasks[0].Host, ran.Tasks[1].Host, ran.Tasks[2].Host = "n1", "n2", "n1"
	apart := NewLearner()
	if err := apart.Recorded(spec, ran, map[string]string{"n1": "large", "n2": "small"}); err != nil {
		t.Fatal(err)
	}
	large, small, none := apart.Of("words").At(workload.Map, "large"), apart.Of("words").At(workload.Map, "small"), apart.Of("words").At(workload.Reduce, "")
	if large.Task.Mean != 10 || small.Task.Mean != 20 || none.Task.N != 1 || apart.Of("words").At(workload.Reduce, "large").Waves.First.N != 1 {
		t.Errorf("by classes of nodes: %v, %v, of none %v", large.Task, small.Task, none.Task)
	}
	// Another attempt was faster than one that had run for 40 s: what is known is that it took as long at least.
	ran.Tasks = append(ran.Tasks[:2:2], trace.RanTask{Overtaken: true, Kind: workload.Map, Start: 5 * s, End: 45 * s, Input: 100, Output: -1, Records: -1})
	slow := NewLearner()
	if err := slow.Recorded(spec, ran, nil); err != nil {
		t.Fatal(err)
	}
	if m := slow.Of("words").Any(workload.Map); m.Task.N != 2 || m.Task.Max != 40 || len(slow.Of("words").Samples[1].Jobs[0]) != 3 {
		t.Errorf("with an attempt that was overtaken: %+v, samples %v", m.Task, slow.Of("words").Samples)
	}
	ran.Tasks = ran.Tasks[:2]
	ran.Committed = false
	if err := l.Recorded(spec, ran, nil); err != nil || l.Of("words").Runs != 1 || l.Of("words").Any(workload.Map).Task.N != 4 {
		t.Errorf("a job that failed: %v, %+v", err, l.Of("words"))
	}
}

// Where the world does not tell shuffles apart, a reduce does not count its wait for maps, and what
// is known of the class says how much of the rest was shuffle.
func TestJoinedShuffles(t *testing.T) {
	s := units.Second
	ran := func(first, later units.Duration) *trace.Ran {
		return &trace.Ran{Committed: true, Master: 4 * s, Tasks: []trace.RanTask{
			{Kind: workload.Map, Start: 5 * s, End: 25 * s},
			{Kind: workload.Reduce, Start: 10 * s, Shuffle: first, End: 30 * s},
			{Kind: workload.Reduce, Start: 30 * s, Shuffle: later, End: 39 * s},
		}}
	}
	spec := &workload.Job{ID: "j", Class: "words", Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 1)},
		{Kind: workload.Reduce, Tasks: make([]workload.Task, 2)}}}
	teach := func(r *trace.Ran, joined bool, known ...*profile.Class) *profile.Class {
		l := NewLearner(known...)
		if joined {
			l.JoinShuffles()
		}
		if err := l.Recorded(spec, r, nil); err != nil {
			t.Fatal(err)
		}
		return l.Profiles()[0]
	}
	apart := teach(ran(18*s, 5*s), false)
	alone, after := teach(ran(0, 0), true), teach(ran(0, 0), true, apart)
	for what, c := range map[string]struct {
		of         *profile.Class
		run, waves [2]float64 // mean and the most, first and later
	}{
		"apart":                        {apart, [2]float64{3, 4}, [2]float64{3, 5}},
		"joined, of an unknown class":  {alone, [2]float64{7, 9}, [2]float64{}},
		"joined, of one that is known": {after, [2]float64{3, 4}, [2]float64{3, 5}},
	} {
		r := c.of.Any(workload.Reduce)
		if r.Task.Mean != c.run[0] || r.Task.Max != c.run[1] || r.Waves.First.Mean != c.waves[0] || r.Waves.Later.Mean != c.waves[1] {
			t.Errorf("%s: reduces take %v, their shuffles %+v", what, r.Task, r.Waves)
		}
	}
	if !alone.Mixes(apart) || !apart.Mixes(alone) || after.Mixes(apart) || alone.Mixes(alone) {
		t.Error("who may be merged with whom is mistaken")
	}
}
