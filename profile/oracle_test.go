package profile

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// oracle is what testdata/oracle.py has made with SciPy and statsmodels.
type oracle struct {
	Lines []struct {
		Used         int
		X            [][]float64
		Y, Weights   []float64
		Coefficients []float64
		Objective    float64
	}
	Tails []struct {
		Excess           []float64
		Shape, Likeliest float64
		At               struct{ Shape, Size float64 }
		Beyond           []float64
		Quantiles        []float64
	}
	Groups []struct {
		Jobs        [][]float64
		Own, Shared float64
		REMLOwn     float64 `json:"reml_own"`
		REMLShared  float64 `json:"reml_shared"`
	}
}

func readOracle(t *testing.T) (o oracle) {
	t.Helper()
	text, err := os.ReadFile("testdata/oracle.json")
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil || len(o.Lines) == 0 || len(o.Tails) == 0 || len(o.Groups) == 0 {
		t.Fatal(err)
	}
	return o
}

// The line is the one that SciPy finds by another way, and its sum of losses is no higher.
func TestLinesAgreeWithSciPy(t *testing.T) {
	for i, c := range readOracle(t).Lines {
		points := make([]point, len(c.Y))
		for k := range points {
			points[k] = point{y: c.Y[k], weight: c.Weights[k]}
			copy(points[k].x[:], c.X[k])
		}
		var want [3]float64
		copy(want[:], c.Coefficients)
		if at := objective(points, &want); math.Abs(at-c.Objective) > 1e-9*c.Objective {
			t.Errorf("line %d: the objective of SciPy's is %v here, %v there", i, at, c.Objective)
		}
		for _, start := range [][3]float64{{1, 1, 1}, {10, 0.01, 0.01}, {0.01, 5, 5}} {
			for k := c.Used; k < 3; k++ {
				start[k] = 0
			}
			got := fitLine(points, start, c.Used)
			if at := objective(points, &got); at > c.Objective*(1+1e-6) {
				t.Errorf("line %d from %v: %v, objective %v; SciPy has %v, %v", i, start, got, at, want, c.Objective)
			}
			for k := range want {
				if math.Abs(got[k]-want[k]) > 1e-3*(want[0]+want[1]+want[2]) {
					t.Errorf("line %d from %v: %v, SciPy has %v", i, start, got, want)
				}
			}
		}
	}
}

// The shape of a tail is that of the published formula, drawn towards the usual one as if ten more
// values had it, close to the likeliest; its quantiles are those of SciPy.
func TestTailsAgreeWithSciPy(t *testing.T) {
	for i, c := range readOracle(t).Tails {
		var excess []weighted
		for _, x := range c.Excess {
			excess = append(excess, weighted{x, 1})
		}
		n := float64(len(excess))
		want := math.Max(0, (n*c.Shape+tailPrior*usualShape)/(n+tailPrior))
		got, size := pareto(excess, n)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("tail %d: shape %v, want %v", i, got, want)
		}
		if math.Abs(got-math.Max(0, c.Likeliest)) > 0.1 || math.Abs(size/c.At.Size-1) > 0.2 {
			t.Errorf("tail %d: shape %v, size %v; the likeliest shape is %v, it was made with %+v", i, got, size, c.Likeliest, c.At)
		}
		at := tail{shape: c.At.Shape, size: c.At.Size}
		for k, p := range c.Beyond {
			if q := at.beyond(p); math.Abs(q-c.Quantiles[k]) > 1e-9*c.Quantiles[k] {
				t.Errorf("tail %d: beyond %v lies %v, SciPy has %v", i, p, q, c.Quantiles[k])
			}
		}
	}
}

// What jobs and tasks vary is what the analysis of variance of statsmodels says, and close to
// restricted maximum likelihood.
func TestVarianceAgreesWithStatsmodels(t *testing.T) {
	for i, c := range readOracle(t).Groups {
		var s Sample
		var residuals []weighted
		var weights []float64
		for _, job := range c.Jobs {
			s.Jobs = append(s.Jobs, make([]Measure, len(job)))
			weights = append(weights, 1)
			for _, y := range job {
				residuals = append(residuals, weighted{y, 1})
			}
		}
		small := unknown() // borrows as much as one value: let it be about right
		total := math.Hypot(c.Own, c.Shared)
		from := &Model{Total: *spread(&small.Total, total), Own: *spread(&small.Own, c.Own), Shared: *spread(&small.Shared, c.Shared)}
		v := components(&s, weights, residuals, from)
		if math.Abs(v.own-c.Own) > 0.01*total || math.Abs(v.shared-c.Shared) > 0.03*total {
			t.Errorf("groups %d: own %v, shared %v; statsmodels has %v, %v", i, v.own, v.shared, c.Own, c.Shared)
		}
		if math.Abs(v.own-c.REMLOwn) > 0.03*total || math.Abs(v.shared-c.REMLShared) > 0.12*total {
			t.Errorf("groups %d: own %v, shared %v; the likeliest are %v, %v", i, v.own, v.shared, c.REMLOwn, c.REMLShared)
		}
	}
}
