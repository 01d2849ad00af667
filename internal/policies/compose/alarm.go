package compose

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Alarm is the Tick that a part has asked for; 0 = none. It belongs to its state.
type Alarm units.Time

// Rings tells whether that is due, and is none any more then. Where a Tick has come for another part, it is asked for
// again: the world answers all wishes with the first.
func (a *Alarm) Rings(now units.Time, ticked bool, p *sched.Plan) bool {
	switch {
	case *a == 0:
	case now >= units.Time(*a):
		*a = 0
		return true
	case ticked:
		p.WakeMe(units.Time(*a), sched.Because(sched.Wakeup, int64(*a)))
	}
	return false
}

// Set asks for a Tick, unless there is to be none, or one comes before.
func (a *Alarm) Set(at units.Time, p *sched.Plan) {
	if at != units.Never && (*a == 0 || at < units.Time(*a)) {
		*a = Alarm(at)
		p.WakeMe(at, sched.Because(sched.Wakeup, int64(at)))
	}
}
