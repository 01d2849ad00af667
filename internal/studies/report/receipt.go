package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Uses is energy in kWh, with what it costs and emits where somebody says so; null: nobody knows.
type Uses struct {
	Energy     *float64 `json:"energy_kwh,omitempty"`
	EnergyCost *float64 `json:"energy_cost,omitempty"`
	Carbon     *float64 `json:"carbon_kg,omitempty"`
}

// NodeUse is what attempts on a node drew above idle.
type NodeUse struct {
	Node   string  `json:"node"`
	Energy float64 `json:"energy_kwh"`
}

// String says it in a few words.
func (u *Uses) String() string {
	text, paid := joules(*u.Energy*float64(units.JoulesPerKWh)), ""
	if *u.Energy >= 0.01 {
		text = kwh(*u.Energy)
	}
	if u.EnergyCost != nil {
		paid = fmt.Sprintf(", cost %.3g", *u.EnergyCost)
	}
	if u.Carbon != nil {
		paid += ", " + kilograms(*u.Carbon) + " of carbon dioxide"
	}
	return text + paid
}

// Receipt says what energy its tasks drew, and what they would have with more slack; "" where nobody knows.
func (j *Job) Receipt() string {
	switch {
	case j.Energy == nil:
		return ""
	case j.Patient == nil:
		return "its tasks drew above idle " + j.Uses.String()
	case j.Patient.String() == j.Uses.String():
		return "its tasks drew above idle " + j.Uses.String() + "; twice the time would have saved nothing, by an estimate"
	}
	return "its tasks drew above idle " + j.Uses.String() + "; with twice the time at best " + j.Patient.String() + ", an estimate"
}

// mark is what all nodes had used when the supply changed.
type mark struct {
	at   units.Time
	used energy.Used
}

// bill says of jobs what they used, and returns the kWh of their tasks. Without a model of nodes only those of which
// their world tells are said anything of.
func (b *Builder) bill(known bool) (all float64) {
	far := b.meter.Until(0) // as far as the meter has come, which may be behind the makespan
	for i := range b.run.Jobs {
		j, d := &b.run.Jobs[i], b.drew[i]
		if !known && d.own == 0 {
			continue
		}
		if b.facts[i].End == sched.NoOutcome { // it has not ended
			d.all = far.Since(d.all)
		}
		j.Uses, all = b.uses(d.own, d.all), all+d.own.KWh()
		if j.Deadline != nil && j.Started != nil && j.Finished != nil {
			p := b.uses(d.least, b.cheapest(j, d.all))
			j.Patient = &p
		}
	}
	return all
}

// uses is some energy at what a kWh cost and emitted while so much was used.
func (b *Builder) uses(part units.Joules, at energy.Used) (u Uses) {
	cost, grams := at.Bill(part)
	if u.Energy = new(part.KWh()); b.meter.Fed[sched.Price] {
		u.EnergyCost = &cost
	}
	if b.meter.Fed[sched.Carbon] {
		u.Carbon = new(grams / 1000)
	}
	return u
}

// cheapest is a kWh in those hours until twice the time to the deadline of a job in which one cost least, or emitted
// least where it has no price, as far as the run went, for as long as the job ran; as it was, if that was no dearer.
// Together with least it is an estimate: nobody is asked whether there was room, and what idle nodes would have saved
// is nobody's.
func (b *Builder) cheapest(j *Job, was energy.Used) energy.Used {
	type hours struct {
		energy.Used // of a kWh
		long        float64
	}
	key := func(u energy.Used) float64 {
		if b.meter.Fed[sched.Price] {
			return u.Cost
		}
		return u.Grams
	}
	kwh := func(u energy.Used) (one energy.Used) {
		one.All = units.JoulesPerKWh
		one.Cost, one.Grams = u.Bill(one.All)
		return one
	}
	var list []hours
	from, to := j.Submitted, max(2**j.Deadline-j.Submitted, *j.Finished)
	for i := 1; i < len(b.rates); i++ {
		long, used := min(to, b.rates[i].at.Seconds())-max(from, b.rates[i-1].at.Seconds()), b.rates[i].used.Since(b.rates[i-1].used)
		if long > 0 && used.All > 0 {
			list = append(list, hours{kwh(used), long})
		}
	}
	slices.SortStableFunc(list, func(a, b hours) int { return cmp.Compare(key(a.Used), key(b.Used)) })
	left, best := *j.Finished-*j.Started, energy.Used{}
	for _, h := range list {
		part := min(h.long, left)
		left -= part
		best.All, best.Cost, best.Grams = best.All+h.All*units.Joules(part), best.Cost+h.Cost*part, best.Grams+h.Grams*part
	}
	if best.All == 0 || key(kwh(best)) >= key(kwh(was)) {
		return was
	}
	return best
}
