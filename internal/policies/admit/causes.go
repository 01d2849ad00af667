package admit

import (
	"fmt"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What bounds say.
var (
	// SlotOfOrder lets a job in.
	SlotOfOrder = &sched.Cause{Name: "slot-of-order", Numbers: []string{"jobs that run", "the limit"}, Example: [3]int64{2, 5},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("its turn: %d of at most %s are running", r.A, r.Count(r.B, "job", "jobs"))
		}}
	// OverLimit holds one.
	OverLimit = &sched.Cause{Name: "over-limit", Numbers: []string{"jobs that run", "the limit"}, Example: [3]int64{5, 5},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("waits: %s, the limit is %d", r.Count(r.A, "job runs", "jobs run"), r.B)
		}}
	// MasterShare holds one until there is room for its ApplicationMaster.
	MasterShare = &sched.Cause{Name: "master-share", Numbers: []string{"what masters use", "what they may use", "of which resource"},
		Example: [3]int64{int64(8 * units.GB), int64(10 * units.GB), int64(units.Memory)},
		Say: func(r *sched.Said) string {
			d := units.Dim(min(max(r.C, 0), int64(units.Dims)))
			if d == units.Memory {
				return fmt.Sprintf("waits: masters use %v of %v allowed", units.Bytes(r.A), units.Bytes(r.B))
			}
			return fmt.Sprintf("waits: masters use %d of %d allowed (%v)", r.A, r.B, d)
		}}
)

// What the Deadline Constraint scheduler says, besides what all say who test deadlines (package estimate).
var (
	// NotProfiled refuses a job of a class that nobody has seen.
	NotProfiled = &sched.Cause{Name: "not-profiled", Text: "there is no profile of its class, so its deadline cannot be tested"}
	// MapSlotsTaken refuses a job whose slots others have. The evidence says who, and until when at the latest.
	MapSlotsTaken = &sched.Cause{Name: "map-slots-taken", Numbers: taken, Example: [3]int64{9, 4, 60e9},
		Say: func(r *sched.Said) string { return slotsTaken(r, sched.Map) }}
	// ReduceSlotsTaken says the same of reduce slots.
	ReduceSlotsTaken = &sched.Cause{Name: "reduce-slots-taken", Numbers: taken, Example: [3]int64{9, 4, 60e9},
		Say: func(r *sched.Said) string { return slotsTaken(r, sched.Reduce) }}
)

var taken = []string{"slots it needs", "slots that are free", "when"}

func slotsTaken(r *sched.Said, s sched.Stage) string {
	return fmt.Sprintf("it needs %s at %s, and %s free then", r.Slots(r.A, int64(s)), r.Time(r.C), r.Count(max(0, r.B), "is", "are")) +
		estimate.Holders(r, int64(s), " at the latest")
}
