package preempt_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/preempt"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// running is an attempt that runs: since which second, and whether a kill is under way.
type running struct {
	pool  string
	since int
	dying bool
}

// desk is a view of six slots for a stage, with one job in each pool. Job and pool have the same
// number less one, the root's.
type desk struct {
	sched.View
	now      units.Time
	stage    sched.Stage
	pools    []string
	open     map[string]int32
	attempts []running
}

func (d *desk) Now() units.Time       { return d.now }
func (d *desk) Queues() sched.QueueID { return sched.Root + sched.QueueID(len(d.pools)) }
func (d *desk) Jobs() sched.JobID     { return sched.JobID(len(d.pools)) }

func (d *desk) Capacity() *units.Vector {
	v := units.Slots(6, 60)
	if d.stage == sched.Reduce {
		v = units.Slots(60, 6)
	}
	return &v
}

func (d *desk) has(pool string) (n int32) {
	for _, a := range d.attempts {
		if a.pool == pool {
			n++
		}
	}
	return n
}

func (d *desk) Queue(id sched.QueueID) *sched.Queue {
	if id == sched.Root {
		return &sched.Queue{ID: id}
	}
	name := d.pools[id-sched.Root-1]
	q := &sched.Queue{ID: id, Parent: sched.Root, Name: name, Depth: 1, Jobs: 1}
	q.Stages[d.stage] = sched.QueueTally{Open: d.open[name], Occupied: d.has(name)}
	return q
}

func (d *desk) Job(id sched.JobID) *sched.Job {
	j := &sched.Job{ID: id, Seq: int64(id), State: sched.Admitted, Queue: sched.Root + sched.QueueID(id)}
	j.Stages[d.stage].Occupied = d.has(d.pools[id-1])
	return j
}

func (d *desk) Attempt(id sched.AttemptID) *sched.Attempt {
	a := d.attempts[id-1]
	return &sched.Attempt{ID: id, Job: sched.JobID(slices.Index(d.pools, a.pool) + 1), Stage: d.stage, Started: second(a.since), Dying: a.dying}
}

func (d *desk) Youngest(j sched.JobID, s sched.Stage, after sched.AttemptID) sched.AttemptID {
	var mine []sched.AttemptID
	for i, a := range d.attempts {
		if s == d.stage && a.pool == d.pools[j-1] {
			mine = append(mine, sched.AttemptID(i+1))
		}
	}
	slices.SortStableFunc(mine, func(a, b sched.AttemptID) int { return cmp.Compare(d.attempts[b-1].since, d.attempts[a-1].since) })
	if at := slices.Index(mine, after) + 1; at < len(mine) {
		return mine[at]
	}
	return 0
}

// killed returns who is killed at an instant for b, which has starved since second 10: "a5 d4" are
// those of pools a and d that run since second 5 and 4. b's minimum share is 3 of six, so that of a
// and d is one and a half each.
func (d *desk) killed(t *testing.T, at units.Time, own units.Duration) string {
	t.Helper()
	three := queues.Config{Queues: []queues.Queue{{Name: "a"}, {Name: "b", MinMaps: 3, MinReduces: 3, MinShareTimeout: queues.Span(own)}, {Name: "d"}}}
	f := preempt.NewFair(preempt.FairConfig{MinTimeout: 20 * units.Second})
	if err := f.Follow(order.NewFair(order.FairConfig{Queues: three})); err != nil {
		t.Fatal(err)
	}
	d.pools, d.open = []string{"a", "b", "d"}, map[string]int32{"a": 9, "b": 9, "d": 9}
	var p sched.Plan
	d.now = second(10)
	f.Decide(d, nil, &p)
	p.Reset(nil)
	d.now = at
	f.Decide(d, nil, &p)
	var list []string
	for _, it := range p.Items {
		if it.Verb == sched.Kill {
			a := d.attempts[it.Attempt-1]
			list = append(list, fmt.Sprint(a.pool, a.since))
		}
	}
	return strings.Join(list, " ")
}

// What already dies is on its way to those who starve: it is not owed to them again, and its pool
// no longer has it. Hadoop 1.2.1 (FairScheduler.preemptTasks) counts such tasks as running and,
// when the next round comes before they are gone, kills too many.
func TestWhatDiesIsDeducted(t *testing.T) {
	for _, c := range []struct {
		attempts []running
		want     string
	}{
		{[]running{{"a", 0, false}, {"a", 1, false}, {"a", 2, false}, {"a", 3, false}, {"a", 4, false}, {"a", 5, false}}, "a5 a4 a3"},
		{[]running{{"a", 0, false}, {"a", 1, false}, {"a", 2, false}, {"a", 3, false}, {"a", 4, true}, {"a", 5, true}}, "a3"},
		{[]running{{"a", 0, false}, {"a", 1, true}, {"a", 2, false}, {"a", 3, true}, {"a", 4, false}, {"a", 5, true}}, ""},
		// Once two of its three are gone, d is below its share, so a pays though d's is younger.
		{[]running{{"a", 0, false}, {"a", 1, false}, {"a", 2, false}, {"d", 3, true}, {"d", 4, true}, {"d", 5, false}}, "a2"},
	} {
		for _, stage := range []sched.Stage{sched.Map, sched.Reduce} {
			if got := (&desk{stage: stage, attempts: c.attempts}).killed(t, second(30)+1, 0); got != c.want {
				t.Errorf("%v %+v: killed are %q, want %q", stage, c.attempts, got, c.want)
			}
		}
	}
}

// The youngest of all go, but no pool falls below its share for others (Hadoop 1.2.1,
// FairScheduler.preemptTasks), and of attempts of one instant that of the job which arrived last.
func TestNoPoolFallsBelowItsShare(t *testing.T) {
	d := &desk{stage: sched.Map, attempts: []running{{"d", 0, false}, {"d", 1, false}, {"d", 2, false}, {"a", 3, false}, {"a", 4, false}, {"a", 5, false}}}
	if got := d.killed(t, second(30)+1, 0); got != "a5 a4 d2" {
		t.Errorf("killed are %q; a keeps one and a half, so the third is d's", got)
	}
	d.attempts = []running{{"a", 0, false}, {"a", 1, false}, {"a", 5, false}, {"d", 2, false}, {"d", 3, false}, {"d", 5, false}}
	if got := d.killed(t, second(30)+1, 0); got != "d5 a5 d3" {
		t.Errorf("killed are %q; of two of second 5 the later job's goes first", got)
	}
}

// A time-out has run out when it is over, not before; a pool's own goes before the part's (Hadoop
// 1.2.1, Fair Scheduler guide: minSharePreemptionTimeout of a pool,
// defaultMinSharePreemptionTimeout).
func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		own  units.Duration
		at   units.Time
		want string
	}{
		{0, second(30), ""}, {0, second(30) + 1, "a5 a4 a3"},
		{30 * units.Second, second(40), ""}, {30 * units.Second, second(40) + 1, "a5 a4 a3"},
		{5 * units.Second, second(15) + 1, "a5 a4 a3"},
	} {
		d := &desk{stage: sched.Map, attempts: []running{{"a", 0, false}, {"a", 1, false}, {"a", 2, false}, {"a", 3, false}, {"a", 4, false}, {"a", 5, false}}}
		if got := d.killed(t, c.at, c.own); got != c.want {
			t.Errorf("time-out 20s, its own %v: at %v are killed %q, want %q", c.own, c.at, got, c.want)
		}
	}
}
