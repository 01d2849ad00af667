// Package preempt holds the rules by which running tasks are killed to make room for others.
package preempt

import (
	"cmp"
	"errors"
	"slices"

	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Fair makes room for pools that have been kept from their share for too long (Hadoop 1.2.1, FairScheduler:
// updatePreemptionVariables, tasksToPreempt, preemptTasks), for maps and for reduces separately:
//
//   - A pool starves for its minimum share while it has less than that (or than its demand); after
//     MinTimeout it is owed what is missing to it.
//   - It starves for its fair share while it has less than half of it; after FairTimeout it is owed
//     what is missing to all of it.
//   - What is owed to all pools, less what already dies, is taken from pools as long as they have
//     more than their fair share, youngest attempts of all first, so that the least work is lost.
//
// Who starves is looked at once in Update at most; what is owed is taken once in Interval at most,
// so that freed slots are given out before more is killed. In between the part costs nothing. It
// asks for a Tick only when a time-out is running.
//
// After a resync it keeps since when pools starve, as they are known by name, and when it may kill
// again, looks at once and asks for a new Tick. After a take-over it begins again: what pools had under a
// stock scheduler was not its doing.
//
// The fair share is Hadoop's: by weight, at least the minimum share, at most the demand, of all
// slots of the stage; where nodes have no slots but resources, of all containers of the stage that
// run.
type Fair struct {
	c     FairConfig
	order *order.Fair

	state

	// Reused.
	pools   []pool
	claims  []claim
	cursors []cursor
}

// FairConfig says when others are preempted. A time-out of 0 never runs out.
type FairConfig struct {
	MinTimeout  units.Duration // below the minimum share, for pools that do not say (minSharePreemptionTimeout)
	FairTimeout units.Duration // below half of the fair share (fairSharePreemptionTimeout)
	Interval    units.Duration // mapred.fairscheduler.preemption.interval
	Update      units.Duration // mapred.fairscheduler.update.interval
}

// fed says when a pool last had enough.
type fed struct {
	Pool    string      `json:"pool"`
	Stage   sched.Stage `json:"stage"`
	AtMin   units.Time  `json:"at_min"`
	AtHalf  units.Time  `json:"at_half"`
	current bool        // the pool has jobs
}

// pool is a pool at the moment of a look, for one stage.
type pool struct {
	queue *sched.Queue
	fed   int   // its record in Fair.fed
	has   int64 // containers that are not dying
	claim claim
}

// least is the least time between two rounds of killing. Without it, a pool whose tasks fit no node
// would have others killed and started again for ever within one instant, where nodes are served at
// once.
const least = 500 * units.Millisecond

// NewFair returns the rule. An Interval below half a second counts as half a second.
func NewFair(c FairConfig) *Fair {
	c.Interval = max(c.Interval, least)
	return &Fair{c: c}
}

// Follow takes the order, which must be the fair one: no other has pools with shares.
func (f *Fair) Follow(o sched.Order) error {
	fair, ok := o.(*order.Fair)
	if !ok {
		return errors.New("preemption for fair shares works only with the order \"fair\": no other has pools with shares")
	}
	f.order = fair
	return nil
}

// stages are those that Hadoop's pools share.
var stages = [...]sched.Stage{sched.Map, sched.Reduce}

// Decide looks and kills when it is time.
func (f *Fair) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	now := v.Now()
	for i := range batch {
		switch batch[i].Kind {
		case sched.Resync:
			f.NextUpdate, f.Wake = now, 0
		case sched.Tick: // it may be for another part, and voids what this one has asked for
			f.Wake = 0
		case sched.Control: // what pools have had so far was not this part's doing
			f.NextUpdate, f.NextCheck, f.Wake, f.Fed = now, 0, 0, nil
		}
	}
	if now < f.NextUpdate {
		if f.Wake <= now || f.Wake > f.NextUpdate {
			f.wakeMe(f.NextUpdate, p)
		}
		return
	}
	check := now >= f.NextCheck
	f.NextUpdate = now.Add(f.c.Update)
	if check {
		f.NextCheck = now.Add(f.c.Interval)
	}
	for i := range f.Fed {
		f.Fed[i].current = false
	}
	due := units.Never
	for _, s := range stages {
		f.look(v, s)
		for i := range f.pools {
			due = min(due, f.judge(&f.pools[i], now))
		}
		if check {
			f.relieve(v, s, p)
		}
	}
	f.Fed = slices.DeleteFunc(f.Fed, func(r fed) bool { return !r.current })
	if due < units.Never {
		f.wakeMe(max(due, f.NextCheck), p)
	}
}

func (f *Fair) wakeMe(at units.Time, p *sched.Plan) {
	f.Wake = at
	p.WakeMe(at, sched.Because(sched.Wakeup, int64(at)))
}

// look lists the pools with jobs and computes their fair shares of the stage.
func (f *Fair) look(v sched.View, s sched.Stage) {
	f.pools, f.claims = f.pools[:0], f.claims[:0]
	occupied := int64(0)
	for id := sched.Root + 1; id <= v.Queues(); id++ {
		q := v.Queue(id)
		if q == nil || q.Depth != 1 || q.Jobs == 0 {
			continue
		}
		t := &q.Stages[s]
		promise := f.order.Pool(q.Name)
		occupied += int64(t.Occupied)
		f.pools = append(f.pools, pool{queue: q, fed: f.record(q.Name, s, v.Now()), has: int64(t.Occupied)})
		f.claims = append(f.claims, claim{weight: promise.Weight, min: promise.Min[s] * 1000, demand: int64(t.Occupied+t.Open) * 1000})
	}
	total := v.Capacity()[units.MapSlots]
	if s == sched.Reduce {
		total = v.Capacity()[units.ReduceSlots]
	}
	total = cmp.Or(total, occupied)
	fairShares(f.claims, total*1000)
	for i := range f.pools {
		f.pools[i].claim = f.claims[i]
	}
}

// record returns the place of the pool's record, which it makes if there is none: a new pool has
// not starved yet.
func (f *Fair) record(name string, s sched.Stage, now units.Time) int {
	i, ok := slices.BinarySearchFunc(f.Fed, s, func(r fed, s sched.Stage) int {
		return cmp.Or(cmp.Compare(r.Pool, name), cmp.Compare(r.Stage, s))
	})
	if !ok {
		f.Fed = slices.Insert(f.Fed, i, fed{Pool: name, Stage: s, AtMin: now, AtHalf: now})
		for k := range f.pools {
			if f.pools[k].fed >= i {
				f.pools[k].fed++
			}
		}
	}
	f.Fed[i].current = true
	return i
}

// judge notes that the pool has enough, if it has, and returns when a time-out of it runs out,
// units.Never if none is running.
func (f *Fair) judge(q *pool, now units.Time) (due units.Time) {
	r := &f.Fed[q.fed]
	due = units.Never
	if q.has*1000 >= min(q.claim.min, q.claim.demand) {
		r.AtMin = now
	} else if t := f.minTimeout(r.Pool); t > 0 {
		due = r.AtMin.Add(t + 1)
	}
	if q.has >= min(q.claim.share/2, q.claim.demand)/1000 {
		r.AtHalf = now
	} else if t := f.c.FairTimeout; t > 0 {
		due = min(due, r.AtHalf.Add(t+1))
	}
	return due
}

func (f *Fair) minTimeout(pool string) units.Duration {
	if t := f.order.Pool(pool).Timeout; t > 0 {
		return t
	}
	return f.c.MinTimeout
}

// relieve kills what is owed to starving pools.
func (f *Fair) relieve(v sched.View, s sched.Stage, p *sched.Plan) {
	owed := int64(0)
	var why sched.Reason
	for i := range f.pools {
		n, reason := f.owed(&f.pools[i], v.Now())
		if n > 0 && why.Cause == nil {
			why = reason
		}
		owed += n
	}
	if owed == 0 {
		return
	}
	owed -= f.gather(v, s)
	for ; owed > 0; owed-- {
		c := f.youngest(v)
		if c == nil {
			return
		}
		a := c.attempt
		c.attempt = next(v, c.job, s, a)
		if p.Add(sched.Item{Verb: sched.Kill, Job: c.job, Stage: s, Attempt: a, Outcome: sched.Preempted, Reason: why}) {
			f.pools[c.pool].has--
		}
	}
}

// owed returns how many containers are missing to a pool that has starved for too long, and the reason.
func (f *Fair) owed(q *pool, now units.Time) (int64, sched.Reason) {
	r := &f.Fed[q.fed]
	timeout := f.minTimeout(r.Pool)
	toMin, toFair := int64(0), int64(0)
	if timeout > 0 && now.Sub(r.AtMin) > timeout {
		toMin = min(q.claim.min, q.claim.demand)/1000 - q.has
	}
	if f.c.FairTimeout > 0 && now.Sub(r.AtHalf) > f.c.FairTimeout {
		toFair = min(q.claim.share, q.claim.demand)/1000 - q.has
	}
	if toFair > toMin {
		return toFair, sched.Because(FairShare, q.has, q.claim.share/1000, int64(now.Sub(r.AtHalf)))
	}
	return max(toMin, 0), sched.Because(MinShare, q.has, q.claim.min/1000, int64(now.Sub(r.AtMin)))
}

// cursor walks the attempts of a job from the youngest on.
type cursor struct {
	job     sched.JobID
	pool    int // in Fair.pools
	attempt sched.AttemptID
}

// gather sets a cursor on each job with attempts of the stage and returns how many attempts die
// already. These no longer count as held by their pools.
func (f *Fair) gather(v sched.View, s sched.Stage) (dying int64) {
	f.cursors = f.cursors[:0]
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || job.Stages[s].Occupied == 0 {
			continue
		}
		of := top(v, job.Queue)
		at := slices.IndexFunc(f.pools, func(p pool) bool { return p.queue.ID == of })
		if at < 0 {
			continue
		}
		for a := v.Youngest(j, s, 0); a != 0; a = v.Youngest(j, s, a) {
			if v.Attempt(a).Dying {
				f.pools[at].has--
				dying++
			}
		}
		if a := next(v, j, s, 0); a != 0 {
			f.cursors = append(f.cursors, cursor{job: j, pool: at, attempt: a})
		}
	}
	return dying
}

// youngest returns the cursor on the youngest attempt of all pools that have more than their fair
// share, nil if there is none. Of attempts of one instant it is that of the job that arrived last.
func (f *Fair) youngest(v sched.View) *cursor {
	var best *cursor
	var started units.Time
	var seq int64
	for i := range f.cursors {
		c := &f.cursors[i]
		if q := &f.pools[c.pool]; c.attempt == 0 || q.has*1000 <= q.claim.share {
			continue
		}
		at, arrived := v.Attempt(c.attempt).Started, v.Job(c.job).Seq
		if best == nil || at > started || at == started && arrived > seq {
			best, started, seq = c, at, arrived
		}
	}
	return best
}

// next returns the youngest attempt behind a that is not dying, 0 if there is none.
func next(v sched.View, j sched.JobID, s sched.Stage, a sched.AttemptID) sched.AttemptID {
	for a = v.Youngest(j, s, a); a != 0; a = v.Youngest(j, s, a) {
		if !v.Attempt(a).Dying {
			return a
		}
	}
	return 0
}

// top returns the queue just below the root above, or at, q.
func top(v sched.View, q sched.QueueID) sched.QueueID {
	for {
		queue := v.Queue(q)
		if queue == nil || queue.Depth <= 1 {
			return q
		}
		q = queue.Parent
	}
}

// state is what Save keeps.
type state struct {
	NextUpdate units.Time `json:"next_update"`
	NextCheck  units.Time `json:"next_check"`
	Wake       units.Time `json:"wake"`          // the last Tick asked for
	Fed        []fed      `json:"fed,omitempty"` // by pool, then stage
}

// Remembers is what outlives a round.
func (f *Fair) Remembers() any { return &f.state }
