package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/stat"
)

// goal is a figure of which more, or less, is better.
type goal struct {
	name string
	more bool
	of   func(*Summary) (float64, bool) // false: the run does not have it
	unit func(float64) string
}

func always(of func(*Summary) float64) func(*Summary) (float64, bool) {
	return func(s *Summary) (float64, bool) { return of(s), true }
}

var goals = []goal{
	{"in time", true, func(s *Summary) (float64, bool) {
		return float64(s.InTime) / float64(max(1, s.Deadlines)), s.Deadlines > 0
	}, func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }},
	{"penalty", false, func(s *Summary) (float64, bool) { return s.Penalty, s.Deadlines > 0 }, func(x float64) string { return fmt.Sprintf("%.3g", x) }},
	{"makespan", false, always(func(s *Summary) float64 { return s.Makespan }), span},
	{"mean response", false, always(func(s *Summary) float64 { return s.MeanResponse }), span},
	{"p95 of response", false, always(func(s *Summary) float64 { return s.P95Response }), span},
	{"local maps", true, always(func(s *Summary) float64 { return s.MapLocality }), func(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }},
	{"energy", false, func(s *Summary) (float64, bool) { return deref(s.Energy) }, func(x float64) string { return fmt.Sprintf("%.3g kWh", x) }},
	{"brown energy", false, func(s *Summary) (float64, bool) { return deref(s.Brown) }, func(x float64) string { return fmt.Sprintf("%.3g kWh", x) }},
}

func deref(x *float64) (float64, bool) {
	if x == nil {
		return 0, false
	}
	return *x, true
}

// Comparison is one policy against another on one figure, over the seeds that both have.
type Comparison struct {
	Scenario string  `json:"scenario"`
	Policy   string  `json:"policy"`
	Against  string  `json:"against"`
	Metric   string  `json:"metric"`
	Seeds    int     `json:"seeds"`
	Mean     float64 `json:"mean_difference"` // of Policy less Against
	Interval float64 `json:"interval95"`      // half the width of its 95 % confidence interval
	P        float64 `json:"p"`               // sign-flip test, corrected by Holm for all comparisons of the scenario
	Effect   float64 `json:"effect"`          // Cohen's d of the pairs, cut at ±100
	Better   string  `json:"better"`          // the policy that is, "" = the seeds do not tell
	Enough   int     `json:"enough_seeds"`    // that would find a difference of this size four times out of five, 0 = there is none
	goal     *goal
}

// significant is the level at which a difference counts.
const significant = 0.05

// compare compares each policy of a scenario with the first one, figure by figure, with a paired test: the same seed draws the same
// task times and failures for both. Scenarios with one policy or one seed have none.
func (r *Report) compare() []Comparison {
	var all []Comparison
	for _, g := range r.scenarios() {
		if !mixed(g) {
			all = append(all, compareGroup(g)...)
		}
	}
	return all
}

func compareGroup(g []*Run) []Comparison {
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
	var list []Comparison
	var ps []float64
	for _, p := range policies[1:] {
		for k := range goals {
			var d []float64
			for _, run := range g { // in the order of the grid
				other := bySeed[policies[0]][run.Seed]
				if run.Policy != p || other == nil || run.Stuck != "" {
					continue
				}
				x, ok1 := goals[k].of(&run.Summary)
				y, ok2 := goals[k].of(&other.Summary)
				if ok1 && ok2 {
					d = append(d, x-y)
				}
			}
			if len(d) < 2 {
				continue
			}
			t := stat.ComparePairs(d)
			c := Comparison{Scenario: sweepName(g[0]), Policy: p, Against: policies[0], Metric: goals[k].name, Seeds: t.N, Mean: t.Mean,
				Interval: t.Interval, P: t.P, Effect: max(-100, min(100, t.Effect)), Enough: t.Enough, goal: &goals[k]}
			list, ps = append(list, c), append(ps, t.P)
		}
	}
	// With fewer seeds than this no sign-flip test among so many stays below the level, however clear the difference is.
	least := 1 + int(math.Ceil(math.Log2(float64(len(ps))/significant)))
	for i, p := range stat.Holm(ps) {
		list[i].P = p
		if list[i].Enough > 0 {
			list[i].Enough = max(list[i].Enough, least)
		}
		switch {
		case p >= significant:
		case list[i].goal.more == (list[i].Mean > 0):
			list[i].Better = list[i].Policy
		default:
			list[i].Better = list[i].Against
		}
	}
	return list
}

// writeComparisons says, figure by figure, which policy is better, by how much, and where the seeds do not suffice to tell.
func writeComparisons(w io.Writer, list []Comparison) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(c Comparison) bool { return c.Policy != list[0].Policy })
		if n < 0 {
			n = len(list)
		}
		part := list[:n]
		list = list[n:]
		g := &Grid{Title: fmt.Sprintf("%s against %s, seed by seed", part[0].Policy, part[0].Against)}
		g.Add("metric", ">difference", ">95 % interval", ">p", ">effect", "verdict")
		for i := range part {
			c := &part[i]
			u := c.goal.unit
			sign := ""
			if c.Mean > 0 {
				sign = "+"
			}
			g.Add(c.Metric, sign+u(c.Mean), "± "+u(c.Interval), level(c.P), fmt.Sprintf("%.2f", c.Effect), c.verdict())
		}
		fmt.Fprintln(w)
		_ = g.Write(w)
	}
}

func level(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// verdict is the comparison in words.
func (c *Comparison) verdict() string {
	switch {
	case c.Mean == 0 && c.Interval == 0:
		return "no difference in any seed"
	case c.Better != "":
		return c.Better + " is better" + size(c.Effect)
	case c.Enough > c.Seeds:
		return fmt.Sprintf("%d seeds do not tell; some %d might", c.Seeds, c.Enough)
	}
	return "the seeds do not tell"
}

// size names an effect in the words of Cohen ("Statistical power analysis for the behavioral sciences", 1988).
func size(d float64) string {
	switch d = math.Abs(d); {
	case d >= 0.8:
		return ""
	case d >= 0.5:
		return ", by a medium effect"
	}
	return ", by a small effect"
}
