package promise

import (
	"fmt"
	"math"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A job behind all others is delayed by who comes while it waits, by who comes while these run, and so on: as drawn.
func TestOvertakenByAll(t *testing.T) {
	for _, gap := range []float64{40, 12, 8} { // seconds between jobs that take 2 or 8
		var a arrivals
		for i := range 240 {
			a.came(units.Time(float64(i)*gap*1e9), 100, []float64{2, 8}[i%2])
		}
		a.count(units.Time(240 * gap * 1e9))
		const within, draws = 60.0, 20_000
		sum, squares := 0.0, 0.0
		all := draw.Of(1, "busy periods")
		for n := range draws {
			d, left, delay := all.Number(uint64(n)), within, 0.0
			for i := uint64(0); ; i++ {
				next := d.Number(i)
				if left -= next.Job("gap").Exponential(gap); left < 0 {
					break
				}
				takes := []float64{2, 8}[next.Job("takes").Below(2)]
				left, delay = left+takes, delay+takes
			}
			sum, squares = sum+delay, squares+delay*delay
		}
		mean := sum / draws
		deviation := math.Sqrt(squares/draws - mean*mean)
		by, variance := a.overtake(within)
		if math.Abs(by/mean-1) > 0.03 || math.Abs(math.Sqrt(variance)/deviation-1) > 0.04 {
			t.Errorf("a job each %.0f s delays by %.1f s with a deviation of %.1f, drawn: %.1f and %.1f", gap, by, math.Sqrt(variance), mean, deviation)
		}
	}
	var none arrivals
	if by, variance := none.overtake(60); by != 0 || variance != 0 {
		t.Errorf("nobody has come, and delays by %v", by)
	}
}

// Jobs that are handed in at once are not taken for so many in each second: neither a promise nor what is told of who
// stands behind them moves for that.
func TestJobsAtOnceTellOfNoRate(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	last := policytest.Claims("last", 10, 0)
	last.Deadline = units.Never
	events := []sched.Event{arrives(1, last), arrives(2, policytest.Claims("patient", 10, 2000))}
	for i := range 12 {
		events = append(events, arrives(sched.JobID(3+i), policytest.Claims(fmt.Sprint("x", i), 10, 300)))
	}
	d.At(0, events...)
	was := [2]sched.Outlook{d.told(1), d.told(2)}
	d.At(1, sched.Event{Kind: sched.Tick})
	if is := [2]sched.Outlook{d.told(1), d.told(2)}; is != was || !d.s.jobs[2].InTime {
		t.Errorf("a second later they are told %+v, and before %+v", is, was)
	}
}

// A burst soon after the first job is not taken for a rate that goes on: who has time enough is told no more than that
// as much may come once more, and a promise that can be kept stays.
func TestBurstTellsOfNoRate(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	last := policytest.Claims("last", 10, 0)
	last.Deadline = units.Never
	d.At(0, arrives(1, last), arrives(2, policytest.Claims("patient", 10, 2000)))
	var events []sched.Event
	for i := range 12 {
		events = append(events, arrives(sched.JobID(3+i), policytest.Claims(fmt.Sprint("x", i), 10, 300)))
	}
	d.At(1, events...)
	d.At(2, sched.Event{Kind: sched.Tick})
	if r := d.s.jobs[2]; !r.InTime {
		t.Errorf("a promise with 2,000 s is %+v", d.told(2))
	}
	if o := d.told(1); o.Half > units.Time(400*units.Second) {
		t.Errorf("who stands behind all is told %v", o.Half)
	}
}

// Jobs that come so often that only those of the last half a minute are remembered are expected for as long as such
// have come: each second brings half a second of work.
func TestSteadyArrivalsGoOn(t *testing.T) {
	var a arrivals
	for i := range 6000 { // 600 s
		a.came(units.Time(i)*units.Time(units.Second)/10, 5, 0.05)
	}
	a.count(units.Time(600 * units.Second))
	if by, _ := a.delays(1000, 100); math.Abs(by-87.5) > 2 { // 100 · (1/2 + 1/4 + 1/8)
		t.Errorf("a job with 1000 s that takes 100 s is delayed by %.1f s", by)
	}
	if by, _ := a.overtake(100); math.Abs(by-100) > 2 {
		t.Errorf("a job behind all that takes 100 s is delayed by %.1f s", by)
	}
	if by, _ := a.overtake(1e6); math.Abs(by-300) > 2 { // as much as has come
		t.Errorf("a job behind all is delayed by %.1f s", by)
	}
}
