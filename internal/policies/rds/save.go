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
	c.of, c.asked = nil, nil
	c.state = state{Slots: forecast.NewAR(3, remembered), Speed: forecast.NewAR(3, remembered), Observe: units.Never}
}

func (c *controller) save() ([]byte, error) { return json.Marshal(c.state) }

func (c *controller) load(text []byte) error {
	c.forget()
	err := json.Unmarshal(text, &c.state)
	c.index()
	return err
}

func (c *controller) copyFrom(o *controller) {
	c.state = o.state
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
