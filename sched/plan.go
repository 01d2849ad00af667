package sched

import (
	"fmt"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Verb is what an item asks the world to do.
type Verb uint8

// The verbs. Each comment begins with the fields of Item that the verb uses; every item also has a
// Reason, and may have a Group where that is said. The book answers at once, in Item.Refused; where
// somebody else answers, the comment says who. An item of a job that has ended or was rejected is
// refused as TooLate.
const (
	// NoVerb is the verb of an item that was never filled in. The book refuses it.
	NoVerb Verb = iota
	// Admit uses Job and Outlook. The job may run. A job that waits for its predecessors runs once they
	// are done.
	Admit
	// Hold uses Job. The job waits, admitted before or not, until a later Admit.
	Hold
	// Reject uses Job and Outlook. The job will never run; of one that was admitted no more than its
	// ApplicationMaster may run, which is ended. The world answers with JobEnded.
	Reject
	// Foretell uses Job and Outlook: when the job is done is expected otherwise than it was told, or
	// its deadline is promised only now. It changes nothing else.
	Foretell
	// Sample uses Job, Stage and Count. Count tasks of a job that has no verdict yet may be
	// started, to measure them. The verdict ends the sample.
	Sample
	// Start uses Job, Stage, Container, Node, Count, Locality and Task; a Group is allowed. It starts
	// up to Count tasks on the node, none of them farther from its input than Locality (0 = any
	// distance): the nearest, or that one Task where the book binds and a plan names it (View.Open).
	// The book grants as many as there are tasks and room for, and lists them in Tasks.
	// It refuses the item if that is none. If the node has not just sent a heartbeat, the item is
	// held until it does. The world answers with Granted and Started, or Refused.
	Start
	// Speculate uses Job, Stage, Task and Node; a Group is allowed. It starts a second attempt of a
	// running task. The world answers with Started or Refused.
	Speculate
	// Kill uses Attempt, or Job, Stage and Count, and Outcome; a Group is allowed. It ends one
	// attempt, or the Count youngest of the stage, with the outcome Killed or Preempted. The
	// attempts chosen are in Attempts. The world answers with Ended.
	Kill
	// Withhold uses Job and Stage. No task of the stage starts until Release.
	Withhold
	// Release uses Job and Stage. It ends a Withhold.
	Release
	// SetSlots uses Job, Stage and Count. From now on the stage occupies at most Count slots, -1 =
	// no bound. What runs is not ended.
	SetSlots
	// SetTasks uses Job, Stage and Count. It sets the number of tasks of a moldable stage, before
	// the stage has begun, and until the answer nothing of it starts. The world answers with JobAmended
	// or Refused.
	SetTasks
	// SetDeadline uses Job and At. It sets a virtual deadline, which orders read in place of the
	// job's own (Job.Due); 0 takes it back.
	SetDeadline
	// Rank uses Job, 0 = all jobs. The book asks the order for the keys again, as something that
	// they depend on has changed. All jobs are ranked at most once in RankInterval; a Rank that
	// comes sooner is held.
	Rank
	// Sleep uses Node. Nothing more starts on it. When nothing runs there, and no map output is needed
	// from it, it sleeps; one that was rented is given back. The world answers with NodeChanged then, or
	// with Refused: Needed, if the last copy of something lies there.
	Sleep
	// Wake uses Node. One that sleeps wakes, one that is offered is rented. The world answers with
	// NodeChanged while it is on its way and with NodeUp once it serves, or with Refused: Gone, if it
	// does not come.
	Wake
	// WakeMe uses At. The world answers with a Tick at that time, or before. Of all such wishes the
	// earliest counts, and a Tick voids them: a part that waits for a later one asks again.
	WakeMe
	// Verbs is the number of verbs.
	Verbs
)

var verbNames = [Verbs]string{"none", "admit", "hold", "reject", "foretell", "sample", "start", "speculate", "kill", "withhold", "release",
	"set-slots", "set-tasks", "set-deadline", "rank", "sleep", "wake", "wake-me"}

// String names the verb.
func (v Verb) String() string { return nameOf(verbNames[:], int(v)) }

// RankInterval is the least time between two Rank items for all jobs. Each costs O(log jobs) for
// every job that waits.
const RankInterval = units.Second

// Item is one thing to do. It is flat; its lists lie in the plan's arenas. Zero fields say nothing.
type Item struct {
	// Verb says what to do, and which of the fields below it uses.
	Verb Verb
	// Stage is the kind of stage meant.
	Stage Stage
	// Container is an index into the stage's kinds of containers.
	Container uint8
	// Locality is the farthest that a started task may be from its input. The book sets it to the
	// farthest that it granted.
	Locality Locality
	// Outcome is how a killed attempt ends: Killed or Preempted.
	Outcome Outcome
	// Refused is set by the book: why the item is not done, OK if it is.
	Refused Code
	// Held is set by the book: the item waits for At, or for a heartbeat of its node.
	Held bool
	// Job is the job meant.
	Job JobID
	// Node is the node meant.
	Node NodeID
	// Attempt is the attempt meant.
	Attempt AttemptID
	// Task is the task meant, from 1 within the stage.
	Task TaskID
	// Count is how many tasks, slots or containers are meant. For Start and Kill the book sets it
	// to how many it granted.
	Count int32
	// Group joins items that are granted together or not at all. 0 = none. Only Start, Speculate
	// and Kill may have one.
	Group int32
	// ID is set by the book, unique for good. Events that answer the item carry it.
	ID ItemID
	// At is an instant; what it means depends on the verb. Where the verb does not use it, the item
	// is held until then.
	At units.Time
	// Outlook is what the job is told of its finish.
	Outlook Outlook
	// Reason says why the policy wants this.
	Reason Reason
	// Tasks is set by the book for a Start: the tasks that it bound, in Plan.Bound.
	Tasks Span
	// Attempts is set by the book for a Kill: the attempts that it chose, in Plan.Victims.
	Attempts Span
}

// Span is a range of a plan's arena.
type Span struct {
	// From is the first element, To the one behind the last.
	From, To int32
}

// Len returns the length of the span.
func (s Span) Len() int { return int(s.To - s.From) }

// Bound is a task that the binder chose, and how far the task's input is from the node.
type Bound struct {
	// Task is the task that was chosen.
	Task TaskID
	// Locality says how far its input is from the node.
	Locality Locality
}

// Book checks an item and books it. The code Unchanged says that the item repeats advice that holds
// already, and is to be left out. The kernel's ledger is the one implementation; a plan without a
// book accepts everything.
type Book interface {
	// Propose checks the item and books it; the code is OK, or says why it is refused.
	Propose(p *Plan, it *Item) Code
}

// Plan is what a policy wants done, in order. The loop reuses it.
type Plan struct {
	// Items are the items added so far.
	Items []Item
	// Bound is the arena of Item.Tasks.
	Bound []Bound
	// Victims is the arena of Item.Attempts.
	Victims []AttemptID
	// Evidence is the arena of Reason.Evidence.
	Evidence []Evidence

	// limit is how many items it accepts at most, 0 = any number.
	limit int
	book  Book
}

// Reset empties the plan and binds it to a book, which may be nil.
func (p *Plan) Reset(b Book) {
	p.Items, p.Bound, p.Victims, p.Evidence = p.Items[:0], p.Bound[:0], p.Victims[:0], p.Evidence[:0]
	p.book = b
}

// AtMost runs decide, and stops it as soon as it adds more than so many items. It is for replay,
// which knows how many items there were: a policy that goes astray there must not fill the memory.
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

// full is what a plan panics with when it accepts no more items.
type full struct{}

// Add appends the item and books it. It returns false if the book refuses the item, which then says
// why. An item that only repeats advice is left out.
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

// Why is the reason of an item as a sentence for people, with its evidence. For a rejection it adds
// the deadline that would be accepted. spec finds a job's description by its handle, for its name
// and the time of its submission. If spec is nil or finds nothing, the job is named by its handle.
func (p *Plan) Why(it *Item, spec func(JobID) *workload.Job) string {
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
	said := it.Reason.say(it.Outlook, evidence, func(j JobID) string {
		if s := find(j); s != nil {
			return s.ID
		}
		return byHandle(j)
	})
	if it.Verb != Reject {
		return said
	}
	if n := it.Outlook.Measured; n > 0 {
		said = fmt.Sprintf("by an estimate from a sample of %s: %s", units.Count(int(n), "map"), said)
	}
	by := it.Outlook.By
	if by == 0 {
		return said
	}
	offer := units.SpanUp(units.Duration(by))
	// Files count deadlines from the submission.
	if s := find(it.Job); s != nil && s.Arrive > 0 && s.Arrive < by {
		offer += fmt.Sprintf(" (%s after its submission)", units.SpanUp(by.Sub(s.Arrive)))
	}
	if it.Outlook.Word == MaybeEarlier {
		return said + fmt.Sprintf("; a deadline of %s would be accepted, an earlier one perhaps as well", offer)
	}
	return said + fmt.Sprintf("; the earliest deadline that would be accepted is %s", offer)
}

// Because adds evidence to a reason. Call it just before adding the item that has the reason.
func (p *Plan) Because(r Reason, evidence ...Evidence) Reason {
	r.Evidence.From = int32(len(p.Evidence))
	p.Evidence = append(p.Evidence, evidence...)
	r.Evidence.To = int32(len(p.Evidence))
	return r
}

// Admit lets the job run, and tells it so much of its finish.
func (p *Plan) Admit(j JobID, o Outlook, why Reason) bool {
	return p.Add(Item{Verb: Admit, Job: j, Outlook: o, Reason: why})
}

// Hold makes the job wait.
func (p *Plan) Hold(j JobID, why Reason) bool { return p.Add(Item{Verb: Hold, Job: j, Reason: why}) }

// Reject refuses the job, and tells it what deadline would be accepted (Offer).
func (p *Plan) Reject(j JobID, offer Outlook, why Reason) bool {
	return p.Add(Item{Verb: Reject, Job: j, Outlook: offer, Reason: why})
}

// Foretell tells the job that its finish is expected otherwise now.
func (p *Plan) Foretell(j JobID, o Outlook, why Reason) bool {
	return p.Add(Item{Verb: Foretell, Job: j, Outlook: o, Reason: why})
}

// Start starts up to count tasks of the job's stage on the node, none of them farther from its
// input than far.
func (p *Plan) Start(j JobID, s Stage, n NodeID, count int, far Locality, why Reason) bool {
	return p.Add(Item{Verb: Start, Job: j, Stage: s, Node: n, Count: int32(count), Locality: far, Reason: why})
}

// Preempt kills the count youngest attempts of the job's stage to make room.
func (p *Plan) Preempt(j JobID, s Stage, count int, why Reason) bool {
	return p.Add(Item{Verb: Kill, Job: j, Stage: s, Count: int32(count), Outcome: Preempted, Reason: why})
}

// Rank makes the book ask the order for the keys of a job again, or of all jobs if j is 0.
func (p *Plan) Rank(j JobID, why Reason) bool { return p.Add(Item{Verb: Rank, Job: j, Reason: why}) }

// WakeMe asks for a Tick at t.
func (p *Plan) WakeMe(t units.Time, why Reason) bool {
	return p.Add(Item{Verb: WakeMe, At: t, Reason: why})
}
