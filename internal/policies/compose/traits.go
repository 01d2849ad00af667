package compose

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
)

// Traits are what a part says of itself in its catalogue entry. It is held to all of it.
type Traits struct {
	// Needs are the verbs without which a world is of no use to it. It plans no verb that some worlds do not understand
	// (sched.Capabilities) but these.
	Needs []sched.Verb
	// Reads is what it asks the view besides what all may ask.
	Reads Reads
	// Heeds are the kinds of events on which it may have something to do, with sched.EventsOf; none means any. It is passed over where a batch
	// brings none of them, and there it would have planned nothing and changed nothing. So a part that looks at the clock, or at what the parts
	// before it have planned, heeds any. An order heeds nothing; if it reads profiles, all jobs are ranked anew when one is learned.
	Heeds sched.Events
	// Causes are those of its reasons, but for those that any policy may name (package sched).
	Causes []*sched.Cause
}

// All returns the traits of a part, or those of all parts of a scheme together.
func (e *Entry) All() Traits {
	if e.Kind != KindScheme {
		return e.Traits
	}
	var t Traits
	for i := range e.Parts {
		part := &e.Parts[i]
		t.Needs = append(t.Needs, part.Needs...)
		t.Reads.Profiles, t.Reads.Supply = t.Reads.Profiles || part.Reads.Profiles, t.Reads.Supply || part.Reads.Supply
		if t.Heeds |= part.Heeds; part.Kind != KindOrder && part.Heeds == 0 {
			t.Heeds = sched.AnyEvent
		}
		for _, c := range part.Causes {
			if !slices.Contains(t.Causes, c) {
				t.Causes = append(t.Causes, c)
			}
		}
	}
	return t
}

// Reads says what is read.
type Reads struct {
	Profiles bool // View.Profile: what jobs have taught. They are told only to policies that read them
	Supply   bool // View.Supply and View.Forecast
}

var everything = Reads{Profiles: true, Supply: true}

// desk is the view at which a part reads: what it has not said that it reads is refused. What a part has the order look at, the order may read.
type desk struct {
	sched.View
	policy *Policy
	by     *part
}

// Profile returns what is known of a class.
func (d *desk) Profile(class string) *profile.Class {
	if !d.by.Reads.Profiles && !d.policy.parts[0].Reads.Profiles {
		d.refuse("profiles", "Profiles")
	}
	return d.View.Profile(class)
}

// Supply returns what was told of a supply.
func (d *desk) Supply(k sched.SupplyKind) *sched.Supply {
	d.supply()
	return d.View.Supply(k)
}

// Forecast returns what is expected of a supply.
func (d *desk) Forecast(k sched.SupplyKind) *sched.Forecast {
	d.supply()
	return d.View.Forecast(k)
}

func (d *desk) supply() {
	if !d.by.Reads.Supply && !d.policy.parts[0].Reads.Supply {
		d.refuse("supplies", "Supply")
	}
}

func (d *desk) refuse(what, field string) {
	panic(&sched.Undeclared{Does: fmt.Sprintf("policy %q: its %s part reads %s without saying so: its catalogue entry needs Reads.%s", d.policy.Name(), d.by.kind, what, field)})
}

// reading is an order that reads at a desk.
type reading struct {
	sched.Order
	desk desk
}

func (o *reading) at(v sched.View) sched.View {
	o.desk.View = v
	return &o.desk
}

// JobKey ranks a job.
func (o *reading) JobKey(v sched.View, j *sched.Job, s sched.Stage) sched.Key {
	return o.Order.JobKey(o.at(v), j, s)
}

// QueueKey ranks a queue.
func (o *reading) QueueKey(v sched.View, q *sched.Queue, s sched.Stage) sched.Key {
	return o.Order.QueueKey(o.at(v), q, s)
}

// Open tells whether work below a queue may start.
func (o *reading) Open(v sched.View, q *sched.Queue, s sched.Stage) bool {
	return o.Order.Open(o.at(v), q, s)
}

// special are the verbs that some worlds do not understand, a bit for each.
var special = func() (set uint64) {
	least, most := sched.Capabilities{}, sched.Capabilities{Bind: true}
	for v := range sched.Verbs {
		if !least.Can(v) || !most.Can(v) {
			set |= 1 << v
		}
	}
	return set
}()

// answersFor holds the part to its needs: what it has planned.
func (p *part) answersFor(y *Policy, items []sched.Item) {
	for i := range items {
		if v := items[i].Verb; special&^p.needs&(1<<v) != 0 {
			panic(&sched.Undeclared{Does: fmt.Sprintf("policy %q: its %s part plans to %v without saying so: its catalogue entry needs the verb in Needs", y.Name(), p.kind, v)})
		}
	}
}
