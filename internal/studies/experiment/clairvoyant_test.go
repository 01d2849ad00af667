package experiment

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// By hand: ten maps of a minute, due in five, on one slot of one's own: one more for all five minutes, and by twice as
// much work three. A job that cannot be in time takes what there is, and one that needs nothing more rents nothing; a
// reduce that begins when the maps are over needs its minute, too.
func TestForesee(t *testing.T) {
	for _, c := range []struct {
		job    string
		margin int
		want   []int
	}{
		{"maps: 10, map_time: 60s, deadline: 5m", 0, []int{1, 1, 1, 1, 1, 0}},
		{"maps: 10, map_time: 60s, deadline: 5m", 100, []int{3, 3, 3, 3, 3, 0}},
		{"maps: 100, map_time: 60s, deadline: 2m", 0, []int{5, 5, 0}},
		{"maps: 5, map_time: 60s, deadline: 5m", 0, []int{0, 0, 0, 0, 0, 0}},
		{"maps: 4, map_time: 60s, reduces: 1, reduce_time: 60s, deadline: 3m", 0, []int{1, 1, 0, 0}},
		{"arrive: 2m, maps: 4, map_time: 60s, deadline: +2m", 0, []int{0, 0, 1, 1, 0}},
	} {
		s, err := scenario.Read("f.yaml", []byte(`
cluster: {nodes: 1, map_slots: 1, reduce_slots: 1, offers: [{name: m, most: 5, map_slots: 1, boot: 60s}]}
workload: {jobs: [{id: a, `+c.job+`}]}
`))
		if err != nil {
			t.Fatal(err)
		}
		cfg := s.Sim(1)
		if got := foresee(&cfg, c.margin); !slices.Equal(got, c.want) {
			t.Errorf("%s, margin %d: nodes %v, want %v", c.job, c.margin, got, c.want)
		}
	}
}
