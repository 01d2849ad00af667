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
	e := &Experiment{Name: "003-slack", Paper: "ours, on paper 003, chapter 6", Took: "20 min",
		About: "energy of nodes that sleep: always on, idle ones, thresholds, what deadlines leave, and a linear bound"}
	energy := Metric{"energy", "kWh", func(o *Outcome) float64 { return *o.Summary.Energy }}
	bound := func(file string) Metric {
		return Metric{"bound", "kWh", func(o *Outcome) float64 { return leastAwake(file, o) }}
	}
	const order = "edf(feasible)+slowstart"
	const asleep, slacks = order + "+sleep(idle=60s)", order + "+slack"
	rungs := []string{"always on", "thresholds", "sleep after 60 s", "slack", "bound"}
	ladder := make([]Line, len(rungs))
	for _, load := range []struct{ file, title string }{{"light.yaml", "30 % busy"}, {"middle.yaml", "60 % busy"}, {"heavy.yaml", "90 % busy"}, {"four.yaml", "30 % busy, four classes"}} {
		in := func(name, policy string) Row { return play(name, load.file, policy) }
		on, idle, thresholds := in("always on", order), in("sleep after 60 s", asleep), in("thresholds", order+"+thresholds(own=true)")
		slack, promise, both := in("slack", slacks), in("promise", "promise"), in("promise and slack", "promise+slack")
		e.ours(load.title+": slack uses less than nodes that sleep when idle", less(energy, slack, idle))
		e.ours(load.title+": and less than thresholds", less(energy, slack, thresholds))
		e.ours(load.title+": promise uses less with slack", less(energy, both, promise))
		e.ours(load.title+": hardly any job of promise is late with it", below(0.005, late(allJobs), both))
		e.table(load.title, []Metric{energy, bound(load.file), late(allJobs), completion(allJobs)}, on, idle, thresholds, slack, promise, both)
		for i, r := range []Row{on, thresholds, idle, slack, on} {
			m := energy
			if i == len(rungs)-1 {
				m = bound(load.file)
			}
			ladder[i].Name, ladder[i].Colour = rungs[i], i
			ladder[i].At = append(ladder[i].At, Point{Tick: load.title, Series: r.Series, Metric: &m})
		}
	}
	e.figure(Figure{Title: "the ladder", Bars: true, Metric: energy}, ladder...)

	for _, zone := range []string{"sun", "wind"} { // invented; with prices and carbon that are told before, or are not
		cost, carbon := Metric{"cost", "", func(o *Outcome) float64 { return *o.Summary.EnergyCost }}, Metric{"carbon dioxide", "kg", func(o *Outcome) float64 { return *o.Summary.Carbon }}
		blind, told := play("slack", zone+"-blind.yaml", slacks), play("slack, with a forecast", zone+".yaml", slacks)
		e.ours("zone of "+zone+": with a forecast slack pays less", less(cost, told, blind))
		e.ours("zone of "+zone+": and emits less", less(carbon, told, blind))
		e.table("zone of "+zone, []Metric{energy, cost, carbon, late(allJobs)}, play("sleep after 60 s", zone+"-blind.yaml", asleep), blind, told)
	}

	times, file := []float64{1.5, 2, 3, 5, 8}, func(times string) string { return "times-" + times + ".yaml" }
	idle, slack := sweep(times, func(x string) Row { return play(x+" times", file(x), asleep) }), sweep(times, func(x string) Row { return play(x+" times", file(x), slacks) })
	for i := 2; i < len(times); i++ {
		e.ours(slack[i].Name+" what a job takes alone: slack uses less than with "+slack[i-1].Name, less(energy, slack[i], slack[i-1]))
	}
	e.table("60 % busy by how long jobs have: slack", []Metric{energy, late(allJobs)}, slack)
	e.table("60 % busy by how long jobs have: sleep after 60 s", []Metric{energy, late(allJobs)}, idle)
	e.figure(Figure{Title: "60 % busy by how long jobs have", X: "times what they take alone", Metric: energy}, line("sleep after 60 s", 2, idle), line("slack", 3, slack))
	return e
}

// leastAwake is what the cluster uses at least for the work of a run, in kWh: a linear problem in which work is a fluid
// that comes and is due with its jobs, nodes wake at once and in any part, and each is full while it is awake.
func leastAwake(file string, o *Outcome) float64 {
	return leastOf("003-slack/"+file, func(cfg *sim.Config) (units.Joules, error) { return awake(cfg, o.Jobs, o.Summary.Makespan) })
}

// leastOf is a bound for the scenario of a file, in kWh.
func leastOf(file string, bound func(*sim.Config) (units.Joules, error)) float64 {
	text, err := experiments.Files.ReadFile(file)
	if err == nil {
		var s *scenario.Scenario
		if s, err = scenario.Read(file, text); err == nil {
			cfg, least := s.Sim(1), units.Joules(0)
			if least, err = bound(&cfg); err == nil {
				return least.KWh()
			}
		}
	}
	return math.NaN()
}

const boundEvery = 120.0 // seconds

func awake(cfg *sim.Config, jobs []Job, window float64) (units.Joules, error) {
	p, asleep := &optimize.Linear{}, 0.0
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
		done := p.Add(0, due, came)
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
			x := p.Add(float64(class.Idle+class.Dynamic-class.Sleep)/slots, 0, all)
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
