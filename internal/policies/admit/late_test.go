package admit_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
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
	d := &desk{policy: p, book: ledger.New(can, p.About().Order)}
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
	d.tell(units.Time(second)*units.Time(units.Second), events...)
}

func (d *desk) tell(at units.Time, events ...sched.Event) {
	d.round++
	all := d.book.Apply(at, d.round, events)
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

// A stage that asks for nothing for a moment, as one of its tasks has failed, is not over before one is done.
func TestReducesWaitThroughADip(t *testing.T) {
	for _, policy := range []string{"dc", "rtmr", "promise", "edf+slowstart"} {
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

// Slots that a promise needs are kept also while its world does not ask for them: after a dip the first job's maps
// would wait for those of the second.
func TestPromisesKeepSlotsThroughADip(t *testing.T) {
	d := newDesk(t, "rtmr", sched.Capabilities{World: "w", Kill: true, Heartbeat: units.Second})
	d.at(1, comes(1, "a", 40, 0), comes(2, "b", 400, 0), sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map},
		sched.Event{Kind: sched.Demand, Job: 2, Stage: sched.Map, Count: 8})
	d.at(2, beats()...)
	if a, b := d.book.Job(1), d.book.Job(2); a.State != sched.Admitted || b.State != sched.Admitted || b.Stages[sched.Map].Occupied != 0 {
		t.Errorf("the first job is %v, the second is %v and has %d slots", a.State, b.State, b.Stages[sched.Map].Occupied)
	}
	d.at(3, append(beats(), sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 8})...)
	if n := d.book.Job(1).Stages[sched.Map].Occupied; n != 4 {
		t.Errorf("the first job has %d slots", n)
	}
}

func beats() (all []sched.Event) {
	for n := sched.NodeID(1); n <= 4; n++ {
		all = append(all, sched.Event{Kind: sched.Heartbeat, Node: n})
	}
	return all
}

// A promise is not taken back as its job is amended in what it does not rest on, and none is taken back of a job whose
// ApplicationMaster runs.
func TestPromisesOutlastAmendments(t *testing.T) {
	for _, policy := range []string{"rtmr", "dc"} {
		for _, runs := range []bool{false, true} {
			d := newDesk(t, policy, sched.Capabilities{World: "w", Kill: true})
			all := opening()
			for i := range all {
				if n := all[i].Detail.Node; n != nil {
					room := *n.Class
					room.Capacity[units.Memory], room.Capacity[units.VCores] = 4<<30, 4
					all[i].Detail = &sched.Detail{Node: &cluster.Node{Name: n.Name, Class: &room, Rack: 1}}
				}
			}
			d.at(1, append([]sched.Event{{Kind: sched.Resync}}, all...)...)
			job := *timed("a", "up15", 1, 60, 4, 0)
			job.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: make([]workload.Task, 1),
				Containers: []cluster.Container{{Needs: units.Vector{units.VCores: 1, units.Memory: 1 << 30}}}}}, job.Stages...)
			d.at(2, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &job}})
			if d.book.Job(1).State != sched.Admitted {
				t.Fatalf("%s: the job is %v", policy, d.book.Job(1).State)
			}
			if runs {
				d.at(3, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Master, Node: 1})
			}
			other := job
			other.Weight = 2
			d.at(50, sched.Event{Kind: sched.JobAmended, Job: 1, Detail: &sched.Detail{Job: &other}})
			if d.book.Job(1).State != sched.Admitted {
				t.Errorf("%s, its master runs: %v: with another weight the job is %v", policy, runs, d.book.Job(1).State)
			}
		}
	}
}

// What is saved and copied between two batches of one instant goes on as the original does: rds too, while its
// solver is at work on a plan that nothing but bounds follow from.
func TestSavedWithinAnInstant(t *testing.T) {
	const text = "rds(interval=1m)"
	d := newDesk(t, text, sched.Capabilities{World: "w", Kill: true, Bind: true, Heartbeat: units.Second})
	long := func(j sched.JobID, id, class string, deadline, maps int) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: timed(id, class, 1, deadline, maps, 0)}}
	}
	d.at(10, long(1, "a", "reduce10", 2000, 300), long(2, "b", "reduce10", 900, 100), long(3, "c", "varies", 1500, 200))
	mind := func(d *desk) string {
		var b bytes.Buffer
		if err := d.policy.Save(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	forks := 0
	for d.book.Due() < units.Time(900*units.Second) {
		at := d.book.Due()
		d.tell(at, sched.Event{Kind: sched.Tick})
		if !slices.ContainsFunc(d.plan.Items, func(it sched.Item) bool { return it.Verb == sched.SetSlots }) {
			continue
		}
		forks++
		var saved, book bytes.Buffer
		p, err := catalog.New(text, queues.Config{})
		if err != nil {
			t.Fatal(err)
		}
		loaded := &desk{policy: p, book: ledger.New(*d.book.World(), p.About().Order), round: d.round}
		if err := errors.Join(d.policy.Save(&saved), d.book.Save(&book), p.Load(&saved), loaded.book.Load(&book, p.About().Causes...)); err != nil {
			t.Fatal(err)
		}
		q, err := d.policy.(sched.Cloner).Clone()
		if err != nil {
			t.Fatal(err)
		}
		order := q.About().Order
		cloned := &desk{policy: q, book: d.book.Clone(order), round: d.round}
		comes := long(9, "x", "reduce10", 5000, 8)
		for _, x := range []*desk{d, loaded, cloned} {
			x.tell(at, comes)
		}
		if is := mind(d); is != mind(loaded) || is != mind(cloned) {
			t.Fatalf("at %v:\n%.200s\nloaded:\n%.200s\ncloned:\n%.200s", at, is, mind(loaded), mind(cloned))
		}
		d.tell(at, sched.Event{Kind: sched.JobEnded, Job: 9, Outcome: sched.Killed})
	}
	if forks == 0 {
		t.Errorf("no plan had bounds: this tests nothing")
	}
}

// A job of which nobody can tell how many tasks it has gets the idle cluster, whatever the policy.
func TestGrowingJobsRun(t *testing.T) {
	for _, policy := range []string{"fifo", "fair", "edf-p", "dc", "rtmr", "promise"} {
		d := newDesk(t, policy, sched.Capabilities{World: "w", Kill: true, Heartbeat: units.Second})
		grows := timed("a", "reduce10", 1, 600, 1, 1)
		for i := range grows.Stages {
			grows.Stages[i].Grows, grows.Stages[i].Tasks = true, nil
		}
		d.at(1, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: grows}})
		d.at(2, append(beats(), sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 8})...)
		d.at(3, beats()...)
		if n := d.book.Job(1).Stages[sched.Map].Occupied; n != 4 {
			t.Errorf("%s: it has %d of 4 slots", policy, n)
		}
	}
}

// A sample is measured where the world binds late too, before the ApplicationMaster has asked for
// anything. Which maps ran nobody knows: one of twice the mean input counts twice as long.
func TestSamplesOfLateMaps(t *testing.T) {
	for _, policy := range []string{"rtmr"} {
		for deadline, want := range map[int]sched.JobState{400: sched.Admitted, 60: sched.Rejected} {
			d := newDesk(t, policy, sched.Capabilities{World: "w", Kill: true, Heartbeat: units.Second})
			job := timed("a", "unseen", 1, deadline, 9, 0)
			for i := range job.Stages[0].Tasks {
				job.Stages[0].Tasks[i].Input = 90 * units.MB
			}
			job.Stages[0].Tasks[0].Input = 180 * units.MB // 100 MB on average
			d.at(1, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}})
			d.at(2, append(beats(), sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 9})...)
			if j := d.book.Job(1); j.State != sched.HeldBack || j.Stages[sched.Map].Occupied != 3 {
				t.Fatalf("%s: %v, %d of 3 maps measured", policy, j.State, j.Stages[sched.Map].Occupied)
			}
			var run, end []sched.Event
			for i := range d.plan.Items {
				if it := &d.plan.Items[i]; it.Verb == sched.Start {
					a := sched.AttemptID(len(run) + 1)
					run = append(run, sched.Event{Kind: sched.Started, Attempt: a, Item: it.ID, Job: 1, Stage: sched.Map, Node: it.Node})
					end = append(end, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed})
				}
			}
			d.at(3, run...)
			d.at(22, end...) // 20 s, so 36 s for 180 MB
			j := d.book.Job(1)
			if j.State != want {
				t.Errorf("%s: a job due at %d s is %v, want %v", policy, deadline, j.State, want)
			}
			// Six maps of 36 s, and a beat each, on four slots.
			for i := range d.plan.Items {
				if it := &d.plan.Items[i]; it.Verb == sched.Admit && policy == "rtmr" && (int64(it.Outlook.By)+500)/1000 != (22+2*37)*1e6 {
					t.Errorf("expected by %v", it.Outlook.By)
				}
			}
		}
	}
}

// What the stock scheduler starts of a promised job while the policy has yielded counts when it takes over, with and
// without being told all again: the slots are taken.
func TestSlotsAreTakenAfterAYield(t *testing.T) {
	for _, resync := range []bool{false, true} {
		d := newDesk(t, "rtmr", sched.Capabilities{World: "w", Kill: true, Heartbeat: units.Second})
		a := comes(1, "a", 60, 0)
		d.at(1, a, sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 8})
		d.at(2, sched.Event{Kind: sched.Control, Control: sched.Yield})
		var runs []sched.Event
		for n := sched.NodeID(1); n <= 4; n++ {
			runs = append(runs, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(n), Job: 1, Stage: sched.Map, Node: n})
		}
		asks := sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 4}
		d.at(3, append(runs, asks)...)
		all := []sched.Event{{Kind: sched.Control, Control: sched.TakeOver}}
		if resync {
			all = append(append([]sched.Event{{Kind: sched.Resync}}, all...), opening()...)
			all = append(append(all, a, asks), runs...)
		}
		d.at(4, all...)
		d.at(5, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: timed("b", "reduce10", 5, 12, 4, 0)}})
		if is := d.book.Job(2).State; is != sched.Rejected {
			t.Errorf("resync: %v: four slots hold tasks until 13 s, and who needs them from 7 s on is %v", resync, is)
		}
	}
}

// Reduces start when the maps are over, whoever has run these, however many were asked for, and though nobody ever
// said how many there are.
func TestReducesStart(t *testing.T) {
	for _, policy := range []string{"fifo", "edf+slowstart", "dc", "rtmr", "promise"} {
		for _, how := range []string{"grows", "asks for more", "yield"} {
			d := newDesk(t, policy, sched.Capabilities{World: "w", Kill: true, Heartbeat: units.Second})
			job := timed("a", "reduce10", 1, 600, 2, 1)
			if how == "grows" {
				for i := range job.Stages {
					job.Stages[i].Grows, job.Stages[i].Tasks = true, nil
				}
			}
			demand := func(s sched.Stage, n int32) sched.Event {
				return sched.Event{Kind: sched.Demand, Job: 1, Stage: s, Count: n, Item: 1000}
			}
			d.at(1, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}})
			d.at(2, demand(sched.Map, 2))
			if how == "yield" {
				d.at(3, sched.Event{Kind: sched.Control, Control: sched.Yield})
			}
			d.at(4, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1},
				sched.Event{Kind: sched.Started, Attempt: 2, Job: 1, Stage: sched.Map, Node: 2}, demand(sched.Map, 0))
			last := []sched.Event{{Kind: sched.Ended, Attempt: 1, Outcome: sched.Committed}, {Kind: sched.Ended, Attempt: 2, Outcome: sched.Committed}}
			if how == "asks for more" {
				last = append(last, demand(sched.Map, 1))
			}
			d.at(14, last...)
			d.at(15, demand(sched.Map, 0), demand(sched.Reduce, 1), sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Reduce})
			if how == "yield" {
				d.at(16, sched.Event{Kind: sched.Control, Control: sched.TakeOver})
			}
			d.at(17, beats()...)
			d.at(18, beats()...)
			if s := &d.book.Job(1).Stages[sched.Reduce]; s.Occupied != 1 {
				t.Errorf("%s, %s: the reduce does not start; it is withheld: %v", policy, how, s.Withheld)
			}
		}
	}
}
