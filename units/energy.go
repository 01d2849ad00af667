package units

import "strconv"

// Watts is power.
type Watts float64

// Joules is energy.
type Joules float64

// JoulesPerKWh converts between the two usual units of energy.
const JoulesPerKWh Joules = 3.6e6

// Over returns the energy that the power w uses in d.
func (w Watts) Over(d Duration) Joules { return Joules(float64(w) * d.Seconds()) }

// String prints the power in watts: "235W".
func (w Watts) String() string { return strconv.FormatFloat(float64(w), 'g', -1, 64) + "W" }

// KWh returns the energy in kilowatt-hours.
func (j Joules) KWh() float64 { return float64(j / JoulesPerKWh) }

// String prints the energy in joules: "1800J".
func (j Joules) String() string { return strconv.FormatFloat(float64(j), 'g', -1, 64) + "J" }
