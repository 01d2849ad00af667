package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/workload"
)

// straggling makes a class of so many jobs of eight tasks, each of which takes five times as long with that chance.
func straggling(name string, seed uint64, jobs int, chance float64) *Class {
	c, r := New(name), rand.New(rand.NewPCG(seed, 3))
	typical := math.Exp(3 * r.Float64())
	var g Gather
	for range jobs {
		for range 8 {
			t := typical * math.Exp(0.2*r.NormFloat64())
			if r.Float64() < chance {
				t *= 5
			}
			g.Add(mapsOnN, 1e8, -1, t)
		}
		c.Learn(&g, nil)
	}
	return c
}

// beyondThree is the chance that a task takes more than three times what is typical.
func beyondThree(classes ...*Class) float64 {
	Fit(classes)
	return 1 - classes[0].Model(workload.Map, "n", Run).Own.CDF(3)
}

// A class of few tasks that has seen no slow one has the tail of the others, if those know slow ones: to
// a lesser degree the more tasks of its own it has. Where they know none, or there are none, its tail is
// its own.
func TestTailsArePooled(t *testing.T) {
	with := func(jobs int, chance float64) float64 {
		all := []*Class{straggling("x", 1, jobs, 0)}
		for i := range 30 {
			all = append(all, straggling(fmt.Sprint("y", i), uint64(i+2), 6, chance))
		}
		return beyondThree(all...)
	}
	few, some, many := with(4, 0.03), with(12, 0.03), with(60, 0.03)
	if few < 0.008 || few > 0.035 || some < 0.004 || some > few || many > 0.006 {
		t.Errorf("where others know 3 %% of slow tasks a class expects %.2g, %.2g and %.2g with 4, 12 and 60 jobs", few, some, many)
	}
	var light []*Class
	for i := range 30 {
		light = append(light, straggling(fmt.Sprint("x", i), uint64(i+1), 4, 0))
	}
	if slow := beyondThree(light...); slow > 1e-3 {
		t.Errorf("where others know no slow tasks it expects %.2g", slow)
	}
	off := 0.0 // of one in a hundred: the mean, as each class of few tasks has its own deviation
	for _, c := range light {
		off += math.Log(c.Model(workload.Map, "n", Run).Own.Quantile(0.99)) / 0.2 / phiInverse(0.99) / float64(len(light))
	}
	if off < 0.95 || off > 1.25 {
		t.Errorf("one in a hundred of such classes lies %.3g times as far out as it should", off)
	}
}

// A class that knows slow tasks among others that know none keeps at least the part of its own tail that its
// values have among all that count for it.
func TestPooledTailsLeaveWhatWasSeen(t *testing.T) {
	all := []*Class{straggling("x", 1, 10, 0.06)}
	alone := beyondThree(all[0])
	for i := range 30 {
		all = append(all, straggling(fmt.Sprint("y", i), uint64(i+2), 6, 0))
	}
	if among, part := beyondThree(all...), 70./(70+pooledAs); among < alone*part*0.8 || among > alone {
		t.Errorf("it expects %.2g slow tasks among others, %.2g alone", among, alone)
	}
}

// A fitter pools what classes had learned before as well as what it fits.
func TestFitterPoolsTails(t *testing.T) {
	var f Fitter
	for i := range 30 {
		c := straggling(fmt.Sprint("y", i), uint64(i+2), 6, 0.03)
		if i%2 == 0 {
			Fit([]*Class{c})
			f.Lend(c)
		} else {
			f.Fit(nil, c)
		}
	}
	x := straggling("x", 1, 4, 0)
	f.Fit(nil, x)
	f.fits = 0 // so that it looks at all of them again
	f.Fit(nil, x)
	if got := 1 - x.Model(workload.Map, "n", Run).Own.CDF(3); got < 0.008 || got > 0.035 {
		t.Errorf("it expects %.2g slow tasks, where others have 3 %%", got)
	}
	if own := f.peers.pool("x", Key{Stage: workload.Map}); own.own.values != 30*48 {
		t.Errorf("%d values are pooled of 30 classes of 48", own.own.values)
	}
}

// What a class of few tasks has borrowed counts beside the pool, as so many values as it was borrowed for.
func TestWhatIsBorrowedCountsBesideThePool(t *testing.T) {
	f, pool := LogNormal(vague), beyond{values: 1000}
	for range 160 {
		pool.spread.Add(1.001)
	}
	x := f.Quantile(phi(2))
	mixed := f.lengthened(&pool, 1)
	if got, want := 1-mixed.CDF(x), phi(-2)*(1+borrowed)/(1+borrowed+pooledAs); math.Abs(got/want-1) > 0.3 {
		t.Errorf("a chance of %.4f is left of what was borrowed, want %.4f", got, want)
	}
}
