package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/internal/studies/weather"
)

// foreseeing holds forecasts of a cluster's capacity, some intervals ahead, to the capacity that came. Half
// of the cluster runs on green power, by weather that is made up for each seed, or by the seed's part of
// weather that was measured (paper 000, sections 4 and 5.4). One that looks back over n intervals predicts the next one
// only.
func foreseeing(by string) func(context.Context, *computed, float64, uint64) (map[string]float64, error) {
	return func(_ context.Context, c *computed, n float64, seed uint64) (map[string]float64, error) {
		sky, err := c.sky(seed)
		if err != nil {
			return nil, err
		}
		plant := weather.Micro()
		power, _, _ := plant.Power(sky)
		window := c.Window * int(24*time.Hour/sky.Step)
		mix := sun.Mix{Grid: c.Grid, Green: plant.Peak()}
		capacity := each.Of(power, mix.Capacity)

		ahead := max(1, int(n))
		var of forecast.Forecaster
		switch by {
		case "ar":
			of = forecast.NewAR(3, window) // forecast.Default, but for the window
		case "lags":
			of, ahead = forecast.NewAR(max(1, int(n)), window), 1
		case "persistence", "weather":
			of = forecast.NewPersistence(window)
		case "hindsight": // it has seen all before, so what it is fitted to is what comes
			of = forecast.NewAR(3, 2*len(capacity))
			for _, x := range capacity {
				of.Observe(x)
			}
		}
		tracked := forecast.NewTracked(of, ahead, 0, 1)
		var came stat.Sum
		least, most := math.Inf(1), math.Inf(-1)
		for _, x := range capacity {
			tracked.Observe(x)
			if !math.IsNaN(x) { // else it was not measured
				came.Add(x)
				least, most = min(least, x), max(most, x)
			}
		}
		e := tracked.Scores[ahead-1].RMSE()
		if by == "weather" {
			e = apart(capacity, each.Of(plant.Foreseen(sky, c.Error, seed), mix.Capacity))
		}
		return map[string]float64{"capacity error": e / came.Mean(), "capacity error by range": e / (most - least)}, nil
	}
}

// apart is the root of the mean squared difference, where there is one.
func apart(xs, ys []float64) float64 {
	var squares stat.Sum
	for i, x := range xs {
		if d := x - ys[i]; !math.IsNaN(d) {
			squares.Add(d * d)
		}
	}
	return math.Sqrt(squares.Mean())
}

// sky is the weather of a seed's days. Of a record seed 1 has the first days, seed 2 those behind them.
func (c *computed) sky(seed uint64) (*weather.Series, error) {
	if c.weather == nil {
		return weather.MadeUp(seed, c.Days), nil
	}
	switch most := uint64(c.weather.Parts(c.Days)); {
	case most == 0:
		return nil, fmt.Errorf("%s is too short: each seed takes %d days", c.weather.From, c.Days)
	case seed < 1 || seed > most:
		return nil, fmt.Errorf("%s has no days for seed %d: each takes %d, so seeds may be 1 to %d", c.weather.From, seed, c.Days, most)
	}
	return c.weather.Part(int(seed-1), c.Days), nil
}
