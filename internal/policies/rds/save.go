package rds

import (
	"encoding/json"
	"slices"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/units"
)

// newController makes one that knows nothing yet.
func newController(set settings) *controller {
	c := &controller{set: set}
	c.forget()
	return c
}

func (c *controller) forget() {
	c.Woken, c.Watches, c.Held = 0, false, false
	c.Next, c.Due, c.Activate, c.Members, c.Classes, c.Prices = 0, 0, 0, nil, nil, [rows]int64{}
	c.Intervals, c.of, c.asked = 0, nil, nil
	c.Slots, c.Speed = forecast.NewAR(3, remembered), forecast.NewAR(3, remembered)
	c.Total, c.Pace = [rows]int64{}, 0
	c.Level, c.Observe = [2]float64{}, units.Never
}

func (c *controller) save() ([]byte, error) { return json.Marshal(c) }

func (c *controller) load(text []byte) error {
	c.forget()
	err := json.Unmarshal(text, c)
	c.index()
	return err
}

func (c *controller) copyFrom(o *controller) {
	c.Next, c.Due, c.Activate, c.Woken, c.Prices = o.Next, o.Due, o.Activate, o.Woken, o.Prices
	c.Total, c.Pace = o.Total, o.Pace
	c.Level, c.Observe = o.Level, o.Observe
	c.Watches, c.Held, c.Intervals = o.Watches, o.Held, o.Intervals
	c.Slots, c.Speed = o.Slots.Clone(), o.Speed.Clone()
	c.Members, c.Classes, c.asked = slices.Clone(o.Members), slices.Clone(o.Classes), nil
	c.copies = slices.Grow(c.copies[:0], len(o.Members))[:len(o.Members)]
	for i, m := range o.Members {
		c.copies[i] = *m
		c.Members[i] = &c.copies[i]
	}
	c.index()
	for i, k := range c.Classes {
		c.Classes[i] = k.clone()
	}
}
