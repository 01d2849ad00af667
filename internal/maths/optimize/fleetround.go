package optimize

import (
	"cmp"
	"math"
	"slices"
)

// A rounding makes whole machines and jobs of a plan.
type rounding struct {
	*Fleet
	plan   FleetPlan
	needs  [][]float64 // machines by hour and kind
	charge float64     // what a unit of money for machines is counted as
}

// Hours with no more rows go through branch and bound by themselves, with so many parts.
const hourRows, hourParts = 60, 300

// mostMoves is how often jobs of an hour look for other machines.
const mostMoves = 20

// nearly is by how much a number may be above a whole one and count as that.
const nearly = 1e-6

// round makes whole jobs and machines of a plan in which they are split. Money for machines counts as more
// by the charge, where there is a budget. It tells by how much the budget is
// overdrawn, +Inf if jobs that have to be admitted find no machines.
//
// Jobs keep the kind of machines that most of them have; what is split goes where it costs least,
// with what the others leave of whole machines. Then jobs move one by one as long as that saves
// machines, jobs for which a machine is there anyway are let in, and as many machines are reserved
// as pays.
func (f *Fleet) round(split *FleetPlan, charge float64) (plan FleetPlan, over float64) {
	r := &rounding{Fleet: f, plan: FleetPlan{Status: Feasible}, charge: charge}
	for i, kind := range f.Kinds {
		least, most := math.Ceil(kind.Least-nearly), math.Floor(kind.Most+nearly)
		if least > most {
			return r.plan, math.Inf(1)
		}
		r.plan.Reserved = append(r.plan.Reserved, min(most, max(least, math.Round(split.Reserved[i]))))
	}
	order := make([]int, len(f.Loads)) // those that take much first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(slices.Min(f.Loads[b].Gamma), slices.Min(f.Loads[a].Gamma))
	})
	for t := range f.Hours {
		r.needs = append(r.needs, make([]float64, len(f.Kinds)))
		r.plan.Jobs = append(r.plan.Jobs, make([][]float64, len(f.Loads)))
		for i := range f.Loads {
			jobs := make([]float64, len(f.Kinds))
			for k, x := range split.Jobs[t][i] {
				if jobs[k] = math.Floor(x + nearly); jobs[k] > 0 {
					r.needs[t][k] += jobs[k] * f.Loads[i].Gamma[k]
				}
			}
			r.plan.Jobs[t][i] = jobs
		}
		for _, i := range order {
			if !r.settle(t, i, split.Jobs[t][i]) {
				return r.plan, math.Inf(1)
			}
		}
	}
	r.reserve()
	for t := range f.Hours {
		for range mostMoves {
			if !r.move(t) {
				break
			}
		}
		for _, i := range order {
			r.fill(t, i)
		}
	}
	r.reserve()
	if len(f.Kinds)+len(f.Loads) <= hourRows {
		for range 2 { // what is reserved follows from the hours, and the hours from that
			for t := range f.Hours {
				r.hour(t)
			}
			r.reserve()
		}
	}
	for t := range f.Hours {
		r.plan.Rented = append(r.plan.Rented, make([]float64, len(f.Kinds)))
		for k := range f.Kinds {
			r.plan.Rented[t][k] = r.rented(t, k, 0)
		}
	}
	f.count(&r.plan)
	return r.plan, r.plan.Machines - f.Budget - 1e-9*math.Abs(f.Budget)
}

// rented is how many machines have to be rented if a need changes by so much.
func (r *rounding) rented(t, kind int, more float64) float64 {
	need := r.needs[t][kind] + more
	return max(0, math.Ceil(need-r.plan.Reserved[kind]-1e-9*(1+need)))
}

// rise is what the rent of an hour rises by with a need; +Inf if so many machines cannot be had.
func (r *rounding) rise(t, kind int, more float64) float64 {
	if math.IsInf(more, 1) {
		return more
	}
	after := r.rented(t, kind, more)
	if after > r.Kinds[kind].Rentable {
		return math.Inf(1)
	}
	return r.charge * r.Kinds[kind].Rent[t] * (after - r.rented(t, kind, 0))
}

// put gives jobs of a load machines of a kind.
func (r *rounding) put(t, load, kind int, jobs float64) {
	r.plan.Jobs[t][load][kind] += jobs
	r.needs[t][kind] += jobs * r.Loads[load].Gamma[kind]
}

// where is the kind on which one more job costs least; of several, the first.
func (r *rounding) where(t, load, not int) (kind int, rise float64) {
	kind, rise = none, math.Inf(1)
	for k, gamma := range r.Loads[load].Gamma {
		if x := r.rise(t, k, gamma); k != not && x < rise {
			kind, rise = k, x
		}
	}
	return kind, rise
}

// admitted is how many jobs of a load there are.
func (r *rounding) admitted(t, load int) (sum float64) {
	for _, jobs := range r.plan.Jobs[t][load] {
		sum += jobs
	}
	return sum
}

// settle finds machines for the jobs that are split, and tells whether there are some for all that
// have to be admitted.
func (r *rounding) settle(t, load int, split []float64) bool {
	l := &r.Loads[load]
	total := 0.0
	for _, x := range split {
		total += x
	}
	low := math.Ceil(l.Low[t] - nearly)
	wanted := min(max(math.Floor(total+nearly), low), math.Floor(l.High[t]+nearly))
	for n := r.admitted(t, load); n < wanted; n++ {
		kind, rise := r.where(t, load, none)
		switch {
		case n >= low && rise > l.Penalty:
			return true
		case kind == none:
			return false
		}
		r.put(t, load, kind, 1)
	}
	return wanted >= low
}

// fill lets in more jobs, as long as machines are there anyway, or pay.
func (r *rounding) fill(t, load int) {
	l := &r.Loads[load]
	left := math.Floor(l.High[t]+nearly) - r.admitted(t, load)
	for k, gamma := range l.Gamma {
		room := r.plan.Reserved[k] + r.rented(t, k, 0) - r.needs[t][k]
		if left > 0 && l.Penalty > 0 && gamma > 0 && room >= gamma {
			n := min(left, math.Floor(room/gamma+1e-9))
			r.put(t, load, k, n)
			left -= n
		}
	}
	if kind, rise := r.where(t, load, none); left >= 1 && rise < l.Penalty {
		r.put(t, load, kind, 1)
	}
}

// move lets the job of each kind of machines go elsewhere, or away, with which most is saved: what it leaves
// and what it takes are whole machines. It tells whether some did.
func (r *rounding) move(t int) (some bool) {
	for k := range r.Kinds {
		best, to, most := none, none, 1e-9*r.Kinds[k].Rent[t]
		for i, l := range r.Loads {
			if r.plan.Jobs[t][i][k] < 1 {
				continue
			}
			saved := -r.rise(t, k, -l.Gamma[k])
			if saved <= most {
				continue
			}
			if other, rise := r.where(t, i, k); saved-rise > most {
				best, to, most = i, other, saved-rise
			}
			if saved-l.Penalty > most && r.admitted(t, i) >= l.Low[t]+1-nearly {
				best, to, most = i, none, saved-l.Penalty
			}
		}
		if best == none {
			continue
		}
		some = true
		r.put(t, best, k, -1)
		if to != none {
			r.put(t, best, to, 1)
		}
	}
	return some
}

// reserve takes as many reserved machines as pay, and moves from what is there a machine at a time.
func (r *rounding) reserve() {
	for k, kind := range r.Kinds {
		cost := func() float64 {
			sum := kind.Reserved * r.plan.Reserved[k]
			for t := range r.Hours {
				rented := r.rented(t, k, 0)
				if rented > kind.Rentable {
					return math.Inf(1)
				}
				sum += kind.Rent[t] * rented
			}
			return sum
		}
		for _, step := range []float64{1, -1} {
			for now := cost(); ; {
				r.plan.Reserved[k] += step
				at := r.plan.Reserved[k]
				next := math.Inf(1)
				if at >= kind.Least-nearly && at <= kind.Most+nearly {
					next = cost()
				}
				if !(next < now) {
					r.plan.Reserved[k] -= step
					break
				}
				now = next
			}
		}
	}
}

// hour finds the best jobs of an hour with the machines that are reserved, if they are better.
func (r *rounding) hour(t int) {
	one := &Fleet{Hours: 1, Budget: math.Inf(1), Whole: true}
	x := make([]float64, 0, len(r.Kinds)*(2+len(r.Loads)))
	for k, kind := range r.Kinds {
		there := r.plan.Reserved[k]
		one.Kinds = append(one.Kinds, Kind{Least: there, Most: there, Rent: []float64{r.charge * kind.Rent[t]}, Rentable: math.Floor(kind.Rentable)})
		x = append(x, there)
	}
	for k := range r.Kinds {
		x = append(x, r.rented(t, k, 0))
	}
	for i, l := range r.Loads {
		one.Loads = append(one.Loads, Load{l.Gamma, l.Penalty, l.Low[t : t+1], l.High[t : t+1]})
		x = append(x, r.plan.Jobs[t][i]...)
	}
	p := one.Linear()
	got := p.Mixed(hourParts, 1e-6, p.cost(x)-1e-9)
	if got.X == nil {
		return
	}
	clear(r.needs[t])
	for i, jobs := range one.plan(got.X).Jobs[0] {
		clear(r.plan.Jobs[t][i])
		for k, n := range jobs {
			if n > 0 {
				r.put(t, i, k, n)
			}
		}
	}
}
