package yarn_test

import (
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/sched"
)

// From the plan to the container, whoever else's containers come meanwhile.
func TestDelays(t *testing.T) {
	now := int64(7000)
	s := newSequence(t, yarn.Config{Clock: func() time.Time { return time.UnixMilli(now) }})
	s.tells("stage-ready map; demand map 9", rows(1, true, "20:*=9"))
	if d := s.Delays(); d.Count() != 0 || d.Within(0.5) != 0 {
		t.Fatalf("%v before any plan", d)
	}
	start := func(id sched.ItemID, count int32) {
		p := sched.Plan{Items: []sched.Item{{ID: id, Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: count, Locality: sched.Anywhere}}}
		if err := s.Enact(&p); err != nil {
			t.Fatal(err)
		}
	}
	start(1, 3)
	now = 7100
	start(2, 1)
	var n int
	placed := func(item sched.ItemID, ms int64) {
		n++
		c := container("c"+string(rune('0'+n)), 20)
		c.GetContainer().Item, c.GetContainer().AllocatedMs = int64(item), ms
		s.tells("started map", c)
	}
	placed(0, 7900) // the stock scheduler's
	placed(1, 7002)
	placed(1, 7004)
	placed(2, 7130)
	placed(1, 7003)
	d := s.Delays()
	if d.Count() != 4 || d.Within(0.5) != 3*time.Millisecond || d.Within(0.75) != 4*time.Millisecond || d.Within(0.99) != 30*time.Millisecond {
		t.Errorf("%d containers: half within %v, 3 of 4 within %v, 99%% within %v", d.Count(), d.Within(0.5), d.Within(0.75), d.Within(0.99))
	}
}
