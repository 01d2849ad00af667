package forecast

import (
	"encoding/json"
	"math"
	"slices"
)

// A Window holds the last Size values of a series, the oldest first; all of them where Size is 0.
// Missing values are NaN, in JSON null.
type Window struct {
	Size   int    `json:"size"`
	Values Series `json:"values"`
}

// add takes one more value.
func (w *Window) add(x float64) {
	if math.IsInf(x, 0) {
		x = math.NaN()
	}
	if w.Size > 0 && len(w.Values) >= w.Size {
		copy(w.Values, w.Values[len(w.Values)-w.Size+1:])
		w.Values = w.Values[:w.Size-1]
	}
	w.Values = append(w.Values, x)
}

func (w *Window) clone() Window { return Window{w.Size, slices.Clone(w.Values)} }

// last returns the last value that is not missing, and how many are missing behind it.
func (w *Window) last() (x float64, missing int, ok bool) {
	for i := len(w.Values) - 1; i >= 0; i-- {
		if !math.IsNaN(w.Values[i]) {
			return w.Values[i], missing, true
		}
		missing++
	}
	return 0, missing, false
}

// A Series is values of which some may be missing, NaN, which JSON has no number for.
type Series []float64

// MarshalJSON writes null for a missing value.
func (s Series) MarshalJSON() ([]byte, error) {
	values := make([]*float64, len(s))
	for i := range s {
		if !math.IsNaN(s[i]) {
			values[i] = &s[i]
		}
	}
	return json.Marshal(values)
}

// UnmarshalJSON reads null as a missing value.
func (s *Series) UnmarshalJSON(text []byte) error {
	var values []*float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*s = (*s)[:0]
	for _, x := range values {
		if x == nil {
			*s = append(*s, math.NaN())
		} else {
			*s = append(*s, *x)
		}
	}
	return nil
}

// scale is a power of two near the largest absolute value of the series, 1 where all are 0: models
// are fitted to what is divided by it, so that the unit does not matter.
func scale(xs []float64) float64 {
	most := 0.0
	for _, x := range xs {
		if !math.IsNaN(x) {
			most = max(most, math.Abs(x))
		}
	}
	if most == 0 {
		return 1
	}
	_, exponent := math.Frexp(most)
	return math.Ldexp(1, exponent-1)
}
