package weather

import (
	"fmt"
	"math"
	"time"
)

// bright is an irradiance, in W/m², that twilight does not give, and someDark the part of all of it that
// may stand in the dark before that is told.
const bright, someDark = 50, 0.005

// mostLooked bounds how many intervals are held against the sun.
const mostLooked = 50_000

// daylight holds irradiance against the sun at the place, where that is known. What stands in the dark may be
// times that are local and labelled otherwise, or another place: it is told.
func (s *Series) daylight() {
	if !s.Known || len(s.Samples) == 0 || s.Step > 3*time.Hour { // longer ones are seldom all dark
		return
	}
	var lit []Sample
	every := len(s.Samples)/mostLooked + 1
	for i := 0; i < len(s.Samples); i += every {
		if s.Samples[i].GHI > bright {
			lit = append(lit, s.Samples[i])
		}
	}
	step := s.Step.Seconds()
	all, dark := 0.0, 0.0
	for _, x := range lit {
		all += x.GHI
		// The interval may be named by its beginning, as here, or by its end.
		if s.Place.ClearMean(float64(x.At)-step, 2*step) == 0 {
			dark += x.GHI
		}
	}
	if all == 0 || dark < someDark*all {
		return
	}
	text := fmt.Sprintf("%.0f %% of the irradiance stands where the sun is below the horizon at %v,%v: are its times local, or is that not the place?",
		100*dark/all, s.Place.Latitude, s.Place.Longitude)
	// Less than a day of values fits many hours.
	if hours := s.late(lit); hours != 0 && s.Step*time.Duration(len(s.Samples)) >= 24*time.Hour {
		_, zone := time.Unix(s.Samples[0].At, 0).In(s.Zone).Zone()
		right := time.FixedZone("", zone+3600*hours)
		of := time.Unix(s.Samples[0].At, 0).In(s.Zone)
		word, n := "late", hours
		if hours < 0 {
			word, n = "early", -hours
		}
		text += fmt.Sprintf(" They seem to be about %d h %s; if so, their offset from UTC is %s, not %s",
			n, word, of.In(right).Format("-07:00"), of.Format("-07:00"))
	}
	s.Notes = append(s.Notes, text)
}

// late is by how many hours the times seem to be late: what brings the irradiance closest to a clear sky.
func (s *Series) late(lit []Sample) (hours int) {
	best := math.Inf(-1)
	every := len(lit)/2000 + 1
	for h := -14; h <= 14; h++ {
		fit, norm := 0.0, 0.0
		for i := 0; i < len(lit); i += every {
			clear := s.Place.ClearMean(float64(lit[i].At-int64(3600*h)), s.Step.Seconds())
			fit += lit[i].GHI * clear
			norm += clear * clear
		}
		if norm > 0 && fit/math.Sqrt(norm) > best {
			best, hours = fit/math.Sqrt(norm), h
		}
	}
	return hours
}
