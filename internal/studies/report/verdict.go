package report

import (
	"maps"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
)

// Comparison is one policy against another by one metric, over the seeds that both have.
//
// P may be looked at after each new seed (stat.ComparePairs). It is corrected by Holm for the family
// of tests that it belongs to, and Low and High are the interval of the same test at the level of
// this correction: it leaves out 0 exactly if P is below 0.05. The comparisons of policies by the
// primary metric are one family, those by all other metrics another; all points of a sweep belong to
// one. What is 0 in every seed is no test. Differences of shares are parts of 1.
//
// OnceLow and OnceHigh are the 95 % interval of this difference by itself, for who looks once: what
// the seeds say of its size, long before they can say which policy is better.
//
// Figures of a run as a whole, such as its makespan, are not tested where in any seed other jobs
// finished under the one policy than under the other: who does less work is done sooner, which is
// no merit.
type Comparison struct {
	Scenario string            `json:"scenario"`
	Params   map[string]string `json:"params,omitempty"` // of a sweep, as those of the runs
	Policy   string            `json:"policy"`
	Against  string            `json:"against"`
	Metric   string            `json:"metric"`
	Primary  bool              `json:"primary"`
	Seeds    int               `json:"seeds"`
	// that are compared, as a mean over the seeds; null: it is a figure of the run as a whole
	Jobs *float64 `json:"jobs"`
	Of   *float64 `json:"of_jobs"`         // that were submitted
	Mean float64  `json:"mean_difference"` // of Policy less Against
	// of its own interval, for one look; null: it is not tested, as the runs did different work
	OnceLow  *float64 `json:"once_low"`
	OnceHigh *float64 `json:"once_high"`
	// of the interval that holds for all tests and looks; null: it has no bound, as there are too few seeds
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Alone float64  `json:"p_alone"` // before the correction
	P     float64  `json:"p"`       // corrected; both are 1 where there was no test
	// so many tests, in the step of the correction that decides this one; 0: no test
	Tests int `json:"corrected_for"`
	// Cohen's d of the pairs; null: the difference is the same in every seed
	Effect *float64 `json:"effect"`
	Better string   `json:"better"` // the policy that is, "" = the seeds do not tell
	// by which a difference of this size would be found four times out of five; 0 = there is none
	Enough int `json:"enough_seeds"`

	Unlike bool `json:"different_work"` // it is not tested, as the runs did different work

	metric      *metric
	differences []float64
}

// significant is the level at which a difference counts.
const significant = 0.05

// Compare adds the comparisons of policies, each with the first one, seed by seed: the same seed
// draws the same task times and failures for both. The primary metric is the one of this name, "" =
// that of the jobs in time, or where no job has a deadline the mean response. Scenarios with one
// policy or one seed have none.
func (r *Report) Compare(primary string) {
	r.Comparisons = nil
	var names []string
	points := map[string][][]*Run{} // of a sweep, by the name of the scenario
	for _, g := range r.scenarios() {
		if mixed(g) {
			continue
		}
		if name := g[0].Scenario; points[name] == nil {
			names = append(names, name)
		}
		points[g[0].Scenario] = append(points[g[0].Scenario], g)
	}
	for _, name := range names {
		var list []Comparison
		for _, g := range points[name] {
			list = append(list, compareGroup(g)...)
		}
		first := primaryOf(list, primary)
		list = slices.DeleteFunc(list, func(c Comparison) bool { return c.metric.told == ifPrimary && c.Metric != first })
		judge(list, first)
		r.Comparisons = append(r.Comparisons, list...)
	}
}

// primaryOf is the metric that was asked for, or the default.
func primaryOf(list []Comparison, asked string) string {
	if asked != "" {
		return asked
	}
	if slices.ContainsFunc(list, func(c Comparison) bool { return c.Metric == inTime }) {
		return inTime
	}
	return meanResponse
}

// compareGroup compares the policies of one point, without a verdict.
func compareGroup(g []*Run) (list []Comparison) {
	var policies []string
	bySeed := map[string]map[uint64]*Run{}
	for _, run := range g {
		if bySeed[run.Policy] == nil {
			policies = append(policies, run.Policy)
			bySeed[run.Policy] = map[uint64]*Run{}
		}
		if run.Stuck == "" {
			bySeed[run.Policy][run.Seed] = run
		}
	}
	for _, p := range policies[1:] {
		var pairs []*pair
		for _, seed := range slices.Sorted(maps.Keys(bySeed[p])) {
			if other := bySeed[policies[0]][seed]; other != nil {
				pairs = append(pairs, newPair(bySeed[p][seed], other))
			}
		}
		for k := range metrics {
			c := Comparison{Scenario: g[0].Scenario, Params: g[0].Params, Policy: p, Against: policies[0], Metric: metrics[k].name, metric: &metrics[k]}
			var jobs, of stat.Sum
			for _, pr := range pairs {
				if m, has := metrics[k].of(pr); has {
					c.differences = append(c.differences, m.x-m.y)
					jobs.Add(float64(m.jobs))
					of.Add(float64(m.of))
				}
			}
			if c.Seeds = len(c.differences); c.Seeds < 2 {
				continue
			}
			c.Unlike = metrics[k].whole && slices.ContainsFunc(pairs, func(p *pair) bool { return !p.same })
			if of.Mean() > 0 {
				c.Jobs, c.Of = new(jobs.Mean()), new(of.Mean())
			}
			list = append(list, c)
		}
	}
	return list
}

// judge tests all comparisons of a scenario, those by the primary metric as one family, and all
// others as another.
func judge(list []Comparison, primary string) {
	families := map[bool][]*Comparison{}
	for i := range list {
		c := &list[i]
		t := stat.ComparePairs(c.differences)
		if c.Primary = c.Metric == primary; c.Unlike {
			c.Mean, c.Alone, c.P = t.Mean, 1, 1
			continue
		}
		c.Mean, c.Alone, c.P = t.Mean, t.P, t.P
		if effect := t.Effect; !math.IsInf(effect, 0) {
			c.Effect = &effect
		}
		low, high := stat.IntervalOnce95(c.differences)
		c.OnceLow, c.OnceHigh = &low, &high
		if t.Nil {
			c.Low, c.High = new(float64), new(float64)
			continue
		}
		families[c.Primary] = append(families[c.Primary], c)
	}
	for _, first := range []bool{true, false} {
		family := families[first]
		corrected, steps := stat.Holm(each.Of(family, func(c *Comparison) float64 { return c.Alone }), significant)
		for i, c := range family {
			c.decide(corrected[i], steps[i])
		}
	}
}

// decide sets what follows from the correction.
func (c *Comparison) decide(p float64, tests int) {
	c.P, c.Tests = p, tests
	level := significant / float64(tests)
	if low, high := stat.Interval(c.differences, level); !math.IsInf(low, 0) {
		c.Low, c.High = &low, &high
	}
	effect := math.Copysign(math.Inf(1), c.Mean)
	if c.Effect != nil {
		effect = *c.Effect
	}
	c.Enough = stat.EnoughPairs(effect, level)
	switch {
	case p >= significant:
		if c.Enough > 0 {
			c.Enough = max(c.Enough, c.Seeds+1) // so many as there are were not
		}
	case c.metric.more == (c.Mean > 0):
		c.Better = c.Policy
	default:
		c.Better = c.Against
	}
}
