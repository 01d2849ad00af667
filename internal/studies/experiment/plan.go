package experiment

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Results are outcomes by series and seed.
type Results struct{ outcomes map[Series][]*Outcome }

// Sample is a metric of a series, seed by seed.
func (r *Results) Sample(s Series, m Metric) []float64 {
	var xs []float64
	base := r.outcomes[Series{s.File, s.Over, ""}]
	for i, o := range r.outcomes[Series{s.File, s.Policy, ""}] {
		x := m.Of(o)
		if s.Over != "" {
			x = 1 - over(x, m.Of(base[i]))
		}
		xs = append(xs, x)
	}
	return xs
}

// first is what came of the first seeds.
func (r *Results) first(seeds int) *Results {
	few := newResults()
	for s, all := range r.outcomes {
		few.outcomes[s] = all[:min(seeds, len(all))]
	}
	return few
}

// Plan is the runs of an experiment that are to be made: as its files say, and with other values
// for what was assumed.
type Plan struct {
	e         *Experiment
	seeds     []uint64
	published map[string]Published
	main      *Results
	variants  []variant
	cells     []lab.Cell
	watches   []*watch
	outcomes  []outcomeOf // of each cell, where its outcome belongs
	units     []unit      // what is computed
	weather   string      // that it is computed from; "" = none
	settings  []setting   // of the calibration
}

// variant is the experiment with another value for one assumption.
type variant struct {
	assumption int
	value      string
	files      map[string]bool // that are played so
	results    *Results
}

// outcomeOf is where the outcome of a cell belongs.
type outcomeOf struct {
	results *Results
	series  Series
}

// fewSeeds is how many seeds other assumptions are played with, at most.
const fewSeeds = 10

// Plan makes the grid for these seeds, nil = those of the files. If asked to, it varies the
// assumptions, with the first of the seeds.
func (e *Experiment) Plan(seeds []uint64, vary bool) (*Plan, error) {
	p := &Plan{e: e, main: newResults()}
	err := e.unplayed()
	if err != nil {
		return nil, err
	}
	if p.published, err = e.Published(); err != nil {
		return nil, err
	}
	for _, file := range e.files {
		own, err := p.add(file, others{}, seeds, []*Results{p.main})
		if err != nil {
			return nil, err
		}
		if seeds == nil {
			seeds = own // all files share them, so that series of two can be compared
		}
	}
	p.seeds = seeds
	if e.weather != nil && p.weather == "" {
		return nil, fmt.Errorf("%s computes nothing from weather", e.Name)
	}
	if !vary {
		return p, nil
	}
	few := seeds[:min(fewSeeds, len(seeds))]
	for i, a := range e.Assumptions {
		var results []*Results
		touched := map[string]bool{}
		for _, v := range a.Others {
			r := newResults()
			results = append(results, r)
			p.variants = append(p.variants, variant{i, v, touched, r})
		}
		for _, file := range e.files {
			if of, ok := paramOf(a.Key, ""); a.File != "" && a.File != file || ok && !e.varies(file, of) {
				continue
			}
			touched[file] = true
			if _, err := p.add(file, a.others(), few, results); err != nil {
				return nil, err
			}
		}
	}
	return p, p.calibrate(seeds)
}

func newResults() *Results { return &Results{map[Series][]*Outcome{}} }

// others are other values than those of the files: of a scenario's keys, or one for each of the results of what
// policies know, or of their parameters.
type others struct {
	sweep  string
	known  []string
	params [][]param
}

// others are those of an assumption.
func (a *Assumption) others() (o others) {
	if a.Key == knowledge {
		return others{known: a.Others}
	}
	for _, v := range a.Others {
		if of, ok := paramOf(a.Key, v); ok {
			o.params = append(o.params, []param{of})
		}
	}
	if o.params == nil {
		o.sweep = fmt.Sprintf("{%q: [%s]}", a.Key, strings.Join(a.Others, ", "))
	}
	return o
}

// add adds the cells of a scenario file, one variant for each of the results: as it stands, or with
// other values. It returns the seeds.
func (p *Plan) add(file string, o others, seeds []uint64, results []*Results) ([]uint64, error) {
	text, err := p.e.read(file)
	if err != nil {
		return nil, err
	}
	if o.sweep != "" {
		text = fmt.Appendf(text, "\nsweep: %s\n", o.sweep)
	}
	if doc, err := config.ParseOne(p.e.place(file), text); err == nil && computes(doc) {
		return p.compute(file, text, seeds, results)
	}
	variants, err := scenario.ReadSweep(p.e.place(file), text, scenario.Resize{Weather: p.e.weather})
	if err != nil {
		return nil, err
	}
	if variants[0].Weathered() {
		p.under()
	}
	if n := max(len(o.known), len(o.params)); n > 1 {
		variants = slices.Repeat(variants, n)
	}
	if len(variants) != len(results) {
		return nil, fmt.Errorf("%s: %s is swept already; give other values as assumptions", p.e.Name, file)
	}
	if seeds == nil {
		if seeds = variants[0].Seeds; seeds == nil {
			seeds = []uint64{1}
		}
	}
	for i, s := range variants {
		for _, text := range p.policies(file, results[i]) {
			with := text
			if o.params != nil {
				for _, of := range o.params[i] {
					with = of.in(with)
				}
			}
			cells, err := cellsOf(s, with, o.known, i, seeds)
			if err != nil {
				return nil, fmt.Errorf("%s: a series of %s: %w", p.e.Name, file, err)
			}
			for _, c := range cells {
				w := newWatch()
				c.Sinks = append(c.Sinks, w)
				p.cells, p.watches = append(p.cells, c), append(p.watches, w)
				p.outcomes = append(p.outcomes, outcomeOf{results[i], Series{file, text, ""}})
			}
		}
	}
	return seeds, nil
}

// policies are those that play a file. Other values are tried for the claims alone.
func (p *Plan) policies(file string, with *Results) []string {
	if with != p.main {
		return p.e.judged[file]
	}
	return p.e.plays[file]
}

// under notes that weather is part of it.
func (p *Plan) under() {
	if p.weather = "weather made up"; p.e.weather != nil {
		p.weather = "weather of " + p.e.weather.From
	}
}

// cellsOf makes the cells of a scenario by a policy, in whose text {seed} stands for the seed of the
// run. If known is not nil, its i-th says what the policy knows.
func cellsOf(s *scenario.Scenario, text string, known []string, i int, seeds []uint64) (cells []lab.Cell, err error) {
	for _, seed := range seeds {
		policy, err := catalog.Of(policies, strings.ReplaceAll(text, "{seed}", strconv.FormatUint(seed, 10)), s.Config)
		if err != nil {
			return nil, err
		}
		names, one := []string{policy.Name()}, []uint64{seed}
		if known != nil {
			cells = append(cells, knowing(s, known[i], names, one)...)
		} else {
			cells = append(cells, lab.Cells(s, names, one)...)
		}
	}
	for i := range cells {
		cells[i].Catalog = policies
		if foresees(cells[i].Policy) {
			cfg := s.Sim(cells[i].Seed)
			cells[i].Catalog = append(slices.Clip(policies[:len(policies)-1]), clairvoyantEntry(func(margin int) []int { return foresee(&cfg, margin) }))
		}
	}
	return cells, nil
}

// Runs is the number of runs.
func (p *Plan) Runs() int { return len(p.cells) + len(p.units) }

// Run makes all runs on so many workers, as many as there are processors if 0, and judges the
// claims. done is called after each run.
func (p *Plan) Run(ctx context.Context, workers int, done func()) (*Report, error) {
	runs, err := lab.Grid(ctx, p.cells, workers, nil, done)
	if err != nil {
		return nil, err
	}
	for i, run := range runs {
		if run.Stuck != "" {
			return nil, &lab.Aborted{Err: fmt.Errorf("%s: %s", p.cells[i].Position(), run.Stuck)}
		}
		at := p.outcomes[i]
		at.results.outcomes[at.series] = append(at.results.outcomes[at.series], p.watches[i].outcome(run))
	}
	if err := p.measure(ctx, workers, done); err != nil {
		return nil, err
	}
	return p.judge()
}

// measure runs what is computed, on so many workers, and then what is timed, one after the other. What comes of it
// stands in the order of the units.
func (p *Plan) measure(ctx context.Context, workers int, done func()) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	outcomes := make([]*Outcome, len(p.units))
	run := func(i int) error {
		u := &p.units[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		values, err := u.run(ctx)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", u.series.File, u.series.Policy, err)
		}
		outcomes[i] = &Outcome{Run: &report.Run{}, Values: values}
		if done != nil {
			done()
		}
		return nil
	}
	errs := make([]error, len(p.units))
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(workers, len(p.units)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(p.units) && !failed.Load(); i = int(next.Add(1)) - 1 {
				if p.units[i].timed {
					continue
				}
				if errs[i] = run(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for i := range p.units {
		u := &p.units[i]
		if u.timed {
			if err := run(i); err != nil {
				return err
			}
		}
		u.results.outcomes[u.series] = append(u.results.outcomes[u.series], outcomes[i])
	}
	return nil
}
