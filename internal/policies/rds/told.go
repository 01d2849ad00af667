package rds

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// told is a forecaster that expects what the world has said to expect.
type told struct {
	Next []float64 `json:"next"`
	// Own is asked where the world has said nothing; nil = nobody is.
	Own *forecast.AR `json:"own,omitempty"`
}

// Observe takes the next value.
func (t *told) Observe(x float64) {
	if t.Own != nil {
		t.Own.Observe(x)
	}
}

// Predict returns what was said.
func (t *told) Predict(steps []forecast.Step) bool {
	if len(t.Next) == 0 {
		return t.Own != nil && t.Own.Predict(steps)
	}
	for i := range steps {
		steps[i] = forecast.Normal(t.Next[min(i, len(t.Next)-1)], 0)
	}
	return true
}

// Clone returns a copy that shares nothing.
func (t *told) Clone() forecast.Forecaster {
	c := &told{Next: slices.Clone(t.Next)}
	if t.Own != nil {
		c.Own = t.Own.Clone().(*forecast.AR)
	}
	return c
}

// source is where forecasts of the capacity come from.
type source uint8

const (
	own source = iota
	fromWorld
	combined
	persistence
)

var sources = []string{"own", "told", "combined", "persistence"}

// forecaster makes one.
func (s *settings) forecaster() forecast.Forecaster {
	ar := forecast.NewAR(3, remembered)
	ar.Shorter = s.shorter
	switch s.source {
	case fromWorld:
		return &told{Own: ar}
	case combined:
		track := func(f forecast.Forecaster) *forecast.Tracked { return forecast.NewTracked(f, s.hp+1, 0, 1e18) }
		return &forecast.Combined{Of: []*forecast.Tracked{track(ar), track(&told{})}}
	case persistence:
		return forecast.NewPersistence(2)
	}
	return ar
}

// listen passes on what the world expects of the capacity in the intervals behind an instant at which the
// forecasters take a value. It speaks of slots times speed: of speeds where nodes are not as fast as their class
// says, else of slots.
func (c *controller) listen(v sched.View, at units.Time) {
	if c.set.source != fromWorld && c.set.source != combined {
		return
	}
	f, now := v.Forecast(sched.Capacity), 1.0
	if s := v.Supply(sched.Capacity); s != nil {
		now = s.Amount
	}
	var parts []float64
	if f != nil && now > 0 {
		if now < 1 {
			c.Slowed = slowed(v)
		}
		for i := range c.set.hp + 1 {
			from := at.Add(units.Duration(i+1) * c.set.interval)
			parts = append(parts, expected(f, now, from, from.Add(c.set.interval))/now)
		}
	}
	slots, speed := scaled(parts, c.Level[0]), scaled(parts, c.Level[1])
	for i := range parts {
		if c.Slowed {
			slots[i] = c.Level[0]
		} else {
			speed[i] = c.Level[1]
		}
	}
	hear(c.Slots, slots)
	hear(c.Speed, speed)
}

// scaled returns the numbers times another one.
func scaled(xs []float64, by float64) []float64 {
	ys := slices.Clone(xs)
	for i := range ys {
		ys[i] *= by
	}
	return ys
}

// hear says to a forecaster what the world expects.
func hear(f forecast.Forecaster, next []float64) {
	switch f := f.(type) {
	case *told:
		f.Next = next
	case *forecast.Combined:
		hear(f.Of[1].Of, next)
	}
}

// slowed tells whether a node is not as fast as its class says.
func slowed(v sched.View) bool {
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if node := v.Node(n); node != nil && node.Serves() && units.Rounded(node.Speed) != units.Rounded(node.Spec.Class.Speed) {
			return true
		}
	}
	return false
}

// expected is the mean of what is forecast from one instant to another: as now until the forecast begins, and its
// last value when it has ended.
func expected(f *sched.Forecast, now float64, from, to units.Time) float64 {
	sum := 0.0
	for at := from; at < to; {
		x, until := now, f.Start
		if at >= f.Start {
			i := int64(at.Sub(f.Start) / f.Interval)
			x, until = f.Mid[min(i, int64(len(f.Mid))-1)], f.Start.Add(units.Duration(i+1)*f.Interval)
			if i >= int64(len(f.Mid)) {
				until = to
			}
		}
		until = min(until, to)
		sum += x * until.Sub(at).Seconds()
		at = until
	}
	return sum / to.Sub(from).Seconds()
}
