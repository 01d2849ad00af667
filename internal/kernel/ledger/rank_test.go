package ledger

import (
	"cmp"
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
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
	d.is("first of a book that was loaded", other.First(1, sched.Map, 0), sched.JobID(1))
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

// While all jobs wait to be ranked again, a book that is loaded has them, and queues, where they stood.
func TestLoadBeforeRank(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, name) }
		order := testOrder{ceiling: 99, follows: sched.Tallies(pick("follows", 3)), back: make(map[sched.JobID]int64), queues: make(map[string]int64)}
		d := open(t, bound, order)
		events := []sched.Event{nodeUp(1, 1, 9, 9)}
		for j := range pick("jobs", 9) + 1 {
			e := jobOf(sched.JobID(j+1), string(rune('a'+j)), maps(2), reduces(1))
			e.Detail.Job.Queue = []string{"", "a", "x", "y"}[pick("queue", 4)]
			events = append(events, e, sched.Event{Kind: sched.StageReady, Job: sched.JobID(j + 1), Stage: sched.Reduce})
		}
		slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		d.told(events...)
		for j := sched.JobID(1); j <= d.Jobs(); j++ {
			d.decide(admit(j))
		}
		for j := sched.JobID(1); j <= d.Jobs(); j++ {
			order.back[j] = int64(pick("back", 4))
		}
		for _, q := range []string{"a", "b", "x", "y"} {
			order.queues[q] = int64(pick("queue's", 4))
		}
		for range pick("changed", 3) { // some are asked for again meanwhile
			d.one(start(sched.JobID(pick("job", int(d.Jobs()))+1), sched.Map, 1, 1))
		}
		other := open(t, bound, order)
		load(other, d)
		again(other)
		for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
			was, is := sched.JobID(0), sched.JobID(0)
			for range int(d.Jobs()) + 1 {
				if was, is = d.Waiting(s, was), other.Waiting(s, is); was != is {
					rt.Fatalf("%v: job %d stands where job %d stood", s, is, was)
				}
			}
		}
	})
}
