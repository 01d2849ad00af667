package weather

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/sun"
)

// Method is a way to foresee power.
type Method struct{ Name, Doc string }

// Methods are all there are. The first is the default.
var Methods = []Method{
	{"combined", "arima and weather, weighed by the inverse of their recent squared errors"},
	{"arima", "autoregression of the last three intervals without a constant, by least squares (paper 000)"},
	{"weather", "clear sky, less clouds, and wind, both as they were"},
	{"persistence", "the last value"},
	{"seasonal", "the value of a day before"},
}

// A Question is what is to be foreseen.
type Question struct {
	Plant   Plant
	Grid    float64   // part of the cluster that the grid carries
	By      string    // one of Methods
	Window  int       // values that are fitted to
	At      time.Time // when the forecast is made; zero: behind the last value
	Horizon int       // intervals
}

// An Outlook is a forecast of power, with what was before, and what came. Power is in watts,
// capacity a part of the cluster.
type Outlook struct {
	Source   string      `json:"source" doc:"where the weather comes from: a file and its format, or the generator and its seed"`
	By       string      `json:"by" doc:"how it is forecast"`
	At       time.Time   `json:"at" doc:"when it is made: the first forecast interval begins then"`
	Interval float64     `json:"interval" doc:"length of an interval, in seconds"`
	Peak     float64     `json:"peak" doc:"power of panels and turbine at most, in watts"`
	Grid     float64     `json:"grid" doc:"part of the cluster's capacity that the grid carries; green power carries the rest"`
	History  []Value     `json:"history" doc:"what was before"`
	Forecast []Expected  `json:"forecast" doc:"what is expected"`
	Errors   []StepError `json:"errors" doc:"how forecasts turned out before, by how far they looked ahead"`
	NRMSE    string      `json:"nrmse" doc:"what the errors are divided by: the mean power before"`
	Mean     float64     `json:"mean" doc:"mean power before, in watts"`
	Notes    []string    `json:"notes,omitempty" doc:"what was filled in, moved or left out as the weather was read, and what looks wrong with it"`
}

// A Value is what was in an interval.
type Value struct {
	At    time.Time `json:"at" doc:"when the interval begins"`
	Power *float64  `json:"power,omitempty" doc:"power, in watts; left out where it is missing"`
}

// Expected is what is expected of an interval.
type Expected struct {
	At       time.Time `json:"at" doc:"when the interval begins"`
	Power    float64   `json:"power" doc:"expected power, in watts"`
	Low      *float64  `json:"low,omitempty" doc:"lower end of the band that should hold 90 % of all values; no band where fewer than 20 earlier forecasts were judged"`
	High     *float64  `json:"high,omitempty" doc:"upper end"`
	Capacity float64   `json:"capacity" doc:"part of the cluster, from 0 to 1, that can run on so much and the grid"`
	CapLow   *float64  `json:"capacity_low,omitempty" doc:"capacity at the lower end of the band"`
	CapHigh  *float64  `json:"capacity_high,omitempty" doc:"capacity at the upper end"`
	Judged   int       `json:"judged" doc:"earlier forecasts as far ahead for which there is a value"`
	Covered  float64   `json:"covered" doc:"part of these whose band held the value"`
	Came     *float64  `json:"came,omitempty" doc:"actual power, in watts; left out where it is not known"`
}

// A StepError is how forecasts of all methods turned out.
type StepError struct {
	Ahead   int                `json:"ahead" doc:"how many intervals ahead"`
	Judged  int                `json:"judged" doc:"how many there were"`
	Methods map[string]float64 `json:"methods" doc:"root of the mean squared error of each method, divided by the mean power"`
}

// forecaster makes the one of a method.
func (q *Question) forecaster(by string, s *Series, horizon int) *forecast.Tracked {
	track := func(f forecast.Forecaster) *forecast.Tracked {
		return forecast.NewTracked(f, horizon, 0, q.Plant.Peak())
	}
	switch by {
	case "arima":
		return track(forecast.NewAR(3, q.Window))
	case "weather":
		return track(newByWeather(s, q.Plant, q.Window))
	case "persistence":
		return track(forecast.NewPersistence(q.Window))
	case "seasonal":
		return track(forecast.NewSeasonal(max(int(24*time.Hour/s.Step), 1), q.Window))
	}
	return track(&forecast.Combined{Of: []*forecast.Tracked{q.forecaster("arima", s, horizon), q.forecaster("weather", s, horizon)}})
}

// Foresee answers a question.
func Foresee(s *Series, q Question) (*Outlook, error) {
	if len(s.Samples) == 0 {
		return nil, fmt.Errorf("%s has no whole interval of %v", s.From, s.Step)
	}
	if what, flag := q.Plant.Lacks(s, q.By == "weather" || q.By == "combined"); what != "" {
		return nil, fmt.Errorf("%s; give %s", what, flag)
	}
	power, _, _ := q.Plant.Power(s)
	n := len(power)
	begin, end := time.Unix(s.Samples[0].At, 0), time.Unix(s.Samples[n-1].At, 0).Add(s.Step)
	if q.At.IsZero() {
		q.At = end
	}
	clock := func(t time.Time) string { return t.In(s.Zone).Format(time.RFC3339) }
	if !q.At.After(begin) || q.At.After(end) {
		return nil, fmt.Errorf("--at is %s, but %s has values from %s to %s; it must be after the first and no later than the last", clock(q.At), s.From, clock(begin), clock(end))
	}
	shown := min(int(q.At.Sub(begin)/s.Step), n)
	if shown == 0 {
		return nil, fmt.Errorf("--at is %s, but the first interval of %s ends at %s only; it must be then or later", clock(q.At), s.From, clock(begin.Add(s.Step)))
	}
	o := &Outlook{Source: s.From, By: q.By, At: begin.Add(time.Duration(shown) * s.Step).In(s.Zone),
		Interval: s.Step.Seconds(),
		Peak:     q.Plant.Peak(), Grid: q.Grid, NRMSE: "mean power before", Notes: s.Notes}
	count := 0
	for _, x := range power[:shown] {
		if !math.IsNaN(x) {
			o.Mean += x
			count++
		}
	}
	o.Mean /= float64(max(count, 1))
	steps := make([]forecast.Step, q.Horizon)
	if err := o.judge(s, q, power[:shown], steps); err != nil {
		return nil, err
	}
	mix := sun.Mix{Grid: q.Grid, Green: q.Plant.Peak()}
	for i, x := range power[:shown] {
		v := Value{At: time.Unix(s.Samples[i].At, 0).In(s.Zone)}
		if !math.IsNaN(x) {
			v.Power = &x
		}
		o.History = append(o.History, v)
	}
	for h, x := range steps {
		e := Expected{At: o.At.Add(time.Duration(h) * s.Step), Power: x.Mid, Judged: x.Judged, Covered: x.Covered, Capacity: mix.Capacity(x.Mid)}
		if x.Banded() {
			e.Low, e.High, e.CapLow, e.CapHigh = &x.Low, &x.High, new(mix.Capacity(x.Low)), new(mix.Capacity(x.High))
		}
		if i := shown + h; i < n && !math.IsNaN(power[i]) {
			e.Came = &power[i]
		}
		o.Forecast = append(o.Forecast, e)
	}
	return o, nil
}

// judge shows all that was before to the method, and to persistence beside it, and predicts.
func (o *Outlook) judge(s *Series, q Question, power []float64, steps []forecast.Step) error {
	beside := []string{q.By, "persistence"}
	if q.By == "combined" {
		beside = []string{q.By, "arima", "weather", "persistence"}
	}
	var scores [][]forecast.Score
	beside = slices.Compact(beside) // persistence beside itself
	for i, by := range beside {
		f := q.forecaster(by, s, len(steps))
		for _, x := range power {
			f.Observe(x)
		}
		if i == 0 && !f.Predict(steps) {
			return fmt.Errorf("%s has no value before %s", o.Source, o.At.Format(time.RFC3339))
		}
		scores = append(scores, f.Scores)
	}
	for h := range steps {
		e := StepError{Ahead: h + 1, Judged: scores[0][h].Judged, Methods: map[string]float64{}}
		for i, by := range beside {
			if o.Mean > 0 {
				e.Methods[by] = scores[i][h].RMSE() / o.Mean
			}
		}
		o.Errors = append(o.Errors, e)
	}
	return nil
}

// beside are the methods whose errors are told, the one that was asked for first.
func (o *Outlook) beside() []string {
	all := []string{o.By}
	for _, m := range Methods {
		if len(o.Errors) > 0 && m.Name != o.By {
			if _, ok := o.Errors[0].Methods[m.Name]; ok {
				all = append(all, m.Name)
			}
		}
	}
	return all
}

// MethodNames lists them.
func MethodNames() string {
	return strings.Join(each.Of(Methods, func(m Method) string { return m.Name }), ", ")
}
