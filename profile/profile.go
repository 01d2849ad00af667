// Package profile holds what past runs taught about a class of jobs: unit costs of each stage by node class, CPU share,
// the ratio of intermediate to input data, start-up cost. All worlds fill it, the store keeps it, and policies read it
// through sched.View; no policy keeps a private copy of the same knowledge.
package profile

import (
	"fmt"
	"math"
	"sort"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Estimate sums up a measured quantity: count, mean, spread and worst case. Values are added one by one (Welford), and two
// estimates merge exactly, so that runs may be learned in any order up to rounding.
type Estimate struct {
	N    int64   `json:"n"`
	Mean float64 `json:"mean"`
	M2   float64 `json:"m2"` // sum of squared differences from the mean
	Max  float64 `json:"max"`
	Min  float64 `json:"min"`
}

// Add takes in one value.
func (e *Estimate) Add(x float64) {
	if e.N == 0 || x > e.Max {
		e.Max = x
	}
	if e.N == 0 || x < e.Min {
		e.Min = x
	}
	e.N++
	d := x - e.Mean
	e.Mean += d / float64(e.N)
	e.M2 += d * (x - e.Mean)
}

// Merge takes in another estimate of the same quantity (Chan et al.).
func (e *Estimate) Merge(o Estimate) {
	switch {
	case o.N == 0:
		return
	case e.N == 0:
		*e = o
		return
	}
	n := float64(e.N + o.N)
	d := o.Mean - e.Mean
	e.M2 += o.M2 + d*d*float64(e.N)*float64(o.N)/n
	e.Mean += d * float64(o.N) / n
	e.N += o.N
	e.Max, e.Min = max(e.Max, o.Max), min(e.Min, o.Min)
}

// Std returns the sample standard deviation (n - 1), 0 below two values.
func (e *Estimate) Std() float64 {
	if e.N < 2 {
		return 0
	}
	return math.Sqrt(e.M2 / float64(e.N-1))
}

// String prints the estimate in one line.
func (e Estimate) String() string {
	if e.N == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.4g ± %.2g (max %.4g, n %d)", e.Mean, e.Std(), e.Max, e.N)
}

// Stage is what is known of one stage of a class on one class of nodes.
type Stage struct {
	Task    Estimate `json:"task"`     // seconds of an attempt, without its shuffle
	PerByte Estimate `json:"per_byte"` // seconds per byte of input, for attempts that read any
	Shuffle Estimate `json:"shuffle"`  // seconds of a reduce attempt's shuffle behind the last map
	Share   float64  `json:"share"`    // CPU share, 0 = unknown
}

// Key says which stage on which class of nodes.
type Key struct {
	Stage workload.Stage
	Node  string // name of the node class
}

// Class is the profile of a class of jobs.
type Class struct {
	Name   string
	Runs   int64    // jobs learned from
	Ratio  Estimate // intermediate bytes over input bytes, per job
	Stages map[Key]*Stage
}

// New returns an empty profile.
func New(name string) *Class { return &Class{Name: name, Stages: make(map[Key]*Stage)} }

// At returns the entry for a stage on a node class, creating it if need be.
func (c *Class) At(s workload.Stage, node string) *Stage {
	k := Key{s, node}
	if c.Stages[k] == nil {
		c.Stages[k] = &Stage{}
	}
	return c.Stages[k]
}

// Any returns the stage's knowledge over all node classes together, merged in order of their names.
func (c *Class) Any(s workload.Stage) Stage {
	var sum Stage
	for _, k := range c.Keys() {
		if k.Stage == s {
			o := c.Stages[k]
			sum.Task.Merge(o.Task)
			sum.PerByte.Merge(o.PerByte)
			sum.Shuffle.Merge(o.Shuffle)
			sum.Share = max(sum.Share, o.Share)
		}
	}
	return sum
}

// Keys returns the stages and node classes that are known, sorted.
func (c *Class) Keys() []Key {
	keys := make([]Key, 0, len(c.Stages))
	for k := range c.Stages {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].Stage != keys[j].Stage {
			return keys[i].Stage < keys[j].Stage
		}
		return keys[i].Node < keys[j].Node
	})
	return keys
}

// Attempt takes in a committed attempt.
func (c *Class) Attempt(s workload.Stage, node string, input units.Bytes, run, shuffle units.Duration) {
	e := c.At(s, node)
	e.Task.Add(run.Seconds())
	if input > 0 {
		e.PerByte.Add(run.Seconds() / float64(input))
	}
	if s == workload.Reduce {
		e.Shuffle.Add(shuffle.Seconds())
	}
}

// Merge takes in another profile of the same class.
func (c *Class) Merge(o *Class) {
	c.Runs += o.Runs
	c.Ratio.Merge(o.Ratio)
	for _, k := range o.Keys() {
		mine, theirs := c.At(k.Stage, k.Node), o.Stages[k]
		mine.Task.Merge(theirs.Task)
		mine.PerByte.Merge(theirs.PerByte)
		mine.Shuffle.Merge(theirs.Shuffle)
		if theirs.Share > 0 {
			mine.Share = theirs.Share
		}
	}
}
