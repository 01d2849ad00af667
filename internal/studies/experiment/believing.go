package experiment

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/rds"
	"github.com/slackline/slackline/internal/policies/workflow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// policies are those that series may play: those of the catalogue, one whose beliefs an experiment sets, and baselines
// that nobody would pick.
var policies = append(catalog.All(), believing(), thresholdsEntry(), foretellerEntry(), ranksEntry(), takeEntry(),
	misled(workflow.Flow()), misled(workflow.DAWSEE()), workflow.Printed(), misled(workflow.Printed()),
	clairvoyantEntry(func(int) []int { return nil }))

// believing is rds that expects other capacity than it would find out, or is wrong by as much as an experiment says,
// to see what knowing more or less is worth (paper 000, sections 2, 6.3 and 6.4).
func believing() compose.Entry {
	e := rds.Entry()
	e.Name, e.Doc = "rds-believing", "rds with the beliefs that an experiment sets"
	e.Params = slices.Concat(e.Params, []compose.Param{
		{Name: "capacity", Type: compose.Choice, Default: "own", Choices: []string{"own", "told", "persistence"},
			Doc: "what it expects: what it makes of the past, what the world tells, or no change"},
		{Name: "capacity_error", Type: compose.Count, Default: "0", Unit: "percent", Doc: "by which that is wrong, up or down; at most 90"},
		{Name: "model_error", Type: compose.Count, Default: "0", Unit: "percent", Doc: "the same of what models expect of slots"},
		{Name: "error_seed", Type: compose.Count, Default: "0", Doc: "seed of these errors"},
	})
	e.Fill = func(r *compose.Recipe, a compose.Args) error {
		for _, name := range []string{"capacity_error", "model_error"} {
			if n := a.Count(name); n > 90 {
				return a.Misused(name, "%s is %d, it must be at most 90 percent", name, n)
			}
		}
		return rds.Believing(beliefs(a)).Fill(r, a)
	}
	return e
}

// beliefs are those of the parameters.
func beliefs(a compose.Args) (b rds.Beliefs) {
	wrong := func(by int, interval int64, of string, n int) float64 {
		if draw.Of(uint64(a.Count("error_seed")), "wrong").Number(uint64(interval)).Job(of).Number(uint64(n)).Chance(0.5) {
			by = -by
		}
		return 1 + float64(by)/100
	}
	var expects func(sched.View, units.Duration, []float64, []float64)
	switch a.Choice("capacity") {
	case "told":
		expects = new(told).expect
	case "persistence":
		expects = func(_ sched.View, _ units.Duration, part, speed []float64) { stays(part, speed) }
	}
	if by := a.Count("capacity_error"); expects != nil || by > 0 {
		b.Capacity = func(v sched.View, interval units.Duration, n int64, part, speed []float64) {
			if expects != nil {
				expects(v, interval, part, speed)
			}
			for i := 1; i < len(part); i++ {
				off := wrong(by, n, "", i)
				part[i] *= off
				speed[i] *= off
			}
		}
	}
	if by := a.Count("model_error"); by > 0 {
		b.Progress = func(n int64, job string, stage int) float64 { return wrong(by, n, job, stage) }
	}
	return b
}

// stays has capacity be as it is.
func stays(part, speed []float64) {
	for i := range part {
		part[i], speed[i] = 1, speed[0]
	}
}

// told is what the world tells of capacity, which is slots times speed: speed where nodes have been seen to be slower
// than their class says, else slots.
type told struct{ slows bool }

// expect writes it for steps that begin now, where the world tells anything.
func (t *told) expect(v sched.View, interval units.Duration, part, speed []float64) {
	f, now := v.Forecast(sched.Capacity), 1.0
	if s := v.Supply(sched.Capacity); s != nil {
		now = s.Amount
	}
	if f == nil || now <= 0 {
		return
	}
	if now < 1 {
		t.slows = slow(v)
	}
	stays(part, speed)
	to := part
	if t.slows {
		to = speed
	}
	for i := 1; i < len(to); i++ {
		from := v.Now().Add(units.Duration(i) * interval)
		to[i] = to[0] * expected(f, now, from, from.Add(interval)) / now
	}
}

// slow tells whether a node is not as fast as its class says.
func slow(v sched.View) bool {
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if node := v.Node(n); node != nil && node.Serves() && units.Rounded(node.Speed) != units.Rounded(node.Spec.Class.Speed) {
			return true
		}
	}
	return false
}

// expected is the mean of what is forecast from one instant to another: as now until the forecast begins, and its
// last value when it has ended.
func expected(f *sched.Forecast, now float64, from, to units.Time) float64 {
	sum := 0.0
	for at := from; at < to; {
		x, until := now, f.Start
		if at >= f.Start {
			i := int64(at.Sub(f.Start) / f.Interval)
			x, until = f.Mid[min(i, int64(len(f.Mid))-1)], f.Start.Add(units.Duration(i+1)*f.Interval)
			if i >= int64(len(f.Mid)) {
				until = to
			}
		}
		until = min(until, to)
		sum += x * until.Sub(at).Seconds()
		at = until
	}
	return sum / to.Sub(from).Seconds()
}
