package forecast

import "math"

// Combined weighs forecasters by the inverse of their recent squared errors, for each number of
// intervals ahead apart (Bates and Granger, "The combination of forecasts", Operational Research
// Quarterly 20, 1969). Its variance counts how far they disagree.
type Combined struct {
	Of []*Tracked `json:"of"`

	steps []Step
}

// Observe takes the next value.
func (c *Combined) Observe(x float64) {
	for _, f := range c.Of {
		f.Observe(x)
	}
}

// Predict joins the forecasts of those who have one.
func (c *Combined) Predict(steps []Step) bool {
	clear(steps)
	if len(c.steps) < len(steps) {
		c.steps = make([]Step, len(steps))
	}
	there := c.steps[:len(steps)]
	any := false
	// Deviation holds the sum of weights, Low that of weighted squares until the end.
	for _, f := range c.Of {
		if !f.predict(there) {
			continue
		}
		any = true
		for h := range steps {
			w := c.weight(f, h)
			steps[h].Deviation += w
			steps[h].Mid += float64(w * there[h].Mid)
		}
	}
	for h := range steps {
		if any {
			steps[h].Mid /= steps[h].Deviation
		}
	}
	for _, f := range c.Of {
		if !f.predict(there) {
			continue
		}
		for h := range steps {
			off, own := there[h].Mid-steps[h].Mid, there[h].Deviation
			steps[h].Low += float64(c.weight(f, h) * (float64(off*off) + float64(own*own)))
		}
	}
	for h := range steps {
		if any {
			steps[h] = Normal(steps[h].Mid, math.Sqrt(steps[h].Low/steps[h].Deviation))
		}
	}
	return any
}

// weight is 1 of each while nothing has been judged.
func (c *Combined) weight(f *Tracked, h int) float64 {
	s := &f.Scores[min(h, len(f.Scores)-1)]
	if s.Judged == 0 {
		return 1
	}
	return 1 / max(s.Recent, 1e-100)
}
