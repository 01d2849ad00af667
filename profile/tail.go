package profile

import (
	"cmp"
	"math"
	"slices"
)

// weighted is a value with its weight.
type weighted struct{ at, weight float64 }

func sortWeighted(ws []weighted) {
	slices.SortFunc(ws, func(a, b weighted) int { return cmp.Compare(a.at, b.at) })
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

// The upper tail of a factor is a generalised Pareto distribution above its ninth tenth, by
// probability-weighted moments (Hosking and Wallis 1987). As few values say little of its shape, it
// counts as if tailPrior more had said that it is usualShape. No tail is taken to end somewhere.
const (
	tailShare   = 0.1
	tailPrior   = 10
	usualShape  = 0.2
	leastForFit = 40 // values, below which the tail is that of the class from which is borrowed
)

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
		for _, w := range logs {
			all = append(all, weighted{w.at, w.weight * scale})
		}
		if n >= leastForFit {
			all, f.Tail = withTail(all, n)
		}
	}
	for z, end := lowestScore-1.125, highest+0.5; z < end; z += 0.25 {
		share := phi(z+0.25) - phi(z)
		all = append(all, weighted{math.Log(prior.Quantile(phi(z + 0.125))), share * further})
	}
	if n < leastForFit {
		f.Tail = prior.Tail
	}
	sortWeighted(all)
	total = 0
	for _, w := range all {
		total += w.weight
	}
	// each value stands in the middle of its weight, and quantiles lie between values
	k, before, at := 0, 0.0, math.Inf(-1)
	reached := -1.0
	for i := range f.Log {
		want := phi(scoreOf(i)) * total
		for k < len(all) && before+all[k].weight/2 < want {
			at, reached = all[k].at, before+all[k].weight/2
			before += all[k].weight
			k++
		}
		switch {
		case k == len(all):
			f.Log[i] = at
		case reached < 0:
			f.Log[i] = all[k].at
		default:
			f.Log[i] = at + (all[k].at-at)*(want-reached)/(before+all[k].weight/2-reached)
		}
	}
	shift := f.Log[middleKnot]
	for i := range f.Log {
		f.Log[i] -= shift
	}
	return f.rounded()
}

// withTail puts the quantiles of a fitted tail in the place of the values in it.
func withTail(all []weighted, n float64) ([]weighted, float64) {
	above, i := 0.0, len(all)
	for i > 0 && above+all[i-1].weight <= tailShare*n {
		i--
		above += all[i].weight
	}
	if i == 0 || above == 0 {
		return all, 0
	}
	threshold := math.Exp(all[i-1].at)
	excess := make([]weighted, 0, len(all)-i)
	for _, w := range all[i:] {
		excess = append(excess, weighted{math.Exp(w.at) - threshold, w.weight})
	}
	shape, size := pareto(excess, above)
	all = all[:i:i]
	if size == 0 {
		return append(all, weighted{math.Log(threshold), above}), 0
	}
	share := above / n
	for z := phiInverse(1 - share); z < highest+0.5; z += 0.125 {
		from, to := phi(-z), phi(-z-0.125)
		beyond := phi(-z-0.0625) / share // of the tail
		x := -size * math.Log(beyond)
		if shape > 1e-9 {
			x = size / shape * (math.Pow(beyond, -shape) - 1)
		}
		all = append(all, weighted{math.Log(threshold + x), (from - to) * n})
	}
	return all, shape
}
