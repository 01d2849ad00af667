package ledger

import (
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func control(c sched.ControlVerb) sched.Event {
	return sched.Event{Kind: sched.Control, Control: c}
}

// While the stock scheduler places work, nothing of ours starts or is killed, what it starts is
// expected, and verdicts stand.
func TestYield(t *testing.T) {
	can := bound
	can.Heartbeat = units.Second
	d := open(t, can, nil)
	d.told(nodeUp(1, 1, 9, 1), nodeUp(2, 1, 9, 1), jobOf(1, "j", maps(9)), jobOf(2, "k", maps(1)), sched.Event{Kind: sched.Heartbeat, Node: 1})
	first := d.decide(admit(1), start(1, sched.Map, 1, 2), start(1, sched.Map, 2, 1))
	d.is("held", first[2].Held, true)
	d.told(started(1, first[1], 1), control(sched.Yield), sched.Event{Kind: sched.Heartbeat, Node: 2})
	second := d.decide(sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Map, Task: 1, Node: 1}, sched.Item{Verb: sched.Kill, Attempt: 1},
		start(1, sched.Map, 2, 1), admit(2), sched.Item{Verb: sched.SetSlots, Job: 1, Stage: sched.Map, Count: 5})
	for i, want := range []sched.Code{sched.Yielded, sched.Yielded, sched.Yielded, sched.Yielded, sched.OK, sched.OK} {
		d.is(second[i].Verb.String(), second[i].Refused, want) // the first is the one that was held
	}
	d.is("state", d.Job(2).State, sched.Admitted)
	d.is("first", d.First(2, sched.Map, 0), sched.JobID(0))
	d.is("first local", d.FirstLocal(2, sched.Map, 0), sched.JobID(0))
	d.is("waiting", d.Waiting(sched.Map, 0), sched.JobID(1))
	got := d.told(started(2, first[1], 2), sched.Event{Kind: sched.Started, Attempt: 3, Job: 1, Stage: sched.Map, Task: 3, Node: 2})
	d.is("discrepancies", kinds(got, sched.Discrepancy), 0)
	d.is("running", d.Job(1).Stages[sched.Map].Running, int32(3))
	again(d)
	other := open(t, can, nil)
	load(other, d)
	d.is("refused by a book that was loaded", other.one(start(1, sched.Map, 2, 1)).Refused, sched.Yielded)

	d.told(control(sched.TakeOver), sched.Event{Kind: sched.Heartbeat, Node: 2})
	d.is("first", d.First(2, sched.Map, 0), sched.JobID(1))
	d.want(start(1, sched.Map, 2, 1), sched.OK)
	got = d.told(sched.Event{Kind: sched.Started, Attempt: 4, Job: 1, Stage: sched.Map, Task: 5, Node: 2})
	d.is("discrepancies", kinds(got, sched.Discrepancy), 1)

	// A resync says whether the world has yielded.
	d.told(sched.Event{Kind: sched.Resync}, control(sched.Yield), nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(9)), sched.Event{Kind: sched.Heartbeat, Node: 1})
	d.is("refused after a resync", d.decide(admit(1), start(1, sched.Map, 1, 1))[1].Refused, sched.Yielded)
	d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(9)), sched.Event{Kind: sched.Heartbeat, Node: 1})
	d.is("refused after another", d.decide(admit(1), start(1, sched.Map, 1, 1))[1].Refused, sched.OK)
}
