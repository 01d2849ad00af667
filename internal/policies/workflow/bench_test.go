package workflow_test

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// BenchmarkBeat is a decision of deets, book and all, with 10,000 machines of four classes and jobs that wait: a task
// of the node is killed, so that it waits again, and starts again where it costs least.
func BenchmarkBeat(b *testing.B) {
	const nodes = 10_000
	for k := range 6 {
		waiting, jobs := []string{"cascade", "predict"}[k%2], []int{10, 100, 1000}[k/2]
		b.Run(fmt.Sprint(waiting, "/jobs=", jobs), func(b *testing.B) {
			w := play(b, "edf+deets(waiting="+waiting+")")
			for k := range 4 {
				class := &cluster.Class{Name: fmt.Sprint("c", k), Speed: 1 + float64(k)/4, Capacity: units.Slots(2, 0), Dynamic: units.Watts(40 + 100*k)}
				for n := k; n < nodes; n += 4 {
					w.node(n+1, class)
				}
			}
			for j := range jobs {
				w.job(sched.JobID(j+1), 4*nodes/jobs, units.Minute, 1, units.Time(units.Hour).Add(units.Duration(j)))
			}
			w.beat()
			if len(w.beat(1)) == 0 || len(w.beat(2)) != 0 {
				b.Fatal("tasks start elsewhere than where they cost least")
			}
			w.beat(1 + 4)
			b.Run("start", func(b *testing.B) {
				for b.Loop() {
					w.ends(w.last-1, sched.Killed)
					w.ends(w.last, sched.Killed)
					if len(w.beat(1+4)) == 0 {
						b.Fatal("nothing started")
					}
				}
			})
			b.Run("wait", func(b *testing.B) { // a node of a class for which nobody waits
				for b.Loop() {
					w.beat(2)
				}
			})
		})
	}
}
