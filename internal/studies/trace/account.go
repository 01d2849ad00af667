package trace

import (
	"fmt"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/workload"
)

// Account says what of a trace is not played as it stands there. Whoever reads one tells it: nothing is left out
// and nothing is filled in without a place here. Jobs handed out and records left out are all that the file has.
type Account struct {
	// LeftOut are the records that are not played, in the order in which the first of each kind stood.
	LeftOut []Count `json:"left_out"`
	// FilledIn is what was not told, or could not be as it was told.
	FilledIn []Count `json:"filled_in"`
}

// Count is how many there are of one kind.
type Count struct {
	Reason string `json:"reason"` // the kind, as one word
	Why    string `json:"why"`    // the same for people: what they are
	Count  int    `json:"count"`
	First  string `json:"first"` // the first of them: file, line, and what is the matter with it
}

// String says what they are, how many, and where the first is.
func (c Count) String() string { return fmt.Sprintf("%s (%d), the first: %s", c.Why, c.Count, c.First) }

// Lines say the same for people, a line for each kind, what is left out first.
func (a Account) Lines() (lines []string) {
	for _, c := range a.LeftOut {
		lines = append(lines, "left out of the trace: "+c.String())
	}
	for _, c := range a.FilledIn {
		lines = append(lines, "filled in: "+c.String())
	}
	return lines
}

// Left is the number of records that are left out.
func (a Account) Left() (n int) {
	for _, c := range a.LeftOut {
		n += c.Count
	}
	return n
}

// Reason is a kind of what an account counts.
type Reason struct{ word, why string }

// Why jobs are left out that cannot run where the trace is played.
var (
	NoNode      = Reason{"no-node", "jobs that no node can run"}
	QueueClosed = Reason{"queue-closed", "jobs of queues that are closed"}
)

// Why records are left out.
var (
	unreadable = Reason{"unreadable", "records that cannot be read"}
	hasFailed  = Reason{"failed", "jobs that failed"}
	wasKilled  = Reason{"killed", "jobs that were killed"}
	neverRan   = Reason{"never-ran", "jobs that never ran"}
	notEnded   = Reason{"not-ended", "jobs that had not ended when they were recorded"}
	undated    = Reason{"no-submit-time", "jobs without a time of submission"}
)

// What is filled in.
var (
	unlisted       = Reason{"tasks-unlisted", "jobs whose tasks are not listed; they follow from the rule"}
	untimed        = Reason{"time-unknown", "tasks of unknown time, which is drawn or follows from their bytes"}
	inputUnknown   = Reason{"input-unknown", "jobs of unknown input size"}
	shuffleUnknown = Reason{"shuffle-unknown", "jobs of unknown shuffle size"}
	clockBack      = Reason{"clock-back", "tasks that end before they begin, as a clock went back: such maps take 100 ms, times of others are unknown"}
	// Of a format in which no stage is known to be the maps of Hadoop.
	clockBackUntimed = Reason{"clock-back", "tasks that end before they begin, as a clock went back: their times are unknown"}
	startCounts      = Reason{"submit-by-start", "jobs without a time of submission, which count from their start"}
	afterLeftOut     = Reason{"after-left-out", "dependencies on jobs that are left out, which are not waited for"}
	afterUnknown     = Reason{"after-unknown", "dependencies on jobs that do not come before in the trace, which are not waited for"}
	afterTask        = Reason{"after-task-unknown", "dependencies on tasks that the job does not have, which are not waited for"}
	instancesUnknown = Reason{"instances-unknown", "tasks of which no number of instances is told, or 0; each is taken as one"}
	afterLong        = Reason{"after-long-before", fmt.Sprintf("dependencies on jobs more than %d before, which are taken as ended", Remembered)}
)

// account is an Account that is still being made.
type account struct {
	Account
	first *Error // why the first record was left out
	// The sums of the IDs of all jobs; false: it was left out. Two of ten million are the same by
	// chance once in 400,000 traces.
	ids map[uint64]bool
}

func sumOf(id string) uint64 { return draw.Draw{}.Job(id).Uint64() }

// know notes that a job has been read, and whether it was handed out.
func (a *account) know(id string, out bool) {
	if a.ids == nil {
		a.ids = map[uint64]bool{}
	}
	a.ids[sumOf(id)] = out
}

// leaveOut counts a record that is left out; id is that of a job, "" if it is not known.
func (a *account) leaveOut(why Reason, id string, err *Error) {
	if a.first == nil {
		a.first = err
	}
	if id != "" {
		a.know(id, false)
	}
	add(&a.LeftOut, why, 1, err.Error)
}

// fillIn counts what was filled in.
func (a *account) fillIn(why Reason, n int, err *Error) {
	if n > 0 {
		add(&a.FilledIn, why, n, err.Error)
	}
}

func add(to *[]Count, why Reason, n int, first func() string) {
	for i := range *to {
		if c := &(*to)[i]; c.Reason == why.word {
			c.Count += n
			return
		}
	}
	*to = append(*to, Count{Reason: why.word, Why: why.why, Count: n, First: first()})
}

// told is what is known so far.
func (a *account) told() Account {
	return Account{LeftOut: append([]Count{}, a.LeftOut...), FilledIn: append([]Count{}, a.FilledIn...)}
}

// lacks counts what a job does not say of itself; first says which it is.
func (a *account) lacks(j *Job, first func() string) {
	reduces := len(j.Stages) == 0
	if reduces {
		add(&a.FilledIn, unlisted, 1, first)
	}
	n := 0
	for i := range j.Stages {
		s := &j.Stages[i]
		reduces = reduces || s.Kind == workload.Reduce
		for t := range s.Tasks {
			if s.Tasks[t].Time < 0 {
				n += s.Tasks[t].Count
			}
		}
	}
	if n > 0 {
		add(&a.FilledIn, untimed, n, first)
	}
	if j.Input < 0 {
		add(&a.FilledIn, inputUnknown, 1, first)
	}
	if j.Shuffle < 0 && reduces {
		add(&a.FilledIn, shuffleUnknown, 1, first)
	}
}
