package rtmr

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/maths/finish"
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

// busy is when the running tasks of a job end, the last of each stage.
type busy struct {
	maps, reduces   units.Time
	nMaps, nReduces int
}

func (f *forecast) copy(o *forecast) {
	f.now, f.variance = o.now, o.variance
	f.maps.Copy(&o.maps)
	f.reduces.Copy(&o.reduces)
}

// foresee is the forecast before the first job of the queue, and when the running tasks of each end.
func (s *scheduler) foresee(v sched.View) (*forecast, map[sched.JobID]busy) {
	f := &forecast{now: v.Now()}
	running := make(map[sched.JobID]busy, len(s.active))
	var maps, reduces []units.Time
	for _, j := range s.active {
		r, job := s.of(j), v.Job(j)
		if job == nil || r.Odds == nil {
			continue
		}
		e := busy{}
		s.eachOf(v, j, func(a *sched.Attempt, slot sched.Stage) {
			age := v.Now().Sub(a.Started)
			switch {
			case a.Stage == sched.Map && slot == sched.Map:
				at := v.Now().Add(r.Odds.Map.after(age))
				maps = append(maps, at)
				e.maps, e.nMaps = max(e.maps, at), e.nMaps+1
			case a.Stage == sched.Reduce && slot == sched.Reduce:
				at := v.Now().Add(r.Odds.Reduce.after(age))
				reduces = append(reduces, at)
				e.reduces, e.nReduces = max(e.reduces, at), e.nReduces+1
			}
		})
		running[j] = e
	}
	load(&f.maps, s.slots.Maps, maps, f.now)
	load(&f.reduces, s.slots.Reduces, reduces, f.now)
	return f, running
}

// load fills in the slots: those that running tasks hold are free at their ends, the others now.
func load(to *avail.Steps, slots int, held []units.Time, now units.Time) {
	slices.Sort(held)
	list := []avail.Step{}
	if free := slots - len(held); free > 0 {
		list = append(list, avail.Step{At: now, Slots: free})
	}
	for _, at := range held {
		if n := len(list); n > 0 && list[n-1].At == at {
			list[n-1].Slots++
		} else {
			list = append(list, avail.Step{At: at, Slots: 1})
		}
	}
	to.Load(list)
	to.Resize(slots, now)
}

// take gives a job its slots, and returns when its maps and all of it are expected to end.
func (f *forecast) take(c *Claim, o *odds, running busy) (mapsEnd, end units.Time) {
	from := max(f.now, c.Ready)
	if c.Slot {
		from = max(from, f.maps.Take()).Add(c.Startup)
	}
	mapsEnd = max(f.maps.Run(c.Maps, from, o.Map.Mean), running.maps)
	end = max(f.reduces.Run(c.Reduces, mapsEnd, o.Reduce.Mean), running.reduces)
	if c.Slot {
		f.maps.Put(end)
	}
	f.variance += o.Map.varies(c.Maps+running.nMaps, f.maps.Slots(), o.Shared)
	f.variance += o.Reduce.varies(c.Reduces+running.nReduces, f.reduces.Slots(), o.Shared)
	return mapsEnd, end
}

// varies is the variance of the delay by n tasks on so many slots.
func (l *likelihood) varies(n, slots int, shared float64) float64 {
	if n == 0 || slots == 0 {
		return 0
	}
	work, all := float64(n)*l.Mean.Seconds(), float64(slots)
	return (work*work*shared + float64(n)*l.Variance) / (all * all)
}

// left is the claim of a job with what is still to start of it.
func left(r *record, job *sched.Job) Claim {
	c := r.Claim
	c.Maps, c.Reduces = int(owed(job, sched.Map)), int(owed(job, sched.Reduce))
	if r.Master == running || r.Master == without {
		c.Ready, c.Startup = 0, 0
	}
	return c
}

// risk is that of a job which is expected to end then, with that variance from those before it.
func (o *odds) risk(deadline, expected units.Time, variance float64) finish.Risk {
	if expected == units.Never {
		return finish.Certain
	}
	slack := deadline.Sub(expected).Seconds()
	off := math.Sqrt(variance)
	if units.Rounded(slack) > units.Rounded(o.Sure+6*off) {
		return 0
	}
	return finish.RiskOf(o.Deviation.Above(slack, off))
}
