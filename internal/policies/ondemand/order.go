package ondemand

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// demand is the order by eq. 11: who needs most units a second goes first. A job for which it has no
// number goes before all others, one without a deadline behind them.
type demand struct {
	sched.Flat
	memory
}

// memory is what a look leaves behind.
type memory struct {
	Own    estimate.Own `json:"own"`
	Places []stands     `json:"places,omitempty"` // by handle
	Next   units.Time   `json:"next"`             // when to look again
}

// JobKey is (0, arrival), (1, -demand, arrival) or (2, arrival).
func (o *demand) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	at := o.place(j.ID)
	switch {
	case j.Due() == units.Never:
		return sched.Key{2, int64(j.Arrived)}
	case !at.Defined:
		return sched.Key{0, int64(j.Arrived)}
	}
	return sched.Key{1, -at.Demand, int64(j.Arrived)}
}

// Line ranks jobs that wait to be admitted, of which there is no progress, by deadline.
func (o *demand) Line(j *sched.Job) sched.Key { return sched.Key{int64(j.Due()), int64(j.Arrived)} }

// Follows says that keys change at looks only.
func (o *demand) Follows() sched.Tallies { return sched.NoTally }

func (o *demand) place(j sched.JobID) (is stands) {
	if int(j) < len(o.Places) {
		is = o.Places[j]
	}
	return is
}

// look is the step by which the order follows the jobs.
type look struct{ *demand }

// Decide asks for the demand of all jobs once in a second, and of those that come. O(jobs + running
// attempts).
func (l look) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	o := l.demand
	all, turn := false, false
	for i := range batch {
		e := &batch[i]
		all = all || e.Kind == sched.Resync || e.Kind == sched.Control
		turn = turn || e.Kind == sched.Heartbeat || e.Kind == sched.Ended
	}
	if all {
		o.memory = memory{}
	}
	for i := range batch {
		o.Own.Notice(v, &batch[i])
	}
	for i := range batch {
		if e := &batch[i]; !all && (e.Kind == sched.JobArrived || e.Kind == sched.JobAmended) {
			o.see(v, e.Job, false, p)
		}
	}
	if !all && (!turn || v.Now() < o.Next) {
		return
	}
	o.Next = v.Now().Add(sched.RankInterval)
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		o.see(v, j, all, p)
	}
}

// see asks for the demand of a job. One that is new to this order stands by what was known before.
func (o *demand) see(v sched.View, j sched.JobID, isNew bool, p *sched.Plan) {
	job := v.Job(j)
	if job == nil || job.Due() == units.Never || job.Standing() > sched.Admitted {
		return
	}
	if is := standsBy(claim(v, &o.Own, job)); is != *sched.Row(&o.Places, j) || isNew {
		o.Places[j] = is
		p.Rank(j, sched.Because(sched.PlaceChanged))
	}
}

// Remembers is what outlives a round.
func (l look) Remembers() any { return &l.demand.memory }

// orderParts are the order and the step by which it follows the jobs.
func orderParts(o *demand) []compose.Entry {
	return []compose.Entry{
		{Name: "demand", Kind: compose.KindOrder, Doc: "the units that a job needs besides, over the time that is left",
			Order: func(compose.Args) (sched.Order, error) { return o, nil }},
		{Name: "demand seen", Kind: compose.KindPlan, Doc: "how far each job is, and what it needs",
			Traits: compose.Traits{Reads: compose.Reads{Profiles: true}, Causes: []*sched.Cause{sched.PlaceChanged},
				Heeds: sched.EventsOf(sched.Heartbeat, sched.Ended, sched.JobArrived, sched.JobEnded, sched.JobAmended)},
			Step: func(compose.Args) (compose.Step, error) { return look{o}, nil }},
	}
}

// OrderEntry lists the order.
func OrderEntry() compose.Entry {
	return compose.Entry{
		Name: "demand",
		Kind: compose.KindOrder,
		Doc:  "who needs most units of resource a second besides those that it has goes first; a published baseline",
		Cite: "paper 002, section 3.2",
		Fill: func(r *compose.Recipe, a compose.Args) error {
			return r.Put(compose.Entry{Kind: compose.KindScheme, Parts: orderParts(&demand{})}, a)
		},
	}
}
