package finish

import (
	"math"

	"github.com/slackline/slackline/units"
)

// Slots is a number of slots that are free from the same time on, in seconds.
type Slots struct {
	At float64
	N  int
}

// How fine the expected starts of tasks are followed: so many instants for the mean of a task, and so
// many waves of them; what goes before these is passed over at the mean rate.
const (
	perTask = 16
	waves   = 6
	ends    = 64 // instants at which the last end is asked for
)

// Stage is when the last of n tasks ends. Each takes typical seconds times a factor of its own; they
// start one after the other on the slots, which are in their order.
func Stage(n int, typical float64, own Law, slots []Slots) Dist {
	if n <= 0 {
		return Sure(0)
	}
	all, together := 0, 0
	for _, s := range slots {
		if all += s.N; compare(s.At, slots[0].At) == 0 {
			together += s.N
		}
	}
	switch {
	case all == 0 || typical <= 0:
		return Sure(0)
	case n <= together:
		d := Last(own, n)
		return d.Scale(typical).Shift(slots[0].At)
	case all == 1:
		return inRow(n, typical, own).Shift(slots[0].At)
	}
	return wavesOf(n, all, typical, own, slots)
}

// inRow is the sum of n factors, by doubling.
func inRow(n int, typical float64, own Law) Dist {
	sum, one := Sure(0), Of(own)
	for power := one; ; power = power.Plus(&power) {
		if n&1 == 1 {
			sum = sum.Plus(&power)
		}
		if n >>= 1; n == 0 {
			return sum.Scale(typical)
		}
	}
}

// wavesOf follows how many tasks start at each instant, on the average, until all have. The last end
// comes before t if all of them do, each with its own chance. The instant at which the last task starts
// is no mean: what the tasks before take together divides among the slots, and its variance goes in as
// a shift of the end.
func wavesOf(n, all int, typical float64, own Law, slots []Slots) Dist {
	factor := Of(own)
	mean := typical * factor.Mean()
	passed, left := 0.0, n
	if left > (waves+1)*all {
		rounds := left/all - waves
		passed, left = float64(rounds)*mean, left-rounds*all
	}
	h := mean / perTask
	length := make([]float64, 0, 8*perTask) // chance that a task takes so many instants
	below := 0.0
	for i := 0; units.Rounded(below) < 1-1e-9 && i < 64*perTask; i++ {
		upTo := own.CDF((float64(i) + 0.5) * h / typical)
		length, below = append(length, upTo-below), upTo
	}
	begin := slots[0].At
	var free []float64 // slots that fall free at each instant
	add := func(i int, of float64) {
		for len(free) <= i {
			free = append(free, 0)
		}
		free[i] += of
	}
	for _, s := range slots {
		at := max(0, s.At-begin) / h
		if whole := math.Floor(at); whole < float64(4*waves*perTask) {
			add(int(whole), float64(s.N)*(1-(at-whole)))
			add(int(whole)+1, float64(s.N)*(at-whole))
		}
	}
	var starts []weighted
	rest := float64(left)
	for i := 0; units.Rounded(rest) > 1e-6 && i < len(free); i++ {
		n := min(free[i], rest)
		if units.Rounded(n) <= 1e-12 {
			continue
		}
		rest -= n
		starts = append(starts, weighted{float64(i) * h, n})
		if units.Rounded(rest) > 1e-6 {
			for k, p := range length {
				add(i+k, n*p)
			}
		}
	}
	before := math.Max(0, float64(n-all))
	deviation := math.Sqrt(before*factor.Variance()) * typical / float64(all)
	return lastEnd(starts, typical, own, deviation).Shift(begin + passed)
}

// lastEnd is when the last of the tasks ends that start so.
func lastEnd(starts []weighted, typical float64, own Law, deviation float64) Dist {
	n := 0.0
	for _, s := range starts {
		n += s.weight
	}
	final := starts[len(starts)-1].at
	high := final + typical*own.Quantile(math.Pow(normal(first+step*knots), 1/n))
	low := max(typical*own.Quantile(1e-4), high*1e-4)
	var cdf [ends]weighted // at an instant, the chance that all have ended
	for i := range cdf {
		t := low * math.Pow(high/low, float64(i)/(ends-1))
		sum := 0.0
		for _, s := range starts {
			sum += s.weight * math.Log(max(own.CDF((t-s.at)/typical), 1e-300))
		}
		cdf[i] = weighted{t, math.Exp(sum)}
	}
	var d Dist
	k := 1
	for i, p := range grid.p {
		for k < ends-1 && units.Rounded(cdf[k].weight) < units.Rounded(p) {
			k++
		}
		a, b := cdf[k-1], cdf[k]
		za, zb := score(max(a.weight, 1e-12)), score(min(max(b.weight, 1e-12), 1-1e-12))
		part := 0.0
		if units.Rounded(zb-za) > 0 {
			part = (first + step*float64(i) - za) / (zb - za)
		}
		d[i] = a.at + (b.at-a.at)*min(1, max(0, part))
	}
	if units.Rounded(deviation) > 0 {
		var shift Dist
		for i := range shift {
			shift[i] = deviation * (first + step*float64(i))
		}
		d = d.Plus(&shift)
	}
	return d
}

// A Job is maps, then reduces, each stage on slots of its own.
type Job struct {
	Delay   float64 // until its first map may start
	Maps    Tasks
	Reduces Tasks
	Failures
}

// Tasks are those of a stage.
type Tasks struct {
	N       int
	Typical float64
	Own     Law
	Shared  Law     // a factor of all of them, which is high where that of the other stage is
	Slots   []Slots // from the time on from which the stage may start; nil = as many as tasks, all free
}

// Finish is when the job ends: its delay, what nodes that fail delay it by, and a shared factor
// times what its stages take. What slots are late by counts as work of its own, so it grows with
// that factor. The factor is the mean of those of the stages, by what they take.
func (j *Job) Finish() Dist {
	d, shared := j.Maps.last(), Sure(1)
	switch reduces := j.Reduces.last(); {
	case j.Reduces.N <= 0:
		shared = Of(j.Maps.Shared)
	case j.Maps.N <= 0:
		d, shared = reduces, Of(j.Reduces.Shared)
	default:
		a, b := d.Mean(), reduces.Mean()
		of, other := Of(j.Maps.Shared), Of(j.Reduces.Shared)
		for i := range of {
			shared[i] = (a*of[i] + b*other[i]) / max(a+b, 1e-12)
		}
		d = d.Plus(&reduces)
	}
	d = d.Times(&shared)
	if j.Rate > 0 {
		setback := j.setback(j, d.Mean())
		d = d.Plus(&setback)
	}
	return d.Shift(j.Delay)
}

func (t *Tasks) last() Dist {
	slots := t.Slots
	if slots == nil {
		slots = []Slots{{0, t.N}}
	}
	return Stage(t.N, t.Typical, t.Own, slots)
}
