package need

import (
	"testing"

	"github.com/slackline/slackline/sched"
)

// Nodes that worked through some hours count in each of them for as long as they did, also if nothing was looked at.
// They are those of the clock, where there is one.
func TestHoursOfWork(t *testing.T) {
	for origin, minutes := range map[string]int64{"": 0, "2026-11-30T00:00:00Z": 0, "2026-11-30T20:40:00+02:00": 40} {
		day := began(&sched.Capabilities{Origin: origin})
		if want := (20*60 + 40) * 60_000; minutes > 0 && day != int64(want) {
			t.Errorf("from %q the day had lasted %d ms, want %d", origin, day, want)
		}
		at := func(hours float64) int64 { return int64(hours*float64(hour)) - minutes*60_000 }
		var p past
		p.count(at(3), day, 9, 100)
		p.count(at(5.5), day, 0, 100)
		for i, want := range []int{0, 9, 9, 5, 0} { // half an hour of 9 is 4.5
			if got := p.count(at(26+float64(i)), day, 0, 100); got != want {
				t.Errorf("from %q, hour %d: %d nodes, want %d", origin, 26+i, got, want)
			}
		}
	}
}
