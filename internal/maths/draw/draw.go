// Package draw gives random numbers by key instead of by turn.
//
// A draw is a pure function of what it is for: (seed, name, job, stage, task, attempt). It does not
// depend on which draws were made before it, so two policies see the same task take the same time
// (common random numbers), adding a job changes nothing for the others, and a fork of a run agrees
// with the run it came from.
//
//	d := draw.Of(seed, "task time").Job("j17").At(stage, task, attempt)
//	d.Exponential(20) // the same number whenever, wherever and however often it is asked for
//
// A Draw is a value; every method leaves it as it was. Draws of one key are the same number, so
// what needs several numbers takes them from several keys (At, Number) or from one method that does
// so (Shuffle).
//
// The bits are those of SplitMix64's output function (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), chained over the parts of the key. They are good
// enough for simulation and useless for secrets.
package draw

import (
	"math"
	"math/bits"
)

// Draw is a key. The zero value is a key as well, of no seed and no name.
type Draw struct{ state uint64 }

// Of returns the key of a seed and of the name of what is drawn ("task time", "first copy").
func Of(seed uint64, name string) Draw {
	return Draw{mix(seed)}.Job(name)
}

// Job narrows the key to a job, or anything else that is known by a text.
func (d Draw) Job(id string) Draw { return Draw{mix(d.state ^ text(id))} }

// Number narrows the key to the n-th of its kind: a job known by a number, a node, the n-th draw of a series.
func (d Draw) Number(n uint64) Draw { return Draw{mix(d.state ^ mix(n))} }

// At narrows the key to an attempt of a task of a stage.
func (d Draw) At(stage, task, attempt int) Draw {
	return d.Number(uint64(stage)).Number(uint64(task)).Number(uint64(attempt))
}

// Uint64 returns 64 bits.
func (d Draw) Uint64() uint64 { return mix(d.state) }

// Float64 returns a number in the open interval from 0 to 1: neither end is ever drawn, so its
// logarithm exists. Its 2^52 values are exact; with one bit more the highest would round to 1.
func (d Draw) Float64() float64 { return unit(d.Uint64()) }

func unit(bits uint64) float64 { return (float64(bits>>12) + 0.5) / (1 << 52) }

// Below returns an integer from 0 to n-1, each as likely as the others up to n/2^64 (the high word
// of a product). n must be above 0.
func (d Draw) Below(n int) int {
	if n <= 0 {
		panic("draw: Below needs a number above 0")
	}
	high, _ := bits.Mul64(d.Uint64(), uint64(n))
	return int(high)
}

// Between returns a number uniform on the open interval from lo to hi.
func (d Draw) Between(lo, hi float64) float64 { return lo + float64(d.Float64()*(hi-lo)) }

// Chance tells whether an event of probability p happens.
func (d Draw) Chance(p float64) bool { return d.Float64() < p }

// Exponential returns a number of the exponential distribution of that mean, by inversion.
func (d Draw) Exponential(mean float64) float64 { return -mean * math.Log(d.Float64()) }

// Normal returns a number of the normal distribution of that mean and standard deviation (Box and Muller, 1958).
func (d Draw) Normal(mean, deviation float64) float64 {
	r := math.Sqrt(-2 * math.Log(d.Number(0).Float64()))
	return mean + float64(deviation*float64(r*math.Cos(2*math.Pi*d.Number(1).Float64())))
}

// Shuffle puts n elements in random order, each of the n! orders as likely as the others (Fisher
// and Yates). swap exchanges two of them.
func (d Draw) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, d.Number(uint64(i)).Below(i+1))
	}
}

// Permutation returns the numbers 0 to n-1 in random order.
func (d Draw) Permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	d.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// mix is the output function of SplitMix64, a bijection on 64 bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// text is FNV-1a of 64 bits, with the length mixed in.
func text(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h ^ uint64(len(s)))
}
