package page

import (
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// tally sums what the bars of a drawing say, and checks each.
func tally(t interface{ Fatalf(string, ...any) }, g *gantt) (bars int, busy, wasted units.Duration, n int64) {
	slots := 0
	g.rows(func(r rowInfo, list []bar) {
		slots += r.slots
		last := units.Time(0)
		for i := range list {
			b := &list[i]
			if b.begin < last || b.end < b.begin {
				t.Fatalf("bar %d of row %+v is from %v to %v, the one before ends at %v", i, r, b.begin, b.end, last)
			}
			if most := b.end.Sub(b.begin) * units.Duration(r.slots); b.busy < 0 || b.busy > most || b.wasted < 0 || b.wasted > b.busy {
				t.Fatalf("bar %d of row %+v: busy %v, wasted %v of at most %v", i, r, b.busy, b.wasted, most)
			}
			if _, weight := b.mix.top(); weight > int64(b.busy) {
				t.Fatalf("bar %d of row %+v: one job has %d of %d", i, r, weight, b.busy)
			}
			last = b.end
			bars++
			busy += b.busy
			wasted += b.wasted
			n += int64(b.n)
		}
	})
	if slots != len(g.lanes) {
		t.Fatalf("the rows stand for %d slots, there are %d", slots, len(g.lanes))
	}
	return bars, busy, wasted, n
}

// However bars are merged, the time that was busy or wasted and the number of attempts stay to the
// nanosecond; there are never more bars than the budget, and those of a row do not overlap.
func TestMergingConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(256, 3000).Draw(t, "budget")
		nodes, racks, slots := rapid.IntRange(1, 30).Draw(t, "nodes"), rapid.IntRange(1, 4).Draw(t, "racks"), rapid.IntRange(1, 4).Draw(t, "slots")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		scale := rapid.Int64Range(1, 1e13).Draw(t, "longest")
		g := newGantt(budget)
		var lanes []lane
		var free []units.Time
		more := func() {
			node := len(lanes)
			for s := range slots {
				lanes = append(lanes, lane{node: sched.NodeID(node + 1), rack: cluster.RackID(node%racks + 1), kind: uint8(s % laneKinds), slot: int32(s)})
				free = append(free, 0)
			}
			g.grow(lanes)
		}
		for range nodes {
			more()
		}
		var busy, wasted units.Duration
		attempts := rapid.SampledFrom([]int{0, 1, 100, 1000, 8000}).Draw(t, "attempts")
		for i := range attempts {
			if random.IntN(3000) == 0 {
				more() // a node comes later
			}
			at := random.IntN(len(lanes))
			begin := free[at] + units.Time(random.Int64N(scale)*int64(random.IntN(2)))
			end := begin + units.Time(random.Int64N(scale))
			free[at] = end
			b := bar{begin: begin, end: end, busy: end.Sub(begin), n: 1, task: sched.TaskID(i), stage: sched.Map, outcome: sched.Committed}
			if random.IntN(4) == 0 {
				b.wasted, b.outcome = b.busy, sched.Failed
			}
			b.mix.add(int32(random.IntN(20)), int64(b.busy))
			busy += b.busy
			wasted += b.wasted
			g.add(int32(at), &b)
			if g.level == bySlot && g.total > budget || g.level != bySlot && g.cells.count() > 2*budget {
				t.Fatalf("%d bars, %d cells, %d allowed", g.total, g.cells.count(), budget)
			}
		}
		bars, gotBusy, gotWasted, n := tally(t, g)
		if bars > budget || gotBusy != busy || gotWasted != wasted || n != int64(attempts) {
			t.Fatalf("%d bars of %d; busy %v, want %v; wasted %v, want %v; %d attempts, want %d", bars, budget, gotBusy, busy, gotWasted, wasted, n, attempts)
		}
	})
}

// As long as they fit, bars are what they were: nothing is merged.
func TestFewBarsStayExact(t *testing.T) {
	g := newGantt(1000)
	g.grow([]lane{{node: 1, kind: mapSlots}, {node: 1, kind: reduceSlots}})
	for i := range 1000 {
		b := bar{begin: units.Time(10 * (i / 2)), end: units.Time(10*(i/2) + 9), busy: 9, n: 1, task: sched.TaskID(i)}
		g.add(int32(i%2), &b)
	}
	g.rows(func(r rowInfo, list []bar) {
		for k, b := range list {
			if want := 2*k + int(r.kind); b.n != 1 || int(b.task) != want {
				t.Fatalf("bar %d of %+v: %+v", k, r, b)
			}
		}
	})
}

// aMillion attempts are a quarter of that, but in the long tier.
func aMillion() int64 {
	if os.Getenv("SLACKLINE_LONG") != "" {
		return 1_000_000
	}
	return 250_000
}

// A million attempts in a few slots, in many, and in more than can be drawn: the number of bars
// stays within the budget.
func TestAMillionAttempts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and a million attempts are nothing for the race detector")
	}
	for _, c := range []struct {
		slots, level int
		attempts     int64
	}{{8, bySlot, aMillion()}, {1000, bySlot, aMillion()}, {3000, byNode, aMillion()}, {30000, byRack, 200_000}, {90_000, byKind, 200_000}} {
		g := newGantt(MaxBars)
		lanes := make([]lane, c.slots)
		for i := range lanes {
			lanes[i] = lane{node: sched.NodeID(i/10 + 1), rack: cluster.RackID(i/1000 + 1), kind: mapSlots, slot: int32(i % 10)}
		}
		if c.level == byKind {
			for i := range lanes {
				lanes[i].rack = cluster.RackID(i/100 + 1)
			}
		}
		g.grow(lanes)
		random := rand.New(rand.NewPCG(1, 2))
		free := make([]units.Time, c.slots)
		for i := range int(c.attempts) {
			at := i % c.slots
			end := free[at] + units.Time(10*units.Second) + units.Time(random.Int64N(int64(20*units.Second)))
			b := bar{begin: free[at], end: end, busy: end.Sub(free[at]), n: 1, outcome: sched.Committed}
			b.mix.add(int32(i/1000), int64(b.busy))
			g.add(int32(at), &b)
			free[at] = end
		}
		// No more is merged than need be.
		if even := units.Duration(g.until) * units.Duration(c.slots) / MaxBars; g.level == bySlot && g.width > 8*max(even, 30*units.Second) {
			t.Errorf("%d slots: neighbours within %v are merged, evenly it would be %v", c.slots, g.width, even)
		}
		bars, _, _, n := tally(t, g)
		if bars > MaxBars || n != c.attempts || g.level != c.level {
			t.Errorf("%d slots: %d bars for %d attempts at level %d, want level %d", c.slots, bars, n, g.level, c.level)
		}
		t.Logf("%d slots: %d bars, level %s", c.slots, bars, levelNames[g.level])
	}
}

// What mix says of a job's time is never too much, and a job with more than a quarter of all time
// is never missed; against exact counts.
func TestMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := map[int32]int64{}
		all := int64(0)
		draw := func() (m mix) {
			for range rapid.IntRange(0, 40).Draw(t, "n") {
				job, weight := rapid.Int32Range(0, 8).Draw(t, "job"), rapid.Int64Range(0, 100).Draw(t, "weight")
				m.add(job, weight)
				counts[job] += weight
				all += weight
			}
			return m
		}
		m, other := draw(), draw()
		m.join(&other)
		if job, weight := m.top(); weight > counts[job] {
			t.Fatalf("job %d has %d, told are %d", job, counts[job], weight)
		}
		for job, weight := range counts {
			if 4*weight <= all {
				continue
			}
			kept := false
			for i := range m.jobs {
				kept = kept || m.jobs[i] == job && m.weights[i] > 0
			}
			if !kept {
				t.Fatalf("job %d has %d of %d and is forgotten: %+v", job, weight, all, m)
			}
		}
	})
}
