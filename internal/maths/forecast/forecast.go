package forecast

// A Forecaster predicts a series of values at equal intervals.
type Forecaster interface {
	// Observe takes the value of the next interval. One that is missing is NaN; so is an infinite
	// one.
	Observe(x float64)
	// Predict writes what is expected of the next len(steps) intervals. It returns false, and
	// writes nothing, while it remembers no value.
	Predict(steps []Step) bool
}

// A Step is what is expected of one interval to come.
type Step struct {
	// Mid is the expected value.
	Mid float64 `json:"mid"`
	// Deviation is the standard deviation of the error that the model expects of Mid.
	Deviation float64 `json:"deviation"`
	// Low and High are the ends of the band that should hold nine of ten values.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Judged is how many earlier forecasts, as many intervals ahead, could be held to a value, and
	// Covered the part of these values that lay in their bands. Both are 0 unless the forecaster is
	// Tracked.
	Judged  int     `json:"judged"`
	Covered float64 `json:"covered"`
}

// Evidence is how many earlier forecasts, as far ahead, must have been judged before a band is worth its
// name: of fewer than 20 not one is expected beyond either end of a band of 90 %.
const Evidence = 20

// Banded tells whether there is evidence enough for the band of a step. Who shows or passes on a band asks.
func (s *Step) Banded() bool { return s.Judged >= Evidence }

// nominalZ is the normal quantile of 95 %: a band of that width has 90 % of all values in it.
const nominalZ = 1.6448536269514722

// Normal is a step with a normal band around its middle.
func Normal(mid, deviation float64) Step {
	return Step{Mid: mid, Deviation: deviation, Low: mid - float64(nominalZ*deviation),
		High: mid + float64(nominalZ*deviation)}
}
