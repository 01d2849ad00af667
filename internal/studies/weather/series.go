package weather

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/slackline/slackline/internal/maths/sun"
)

// A Series is weather at equal intervals.
type Series struct {
	From    string // what it is of: a file and its format, or the generator and its seed
	Step    time.Duration
	Zone    *time.Location
	Place   sun.Place
	Known   bool // Place is
	Samples []Sample
	Notes   []string // what was filled in, moved or left out as it was read
}

// mostSamples bounds a series: half a century of minutes would be more.
const mostSamples = 10_000_000

// Source is what gives samples: a Reader, or the generator.
type Source interface{ Next() (Sample, error) }

// Read reads a file to its end, and averages over intervals of a step. Where that is 0 it is the
// usual one, if it is a multiple of that of the file, else that of the file.
func Read(in io.Reader, opt Options, step, usual time.Duration) (*Series, error) {
	r, err := Open(in, opt)
	if err != nil {
		return nil, err
	}
	s := &Series{From: fmt.Sprintf("%s (%s)", opt.File, r.Format), Place: r.Place, Known: r.Known}
	if opt.Site != nil {
		s.Place, s.Known = *opt.Site, true
	}
	if s.Samples, s.Step, err = average(r, int64(step/time.Second), int64(usual/time.Second)); err != nil {
		if _, too := errors.AsType[*tooFine](err); too {
			err = fmt.Errorf("%s: %w", opt.File, err)
		}
		return nil, err
	}
	s.Zone, s.Notes = r.Zone, r.Notes()
	s.daylight()
	for i, note := range s.Notes {
		s.Notes[i] = opt.File + ": " + note
	}
	return s, nil
}

// tooFine is an interval that a file cannot be averaged to.
type tooFine struct{ step, asked int64 }

func (e *tooFine) Error() string {
	return fmt.Sprintf("its values are %v apart; an interval must be a multiple of that, %v is not",
		time.Duration(e.step)*time.Second, time.Duration(e.asked)*time.Second)
}

// average joins samples to intervals of a step that begin at its multiples. One is missing if no
// value of it is there. A first and a last interval that are not whole are left out.
func average(in Source, step, usual int64) (out []Sample, interval time.Duration, err error) {
	var group []Sample
	var own, begin int64 // interval of the source; of the group
	flush := func() {
		if len(group) > 0 && int64(len(group))*own == step {
			out = append(out, mean(group))
		}
		group = group[:0]
	}
	add := func(s Sample) {
		if at := floor(s.At, step); at != begin {
			flush()
			begin = at
		}
		group = append(group, s)
	}
	var first Sample
	for n := 0; n < mostSamples; n++ {
		s, err := in.Next()
		if errors.Is(err, io.EOF) {
			flush()
			return out, time.Duration(step) * time.Second, nil
		}
		if err != nil {
			return nil, 0, err
		}
		switch n {
		case 0:
			first = s
			continue
		case 1:
			own = s.At - first.At
			if step == 0 {
				if step = usual; usual%own != 0 {
					step = own
				}
			}
			if step%own != 0 {
				return nil, 0, &tooFine{own, step}
			}
			begin = floor(first.At, step)
			add(first)
		}
		add(s)
	}
	return nil, 0, fmt.Errorf("there are more than %d rows of values", mostSamples)
}

func floor(at, step int64) int64 {
	return at - (at%step+step)%step
}

// mean is the mean of what is there.
func mean(group []Sample) Sample {
	m := missing(group[0].At)
	for _, f := range []field{ghiField, clearField, cloudField, windField} {
		sum, n := 0.0, 0
		for i := range group {
			if x := *f.to(&group[i]); !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		if n > 0 {
			*f.to(&m) = sum / float64(n)
		}
	}
	return m
}
