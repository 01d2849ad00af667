package sun

import (
	"errors"
	"math"

	"github.com/slackline/slackline/units"
)

// standard is the irradiance, in W/m², at which panels have their nominal power.
const standard = 1000

// Panels are solar panels of so much nominal power together, in watts.
type Panels struct {
	Peak float64 `json:"peak"`
}

// Power is what they make at an irradiance in W/m², at most their nominal power.
func (p Panels) Power(irradiance float64) float64 {
	return p.Peak * min(max(irradiance, 0)/standard, 1)
}

// Turbine is a wind turbine. It stands still below CutIn and from CutOut on, makes A v³ + B watts
// between CutIn and Rated, and Peak from there. Speeds are in m/s.
type Turbine struct {
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	CutIn  float64 `json:"cut_in"`
	Rated  float64 `json:"rated"`
	CutOut float64 `json:"cut_out"`
	Peak   float64 `json:"peak"`
}

// Cubic is a turbine of so much nominal power that makes none at CutIn and all of it at Rated.
func Cubic(peak, cutIn, rated, cutOut float64) Turbine {
	low, high := math.Pow(cutIn, 3), math.Pow(rated, 3)
	a := peak / (high - low)
	return Turbine{a, -a * low, cutIn, rated, cutOut, peak}
}

// Micro is a turbine of 1 kW, as in the paper, with speeds that are usual for such: 2.5, 11 and 25
// m/s.
func Micro() Turbine { return Cubic(1000, 2.5, 11, 25) }

// Power is what it makes at a wind speed.
func (t Turbine) Power(v float64) float64 {
	at := units.Rounded(v)
	switch {
	case math.IsNaN(v):
		return v
	case at < units.Rounded(t.CutIn) || at >= units.Rounded(t.CutOut):
		return 0
	case at >= units.Rounded(t.Rated):
		return t.Peak
	}
	return min(max(t.A*v*v*v+t.B, 0), t.Peak)
}

// Fit finds A and B by least squares from pairs of wind speed and power, of those between CutIn and
// Rated, and keeps the rest of the turbine. Pairs that miss something are left out.
func (t Turbine) Fit(speeds, powers []float64) (Turbine, error) {
	n, mean, level := 0.0, 0.0, 0.0
	each := func(use func(cube, power float64)) {
		for i, v := range speeds {
			at := units.Rounded(v)
			if at >= units.Rounded(t.CutIn) && at < units.Rounded(t.Rated) && !math.IsNaN(powers[i]) {
				use(v*v*v, powers[i])
			}
		}
	}
	each(func(cube, power float64) {
		n++
		mean += (cube - mean) / n
		level += (power - level) / n
	})
	spread, joint := 0.0, 0.0
	each(func(cube, power float64) {
		spread += (cube - mean) * (cube - mean)
		joint += (cube - mean) * (power - level)
	})
	if units.Rounded(spread) == 0 {
		return t, errors.New("a power curve needs at least two wind speeds between cut-in and rated")
	}
	t.A = joint / spread
	t.B = level - t.A*mean
	return t, nil
}

// Mix says how a cluster is powered: Grid is the part of its capacity that the grid always carries,
// and Green the green power, in watts, that carries the rest.
type Mix struct {
	Grid  float64 `json:"grid"`
	Green float64 `json:"green"`
}

// Capacity is the part of the cluster, from 0 to 1, that can run on so much green power: it is
// linear in power.
func (m Mix) Capacity(green float64) float64 {
	return m.Grid + (1-m.Grid)*min(max(green/m.Green, 0), 1)
}
