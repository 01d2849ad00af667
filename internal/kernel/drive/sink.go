package drive

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Sink watches one loop: a journal, a report, metrics, a page. What it is given is the loop's own
// memory, and good during the call only. Loops run at the same time on several cores, so each needs
// sinks of its own. An error ends the run.
type Sink interface {
	// Batch shows events as the ledger applied them, the ones it derived included, before the
	// policy decides.
	Batch(round int64, at units.Time, events []sched.Event) error
	// Plan shows what the policy decided and the ledger checked, before the world is asked to do
	// it. It is not called for batches that did not wake the policy.
	Plan(round int64, at units.Time, p *sched.Plan) error
}
