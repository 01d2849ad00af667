package journal

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// advice knows what a policy that watches has advised to do, so that it is written once. Such a
// policy plans the same starts at each heartbeat of a node, as none of them is done. Written are
// those that differ from what was last advised for that node. Of a repeated one neither the item is
// written nor the refusal that follows from it; the line of the plan counts them. The numbers of a
// reason make no difference, as they move with the clock.
type advice struct {
	watching bool
	stands   map[subject][]string // what was last advised
	texts    int                  // in stands
	since    map[handle]int64     // rounds in which they began to be used
	repeated []sched.ItemID       // items of the last plan that say nothing new, in rising order
	next     map[subject][]string // what a plan advises, reused
	touched  []subject            // its keys
	text     []byte
}

// subject is what advice is about: a node for what starts there and one for its power, else what is named.
type subject struct {
	verb    sched.Verb
	node    sched.NodeID
	job     sched.JobID
	stage   sched.Stage
	attempt sched.AttemptID
}

func subjectOf(it *sched.Item) subject {
	switch it.Verb {
	case sched.Start, sched.Speculate:
		return subject{verb: sched.Start, node: it.Node}
	case sched.Sleep, sched.Wake:
		return subject{verb: sched.Sleep, node: it.Node}
	}
	return subject{verb: it.Verb, job: it.Job, stage: it.Stage, attempt: it.Attempt}
}

// handle is that of a node, a job or an attempt, which may be used again for another.
type handle struct {
	node    sched.NodeID
	job     sched.JobID
	attempt sched.AttemptID
}

// acts tells whether the item would act if the scheduler did not only watch.
func acts(it *sched.Item) bool {
	switch it.Verb {
	case sched.Start, sched.Speculate, sched.Kill, sched.Sleep, sched.Wake, sched.SetTasks:
		return it.Refused == sched.Watched
	}
	return false
}

// planned takes in a plan before it is written.
func (a *advice) planned(p *sched.Plan) {
	if !a.watching {
		return
	}
	for i := range p.Items {
		it := &p.Items[i]
		if !acts(it) {
			continue
		}
		s, text := subjectOf(it), a.say(p, it)
		if k := slices.Index(a.stands[s], text); k >= 0 {
			a.stands[s] = slices.Delete(a.stands[s], k, k+1) // one for each time
			a.texts--
			a.repeated = append(a.repeated, it.ID)
		}
		if len(a.next[s]) == 0 {
			a.touched = append(a.touched, s)
		}
		a.next[s] = append(a.next[s], text)
	}
	for _, s := range a.touched {
		a.texts += len(a.next[s]) - len(a.stands[s])
		a.stands[s] = a.next[s]
		delete(a.next, s)
	}
	a.touched = a.touched[:0]
}

// say is the item as text, without what is new each time, and with the ages of the handles that it names.
func (a *advice) say(p *sched.Plan, it *sched.Item) string {
	bare := *it
	bare.ID, bare.Reason = 0, sched.Reason{Cause: it.Reason.Cause}
	a.text = AppendItem(a.text[:0], p, &bare)
	age := func(h handle) { a.text = appendInt(a.text, " since=", a.since[h]) }
	age(handle{node: it.Node})
	age(handle{job: it.Job})
	age(handle{attempt: it.Attempt})
	return string(a.text)
}

// repeats tells whether the item, of the last plan, says nothing new.
func (a *advice) repeats(id sched.ItemID) bool {
	if len(a.repeated) == 0 {
		return false
	}
	_, is := slices.BinarySearch(a.repeated, id)
	return is
}

// follows tells whether the event is the refusal of a repeated item.
func (a *advice) follows(e *sched.Event) bool {
	return e.Kind == sched.Refused && e.Derived && a.repeats(e.Item)
}

// news is how many of the events are to be written.
func (a *advice) news(events []sched.Event) int {
	n := len(events)
	for i := 0; i < len(events) && len(a.repeated) > 0; i++ {
		if a.follows(&events[i]) {
			n--
		}
	}
	return n
}

// heard takes in a batch once it is written: when watching begins and ends, and which handles are used again.
func (a *advice) heard(round int64, events []sched.Event) {
	a.repeated = a.repeated[:0]
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == sched.Resync:
			*a = advice{repeated: a.repeated}
		case e.Kind == sched.Control && e.Control == sched.Watch:
			a.watching = true
			a.stands, a.next, a.since = make(map[subject][]string), make(map[subject][]string), make(map[handle]int64)
		case !a.watching:
		case e.Kind == sched.NodeUp:
			a.since[handle{node: e.Node}] = round
		case e.Kind == sched.JobArrived:
			a.since[handle{job: e.Job}] = round
		case e.Kind == sched.Started:
			a.since[handle{attempt: e.Attempt}] = round
		}
	}
}
