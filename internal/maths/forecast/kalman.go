package forecast

import (
	"math"

	"github.com/slackline/slackline/units"
)

// process is an ARIMA process whose shocks have variance 1, in Harvey's state space form, as in R's
// arima: r = max(p, q+1) states of the ARMA part, and behind them the last d values of the series,
// the latest first. Its filter handles missing values. The first d values in a row that are not
// missing are given, not explained: that is the diffuse likelihood.
type process struct {
	ar, ma []float64 // r and r-1 of them
	mean   float64   // of the differences
	d, r   int

	state, cov, before, gain, row []float64
}

// lagged are the factors of the last values in the next one.
var lagged = [...][]float64{{}, {1}, {2, -1}}

// mostD is how often a series may be differenced.
const mostD = len(lagged) - 1

func (p *process) set(ar, ma []float64, mean float64, d int) {
	p.r, p.d, p.mean = max(len(ar), len(ma)+1), d, mean
	p.ar, p.ma = zeros(p.ar, p.r), zeros(p.ma, p.r-1)
	copy(p.ar, ar)
	copy(p.ma, ma)
}

// advance multiplies a vector by the transition matrix.
func (p *process) advance(x []float64) {
	first, next := x[0], p.seen(x)
	for i := range p.r {
		above := 0.0
		if i+1 < p.r {
			above = x[i+1]
		}
		x[i] = above + float64(p.ar[i]*first)
	}
	for j := p.r + p.d - 1; j > p.r; j-- {
		x[j] = x[j-1]
	}
	if p.d > 0 {
		x[p.r] = next
	}
}

// seen is the value that a state shows, without the mean.
func (p *process) seen(x []float64) float64 {
	sum := x[0]
	for j, f := range lagged[p.d] {
		sum += float64(f * x[p.r+j])
	}
	return sum
}

// shock is the factor of a shock in state i.
func (p *process) shock(i int) float64 {
	switch {
	case i == 0:
		return 1
	case i < p.r:
		return p.ma[i-1]
	}
	return 0
}

// advanceCov is that of the covariance, with one more shock.
func (p *process) advanceCov(cov []float64) {
	n := p.r + p.d
	p.row = zeros(p.row, n)
	for i := range n { // columns
		for j := range n {
			p.row[j] = cov[j*n+i]
		}
		p.advance(p.row)
		for j := range n {
			cov[j*n+i] = p.row[j]
		}
	}
	for i := range n {
		p.advance(cov[i*n : (i+1)*n])
	}
	for i := range p.r {
		for j := range p.r {
			cov[i*n+j] += float64(p.shock(i) * p.shock(j))
		}
	}
}

// start returns where the filter starts, behind d values in a row that are not missing, or the
// number of values if there are none.
func start(xs []float64, d int) int {
	row := 0
	for i, x := range xs {
		if row == d {
			return i
		}
		if row++; math.IsNaN(x) {
			row = 0
		}
	}
	return len(xs)
}

// begin puts the filter before the value at from.
func (p *process) begin(xs []float64, from int) {
	n := p.r + p.d
	p.state, p.cov, p.before, p.gain = zeros(p.state, n), zeros(p.cov, n*n), zeros(p.before, n*n),
		zeros(p.gain, n)
	for j := range p.d {
		p.state[p.r+j] = xs[from-1-j]
	}
	p.stationary()
}

// stationary puts the covariance of the ARMA part in the long run into cov: the sum of
// Tⁱ V (Tⁱ)ᵀ, of which each round doubles the number of terms.
func (p *process) stationary() {
	r, n := p.r, p.r+p.d
	t, v := make([]float64, r*r), make([]float64, r*r)
	a, b := make([]float64, r*r), make([]float64, r*r)
	for i := range r {
		t[i*r] = p.ar[i]
		if i+1 < r {
			t[i*r+i+1] = 1
		}
		for j := range r {
			v[i*r+j] = p.shock(i) * p.shock(j)
		}
	}
	for range 50 {
		product(a, t, v, r, false)
		product(b, a, t, r, true)
		most := 0.0
		for i := range v {
			v[i] += b[i]
			most = max(most, math.Abs(b[i]))
		}
		if units.Rounded(most) < 1e-16 {
			break
		}
		product(a, t, t, r, false)
		t, a = a, t
	}
	for i := range r {
		copy(p.cov[i*n:i*n+r], v[i*r:(i+1)*r])
	}
}

// product is a b, or a bᵀ.
func product(to, a, b []float64, n int, transposed bool) {
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range n {
				if transposed {
					sum += float64(a[i*n+k] * b[j*n+k])
				} else {
					sum += float64(a[i*n+k] * b[k*n+j])
				}
			}
			to[i*n+j] = sum
		}
	}
}

// filter runs over the values, and writes the standardised innovation of each, 0 where the value is
// missing, or is given. It returns the sum of the logarithms of their variances, and how many there
// are. Behind it, state and cov are those of the interval after the last.
func (p *process) filter(xs []float64, to []float64) (logs float64, count int) {
	n := p.r + p.d
	from := start(xs, p.d)
	if from == len(xs) {
		return 0, 0
	}
	p.begin(xs, from)
	clear(to[:from])
	steady, deviation, logged := false, 0.0, 0.0
	for t := from; t < len(xs); t++ {
		if math.IsNaN(xs[t]) {
			to[t], steady = 0, false
			p.next()
			p.advanceCov(p.cov)
			continue
		}
		if !steady {
			for i := range n {
				p.gain[i] = p.seen(p.cov[i*n : (i+1)*n])
			}
			variance := p.seen(p.gain)
			deviation, logged = math.Sqrt(variance), math.Log(variance)
			copy(p.before, p.cov)
			for i := range n {
				for j := range n {
					p.cov[i*n+j] -= float64(p.gain[i]*p.gain[j]) / variance
				}
			}
			for i := range n {
				p.gain[i] /= variance
			}
			p.advanceCov(p.cov)
			change := 0.0
			for i := range p.cov {
				change = max(change, math.Abs(p.cov[i]-p.before[i]))
			}
			steady = units.Rounded(change) < 1e-13
		}
		e := xs[t] - p.mean - p.seen(p.state)
		for i := range n {
			p.state[i] += float64(p.gain[i] * e)
		}
		p.next()
		to[t] = e / deviation
		logs += logged
		count++
	}
	return logs, count
}

// next moves the state on by one interval.
func (p *process) next() {
	p.advance(p.state)
	if p.d > 0 {
		p.state[p.r] += p.mean
	}
}

// predict writes what is expected next, from where the filter ended, and the variances.
func (p *process) predict(steps []Step, unit, variance float64) {
	n := p.r + p.d
	for h := range steps {
		for i := range n {
			p.gain[i] = p.seen(p.cov[i*n : (i+1)*n])
		}
		mid := p.mean + p.seen(p.state)
		steps[h] = Normal(unit*mid, unit*math.Sqrt(max(float64(variance*p.seen(p.gain)), 0)))
		p.next()
		p.advanceCov(p.cov)
	}
}
