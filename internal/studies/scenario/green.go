package scenario

import (
	"math"
	"time"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/internal/studies/weather"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// SlotsWeather is weather on whose power a cluster runs (paper 000, sections 4.2 and 5.4): panels of 1 kW and a
// turbine of 1 kW, beside the grid.
type SlotsWeather struct {
	Gaps  bool    `json:"gaps" doc:"true: intervals that the file leaves out count as missing, and what is missing stays as it was; else they are errors"`
	File  string  `json:"file" doc:"weather beside the scenario, NSRDB, MIDC or CSV, of which each seed has three days; made up by the seed if left out"`
	Hour  float64 `json:"hour" min:"0" max:"23.99" def:"9" doc:"hour of the second day at which the run begins: by the sun where the place is known, else by the file's clock"`
	Grid  float64 `json:"grid" min:"0" max:"0.99" def:"0.5" doc:"part of the cluster that does not run on green power"`
	Error float64 `json:"error" min:"0" max:"1" doc:"standard deviation of the error of forecasts by weather: of clouds as part of the sky, of wind as part of its speed"`
}

// greenDays are the days of a seed: the one before the run, that of its start, and the one after.
const greenDays = 3

// green has each seed play its own weather. Where a record has no more of it, seeds begin with its first days again.
func (s *Scenario) green() {
	d, k := s.src, &s.Cluster.Slots
	record, plant := s.record, weather.Micro()
	if k.Weather.File != "" {
		in, err := files.Open(s.beside(k.Weather.File))
		if err == nil {
			record, err = weather.Read(in, weather.Options{File: k.Weather.File, Gaps: k.Weather.Gaps, GapsBy: "gaps: true"}, 0, 10*time.Minute)
			_ = in.Close()
		}
		if err != nil {
			d.Failf("cluster.slots.weather.file", "%v", err)
			return
		}
		record = record.KnownDays()
		s.notes = append(s.notes, record.Notes...)
	}
	if k.Weather.Gaps && k.Weather.File == "" {
		d.Failf("cluster.slots.weather.gaps", "gaps needs a file: weather that is made up has none")
	}
	if k.As == "up" && k.Weather.Grid == 0 {
		d.Failf("cluster.slots.weather", "grid is 0, but no node can have the speed 0 where there is neither sun nor wind; use as: out")
	}
	if d.Has("cluster.slots.weather.error") && k.Forecast.By != "weather" {
		d.Failf("cluster.slots.weather.error", "error is that of forecasts by weather, and nothing is forecast by weather here; give forecast: {by: weather}, or leave it out")
	}
	if record != nil {
		if record.Parts(greenDays) == 0 {
			d.Failf("cluster.slots.weather", "%s is too short: each seed takes %d days", record.From, greenDays)
		} else if what, _ := plant.Lacks(record, k.Forecast.By == "weather"); what != "" {
			d.Failf("cluster.slots.weather", "%s; give another file, or none to have weather made up", what)
		}
	}
	s.skies = func(seed uint64, cfg *sim.Config) {
		sky := weather.MadeUp(seed, greenDays)
		if record != nil {
			sky = record.Part(int((seed-1)%uint64(record.Parts(greenDays))), greenDays)
		}
		k.play(k.Weather.of(sky, seed), cfg)
	}
}

// Notes say what was filled in, moved or left out of files beside the scenario.
func (s *Scenario) Notes() []string { return s.notes }

// Weathered tells whether each seed plays weather of its own.
func (s *Scenario) Weathered() bool { return s.skies != nil }

// of is what such weather comes to.
func (w *SlotsWeather) of(sky *weather.Series, seed uint64) *slotsTrace {
	plant := weather.Micro()
	capacity := func(power []float64) []float64 {
		last := 0.0
		return each.Of(power, func(x float64) float64 {
			if !math.IsNaN(x) {
				last = x // what is missing stays as it was
			}
			return sun.Mix{Grid: w.Grid, Green: plant.Peak()}.Capacity(last)
		})
	}
	power, _, _ := plant.Power(sky)
	came := capacity(power)
	day := len(came) / greenDays
	begin, least := day, 24.0 // the interval of the second day that is least behind the hour
	for i := day; i < 2*day; i++ {
		if late := units.Rounded(math.Mod(sky.Hour(i)-w.Hour+24, 24)); late < least {
			begin, least = i, late
		}
	}
	t := &slotsTrace{before: came[:begin], foreseen: capacity(plant.Foreseen(sky, w.Error, seed))[begin:]}
	for i, x := range came[begin:] {
		at := units.Time(int64(i) * int64(sky.Step))
		t.rows = append(t.rows, sim.SupplyStep{At: at, Of: sched.Capacity, Amount: x})
	}
	return t
}
