package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Uses is energy, with what it costs and emits where somebody says so.
type Uses struct {
	Energy float64  `json:"energy_kwh"`
	Cost   *float64 `json:"energy_cost,omitempty"`
	Carbon *float64 `json:"carbon_kg,omitempty"`
}

// String says it in a few words.
func (u Uses) String() string {
	text, parts := fmt.Sprintf("%.3g kWh", u.Energy), []string(nil)
	if u.Energy < 0.01 {
		text = joules(u.Energy * float64(units.JoulesPerKWh))
	}
	for _, of := range []struct {
		what   string
		amount *float64
	}{{"cost %.3g", u.Cost}, {"%.3g kg of carbon dioxide", u.Carbon}} {
		if of.amount != nil {
			parts = append(parts, fmt.Sprintf(of.what, *of.amount))
		}
	}
	if parts != nil {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// Receipt says what energy its tasks drew, and what they would have with more slack; "" where nobody knows.
func (j *Job) Receipt() string {
	if j.Energy == nil {
		return ""
	}
	own := Uses{*j.Energy, j.EnergyCost, j.Carbon}.String()
	text := "its tasks drew above idle " + own
	switch {
	case j.Patient == nil:
	case j.Patient.String() == own:
		text += "; twice the time would have saved nothing, by an estimate"
	default:
		text += "; with twice the time at best " + j.Patient.String() + ", an estimate"
	}
	return text
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
		j.Energy, all = new(d.own.KWh()), all+d.own.KWh()
		if b.facts[i].End == sched.NoOutcome { // it has not ended
			d.all = far.Since(d.all)
		}
		cost, grams := d.all.Bill(d.own)
		if b.meter.Fed[sched.Price] {
			j.EnergyCost = &cost
		}
		if b.meter.Fed[sched.Carbon] {
			j.Carbon = new(grams / 1000)
		}
		j.Patient = b.patient(j, d.least)
	}
	return all
}

// patient estimates what the tasks of a job would have taken at least with twice the time until its deadline: where
// they draw least for their work, by rates, and for as long as it ran in those hours of that time in which a kWh cost
// least, or emitted least where it has no price, as far as the run went. Whether there was room it does not ask, and
// what idle nodes would have saved is nobody's.
func (b *Builder) patient(j *Job, least units.Joules) *Uses {
	if j.Deadline == nil || j.Started == nil || j.Finished == nil {
		return nil
	}
	p := &Uses{Energy: least.KWh(), Cost: j.EnergyCost, Carbon: j.Carbon}
	rate := [2]float64{} // of a kWh
	for i, x := range []*float64{p.Cost, p.Carbon} {
		if x != nil && *j.Energy > 0 {
			rate[i] = *x / *j.Energy
		}
	}
	var list []hours
	from, to, all := j.Submitted, max(2**j.Deadline-j.Submitted, *j.Finished), float64(0)
	for i := 1; i < len(b.rates); i++ {
		m, was := &b.rates[i], &b.rates[i-1]
		h := hours{long: min(to, m.at.Seconds()) - max(from, was.at.Seconds())}
		if used := m.used.Since(was.used); h.long > 0 && used.All > 0 {
			h.cost, h.carbon = used.Cost/used.All.KWh(), used.Grams/1000/used.All.KWh()
			if h.key = h.cost; p.Cost == nil {
				h.key = h.carbon
			}
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b hours) int { return cmp.Compare(a.key, b.key) })
	long, cost, carbon := *j.Finished-*j.Started, 0.0, 0.0
	for _, h := range list {
		part := min(h.long, long-all)
		all, cost, carbon = all+part, cost+h.cost*part, carbon+h.carbon*part
	}
	switch {
	case all <= 0:
	case p.Cost != nil && cost/all < rate[0] || p.Cost == nil && p.Carbon != nil && carbon/all < rate[1]:
		rate = [2]float64{cost / all, carbon / all}
	}
	for i, x := range []**float64{&p.Cost, &p.Carbon} {
		if *x != nil {
			*x = new(rate[i] * p.Energy)
		}
	}
	return p
}

// hours are some time in which a kWh cost and emitted the same.
type hours struct{ key, long, cost, carbon float64 }

// mark is what all nodes had used when the supply changed.
type mark struct {
	at   units.Time
	used energy.Used
}
