package experiment

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// thresholds rents and gives back as the autoscalers of clouds do: nodes by a fifth more when the part of the map
// slots that are taken, or the tasks that wait for each, is above a bound, by as many less when it is below another;
// then nothing for a while (the cool-down). It knows no deadline: a baseline (002-elastic, and 003-slack, where nodes
// of the own cluster sleep).
type thresholds struct {
	queue bool
	own   bool
	calm  units.Time // nothing is done before
}

const (
	coolDown          = 3 * units.Minute
	busyAbove         = 0.8 // of the slots
	busyBelow         = 0.4
	queueAbove        = 1.0 // tasks for each slot
	queueBelow        = 0.1
	fifth             = 5
	idleBeforeLeaving = units.Minute
)

// Decide looks at how full the cluster is.
func (t *thresholds) Decide(v sched.View, _ []sched.Event, p *sched.Plan) {
	if v.Now() < t.calm {
		return
	}
	all, coming, waits := int64(0), int64(0), int64(0)
	free, rented := int64(0), 0
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		k := v.Class(c)
		all += int64(k.Nodes[sched.Awake]) * k.Spec.Capacity[units.MapSlots]
		coming += int64(k.Nodes[sched.Waking]) * k.Spec.Capacity[units.MapSlots]
		free += k.Free[units.MapSlots]
		if k.Spec.Rented() != t.own {
			rented += int(k.Nodes[sched.Awake] + k.Nodes[sched.Waking])
		}
	}
	for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
		waits += int64(v.Job(j).Stages[sched.Map].Open)
	}
	is := float64(all-free) / float64(max(1, all+coming))
	above, below := busyAbove, busyBelow
	if t.queue {
		is, above, below = float64(waits)/float64(max(1, all+coming)), queueAbove, queueBelow
	}
	verb, from := sched.NoVerb, sched.Offered
	if t.own {
		from = sched.Asleep
	}
	switch is = units.Rounded(is); {
	case is > above:
		verb = sched.Wake
	case is < below && rented > 0:
		verb, from = sched.Sleep, sched.Awake
	default:
		return
	}
	step := (rented + fifth) / fifth
	for n := sched.NodeID(1); n <= v.Nodes() && step > 0; n++ {
		nd := v.Node(n)
		if nd == nil || nd.State != from || nd.Spec.Class.Rented() == t.own ||
			verb == sched.Sleep && (nd.Occupied > 0 || v.Now() < nd.Since.Add(idleBeforeLeaving)) {
			continue
		}
		if p.Add(sched.Item{Verb: verb, Node: n, Reason: sched.Because(beyondThreshold, int64(is*100))}) {
			step--
			t.calm = v.Now().Add(coolDown)
		}
	}
}

var beyondThreshold = &sched.Cause{Name: "beyond-threshold", Text: "it is {percent} %, beyond a threshold",
	Numbers: []sched.Number{sched.Count.Named("percent", "percent", 90)}}

func thresholdsEntry() compose.Entry {
	return compose.Entry{Name: "thresholds", Kind: compose.KindScale, Doc: "nodes by thresholds of utilisation or of the queue", Cite: "cloud autoscalers",
		Params: []compose.Param{{Name: "of", Type: compose.Choice, Default: "utilisation", Choices: []string{"utilisation", "queue"}, Doc: "what has thresholds"},
			{Name: "own", Type: compose.Switch, Default: "false", Doc: "nodes of the cluster sleep, in place of those of a cloud"}},
		Traits: compose.Traits{Needs: []sched.Verb{sched.Sleep, sched.Wake}, Causes: []*sched.Cause{beyondThreshold}},
		Step: func(a compose.Args) (compose.Step, error) {
			return &thresholds{queue: a.Choice("of") == "queue", own: a.Switch("own")}, nil
		}}
}
