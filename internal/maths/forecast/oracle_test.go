package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// known is what testdata/ar.py makes: figures of NumPy.
type known struct {
	Regression []struct {
		Values   Series
		P        int
		A, Mid   []float64
		Variance float64
	}
}

func oracle(t testing.TB) (k known) {
	t.Helper()
	text, err := os.ReadFile("testdata/ar.json")
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
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
