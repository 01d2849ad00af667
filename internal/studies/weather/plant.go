package weather

import (
	"math"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/sun"
)

// A Plant is what makes power of weather.
type Plant struct {
	Panels  sun.Panels  `json:"panels"`
	Turbine sun.Turbine `json:"turbine"`
}

// Peak is the power that it makes at most, in watts.
func (p Plant) Peak() float64 { return p.Panels.Peak + p.Turbine.Peak }

// Power is what it makes in each interval, in watts, and the parts of sun and wind. It is missing
// where something that it needs is. Cloud cover stands for the irradiance where that is not given.
func (p Plant) Power(s *Series) (all, solar, wind []float64) {
	for i := range s.Samples {
		x := &s.Samples[i]
		ghi, w := x.GHI, 0.0
		if math.IsNaN(ghi) {
			ghi = s.clear(i) * (1 - x.Cloud)
		}
		g := 0.0
		if p.Panels.Peak > 0 {
			if g = p.Panels.Power(ghi); math.IsNaN(ghi) {
				g = ghi
			}
		}
		if p.Turbine.Peak > 0 {
			w = p.Turbine.Power(x.Wind)
		}
		all, solar, wind = append(all, g+w), append(solar, g), append(wind, w)
	}
	return all, solar, wind
}

// clear is the irradiance under a clear sky of an interval, which may lie behind the last: what is
// given, or Haurwitz's model at the place.
func (s *Series) clear(i int) float64 {
	if i < len(s.Samples) && !math.IsNaN(s.Samples[i].Clear) {
		return s.Samples[i].Clear
	}
	if !s.Known {
		return math.NaN()
	}
	last := len(s.Samples) - 1
	at := float64(s.Samples[min(i, last)].At) + float64(i-min(i, last))*s.Step.Seconds()
	return s.Place.ClearMean(at, s.Step.Seconds())
}

// Lacks says what the plant lacks to run at all, or to be foreseen by weather, and which flag makes up for that;
// nothing if it lacks nothing.
func (p Plant) Lacks(s *Series, byWeather bool) (what, flag string) {
	usual := mean(s.Samples) // missing, where all are
	sky := !math.IsNaN(usual.Clear) || s.Known
	switch {
	case p.Panels.Peak > 0 && math.IsNaN(usual.GHI) && (math.IsNaN(usual.Cloud) || !sky):
		return s.From + " has no irradiance, which panels need", "--panels 0 to leave them out"
	case p.Turbine.Peak > 0 && math.IsNaN(usual.Wind):
		return s.From + " has no wind speed, which a turbine needs", "--turbine 0 to leave it out"
	case p.Peak() == 0:
		return "there are neither panels nor a turbine", "--panels or --turbine more than 0"
	case byWeather && p.Panels.Peak > 0 && !sky:
		return s.From + " does not say where it was measured, which a forecast by weather needs", "--site LATITUDE,LONGITUDE"
	}
	return "", ""
}

// byWeather foresees power by paper 000, section 4.2: what a clear sky would give, less clouds, and
// wind. Forecasts of clouds and wind are not to be had, so both come from what was: the part of the
// clear sky that is let through, by an autoregression of one lag, and the power of the wind, by one
// of three. Both have a constant, and so lead from what is now to what is usual. It looks at the
// series, up to the values that it was shown.
type byWeather struct {
	series      *Series
	plant       Plant
	solar, wind []float64
	at          int // values that were shown
	through     *forecast.AR
	blows       *forecast.AR
}

func newByWeather(s *Series, p Plant, window int) *byWeather {
	_, solar, wind := p.Power(s)
	lags := func(n int) *forecast.AR {
		return &forecast.AR{Order: n, Constant: true, Past: forecast.Window{Size: window}}
	}
	return &byWeather{series: s, plant: p, solar: solar, wind: wind, through: lags(1), blows: lags(3)}
}

// faint is the power, as part of that of all panels, below which the clear sky tells nothing of
// clouds.
const faint = 0.05

// Observe looks at the next interval.
func (b *byWeather) Observe(float64) {
	through, clear := math.NaN(), b.plant.Panels.Power(b.series.clear(b.at))
	if clear > faint*b.plant.Panels.Peak {
		through = min(b.solar[b.at]/clear, 1.3)
	}
	b.through.Observe(through)
	b.blows.Observe(b.wind[b.at])
	b.at++
}

// Predict adds sun and wind.
func (b *byWeather) Predict(steps []forecast.Step) bool {
	through, blows := make([]forecast.Step, len(steps)), make([]forecast.Step, len(steps))
	sunny, windy := b.through.Predict(through), b.blows.Predict(blows)
	if !windy {
		return false
	}
	for h := range steps {
		clear := b.plant.Panels.Power(b.series.clear(b.at + h))
		if !sunny { // nothing is known of the day: half of what a clear sky gives
			through[h] = forecast.Step{Mid: 0.5, Deviation: 0.3}
		}
		if !(clear > 0) {
			clear = 0
		}
		solar := clear * min(max(through[h].Mid, 0), 1.3)
		steps[h] = forecast.Normal(solar+blows[h].Mid, math.Hypot(clear*through[h].Deviation,
			blows[h].Deviation))
	}
	return true
}
