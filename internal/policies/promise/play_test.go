package promise

import (
	"testing"

	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// listed is list scheduling of single tasks on single slots: whenever a slot falls free, the first span that is ready
// starts a task.
func listed(spans []span, slots []units.Time, now units.Time) (last, end []units.Time) {
	left, ready := make([]int32, len(spans)), make([]units.Time, len(spans))
	last, end = make([]units.Time, len(spans)), make([]units.Time, len(spans))
	for i := range spans {
		left[i], ready[i], end[i] = spans[i].left, spans[i].ready, spans[i].end
	}
	free := append([]units.Time(nil), slots...)
	over := make([]bool, len(spans))
	for clock := now; ; clock++ {
		for again := true; again; {
			again = false
			for i := 1; i < len(spans); i++ {
				if ready[i] > clock || over[i] {
					continue
				}
				for k := range free {
					if left[i] > 0 && free[k] <= clock {
						free[k] = clock.Add(spans[i].mean)
						left[i]--
						last[i], end[i] = clock, max(end[i], free[k])
					}
				}
				if left[i] == 0 {
					over[i], again = true, true
					end[i] = max(end[i], clock)
					if then := spans[i].then; then > 0 {
						ready[then] = end[i]
					}
				}
			}
		}
		done := true
		for i := 1; i < len(spans); i++ {
			done = done && over[i]
		}
		if done {
			return last, end
		}
	}
}

// A play is what list scheduling gives, task by task, with jobs that begin later, slots that are held, and reduces
// behind maps.
func TestPlay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pool
		p.reset()
		var slots []units.Time
		for range rapid.IntRange(1, 4).Draw(t, "slots") {
			at := units.Time(rapid.IntRange(0, 9).Draw(t, "free"))
			slots = append(slots, at)
			p.has(1, at)
		}
		p.begin()
		for range rapid.IntRange(1, 5).Draw(t, "spans") {
			w := span{ready: units.Time(rapid.IntRange(0, 30).Draw(t, "ready")), mean: units.Duration(rapid.IntRange(1, 12).Draw(t, "mean")),
				left: int32(rapid.IntRange(0, 40).Draw(t, "tasks"))}
			before := int32(len(p.spans) - 1)
			i := p.add(w)
			if before > 0 && p.spans[before].then == 0 && p.spans[before].ready != units.Never && rapid.Bool().Draw(t, "follows") {
				p.spans[before].then, p.spans[i].ready = i, units.Never
			}
		}
		spans := append([]span(nil), p.spans...)
		last, end := listed(spans, slots, 0)
		p.play(0)
		for i := 1; i < len(spans); i++ {
			if is := p.spans[i]; is.end != end[i] || spans[i].left > 0 && is.last != last[i] {
				t.Errorf("span %d of %+v on %v: last start %d, end %d, want %d, %d", i, spans, slots, is.last, is.end, last[i], end[i])
			}
		}
	})
}

// Where slots fall free one by one, those that do so soon after one another are taken as one: by less than a fourth of
// a task of each span that goes before, ends are those of list scheduling.
func TestPlayOfManyChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pool
		p.reset()
		var slots []units.Time
		for range rapid.IntRange(most, 3*most).Draw(t, "slots") {
			at := units.Time(rapid.IntRange(0, 99).Draw(t, "free"))
			slots = append(slots, at)
			p.has(1, at)
		}
		p.begin()
		for range rapid.IntRange(1, 4).Draw(t, "spans") {
			p.add(span{mean: units.Duration(rapid.IntRange(8, 64).Draw(t, "mean")), left: int32(rapid.IntRange(0, 3*len(slots)).Draw(t, "tasks"))})
		}
		spans := append([]span(nil), p.spans...)
		_, end := listed(spans, slots, 0)
		p.play(0)
		off := units.Duration(0)
		for i := 1; i < len(spans); i++ {
			off += spans[i].mean / 4
			if is := p.spans[i].end; max(is.Sub(end[i]), end[i].Sub(is)) > off {
				t.Errorf("span %d of %+v on %v: end %d, want %d give or take %d", i, spans, slots, is, end[i], off)
			}
		}
		if n := int(p.slots); sumOf(&p) != n {
			t.Errorf("%d slots of %d are left", sumOf(&p), n)
		}
	})
}

// sumOf is how many slots stand in rows.
func sumOf(p *pool) (sum int) {
	for _, h := range p.rows.List {
		for k := p.spans[h.row].row[0]; k > 0; k = p.free[k].next {
			sum += int(p.free[k].n)
		}
	}
	return sum
}

// Nothing ends where there are no slots, nor behind what never ends.
func TestPlayOfNothing(t *testing.T) {
	var p pool
	p.reset()
	p.begin()
	p.add(span{mean: 1, left: 1})
	p.play(0)
	if p.spans[1].end != units.Never {
		t.Errorf("a task ends at %d without a slot", p.spans[1].end)
	}
	p.reset()
	p.has(1, 0)
	p.begin()
	p.add(span{ready: units.Never, mean: 1, left: 1})
	p.add(span{mean: 1, left: 1})
	p.play(0)
	if p.spans[1].end != units.Never || p.spans[2].end != 1 {
		t.Errorf("ends at %d and %d, want never and 1", p.spans[1].end, p.spans[2].end)
	}
}

// What later jobs are expected to take before a job is the sum over those that came lately.
func TestAheadIsASum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a arrivals
		n := rapid.IntRange(fewestArrivals, 30).Draw(t, "jobs")
		at := units.Time(0)
		for range n {
			at = at.Add(units.Duration(rapid.IntRange(1, 20).Draw(t, "after")) * units.Second)
			a.came(at, float64(rapid.IntRange(1, 200).Draw(t, "has")), float64(rapid.IntRange(0, 50).Draw(t, "work")))
		}
		now := at.Add(units.Duration(rapid.IntRange(0, 100).Draw(t, "now")) * units.Second)
		a.count(now)
		deadline, within := rapid.IntRange(1, 300).Draw(t, "deadline"), rapid.IntRange(1, 100).Draw(t, "within")
		within = min(within, deadline)
		work, variance := 0.0, 0.0
		for _, x := range a.List {
			// It goes before the job if it comes before deadline - has.
			if for_ := min(float64(within), max(0, float64(deadline)-x.Has)); for_ > 0 {
				work += for_ * a.rate * x.Work
				variance += for_ * a.rate * x.Work * x.Work
			}
		}
		all := a.upTo(float64(deadline))
		is, off := a.ahead(&all, float64(deadline), float64(within))
		if near := 1e-6 * (1 + work + variance); is < work-near || is > work+near || off < variance-near || off > variance+near {
			t.Errorf("deadline in %d s, within %d s: %v and %v, want %v and %v", deadline, within, is, off, work, variance)
		}
	})
}
