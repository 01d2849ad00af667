package synth

import (
	"math"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

// Arrivals is a process of arrivals.
type Arrivals interface {
	// Next is when the next one comes, never before the one before; units.Never if none does.
	Next() units.Time
}

// horizon is where processes end: times of traces reach no further.
const horizon = 1e9 // s

// Constant lets one arrive at 0 and then every so often; never again if that is not above 0.
func Constant(every units.Duration) Arrivals { return &constant{every: every} }

type constant struct {
	every units.Duration
	at    units.Time
}

func (c *constant) Next() units.Time {
	at := c.at
	if c.every <= 0 {
		c.at = units.Never
	} else if at != units.Never {
		c.at = at.Add(c.every)
	}
	return at
}

// Poisson lets so many arrive in an hour on average, independently of each other.
func Poisson(hourly float64, seed uint64) Arrivals { return modulate(hourly, nil, seed) }

// Bursty is a Poisson process of that mean whose rate alternates between a burst and the calm
// between two: a two-state Markov-modulated Poisson process (Fischer and Meier-Hellstern, "The
// Markov-modulated Poisson process cookbook", 1993).
func Bursty(hourly float64, b Burst, seed uint64) Arrivals { return modulate(hourly, &b, seed) }

// Burst describes the two states.
type Burst struct {
	Share float64 // of the time that is within bursts, in (0,1)
	Ratio float64 // rate within a burst over that outside, at least 1
	Mean  float64 // length of a burst, exponential; at least 1
}

func (b *Burst) valid() bool {
	return b.Share > 0 && b.Share < 1 && b.Ratio >= 1 && b.Ratio < 1e12 && b.Mean >= 1 && b.Mean < horizon
}

// modulate is a Poisson process, with bursts if there are any.
func modulate(hourly float64, b *Burst, seed uint64) Arrivals {
	m := &modulated{key: draw.Of(seed, "arrivals"), rate: max(0, hourly) / 3600, calm: 1, switches: math.Inf(1)}
	m.over = !(m.rate > 1e-4/3600) || math.IsInf(m.rate, 0) // of so low a rate none comes before the horizon
	if b != nil && b.valid() {
		m.calm = 1 / (b.Share*b.Ratio + 1 - b.Share)
		m.burst = b.Ratio * m.calm
		m.long, m.short = b.Mean/b.Share*(1-b.Share), b.Mean
		m.within = m.draw().Chance(b.Share)
		m.switches = m.dwell()
	}
	return m
}

type modulated struct {
	key         draw.Draw
	draws       uint64
	rate        float64 // a second
	calm, burst float64 // factors of the two states
	long, short float64 // mean lengths of calm and burst, s
	within      bool    // a burst
	switches    float64 // when the state changes, s
	at          float64 // s
	over        bool
}

func (m *modulated) draw() draw.Draw {
	m.draws++
	return m.key.Number(m.draws)
}

func (m *modulated) dwell() float64 {
	if m.within {
		return m.at + m.draw().Exponential(m.short)
	}
	return m.at + m.draw().Exponential(m.long)
}

// Next spends an exponential amount of expected arrivals over stretches of constant rate, of an hour at most.
func (m *modulated) Next() units.Time {
	if m.over {
		return units.Never
	}
	left := m.draw().Exponential(1)
	hour := math.Floor(m.at / 3600)
	for {
		rate := m.rate * m.calm
		if m.within {
			rate = m.rate * m.burst
		}
		end := min((hour+1)*3600, m.switches)
		if mass := rate * (end - m.at); mass > left {
			m.at += left / rate
			return units.Time(m.at * 1e9)
		} else {
			left -= mass
		}
		if m.at = end; end == m.switches {
			m.within = !m.within
			m.switches = m.dwell()
		}
		if end == (hour+1)*3600 {
			hour++
		}
		if m.at > horizon {
			m.over = true
			return units.Never
		}
	}
}

// Trace are the arrivals of a trace. What stops them before its end is told by Err.
func Trace(r trace.Reader) *Recorded { return &Recorded{in: r} }

// Recorded are arrivals as they were.
type Recorded struct {
	in  trace.Reader
	err error
}

// Next is when the next job of the trace was submitted.
func (r *Recorded) Next() units.Time {
	if r.err != nil {
		return units.Never
	}
	j, err := r.in.Next()
	if err != nil {
		r.err = err
		return units.Never
	}
	return j.Submit
}

// Err is why there are no more: io.EOF at the end of the trace, nil before.
func (r *Recorded) Err() error { return r.err }
