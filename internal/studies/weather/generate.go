package weather

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/sun"
)

// Generator makes weather up: a clear sky by Haurwitz's model, clouds and wind that wander around
// those of the day. The same seed gives the same weather, whatever comes before.
type Generator struct {
	Seed  uint64
	Place sun.Place
	Start time.Time
	Step  time.Duration
	N     int

	i            int
	clouds, wind float64 // deviations from those of the day
}

// Next makes the next interval.
func (g *Generator) Next() (Sample, error) {
	if g.i >= g.N {
		return Sample{}, io.EOF
	}
	at := g.Start.Add(time.Duration(g.i) * g.Step)
	// What is left of a deviation after an interval: it halves in 40 minutes, or 90.
	fast, slow := math.Exp2(-g.Step.Minutes()/40), math.Exp2(-g.Step.Minutes()/90)
	dice := draw.Of(g.Seed, "weather").Number(uint64(g.i))
	g.clouds = fast*g.clouds + math.Sqrt(1-fast*fast)*dice.At(0, 0, 0).Normal(0, 1)
	g.wind = slow*g.wind + math.Sqrt(1-slow*slow)*dice.At(0, 1, 0).Normal(0, 1)
	day := draw.Of(g.Seed, "day").Number(uint64(floor(at.Unix(), 86400) / 86400))
	cloudy, windy := day.At(0, 0, 0).Between(-2.5, 1.5), day.At(0, 1, 0).Between(0.9, 2.1)
	local := float64(at.Unix())/3600 + g.Place.Longitude/15 // the sun's hour: afternoons are windier
	s := missing(at.Unix())
	s.Cloud = 0.9 / (1 + math.Exp(-(cloudy + 1.6*g.clouds)))
	s.Clear = g.Place.ClearMean(float64(at.Unix()), g.Step.Seconds())
	s.GHI = s.Clear * (1 - s.Cloud)
	s.Wind = math.Exp(windy + 0.4*g.wind + 0.25*math.Cos((local-15)/12*math.Pi))
	for _, x := range []*float64{&s.Cloud, &s.Clear, &s.GHI, &s.Wind} {
		*x = math.Round(*x*1000) / 1000
	}
	g.i++
	return s, nil
}

// Series makes all of it.
func (g *Generator) Series() *Series {
	s := &Series{From: fmt.Sprintf("weather made up by seed %d", g.Seed), Step: g.Step,
		Zone: g.Start.Location(), Place: g.Place, Known: true}
	for {
		x, err := g.Next()
		if err != nil {
			return s
		}
		s.Samples = append(s.Samples, x)
	}
}

// Write writes weather as CSV that Open reads.
func (s *Series) Write(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "time,ghi,clear,cloud,wind"); err != nil {
		return err
	}
	for _, x := range s.Samples {
		_, err := fmt.Fprintf(w, "%s,%s,%s,%s,%s\n", time.Unix(x.At, 0).In(s.Zone).Format(time.RFC3339),
			number(x.GHI), number(x.Clear), number(x.Cloud), number(x.Wind))
		if err != nil {
			return err
		}
	}
	return nil
}

// number is empty where the value is missing.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprint(x)
}
