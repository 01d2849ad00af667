// Package profile holds what past runs taught about a class of jobs: unit costs of each stage by
// node class, CPU share, the ratios of intermediate data and of output to input, start-up cost,
// memory, and how far predictions were off. All worlds fill it, the store keeps it, and policies
// read it through sched.View; no policy keeps a private copy of the same knowledge.
//
//	profile.go   classes, stages, estimates: means and worst cases
//	spread.go    distributions
//	cold.go      what cold runs taught, apart from the rest
//	sums.go      what a byte costs, and estimates from it
//	model.go     cost models: a line for the sizes of a task, and the distribution around it
//	factor.go    that distribution
//	samples.go   the last jobs, to which models are fitted
//	fit.go       how: line.go the line, variance.go what tasks share, tail.go the distribution of the rest
//	pool.go      tails, which are pooled over classes
//	borrow.go    models of few samples, which borrow from other classes; lent.go what those lend, in few bytes
//	score.go     how models did at jobs that came after them
//	course.go    how the last jobs got on, in time and slots
//	file.go      profiles as a file that people exchange
//
// Whoever adds samples (Gather, Class.Learn, Class.Merge) fits again: Fit all classes at once, a Fitter as
// they come. Promises by the worst case read estimates alone. As fits take long, policies in a simulator
// are told bare classes (Class.Bare), without models where no part says that it reads them. Models are
// rounded, and never change once somebody may read them.
package profile

import (
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Estimate sums up a measured quantity: count, mean, spread and worst case. Values are added one by
// one (Welford), and two estimates merge exactly, so that runs may be learned in any order up to
// rounding.
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
	Stage workload.Stage `json:"stage"`
	Node  string         `json:"node"` // name of the node class
	Task  Estimate       `json:"task"` // seconds of an attempt, without its shuffle
	// Seconds per byte of input, for attempts that read any.
	PerByte Estimate `json:"per_byte"`
	// Seconds of a reduce attempt's shuffle behind the last map.
	Shuffle Estimate `json:"shuffle"`
	Waves   Waves    `json:"waves,omitzero"`   // what Shuffle sums up, by waves
	Share   float64  `json:"share"`            // CPU share, 0 = unknown
	Spread  Spread   `json:"spread,omitempty"` // distribution of what Task sums up
	Costs   Spread   `json:"costs,omitempty"`  // distribution of what PerByte sums up
	// Start is the seconds of Task behind which no byte stands: the start and commit of an attempt. Of a
	// master it is the time from its start to the first task that it asks for.
	Start   Estimate `json:"start,omitzero"`
	Fetch   Estimate `json:"fetch,omitzero"`    // seconds of shuffle per byte fetched
	Fetches Spread   `json:"fetches,omitempty"` // distribution of what Fetch sums up
	// Bytes of input and seconds of attempts that read any.
	Work Sums `json:"work,omitzero"`
}

func (s *Stage) merge(o *Stage) {
	s.Task.Merge(o.Task)
	s.Spread.Merge(o.Spread)
	s.Costs.Merge(o.Costs)
	s.Start.Merge(o.Start)
	s.Fetch.Merge(o.Fetch)
	s.Fetches.Merge(o.Fetches)
	s.PerByte.Merge(o.PerByte)
	s.Work.Merge(o.Work)
	s.Shuffle.Merge(o.Shuffle)
	s.Waves.First.Merge(o.Waves.First)
	s.Waves.Later.Merge(o.Waves.Later)
	if o.Share > 0 {
		s.Share = o.Share
	}
}

// Waves are the seconds of shuffles behind the last map: of reduces that began before its end, and of those
// that came later, all of whose shuffle that is.
type Waves struct {
	First Estimate `json:"first"`
	Later Estimate `json:"later"`
}

// Shuffles are those of the first and of later waves. Where only one kind was seen, or the profile is of a
// time when they were not told apart, both are the same.
func (s *Stage) Shuffles() (first, later Estimate) {
	first, later = s.Waves.First, s.Waves.Later
	if first.N+later.N < s.Shuffle.N {
		return s.Shuffle, s.Shuffle
	}
	if first.N == 0 {
		first = later
	}
	if later.N == 0 {
		later = first
	}
	return first, later
}

// Class is the profile of a class of jobs.
type Class struct {
	Name   string   `json:"name"`
	Runs   int64    `json:"runs"`            // jobs learned from
	Ratio  Estimate `json:"ratio"`           // intermediate bytes over input bytes, per job
	Output Estimate `json:"output,omitzero"` // bytes of the result over input bytes, per job
	// bytes that the engine held at most, without commands and programs, per job that ran alone,
	// where that is measured
	Memory Estimate `json:"memory,omitzero"`
	// measured over predicted time from submission to finish, per job that was predicted
	Error  Estimate `json:"error,omitzero"`
	Errors Spread   `json:"errors,omitempty"` // distribution of what Error sums up
	// the last of these ratios, oldest first, by which a change is seen
	Recent []float64 `json:"recent,omitempty"`
	Stages []Stage   `json:"stages"` // sorted by stage, then node class
	// Input bytes and intermediate bytes of what Ratio sums up.
	Emitted Sums `json:"emitted,omitzero"`
	// What cold runs taught, which nothing else here counts.
	Cold *Class `json:"cold,omitempty"`
	// what its parts cost, and from what that was learned; each sorted by stage, part, node class
	Models  []*Model `json:"models,omitempty"`
	Samples []Sample `json:"samples,omitempty"`
	Scores  []Score  `json:"scores,omitempty"` // of the models, by jobs that came after them
	// How stages of the last jobs got on, oldest first.
	Courses []Course `json:"courses,omitempty"`
	// How far its samples lie out, where others borrow from it and it has none: a Fitter notes that.
	Rests []Rest `json:"-"`
	// Shut is what Model panics with, nil if the models may be read.
	Shut error `json:"-"`
}

// New returns an empty profile.
func New(name string) *Class { return &Class{Name: name} }

// At returns the entry for a stage on a node class, creating it if need be. The pointer is good
// until the next call.
func (c *Class) At(s workload.Stage, node string) *Stage {
	// There are few, and they are too large to be handed to a search.
	i := 0
	for i < len(c.Stages) && (c.Stages[i].Stage < s || c.Stages[i].Stage == s && c.Stages[i].Node < node) {
		i++
	}
	if i == len(c.Stages) || c.Stages[i].Stage != s || c.Stages[i].Node != node {
		c.Stages = slices.Insert(c.Stages, i, Stage{Stage: s, Node: node})
	}
	return &c.Stages[i]
}

// Any returns the stage's knowledge over all node classes together.
func (c *Class) Any(s workload.Stage) Stage {
	sum := Stage{Stage: s}
	for i := range c.Stages {
		if c.Stages[i].Stage == s {
			sum.merge(&c.Stages[i])
		}
	}
	return sum
}

// Mixes tells whether one of two profiles counts shuffles as part of the times of reduces, as where the world does not
// tell them apart, and the other one does not.
func (c *Class) Mixes(o *Class) bool {
	a, b := c.Any(workload.Reduce), o.Any(workload.Reduce)
	return a.Task.N > 0 && b.Task.N > 0 && (a.Shuffle.Max == 0) != (b.Shuffle.Max == 0)
}

// Attempt takes in a committed attempt. Where clocks that do not quite agree measured a time below
// 0, it is 0. It returns the entry for the stage on that class of nodes, as At does.
func (c *Class) Attempt(s workload.Stage, node string, input units.Bytes, run, shuffle units.Duration) *Stage {
	run, shuffle = max(0, run), max(0, shuffle)
	e := c.At(s, node)
	e.Task.Add(run.Seconds())
	e.Spread.Add(run.Seconds())
	if input > 0 {
		e.PerByte.Add(run.Seconds() / float64(input))
		e.Costs.Add(run.Seconds() / float64(input))
		e.Work.Add(float64(input), run.Seconds())
	}
	if s != workload.Reduce {
		return e
	}
	e.Shuffle.Add(shuffle.Seconds())
	if input > 0 {
		e.Fetch.Add(shuffle.Seconds() / float64(input))
		e.Fetches.Add(shuffle.Seconds() / float64(input))
	}
	return e
}

// Merge takes in another profile of the same class, of later jobs. Its models are as they were
// until they are fitted again.
func (c *Class) Merge(o *Class) {
	c.Runs += o.Runs
	c.Ratio.Merge(o.Ratio)
	c.Emitted.Merge(o.Emitted)
	c.Output.Merge(o.Output)
	c.Memory.Merge(o.Memory)
	c.Error.Merge(o.Error)
	c.Errors.Merge(o.Errors)
	c.remember(o.Recent...)
	if o.Cold != nil {
		if c.Cold == nil {
			c.Cold = New(c.Name)
		}
		c.Cold.Merge(o.Cold)
	}
	for i := range o.Stages {
		c.At(o.Stages[i].Stage, o.Stages[i].Node).merge(&o.Stages[i])
	}
	c.mergeSamples(o)
	for _, of := range o.Courses {
		c.Follow(of)
	}
}
