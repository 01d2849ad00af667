package capacity

import (
	"cmp"
	"math"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// what says how the times of a class differ from the file's. Factors of 0 are 1.
type what struct {
	later, slower float64 // the deadline, and the times of tasks, times this
	unsure        bool    // means as long as what was measured allows
}

func (w what) deadline(k *scenario.CapacityClass) float64 {
	return cmp.Or(w.later, 1) * k.Deadline.Duration().Seconds()
}

// line is by what deadlines are met, and the job as its tasks are, whatever the deadline is met by.
func (w what) line(c *scenario.Capacity, k *scenario.CapacityClass) (bounds.Line, bounds.Job) {
	job := bounds.Job{Maps: k.Maps, Reduces: k.Reduces, Map: w.time(k.Map), First: w.time(k.FirstShuffle), Shuffle: w.time(k.Shuffle), Reduce: w.time(k.Reduce)}
	line := job.Mean()
	switch {
	case k.Quantile > 0:
		line = w.quantile(k).Upper()
	case c.Bound == "upper":
		line = job.Upper()
	}
	if c.Shares() {
		line = line.Whole()
	}
	return line, job
}

// time is what tasks take. A mean that was measured n times is off by 1.96 σ/√n with 5 %.
func (w what) time(t scenario.TaskTimes) bounds.Time {
	mean, most := t.Mean.Duration().Seconds(), t.Max.Duration().Seconds()
	if w.unsure && t.Samples > 1 {
		mean += 1.96 * t.Deviation.Duration().Seconds() / math.Sqrt(float64(t.Samples))
		most = max(most, mean)
	}
	return bounds.Time{Mean: w.takes(mean), Max: w.takes(most)}
}

func (w what) takes(x float64) float64 { return x * cmp.Or(w.slower, 1) }

// measured tells whether runs taught all times of a class.
func measured(k *scenario.CapacityClass) bool {
	return (k.Maps == 0 || k.Map.Samples > 1) && (k.Reduces == 0 || k.Reduce.Samples > 1)
}

// quantile is a job whose upper bound holds for a part of all jobs, and not only where its tasks have the
// mean and the longest time of the class. The bound rises with the sum and the longest of the times of each
// kind of tasks; each of these is above its own quantile in an even part of the jobs that may be late
// (Bonferroni).
func (w what) quantile(k *scenario.CapacityClass) bounds.Job {
	job := bounds.Job{Maps: k.Maps, Reduces: k.Reduces}
	parts := 0
	kinds := []struct {
		tasks int
		of    *scenario.TaskTimes
		to    *bounds.Time
		first bool // of which only the longest counts
	}{{k.Maps, &k.Map, &job.Map, false}, {k.Reduces, &k.FirstShuffle, &job.First, true},
		{k.Reduces, &k.Shuffle, &job.Shuffle, false}, {k.Reduces, &k.Reduce, &job.Reduce, false}}
	for _, of := range kinds {
		if of.tasks > 0 && of.of.Max > 0 {
			if parts++; !of.first {
				parts++
			}
		}
	}
	late := (1 - float64(k.Quantile)) / float64(max(parts, 1))
	for _, of := range kinds {
		if of.tasks > 0 {
			t := quantiles(of.of, of.tasks, late)
			if of.first {
				t.Mean = of.of.Mean.Duration().Seconds()
			}
			if w.unsure && of.of.Samples > 1 {
				t.Mean += 1.96 * of.of.Deviation.Duration().Seconds() / math.Sqrt(float64(of.of.Samples))
				t.Max = max(t.Max, t.Mean)
			}
			*of.to = bounds.Time{Mean: w.takes(t.Mean), Max: w.takes(t.Max)}
		}
	}
	return job
}

// quantiles are a mean and a longest time of n tasks that are exceeded with a probability of late each. The
// sum counts as normal where the deviation is known, and else is bounded by Hoeffding's inequality; the
// longest is that of the distribution, where there is one and it is long enough to tell.
func quantiles(t *scenario.TaskTimes, n int, late float64) bounds.Time {
	mean, most := t.Mean.Duration().Seconds(), t.Max.Duration().Seconds()
	above := most * math.Sqrt(math.Log(1/late)/2)
	if t.Deviation > 0 {
		above = min(above, math.Sqrt2*math.Erfinv(1-2*late)*t.Deviation.Duration().Seconds())
	}
	longest := most
	// One task in 1/each takes longer. With fewer samples than that the longest is the best guess.
	if each := -math.Expm1(math.Log1p(-late) / float64(n)); each*float64(t.Samples) > 1 {
		if values := t.Spread.Values(int(math.Ceil(1 / each))); len(values) > 0 {
			longest = min(longest, values[len(values)-1]*math.Exp2(0.5/16))
		}
	}
	mean = min(mean+above/math.Sqrt(float64(n)), longest)
	return bounds.Time{Mean: mean, Max: longest}
}
