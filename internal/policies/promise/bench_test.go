package promise

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// crowded is a desk with that many slots and promised jobs of a class that is known, whose deadlines lie all over the
// next hours.
func crowded(tb *testing.B, jobs, slots int) *desk {
	t := &testing.T{}
	d := newDesk(t, usual)
	opening := policytest.Opening()[0]
	opening.Detail = &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(slots, slots)}}}
	d.Starts(0, opening, learned(0.3, 0.3))
	var events []sched.Event
	for i := range jobs {
		job := policytest.Claims(fmt.Sprint("j", i), 100, 3600+i*7919%jobs)
		events = append(events, arrives(sched.JobID(i+1), job))
	}
	d.Starts(0, events...)
	promised := 0
	for i := range jobs {
		if d.told(sched.JobID(i+1)).Word == sched.Promised {
			promised++
		}
	}
	if t.Failed() || promised < jobs*9/10 {
		tb.Fatalf("%d of %d jobs are promised", promised, jobs)
	}
	return d
}

// BenchmarkVerdict is what it costs to judge a job that comes while so many are promised, and how long one in a hundred
// of these takes.
func BenchmarkVerdict(b *testing.B) {
	for _, jobs := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("jobs=%d,slots=100000", jobs), func(b *testing.B) {
			d := crowded(b, jobs, 100_000)
			n, took := jobs, []time.Duration(nil)
			for b.Loop() {
				n++
				at := time.Now()
				d.Starts(1, arrives(sched.JobID(n), policytest.Claims(fmt.Sprint("j", n), 100, 3600+n*7919%jobs)))
				took = append(took, time.Since(at))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
		})
	}
}
