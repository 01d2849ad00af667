package experiment

import (
	"fmt"
	"math"

	"github.com/slackline/slackline/internal/maths/stat"
)

// Kind says what of a claim was published.
type Kind string

// The kinds of claims.
const (
	Number Kind = "number" // a value
	Range  Kind = "range"  // where a value lies
	Order  Kind = "order"  // what is more than what
)

// Origin says whose a claim is.
type Origin string

// A claim is the paper's, or ours: what we found, and the paper does not say.
const (
	Paper Origin = "paper"
	Ours  Origin = "ours"
)

// Claim is something that a paper says, or that we do, as it can be checked.
type Claim struct {
	Key  string // in what was published; "" = nothing was: the claim is ours
	Text string
	Check

	Margin float64 // by which a number may differ and is yet the published one; see Result.Distance
	Given  string  // why it could not be otherwise, "" if it could
	Fitted string  // what of our settings was chosen by it, "" if nothing
}

// origin is whose claim it is.
func (c *Claim) origin() Origin {
	if c.Key == "" {
		return Ours
	}
	return Paper
}

// met is the verdict on a claim that holds.
func (c *Claim) met() Verdict {
	switch {
	case c.Given != "":
		return ByConstruction
	case c.Fitted != "":
		return WasFitted
	case c.Key == "":
		return Holds
	}
	return Reproduces
}

// Check is how our runs show whether a claim holds. The functions below make them: of a metric, and of series.
type Check struct {
	Kind  Kind
	of    []Row // what it looks at; the first is what it is about
	judge func(*Results, Published) verdict
}

// file is the scenario file that it is about.
func (c *Check) file() string { return c.of[0].File }

// verdict is what our runs say of a claim.
type verdict struct {
	ours    float64
	ci      [2]float64
	mark    string      // what the interval is of, where that is not what ours is, or that it does not decide
	decides *[2]float64 // where 95 % of such averages as was published lie, if that decides, and not ci
	holds   bool        // it is not refuted; an order or a range is as it was published
	open    bool        // it does not hold, and the seeds do not tell that it is wrong
	few     bool        // that is, as there are fewer than enough
	half    float64     // of a number: half the width of the interval of the mean, NaN if that does not tell
	note    string
	unit    *Metric   // for people; nil = as it is
	words   [2]string // of a difference: what it is below 0 and above; none for other values
}

// enough is how many seeds it takes to say that a value lies where single runs do. With fewer the
// interval is so wide that nearly any would.
const enough = 10

// ofMean marks an interval that decides nothing.
const ofMean = "mean"

// mean is the mean of a metric with its interval.
func mean(xs []float64) (m float64, ci [2]float64) {
	m, ci, _ = meanOf(xs)
	return m, ci
}

// meanOf also counts the values. One value has no interval but itself.
func meanOf(xs []float64) (m float64, ci [2]float64, n int) {
	var s stat.Sum
	for _, x := range xs {
		if !math.IsNaN(x) {
			s.Add(x)
		}
	}
	if s.N() == 0 {
		return math.NaN(), [2]float64{math.NaN(), math.NaN()}, 0
	}
	return s.Mean(), [2]float64{s.Mean() - s.Interval95(), s.Mean() + s.Interval95()}, s.N()
}

// tooFew says why so many values have no interval, "" if they have one.
func tooFew(n int) string {
	switch n {
	case 0:
		return "none of our runs has a value"
	case 1:
		return "one seed has no interval"
	}
	return ""
}

// number claims a published value, which is that of a single run, or the average of some. It is refuted if it
// lies outside of where 95 % of such averages of ours lie. As that interval is wider the fewer seeds there are,
// few of them can refute it, and nothing else.
func number(m Metric, s Row) Check {
	m = m.over(s.Series)
	return Check{Number, s.rows(), func(r *Results, said Published) verdict {
		v := verdict{unit: &m}
		var n int
		v.ours, v.ci, n = meanOf(r.Sample(s.Series, m))
		v.half = v.ci[1] - v.ours
		half := v.half * math.Sqrt(1+float64(n)/float64(max(1, said.Runs)))
		v.ci = m.within(v.ci)
		v.mark = ofMean
		if n < 2 || n < enough && half == 0 { // a few that are equal do not show how they vary
			v.open, v.few, v.half, v.note = true, true, math.NaN(), tooFew(n)
			return v
		}
		single := m.within([2]float64{v.ours - half, v.ours + half})
		v.decides = &single
		inside := said.Value != nil && single[0] <= *said.Value && *said.Value <= single[1]
		v.holds = inside && n >= enough
		if n < enough {
			v.half = math.NaN()
		}
		v.open = inside && n < enough
		v.few = v.open
		return v
	}}
}

// always claims that every run has the published value. One that has not is enough to see that it
// is wrong; that it is right, few do not tell.
func always(m Metric, s Row) Check {
	m = m.over(s.Series)
	return Check{Number, s.rows(), func(r *Results, said Published) verdict {
		v := verdict{unit: &m, mark: ofMean, half: math.NaN()}
		xs := r.Sample(s.Series, m)
		var n int
		v.ours, v.ci, n = meanOf(xs)
		v.ci = m.within(v.ci)
		off := 0
		for _, x := range xs {
			if !math.IsNaN(x) && (said.Value == nil || x != *said.Value) {
				off++
			}
		}
		v.holds = n >= enough && off == 0
		v.open = n < enough && off == 0
		v.few = v.open
		v.note = fmt.Sprintf("in %d of %d runs", n-off, len(xs))
		if n < len(xs) {
			v.note += fmt.Sprintf("; %d have none", len(xs)-n)
		}
		return v
	}}
}

// above claims that a value is more than a bound.
func above(bound float64, m Metric, s Row) Check {
	return bounded(m, s, func(ci [2]float64) (holds, may bool) { return ci[0] > bound, ci[1] > bound })
}

// below claims that a value is less than a bound.
func below(bound float64, m Metric, s Row) Check {
	return bounded(m, s, func(ci [2]float64) (holds, may bool) { return ci[1] < bound, ci[0] < bound })
}

// bounded claims that a value is on one side of a bound. The whole interval has to be.
func bounded(m Metric, s Row, is func(ci [2]float64) (holds, may bool)) Check {
	m = m.over(s.Series)
	return Check{Range, s.rows(), func(r *Results, _ Published) verdict {
		v := verdict{unit: &m}
		var n int
		v.ours, v.ci, n = meanOf(r.Sample(s.Series, m))
		v.ci, v.note = m.within(v.ci), tooFew(n)
		holds, may := is(v.ci)
		v.holds = n > 1 && holds
		v.open = n < 2 || !v.holds && may
		return v
	}}
}

// lowestAt claims that of several series, in the order of a parameter, one between two values has
// least of a metric. Ours is the value of that with the least mean; the interval spans those that
// the seeds do not tell from it. All of these have to lie between the two.
func lowestAt(from, to float64, m Metric, rows ...Row) Check {
	m = m.over(rows[0].Series)
	kind := Range
	if from == to {
		kind = Number
	}
	return Check{kind, rows, func(r *Results, _ Published) verdict {
		best, means := lowest(r, rows, m)
		at := rows[best].Value
		v := verdict{ours: at, ci: [2]float64{at, at}, unit: &Metric{Name: rows[0].Unit, Unit: chosen}, holds: true}
		some := false
		for i := range rows {
			d := nearest(r, rows[i], rows[best:best+1], m, true, 0)
			if i != best && d.holds {
				continue // it has more
			}
			at := rows[i].Value
			v.ci[0], v.ci[1] = min(v.ci[0], at), max(v.ci[1], at)
			if at >= from && at <= to {
				some = true
			} else {
				v.holds = false
			}
		}
		_, _, n := meanOf(r.Sample(rows[best].Series, m))
		v.holds = v.holds && n > 1
		v.open = !v.holds && some
		v.note = join(fmt.Sprintf("least at %s: %s; the interval spans the values that the seeds cannot tell apart",
			rows[best].Name, m.format(means[best])), tooFew(n))
		return v
	}}
}

// lowest is the place of the row with the least mean, and all means.
func lowest(r *Results, rows []Row, m Metric) (best int, means []float64) {
	for i, row := range rows {
		x, _ := mean(r.Sample(row.Series, m))
		means = append(means, x)
		if x < means[best] {
			best = i
		}
	}
	return best, means
}
