package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

// Claim is something that a paper says, as it can be checked.
type Claim struct {
	Key   string // in what was published
	Text  string
	Kind  Kind
	File  string // the scenario file that it is about
	judge func(*Results, Published) verdict
}

// verdict is what our runs say of a claim.
type verdict struct {
	ours  float64
	ci    [2]float64
	holds bool
	open  bool // it does not hold, and the seeds do not tell that it is wrong
	note  string
	unit  *Metric // for people; nil = as it is
}

// mean is the mean of a metric with its interval.
func mean(xs []float64) (m float64, ci [2]float64) {
	var s stat.Sum
	for _, x := range xs {
		if !math.IsNaN(x) {
			s.Add(x)
		}
	}
	if s.N() == 0 {
		return math.NaN(), [2]float64{math.NaN(), math.NaN()}
	}
	return s.Mean(), [2]float64{s.Mean() - s.Interval95(), s.Mean() + s.Interval95()}
}

// number claims a published value. It holds if that lies where 95 % of single runs would.
func number(key, text string, s Series, m Metric) Claim {
	return Claim{key, text, Number, s.File, func(r *Results, said Published) verdict {
		v := verdict{unit: &m}
		xs := r.Sample(s, m)
		v.ours, v.ci = mean(xs)
		half := (v.ci[1] - v.ours) * math.Sqrt(float64(len(xs))+1)
		v.holds = said.Value != nil && len(xs) > 1 && math.Abs(*said.Value-v.ours) <= half
		low, high := v.ours-half, v.ours+half
		if m.Unit == "%" {
			low, high = max(0, low), min(1, high)
		}
		v.note = fmt.Sprintf("95 %% of single runs: %s to %s", m.format(low), m.format(high))
		return v
	}}
}

// always claims that every run has the published value.
func always(key, text string, s Series, m Metric) Claim {
	return Claim{key, text, Number, s.File, func(r *Results, said Published) verdict {
		v := verdict{unit: &m}
		xs := r.Sample(s, m)
		v.ours, v.ci = mean(xs)
		off := 0
		for _, x := range xs {
			if said.Value == nil || x != *said.Value {
				off++
			}
		}
		v.holds = len(xs) > 0 && off == 0
		v.note = fmt.Sprintf("in %d of %d runs", len(xs)-off, len(xs))
		return v
	}}
}

// below claims that a value is less than a bound. The whole interval has to be.
func below(key, text string, s Series, m Metric, bound float64) Claim {
	return Claim{key, text, Range, s.File, func(r *Results, _ Published) verdict {
		v := verdict{unit: &m}
		v.ours, v.ci = mean(r.Sample(s, m))
		v.holds = v.ci[1] < bound
		v.open = !v.holds && v.ci[0] < bound
		return v
	}}
}

// more claims that a series has more than each of the others: ours is the smallest difference of the means.
func more(key, text string, s Row, others []Row, m Metric) Claim {
	return Claim{key, text, Order, s.File, func(r *Results, _ Published) verdict {
		return nearest(r, s, others, m, func(x, y float64) float64 { return x - y }, 0)
	}}
}

// less claims that a series has less than each of the others: ours is the smallest difference of the means, as how much less it is.
func less(key, text string, s Row, others []Row, m Metric) Claim {
	return Claim{key, text, Order, s.File, func(r *Results, _ Published) verdict {
		return nearest(r, s, others, m, func(x, y float64) float64 { return y - x }, 0)
	}}
}

// nearLess claims that a series has at most such a part more than each of the others: ours is the largest ratio of the means less 1.
func nearLess(key, text string, s Row, others []Row, m Metric, part float64) Claim {
	ratio := Metric{m.Name, "%", m.Of}
	return Claim{key, text, Order, s.File, func(r *Results, _ Published) verdict {
		v := nearest(r, s, others, m, func(x, y float64) float64 { return 1 - x/y }, -part)
		v.ours, v.ci = -v.ours, [2]float64{-v.ci[1], -v.ci[0]}
		v.unit = &ratio
		return v
	}}
}

// nearest finds the other from which the series is least ahead, seed by seed. The claim holds if it is ahead of every one by more than
// least, with the whole interval. As each of them has to be so, that there are several needs no correction.
func nearest(r *Results, s Row, others []Row, m Metric, ahead func(x, y float64) float64, least float64) verdict {
	v := verdict{ours: math.NaN(), ci: [2]float64{math.NaN(), math.NaN()}, holds: true, unit: m.difference()}
	xs := r.Sample(s.Series, m)
	name := ""
	var not []string // of which it is not ahead
	wrong := false
	for _, o := range others {
		ys := r.Sample(o.Series, m)
		var ds []float64
		for i := range min(len(xs), len(ys)) {
			ds = append(ds, ahead(xs[i], ys[i]))
		}
		d, ci := mean(ds)
		if !(ci[0] > least || len(ds) == 1 && d > least) {
			v.holds = false
			wrong = wrong || ci[1] < least || len(ds) == 1
			not = append(not, o.Name)
		}
		if name == "" || d < v.ours {
			my, _ := mean(ys)
			v.ours, v.ci, name = d, ci, fmt.Sprintf("%s has %s", o.Name, m.format(my))
		}
	}
	mx, _ := mean(xs)
	v.holds = v.holds && name != ""
	v.open = !v.holds && !wrong
	v.note = fmt.Sprintf("%s has %s; the next, %s", s.Name, m.format(mx), name)
	if len(others) == 1 {
		v.note = fmt.Sprintf("%s has %s, %s", s.Name, m.format(mx), name)
	} else if n := len(not); n > 0 && n < len(others) {
		v.note += fmt.Sprintf("; it is ahead of the other %d, not of %s", len(others)-n, strings.Join(not, ", "))
	}
	return v
}

// grows claims that a metric grows from each series to the next: no step down is more than chance, and the last is above the first.
// Ours is the difference of these two.
func grows(key, text string, rows []Row, m Metric) Claim {
	return Claim{key, text, Order, rows[0].File, func(r *Results, _ Published) verdict {
		v := nearest(r, rows[len(rows)-1], rows[:1], m, func(x, y float64) float64 { return x - y }, 0)
		var down []string
		for i := range rows[1:] {
			step := nearest(r, rows[i+1], rows[i:i+1], m, func(x, y float64) float64 { return x - y }, 0)
			if step.ci[1] < 0 {
				down = append(down, fmt.Sprintf("%s to %s", rows[i].Name, rows[i+1].Name))
			}
		}
		if len(down) > 0 {
			v.holds, v.open = false, false
			v.note += "; it falls from " + strings.Join(down, " and from ")
		}
		return v
	}}
}

// lowestAt claims that of several series, in the order of a parameter, one between two values has least of a metric. Ours is the value
// of that with the least mean; the interval spans those that the seeds do not tell from it.
func lowestAt(key, text string, kind Kind, rows []Row, values []float64, m Metric, from, to float64) Claim {
	return Claim{key, text, kind, rows[0].File, func(r *Results, _ Published) verdict {
		var means []float64
		for _, row := range rows {
			x, _ := mean(r.Sample(row.Series, m))
			means = append(means, x)
		}
		best := 0
		for i := range means {
			if means[i] < means[best] {
				best = i
			}
		}
		v := verdict{ours: values[best], ci: [2]float64{values[best], values[best]}}
		for i := range rows {
			d := nearest(r, rows[i], rows[best:best+1], m, func(x, y float64) float64 { return x - y }, 0)
			if i == best || d.ci[0] <= 0 {
				v.ci[0], v.ci[1] = min(v.ci[0], values[i]), max(v.ci[1], values[i])
				v.holds = v.holds || values[i] >= from && values[i] <= to
			}
		}
		v.note = fmt.Sprintf("least at %s: %s; the interval spans the values that the seeds do not tell from it", rows[best].Name, m.format(means[best]))
		return v
	}}
}

// names lists the rows.
func names(rows []Row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Name
	}
	return slices.Clip(list)
}

// moreOf claims that one series has more of one metric than another has of another.
func moreOf(key, text string, s Row, m Metric, other Row, om Metric) Claim {
	return Claim{key, text, Order, s.File, func(r *Results, _ Published) verdict {
		xs, ys := r.Sample(s.Series, m), r.Sample(other.Series, om)
		var ds []float64
		for i := range min(len(xs), len(ys)) {
			ds = append(ds, xs[i]-ys[i])
		}
		v := verdict{unit: m.difference()}
		v.ours, v.ci = mean(ds)
		v.holds = v.ci[0] > 0 || len(ds) == 1 && v.ours > 0
		v.open = !v.holds && v.ci[1] > 0 && len(ds) > 1
		mx, _ := mean(xs)
		my, _ := mean(ys)
		v.note = fmt.Sprintf("%s has %s, %s has %s", s.Name, m.format(mx), other.Name, om.format(my))
		return v
	}}
}
