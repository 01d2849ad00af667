package experiment

import (
	"context"
	"math"
	"testing"
	"testing/fstest"
)

const twoJobs = "cluster: {nodes: 2, heartbeat: 0s}\nworkload: {jobs: [{id: a, maps: 8, map_time: 10s}, {id: b-1, maps: 2, map_time: 1s}]}\npolicies: [fifo, fair]\n"

// made up of a folder that holds these files.
func beside(files map[string]string) fstest.MapFS {
	folders := fstest.MapFS{}
	for name, text := range files {
		folders[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folders
}

// A series may be played in another folder's scenario, whatever policies stand there, and be told as what it
// saves of another's. Claims, figures and tables say what is played, and each of it is played once.
func TestSeriesBeside(t *testing.T) {
	e := &Experiment{Name: "other", folders: beside(map[string]string{"own/s.yaml": twoJobs,
		"other/published.json": `{"saves": {"source": "mine", "where": "here", "says": "it is"}}`})}
	const file = "../own/s.yaml"
	saved, fair := play("", file, "edf-p").over("saved", "fifo"), play("", file, "fair").over("fair", "fifo")
	b := response("b")
	e.claim("saves", "fair saves time", above(0, b, fair))
	e.table("saved", []Metric{b}, saved, fair)
	p, err := e.Plan([]uint64{1, 2, 3}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Two nodes of two slots: eight maps of 10 s, then two of 1 s, which wait 20 s under fifo and edf-p.
	of := func(policy, over string) float64 { return r.results.Sample(Series{file, policy, over}, b)[0] }
	if fifo, fair, saved := of("fifo", ""), of("fair", ""), of("fair", "fifo"); fifo != 21 || math.Abs(saved-(1-fair/fifo)) > 1e-12 {
		t.Errorf("fifo %v, fair %v, saved %v", fifo, fair, saved)
	}
	if c := r.Claims[0]; c.Verdict != Reproduces || c.Kind != Range || c.Claim != "fair saves time" || *c.Ours <= 0 || len(p.cells) != 9 {
		t.Errorf("%+v, %d cells", c, len(p.cells))
	}
	if rows := r.rows(&r.e.Tables[0]); rows[1][1] != "0.0 %" {
		t.Error(rows)
	}
}

// A series for each value of a parameter is found by its value, and goes with others under a word.
func TestSweptSeries(t *testing.T) {
	swept := sweep([]float64{0.3, -10}, func(v string) Row { return play("D = "+v, "f", "delay(D="+v+")") })
	if r := swept.at(-10); r.Name != "D = -10" || r.Policy != "delay(D=-10)" || r.Value != -10 {
		t.Errorf("%+v", r)
	}
	all := under("FIFO, ", swept, play("MM", "f", "mm"))
	if len(all) != 3 || all[0].Name != "FIFO, D = 0.3" || all[2].Name != "FIFO, MM" || swept[0].Name != "D = 0.3" {
		t.Errorf("%+v, %+v", all, swept)
	}
}
