package admit_test

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// desk is a policy with its book, told of events by hand.
type desk struct {
	policy sched.Policy
	book   *ledger.Ledger
	plan   sched.Plan
	round  int64
}

// newDesk has four nodes, of one slot for maps and one for reduces each.
func newDesk(t *testing.T, policy string, can sched.Capabilities) *desk {
	p, err := catalog.New(policy, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{policy: p, book: ledger.New(can, p.Order())}
	d.at(0, opening()...)
	return d
}

func opening() (all []sched.Event) {
	c := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 1)}
	for n := sched.NodeID(1); n <= 4; n++ {
		all = append(all, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Class: c, Rack: 1}}})
	}
	for _, c := range classes() {
		all = append(all, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	return all
}

func (d *desk) at(second int, events ...sched.Event) {
	d.round++
	all := d.book.Apply(units.Time(second)*units.Time(units.Second), d.round, events)
	d.book.Begin(&d.plan)
	d.policy.Decide(d.book, all, &d.plan)
	d.book.Check(&d.plan)
}

func comes(j sched.JobID, id string, deadline, reduces int) sched.Event {
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: timed(id, "reduce10", 1, deadline, 8, reduces)}}
}

// Slots are promised once, also where the world binds late and has not yet asked for anything.
func TestSlotsArePromisedOnce(t *testing.T) {
	for _, bind := range []bool{true, false} {
		d := newDesk(t, "dc", sched.Capabilities{World: "w", Bind: bind, Kill: true})
		d.at(1, comes(1, "a", 60, 0))
		d.at(2, comes(2, "b", 22, 0))
		d.at(3, comes(3, "c", 23, 0))
		for j, want := range []sched.JobState{sched.Admitted, sched.Rejected, sched.Rejected} {
			if is := d.book.Job(sched.JobID(j + 1)).State; is != want {
				t.Errorf("binds: %v, job %d is %v, want %v", bind, j+1, is, want)
			}
		}
	}
}

// A stage that asks for nothing for a moment, as one of its tasks has failed, is not over.
func TestReducesWaitThroughADip(t *testing.T) {
	for _, policy := range []string{"dc", "rtmr", "rtmr(promise=99%)", "edf+slowstart"} {
		d := newDesk(t, policy, sched.Capabilities{World: "w", Kill: true})
		d.at(1, comes(1, "a", 600, 2))
		d.at(2, sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 8}, sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Reduce, Count: 2})
		d.at(3, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1})
		d.at(14, sched.Event{Kind: sched.Ended, Attempt: 1, Outcome: sched.Failed}, sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map})
		for when := 14; when < 16; when++ {
			if !d.book.Job(1).Stages[sched.Reduce].Withheld {
				t.Errorf("%s: at %d s reduces may start, and no map is done", policy, when)
			}
			d.at(when+1, sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 8})
		}
	}
}

// After a resync a job that had begun and cannot be in time runs on behind those with a promise.
func TestLateJobsRunBehindPromises(t *testing.T) {
	d := newDesk(t, "dc", sched.Capabilities{World: "w", Bind: true, Kill: true})
	d.at(1, comes(1, "p", 60, 0))
	late := comes(2, "late", 20, 0)
	late.Detail.Job.Stages[0].Done = []int32{1}
	all := append([]sched.Event{{Kind: sched.Resync}}, opening()...)
	d.at(5, append(all, comes(1, "p", 60, 0), late)...)
	if first := d.book.First(2, sched.Map, 0); first != 1 || d.book.Job(2).State != sched.Admitted {
		t.Errorf("job %d goes first, and the late one is %v", first, d.book.Job(2).State)
	}
}
