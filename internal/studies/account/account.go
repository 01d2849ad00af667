// Package account says where the time of a job went, from its arrival to its end: every nanosecond
// has one cause, so that the parts sum to the response time exactly.
//
// The way is walked back from the end, as a critical path is: the last task, what it waited for
// before it began, the task that had to end before that, and so on to the arrival. What other tasks
// of the job did meanwhile does not count, as it held nothing up.
//
//	account.go  what an account is
//	sink.go     what is noted of a run
//	path.go     the way back
//	wait.go     what a wait was for
//	room.go     whether any node had room meanwhile, and who held it
//	standing.go what a job waits for that has not ended, by the book
//	words.go    accounts as sentences
package account

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Cause is what time went to.
type Cause string

// Stock is that another scheduler places work, as that of a Hadoop cluster does at times. It is told of jobs that
// wait only.
const Stock Cause = "stock"

// The causes: what a job waits for, what makes its tasks slower, what has to be done again, and the work itself.
const (
	Predecessors Cause = "predecessors" // jobs that it comes after
	Verdict      Cause = "verdict"      // whether it is let in
	Sample       Cause = "sample"       // its own first tasks, which are to be measured before it is let in
	Held         Cause = "held"         // the policy holds it back
	Slots        Cause = "slots"        // others, or its own tasks, hold all room for it
	Limit        Cause = "limit"        // there is room, and none for it: by a bound, or as it is kept for others
	Locality     Cause = "locality"     // there is room, but not where its input lies
	Beat         Cause = "beat"         // there is room on a node that has not reported it yet
	NoNode       Cause = "no-node"      // no node that could run it is up

	Remote    Cause = "remote"    // its input came from another node
	SlowNode  Cause = "slow-node" // the node's class has less than speed 1
	Load      Cause = "load"      // the node had less than its class's speed, as by other work on it
	Straggler Cause = "straggler" // the task took longer than stated, or than such tasks of the job

	TaskFailed Cause = "failed"      // an attempt that failed
	Killed     Cause = "killed"      // an attempt that was killed for other jobs
	OutputLost Cause = "output-lost" // an attempt whose output was lost
	NodeDown   Cause = "node-down"   // an attempt that was lost with its node

	Work   Cause = "work"   // of tasks, as long as it should take
	Master Cause = "master" // its ApplicationMaster got ready
	Finish Cause = "finish" // all tasks were done, and the end was not told yet
)

// Causes are all of them, in the order in which totals are told.
var Causes = []Cause{Predecessors, Verdict, Sample, Held, Slots, Limit, Locality, Beat, NoNode, Remote, SlowNode, Load, Straggler,
	TaskFailed, Killed, OutputLost, NodeDown, Master, Work, Finish}

// Account is where the time of a job went.
type Account struct {
	Arrived units.Time `json:"arrived_ns"`
	Ended   units.Time `json:"ended_ns"`       // of a job that has not ended: until when is told
	Open    bool       `json:"open,omitempty"` // it has not ended
	Rule    string     `json:"rule,omitempty"` // in which order the policy put jobs
	Parts   []Part     `json:"parts"`          // one after another, without gaps
}

// Part is a span of an account.
type Part struct {
	Cause Cause          `json:"cause"`
	From  units.Time     `json:"from_ns"`
	Took  units.Duration `json:"ns"`
	Stage *sched.Stage   `json:"stage,omitempty"` // of the task that ran or waited; null: of none
	Task  sched.TaskID   `json:"task,omitempty"`  // its number; 0 = nobody knows
	Node  string         `json:"node,omitempty"`  // on which it ran
	// jobs that held the room, the largest first and at most three, that had to end first, or for which it was killed
	Jobs []Other `json:"jobs,omitempty"`
	More int     `json:"more_jobs,omitempty"` // that held room, besides
	Why  string  `json:"why,omitempty"`       // why the policy did that, or the attempt failed

	Queue string `json:"queue,omitempty"` // the job's, which had a bound or none of the room
}

// Other is another job, or the job itself, that another waited for.
type Other struct {
	Job   string         `json:"job"`
	Queue string         `json:"queue,omitempty"`   // where that is another one
	Held  units.Duration `json:"held_ns,omitempty"` // slots × time
	Until units.Time     `json:"until_ns"`          // when the last of its tasks that were in the way ended
	Self  bool           `json:"self,omitempty"`
	Ran   bool           `json:"ran_before,omitempty"`    // all of these ran already when the wait began
	First bool           `json:"came_earlier,omitempty"`  // it arrived before
	Due   bool           `json:"due_earlier,omitempty"`   // its deadline is the earlier one
	Taken bool           `json:"taken_promise,omitempty"` // its deadline is promised
}

// Total is all the time that went to a cause.
type Total struct {
	Cause Cause          `json:"cause"`
	Took  units.Duration `json:"ns"`
}

// Totals are the time by cause, without those that took none.
func (a *Account) Totals() (list []Total) {
	for _, c := range Causes {
		t := Total{Cause: c}
		for i := range a.Parts {
			if a.Parts[i].Cause == c {
				t.Took += a.Parts[i].Took
			}
		}
		if t.Took > 0 {
			list = append(list, t)
		}
	}
	return list
}

// Response is the time from the arrival to the end.
func (a *Account) Response() units.Duration { return a.Ended.Sub(a.Arrived) }
