package forecast

import (
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

// An Order is that of an ARIMA process.
type Order struct {
	P int `json:"p"` // lags
	D int `json:"d"` // how often the series is differenced
	Q int `json:"q"` // shocks
	// Mean says that the differences have a mean, which is a trend of the series where D is 1.
	Mean bool `json:"mean"`
}

func (o Order) String() string {
	text := fmt.Sprintf("ARIMA(%d,%d,%d)", o.P, o.D, o.Q)
	if o.Mean {
		text += " with a mean"
	}
	return text
}

// mostLags bounds P and Q.
const mostLags = 24

func (o Order) check() error {
	if o.P < 0 || o.D < 0 || o.Q < 0 || o.P > mostLags || o.Q > mostLags || o.D > mostD {
		return fmt.Errorf("%v: p and q must be from 0 to %d, d from 0 to %d", o, mostLags, mostD)
	}
	return nil
}

// params is the number of parameters besides the variance.
func (o Order) params() int {
	if o.Mean {
		return o.P + o.Q + 1
	}
	return o.P + o.Q
}

// least is how many values a fit needs.
func (o Order) least() int { return 2*(o.params()+1) + o.D + 4 }

// A Model is an ARIMA process that was fitted to a series:
//
//	z_t - Mean = AR_1 (z_{t-1} - Mean) + … + e_t + MA_1 e_{t-1} + …
//
// where z is the series, differenced Order.D times.
type Model struct {
	Order    Order     `json:"order"`
	AR       []float64 `json:"ar"`
	MA       []float64 `json:"ma"`
	Mean     float64   `json:"mean"`
	Variance float64   `json:"variance"` // of a shock
	// N is how many values the model explains: those that are there, less Order.D.
	N int `json:"n"`
	// LogLikelihood is exact where Exact, else the conditional one. It is 0 where the variance is.
	LogLikelihood float64 `json:"log_likelihood"`
	Exact         bool    `json:"exact"`
}

// AICc is Akaike's criterion for small samples (Hurvich and Tsai, 1989): less is better, of models
// of one series that is differenced as often. It is infinite where there are too few values.
func (m *Model) AICc() float64 {
	k := float64(m.Order.params() + 1)
	room := float64(m.N) - k - 1
	if units.Rounded(room) <= 0 {
		return math.Inf(1)
	}
	return -2*m.LogLikelihood + 2*k + float64(2*k*(k+1))/room
}

// fitter has the room that fits need.
type fitter struct {
	order   Order
	xs      []float64 // the series, divided by its scale and moved to its middle
	process process
	search  descent
	ar, ma  []float64
	spare   []float64
	count   int
	logs    float64
}

func (f *fitter) fit(xs []float64, o Order, from *Model, exact bool) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	there := 0
	for _, x := range xs {
		if !math.IsNaN(x) {
			there++
		}
	}
	if there < o.least() {
		return nil, fmt.Errorf("%v needs at least %d values, but the series has %d", o, o.least(), there)
	}
	if start(xs, o.D) == len(xs) {
		return nil, fmt.Errorf("%v needs %d values in a row, but the series has gaps between all", o, o.D+1)
	}
	f.order = o
	f.ar, f.ma, f.spare = zeros(f.ar, o.P), zeros(f.ma, o.Q), zeros(f.spare, max(o.P, o.Q))
	z := differences(xs, o.D)
	mean, deviation := moments(z)
	if !o.Mean {
		mean = 0
	}
	m := &Model{Order: o, AR: make([]float64, o.P), MA: make([]float64, o.Q), Mean: mean, N: there - o.D,
		Exact: exact}
	unit := scale(z)
	if d := units.Rounded(deviation / unit); o.Mean && d < 1e-12 || unit == 1 && d == 0 && mean == 0 {
		return m, nil // all differences are alike: there is nothing to explain
	}
	if o.Mean {
		unit = scale([]float64{deviation})
	}
	// The mean is a parameter around the plain one, so that the search begins at 0 and its steps
	// are near 1.
	f.xs = zeros(f.xs, len(xs))
	for i, x := range xs {
		f.xs[i] = x / unit
	}
	for i := range z {
		z[i] = (z[i] - mean) / unit
	}
	params := make([]float64, o.params())
	if from != nil && from.Order == o {
		numbers(from.AR, params[:o.P])
		minus(f.ma, from.MA)
	} else {
		ar, ma := hannan(z, o.P, o.Q)
		numbers(ar, params[:o.P])
		minus(f.ma, ma)
	}
	numbers(f.ma, params[o.P:o.P+o.Q])
	set := func(params []float64) {
		stationary(params[:o.P], f.ar, f.spare)
		stationary(params[o.P:o.P+o.Q], f.ma, f.spare)
		minus(f.ma, f.ma)
		m.Mean = mean / unit
		if o.Mean {
			m.Mean += params[o.P+o.Q]
		}
	}
	f.search.residuals = func(params, to []float64) {
		set(params)
		if exact {
			f.exact(m.Mean, to)
		} else {
			f.conditional(z, m.Mean-mean/unit, to)
		}
	}
	sum := f.search.minimise(params, len(xs))
	f.search.residuals(params, zeros(f.search.trial, len(xs)))
	copy(m.AR, f.ar)
	copy(m.MA, f.ma)
	m.Mean *= unit
	n := float64(m.N)
	if !exact {
		m.N = f.count
		n = float64(f.count)
	}
	// The residuals are those of the likelihood without its variance, times the root of what the
	// variances of the innovations take from it.
	variance := sum / n / math.Exp(f.logs/n)
	m.Variance = float64(variance*unit) * unit
	if m.Variance > 0 {
		m.LogLikelihood = -0.5 * (float64(n*(math.Log(2*math.Pi)+math.Log(variance)+2*math.Log(unit)+1)) + f.logs)
	}
	return m, nil
}

// exact writes residuals whose sum of squares is least where the likelihood is greatest: the
// innovations, standardised, times the n-th root of the product of their deviations.
func (f *fitter) exact(mean float64, to []float64) {
	f.process.set(f.ar, f.ma, mean, f.order.D)
	f.logs, f.count = f.process.filter(f.xs, to)
	root := math.Exp(f.logs / float64(2*max(f.count, 1)))
	for i := range to {
		to[i] *= root
	}
}

// conditional writes the shocks of the differences z, where those before the first are 0, as are
// those of missing values, in whose place their prediction is.
func (f *fitter) conditional(z []float64, mean float64, to []float64) {
	f.logs, f.count = 0, 0
	clear(to)
	o := f.order
	f.spare = zeros(f.spare, len(z)+o.P)
	full := f.spare[o.P:] // z less its mean, and no gaps; 0 before the first
	for t := range z {
		x := 0.0
		for i, a := range f.ar {
			x += float64(a * f.spare[o.P+t-1-i])
		}
		for i := 0; i < len(f.ma) && i < t; i++ {
			x += float64(f.ma[i] * to[t-1-i])
		}
		full[t] = x
		if !math.IsNaN(z[t]) {
			full[t] = z[t] - mean
			if t >= o.P {
				to[t] = full[t] - x
				f.count++
			}
		}
	}
}

// predict writes what the model expects behind the series.
func (m *Model) predict(p *process, room *[]float64, xs []float64, steps []Step) {
	*room = zeros(*room, len(xs))
	unit := scale(xs)
	scaled := *room
	for i, x := range xs {
		scaled[i] = x / unit
	}
	p.set(m.AR, m.MA, m.Mean/unit, m.Order.D)
	p.filter(scaled, scaled)
	p.predict(steps, unit, m.Variance/unit/unit)
}

// Predict writes what the model expects behind a series, such as the one it was fitted to.
func (m *Model) Predict(xs []float64, steps []Step) error {
	if start(xs, m.Order.D) == len(xs) {
		return fmt.Errorf("%v needs %d values in a row, but the series has gaps between all", m.Order,
			m.Order.D+1)
	}
	var room []float64
	m.predict(new(process), &room, xs, steps)
	return nil
}

func minus(to, xs []float64) {
	for i, x := range xs {
		to[i] = -x
	}
}

// differences differences a series. A missing value makes those that need it missing. There are d
// fewer than values.
func differences(xs []float64, d int) []float64 {
	z := slices.Clone(xs)
	for range d {
		for i := 1; i < len(z); i++ {
			z[i-1] = z[i] - z[i-1]
		}
		z = z[:len(z)-1]
	}
	return z
}

// moments are the mean and the deviation of the values that are there.
func moments(xs []float64) (mean, deviation float64) {
	unit, n, sum := scale(xs), 0.0, 0.0
	for _, x := range xs {
		if !math.IsNaN(x) {
			sum += x / unit
			n++
		}
	}
	mean = sum / max(n, 1)
	sum = 0
	for _, x := range xs {
		if d := x/unit - mean; !math.IsNaN(d) {
			sum += float64(d * d)
		}
	}
	return mean * unit, unit * math.Sqrt(sum/max(n, 1))
}
