package referee

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// preemption makes room for pools that have had too little for too long (Hadoop 1.2.1,
// FairScheduler: updatePreemptionVariables, tasksToPreempt, preemptTasks), of maps and of reduces.
// What dies already is on its way to those who starve.
type preemption struct {
	ofMin, ofFair    int64 // time-outs; 0 = none
	interval, update int64
	look, check      int64 // not before
	fed              map[string]*[2][2]int64
}

func preemptionOf(m *made, a *asked) *preemption {
	return &preemption{ofMin: a.span("min_timeout", 0), ofFair: a.span("fair_timeout", 0), update: a.span("update", 500*time.Millisecond),
		interval: max(a.span("interval", 15*time.Second), int64(500*time.Millisecond)), fed: map[string]*[2][2]int64{}}
}

// A starving pool, or one that is not, as it is now.
type fed struct {
	*pool
	name         string
	has, demand  int
	least, share float64
	at           *[2]int64 // when it last had its minimum share, and half of its fair one
}

func (f *preemption) decide(b *book, _ []*line, p *wants) {
	if b.now < f.look {
		return
	}
	f.look = b.now + f.update
	checks := b.now >= f.check
	if checks {
		f.check = b.now + f.interval
	}
	b.line(mapStage) // counts what pools have
	pools := b.order.(*fairShare).pools
	for name := range f.fed {
		if pools[name] == nil {
			delete(f.fed, name)
		}
	}
	for k, s := range []int{mapStage, reduceStage} {
		list := f.pools(b, pools, k, s)
		for i := range list {
			if x := &list[i]; float64(x.has) >= min(x.least, float64(x.demand)) {
				x.at[0] = b.now
			}
			if x := &list[i]; x.has >= floor(min(x.share/2, float64(x.demand))) {
				x.at[1] = b.now
			}
		}
		if checks {
			f.relieve(b, list, s, p)
		}
	}
}

// floor is the largest whole number in x.
func floor(x float64) int { return int(math.Floor(x + 1e-6)) }

// pools are those with jobs, by the arrival of the first.
func (f *preemption) pools(b *book, pools map[string]*pool, k, s int) (list []fed) {
	for name, q := range pools {
		x := fed{pool: q, name: name, has: q.held[s], demand: q.demand[s], least: float64(q.queue.MinMaps)}
		if s == reduceStage {
			x.least = float64(q.queue.MinReduces)
		}
		if f.fed[name] == nil {
			f.fed[name] = &[2][2]int64{{b.now, b.now}, {b.now, b.now}}
		}
		x.at = &f.fed[name][k]
		list = append(list, x)
	}
	slices.SortFunc(list, func(x, y fed) int { return cmp.Compare(x.seq, y.seq) })
	total := float64(b.slots(s))
	if total == 0 { // nodes have resources: what runs is what there is to share
		for _, x := range list {
			total += float64(x.has)
		}
	}
	level(list, total)
	return list
}

// level gives each pool its fair share: by weight, at least what it is promised, at most what it
// can use (computeFairShares).
func level(list []fed, total float64) {
	demand := 0.0
	for i := range list {
		demand += float64(list[i].demand)
	}
	total = min(total, demand)
	at := func(ratio float64) (sum float64) {
		for i := range list {
			x := &list[i]
			x.share = min(max(x.weight*ratio, x.least), float64(x.demand))
			sum += x.share
		}
		return sum
	}
	lo, hi := 0.0, 1.0
	for at(hi) < total-1e-9 {
		hi *= 2
	}
	for range 200 {
		if mid := (lo + hi) / 2; at(mid) < total {
			lo = mid
		} else {
			hi = mid
		}
	}
	at(hi)
}

// timeout is how long a pool waits for its minimum share.
func (f *preemption) timeout(x *fed) int64 {
	if d, err := time.ParseDuration(x.queue.MinShareTimeout); err == nil && d > 0 {
		return int64(d)
	}
	return f.ofMin
}

// relieve kills what is owed, the youngest attempts first, of pools above their share.
func (f *preemption) relieve(b *book, list []fed, s int, p *wants) {
	owed, why := 0, ""
	for i := range list {
		x := &list[i]
		toMin, toFair := 0, 0
		if t := f.timeout(x); t > 0 && b.now-x.at[0] > t {
			toMin = floor(min(x.least, float64(x.demand))) - x.has
		}
		if f.ofFair > 0 && b.now-x.at[1] > f.ofFair {
			toFair = floor(min(x.share, float64(x.demand))) - x.has
		}
		if n := max(toMin, toFair); n > 0 {
			owed += n
			switch {
			case why != "":
				why = "several" // which of them is named does not follow from the rule
			case toFair > toMin:
				why = "fair-share" + numbers(int64(x.has), int64(floor(x.share)), b.now-x.at[1])
			default:
				why = "min-share" + numbers(int64(x.has), int64(x.least), b.now-x.at[0])
			}
		}
	}
	if why == "several" {
		why = ""
	}
	if owed == 0 {
		return
	}
	of := func(a *attempt) *fed {
		name := b.order.(*fairShare).name(b.jobs[a.job])
		return &list[slices.IndexFunc(list, func(x fed) bool { return x.name == name })]
	}
	var run []*attempt
	for _, a := range b.attempts {
		switch {
		case a.stage != s:
		case a.dying:
			owed--
			of(a).has--
		default:
			run = append(run, a)
		}
	}
	slices.SortFunc(run, func(x, y *attempt) int {
		return cmp.Or(cmp.Compare(y.started, x.started), cmp.Compare(b.jobs[y.job].seq, b.jobs[x.job].seq), cmp.Compare(y.seq, x.seq))
	})
	for _, a := range run {
		if x := of(a); owed > 0 && float64(x.has) > x.share+1e-6 {
			p.kill(b.jobs[a.job], s, []int{a.id}, "preempted", why)
			owed--
			x.has--
		}
	}
}
