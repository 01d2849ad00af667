package profile

import (
	"cmp"
	"math"
	"slices"
)

// A class of few samples borrows: from its other classes of nodes, or from the nearest class, which
// is the one whose model its few samples lie closest to, or from the mean of all classes.
const (
	mostPeers = 32
	// jobs that a class must have for others to borrow from it
	leastToLend = 8
	// where the closest model is farther off than this factor, none is near
	nearby = 2
	// as how many classes the vague model counts when all are averaged
	vagueClasses = 2
)

// Peers are the classes from which others borrow. The zero Peers have nothing to lend.
type Peers struct {
	models []*Model // of all classes, by the class that they are of
	names  []string
	// and the tails of classes with any samples
	lenders []lender
}

type lender struct {
	name  string
	rests []Rest
}

// PeersOf are those of some classes from which most was learned.
func PeersOf(classes []*Class) *Peers {
	type taught struct {
		c    *Class
		jobs float64
	}
	var all []taught
	for _, c := range classes {
		most := 0.0
		for _, m := range c.Models {
			most = max(most, m.Jobs)
		}
		if most > 0 {
			all = append(all, taught{c, most})
		}
	}
	slices.SortFunc(all, func(a, b taught) int {
		return cmp.Or(cmp.Compare(b.jobs, a.jobs), cmp.Compare(a.c.Name, b.c.Name))
	})
	p := &Peers{}
	for _, l := range all[:min(len(all), mostPeers)] {
		p.lenders = append(p.lenders, lender{l.c.Name, restsOf(l.c)})
		for _, m := range l.c.Models {
			if m.Jobs >= leastToLend && m.Node == "" {
				p.models, p.names = append(p.models, m), append(p.names, l.c.Name)
			}
		}
	}
	return p
}

// Fit fits all classes to their samples, each with what the others have to lend.
func Fit(classes []*Class) {
	for _, c := range classes {
		(&Peers{}).Fit(c)
	}
	if len(classes) < 2 {
		return
	}
	p := PeersOf(classes)
	for _, c := range classes {
		p.Fit(c)
	}
}

// Complete fits those classes that have no models yet, with what others have to lend. The models of cold runs are
// read of a class only before its first warm one.
func Complete(classes, lenders []*Class) {
	var p *Peers
	for _, c := range classes {
		if len(c.Told().Models) > 0 {
			continue
		}
		if p == nil {
			p = PeersOf(lenders)
		}
		p.Fit(c)
	}
}

// Fit fits the models of a class to its samples. Models without samples stay.
func (p *Peers) Fit(c *Class) {
	if c.Cold != nil {
		p.Fit(c.Cold)
	}
	for i := range c.Samples {
		k := c.Samples[i].Key
		if i > 0 && c.Samples[i-1].Stage == k.Stage && c.Samples[i-1].Part == k.Part {
			continue
		}
		pooled, nodes := c.pooled(k.Stage, k.Part)
		if len(pooled.Jobs) == 0 {
			continue
		}
		from := p.lend(c, &pooled)
		tails := p.pool(c.Name, k)
		beside := c.beside(&pooled)
		all := fit(&pooled, beside, from, &tails)
		c.put(all)
		for n := range nodes {
			if s := &c.Samples[i+n]; s.Node != "" && len(s.Jobs) > 0 {
				if nodes == 1 {
					same := *all
					same.Key = s.Key
					c.put(&same)
				} else {
					c.put(fit(s, beside, all, &tails))
				}
			}
		}
	}
}

// besides is which part of the rest of a reduce counts with its shuffle.
const besides = 0.1

// beside is how much of its reduces' other work, in seconds, the factors of a shuffle are for as well.
func (c *Class) beside(s *Sample) float64 {
	if s.Part != First && s.Part != Later {
		return 0
	}
	run := c.Model(s.Stage, "", Run) // which is fitted before: parts stand in order
	if run == nil {
		return 0
	}
	bytes, n := 0.0, 0.0
	for _, j := range s.Jobs {
		for _, t := range j {
			bytes, n = bytes+t[0], n+1
		}
	}
	return digits(besides * run.Typical(bytes/n, -1))
}

// put puts a model in place of that with the same key.
func (c *Class) put(m *Model) {
	i, found := c.find(m.Key)
	if found {
		c.Models[i] = m
	} else {
		c.Models = slices.Insert(c.Models, i, m)
	}
}

// lend finds the model from which a sample of a class borrows.
func (p *Peers) lend(c *Class, s *Sample) *Model {
	var nearest *Model
	closest := math.Log(nearby)
	of := 0
	var total, shared, own Factor
	add := func(f *Factor, m *Factor, weight float64) {
		for i := range f.Log {
			f.Log[i] += m.Log[i] * weight
		}
		f.Tail += m.Tail * weight
	}
	for i, m := range p.models {
		if m.Stage != s.Stage || m.Part != s.Part || p.names[i] == c.Name {
			continue
		}
		of++
		add(&total, &m.Total, 1)
		add(&shared, &m.Shared, 1)
		add(&own, &m.Own, 1)
		if off := distance(s, m, closest); off < closest {
			closest, nearest = off, m
		}
	}
	switch {
	case nearest != nil:
		return nearest
	case of == 0:
		return unknown()
	}
	u := unknown()
	all := &Model{}
	for _, f := range []struct{ to, sum, vague *Factor }{
		{&all.Total, &total, &u.Total}, {&all.Shared, &shared, &u.Shared}, {&all.Own, &own, &u.Own},
	} {
		n := float64(of) + vagueClasses
		add(f.to, f.sum, 1/n)
		add(f.to, f.vague, vagueClasses/n)
	}
	return all
}

// distance is how far, in logarithms, the tasks of the last jobs lie from a model: the median. As
// logarithms keep the order, those in the middle are enough. It is infinite if most lie farther than so much.
func distance(s *Sample, m *Model, most float64) float64 {
	var room [mostMeasures]float64
	off, near, bound := room[:0], 0, math.Exp(most)*(1+1e-9)
	for _, j := range s.Jobs[max(0, len(s.Jobs)-16):] {
		for _, t := range j[:min(len(j), leastOfJob)] {
			ratio := m.off(&t)
			ratio = max(ratio, 1/ratio)
			if off = append(off, ratio); ratio < bound {
				near++
			}
		}
	}
	switch middle := (len(off) - 1) / 2; {
	case len(off) == 0:
		return 0
	case near <= middle:
		return math.Inf(1)
	default:
		slices.Sort(off)
		return (math.Log(off[middle]) + math.Log(off[len(off)/2])) / 2
	}
}
