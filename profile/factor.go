package profile

import "math"

// A factor is kept at these normal scores: from -3 to 4 in halves.
const (
	factorKnots = 15
	lowestScore = -3.0
	scoreStep   = 0.5
	middleKnot  = 6 // score 0
	highest     = lowestScore + scoreStep*(factorKnots-1)
)

// Factor is the distribution of a positive factor with median 1: the logarithms of its quantiles at
// fixed normal scores, linear between them, so that a lognormal distribution is exact. Beyond the
// last score it continues as a Pareto tail. The zero Factor is always 1.
type Factor struct {
	Log  [factorKnots]float64 `json:"log"`
	Tail float64              `json:"tail,omitempty"` // index of the Pareto tail, from 0 to below 1
}

// mills is (1 - Φ)/φ at the last score: how fast the logarithm of a lognormal tail with deviation 1
// rises there, for each factor e by which the probability beyond it falls.
var mills = 0.5 * math.Erfc(highest/math.Sqrt2) / (math.Exp(-highest*highest/2) / math.Sqrt(2*math.Pi))

// LogNormal is the factor whose logarithm is normal, with this deviation.
func LogNormal(sigma float64) (f Factor) {
	for i := range f.Log {
		f.Log[i] = sigma * scoreOf(i)
	}
	f.Tail = min(sigma*mills, heaviest)
	return f
}

// heaviest is the heaviest tail: its mean is finite.
const heaviest = 0.7

func scoreOf(knot int) float64 { return lowestScore + scoreStep*float64(knot) }

// grid has, of each score, how likely less is, and what lies nearer to it than to others.
var grid = func() (g struct{ below, near [factorKnots]float64 }) {
	for i := range factorKnots {
		z := scoreOf(i)
		g.below[i], g.near[i] = phi(z), phi(z+scoreStep/2)-phi(z-scoreStep/2)
	}
	return g
}()

// phi is the distribution function of the normal distribution, phiInverse its inverse.
func phi(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

func phiInverse(p float64) float64 {
	if p > 0.5 {
		return math.Sqrt2 * math.Erfcinv(2*(1-p))
	}
	return -math.Sqrt2 * math.Erfcinv(2*p)
}

// at is the logarithm of the quantile at a score up to the last one.
func (f *Factor) at(z float64) float64 {
	x := (z - lowestScore) / scoreStep
	i := int(max(0, min(math.Floor(x), factorKnots-2)))
	return f.Log[i] + (f.Log[i+1]-f.Log[i])*(x-float64(i))
}

// AtScore returns the quantile at a normal score up to the last one.
func (f *Factor) AtScore(z float64) float64 { return math.Exp(f.at(z)) }

// Quantile returns the value below which the factor lies with probability p, from 0 to 1.
func (f *Factor) Quantile(p float64) float64 {
	switch {
	case !(p > 0):
		p = math.SmallestNonzeroFloat64
	case p >= 1:
		p = 1 - 0x1p-53
	}
	if beyond := 1 - p; beyond < phi(-highest) {
		return math.Exp(f.Log[factorKnots-1] + f.Tail*math.Log(phi(-highest)/beyond))
	}
	return math.Exp(f.at(max(phiInverse(p), 3*lowestScore)))
}

// CDF returns the probability that the factor is at most x.
func (f *Factor) CDF(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	l := math.Log(x)
	if last := f.Log[factorKnots-1]; l >= last {
		if f.Tail == 0 {
			return 1
		}
		return 1 - phi(-highest)*math.Exp((last-l)/f.Tail)
	}
	i := 0
	for i < factorKnots-2 && f.Log[i+1] <= l {
		i++
	}
	rise := f.Log[i+1] - f.Log[i]
	if rise <= 0 { // below all of a distribution that is flat there
		return 0
	}
	z := scoreOf(i) + scoreStep*(l-f.Log[i])/rise
	if z < 3*lowestScore {
		return 0
	}
	return phi(z)
}

// Mean returns the mean of the factor. It is finite.
func (f *Factor) Mean() float64 {
	sum := 0.0
	for i := range factorKnots - 1 {
		from, to := scoreOf(i), scoreOf(i+1)
		if i == 0 {
			from = 3 * lowestScore
		}
		slope := (f.Log[i+1] - f.Log[i]) / scoreStep
		sum += math.Exp(f.Log[i]-slope*scoreOf(i)+slope*slope/2) * (phi(to-slope) - phi(from-slope))
	}
	return sum + phi(-highest)*math.Exp(f.Log[factorKnots-1])/(1-f.Tail)
}

// Widen returns the factor times an independent lognormal one of this deviation: exactly where the
// factor is lognormal, and close to it elsewhere.
func (f *Factor) Widen(sigma float64) (w Factor) {
	for i, l := range f.Log {
		w.Log[i] = math.Copysign(math.Hypot(l, sigma*scoreOf(i)), scoreOf(i))
	}
	w.Tail = min(math.Hypot(f.Tail, sigma*mills), heaviest)
	return w
}

// scale returns the factor to a power: a part of its variation.
func (f *Factor) scale(power float64) (s Factor) {
	for i, l := range f.Log {
		s.Log[i] = l * power
	}
	s.Tail = f.Tail * power
	return s
}

// deviation is the standard deviation of the logarithm: each quantile counts for the scores nearest to
// it. It is not read from the quantiles in the middle alone: there, many values may be the same.
func (f *Factor) deviation() float64 {
	mean, square, normal := 0.0, 0.0, 0.0
	for i, l := range f.Log {
		z, weight := scoreOf(i), grid.near[i]
		mean += weight * l
		square += weight * l * l
		normal += weight * z * z
	}
	return math.Sqrt(max(0, square-mean*mean) / normal)
}

// rounded returns the factor with as many decimals as are worth writing down: a ten-thousandth.
func (f *Factor) rounded() (r Factor) {
	for i, l := range f.Log {
		r.Log[i] = math.Round(l*1e4) / 1e4
	}
	r.Tail = math.Round(f.Tail*1e4) / 1e4
	return r
}

// wrong returns the first field that cannot be and why, both empty if all can.
func (f *Factor) wrong() (what, why string) {
	for i, l := range f.Log {
		switch {
		case math.Abs(l) > 700:
			return "log", "a quantile is farther from 1 than numbers go"
		case i > 0 && l < f.Log[i-1]:
			return "log", "quantiles must not fall"
		}
	}
	switch {
	case f.Log[middleKnot] != 0:
		return "log", "the median must be 1, which is 0 here"
	case !(f.Tail >= 0 && f.Tail <= heaviest):
		return "tail", "it is not in 0 to 0.7"
	}
	return "", ""
}
