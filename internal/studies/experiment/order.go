package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
)

// more claims that a series has more than each of the others: ours is the smallest difference of the means.
func more(m Metric, s Row, than ...some) Check { return differs(m, s, list(than), true) }

// less claims that a series has less than each of the others: ours is the smallest difference of
// the means, as how much less it is.
func less(m Metric, s Row, than ...some) Check { return differs(m, s, list(than), false) }

// differs claims either.
func differs(m Metric, s Row, others []Row, more bool) Check {
	m = m.over(s.Series)
	return Check{Order, append(s.rows(), others...), func(r *Results, _ Published) verdict {
		return nearest(r, s, others, m, more, 0)
	}}
}

// nearLess claims that a series has at most such a part more than each of the others: ours is the
// largest ratio of the means less 1.
func nearLess(part float64, m Metric, s Row, than ...some) Check {
	m, others := m.over(s.Series), list(than)
	ratio := Metric{m.Name, "%", m.Of}
	return Check{Order, append(s.rows(), others...), func(r *Results, _ Published) verdict {
		v := ahead(r, s, others, m, func(x, y float64) float64 { return 1 - x/y }, -part)
		v.ours, v.ci = -v.ours, [2]float64{-v.ci[1], -v.ci[0]}
		v.unit, v.words = &ratio, m.words()
		return v
	}}
}

// nearest compares by differences: how much more the series has, or how much less.
func nearest(r *Results, s Row, others []Row, m Metric, more bool, least float64) verdict {
	sign, words := 1.0, m.words()
	if !more {
		sign = -1
		words[0], words[1] = words[1], words[0]
	}
	v := ahead(r, s, others, m, func(x, y float64) float64 { return sign * (x - y) }, least)
	v.words = words
	return v
}

// ahead finds the other from which the series is least ahead, seed by seed. The claim holds if it
// is ahead of every one by more than least, with the whole interval. As each of them has to be so,
// that there are several needs no correction. The interval is that against the nearest, unless
// another decides: then it is that one's, and says so.
func ahead(r *Results, s Row, others []Row, m Metric, by func(x, y float64) float64, least float64) verdict {
	v := verdict{ours: math.NaN(), holds: true, unit: m.difference()}
	xs := r.Sample(s.Series, m)
	name := ""
	var not []string // of which it is not ahead
	fewest, near := math.MaxInt, 0
	all := make([]against, len(others))
	for i, o := range others {
		ys := r.Sample(o.Series, m)
		d, ci, n := meanOf(pairs(xs, ys, by))
		fewest = min(fewest, n)
		all[i] = against{o.Name, ci, n > 1 && ci[0] > least, n > 1 && ci[1] < least, n}
		if !all[i].clear {
			v.holds = false
			not = append(not, o.Name)
		}
		if name == "" || math.IsNaN(v.ours) || d < v.ours {
			my, _ := mean(ys)
			near, v.ours, name = i, d, fmt.Sprintf("%s has %s", o.Name, m.format(my))
		}
	}
	mx, _ := mean(xs)
	v.open = !v.holds && !slices.ContainsFunc(all, func(a against) bool { return a.wrong })
	k := decider(all, near, &v)
	if v.ci = all[k].ci; k != near {
		v.mark = "against " + all[k].name
	}
	v.note = fmt.Sprintf("%s has %s; the next, %s", s.Name, m.format(mx), name)
	if len(others) == 1 {
		v.note = fmt.Sprintf("%s has %s, %s", s.Name, m.format(mx), name)
	} else if n := len(not); n > 0 && n < len(others) {
		v.note += fmt.Sprintf("; it is ahead of the other %d, not of %s", len(others)-n, strings.Join(not, ", "))
	}
	v.note = join(v.note, tooFew(fewest))
	return v
}

// against is a comparison with one other, by itself: the series is ahead of it, or is not, or so
// many seeds do not tell.
type against struct {
	name         string
	ci           [2]float64
	clear, wrong bool
	n            int
}

// decider is a comparison that by itself gives the verdict upon all: the nearest if it does, else
// the least clear one that does. Those that have no interval, as there are less than two seeds,
// come last.
func decider(all []against, near int, v *verdict) int {
	best := -1
	for i, a := range all {
		gives := a.wrong
		switch {
		case v.holds:
			gives = a.clear
		case v.open:
			gives = !a.clear
		}
		switch {
		case !gives:
		case i == near:
			return near
		case best < 0 || a.n > 1 && (all[best].n < 2 || a.ci[0] < all[best].ci[0]):
			best = i
		}
	}
	return best
}

// pairs compares seed by seed.
func pairs(xs, ys []float64, by func(x, y float64) float64) (ds []float64) {
	for i := range min(len(xs), len(ys)) {
		ds = append(ds, by(xs[i], ys[i]))
	}
	return ds
}

// grows claims that a metric grows from each series to the next: the last is above the first, and
// there is no step down. A step down that may be chance leaves it open. Ours is the difference of
// first and last, and the interval that of it, unless a step decides.
func grows(m Metric, rows ...Row) Check {
	m = m.over(rows[0].Series)
	return Check{Order, rows, func(r *Results, _ Published) verdict {
		v := nearest(r, rows[len(rows)-1], rows[:1], m, true, 0)
		var down, maybe []string
		var fall, dip verdict // the first of each
		for i := range rows[1:] {
			step := nearest(r, rows[i+1], rows[i:i+1], m, true, 0)
			name := fmt.Sprintf("%s to %s", rows[i].Name, rows[i+1].Name)
			switch {
			case step.ours < 0 && !step.open:
				if down = append(down, name); len(down) == 1 {
					fall = step
				}
			case step.ours < 0:
				if maybe = append(maybe, name); len(maybe) == 1 {
					dip = step
				}
			}
		}
		if len(down) > 0 {
			if v.holds || v.open {
				v.ci, v.mark = fall.ci, "from "+down[0]
			}
			v.holds, v.open = false, false
			v.note += "; it falls from " + strings.Join(down, " and from ")
		} else if len(maybe) > 0 && v.holds {
			v.holds, v.open = false, true
			v.ci, v.mark = dip.ci, "from "+maybe[0]
			v.note += "; it falls, perhaps by chance, from " + strings.Join(maybe, " and from ")
		}
		return v
	}}
}

// notLowest claims that a series has more than the least of several. Ours is how much more. That
// any of them may be the least is corrected for; it is wrong if the series has less than each of
// them.
func notLowest(m Metric, s Row, than ...some) Check {
	m = m.over(s.Series)
	others := slices.DeleteFunc(list(than), func(o Row) bool { return o == s })
	return Check{Order, append(s.rows(), others...), func(r *Results, _ Published) verdict {
		xs := r.Sample(s.Series, m)
		best, _ := lowest(r, others, m)
		v := nearest(r, s, others[best:best+1], m, true, 0)
		var ps, by []float64
		for _, o := range others {
			ds := slices.DeleteFunc(pairs(xs, r.Sample(o.Series, m), func(x, y float64) float64 { return x - y }), math.IsNaN)
			p := stat.ComparePairs(ds)
			if p.N < 2 {
				p.P = 1
			}
			ps, by = append(ps, p.P), append(by, p.Mean)
		}
		v.holds = false
		n := 0
		corrected, _ := stat.Holm(ps, 0.05)
		for i, p := range corrected {
			if p < 0.05 && by[i] > 0 {
				v.holds = true
				n++
			}
		}
		v.open = !v.holds && !nearest(r, s, others, m, false, 0).holds
		v.mark = "tests decide"
		v.note += fmt.Sprintf("; it is beaten by %d of %d (tests of pairs, corrected for being several)", n, len(others))
		return v
	}}
}

// moreOf claims that one series has more of one metric than another has of another.
func moreOf(m Metric, s Row, om Metric, other Row) Check {
	m = m.over(s.Series)
	return Check{Order, []Row{s, other}, func(r *Results, _ Published) verdict {
		xs, ys := r.Sample(s.Series, m), r.Sample(other.Series, om)
		v := verdict{unit: m.difference(), words: m.words()}
		var n int
		v.ours, v.ci, n = meanOf(pairs(xs, ys, func(x, y float64) float64 { return x - y }))
		v.holds = n > 1 && v.ci[0] > 0
		v.open = n < 2 || !v.holds && v.ci[1] > 0
		mx, _ := mean(xs)
		my, _ := mean(ys)
		v.note = join(fmt.Sprintf("%s has %s, %s has %s", s.Name, m.format(mx), other.Name, om.format(my)), tooFew(n))
		return v
	}}
}
