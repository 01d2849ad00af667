package ledger

import (
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// An order that knows more than the record is asked for the key of a job when the policy says so,
// or for all keys; for all of them once in an interval: sooner, the item waits, and serves those
// that come after it.
func TestRank(t *testing.T) {
	order := testOrder{ceiling: 99, back: make(map[sched.JobID]int64)}
	d := open(t, bound, order)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "a", maps(2)), jobOf(2, "b", maps(2)), jobOf(3, "c", maps(2)))
	d.decide(admit(1), admit(2), admit(3))
	first := func(want sched.JobID) {
		t.Helper()
		d.is("first", d.First(1, sched.Map, 0), want)
		d.is("first local", d.FirstLocal(1, sched.Map, 0), want)
	}
	misranked := func(want sched.JobID) {
		t.Helper()
		j, _ := d.Misranked()
		d.is("misranked", j, want)
	}
	rank := func(j sched.JobID) sched.Item { return sched.Item{Verb: sched.Rank, Job: j} }
	first(1)
	order.back[1] = 5
	first(1) // nobody has said so
	misranked(1)
	d.want(rank(1), sched.OK)
	first(2)
	misranked(0)
	d.want(rank(9), sched.UnknownJob)

	order.back[1], order.back[2] = 0, 5
	d.is("held", d.one(rank(0)).Held, false)
	first(1)
	misranked(0)
	order.back[1] = 5
	misranked(1)
	items := d.decide(rank(0), rank(0)) // too soon
	d.is("held", items[0].Held, true)
	d.is("held besides", items[1].Held, false)
	d.is("refused besides", items[1].Refused, sched.OK)
	d.is("held later", d.one(rank(0)).Held, false)
	d.is("waits", len(d.held), 1)
	first(1)
	misranked(1) // until its time has come
	again(d)
	other := open(t, bound, order)
	load(other, d)
	other.held = nil
	d.is("held by a book that was loaded", other.one(rank(0)).Held, true)
	d.is("due", d.Due(), items[0].At)
	d.at = items[0].At
	d.told(sched.Event{Kind: sched.Tick})
	d.is("items", len(d.decide()), 1)
	first(3)
	misranked(0)
	d.is("waits", len(d.held), 0)
	if gap := items[0].At.Sub(0); gap < sched.RankInterval || gap > 2*sched.RankInterval {
		t.Errorf("all jobs are ranked again after %v", units.Duration(gap))
	}

	// A job that does not stand in the line comes to stand where the order says.
	d.decide(sched.Item{Verb: sched.Hold, Job: 3})
	order.back[3] = 9
	d.decide(rank(3), admit(3))
	first(1)
	misranked(0)
}
