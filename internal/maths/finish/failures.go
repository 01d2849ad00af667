package finish

import (
	"math"

	"github.com/slackline/slackline/units"
)

// Failures are those of nodes that work alike.
type Failures struct {
	Nodes int
	Rate  float64 // of one node in a second
	Wait  float64 // seconds until the job begins
}

// setback is by how much failures delay a job that takes so long by itself. A node that fails while
// the last maps run takes some of them with it, and one that fails while reduces run takes reduces,
// and outputs of maps: all of these run again, when a slot falls free. And until the job ends the
// node's share of the slots is gone.
//
// What runs again is found for one failure, with as much more delay as there are more failures.
// Shares of slots that are gone add up: they are found for times in which there is hardly more than
// one, as many as it takes.
func (f *Failures) setback(j *Job, takes float64) Dist {
	d := Sure(0)
	add := func(nodes int, during float64, delay Dist) {
		if often := f.Rate * float64(nodes) * during; often > 0 {
			hit := -math.Expm1(-often)
			delay = delay.Scale(often / hit)
			delay = delay.perhaps(hit)
			d = d.Plus(&delay)
		}
	}
	maps, reduces := j.Maps.one(), j.Reduces.one()
	onMaps, onReduces := min(j.Maps.N, f.Nodes), min(j.Reduces.N, f.Nodes)
	add(onMaps, maps, Sure(maps))
	if j.Reduces.N > 0 {
		add(onReduces, reduces, Sure(maps+reduces))
		add(max(0, onMaps-onReduces), reduces, Sure(maps))
	}
	all := f.Wait + takes
	parts := 1
	for parts < mostParts && units.Rounded(f.Rate*float64(f.Nodes)*all/float64(parts)) > hardly {
		parts *= 2
	}
	whole := d
	d = Sure(0)
	add(f.Nodes, all/float64(parts), even(all/max(1, float64(f.Nodes-1))))
	for ; parts > 1; parts /= 2 {
		d = d.Plus(&d)
	}
	return whole.Plus(&d)
}

// hardly is how many failures there are at most in a time in which there is hardly more than one,
// and mostParts how many such times are looked at.
const (
	hardly    = 0.25
	mostParts = 1 << 10
)

// one is the mean of one task, without the factor that all share.
func (t *Tasks) one() float64 {
	if t.N <= 0 {
		return 0
	}
	own := Of(t.Own)
	return t.Typical * own.Mean()
}

// even is any time from 0 up to that one.
func even(most float64) (d Dist) {
	for i, p := range grid.p {
		d[i] = p * most
	}
	return d
}

// perhaps is the time with probability p, and else none.
func (d *Dist) perhaps(p float64) (e Dist) {
	for i, at := range grid.p {
		if none := 1 - p; at > none {
			e[i] = d.Quantile((at - none) / p)
		}
	}
	return e
}
