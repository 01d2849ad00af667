package compose

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
)

// Traits are what a part says of itself in its catalogue entry. It is held to all of it.
type Traits struct {
	// Needs are the verbs without which a world is of no use to it. It plans no verb that some
	// worlds do not understand (sched.Capabilities) but these.
	Needs []sched.Verb
	// Wants are such verbs that it plans where the world understands them (View.World), and does
	// without elsewhere.
	Wants []sched.Verb
	// Reads is what it asks the view besides nothing special ask.
	Reads Reads
	// Heeds are the kinds of events on which it may have something to do, with sched.EventsOf; none
	// means any. It is passed over where a batch brings none of them, no Resync and no Control, and
	// there it would have planned nothing and changed nothing. So a part that looks at the clock,
	// or at what the parts before it have planned, heeds any. An order heeds nothing; if it reads
	// profiles or supplies, all jobs are ranked again when one changes.
	Heeds sched.Events
	// Causes are those of its reasons.
	Causes []*sched.Cause
}

// Turns are the kinds of events on which a part has its turn. Every step has one at a resync, which
// voids what it remembers by handles, and when the scheduler takes over, as the book may be that of
// another policy.
func (e *Entry) Turns() sched.Events {
	switch {
	case e.Kind != KindOrder && e.Heeds == 0:
		return sched.AnyEvent
	case e.Kind != KindOrder:
		return e.Heeds | sched.EventsOf(sched.Resync, sched.Control)
	}
	return news &^ e.Reads.untold()
}

// neverWakes tells whether the part heeds something, and nothing on which a policy is asked.
func (e *Entry) neverWakes() bool {
	if e.Kind == KindOrder || e.Heeds == 0 {
		return false
	}
	for k := range sched.EventKinds {
		if e.Heeds.Has(k) && !k.Confirms() {
			return false
		}
	}
	return true
}

// Reads says what is read.
type Reads struct {
	// View.Profile: what jobs have taught. They are told only to policies that read them.
	Profiles bool
	// Models: of profiles, the cost models too. A simulator fits them, which takes long, only for policies that
	// read them.
	Models bool
	// Needed: jobs with deadlines are refused while nothing is known of their class.
	Needed bool
	Supply bool // View.Supply and View.Forecast
}

// desk is the view at which a part reads: what its entry does not say that it reads is refused.
type desk struct {
	sched.View
	policy *Policy
	by     *part
}

// Profile returns what is known of a class.
func (d *desk) Profile(class string) *profile.Class {
	if !d.by.Reads.Profiles {
		d.refuse("profiles", "Profiles")
	}
	return d.policy.open(d.by, d.View.Profile(class))
}

// First is that of the view, without what a gate keeps away.
func (d *desk) First(n sched.NodeID, s sched.Stage, after sched.JobID) sched.JobID {
	return d.pass(d.View.First, n, s, after)
}

// FirstLocal is that of the view, likewise.
func (d *desk) FirstLocal(n sched.NodeID, s sched.Stage, after sched.JobID) sched.JobID {
	return d.pass(d.View.FirstLocal, n, s, after)
}

func (d *desk) pass(first func(sched.NodeID, sched.Stage, sched.JobID) sched.JobID, n sched.NodeID, s sched.Stage, j sched.JobID) sched.JobID {
	gate := d.policy.gate
	if gate == nil || d.policy.voids {
		return first(n, s, j)
	}
	if gate.Bars(n) {
		return 0
	}
	for j = first(n, s, j); j != 0 && !gate.Takes(&d.policy.gates, d.Job(j), s, d.Node(n)); {
		j = first(n, s, j)
	}
	return j
}

// opened is a profile as it is told, and as parts see it that do not say that they read cost models.
type opened struct{ told, seen *profile.Class }

// open shuts the models of a profile to a part that does not say that it reads them: a simulator
// does not make them for it. The same profile is the same each time, to all such parts.
func (y *Policy) open(p *part, c *profile.Class) *profile.Class {
	if c == nil || p.Reads.Models {
		return c
	}
	o, known := y.opened[c.Name]
	if o.told != c {
		if y.opened == nil || !known && len(y.opened) >= profile.MostClasses {
			y.opened = make(map[string]opened)
		}
		shut := *c
		shut.Models, shut.Samples, shut.Scores = nil, nil, nil
		shut.Shut = &sched.Undeclared{Does: fmt.Sprintf("policy %q: a part reads cost models without declaring it: its catalogue entry needs Reads.Models", y.Name())}
		o = opened{c, &shut}
		y.opened[c.Name] = o
	}
	return o.seen
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
	if !d.by.Reads.Supply {
		d.refuse("supplies", "Supply")
	}
}

func (d *desk) refuse(what, field string) {
	panic(&sched.Undeclared{Does: fmt.Sprintf("policy %q: its %s part reads %s without declaring it: its catalogue entry needs Reads.%s", d.policy.Name(), d.by.Kind, what, field)})
}

// news are the kinds of events that bring what only those are told who say that they read it.
const news = sched.Events(1<<sched.ProfileLearned | 1<<sched.SupplyChanged | 1<<sched.ForecastIssued)

// untold are those of them of which a part learns what it does not say that it reads.
func (r Reads) untold() (set sched.Events) {
	if !r.Profiles {
		set |= sched.EventsOf(sched.ProfileLearned)
	}
	if !r.Supply {
		set |= sched.EventsOf(sched.SupplyChanged, sched.ForecastIssued)
	}
	return set
}

// hears is the part of a batch that the part may read.
func (p *part) hears(y *Policy, batch []sched.Event, brings sched.Events) []sched.Event {
	taught := brings.Has(sched.ProfileLearned) && p.Reads.Profiles && !p.Reads.Models
	if p.untold&brings == 0 && !taught {
		return batch
	}
	batch = slices.DeleteFunc(slices.Clone(batch), func(e sched.Event) bool { return p.untold.Has(e.Kind) })
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.ProfileLearned && e.Detail != nil && taught {
			d := *e.Detail
			d.Profile = y.open(p, d.Profile)
			e.Detail = &d
		}
	}
	return batch
}

// reading is an order that reads at a desk of its own, whoever asks it.
type reading struct {
	sched.Order
	desk desk
}

func (o *reading) at(v sched.View) sched.View {
	if of, ok := v.(*desk); ok {
		// A part asks, at its own desk.
		v = of.View
	}
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

// answersFor holds the part to its entry: the verbs and the reasons of what it has planned.
func (p *part) answersFor(y *Policy, items []sched.Item) {
	for i := range items {
		it := &items[i]
		if p.barred&(1<<it.Verb) != 0 {
			panic(&sched.Undeclared{Does: fmt.Sprintf("policy %q: its %s part plans to %v without declaring it: its catalogue entry needs the verb in Needs, or in Wants", y.Name(), p.Kind, it.Verb)})
		}
		if c := it.Reason.Cause; c == nil || c != p.cause {
			p.reasons(y, "plans to", it.Verb, c)
		}
	}
}

// answers holds the part to the same in an answer to a question. Why there is no verdict needs no
// declaration.
func (p *part) answers(y *Policy, a sched.Answer) sched.Answer {
	if a.Verb != sched.NoVerb || a.Reason.Cause != sched.BehindOthers {
		p.reasons(y, "answers", a.Verb, a.Reason.Cause)
	}
	return a
}

// reasons checks that there is a reason, and that the part's entry declares its cause. One that was
// put into a recipe without an entry may give any reason, or none.
func (p *part) reasons(y *Policy, does string, v sched.Verb, c *sched.Cause) {
	switch {
	case p.Name == "":
	case c == nil:
		panic(&sched.Undeclared{Does: fmt.Sprintf("policy %q: its %s part %s %v without a reason: each item and each answer needs one", y.Name(), p.Kind, does, v)})
	case !slices.Contains(p.Causes, c):
		panic(&sched.Undeclared{Does: fmt.Sprintf("policy %q: its %s part gives the reason %q without declaring it: its catalogue entry needs it in Causes", y.Name(), p.Kind, c.Name)})
	default:
		p.cause = c
	}
}
