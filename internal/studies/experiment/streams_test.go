package experiment

import (
	"context"
	"math"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Each stream is as busy as it says: the work of all maps at the speed of the nodes, over their slots and the time for
// which jobs come.
func TestStreamsAreAsBusyAsTheySay(t *testing.T) {
	for i := range streams {
		k := &streams[i]
		s, err := scenario.Read("s.yaml", []byte(k.scene(1500, 0.8, 7, "")))
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		cfg := s.Sim(7)
		work, last := 0.0, 0.0
		for _, j := range cfg.Workload.Jobs {
			for _, task := range j.Stages[0].Tasks {
				work += task.Work.Seconds()
			}
			last = max(last, j.Arrive.Seconds())
		}
		slots := streamSlots
		if k.extra != "" { // its nodes are so much slower, on average
			slots /= k.longer
		}
		if is := work / last / slots; math.Abs(is-0.8) > 0.08 {
			t.Errorf("%s is %.2f busy", k.name, is)
		}
	}
}

// Every policy of the experiment plays every stream, and what comes of it is a part of the jobs.
func TestStreamsArePlayed(t *testing.T) {
	for i := range streams {
		for _, policy := range []string{"promise", rehearsed + "promise", "edf-p+slowstart", "edf(feasible)+slowstart+foretell(by=draws)"} {
			v, err := streaming(streams[i].name+", 80: "+policy)(context.Background(), &computed{Jobs: 60}, 0, 3)
			if err != nil {
				t.Fatalf("%s under %s: %v", streams[i].name, policy, err)
			}
			if v["jobs"] != 60 || v["met"] == 0 || v["met"] > 60 || v["kept"] > v["promised"] || v["promised"] > 60 {
				t.Errorf("%s under %s: %v", streams[i].name, policy, v)
			}
		}
	}
	for _, wrong := range []string{"promise", "nothing, 80: promise", "even, much: promise"} {
		if streaming(wrong) != nil {
			t.Errorf("%q is played", wrong)
		}
	}
}

// What was said is counted as it came: two jobs by hand, one in time and promised, one late.
func TestOutcomesOfStreams(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	run := &report.Run{Jobs: []report.Job{
		{Deadline: at(100), Finished: at(90), Promised: at(100), TaskTime: at(3), Outcome: report.Kept,
			Outlooks: []report.Outlook{{Half: 80, Ninety: 95, Sure: 120, Confidence: 0.99, Chance: 0.97}, {Half: 1}}},
		{Deadline: at(100), Finished: at(130), TaskTime: at(1), Outcome: report.Late,
			Outlooks: []report.Outlook{{Half: 120, Ninety: 140, Sure: 150, Confidence: 0.9, Chance: 0.31}}},
		{TaskTime: at(96)}, // without a deadline: it counts as work alone
	}}
	v := outcomes(run)
	for name, want := range map[string]float64{"jobs": 2, "met": 1, "in time": 0.5, "work in time": 0.75, "promised": 1, "kept": 1, "told 50": 2,
		"done 50": 0, "told 90": 2, "done 90": 2, "told 99": 1, "done 99": 1, "of 9": 1, "came 9": 1, "of 3": 1, "came 3": 0, "said 3": 0.31} {
		if v[name] != want {
			t.Errorf("%s is %v, not %v", name, v[name], want)
		}
	}
}
