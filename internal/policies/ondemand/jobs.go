package ondemand

import (
	"math"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// need is eq. 10 where it has a value: by the job's own speed, or else by the unit-seconds that all of it
// takes as its class is known, 0 = it is not.
func need(p, held, m, rest, all float64) (more float64, defined bool) {
	switch {
	case units.Rounded(rest) <= 0:
	case units.Rounded(p) > 0 && units.Rounded(held) > 0:
		return More(p, Speed(p, held), m, rest), true
	case units.Rounded(all) > 0:
		return More(p, Speed(1, all), m, rest), true
	}
	return 0, false
}

// claim is what a job needs now.
func claim(v sched.View, own *estimate.Own, job *sched.Job) (c Claim, defined bool) {
	rest := job.Due().Sub(v.Now()).Seconds()
	p, held, m, all := progress(v, own, job)
	more, defined := need(p, held, m, rest, all)
	return Claim{More: more, Held: m, Left: rest}, defined
}

// progress is how far a job is, what it has held for that in unit-seconds, how many units it holds, and
// what all of it takes by the means of its class, 0 if these are not known.
func progress(v sched.View, own *estimate.Own, job *sched.Job) (p, held, m, all float64) {
	class := v.Profile(job.Spec.Class)
	parts, known := [2]float64{}, class != nil
	for k := range parts {
		s := sched.Map + sched.Stage(k)
		t := &job.Stages[s]
		n, sum := own.Of(job.ID, s)
		mean := sum.Seconds() / float64(max(1, n))
		if class != nil {
			usual, _, ok := estimate.Task(class, s)
			if known = known && (ok || t.Total == 0); n == 0 {
				mean = usual.Seconds()
			}
			all += float64(usual.Seconds() * float64(t.Total))
		}
		done := float64(t.Done)
		for a := v.Youngest(job.ID, s, 0); a != 0; a = v.Youngest(job.ID, s, a) {
			ran := v.Now().Sub(v.Attempt(a).Started).Seconds()
			done += TaskProgress(ran, mean)
			held += ran
		}
		parts[k] = min(1, Average(done, int64(t.Total)))
		held += sum.Seconds()
		m += float64(t.Occupied)
	}
	if p = parts[0]; job.Stages[sched.Reduce].Total > 0 {
		r := &job.Stages[sched.Reduce]
		p = Progress(parts[0], parts[1], Shuffle(int64(r.Done+r.Occupied), int64(r.Total)))
	}
	if !known {
		all = 0
	}
	return min(1, p), held, m, all
}

// stands is the place of a job in the order.
type stands struct {
	Defined bool  `json:"defined,omitempty"`
	Demand  int64 `json:"demand,omitempty"` // in units a second, times 2^30
}

func standsBy(c Claim, defined bool) stands {
	if !defined {
		return stands{}
	}
	const far = 1 << 60
	return stands{true, int64(max(-far, min(far, math.Round(units.Rounded(Demand(c.More, c.Left)*(1<<30))))))}
}

// unitsOf is how many units there are of what a node of some capacity has, or many such nodes together.
func unitsOf(capacity, of *units.Vector) int64 {
	if capacity[units.MapSlots]+capacity[units.ReduceSlots] > 0 {
		return of[units.MapSlots] + of[units.ReduceSlots]
	}
	return of[units.VCores]
}
