package reserve

import (
	"fmt"

	"github.com/slackline/slackline/sched"
)

// What all say that keep slots for promises.
var (
	// ClassUnknown lets a job in without a promise.
	ClassUnknown = &sched.Cause{Name: "class-unknown",
		Text: "there is no profile of its class: it runs without a promise, on slots that no promise needs"}
	// Sampling measures some maps of a job.
	Sampling = &sched.Cause{Name: "sampling", Numbers: []string{"maps that are measured"}, Example: [3]int64{3},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("there is no profile of its class: %d of its maps are measured first", r.A)
		}}
	// HasLabels refuses a job that cannot run everywhere.
	HasLabels = &sched.Cause{Name: "has-labels", Text: "it asks for nodes with labels, but slots are promised on all nodes alike"}
	// NoMasterRoom refuses a job whose ApplicationMaster could not start at once.
	NoMasterRoom = &sched.Cause{Name: "no-master-room", Text: "no node has room for its ApplicationMaster, which must start at once for a promise to hold"}
	// LeftOver starts a task without a promise.
	LeftOver = &sched.Cause{Name: "left-over", Text: "a slot that no promise needs"}
	// SlotDue kills one.
	SlotDue = &sched.Cause{Name: "slot-due", Numbers: []string{"tasks with a promise, or of samples, that wait", "slots that others hold"}, Example: [3]int64{3, 5},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("a lent slot falls due: %s, others hold %s",
				r.Count(r.A, "task with a promise or of a sample waits", "tasks with a promise or of a sample wait"), r.Count(r.B, "slot", "slots"))
		}}
	// Deadlock kills a master with a promise.
	Deadlock = &sched.Cause{Name: "deadlock", Numbers: []string{"map slots in service"}, Example: [3]int64{2},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("ApplicationMasters hold all of %s and wait for each other's: this one makes room for %s", r.Count(r.A, "map slot", "map slots"), r.JobName(r.Job))
		}}
)
