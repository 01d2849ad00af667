package experiment

import (
	"context"
	"math"
	"time"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/internal/studies/weather"
)

// foreseeing holds forecasts of a cluster's capacity, some intervals ahead, to the capacity that came. Half
// of the cluster runs on green power, by weather that is made up for each seed (paper 000, sections 4 and 5.4).
// One that looks back over n intervals predicts the next one only.
func foreseeing(by string) func(context.Context, *computed, float64, uint64) (map[string]float64, error) {
	return func(_ context.Context, c *computed, n float64, seed uint64) (map[string]float64, error) {
		made := weather.Generator{Seed: seed, Place: sun.Place{Latitude: 40, Longitude: -105},
			Start: time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC), Step: 10 * time.Minute, N: c.Days * 144}
		const kW = 1000
		plant := weather.Plant{Panels: sun.Panels{Peak: kW}, Turbine: sun.Micro()}
		power, _, _ := plant.Power(made.Series())
		mix := sun.Mix{Grid: c.Grid, Green: plant.Peak()}

		ahead := max(1, int(n))
		var of forecast.Forecaster
		switch by {
		case "ar":
			of = forecast.Default()
		case "lags":
			of, ahead = forecast.NewAR(max(1, int(n)), 144), 1
		case "persistence":
			of = forecast.NewPersistence(144)
		}
		tracked := forecast.NewTracked(of, ahead, 0, 1)
		sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
		for _, watts := range power {
			x := mix.Capacity(watts)
			tracked.Observe(x)
			sum, least, most = sum+x, min(least, x), max(most, x)
		}
		e := tracked.Scores[ahead-1].RMSE()
		return map[string]float64{"capacity error": e / (sum / float64(len(power))), "capacity error by range": e / (most - least)}, nil
	}
}
