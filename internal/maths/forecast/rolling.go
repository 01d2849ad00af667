package forecast

// ARIMA is an ARIMA process fitted to a rolling window: by the exact likelihood once the window has
// First values, and by the conditional sum of squares, from the last parameters, after every Every
// values from then on. Until then, and where no fit is possible, it repeats the last value.
type ARIMA struct {
	Order Order  `json:"order"`
	Every int    `json:"every"`
	First int    `json:"first"`
	Past  Window `json:"past"`
	Model *Model `json:"model,omitempty"`
	Since int    `json:"since"` // values since the last fit

	fitter  fitter
	process process
	room    []float64
}

// NewARIMA fits a process of this order to so many values, when half of them are there for the
// first time.
func NewARIMA(o Order, window int) *ARIMA {
	return &ARIMA{Order: o, Every: 1, First: max(window/2, o.least()), Past: Window{Size: window}}
}

// Observe takes the next value, and fits again when it is time.
func (a *ARIMA) Observe(x float64) {
	a.Past.add(x)
	if a.Since++; a.Since < a.Every || len(a.Past.Values) < a.First {
		return
	}
	if m, err := a.fitter.fit(a.Past.Values, a.Order, a.Model, a.Model == nil); err == nil {
		a.Model, a.Since = m, 0
	}
}

// Predict writes what the model expects behind the window.
func (a *ARIMA) Predict(steps []Step) bool {
	if a.Model == nil || start(a.Past.Values, a.Order.D) == len(a.Past.Values) {
		return seasonal(steps, &a.Past, 1)
	}
	if _, _, ok := a.Past.last(); !ok {
		return false
	}
	a.Model.predict(&a.process, &a.room, a.Past.Values, steps)
	return true
}

// Clone returns a copy that shares nothing that changes.
func (a *ARIMA) Clone() Forecaster {
	return &ARIMA{Order: a.Order, Every: a.Every, First: a.First, Past: a.Past.clone(), Model: a.Model,
		Since: a.Since}
}
