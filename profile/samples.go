package profile

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/workload"
)

// Models are fitted to samples: of each of the last jobs some of its tasks. A new job pushes out the
// oldest, so that memory is bounded and old runs fade, and two samples of one class merge.
const (
	mostMeasures = 512 // of a sample
	mostOfJob    = 32  // of a job
	leastOfJob   = 8   // so many are left of a job, if it had them, when others need the room
	mostAmount   = 1e18
	shortest     = 1e-3 // seconds
	// so many jobs behind the last on a class of nodes it counts as gone
	gone = 32
)

// Measure is one task: the bytes that it read, its records (below 0: unknown), and what it cost.
type Measure [3]float64

// Sample is what the last jobs of a class taught about one part.
type Sample struct {
	Key
	// oldest first; the tasks of each in an order of chance, so that the first few are a sample too
	Jobs [][]Measure `json:"jobs"`
	// jobs that other classes of nodes have taught since the last of these: nodes that are gone teach no more
	Since int `json:"since,omitempty"`
}

// Gather collects the measures of one job while it runs. The zero Gather is empty.
type Gather struct {
	parts []gathered
}

type gathered struct {
	Key
	seen     uint64
	measures []Measure
	chances  []uint64 // of these measures, ascending
}

// Add takes in one task. Times that are no numbers, or below 0, are left out; so are sizes. A time
// below a millisecond counts as one: what is shorter is noise, of which a factor would make much.
func (g *Gather) Add(k Key, bytes, records, amount float64) {
	if !(amount >= 0 && amount < mostAmount && bytes >= 0 && bytes < mostAmount && records < mostAmount) {
		return
	}
	if k.Part != Emitted {
		amount = max(amount, shortest)
	}
	i := slices.IndexFunc(g.parts, func(p gathered) bool { return p.Key == k })
	if i < 0 {
		if i = len(g.parts); i < cap(g.parts) {
			g.parts = g.parts[:i+1] // with the memory of its predecessor
			p := &g.parts[i]
			*p = gathered{Key: k, measures: p.measures[:0], chances: p.chances[:0]}
		} else {
			g.parts = append(g.parts, gathered{Key: k})
		}
	}
	g.parts[i].add(Measure{bytes, max(-1, records), amount})
}

// add keeps a task if it is among those that chance favours.
func (p *gathered) add(m Measure) {
	p.seen++
	chance := scramble(p.seen)
	n := len(p.measures)
	if n == mostOfJob && chance >= p.chances[n-1] {
		return
	}
	at, _ := slices.BinarySearch(p.chances, chance)
	if n == mostOfJob {
		p.chances, p.measures = p.chances[:n-1], p.measures[:n-1]
	}
	p.chances, p.measures = slices.Insert(p.chances, at, chance), slices.Insert(p.measures, at, m)
}

// scramble is a fixed permutation of the numbers (SplitMix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Empty tells whether there is nothing in it.
func (g *Gather) Empty() bool { return len(g.parts) == 0 }

// Forget empties it.
func (g *Gather) Forget() { g.parts = g.parts[:0] }

// Learn takes in what was gathered of a job that has ended, and empties it. The models of foretold,
// which may be nil, are scored by it. Those of the class are as they were until it is fitted again.
func (c *Class) Learn(g *Gather, foretold *Class) {
	for i := range g.parts {
		p := &g.parts[i]
		if foretold != nil {
			if m := foretold.Model(p.Stage, p.Node, p.Part); m != nil {
				c.score(p.Key).take(m, p.measures)
			}
		}
		s := c.sample(p.Key)
		s.Jobs, s.Since = append(s.Jobs, slices.Clone(p.measures)), 0
		s.trim()
	}
	for i := range c.Samples {
		if s := &c.Samples[i]; g.elsewhere(s.Key) {
			s.Since = min(s.Since+1, gone)
		}
	}
	g.Forget()
}

// elsewhere tells whether the part was measured, but on other classes of nodes.
func (g *Gather) elsewhere(k Key) (measured bool) {
	for i := range g.parts {
		if p := &g.parts[i]; p.Stage == k.Stage && p.Part == k.Part {
			if p.Node == k.Node {
				return false
			}
			measured = true
		}
	}
	return measured
}

// sample returns the sample of that key, and makes it if need be.
func (c *Class) sample(k Key) *Sample {
	i, found := slices.BinarySearchFunc(c.Samples, k, func(s Sample, k Key) int { return s.Key.compare(k) })
	if !found {
		c.Samples = slices.Insert(c.Samples, i, Sample{Key: k})
	}
	return &c.Samples[i]
}

// trim keeps a sample within its bounds: fewer tasks of each job first, then fewer jobs.
func (s *Sample) trim() {
	n := 0
	for _, j := range s.Jobs {
		n += len(j)
	}
	for most := mostOfJob / 2; n > mostMeasures && most >= leastOfJob; most /= 2 {
		for i, j := range s.Jobs {
			if len(j) > most {
				n -= len(j) - most
				s.Jobs[i] = slices.Clip(j[:most])
			}
		}
	}
	old := 0
	for n > mostMeasures {
		n -= len(s.Jobs[old])
		old++
	}
	s.Jobs = slices.Delete(s.Jobs, 0, old)
}

// mergeSamples takes in what later jobs taught. Models stay as they are; those that c has none of
// come over.
func (c *Class) mergeSamples(o *Class) {
	for _, m := range o.Models {
		if _, found := c.find(m.Key); !found {
			c.put(m)
		}
	}
	for i := range o.Samples {
		s := c.sample(o.Samples[i].Key)
		s.Jobs, s.Since = append(s.Jobs, o.Samples[i].Jobs...), o.Samples[i].Since
		s.trim()
	}
	for i := range c.Samples {
		if s := &c.Samples[i]; !slices.ContainsFunc(o.Samples, func(t Sample) bool { return t.Key == s.Key }) {
			s.Since = min(s.Since+o.ran(s.Stage, s.Part), gone)
		}
	}
	for i := range o.Scores {
		c.score(o.Scores[i].Key).merge(&o.Scores[i])
	}
}

// ran is how many of the last jobs at least have taught a part, on the class of nodes that most of them ran on.
func (c *Class) ran(stage workload.Stage, part Part) (jobs int) {
	for i := range c.Samples {
		if s := &c.Samples[i]; s.Stage == stage && s.Part == part {
			jobs = max(jobs, len(s.Jobs)+s.Since)
		}
	}
	return jobs
}

// Adopt puts models that were fitted elsewhere in place of those of the class with the same keys.
func (c *Class) Adopt(models []*Model) {
	for _, m := range models {
		c.put(m)
	}
}

// Bare returns the class without its samples and courses: all that a policy reads while jobs run, and no more.
func (c *Class) Bare() *Class {
	b := *c
	b.Samples, b.Scores, b.Rests, b.Courses = nil, nil, nil, nil
	b.Models, b.Stages = slices.Clone(c.Models), slices.Clone(c.Stages)
	return &b
}

// pooled returns a class's samples of one stage and part over all classes of nodes, and how many such
// classes there are. Jobs stand in the order of their ages from the end. Classes of nodes that are gone
// are left out.
func (c *Class) pooled(stage workload.Stage, part Part) (all Sample, nodes int) {
	all.Key = Key{Stage: stage, Part: part}
	most := 0
	var of []*Sample
	for i := range c.Samples {
		if s := &c.Samples[i]; s.Stage == stage && s.Part == part {
			nodes++
			if s.Since < gone {
				of, most = append(of, s), max(most, len(s.Jobs))
			}
		}
	}
	for age := most; age > 0; age-- {
		for _, s := range of {
			if n := len(s.Jobs); n >= age {
				all.Jobs = append(all.Jobs, s.Jobs[n-age])
			}
		}
	}
	return all, nodes
}

// wrong returns the first field that cannot be and why, both empty if all can.
func (s *Sample) wrong() (what, why string) {
	if s.Since < 0 || s.Since > gone {
		return "since", fmt.Sprintf("it is not in 0 to %d", gone)
	}
	n := 0
	for i, j := range s.Jobs {
		at := fmt.Sprintf("jobs[%d]", i)
		if n += len(j); len(j) == 0 || len(j) > mostOfJob || n > mostMeasures {
			const bounds = "a job has 1 to %d tasks here, all jobs together at most %d"
			return at, fmt.Sprintf(bounds, mostOfJob, mostMeasures)
		}
		for k, t := range j {
			if !(t[0] >= 0 && t[1] >= -1 && t[2] >= 0 && max(t[0], t[1], t[2]) < mostAmount) {
				return fmt.Sprintf("%s[%d]", at, k),
					"bytes and cost must be 0 or more, records -1 where unknown, all below 1e18"
			}
		}
	}
	return "", ""
}
