package synth

import (
	"math"

	"github.com/slackline/slackline/units"
)

// arrived counts arrivals by minute and by hour of the day.
type arrived struct {
	minutes []uint32 // the first maxMinutes
	hours   [24]float64
	last    units.Time
}

// maxMinutes is how long bursts are looked for: two years.
const maxMinutes = 1 << 20

func (a *arrived) add(at units.Time) {
	a.last = at
	a.hours[int(at/units.Time(units.Hour))%24]++
	if i := int(at / units.Time(units.Minute)); i < maxMinutes {
		for len(a.minutes) <= i {
			a.minutes = append(a.minutes, 0)
		}
		a.minutes[i]++
	}
}

// rates are the arrivals an hour, by hour of the day. An hour that was observed for less than ten
// minutes gets the mean.
func (a *arrived) rates() (rates [24]float64) {
	const day, hour = 24 * 3600.0, 3600.0
	total := max(a.last.Seconds(), 60)
	all := 0.0
	for h := range rates {
		all += a.hours[h]
	}
	for h := range rates {
		observed := math.Floor(total/day)*hour + min(max(math.Mod(total, day)-float64(h)*hour, 0), hour)
		rates[h] = digits(all / total * hour)
		if observed >= 600 {
			rates[h] = digits(a.hours[h] / observed * hour)
		}
	}
	return rates
}

// burst finds the two-state process whose rate varies as that of the arrivals does beyond the rates
// by hour. With n arrivals in a minute for which m are expected,
//
//	V = Σ((n-m)² - m) / Σm²        is the variance of the factor on the rate, what a Poisson process has of it taken off;
//	C = Σ(n-m)(n'-m') / Σmm'       its covariance from a minute to the next, which falls by C/V = exp(-s), s switches a minute.
//
// The share of bursts is that of minutes with more than are expected. It is nil where V is too
// small to be told from none. What happens within a minute is not seen.
func (a *arrived) burst() *Burst {
	rates := a.rates()
	expected := func(i int) float64 { return rates[i/60%24] / 60 }
	variance, squares, covariance, products, fourth, above := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	n := len(a.minutes) - 1 // the last one is not whole
	for i := range max(n, 0) {
		m := expected(i)
		d := float64(a.minutes[i]) - m
		variance += d*d - m
		squares += m * m
		fourth += 2*m*m + m // variance of (n-m)² - m of a Poisson number
		if d > 0 {
			above++
		}
		if i > 0 {
			before := expected(i - 1)
			covariance += d * (float64(a.minutes[i-1]) - before)
			products += m * before
		}
	}
	if n < 60 || squares == 0 || products == 0 || variance < 3*math.Sqrt(fourth) {
		return nil
	}
	v, c := variance/squares, covariance/products
	share := min(max(above/float64(n), 0.01), 0.5)
	if x := 0.98 * 0.98 / v; share > x/(1+x) { // else the calm would have a rate below 0
		share = x / (1 + x)
	}
	difference := math.Sqrt(v / (share * (1 - share)))
	calm := max(1-share*difference, 0.01)
	switches := -math.Log(min(max(c/v, 0.05), 0.999)) / 60
	b := &Burst{Share: digits(share), Ratio: digits((calm + difference) / calm), Mean: digits(max(1, 1/((1-share)*switches)))}
	if !b.valid() {
		return nil
	}
	return b
}
