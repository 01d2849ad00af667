package profile

import (
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const start = 20 * units.Millisecond

// teach adds an attempt whose start takes 20 ms, which takes 1 ms to warm up, and 30 ns for each byte.
func teach(c *Class, stage workload.Stage, bytes units.Bytes) {
	c.Attempt(stage, "local", bytes, start+units.Millisecond+units.Duration(30*bytes), 0)
	c.At(stage, "local").Start.Add(start.Seconds())
}

// Whatever sizes taught it, an estimate is off by no more than a factor of 2: within the sizes seen
// and far beyond them.
func TestExpectOfMixedSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []units.Bytes
		asked []units.Bytes
	}{
		{"mixed", []units.Bytes{22, 4, 10 * units.MB, 22}, []units.Bytes{4, 22, 1000, units.MB, 75 * units.MB}},
		{"large", []units.Bytes{64 * units.MB, 11 * units.MB}, []units.Bytes{4, 75 * units.MB, 1000 * units.MB}},
		{"tiny", []units.Bytes{4, 4, 4}, []units.Bytes{4, 22, 75 * units.MB}},
	} {
		for _, stage := range []workload.Stage{workload.Map, workload.Reduce} {
			class := New("words")
			for _, size := range c.sizes {
				teach(class, stage, size)
			}
			known := class.Any(stage)
			for _, asked := range c.asked {
				want := (start + units.Millisecond + units.Duration(30*asked)).Seconds()
				if got := known.Expect(float64(asked)); got < want/2 || got > 2*want {
					t.Errorf("%s: %v of %v bytes takes %v s, want about %v s", c.name, stage, int64(asked), got, want)
				}
			}
		}
	}
}

// A start that is longer than all there was leaves nothing for the bytes, never less.
func TestSlopeIsNotNegative(t *testing.T) {
	c := New("x")
	c.Attempt(workload.Map, "local", units.MB, units.Millisecond, 0)
	s := c.At(workload.Map, "local")
	s.Start.Add(1)
	if s.Slope() != 0 || s.Expect(1e9) != 1 {
		t.Error(s.Slope(), s.Expect(1e9))
	}
}

// A tiny job with much overhead does not make a large one's intermediate data.
func TestBetween(t *testing.T) {
	c := New("x")
	for range 3 {
		c.Ratio.Add(22. / 4)
		c.Emitted.Add(4, 22)
	}
	c.Ratio.Add(0.1)
	c.Emitted.Add(1e7, 1e6)
	d := New("x")
	d.Merge(c)
	if r := d.Between(1); r < 0.09 || r > 0.11 {
		t.Error(r)
	}
	tiny := New("x")
	tiny.Emitted.Add(4, 22)
	if got := tiny.Between(4); got != 22 {
		t.Error(got)
	}
	if got := tiny.Between(75e6); got < 75e6 || got > 76e6 {
		t.Error(got)
	}
}
