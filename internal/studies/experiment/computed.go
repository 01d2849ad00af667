package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/capacity"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/weather"
)

// computed is a file that is no scenario: what its series do is computed, for each seed. In place of policies
// they name what: one of measures, some with a number behind it.
type computed struct {
	Compute string               `json:"compute" need:"yes" enum:"allocation|bounds|capacity|pipelines|streams|workflows" doc:"what is computed: plans of random instances of paper 004, its bounds beside users who share slots, forecasts of the capacity that green power leaves, pipelines of paper 001, random streams of jobs, or workflows of paper 001, under the policy that a series names"`
	Seeds   []scenario.SeedRange `json:"seeds" need:"yes" some:"yes" doc:"seeds"`

	// Allocation.
	Classes int     `json:"classes" min:"1" max:"1000000" def:"20" doc:"of an instance, where the series does not say"`
	Mean    float64 `json:"mean" above:"0" max:"1" def:"0.12" doc:"mean time of tasks, as a part of the longest"`

	// Bounds.
	Slots  int         `json:"slots" min:"1" max:"100000" def:"128" doc:"that all tasks share"`
	Nodes  int         `json:"nodes" min:"1" max:"100000" def:"1" doc:"that have them, each as many"`
	Beat   config.Span `json:"heartbeat" doc:"of a node, which gets tasks then; at once if left out"`
	Users  int         `json:"users" min:"2" max:"100" def:"10" doc:"of a class at most; 2 at least"`
	Rounds int         `json:"rounds" min:"1" max:"1000" def:"6" doc:"for so many times the longest execution time users submit jobs"`
	Spread float64     `json:"spread" min:"0" max:"20" def:"1" doc:"factor of how much longer the longest times are than the means"`
	Groups []struct {
		Classes config.Texts `json:"classes" need:"yes" some:"yes" doc:"classes that run side by side"`
	} `json:"groups" doc:"of classes; a run has one configuration of each"`
	Profiles []struct {
		Name    string             `json:"name" need:"yes" doc:"of the class"`
		Maps    int                `json:"maps" need:"yes" min:"1" max:"100000" doc:"maps"`
		Reduces int                `json:"reduces" need:"yes" min:"1" max:"100000" doc:"reduces"`
		Map     scenario.TaskTimes `json:"map" need:"yes" doc:"what a map takes"`
		Reduce  scenario.TaskTimes `json:"reduce" need:"yes" doc:"what a reduce takes, with its typical shuffle"`
	} `json:"profiles" doc:"of the classes"`

	// Capacity.
	Days    int             `json:"days" min:"1" max:"1000" def:"7" doc:"days of weather, in intervals of ten minutes"`
	Grid    float64         `json:"grid" min:"0" max:"0.99" def:"0.5" doc:"part of the cluster that does not run on green power"`
	Window  int             `json:"window" min:"1" max:"1000" def:"1" doc:"days before, which models are fitted to"`
	Error   float64         `json:"error" min:"0" max:"1" doc:"standard deviation of the error of forecasts by weather: of clouds as part of the sky, of wind as part of its speed"`
	weather *weather.Series // measured; nil = made up

	// Streams.
	Jobs int `json:"jobs" min:"1" max:"1000000" def:"2500" doc:"of a stream"`

	// Workflows.
	Hours    float64 `json:"hours" above:"0" max:"1000" def:"12" doc:"for which workflows come"`
	Load     float64 `json:"load" above:"0" max:"1000" def:"1" doc:"how many workflows come each half hour, on average"`
	Factor   float64 `json:"factor" above:"0" max:"10" def:"0.1" doc:"of the deadline, as part of the longest path of jobs that are one task each"`
	Size     int     `json:"size" min:"2" max:"1000" def:"50" doc:"jobs of a workflow, on average"`
	Machines int     `json:"machines" min:"1" max:"10000" def:"32" doc:"of each of four kinds"`
	Slope    float64 `json:"slope" above:"0" max:"1" def:"0.011" doc:"of w(k), on average"`

	bounds *sync.Map // by seed, what its workflows cost at least

	Sweep config.Sweep `json:"sweep" doc:"values to compute with"`
}

// computes tells whether a file is such a one.
func computes(doc *config.Document) bool { return slices.Contains(doc.Keys(), "compute") }

// unit is one computation of a plan.
type unit struct {
	outcomeOf
	timed bool // so it runs alone
	run   func(ctx context.Context) (map[string]float64, error)
}

// compute adds the units of a file, as add does for scenarios.
func (p *Plan) compute(file string, text []byte, seeds []uint64, results []*Results) ([]uint64, error) {
	doc, err := config.ParseOne(p.e.place(file), text)
	if err != nil {
		return nil, err
	}
	var base computed
	doc.Read(&base)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	var variants []computed
	err = base.Sweep.Variants(doc, func(d *config.Document, _ map[string]string) error {
		var v computed
		d.Read(&v)
		variants = append(variants, v)
		return d.Err()
	})
	if err != nil {
		return nil, err
	}
	if variants == nil {
		variants = []computed{base}
	}
	if len(variants) != len(results) {
		return nil, fmt.Errorf("%s: %s is swept already; give other values as assumptions", p.e.Name, file)
	}
	if seeds == nil {
		var at int
		if seeds, at, err = scenario.Seeds(base.Seeds); err != nil {
			return nil, doc.Errorf(fmt.Sprintf("seeds[%d]", at), "%v", err)
		}
	}
	for i := range variants {
		c := &variants[i]
		c.bounds = new(sync.Map)
		if c.Compute == "capacity" {
			if c.weather = p.e.weather; c.weather != nil && c.weather.Parts(c.Days) > 0 {
				if what, _ := weather.Micro().Lacks(c.weather, slices.Contains(p.e.plays[file], "weather")); what != "" {
					return nil, fmt.Errorf("%s; give another file, or none to have weather made up", what)
				}
			}
			p.under()
		}
		for _, name := range p.policies(file, results[i]) {
			measure, of := name, 0.0
			if at := strings.LastIndexByte(name, ' '); at > 0 {
				if x, err := strconv.ParseFloat(name[at+1:], 64); err == nil {
					measure, of = name[:at], x
				}
			}
			do := measures[c.Compute][measure]
			switch c.Compute {
			case "streams":
				do = streaming(name)
			case "workflows":
				do = workflows(name)
			}
			if do == nil {
				return nil, fmt.Errorf("%s: %s computes no %q", p.e.place(file), c.Compute, measure)
			}
			for _, seed := range seeds {
				p.units = append(p.units, unit{outcomeOf{results[i], Series{file, name, ""}}, measure == "solve",
					func(ctx context.Context) (map[string]float64, error) { return do(ctx, c, of, seed) }})
			}
		}
	}
	return seeds, nil
}

// value is a number that was computed.
func value(name, unit string) Metric {
	return Metric{name, unit, func(o *Outcome) float64 {
		if x, ok := o.Values[name]; ok {
			return x
		}
		return math.NaN()
	}}
}

// measures are what series of computed files may be, by what is computed. The number behind it is of classes, or of
// percent, or of intervals: ahead, or that lags look back.
var measures = map[string]map[string]func(context.Context, *computed, float64, uint64) (map[string]float64, error){
	"allocation": {"solve": solved, "sharing": sharing, "concurrency": concurrency, "deadlines": tightened},
	"capacity": {"ar": foreseeing("ar"), "persistence": foreseeing("persistence"), "lags": foreseeing("lags"), "weather": foreseeing("weather"),
		"hindsight": foreseeing("hindsight")},
	"bounds":    {"users": besideUsers(false), "fixed point": besideUsers(true)},
	"pipelines": {"atp": partitioned},
}

// solved is how long a proven optimum in whole machines and jobs takes.
func solved(_ context.Context, c *computed, n float64, seed uint64) (map[string]float64, error) {
	in := capacity.Instance(int(max(n, 1)), c.Mean, seed)
	began := time.Now()
	plan, ok := capacity.Solve(in, 1, true)
	took := float64(time.Since(began).Microseconds()) / 1000
	if !ok {
		return nil, nil
	}
	return map[string]float64{"solve time": took, "gap": plan.Gap()}, nil
}

// sharing compares one problem for all classes with one for each.
func sharing(_ context.Context, c *computed, n float64, seed uint64) (map[string]float64, error) {
	in := capacity.Instance(int(max(n, 1)), c.Mean, seed)
	saves := func(whole bool) float64 {
		all, _ := capacity.Solve(in, 1, whole)
		alone := 0.0
		for i := range in.Classes {
			one, _ := capacity.Solve(capacity.Only(in, i), 1, whole)
			alone += one.Cost
		}
		return 1 - all.Cost/alone
	}
	return map[string]float64{"saved by sharing": saves(true), "saved, split": saves(false)}, nil
}

// concurrency is by how much the cost of a job varies with how many run side by side, 10 to 30.
func concurrency(_ context.Context, c *computed, _ float64, seed uint64) (map[string]float64, error) {
	varies := func(whole bool) float64 {
		least, most := math.Inf(1), 0.0
		for h := 10.0; h <= 30; h++ {
			in := capacity.Instance(1, c.Mean, seed)
			in.Classes[0].AtLeast, in.Classes[0].AtMost = h, h
			plan, _ := capacity.Solve(in, 1, whole)
			least, most = min(least, plan.Cost/h), max(most, plan.Cost/h)
		}
		return most/least - 1
	}
	return map[string]float64{"cost varies by": varies(false), "varies, whole": varies(true)}, nil
}

// tightened is the cost with all deadlines changed by so many percent, over that without.
func tightened(_ context.Context, c *computed, percent float64, seed uint64) (map[string]float64, error) {
	in := capacity.Instance(c.Classes, c.Mean, seed)
	was, _ := capacity.Solve(in, 1, true)
	is, ok := capacity.Solve(in, 1+percent/100, true)
	if !ok {
		return nil, nil // a class is late on any number of machines
	}
	return map[string]float64{"times the cost": is.Cost / was.Cost}, nil
}

// besideUsers are the gaps of the bounds, on average over the classes of one configuration of each group.
func besideUsers(fixed bool) func(context.Context, *computed, float64, uint64) (map[string]float64, error) {
	return func(ctx context.Context, c *computed, _ float64, seed uint64) (map[string]float64, error) {
		var upper, middle, rounds stat.Sum
		for g, group := range c.Groups {
			in := &scenario.Capacity{Bound: "mean"}
			for _, name := range group.Classes {
				for i := range c.Profiles {
					k := &c.Profiles[i]
					if k.Name != name {
						continue
					}
					longer := func(t scenario.TaskTimes) scenario.TaskTimes {
						t.Max = t.Mean + config.Span(c.Spread*float64(t.Max-t.Mean))
						return t
					}
					users := draw.Of(seed, "users").Number(uint64(g)).Job(name).Below(c.Users-1) + 2
					in.Classes = append(in.Classes, scenario.CapacityClass{Name: name, Maps: k.Maps, Reduces: k.Reduces,
						Map: longer(k.Map), Reduce: longer(k.Reduce), AtMost: float64(users), Deadline: 1})
				}
			}
			if len(in.Classes) != len(group.Classes) {
				return nil, fmt.Errorf("a group names a class without a profile: %v", group.Classes)
			}
			gaps, err := capacity.Gaps(ctx, in, c.Slots, c.Nodes, c.Beat.Duration(), c.Rounds, fixed, draw.Of(seed, "group").Number(uint64(g)).Uint64())
			if err != nil {
				return nil, err
			}
			for _, gap := range gaps {
				upper.Add(gap.Upper)
				middle.Add(math.Abs(gap.Middle))
				rounds.Add(float64(gap.Rounds))
			}
		}
		return map[string]float64{"gap of the upper bound": upper.Mean(), "gap of the midpoint": middle.Mean(), "iterations": rounds.Mean()}, nil
	}
}
