package experiment

import (
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// A policy that draws something of its own draws it again for each seed of the experiment.
func TestSeedOfThePolicy(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte("cluster: {nodes: 1}\nworkload: {jobs: [{id: j, class: c, maps: 1, map_time: 1s, reduces: 0}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := play(s, "rds(error_seed={seed})", nil, 0, []uint64{3, 7})
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	for i, want := range []string{"rds(error_seed=3)", "rds(error_seed=7)"} {
		if cells[i].Policy != want || cells[i].Seed != []uint64{3, 7}[i] {
			t.Errorf("with seed %d it plays %s, want %s", cells[i].Seed, cells[i].Policy, want)
		}
	}
}
