package profile

import "math"

// A class of few tasks does not show its tail: that one in thirty takes five times as long is not seen
// among twenty. So tails are pooled over classes. What is pooled is how far the values of each class lie
// beyond its own score of 1, one in six of them, as a factor: so classes that vary little and much pool
// tails alone. A class counts in the pool by its values, and what is pooled counts in a class as if it
// had so many values more.
const (
	pooledAs = 40
	tailKnot = middleKnot + 2 // score 1
	// of a class, below which it says nothing of a tail
	leastToPool = 8
)

// Rest is how far tasks of a class lie beyond the score of 1, of one part: their own factors, and all
// that they are off by.
type Rest struct {
	Key
	own, total beyond
}

// beyond has the factors of those that are, of so many values.
type beyond struct {
	values int64
	spread Spread
}

// beyondOf are those of sorted values.
func beyondOf(ws []weighted) (b beyond) {
	if len(ws) < leastToPool {
		return b
	}
	b.values = int64(len(ws))
	from := quantilesOf(ws)[tailKnot]
	for _, w := range ws {
		if w.at > from {
			b.spread.Add(math.Exp(w.at - from))
		}
	}
	return b
}

func (b *beyond) merge(o *beyond) {
	b.values += o.values
	b.spread.Merge(o.spread)
}

// values are those beyond, as logarithms, with this weight together, and the index of their tail.
func (b *beyond) logs(weight float64) ([]weighted, float64) {
	n := 0.0
	for _, bin := range b.spread {
		n += float64(bin.N)
	}
	var all []weighted
	for _, bin := range b.spread {
		all = append(all, weighted{(float64(bin.At) + 0.5) / perOctave * math.Ln2, float64(bin.N)})
	}
	tail := 0.0
	if float64(b.values) >= leastForFit {
		all, tail = withTail(all, n/phi(-1))
		sortWeighted(all)
	}
	for i := range all {
		all[i].weight *= weight / n
	}
	return all, tail
}

// restsOf are those of a class, by its samples and models.
func restsOf(c *Class) (all []Rest) {
	if c.Rests != nil {
		return c.Rests
	}
	for i := range c.Samples {
		k := c.Samples[i].Key
		if i > 0 && c.Samples[i-1].Stage == k.Stage && c.Samples[i-1].Part == k.Part {
			continue
		}
		s, _ := c.pooled(k.Stage, k.Part)
		if m := c.Model(k.Stage, "", k.Part); m != nil && len(s.Jobs) > 0 {
			all = append(all, restOf(&s, m))
		}
	}
	return all
}

func restOf(s *Sample, m *Model) Rest {
	v := variance{shared: m.Shared.deviation(), own: m.Own.deviation(), means: make([]float64, len(s.Jobs))}
	ones := make([]float64, len(s.Jobs))
	var residuals []weighted
	for i, j := range s.Jobs {
		for _, t := range j {
			off := math.Log(m.off(&t))
			residuals = append(residuals, weighted{off, 1})
			v.means[i] += off / float64(len(j))
		}
		ones[i] = 1
	}
	own, _ := v.apart(s, ones, residuals)
	sortWeighted(residuals)
	return Rest{s.Key, beyondOf(own), beyondOf(residuals)}
}

// pool is what all classes but one know of the tails of a part.
func (p *Peers) pool(but string, k Key) (all Rest) {
	for _, l := range p.lenders {
		for i := range l.rests {
			if r := &l.rests[i]; r.Stage == k.Stage && r.Part == k.Part && l.name != but {
				all.own.merge(&r.own)
				all.total.merge(&r.total)
			}
		}
	}
	return all
}

// lengthened is the factor of so many values, with the pooled tail beyond its score of 1 mixed in.
func (f Factor) lengthened(pool *beyond, n float64) Factor {
	further := float64(min(pool.values, pooledAs))
	if further == 0 || len(pool.spread) == 0 {
		return f
	}
	n += borrowed // which the factor has of another one
	all, tail := pool.logs(further * phi(-1))
	for _, w := range f.values(n) {
		if w.at > f.Log[tailKnot] {
			all = append(all, weighted{w.at - f.Log[tailKnot], w.weight})
		}
	}
	above := 0.0
	for _, w := range all {
		above += w.weight
	}
	rest := above * (1 - phi(-1)) / phi(-1)
	all = append(all, weighted{0, rest})
	sortWeighted(all)
	mixed := quantilesOf(all)
	for i := tailKnot + 1; i < factorKnots; i++ {
		f.Log[i] = max(f.Log[tailKnot]+mixed[i], f.Log[i-1])
	}
	f.Tail = (n*f.Tail + further*tail) / (n + further)
	return f.rounded()
}
