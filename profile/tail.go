package profile

import (
	"math"
	"slices"
)

// weighted is a value with its weight.
type weighted struct{ at, weight float64 }

// sortWeighted sorts values, none of which is a NaN.
func sortWeighted(ws []weighted) {
	slices.SortFunc(ws, func(a, b weighted) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
}

// middle is the weighted median of sorted values, between two of them where need be.
func middle(ws []weighted) float64 {
	total := 0.0
	for _, w := range ws {
		total += w.weight
	}
	below := 0.0
	for i, w := range ws {
		below += w.weight
		switch {
		case math.Abs(below-total/2) <= 1e-12*total && i+1 < len(ws):
			return (w.at + ws[i+1].at) / 2
		case below > total/2:
			return w.at
		}
	}
	return 0
}

// The upper tail of a factor is a generalised Pareto distribution above a threshold, by
// probability-weighted moments (Hosking and Wallis 1987). As few values say little of its shape, it
// counts as if tailPrior more had said that it is usualShape. No tail is taken to end somewhere.
//
// The threshold is the lowest of some above which the distribution fits, by the statistic of Cramér
// and von Mises (Choulakian and Stephens 2001): where a few tasks straggle, it lies among these.
const (
	tailPrior   = 10
	usualShape  = 0.25
	leastForFit = 40   // values, below which the tail is that of the class from which is borrowed
	leastExcess = 8    // values above a threshold
	fits        = 0.17 // the statistic is below that in 19 of 20 samples of such a distribution
)

var tailShares = []float64{0.1, 0.07, 0.05, 0.035, 0.025}

// pareto fits the tail to the excesses over a threshold, ascending, which stand for so many values.
func pareto(excess []weighted, values float64) (shape, size float64) {
	total, mean, moment := 0.0, 0.0, 0.0
	for _, e := range excess {
		total += e.weight
		mean += e.weight * e.at
	}
	if mean /= total; !(mean > 0) {
		return 0, 0
	}
	below := 0.0
	for _, e := range excess {
		moment += e.weight * e.at * (1 - (below+e.weight/2)/total)
		below += e.weight
	}
	moment /= total
	shape = 2 - mean/(mean-2*moment)
	shape = max(0, min((values*shape+tailPrior*usualShape)/(values+tailPrior), heaviest))
	return shape, mean * (1 - shape)
}

// factorOf makes the distribution of logarithms, sorted, which stand for n independent values. It
// counts prior as if so many further values had been measured.
func factorOf(logs []weighted, n float64, prior *Factor, further float64) (f Factor) {
	total := 0.0
	for _, w := range logs {
		total += w.weight
	}
	var all []weighted
	if total > 0 && n > 0 {
		scale := n / total
		all = make([]weighted, len(logs))
		for i, w := range logs {
			all[i] = weighted{w.at, w.weight * scale}
		}
		if n >= leastForFit {
			all, f.Tail = withTail(all, n)
		}
	}
	if n < leastForFit {
		f.Tail = prior.Tail
	}
	all = append(all, prior.values(further)...)
	sortWeighted(all)
	f.Log = quantilesOf(all)
	shift := f.Log[middleKnot]
	for i := range f.Log {
		f.Log[i] -= shift
	}
	return f.rounded()
}

// spots are the scores of the values for which a factor stands, in quarters up to beyond its last one.
var spots = func() (all []spot) {
	for z, end := lowestScore-1.125, highest+0.5; z < end; z += 0.25 {
		p := phi(z + 0.125)
		at := spot{score: phiInverse(p), share: phi(z+0.25) - phi(z)}
		if beyond := 1 - p; beyond < phi(-highest) {
			at.score, at.rarer = highest, math.Log(phi(-highest)/beyond)
		}
		all = append(all, at)
	}
	return all
}()

// A spot is a score, how much of all is around it, and the logarithm of how much rarer it is than the last score.
type spot struct{ score, share, rarer float64 }

// values are logarithms of the factor that stand for so many values, ascending, with the digits that those of its
// quantiles have.
func (f *Factor) values(n float64) []weighted {
	all := make([]weighted, len(spots))
	for i, s := range spots {
		all[i] = weighted{math.Log(math.Exp(f.at(s.score) + f.Tail*s.rarer)), s.share * n}
	}
	return all
}

// quantilesOf are those of sorted values at the scores of a factor: each value stands in the middle of
// its weight, and quantiles lie between values.
func quantilesOf(all []weighted) (q [factorKnots]float64) {
	total := 0.0
	for _, w := range all {
		total += w.weight
	}
	k, before, at := 0, 0.0, math.Inf(-1)
	reached := -1.0
	for i := range q {
		want := grid.below[i] * total
		for k < len(all) && before+all[k].weight/2 < want {
			at, reached = all[k].at, before+all[k].weight/2
			before += all[k].weight
			k++
		}
		switch {
		case k == len(all):
			q[i] = at
		case reached < 0:
			q[i] = all[k].at
		default:
			q[i] = at + (all[k].at-at)*(want-reached)/(before+all[k].weight/2-reached)
		}
	}
	return q
}

// tail is a fitted one: of so many values the last, from an index on, lie above a threshold.
type tail struct {
	from                   int
	threshold, shape, size float64
	values                 float64
}

// beyond is the distance from the threshold that a value of the tail exceeds with this probability.
func (t *tail) beyond(p float64) float64 {
	if t.shape < 1e-9 {
		return -t.size * math.Log(p)
	}
	return t.size / t.shape * (math.Pow(p, -t.shape) - 1)
}

// tailOf fits the tail above the last share of n values, and says how badly it fits.
func tailOf(all []weighted, n, share float64) (t tail, misfit float64) {
	t.from = len(all)
	for t.from > 1 && t.values+all[t.from-1].weight <= share*n {
		t.from--
		t.values += all[t.from].weight
	}
	t.threshold = math.Exp(all[t.from-1].at)
	excess := make([]weighted, 0, len(all)-t.from)
	for _, w := range all[t.from:] {
		excess = append(excess, weighted{math.Exp(w.at) - t.threshold, w.weight})
	}
	if len(excess) == 0 {
		return t, math.Inf(1)
	}
	if t.shape, t.size = pareto(excess, t.values); t.size == 0 {
		return t, 0
	}
	below := 0.0
	for _, e := range excess {
		p := 1 - math.Exp(-e.at/t.size)
		if t.shape >= 1e-9 {
			p = 1 - math.Pow(1+t.shape*e.at/t.size, -1/t.shape)
		}
		d := p - (below+e.weight/2)/t.values
		misfit += e.weight * d * d
		below += e.weight
	}
	return t, misfit + 1/(12*t.values)
}

// withTail puts the quantiles of a fitted tail in place of the values in it.
func withTail(all []weighted, n float64) ([]weighted, float64) {
	var t tail
	least := math.Inf(1)
	for _, share := range tailShares {
		if share*n < leastExcess && t.from > 0 {
			break
		}
		if u, misfit := tailOf(all, n, share); misfit < least || t.from == 0 {
			t, least = u, misfit
		}
		if least < fits {
			break
		}
	}
	all = all[:t.from:t.from]
	if t.values == 0 {
		return all, 0
	}
	if t.size == 0 {
		return append(all, weighted{math.Log(t.threshold), t.values}), 0
	}
	share := t.values / n
	for z := phiInverse(1 - share); z < highest+0.5; z += 0.125 {
		x := t.beyond(phi(-z-0.0625) / share)
		all = append(all, weighted{math.Log(t.threshold + x), (phi(-z) - phi(-z-0.125)) * n})
	}
	return all, t.shape
}
