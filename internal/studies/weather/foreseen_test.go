package weather

import (
	"math"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/maths/sun"
)

// Without an error what is foreseen is what comes. With one, clouds are off by so much of the sky and wind by
// so much of its speed, alike within an hour.
func TestForeseenIsOffByItsError(t *testing.T) {
	p, s := Micro(), MadeUp(7, 3)
	came, _, _ := p.Power(s)
	for i, x := range p.Foreseen(s, 0, 7) {
		if math.Abs(x-came[i]) > 1e-6 {
			t.Fatalf("interval %d: %v is foreseen, %v came", i, x, came[i])
		}
	}
	flat := &Series{Step: 10 * time.Minute, Zone: time.UTC}
	for i := range int64(6 * 4000) {
		flat.Samples = append(flat.Samples, Sample{At: 600 * i, GHI: 400, Clear: 800, Wind: 6})
	}
	var clouds, wind stat.Sum
	sunny, windy := Plant{Panels: p.Panels}.Foreseen(flat, 0.1, 1), Plant{Turbine: p.Turbine}.Foreseen(flat, 0.1, 1)
	for i := 0; i < len(sunny); i += 6 {
		for k := range 6 {
			if sunny[i+k] != sunny[i] || windy[i+k] != windy[i] {
				t.Fatal("the error changes within an hour")
			}
		}
		clouds.Add(1 - sunny[i]/800)
		wind.Add(math.Cbrt((windy[i] - p.Turbine.B) / p.Turbine.A))
	}
	if math.Abs(clouds.Mean()-0.5) > 0.01 || math.Abs(clouds.Deviation()-0.1) > 0.01 {
		t.Error("clouds:", clouds.Mean(), clouds.Deviation())
	}
	if math.Abs(wind.Mean()-6) > 0.05 || math.Abs(wind.Deviation()-0.6) > 0.06 {
		t.Error("wind:", wind.Mean(), wind.Deviation())
	}
	if flat.Samples[0].GHI != 400 || flat.Samples[0].Wind != 6 {
		t.Error("the weather itself was changed")
	}
}

// A day of ten minutes has 144 of them. At the place of the made-up weather, 105° west, the sun is seven hours
// behind UTC; where no place is known the file's clock counts.
func TestPartsAndHours(t *testing.T) {
	s := MadeUp(1, 7)
	if s.Parts(3) != 2 || s.Part(1, 3).Samples[0] != s.Samples[432] || len(s.Part(0, 3).Samples) != 432 {
		t.Error(s.Parts(3), len(s.Part(0, 3).Samples))
	}
	if h := s.Hour(0); h != 17 {
		t.Error(h)
	}
	zone := time.FixedZone("", -7*3600)
	s = &Series{Step: time.Minute, Zone: zone, Place: sun.Place{}, Samples: []Sample{{At: time.Date(2030, 6, 1, 9, 30, 0, 0, zone).Unix()}}}
	if h := s.Hour(0); h != 9.5 {
		t.Error(h)
	}
}
