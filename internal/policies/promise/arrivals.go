package promise

import (
	"cmp"
	"slices"
	"sort"

	"github.com/slackline/slackline/units"
)

// Jobs that come later overtake those with later deadlines. What they are expected to bring is what the last ones
// brought: so much work at such a rate, with so much time each.

// arrivals are the last jobs with a deadline that came, the oldest first.
type arrivals struct {
	List  []arrival  `json:"list,omitempty"`
	First units.Time `json:"first,omitempty"` // when the first of all came, remembered or not

	// by how much time they had, and the sums over those that had no more, as they are looked up; not saved
	byHas []arrival
	sums  []sums
	stale bool
	rate  float64 // in a second, of each of them
	seen  float64 // seconds for which such jobs have come
}

// An arrival is a job that came.
type arrival struct {
	At   units.Time `json:"at"`
	Has  float64    `json:"has"`  // seconds until its deadline
	Work float64    `json:"work"` // seconds for which it takes all slots of a kind
}

// sums are over the arrivals that had so much time, or less: of their work and its squares, and of both times that
// time.
type sums struct{ has, work, square, workHas, squareHas float64 }

// mostArrivals is how many are remembered, fewestArrivals how many tell of a rate.
const (
	mostArrivals   = 300
	fewestArrivals = 10
)

// came notes a job. Of those that came with the first of all only that one counts: what is handed in at once says
// nothing of how often more comes.
func (a *arrivals) came(at units.Time, has, work float64) {
	if len(a.List) > 0 && a.List[0].At == at {
		return
	}
	if len(a.List) == mostArrivals {
		a.List, a.byHas = slices.Delete(a.List, 0, mostArrivals/4), nil
	}
	if len(a.List) == 0 {
		a.First = at
	}
	x := arrival{at, units.Rounded(has), units.Rounded(work)}
	if len(a.byHas) == len(a.List) {
		a.byHas = slices.Insert(a.byHas, sort.Search(len(a.byHas), func(i int) bool { return units.Rounded(a.byHas[i].Has) > units.Rounded(x.Has) }), x)
	}
	a.List, a.stale = append(a.List, x), true
}

// count sums them up.
func (a *arrivals) count(now units.Time) {
	a.rate = 0
	if len(a.List) < fewestArrivals {
		a.sums = nil
		return
	}
	a.rate, a.seen = 1/max(now.Sub(a.List[0].At).Seconds(), 1e-3), max(now.Sub(a.First).Seconds(), 1e-3)
	if len(a.sums) > 0 && !a.stale {
		return
	}
	a.sums, a.stale = a.sums[:0], false
	if len(a.byHas) != len(a.List) {
		a.byHas = slices.Clone(a.List)
		slices.SortStableFunc(a.byHas, func(x, y arrival) int { return cmp.Compare(units.Rounded(x.Has), units.Rounded(y.Has)) })
	}
	s := sums{}
	for _, x := range a.byHas {
		s.has = x.Has
		s.work += x.Work
		s.square += float64(x.Work * x.Work)
		s.workHas += float64(x.Work * x.Has)
		s.squareHas += float64(float64(x.Work*x.Work) * x.Has)
		a.sums = append(a.sums, s)
	}
}

// upTo are the sums over those that had less time.
func (a *arrivals) upTo(has float64) sums {
	if i := sort.Search(len(a.sums), func(i int) bool { return units.Rounded(a.sums[i].has) >= units.Rounded(has) }); i > 0 {
		return a.sums[i-1]
	}
	return sums{}
}

// ahead is the work, and its variance, that is expected to come within the next seconds and to go before a job whose
// deadline is in so many seconds: of one that has h seconds if it comes before deadline - h. All are those that have
// less time than the job.
func (a *arrivals) ahead(all *sums, deadline, within float64) (work, variance float64) {
	if units.Rounded(min(within, deadline)) <= 0 {
		return 0, 0
	}
	whole := a.upTo(deadline - within)
	work = whole.work*within + (all.work-whole.work)*deadline - (all.workHas - whole.workHas)
	variance = whole.square*within + (all.square-whole.square)*deadline - (all.squareHas - whole.squareHas)
	return units.Rounded(max(0, work*a.rate)), units.Rounded(max(0, variance*a.rate))
}

// delays is by how many seconds, and with which variance, later arrivals delay a job whose last task starts in so many
// seconds without them. It expects them for as long as such jobs have come, and none beyond: a burst is no rate.
func (a *arrivals) delays(deadline, within float64) (by, variance float64) {
	all := a.upTo(deadline)
	for range 3 {
		by, variance = a.ahead(&all, deadline, min(within+by, a.seen))
	}
	return by, variance
}

// mostBusy is the part of the time for which arrivals are taken to keep the cluster busy at most: who waits behind all
// of them would wait for ever else.
const mostBusy = 0.9

// overtake is by how many seconds, and with which variance, later arrivals delay a job that stands behind all of them,
// whose last task starts in so many seconds without them: who comes meanwhile, who comes while these run, and so on, as
// in a busy period (Kleinrock, Queueing Systems I, 1975, section 5.8); as much work at most as has come so far.
func (a *arrivals) overtake(within float64) (by, variance float64) {
	if len(a.sums) == 0 || units.Rounded(a.sums[len(a.sums)-1].work*a.rate) <= 0 {
		return 0, 0
	}
	all := &a.sums[len(a.sums)-1]
	idle := 1 - min(units.Rounded(all.work*a.rate), mostBusy)
	within = min(within, all.work*a.rate*a.seen*idle/(1-idle)) // so that they take no more than all that came
	return units.Rounded(within * (1 - idle) / idle), units.Rounded(within * a.rate * all.square / (idle * idle * idle))
}
