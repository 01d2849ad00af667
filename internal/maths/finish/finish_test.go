package finish

import (
	"container/heap"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// logNormal has median 1.
type logNormal float64

func (s logNormal) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	if s == 0 {
		if x >= 1 {
			return 1
		}
		return 0
	}
	return normal(math.Log(x) / float64(s))
}
func (s logNormal) Quantile(p float64) float64 { return math.Exp(float64(s) * score(p)) }

// pareto has the least value 1 - 1/shape, and mean 1.
type pareto float64

func (a pareto) CDF(x float64) float64 {
	least := 1 - 1/float64(a)
	if x <= least {
		return 0
	}
	return 1 - math.Pow(least/x, float64(a))
}
func (a pareto) Quantile(p float64) float64 {
	return (1 - 1/float64(a)) * math.Pow(1-p, -1/float64(a))
}

// stragglers are lognormal, and one in thirty takes five times as long.
type stragglers struct{}

const odd = 0.03

func (stragglers) CDF(x float64) float64 {
	return (1-odd)*logNormal(0.2).CDF(x) + odd*logNormal(0.2).CDF(x/5)
}
func (s stragglers) Quantile(p float64) float64 {
	lo, hi := 0.0, 100.0
	for range 60 {
		if mid := (lo + hi) / 2; s.CDF(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

type free []float64

func (f free) Len() int           { return len(f) }
func (f free) Less(i, j int) bool { return f[i] < f[j] }
func (f free) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *free) Push(x any)        { *f = append(*f, x.(float64)) }
func (f *free) Pop() any          { l := len(*f) - 1; x := (*f)[l]; *f = (*f)[:l]; return x }

// played gives tasks to the slot that is free first, one after the other.
func played(n int, take func(i int) float64, from float64, slots []Slots) (end float64) {
	var f free
	for _, s := range slots {
		for range s.N {
			f = append(f, max(s.At, from))
		}
	}
	heap.Init(&f)
	end = from
	for i := range n {
		at := heap.Pop(&f).(float64) + take(i)
		heap.Push(&f, at)
		end = max(end, at)
	}
	return end
}

// simulated are the ends of so many plays of a job, sorted.
func simulated(j *Job, plays int) []float64 {
	all := make([]float64, plays)
	for r := range all {
		d := draw.Of(7, "play").Number(uint64(r))
		chance := d.Job("shared").Float64() // of all factors that tasks share
		take := func(t *Tasks, stage int) func(int) float64 {
			shared := t.Shared.Quantile(chance)
			return func(i int) float64 { return shared * t.Typical * t.Own.Quantile(d.At(stage, i, 1).Float64()) }
		}
		slots := func(t *Tasks) []Slots {
			if t.Slots == nil {
				return []Slots{{0, max(1, t.N)}}
			}
			scaled := slices.Clone(t.Slots)
			for i := range scaled {
				scaled[i].At *= t.Shared.Quantile(chance)
			}
			return scaled
		}
		end := 0.0
		if j.Maps.N > 0 {
			end = played(j.Maps.N, take(&j.Maps, 0), 0, slots(&j.Maps))
		}
		if j.Reduces.N > 0 {
			end += played(j.Reduces.N, take(&j.Reduces, 1), 0, slots(&j.Reduces))
		}
		all[r] = end + j.Delay
	}
	slices.Sort(all)
	return all
}

// known is a law of which only the Dist is known, as it is of what was learned.
func known(l Law) *Dist {
	d := Of(l)
	return &d
}

// A play of each of these jobs 10,000 times, or 100,000 in the gate, gives quantiles that differ from what Finish
// says by at most so much: of the median and of what 90 % do not exceed by 6 %, of what 99 % do not by 8 %.
func TestFinishAgainstSimulations(t *testing.T) {
	plays := 10_000
	if os.Getenv("SLACKLINE_LONG") != "" {
		plays = 100_000
	}
	cases := []struct {
		n, slots int
		shared   float64 // by maps
		own      Law
		reduces  float64 // what they share
	}{
		{1, 1, 0.3, logNormal(0.472), 0.3}, {5, 1, 0.01, logNormal(0.833), 0.01}, {5, 2, 0.3, logNormal(0.472), 0.3},
		{4, 2, 0.01, pareto(2.5), 0.01}, {16, 8, 0.3, pareto(2.5), 0.3}, {20, 2, 0.01, stragglers{}, 0.01},
		{10, 10, 0.3, stragglers{}, 0.3}, {30, 20, 0.01, logNormal(0.198), 0.01}, {60, 20, 0.3, logNormal(0.833), 0.3},
		{200, 10, 0.01, logNormal(0.472), 0.01}, {60, 20, 0.3, known(logNormal(0.833)), 0.3}, {40, 8, 0.1, known(pareto(2.5)), 0.1},
		{60, 20, 0.4, logNormal(0.472), 0.01}, {20, 10, 0.01, logNormal(0.472), 0.5},
	}
	worst := [3]float64{}
	for _, c := range cases {
		j := &Job{Delay: 3, Maps: Tasks{N: c.n, Typical: 10, Own: c.own, Shared: logNormal(c.shared), Slots: []Slots{{0, c.slots}}},
			Reduces: Tasks{N: 2, Typical: 20, Own: c.own, Shared: logNormal(c.reduces)}}
		all, d := simulated(j, plays), j.Finish()
		for i, p := range []float64{0.5, 0.9, 0.99} {
			want, got := all[int(p*float64(plays))], d.Quantile(p)
			off := got/want - 1
			worst[i] = max(worst[i], math.Abs(off))
			if math.Abs(off) > []float64{0.06, 0.06, 0.08}[i] {
				t.Errorf("%T %v, %d on %d, shared %v and %v: %v %% end by %.1f s, simulated %.1f s (%+.1f %%)",
					c.own, c.own, c.n, c.slots, c.shared, c.reduces, p*100, got, want, off*100)
			}
		}
	}
	t.Logf("off by at most %.1f %% (median), %.1f %% (90 %%), %.1f %% (99 %%)", worst[0]*100, worst[1]*100, worst[2]*100)
}

// values are equally likely.
type values []float64

func (v values) CDF(x float64) float64 {
	n := 0
	for _, a := range v {
		if a <= x {
			n++
		}
	}
	return float64(n) / float64(len(v))
}

func (v values) Quantile(p float64) float64 { return v[min(int(p*float64(len(v))), len(v)-1)] }

// Of few tasks with few values each, all cases are counted.
func TestFinishAgainstAllCases(t *testing.T) {
	var own values
	for i := range 12 {
		own = append(own, logNormal(0.5).Quantile((float64(i)+0.5)/12))
	}
	for _, c := range []struct{ n, slots int }{{1, 1}, {2, 1}, {3, 1}, {2, 2}, {3, 2}, {4, 2}, {3, 3}, {4, 3}} {
		cases := int(math.Pow(float64(len(own)), float64(c.n)))
		all := make([]float64, cases)
		for k := range all {
			left := k
			all[k] = played(c.n, func(int) float64 {
				x := own[left%len(own)]
				left /= len(own)
				return x
			}, 0, []Slots{{0, c.slots}})
		}
		slices.Sort(all)
		d := Stage(c.n, 1, own, []Slots{{0, c.slots}})
		for _, p := range []float64{0.3, 0.5, 0.7, 0.9, 0.96} {
			// A Dist is smooth, and these have jumps: it is within 5 % of what about that part of all does not exceed.
			const near = 0.03
			low, high := all[int((p-near)*float64(cases))], all[int((p+near)*float64(cases))]
			if got := d.Quantile(p); got < low*0.95 || got > high*1.05 {
				t.Errorf("%d tasks on %d slots: %v %% end by %.3f, counted %.3f to %.3f", c.n, c.slots, p*100, got, low, high)
			}
		}
	}
}

// The instant at which the last task of many starts is random: where tasks differ and share nothing, that makes most
// of the width of the finish, which TestFinishAgainstSimulations hardly tells from its middle.
func TestWidthOfManyWaves(t *testing.T) {
	for _, c := range []struct{ n, slots int }{{40, 2}, {100, 3}} {
		j := &Job{Maps: Tasks{N: c.n, Typical: 10, Own: logNormal(0.833), Shared: logNormal(0), Slots: []Slots{{0, c.slots}}}}
		all, d := simulated(j, 5_000), j.Finish()
		want, got := all[4500]-all[500], d.Quantile(0.9)-d.Quantile(0.1)
		if math.Abs(got/want-1) > 0.15 {
			t.Errorf("%d tasks on %d slots: between 10 and 90 %% lie %.1f s, simulated %.1f s", c.n, c.slots, got, want)
		}
	}
}

// Slots that fall free one after the other are waited for.
func TestSlotsThatFallFree(t *testing.T) {
	j := &Job{Maps: Tasks{N: 30, Typical: 10, Own: logNormal(0.3), Shared: logNormal(0), Slots: []Slots{{5, 2}, {8, 6}, {17, 4}, {60, 2}}}}
	all, d := simulated(j, 20_000), j.Finish()
	for _, p := range []float64{0.5, 0.9, 0.99} {
		if want, got := all[int(p*20_000)], d.Quantile(p); math.Abs(got/want-1) > 0.05 {
			t.Errorf("%v %% end by %.1f s, simulated %.1f s", p*100, got, want)
		}
	}
}

// A time that is one of three values, with a chance of 0.3, 0.4 and 0.3: how likely it is to be more than each.
func TestAboveOfFewValues(t *testing.T) {
	var d Dist
	for i := range d {
		switch p := normal(first + step*float64(i)); {
		case p <= 0.3:
			d[i] = 1
		case p <= 0.7:
			d[i] = 2
		default:
			d[i] = 4
		}
	}
	for x, want := range map[float64]float64{0.9: 1, 1: 0.7, 2: 0.3, 4: 0, 5: 0} {
		if got := d.Above(x, 0); math.Abs(got-want) > 0.08 { // a quarter of a deviation lies between two quantiles
			t.Errorf("it is more than %v with %.2f, want %v", x, got, want)
		}
	}
}

func TestDist(t *testing.T) {
	if d := Sure(7); d.Quantile(0.99) != 7 || d.Above(7, 0) != 0 || d.Above(6.9, 0) != 1 || math.Abs(d.Above(7, 2)-0.5) > 1e-9 {
		t.Errorf("a time that is known: %v", d)
	}
	a := Of(logNormal(0.3))
	for _, p := range []float64{0.1, 0.5, 0.99, 0.9999} {
		if got := a.CDF(a.Quantile(p)); math.Abs(got-p) > 1e-9 {
			t.Errorf("CDF(Quantile(%v)) is %v", p, got)
		}
		b := Of(logNormal(0.4))
		if got, want := func() float64 { d := a.Times(&b); return d.Quantile(p) }(), logNormal(0.5).Quantile(p); math.Abs(got/want-1) > 0.02 {
			t.Errorf("the product of lognormals at %v is %v, exactly %v", p, got, want)
		}
	}
	if got, want := Stage(1000, 2, logNormal(0.5), []Slots{{0, 1}}), 2000*math.Exp(0.125); math.Abs(got.Mean()/want-1) > 0.01 {
		t.Errorf("a thousand in a row take %v, expected %v", got.Mean(), want)
	}
}

func BenchmarkFinish(b *testing.B) {
	j := &Job{Maps: Tasks{N: 200, Typical: 10, Own: logNormal(0.5), Shared: logNormal(0.2), Slots: []Slots{{0, 40}, {10, 60}}},
		Reduces: Tasks{N: 10, Typical: 10, Own: logNormal(0.5), Shared: logNormal(0.2)}}
	for b.Loop() {
		j.Finish()
	}
}

// Learned laws may have a steep left end, as few tasks are much shorter than the others.
func TestSteepLaws(t *testing.T) {
	own := Of(logNormal(0.83))
	own[0] *= 0.2
	d := Stage(60, 10, &own, []Slots{{0, 20}})
	usual := Stage(60, 10, logNormal(0.83), []Slots{{0, 20}})
	if got, want := d.Quantile(0.99), usual.Quantile(0.99); !(math.Abs(got/want-1) < 0.05) {
		t.Errorf("99 %% end by %v, without the few short tasks by %v", got, want)
	}
}
