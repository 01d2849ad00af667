package yarn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Claims is what users may claim, by the names of queues. What is said of a queue holds for those below it, too,
// of which nothing is said; where nothing is said nobody may claim anything. Nil: everybody may claim all.
type Claims map[string]Claim

// Claim is what may be claimed in a queue.
type Claim struct {
	Users   []string       // who may claim deadlines and weights, * for everybody
	Soonest units.Duration // the least time that a claimed deadline leaves a job
	Weight  float64        // the largest weight that may be claimed, 0 = any
	Default units.Duration // the time that a job gets which claims no deadline, 0 = as long as it takes
}

// of finds what holds in a queue. YARN leaves out the queues above one where its name is enough.
func (c Claims) of(queue string) Claim {
	whole := queue
	if queue != "root" && !strings.HasPrefix(queue, "root.") {
		whole = "root." + queue
	}
	if _, named := c[whole]; !named && !strings.Contains(queue, ".") {
		for name := range c {
			if strings.HasSuffix(name, "."+queue) {
				whole = name // no other queue has it, or YARN would have said more
			}
		}
	}
	for {
		if is, named := c[whole]; named {
			return is
		}
		i := strings.LastIndex(whole, ".")
		if i < 0 {
			return Claim{}
		}
		whole = whole[:i]
	}
}

// hold holds what the tags of a job claim against what may be claimed in its queue. The error is for the user.
func (c Claims) hold(j *workload.Job) error {
	if c == nil {
		return nil
	}
	may := c.of(j.Queue)
	soonest := min(j.Deadline, j.Soft)
	if j.Virtual != 0 { // which brings a job to the front as well
		soonest = min(soonest, j.Virtual)
	}
	dated := soonest != units.Never
	switch {
	case (dated || j.Weight != 1) && !slices.Contains(may.Users, "*") && !slices.Contains(may.Users, j.User):
		return fmt.Errorf("user %s may claim neither a deadline nor a weight in the queue %s; submit it without", j.User, j.Queue)
	case dated && soonest.Sub(j.Arrive) < may.Soonest:
		return fmt.Errorf("in the queue %s a deadline leaves a job at least %v; the tag in:%d would do", j.Queue, may.Soonest,
			(may.Soonest+units.Second-1)/units.Second)
	case may.Weight > 0 && j.Weight > may.Weight:
		return fmt.Errorf("in the queue %s the largest weight is %v", j.Queue, may.Weight)
	case j.Deadline == units.Never && j.Soft == units.Never && may.Default > 0:
		j.Deadline = j.Arrive.Add(may.Default)
	}
	return nil
}
