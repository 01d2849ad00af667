package profile

import (
	"fmt"
	"math"
	"slices"
)

const (
	// biased is how many predictions must have been held against what came before they correct the next one.
	biased = 5
	// recent is how many of the last predictions tell of a change: were nothing changed, all of them would be off
	// on one side once in 32 times.
	recent = 6
	// newest is how many of those count then. Fewer would be left to chance, and more would stay behind where the
	// change goes on, as it does while old runs fade from the costs of tasks.
	newest = 4
)

// Predicted takes in what came of a prediction: measured over predicted time, as it was before Bias corrected it.
func (c *Class) Predicted(ratio float64) {
	c.Error.Add(ratio)
	c.Errors.Add(ratio)
	c.remember(ratio)
}

func (c *Class) remember(ratios ...float64) {
	c.Recent = append(slices.Clip(c.Recent), ratios...)
	c.Recent = c.Recent[max(0, len(c.Recent)-recent):]
}

// ratios are sorted ones that stand for those of the predictions, and their bias: the mean of the
// middle half, which the odd run on a busy machine does not change. If the last predictions were all
// off on one side of that, the class has changed, and the newest alone count.
func (c *Class) ratios() (all []float64, bias float64) {
	all = c.Errors.Values(100)
	bias = middleHalf(all)
	side := 0
	for _, r := range c.Recent {
		switch {
		case r > bias:
			side++
		case r < bias:
			side--
		}
	}
	if side == recent || side == -recent {
		all = slices.Sorted(slices.Values(c.Recent[recent-newest:]))
		bias = middleHalf(all)
	}
	return all, bias
}

// middleHalf is the mean of the middle half of sorted values, 1 if there are none.
func middleHalf(all []float64) float64 {
	n := len(all)
	if n == 0 {
		return 1
	}
	sum, middle := 0.0, all[n/4:n-n/4]
	for _, v := range middle {
		sum += v
	}
	return sum / float64(len(middle))
}

// Bias is by what times are longer than the simulator says from the costs of tasks, as tasks that run
// at once slow each other: predictions are multiplied by it. It is 1 as long as there are few.
func (c *Class) Bias() float64 {
	if c.Error.N < biased {
		return 1
	}
	_, bias := c.ratios()
	return bias
}

// Off returns how far two thirds of the predictions, corrected by Bias, were off at most, in parts of the
// prediction, as a standard deviation would be were errors normal; unlike it, it does not suffer from the
// odd run on a busy machine. It is false below so many predictions.
func (c *Class) Off(least int64) (float64, bool) {
	all, _ := c.ratios()
	if all == nil || c.Error.N < least {
		return 0, false
	}
	bias := c.Bias()
	for i, ratio := range all {
		all[i] = math.Abs(ratio/bias - 1)
	}
	slices.Sort(all)
	return all[len(all)*68/100], true
}

// wrongRecent is what is wrong with the last ratios.
func (c *Class) wrongRecent() (what, why string) {
	if n := len(c.Recent); n > recent || int64(n) > c.Error.N {
		return "", fmt.Sprintf("there are more than %d, or more than were measured", recent)
	}
	for i, r := range c.Recent {
		if !(r >= 0 && r < mostAmount) {
			return fmt.Sprintf("[%d]", i), "it is not in 0 to 1e18"
		}
	}
	return "", ""
}
