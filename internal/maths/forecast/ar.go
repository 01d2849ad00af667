package forecast

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

// AR is an autoregression fitted by conditional least squares to a rolling window: paper 000, eq.
// 16 and table 2. It is fitted when it is asked, and iterates the prediction of one step.
//
// Roots may lie on the unit circle, as a trend without a constant needs them, but no further out
// than 1.001: what is fitted to a night and the first minutes of a day explodes. Such roots are
// drawn in. The paper says nothing of this. While the window has fewer than three rows for each
// coefficient, it repeats the last value; the paper does not say how it starts.
type AR struct {
	Order    int    `json:"order"`
	Constant bool   `json:"constant"` // the paper has none
	Past     Window `json:"past"`

	fit   linear
	ready bool // fit is that of Past
	full  []float64
}

// NewAR is the paper's: no constant, so many lags, fitted to so many values.
func NewAR(order, window int) *AR { return &AR{Order: order, Past: Window{Size: window}} }

// Default is the paper's forecaster, with a day of its intervals of ten minutes as its window.
func Default() *AR { return NewAR(3, 144) }

// Observe takes the next value.
func (a *AR) Observe(x float64) {
	a.Past.add(x)
	a.ready = false
}

// UnmarshalJSON reads parameters and state, and forgets what was fitted to others.
func (a *AR) UnmarshalJSON(text []byte) error {
	type plain AR
	a.ready = false
	return json.Unmarshal(text, (*plain)(a))
}

// Clone returns a copy that shares nothing.
func (a *AR) Clone() *AR { return &AR{Order: a.Order, Constant: a.Constant, Past: a.Past.clone()} }

func (a *AR) refit() {
	if !a.ready {
		a.fit.autoregress(a.Past.Values, a.Order, a.Constant)
		a.ready = true
	}
}

// Predict iterates the prediction of one step.
func (a *AR) Predict(steps []Step) bool {
	a.refit()
	if !a.fit.ok {
		return seasonal(steps, &a.Past, 1)
	}
	_, missing, ok := a.Past.last()
	if !ok {
		return false
	}
	// Values that are missing, and those to come, are predicted from those before.
	p, xs := a.fit.lags, a.Past.Values
	a.full = append(a.full[:0], xs...)
	level, _, _ := first(xs)
	for i := range len(xs) + len(steps) {
		if i < len(xs) && !math.IsNaN(xs[i]) {
			continue
		}
		x := level
		if i >= p {
			x = a.fit.next(a.full[i-p:i], p)
		}
		if i < len(xs) {
			a.full[i] = x
		} else {
			a.full = append(a.full, x)
		}
	}
	weights(a.fit.beta[:p], &a.fit.psi, missing+len(steps))
	sum := 0.0
	for j, w := range a.fit.psi {
		sum += float64(w * w)
		if h := j - missing; h >= 0 {
			steps[h] = Normal(a.full[len(xs)+h], a.fit.scale*math.Sqrt(float64(a.fit.variance*sum)))
		}
	}
	return true
}

// first returns the first value that is not missing.
func first(xs []float64) (x float64, at int, ok bool) {
	for i, x := range xs {
		if !math.IsNaN(x) {
			return x, i, true
		}
	}
	return 0, len(xs), false
}

// weights are the first n weights ψ of past shocks of an autoregression: what remains of a shock.
func weights(ar []float64, psi *[]float64, n int) {
	w := slices.Grow((*psi)[:0], n)
	for j := range n {
		x := 0.0
		if j == 0 {
			x = 1
		}
		for i := 0; i < len(ar) && i < j; i++ {
			x += float64(ar[i] * w[j-1-i])
		}
		w = append(w, x)
	}
	*psi = w
}

// linear is a regression of a series on its lags.
type linear struct {
	normal   // beta: of the lags, the nearest first, and the constant, if any, behind them
	lags     int
	variance float64 // of the residuals, of the series divided by scale
	scale    float64
	ok       bool

	psi []float64
}

// autoregress fits the regression on p lags to the rows that miss nothing.
func (l *linear) autoregress(xs []float64, p int, constant bool) {
	l.lags = p
	k := p
	if constant {
		k++
	}
	l.scale = scale(xs)
	l.reset(k)
	if constant {
		l.row[p] = 1
	}
	for t := p; t < len(xs); t++ {
		for i := range p {
			l.row[i] = xs[t-1-i] / l.scale
		}
		l.add(xs[t] / l.scale)
	}
	if l.ok = l.rows >= 3*k && k > 0; !l.ok {
		return
	}
	l.solve()
	l.tame(p)
	sum := 0.0
	for t := p; t < len(xs); t++ {
		if e := (xs[t] - l.next(xs[t-p:t], p)) / l.scale; !math.IsNaN(e) {
			sum += float64(e * e)
		}
	}
	l.variance = sum / float64(l.rows-k)
}

// tame draws roots in that lie outside of a circle of 1.001.
func (l *linear) tame(p int) {
	l.psi = zeros(l.psi, 3*p)
	a, r, spare := l.psi[:p], l.psi[p:2*p], l.psi[2*p:]
	for drawn := 1.0; ; drawn *= 0.99 {
		if scaled(l.beta[:p], a, 0.999*drawn); partials(a, r, spare, 1) {
			scaled(l.beta[:p], l.beta[:p], drawn)
			return
		}
	}
}

// next predicts one step from the p values before it.
func (l *linear) next(before []float64, p int) float64 {
	x := 0.0
	if len(l.beta) > p {
		x = float64(l.beta[p] * l.scale)
	}
	for i := range p {
		x += float64(l.beta[i] * before[p-1-i])
	}
	return x
}

// scaled are the coefficients of a process whose roots are so much nearer to the origin.
func scaled(coefficients, to []float64, by float64) {
	factor := 1.0
	for i, c := range coefficients {
		factor *= by
		to[i] = c * factor
	}
}

// partials are the partial autocorrelations that coefficients come from, whose place it takes. It
// returns false if one is not within the edge: below 1 that says that the process is not
// stationary.
func partials(a, to, spare []float64, edge float64) bool {
	for k := len(a) - 1; k >= 0; k-- {
		r := a[k]
		if !(units.Rounded(math.Abs(r)) < edge) {
			return false
		}
		to[k] = r
		copy(spare, a[:k])
		for i := range k {
			a[i] = (spare[i] + float64(r*spare[k-1-i])) / (1 - float64(r*r))
		}
	}
	return true
}
