package lab

import (
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
)

// Behind both simulators all is told again now and then, old facts and all, with what was asked of them
// void; where nodes beat a stock scheduler, which starts nothing, takes over for a while, and policies watch.
func TestSecondSimulatorResyncs(t *testing.T) {
	var all []*conform.Retold
	second(t, scenarios(100, 1000), func(seed uint64) played {
		p := randomRun(seed, plain)
		p.behind = func(w drive.World) drive.World {
			r := conform.NewRetold(w, seed)
			all = append(all, r)
			return r
		}
		return p
	})
	resyncs, yields, watches := 0, 0, 0
	for _, r := range all {
		resyncs, yields, watches = resyncs+r.Resyncs, yields+r.Yields, watches+r.Watches
	}
	if *secondSeed == 0 && (resyncs == 0 || yields == 0 || watches == 0) {
		t.Errorf("%d resyncs, %d yields and %d times of watching: this tests nothing", resyncs, yields, watches)
	}
	t.Logf("%d resyncs, %d yields, %d times of watching", resyncs, yields, watches)
}
