package weather

import (
	"math"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/sun"
)

// Micro is the plant of paper 000 (section 4.2): 7 panels of 1 kW in all, and a turbine of 1 kW.
func Micro() Plant { return Plant{Panels: sun.Panels{Peak: 1000}, Turbine: sun.Micro()} }

// MadeUp is weather of so many days in June, in intervals of ten minutes, that a seed makes up.
func MadeUp(seed uint64, days int) *Series {
	g := Generator{Seed: seed, Place: sun.Place{Latitude: 40, Longitude: -105},
		Start: time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC), Step: 10 * time.Minute, N: days * 144}
	return g.Series()
}

// KnownDays leaves out whole days of which nothing is known, such as the leap day that a calendar of 365 days lacks:
// what is behind them follows on what was before. Of no series it is none.
func (s *Series) KnownDays() *Series {
	if s == nil {
		return nil
	}
	whole, day, none := *s, s.of(1), 0
	whole.Samples = nil
	for _, x := range s.Samples {
		whole.Samples = append(whole.Samples, x)
		if none++; !x.none() {
			none = 0
		}
		if none == day {
			whole.Samples, none = whole.Samples[:len(whole.Samples)-day], 0
		}
	}
	return &whole
}

// none tells whether nothing is known of the interval.
func (x *Sample) none() bool {
	return math.IsNaN(x.GHI) && math.IsNaN(x.Clear) && math.IsNaN(x.Cloud) && math.IsNaN(x.Wind)
}

// Parts is how many parts of so many days there are.
func (s *Series) Parts(days int) int { return len(s.Samples) / s.of(days) }

// Part is one of them, from 0 on.
func (s *Series) Part(i, days int) *Series {
	part, n := *s, s.of(days)
	part.Samples = s.Samples[i*n:][:n]
	return &part
}

func (s *Series) of(days int) int { return days * int(24*time.Hour/s.Step) }

// Hour is the hour of the day at which an interval begins: by the sun where the place is known, else by the
// clock of the file.
func (s *Series) Hour(i int) float64 {
	if s.Known {
		return math.Mod(float64(s.Samples[i].At)/3600+s.Place.Longitude/15+24, 24)
	}
	at := time.Unix(s.Samples[i].At, 0).In(s.Zone)
	return float64(at.Hour()) + float64(at.Minute())/60
}

// Foreseen is the power that forecasts of the weather lead to, in watts (paper 000, section 4.2): of a clear
// sky one less the cloud cover, and of the wind. Both are foreseen with a normal error that is drawn for each
// hour, so much of the sky, and so much of the wind's speed: what weather services said is not to be had.
func (p Plant) Foreseen(s *Series, off float64, seed uint64) []float64 {
	said := *s
	said.Samples = slices.Clone(s.Samples)
	for i := range said.Samples {
		x := &said.Samples[i]
		hour := draw.Of(seed, "foreseen").Number(uint64(floor(x.At, 3600) / 3600))
		if clear := s.clear(i); clear > 0 {
			cloud := x.Cloud
			if !math.IsNaN(x.GHI) {
				cloud = 1 - x.GHI/clear
			}
			x.GHI = clear * (1 - min(max(cloud+off*hour.At(0, 0, 0).Normal(0, 1), 0), 1))
		}
		x.Wind *= max(0, 1+off*hour.At(0, 1, 0).Normal(0, 1))
	}
	power, _, _ := p.Power(&said)
	return power
}
