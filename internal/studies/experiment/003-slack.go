package experiment

import (
	"errors"
	"math"

	"github.com/slackline/slackline/experiments"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
)

// slack003 compares ways to let nodes sleep, up to slack, which is ours, with the least energy that is possible.
func slack003() *Experiment {
	e := &Experiment{Name: "003-slack", Paper: "ours, on paper 003, chapter 6", Took: "10 min",
		About: "energy of nodes that sleep: always on, idle ones, thresholds, what deadlines leave, and a linear bound"}
	energy := Metric{"energy", "kWh", func(o *Outcome) float64 { return *o.Summary.Energy }}
	bound := func(file string) Metric {
		return Metric{"bound", "kWh", func(o *Outcome) float64 { return leastAwake(file, o) }}
	}
	const order = "edf(feasible)+slowstart"
	for _, load := range []struct{ file, title string }{{"light.yaml", "30 % busy"}, {"middle.yaml", "60 % busy"}, {"heavy.yaml", "90 % busy"}, {"four.yaml", "30 % busy, four classes"}} {
		in := func(name, policy string) Row { return play(name, load.file, policy) }
		on, idle, thresholds := in("always on", order), in("sleep after 60 s", order+"+sleep(idle=60s)"), in("thresholds", order+"+thresholds(own=true)")
		slack, promise, both := in("slack", order+"+slack"), in("promise", "promise"), in("promise and slack", "promise+slack")
		e.ours(load.title+": slack uses less than nodes that sleep when idle", less(energy, slack, idle))
		e.ours(load.title+": and less than thresholds", less(energy, slack, thresholds))
		e.ours(load.title+": promise uses less with slack", less(energy, both, promise))
		e.ours(load.title+": hardly any job of promise is late with it", below(0.005, late(allJobs), both))
		e.table(load.title, []Metric{energy, bound(load.file), late(allJobs), completion(allJobs)}, on, idle, thresholds, slack, promise, both)
	}
	return e
}

// leastAwake is what the cluster uses at least for the work of a run, in kWh: a linear problem in which work is a fluid
// that comes and is due with its jobs, nodes wake at once and in any part, and each is full while it is awake.
func leastAwake(file string, o *Outcome) float64 {
	text, err := experiments.Files.ReadFile("003-slack/" + file)
	if err != nil {
		return math.NaN()
	}
	s, err := scenario.Read(file, text)
	if err != nil {
		return math.NaN()
	}
	cfg := s.Sim(1)
	least, err := awake(&cfg, o.Jobs, o.Summary.Makespan)
	if err != nil {
		return math.NaN()
	}
	return least.KWh()
}

const boundEvery = 120.0 // seconds

func awake(cfg *sim.Config, jobs []Job, window float64) (units.Joules, error) {
	p, asleep := &optimize.Linear{}, 0.0
	variable := func(lower, upper, cost float64) int {
		p.Lower, p.Upper, p.Cost = append(p.Lower, lower), append(p.Upper, upper), append(p.Cost, cost)
		return len(p.Cost) - 1
	}
	for _, n := range cfg.Cluster.Own() {
		asleep += float64(n.Class.Sleep) * window
	}
	before := -1
	for from := 0.0; from < window; from += boundEvery {
		to := min(window, from+boundEvery)
		came, due := 0.0, 0.0
		for i := range jobs {
			j := &jobs[i]
			if j.Submitted < to {
				came += j.Slots.Seconds()
			}
			if by := j.Deadline; j.Finished != nil && (by == nil || max(*by, *j.Finished) <= to) && *j.Finished <= to {
				due += j.Slots.Seconds()
			}
		}
		done := variable(due, came, 0)
		row := optimize.Row{Terms: []optimize.Term{{Variable: done, Coefficient: -1}}}
		if before >= 0 {
			row.Terms = append(row.Terms, optimize.Term{Variable: before, Coefficient: 1})
		}
		before = done
		for _, class := range cfg.Cluster.Classes {
			slots := float64(class.Capacity[units.MapSlots] + class.Capacity[units.ReduceSlots])
			all := 0.0
			for _, n := range cfg.Cluster.Own() {
				if n.Class == class {
					all += slots * (to - from)
				}
			}
			x := variable(0, all, float64(class.Idle+class.Dynamic-class.Sleep)/slots)
			row.Terms = append(row.Terms, optimize.Term{Variable: x, Coefficient: 1})
		}
		p.Rows = append(p.Rows, row)
	}
	sol := p.Solve()
	if sol.Status != optimize.Optimal {
		return 0, errors.New("the least energy: " + string(sol.Status))
	}
	return units.Joules(sol.Cost + asleep), nil
}
