package rds

import (
	"strings"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Why jobs are let in, wait, and get slots.
var (
	// NextInterval makes a job wait for the optimizer.
	NextInterval = &sched.Cause{Name: "next-interval", Text: "the plan has no slots for it before {next}",
		Numbers: []sched.Number{sched.Clock.Named("next", "when slots are next given", 600e9)}}
	// FastPath lets a job in that cannot wait for the next interval.
	FastPath = &sched.Cause{Name: "fast-path", Text: "its deadline at {deadline} lies before the next interval, which begins at {next}",
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9), sched.Clock.Named("next", "when slots are next given", 600e9)}}
	// OnFastPath puts a job before those that are planned.
	OnFastPath = &sched.Cause{Name: "on-fast-path", Text: FastPath.Text + ": it goes before jobs that are planned", Numbers: FastPath.Numbers}
	// OffFastPath puts it among them again.
	OffFastPath = &sched.Cause{Name: "off-fast-path", Text: "with its deadline at {deadline} it is planned as others are; the next interval begins at {next}",
		Numbers: FastPath.Numbers}
	// ByPlan lets a job in that the optimizer gives slots.
	ByPlan = &sched.Cause{Name: "by-plan", Text: "the plan of this interval has {maps} map and {reduces} reduce slots for it",
		Numbers: []sched.Number{sched.Thousandths.Named("maps", "map slots planned, in thousandths", 12400), sched.Thousandths.Named("reduces", "reduce slots planned, in thousandths", 0)}}
	// Unplanned lets a job in to which the plan gives nothing.
	Unplanned = &sched.Cause{Name: "no-share", Text: "the plan has no slots for it, and leaves some that no other job can use"}
	// NewClass does so for a job of whose class nothing is known.
	NewClass = &sched.Cause{Name: "new-class", Text: "the plan has slots for it; nothing is known of its class, so maps are assumed to last {map} and reduces {reduce}, [similar?as in the most similar class|a guess, as no class was known]",
		Numbers: []sched.Number{sched.Clock.Named("map", "assumed time of a map", 20e9), sched.Clock.Named("reduce", "assumed time of a reduce", 60e9), sched.Count.Named("similar", "1 = as in the most similar class, 0 = as no class was known", 1)}}
	// PlannedSlots bounds a stage by the plan.
	PlannedSlots = &sched.Cause{Name: "planned-slots", Text: "the plan: it owes {owes} of its work in this interval and is expected to do {does}; a slot costs {price}",
		Numbers: []sched.Number{sched.Millionths.Named("price", "price of a slot, in millionths", 35000), sched.PerMillion.Named("owes", "progress that this interval owes, in millionths of the job", 100000), sched.PerMillion.Named("does", "progress that is expected", 92500)}}
	// SpareSlots bounds a stage that the plan does not know.
	SpareSlots = &sched.Cause{Name: "spare-slots", Text: "the plan has none for it: it gets what others leave; a slot costs {price}",
		Numbers: []sched.Number{sched.Millionths.Named("price", "price of a slot, in millionths", 35000)}}
	// FastSlots bounds a stage of a job on the fast path.
	FastSlots = &sched.Cause{Name: "fast-slots", Text: "on the fast path: all that it can use, as its deadline is at {deadline}", Numbers: FastPath.Numbers}
)

// onPath is the reason to put a job on the fast path, or to take it off.
func (c *controller) onPath(job *sched.Job, cause *sched.Cause) sched.Reason {
	return sched.Because(cause, int64(job.Deadline), int64(c.Next))
}

// admission is the reason to let in a job that the plan has slots for.
func (c *controller) admission(v sched.View, m *member) sched.Reason {
	k := c.class(v, v.Job(m.Job))
	if m.Plan == [2]int64{} {
		return sched.Because(Unplanned)
	}
	if k.known() {
		return sched.Because(ByPlan, m.Plan[0], m.Plan[1])
	}
	like := int64(0)
	if k.Like {
		like = 1
	}
	return sched.Because(NewClass, int64(units.Rounded(1e9*k.Stages[0].Mean)), int64(units.Rounded(1e9*k.Stages[1].Mean)), like)
}

// news are the events on which slots may be given otherwise.
var news = sched.EventsOf(sched.NodeUp, sched.NodeDown, sched.NodeChanged, sched.ProfileLearned, sched.OutputLost,
	sched.JobEnded, sched.JobAmended, sched.JobArrived, sched.StageReady, sched.Tick)

// Of these, comings are those at which jobs may be others, losses those after which slots may lack or tasks be
// there again, and capacities those at which there may be other nodes, or others may serve.
var (
	comings    = sched.EventsOf(sched.JobArrived, sched.StageReady, sched.JobAmended, sched.JobEnded)
	losses     = sched.EventsOf(sched.NodeUp, sched.NodeDown, sched.NodeChanged, sched.OutputLost)
	capacities = sched.EventsOf(sched.NodeUp, sched.NodeDown, sched.NodeChanged, sched.Tick, sched.Resync, sched.Control)
)

// heeded are those, and the ones at which every part has its turn.
var heeded = news | sched.EventsOf(sched.Resync, sched.Control)

// Beliefs is what an experiment has the policy expect in place of what it would, to see what that costs or saves.
// What is nil is as it is.
type Beliefs struct {
	// Capacity may change what is foreseen of the intervals to come: the part of all slots that there will be, and the
	// speed of nodes. The first is the present one, which is known. n counts intervals.
	Capacity func(v sched.View, interval units.Duration, n int64, part, speed []float64)
	// Progress is a factor of what slots of a stage, maps 0 and reduces 1, are expected to do for a job.
	Progress func(n int64, job string, stage int) float64
}

// Entry lists the policy.
func Entry() compose.Entry { return Believing(Beliefs{}) }

// Believing is the policy with other beliefs.
func Believing(b Beliefs) compose.Entry {
	return compose.Entry{
		Name:  "rds",
		Kind:  compose.KindScheme,
		Doc:   "slots of each job by receding horizon control, for a cluster whose capacity changes",
		Cite:  "paper 000, sections 3 and 4 (RDS)",
		Parts: parts(nil, b),
		Gone:  gone(),
		Joint: []compose.Kind{compose.KindAdmit, compose.KindShare},
		Params: []compose.Param{
			{Name: "interval", Type: compose.Span, Default: "10m", Doc: "how often slots are planned"},
			{Name: "hp", Type: compose.Count, Default: "3", Unit: "intervals", Doc: "prediction horizon, 1 to 12"},
			{Name: "hc", Type: compose.Count, Default: "3", Unit: "intervals", Doc: "control horizon, at most hp"},
			{Name: "solver", Type: compose.Span, Default: "1.2s", Doc: "how long the optimizer takes: its plan holds from then on"},
			{Name: "map_penalty", Type: compose.Count, Default: "107", Unit: "ten-thousandths", Doc: "P of wordcount, and of what the paper has none for: what it costs to change map slots"},
			{Name: "reduce_penalty", Type: compose.Count, Default: "173", Unit: "ten-thousandths", Doc: "Q: the same of reduce slots"},
			{Name: "hard", Type: compose.Count, Default: "200", Unit: "percent",
				Doc: "part of its only deadline after which a job is worth nothing, 100 to 200"},
			{Name: "ny", Type: compose.Count, Default: "1", Unit: "intervals", Doc: "of the past whose progress a model reads (n_y of equation 6), 0 to 3"},
			{Name: "nu", Type: compose.Count, Default: "1", Unit: "intervals", Doc: "of the past whose slots it reads (n_u), 0 to 3"},
			{Name: "fast", Type: compose.Switch, Default: "true", Doc: "jobs that come with a deadline before the next interval run at once"},
		},
		Fill: func(r *compose.Recipe, a compose.Args) error { return fill(r, a, b) },
	}
}

func fill(r *compose.Recipe, a compose.Args, b Beliefs) error {
	set := settings{
		interval:      a.Span("interval"),
		solver:        a.Span("solver"),
		hp:            a.Count("hp"),
		hc:            a.Count("hc"),
		outputLags:    a.Count("ny"),
		inputLags:     a.Count("nu"),
		mapPenalty:    float64(a.Count("map_penalty")) / 1e4,
		reducePenalty: float64(a.Count("reduce_penalty")) / 1e4,
		hard:          int64(a.Count("hard")),
		fast:          a.Switch("fast"),
		beliefs:       b,
		masters:       admit.Share(a.Queues.MaxMasterShare / 100),
	}
	switch {
	case set.interval <= 0:
		return a.Misused("interval", "interval is 0, it must be above 0")
	case set.solver >= set.interval:
		return a.Misused("solver", "solver is %v, it must be less than the interval, %v", set.solver, set.interval)
	case set.hp < 1 || set.hp > 12:
		return a.Misused("hp", "hp is %d, it must be from 1 to 12", set.hp)
	case set.hc < 1 || set.hc > set.hp:
		return a.Misused("hc", "hc is %d, it must be from 1 to hp, which is %d", set.hc, set.hp)
	case set.outputLags > mostLags:
		return a.Misused("ny", "ny is %d, it must be from 0 to %d", set.outputLags, mostLags)
	case set.inputLags > mostLags:
		return a.Misused("nu", "nu is %d, it must be from 0 to %d", set.inputLags, mostLags)
	case set.hard < 100 || set.hard > 200:
		return a.Misused("hard", "hard is %d, it must be from 100 to 200 percent of the deadline", set.hard)
	}
	return r.Put(compose.Entry{Kind: compose.KindScheme, Parts: parts(newController(set), b)}, a)
}

// gone says what to take instead of parameters that there were.
func gone() map[string]string {
	list := map[string]string{"preempt": "take edf-p"}
	for _, of := range [][2]string{
		{"take fair+slowstart, or promise", "short replan reference"},
		{"an experiment's policy rds-believing has it", "forecast capacity_error model_error error_seed"},
		{"take ny and nu", "lags"},
		{"leave it out; it stands at what it was when left out", "phases start room terminal activate rules forgetting guess masters"},
	} {
		for name := range strings.FieldsSeq(of[1]) {
			list[name] = of[0]
		}
	}
	return list
}

// parts lists what works on one controller.
func parts(c *controller, b Beliefs) []compose.Entry {
	return []compose.Entry{
		{Name: "adjustment", Kind: compose.KindOrder, Doc: "the job goes first that lacks most of the slots it was given",
			Order: func(compose.Args) (sched.Order, error) { return Order{controller: c}, nil }},
		{Name: "running queue", Kind: compose.KindAdmit, Doc: "jobs run that the plan has slots for, and those on the fast path",
			Step: func(compose.Args) (compose.Step, error) { return Admission{c}, nil },
			Traits: compose.Traits{Reads: compose.Reads{Profiles: true, Supply: b.Capacity != nil}, Heeds: news,
				Causes: []*sched.Cause{NextInterval, FastPath, OnFastPath, OffFastPath, ByPlan, NewClass, Unplanned, admit.MasterShare, sched.Begun, sched.Wakeup}}},
		{Name: "planned bounds", Kind: compose.KindShare, Doc: "each job has the slots of the plan",
			Step: func(compose.Args) (compose.Step, error) { return Share{c}, nil },
			Traits: compose.Traits{Reads: compose.Reads{Profiles: true}, Heeds: news,
				Causes: []*sched.Cause{PlannedSlots, SpareSlots, FastSlots}}},
		placement.GreedyEntry(),
	}
}
