package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// known is what testdata/arima.py makes: figures of statsmodels, SciPy and NumPy.
type known struct {
	Exact []struct {
		Values         Series
		Order          Order
		AR, MA         []float64
		Mean, Variance float64
		LLF, AICc      float64
		Mid, Deviation []float64
	}
	Conditional []struct {
		Values  Series
		P, Q    int
		AR, MA  []float64
		Squares float64
	}
	Regression []struct {
		Values   Series
		P        int
		A, Mid   []float64
		Variance float64
	}
	Smoothing []struct {
		Values                  Series
		Period                  int
		Alpha, Beta, Gamma, SSE float64
		Mid                     []float64
	}
	KPSS []struct {
		Values    Series
		Statistic float64
	}
}

func oracle(t testing.TB) (k known) {
	t.Helper()
	text, err := os.ReadFile("testdata/arima.json")
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The likelihood is as great as statsmodels', to a millionth, and at the same parameters.
func TestExactLikelihood(t *testing.T) {
	for i, c := range oracle(t).Exact {
		name := fmt.Sprintf("case %d, %v of %d", i, c.Order, len(c.Values))
		m, err := Fit(c.Values, c.Order)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if off := m.LogLikelihood - c.LLF; off < -1e-6 || off > 1e-4 {
			t.Errorf("%s: the likelihood is %v, by statsmodels %v, %v less", name, m.LogLikelihood, c.LLF,
				-off)
		}
		if math.Abs(m.AICc()-c.AICc) > 1e-3 {
			t.Errorf("%s: AICc is %v, by statsmodels %v", name, m.AICc(), c.AICc)
		}
		for j := range c.AR {
			if math.Abs(m.AR[j]-c.AR[j]) > 2e-3 {
				t.Errorf("%s: ar %v, by statsmodels %v", name, m.AR, c.AR)
			}
		}
		for j := range c.MA {
			if math.Abs(m.MA[j]-c.MA[j]) > 2e-3 {
				t.Errorf("%s: ma %v, by statsmodels %v", name, m.MA, c.MA)
			}
		}
		near(t, name+": variance", []float64{m.Variance}, []float64{c.Variance}, 1e-3)
		steps := make([]Step, len(c.Mid))
		if err := m.Predict(c.Values, steps); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for h := range steps {
			if math.Abs(steps[h].Mid-c.Mid[h]) > 2e-3*c.Deviation[h] {
				t.Errorf("%s: %d ahead %v, by statsmodels %v ± %v", name, h+1, steps[h].Mid, c.Mid[h],
					c.Deviation[h])
			}
			if math.Abs(steps[h].Deviation/c.Deviation[h]-1) > 1e-3 {
				t.Errorf("%s: %d ahead the deviation is %v, by statsmodels %v", name, h+1, steps[h].Deviation,
					c.Deviation[h])
			}
		}
	}
}

// At the very parameters of statsmodels, likelihood, forecasts and deviations agree to nine digits.
func TestFilter(t *testing.T) {
	for i, c := range oracle(t).Exact {
		m := Model{Order: c.Order, AR: c.AR, MA: c.MA, Mean: c.Mean, Variance: c.Variance}
		steps := make([]Step, len(c.Mid))
		if err := m.Predict(c.Values, steps); err != nil {
			t.Fatal(err)
		}
		for h := range steps {
			if math.Abs(steps[h].Mid-c.Mid[h]) > 1e-6*c.Deviation[h] ||
				math.Abs(steps[h].Deviation/c.Deviation[h]-1) > 1e-8 {
				t.Errorf("case %d, %d ahead: %v ± %v, by statsmodels %v ± %v", i, h+1, steps[h].Mid,
					steps[h].Deviation, c.Mid[h], c.Deviation[h])
			}
		}
	}
}

func TestConditional(t *testing.T) {
	for i, c := range oracle(t).Conditional {
		m, err := FitConditional(c.Values, Order{P: c.P, Q: c.Q}, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint(i, " squares"), []float64{m.Variance * float64(m.N)}, []float64{c.Squares}, 1e-8)
		near(t, fmt.Sprint(i, " ar"), m.AR, c.AR, 1e-3)
		near(t, fmt.Sprint(i, " ma"), m.MA, c.MA, 1e-3)
	}
}

func TestRegression(t *testing.T) {
	for i, c := range oracle(t).Regression {
		a := NewAR(c.P, 0)
		observe(a, c.Values...)
		near(t, fmt.Sprint(i, " a"), a.Coefficients(), c.A, 1e-8)
		near(t, fmt.Sprint(i, " mid"), mids(t, a, 5), c.Mid, 1e-8)
		steps := make([]Step, 1)
		a.Predict(steps)
		near(t, fmt.Sprint(i, " deviation"), []float64{steps[0].Deviation}, []float64{math.Sqrt(c.Variance)},
			1e-8)
	}
}

func TestSmoothing(t *testing.T) {
	for i, c := range oracle(t).Smoothing {
		s := smooth{alpha: c.Alpha, beta: c.Beta, gamma: c.Gamma}
		if !s.begin(c.Values, c.Period) {
			t.Fatal("it does not begin")
		}
		s.run(c.Values, c.Period, make([]float64, len(c.Values)))
		near(t, fmt.Sprint(i, " squares"), []float64{s.sum}, []float64{c.SSE}, 1e-8)
		w := HoltWinters{Period: c.Period, Past: Window{Values: c.Values}, ready: true, smooth: s}
		near(t, fmt.Sprint(i, " mid"), mids(t, &w, len(c.Mid)), c.Mid, 1e-8)

		// The factors that are found are no worse than these.
		w.ready = false
		mids(t, &w, 1)
		if w.smooth.sum > c.SSE {
			t.Errorf("%d: the errors are %v, by given factors %v", i, w.smooth.sum, c.SSE)
		}
	}
}

func TestKPSS(t *testing.T) {
	for _, c := range oracle(t).KPSS {
		near(t, "KPSS", []float64{kpss(c.Values)}, []float64{c.Statistic}, 1e-9)
	}
}
