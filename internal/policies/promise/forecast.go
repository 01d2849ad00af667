package promise

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A forecast is what is expected of the jobs with a promise, as the book has them now: which slots
// are free when, and how large the variance of that is. It is made again for each verdict, so there is
// nothing that could fall behind what really happened: a running task ends when one of its age does on
// the average, and what is to start takes slots in the order of the queue, each task its mean.
//
// The delay of a job by those before it is their work, divided by the slots. So what each of them is
// off by delays it by that divided by the slots: what its tasks share for all of them together, what
// they have for themselves for each. Of both the variances add up.
type forecast struct {
	now           units.Time
	maps, reduces avail.Steps
	variance      float64 // of the delay of what comes next, by maps and by reduces, in seconds squared
}

type steps interface {
	Each(func(at units.Time, slots int) bool)
}

func (f *forecast) copy(o *forecast) {
	f.now, f.variance = o.now, o.variance
	f.maps.Copy(&o.maps)
	f.reduces.Copy(&o.reduces)
}

// sheets are forecasts that each verdict fills in again.
type sheets struct {
	line     line
	at, with forecast
	held     [2][]avail.Step // maps and reduces that run, by when they are expected to end
	rows     []row           // of the queue, as far as they have been asked for
	read     []bool          // by handle: nothing has befallen the job since its row was filled in
	slots    reserve.Slots   // for which these were filled in
	likely   map[lawBits]*likelihood
}

// foresee fills in the forecast before the first job of the queue. It finds when the running tasks of each
// row end.
func (s *scheduler) foresee(v sched.View, f *forecast) {
	f.now, f.variance = v.Now(), 0
	for int(v.Jobs()) >= len(s.runs) {
		s.runs = append(s.runs, runs{})
	}
	for i := range s.sheets.held {
		s.sheets.held[i] = s.sheets.held[i][:0]
	}
	for i := range s.Queue {
		w := &s.sheets.rows[i]
		if w.runs == [2]int32{} || w.is == rowGone {
			continue
		}
		w.busy = [2]busy{}
		if w.begun = w.begun || s.Of(w.job).Rank > 0; !w.begun {
			continue
		}
		for i, l := range [...]*likelihood{w.expects.Map, w.expects.Reduce} {
			stage, held := sched.Map+sched.Stage(i), &s.sheets.held[i]
			if w.runs[i] == 0 {
				s.runs[w.job].starts[i] = s.runs[w.job].starts[i][:0]
				continue
			}
			from, busy := len(*held), &w.busy[i]
			*held = l.ends(*held, s.row(v, w.job, stage, int(w.runs[i])), f.now)
			for _, e := range (*held)[from:] {
				busy.last, busy.n = max(busy.last, e.At), busy.n+e.Slots
			}
		}
	}
	s.sheets.held[0] = load(&f.maps, s.Slots.Maps, s.sheets.held[0], f.now)
	s.sheets.held[1] = load(&f.reduces, s.Slots.Reduces, s.sheets.held[1], f.now)
}

// ends adds to a list when tasks are expected to end that have been running since then, in ascending order.
func (l *likelihood) ends(list []avail.Step, since []units.Time, now units.Time) []avail.Step {
	if l.Mean <= 0 {
		if n := len(since); n > 0 {
			list = append(list, avail.Step{At: now, Slots: n})
		}
		return list
	}
	quarter := max(1, l.Mean/4)
	for i := len(since) - 1; i >= 0; { // the youngest first: those of one age end together
		age := now.Sub(since[i])
		q := max(0, min(int64(age/quarter), int64(len(l.Residual)-1)))
		n := 1
		for i--; i >= 0 && (q == int64(len(l.Residual)-1) || now.Sub(since[i]) < units.Duration(q+1)*quarter); i-- {
			n++
		}
		list = append(list, avail.Step{At: now.Add(l.Residual[q]), Slots: n})
	}
	return list
}

// load fills in the slots: those that running tasks hold are free at their ends, the others now. It
// returns the list of ends, which it spoils, with room for more.
func load(to *avail.Steps, slots int, held []avail.Step, now units.Time) []avail.Step {
	slices.SortFunc(held, func(a, b avail.Step) int { return cmp.Compare(a.At, b.At) })
	n, sum := 0, 0
	for _, e := range held {
		if sum += e.Slots; n > 0 && held[n-1].At == e.At {
			held[n-1].Slots += e.Slots
		} else {
			held[n] = e
			n++
		}
	}
	held = held[:n]
	if free := slots - sum; free > 0 {
		if n > 0 && held[0].At == now {
			held[0].Slots += free
		} else {
			held = slices.Insert(held, 0, avail.Step{At: now, Slots: free})
		}
	}
	to.Load(held)
	to.Resize(slots, now)
	return held
}

// take gives a job its slots, and returns when its maps and all of it are expected to end.
func (f *forecast) take(c *reserve.Claim, e *expects, running [2]busy) (mapsEnd, end units.Time) {
	from := max(f.now, c.Ready)
	if c.Slot {
		from = max(from, f.maps.Take()).Add(c.Startup)
	}
	mapsEnd, end = f.run(from, c.Maps, c.Reduces, e, f.varies(c.Maps, c.Reduces, e, running), running)
	if c.Slot {
		f.maps.Put(end)
	}
	return mapsEnd, end
}

// run is take without a master: so many maps run from then on, and reduces behind them. They vary by that.
func (f *forecast) run(from units.Time, maps, reduces int, e *expects, varies [2]float64, running [2]busy) (mapsEnd, end units.Time) {
	f.variance += varies[0]
	f.variance += varies[1]
	mapsEnd = max(f.maps.Run(maps, from, e.Map.Mean), running[0].last)
	return mapsEnd, max(f.reduces.Run(reduces, mapsEnd, e.Reduce.Mean), running[1].last)
}

// ask returns what take would for a job of which nothing runs, and changes nothing.
func (f *forecast) ask(c *reserve.Claim, o *odds) (mapsEnd, end units.Time) {
	from := max(f.now, c.Ready)
	var had units.Time
	if c.Slot {
		had = f.maps.Take()
		from = max(from, had).Add(c.Startup)
	}
	mapsEnd = f.maps.Last(c.Maps, from, o.Map.Mean)
	end = f.reduces.Last(c.Reduces, mapsEnd, o.Reduce.Mean)
	if c.Slot {
		f.maps.Put(had)
	}
	return mapsEnd, end
}

// varies is the variance of the delay by maps and by reduces.
func (f *forecast) varies(maps, reduces int, e *expects, running [2]busy) [2]float64 {
	return [2]float64{e.Map.varies(maps+running[0].n, f.maps.Slots()), e.Reduce.varies(reduces+running[1].n, f.reduces.Slots())}
}

// varies is the variance of the delay by n tasks on so many slots.
func (l *likelihood) varies(n, slots int) float64 {
	if n == 0 || slots == 0 {
		return 0
	}
	work, all := float64(n)*l.Mean.Seconds(), float64(slots)
	return (work*work*l.Shared + float64(n)*l.Variance) / (all * all)
}

// risk is that of a job which is expected to end then, with that variance from those before it.
func (o *odds) risk(deadline, expected units.Time, variance float64) finish.Risk {
	switch {
	case expected == units.Never:
		return finish.Certain
	case safe(deadline, expected, o.Sure, variance):
		return 0
	}
	return finish.RiskOf(o.Deviation.Above(deadline.Sub(expected).Seconds(), math.Sqrt(variance)))
}

// safe tells whether there is no risk beyond what is sure.
func safe(deadline, expected units.Time, sure, variance float64) bool {
	return expected != units.Never && units.Rounded(deadline.Sub(expected).Seconds()) > units.Rounded(sure+6*math.Sqrt(variance))
}
