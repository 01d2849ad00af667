package sun

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The example of Reda and Andreas, "Solar position algorithm for solar radiation applications",
// NREL/TP-560-34302, 2008, appendix A.5; the zenith is that without refraction, 90° less e0.
func TestPositionAsPublished(t *testing.T) {
	at := time.Date(2003, 10, 17, 12, 30, 30, 0, time.FixedZone("", -7*3600))
	zenith, azimuth := Place{39.742476, -105.1786}.Position(float64(at.Unix()))
	if math.Abs(zenith-(90-39.872046)) > 0.001 || math.Abs(azimuth-194.340241) > 0.003 {
		t.Errorf("%v, %v", zenith, azimuth)
	}
}

// Equinoxes and solstices, as almanacs have them: on the equator and the tropics the sun passes the
// zenith.
func TestSunAtKnownTimes(t *testing.T) {
	for _, c := range []struct {
		at       time.Time
		latitude float64
	}{
		{time.Date(2024, 3, 20, 3, 6, 0, 0, time.UTC), 0},
		{time.Date(2024, 6, 20, 20, 51, 0, 0, time.UTC), 23.4363},
		{time.Date(2024, 9, 22, 12, 44, 0, 0, time.UTC), 0},
		{time.Date(2024, 12, 21, 9, 21, 0, 0, time.UTC), -23.4363},
	} {
		least := 180.0
		for longitude := -180.0; longitude < 180; longitude += 0.05 {
			zenith, _ := Place{c.latitude, longitude}.Position(float64(c.at.Unix()))
			least = min(least, zenith)
		}
		if least > 0.05 {
			t.Errorf("%v: the sun comes as near as %v° to the zenith of %v°", c.at, least, c.latitude)
		}
	}
}

// The day is 12 hours long at an equinox, and a night of the poles is dark.
func TestDays(t *testing.T) {
	light := func(p Place, day time.Time) (hours float64) {
		for m := range 1440 {
			if zenith, _ := p.Position(float64(day.Unix() + int64(60*m))); zenith < 90 {
				hours += 1. / 60
			}
		}
		return hours
	}
	if h := light(Place{40, 10}, time.Date(2025, 3, 20, 0, 0, 0, 0, time.UTC)); math.Abs(h-12) > 0.1 {
		t.Error(h)
	}
	if h := light(Place{80, 0}, time.Date(2025, 12, 21, 0, 0, 0, 0, time.UTC)); h != 0 {
		t.Error(h)
	}
	if h := light(Place{80, 0}, time.Date(2025, 6, 21, 0, 0, 0, 0, time.UTC)); math.Abs(h-24) > 1e-6 {
		t.Error(h)
	}
}

// Values that pvlib's tests have for Haurwitz's model, by elevation.
func TestClearSky(t *testing.T) {
	for elevation, want := range map[float64]float64{-20: 0, -0.05: 0, 5: 48.6298687941956,
		10: 135.741748091813, 30: 487.894132885425, 90: 1035.09203253450} {
		if got := ClearSky(90 - elevation); math.Abs(got-want) > 1e-9*max(want, 1) {
			t.Errorf("%v°: %v, want %v", elevation, got, want)
		}
	}
	noon := Place{0, 0}.ClearMean(float64(time.Date(2024, 3, 20, 12, 0, 0, 0, time.UTC).Unix()), 600)
	if noon < 1030 || noon > 1036 {
		t.Error(noon)
	}
}

func TestPower(t *testing.T) {
	p, w := Panels{1000}, Micro()
	for _, c := range [][2]float64{{p.Power(-7), 0}, {p.Power(500), 500}, {p.Power(1200), 1000},
		{w.Power(2.4), 0}, {w.Power(2.5), 0}, {w.Power(11), 1000}, {w.Power(24.9), 1000}, {w.Power(25), 0},
		{w.Power(6.75), 1000 * (6.75*6.75*6.75 - 15.625) / (1331 - 15.625)},
		{Mix{0.5, 2000}.Capacity(1000), 0.75}, {Mix{0.5, 2000}.Capacity(0), 0.5}, {Mix{0.2, 10}.Capacity(20),
			1}} {
		if math.Abs(c[0]-c[1]) > 1e-9 {
			t.Error(c)
		}
	}
}

// The curve is the one that the pairs were made by; residuals of others are orthogonal to what
// explains them.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speeds := rapid.SliceOfN(rapid.Float64Range(0, 30), 3, 40).Draw(t, "speeds")
		noise := rapid.SliceOfN(rapid.Float64Range(-50, 50), len(speeds), len(speeds)).Draw(t, "noise")
		powers := make([]float64, len(speeds))
		for i, v := range speeds {
			powers[i] = 0.8*v*v*v - 9 + noise[i]
		}
		fit, err := Micro().Fit(speeds, powers)
		if err != nil {
			t.Skip(err)
		}
		sum, along, size := 0.0, 0.0, 0.0
		for i, v := range speeds {
			if v >= 2.5 && v < 11 {
				e := powers[i] - fit.A*v*v*v - fit.B
				sum, along, size = sum+e, along+e*v*v*v, size+math.Abs(powers[i]*v*v*v)
			}
		}
		if math.Abs(sum) > 1e-7*(size+1) || math.Abs(along) > 1e-7*(size+1) {
			t.Fatalf("%+v leaves %v and %v", fit, sum, along)
		}
	})
	if _, err := Micro().Fit([]float64{5, 5, 30}, []float64{1, 2, 3}); err == nil {
		t.Error("one speed is no curve")
	}
	fit, err := Micro().Fit([]float64{3, 5, 7, 2, 12, math.NaN()}, []float64{54 + 1, 250 + 1, 686 + 1, 99, 99,
		99})
	if err != nil || math.Abs(fit.A-2) > 1e-9 || math.Abs(fit.B-1) > 1e-9 || fit.CutOut != 25 {
		t.Error(fit, err)
	}
}
