package sched

import (
	"fmt"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Verb is what an item asks the world to do.
type Verb uint8

// The verbs. Behind each stand the fields of Item that it uses; every item has a Reason.
const (
	NoVerb      Verb = iota
	Admit            // Job: it may run
	Hold             // Job: it waits, admitted or not, until a later Admit
	Reject           // Job, At = earliest deadline that would be accepted, 0 = none known; Value = 1: an earlier one might be as well; Count > 0: all that rests on so many tasks of a sample
	Sample           // Job, Stage, Count: run so many tasks of a job that is not admitted, to measure them; the verdict ends it
	Start            // Job, Stage, Container, Node, Count, Locality = farthest allowed
	Speculate        // Job, Stage, Task, Node: a second attempt of a running task
	Kill             // Attempt; or Job, Stage, Count: the youngest so many attempts. Outcome Killed or Preempted
	Withhold         // Job, Stage: start none of its tasks until Release
	Release          // Job, Stage
	SetSlots         // Job, Stage, Count: occupy at most so many slots from now on, -1 = no bound
	SetTasks         // Job, Stage, Count: number of tasks of a moldable stage, before its start; answered by a JobAmended, or refused
	SetDeadline      // Job, At: virtual deadline, which orders read in place of the job's own; 0 takes it back
	Rank             // Job, 0 = all jobs: ask the order for its keys again, as what they follow has changed. Of all jobs once in RankInterval: sooner, it is held
	Drain            // Node: start nothing more on it
	Sleep            // Node
	Wake             // Node
	CapHeadroom      // Job, Count: tell its ApplicationMaster that no more than so many containers are to be had, -1 = no bound
	WakeMe           // At: send a Tick then
	Verbs            // their number
)

var verbNames = [Verbs]string{"none", "admit", "hold", "reject", "sample", "start", "speculate", "kill", "withhold", "release",
	"set-slots", "set-tasks", "set-deadline", "rank", "drain", "sleep", "wake", "cap-headroom", "wake-me"}

// String names the verb.
func (v Verb) String() string { return nameOf(verbNames[:], int(v)) }

// RankInterval is the least time between two Rank items of all jobs. Each costs O(log jobs) for every job that waits.
const RankInterval = units.Second

// Item is one thing to do. It is flat; lists lie in the plan's arena.
type Item struct {
	Verb      Verb
	Stage     Stage
	Container uint8
	Locality  Locality
	Outcome   Outcome
	Refused   Code // set by the book: why it is not done; 0 = it is
	Held      bool // set by the book: it waits for At or for its node's beat
	Job       JobID
	Node      NodeID
	Attempt   AttemptID
	Task      TaskID
	Count     int32
	Group     int32 // all items of a group (> 0) are granted or none
	ID        ItemID
	At        units.Time
	Expires   units.Time // 0 = it does not
	Value     float64
	Text      string
	Reason    Reason
	Tasks     Span // set by the book for starts: the tasks bound, in the plan's arena
	Attempts  Span // set by the book for kills: the attempts chosen, in the plan's arena
}

// Span is a range of a plan's arena.
type Span struct{ From, To int32 }

// Len returns the length of the span.
func (s Span) Len() int { return int(s.To - s.From) }

// Bound is a task that the binder chose, and how far the node is from its input.
type Bound struct {
	Task     TaskID
	Locality Locality
}

// Book checks an item and books it. Unchanged says that the item is to be left out, as it says again what stands already. The kernel's
// ledger is the one implementation; a plan without a book takes everything.
type Book interface {
	Propose(p *Plan, it *Item) Code
}

// Plan is what a policy wants done, in order. The loop reuses it.
type Plan struct {
	Items    []Item
	Bound    []Bound     // arena of Item.Tasks
	Victims  []AttemptID // arena of Item.Attempts
	Evidence []Evidence  // arena of Reason.Evidence
	limit    int         // items it takes at most, 0 = any number
	book     Book
}

// Reset empties the plan and binds it to a book, which may be nil.
func (p *Plan) Reset(b Book) {
	p.Items, p.Bound, p.Victims, p.Evidence = p.Items[:0], p.Bound[:0], p.Victims[:0], p.Evidence[:0]
	p.book = b
}

// AtMost runs decide and stops it, wherever it stands, when it adds more than so many items: for replay, which knows how many there
// were, so that a policy that was led astray does not fill the memory first.
func (p *Plan) AtMost(items int, decide func()) {
	p.limit = items
	defer func() {
		p.limit = 0
		if r := recover(); r != nil && r != (full{}) {
			panic(r)
		}
	}()
	decide()
}

// full is what a plan panics with that takes no more items.
type full struct{}

// Add appends the item and books it. It returns false if the book refuses; the item then says why. Advice that stands already is left
// out.
func (p *Plan) Add(it Item) bool {
	if p.limit > 0 && len(p.Items) >= p.limit {
		panic(full{})
	}
	p.Items = append(p.Items, it)
	if p.book == nil {
		return true
	}
	last := &p.Items[len(p.Items)-1]
	if last.Refused = p.book.Propose(p, last); last.Refused == Unchanged {
		p.Items = p.Items[:len(p.Items)-1]
		return true
	}
	return last.Refused == OK
}

// Why is the reason of an item as a sentence for people: with its evidence, and of a rejection the deadline that would be accepted.
// spec finds what a job is called and when it was submitted; where it finds nothing, or is nil, a job goes by its handle. A text of the item's
// own goes before.
func (p *Plan) Why(it *Item, spec func(JobID) *workload.Job) string {
	if it.Text != "" {
		return it.Text
	}
	var evidence []Evidence
	if e := it.Reason.Evidence; !it.Held && e.From >= 0 && e.From < e.To && int(e.To) <= len(p.Evidence) {
		evidence = p.Evidence[e.From:e.To]
	}
	find := func(j JobID) *workload.Job {
		if spec == nil {
			return nil
		}
		return spec(j)
	}
	said := it.Reason.say(evidence, func(j JobID) string {
		if s := find(j); s != nil {
			return s.ID
		}
		return byHandle(j)
	})
	if it.Verb != Reject {
		return said
	}
	if it.Count > 0 {
		maps := "maps"
		if it.Count == 1 {
			maps = "map"
		}
		said = fmt.Sprintf("by an estimate from a sample of %d %s: %s", it.Count, maps, said)
	}
	if it.At == 0 {
		return said
	}
	offer := units.SpanUp(units.Duration(it.At))
	if s := find(it.Job); s != nil && s.Arrive > 0 && s.Arrive < it.At { // files count deadlines from there
		offer += fmt.Sprintf(" (%s after its submission)", units.SpanUp(it.At.Sub(s.Arrive)))
	}
	if it.Value != 0 {
		return said + fmt.Sprintf("; a deadline of %s would be accepted, an earlier one perhaps as well", offer)
	}
	return said + fmt.Sprintf("; the earliest deadline that would be accepted is %s", offer)
}

// Because adds what has been the case to the reason of an item that is about to be added.
func (p *Plan) Because(r Reason, evidence ...Evidence) Reason {
	r.Evidence.From = int32(len(p.Evidence))
	p.Evidence = append(p.Evidence, evidence...)
	r.Evidence.To = int32(len(p.Evidence))
	return r
}

// Admit lets the job run.
func (p *Plan) Admit(j JobID, why Reason) bool { return p.Add(Item{Verb: Admit, Job: j, Reason: why}) }

// Hold lets the job wait.
func (p *Plan) Hold(j JobID, why Reason) bool { return p.Add(Item{Verb: Hold, Job: j, Reason: why}) }

// Reject refuses the job; offer is the earliest deadline that would be accepted, 0 if none is known.
func (p *Plan) Reject(j JobID, offer units.Time, why Reason) bool {
	return p.Add(Item{Verb: Reject, Job: j, At: offer, Reason: why})
}

// Start grants count tasks of the job's stage on the node, none of them farther from its input than far.
func (p *Plan) Start(j JobID, s Stage, n NodeID, count int, far Locality, why Reason) bool {
	return p.Add(Item{Verb: Start, Job: j, Stage: s, Node: n, Count: int32(count), Locality: far, Reason: why})
}

// Preempt kills the youngest count attempts of the job's stage to make room.
func (p *Plan) Preempt(j JobID, s Stage, count int, why Reason) bool {
	return p.Add(Item{Verb: Kill, Job: j, Stage: s, Count: int32(count), Outcome: Preempted, Reason: why})
}

// Rank asks the order for the keys of a job again, or of all jobs for 0.
func (p *Plan) Rank(j JobID, why Reason) bool { return p.Add(Item{Verb: Rank, Job: j, Reason: why}) }

// WakeMe asks for a Tick at t.
func (p *Plan) WakeMe(t units.Time, why Reason) bool {
	return p.Add(Item{Verb: WakeMe, At: t, Reason: why})
}
