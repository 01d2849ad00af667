package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// versus says, metric by metric, which policy is better, by how much, and where the seeds do not
// suffice to tell. The primary metric comes first.
func versus(list []Comparison) (grids []*Grid) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(c Comparison) bool { return c.Policy != list[0].Policy })
		if n < 0 {
			n = len(list)
		}
		part := slices.Clone(list[:n])
		list = list[n:]
		slices.SortStableFunc(part, func(a, b Comparison) int { return order(a.Primary) - order(b.Primary) })
		g := &Grid{Title: fmt.Sprintf("%s against %s, seed by seed", part[0].Policy, part[0].Against), Least: []string{"of jobs", "p"}}
		g.Add("metric", ">of jobs", ">difference", ">95 % interval", ">p", "verdict")
		for i := range part {
			c := &part[i]
			if c.metric.told == ifUnlike && c.Tests == 0 && !c.Primary {
				continue
			}
			if c.Unlike {
				g.Add(c.Metric, c.among(), c.metric.unit.full(c.Mean), "", "", c.verdict())
				continue
			}
			if c.Tests == 0 {
				g.Add(c.Metric, c.among(), "none", "", "", c.verdict())
				continue
			}
			g.Add(c.Metric, c.among(), c.metric.unit.full(c.Mean), c.interval(), level(c.P), c.verdict())
		}
		grids = append(grids, g)
	}
	return grids
}

// Compared are the tables of a comparison. What says it at a glance comes first: of a sweep the primary metric by point
// and policy, else all metrics by policy. Behind them are, point by point, the policies against each other by metric.
// There are none without several seeds or points.
func (r *Report) Compared() (first, rest []*Grid) {
	groups := r.scenarios()
	swept := false
	for i, g := range groups {
		if i == 0 || groups[i-1][0].Scenario != g[0].Scenario {
			points := r.points(g[0].Scenario)
			first, swept = append(first, points...), points != nil
		}
		if sameSeed(g) {
			continue
		}
		if all := r.allMetrics(g); swept {
			rest = append(rest, all)
		} else {
			first = append(first, all)
		}
		rest = append(rest, versus(r.at(g[0]))...)
	}
	return first, rest
}

// allMetrics has a line for each policy: what came of the jobs, whether that is better by the primary metric than what
// came under the first policy, and how the cluster was used.
func (r *Report) allMetrics(g []*Run) *Grid {
	all := summaryTable(Printable(g[0].Name())+" "+where(g), g)
	jobs := outcomeTable("", g)
	if jobs == nil {
		jobs = GridOf("", each.Of(all.rows, func(row []string) []string { return row[:1] }))
	}
	verdicts := slices.DeleteFunc(r.at(g[0]), func(c Comparison) bool { return !c.Primary })
	for i, row := range all.rows {
		told := slices.Clone(jobs.rows[i])
		if len(verdicts) > 0 {
			verdict := ""
			if i == 0 {
				verdict = "by " + verdicts[0].Metric + ", against " + verdicts[0].Against
			}
			for k := range verdicts {
				if verdicts[k].Policy == row[0] {
					verdict = verdicts[k].verdict()
				}
			}
			told = slices.Insert(told, min(2, len(told)), verdict)
		}
		all.rows[i] = append(told, row[1:]...)
	}
	return all
}

// at are the comparisons of the point of a run.
func (r *Report) at(run *Run) []Comparison {
	return r.compared(func(c *Comparison) bool { return c.Scenario == run.Scenario && maps.Equal(c.Params, run.Params) })
}

// headline is by what runs are told in one figure.
func (r *Report) headline(among func(*Run) bool) (what string, of func(*Summary) (float64, bool), unit func(float64) string) {
	if !slices.ContainsFunc(r.Runs, func(run *Run) bool { return among(run) && run.Summary.Deadlines > 0 }) {
		return meanResponse, func(s *Summary) (float64, bool) { return deref(s.MeanResponse) }, units.Span
	}
	return inTime, func(s *Summary) (float64, bool) {
		return float64(s.InTime) / float64(max(1, s.Deadlines)), s.Deadlines > 0
	}, tenths
}

// points is a table of a sweep: the part of the jobs in time, or where none has a deadline the mean response, by
// point and policy. There is none of what is not swept.
func (r *Report) points(scenario string) []*Grid {
	groups := slices.DeleteFunc(r.scenarios(), func(g []*Run) bool { return g[0].Scenario != scenario })
	if len(groups) < 2 {
		return nil
	}
	what, of, unit := r.headline(func(run *Run) bool { return run.Scenario == scenario })
	var names, policies []string
	for _, g := range groups {
		for _, p := range byPolicy(g) {
			if !slices.Contains(policies, p.name) {
				policies = append(policies, p.name)
			}
		}
	}
	names = slices.Sorted(maps.Keys(groups[0][0].Params))
	t := &Grid{Title: Printable(scenario) + ": " + what + ", by what was swept"}
	t.Add(append(slices.Clone(names), each.Of(policies, func(p string) string { return ">" + p })...)...)
	for _, g := range groups {
		row := each.Of(names, func(name string) string { return g[0].Params[name] })
		for _, policy := range policies {
			cell := "–"
			for _, p := range byPolicy(g) {
				if p.name == policy {
					cell = p.mean(of, unit)
				}
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	return []*Grid{t}
}

// compared are the comparisons of a kind.
func (r *Report) compared(which func(*Comparison) bool) (list []Comparison) {
	for i := range r.Comparisons {
		if which(&r.Comparisons[i]) {
			list = append(list, r.Comparisons[i])
		}
	}
	return list
}

func order(primary bool) int {
	if primary {
		return 0
	}
	return 1
}

// among says of how many jobs a figure speaks.
func (c *Comparison) among() string {
	switch {
	case c.Jobs == nil:
		return ""
	case *c.Jobs == *c.Of:
		return "all " + count(*c.Of)
	}
	return count(*c.Jobs) + " of " + count(*c.Of)
}

// interval prints both ends of the interval for one look.
func (c *Comparison) interval() string {
	return "[" + c.metric.unit.short(*c.OnceLow) + ", " + c.metric.unit.short(*c.OnceHigh) + "]"
}

func level(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// mostSeeds is the largest number of seeds that is worth naming: beyond it a difference is as good as none.
const mostSeeds = 1000

// verdict is the comparison in words.
func (c *Comparison) verdict() string {
	switch {
	case c.Unlike:
		return "not compared: the runs did different work"
	case c.Tests == 0:
		return "no difference in any seed"
	case c.Better != "" && c.Effect == nil:
		return fmt.Sprintf("%s is better, by the same in each of %d seeds", c.Better, c.Seeds)
	case c.Better != "":
		return c.Better + " is better"
	case c.Mean == 0:
		return fmt.Sprintf("%d seeds show no difference on average", c.Seeds)
	case c.Effect == nil:
		return fmt.Sprintf("undecided after %d seeds, the same in each; %d such seeds would decide", c.Seeds, c.Enough)
	case c.Enough > mostSeeds:
		return fmt.Sprintf("undecided after %d seeds; it would take more than %d", c.Seeds, mostSeeds)
	}
	return fmt.Sprintf("undecided after %d seeds; about %d might decide", c.Seeds, c.Enough)
}

// writeFamilies says for what the tests of a scenario are corrected, how p and interval are to be
// read, and in a sentence each what came of the primary metric.
func writeFamilies(w io.Writer, list []Comparison) {
	if len(list) == 0 {
		return
	}
	tests := map[bool]int{}
	primary, unlike, seeds := "", false, math.MaxInt
	for i := range list {
		if list[i].Primary {
			primary = list[i].Metric
			unlike = unlike || list[i].Unlike
		}
		if list[i].Tests > 0 {
			tests[list[i].Primary]++
			seeds = min(seeds, list[i].Seeds)
		}
	}
	fmt.Fprintln(w)
	count := func(n int) string { return units.Count(n, "test") }
	switch {
	case primary == "":
		fmt.Fprintf(w, "No two runs have the primary metric. The others have %s, corrected for each other (Holm).\n", count(tests[false]))
	case tests[true] == 0 && unlike:
		fmt.Fprintf(w, "The primary metric, %s, is not compared: the runs did different work. The others have %s, corrected for each other (Holm).\n", primary, count(tests[false]))
	case tests[true] == 0:
		fmt.Fprintf(w, "The primary metric, %s, does not differ in any seed. The others have %s, corrected for each other (Holm).\n", primary, count(tests[false]))
	default:
		fmt.Fprintf(w, "The primary metric, %s, has %s, the others have %s. Each of the two families is corrected by itself (Holm).\n", primary, count(tests[true]), count(tests[false]))
	}
	if tests[true]+tests[false] == 0 {
		return
	}
	fmt.Fprintln(w, "Verdicts and p hold however often you add seeds and look again. An interval is that of one difference, for one look.")
	fmt.Fprintf(w, "What happens in one run of %d, or more rarely, may be missing from %s.\n", rarest(seeds), units.Count(seeds, "seed"))
	writeFindings(w, list)
}

// rarest is the number of runs of which one has what so many seeds show with 95 %.
func rarest(seeds int) int {
	return max(2, int(math.Round(1/(1-math.Pow(significant, 1/float64(seeds))))))
}

// mostFindings is how many comparisons are put into sentences; of more the tables alone tell.
const mostFindings = 6

// writeFindings says in plain words what came of the primary metric.
func writeFindings(w io.Writer, list []Comparison) {
	list = slices.DeleteFunc(slices.Clone(list), func(c Comparison) bool { return !c.Primary || c.Tests == 0 })
	if len(list) == 0 || len(list) > mostFindings {
		return
	}
	fmt.Fprintln(w)
	for i := range list {
		fmt.Fprintln(w, list[i].finding())
	}
}

// finding is a comparison as a sentence.
func (c *Comparison) finding() string {
	where := ""
	if len(c.Params) > 0 {
		where = Named("", c.Params)[1:] + ": "
	}
	return fmt.Sprintf("%s%s against %s by %s: %s (%s on average, 95 %% interval %s).",
		where, c.Policy, c.Against, c.Metric, c.verdict(), c.metric.unit.full(c.Mean), c.interval())
}

// Design is a comparison that is to be made: a scenario, or all points of a sweep.
type Design struct {
	Seeds   int
	Tests   int      // comparisons of one policy with another, by one metric
	Metrics []string // that its runs may have
	Primary string   // "" = the default
}

// TooFew says before any run for what there are too few seeds, whatever comes of them; "" if for
// nothing (stat.FewestPairs). Among several tests the least P has to be below 0.05 divided by their
// number. (Comparisons that come to be 0 in every seed are no tests, so in the end there may be
// fewer; accepted and kept are told only where they differ, so there may be more.)
func (d *Design) TooFew() string {
	if d.Tests == 0 {
		return ""
	}
	primary := d.Primary
	if primary == "" {
		if primary = meanResponse; slices.Contains(d.Metrics, inTime) {
			primary = inTime
		}
	}
	others := 0
	for i := range metrics {
		if m := &metrics[i]; m.name != primary && m.told == everywhere && slices.Contains(d.Metrics, m.name) {
			others += d.Tests
		}
	}
	seeds := units.Count(d.Seeds, "seed")
	if takes := d.takes(d.Tests, ""); takes != "" {
		return fmt.Sprintf("%s cannot decide which policy is better by %s (%s)", seeds, primary, takes)
	}
	if primary == kept {
		primary += " where both promise"
	}
	if takes := d.takes(others, ", more where jobs are refused,"); takes != "" {
		return fmt.Sprintf("%s may decide which policy is better by %s, but are too few for the other metrics (%s)", seeds, primary, takes)
	}
	return ""
}

// takes says how many seeds so many tests take, and whether there may be more of them; "" if there are enough.
func (d *Design) takes(tests int, more string) string {
	if tests == 0 {
		return ""
	}
	switch least := stat.FewestPairs(significant / float64(tests)); {
	case least <= d.Seeds:
		return ""
	case tests == 1:
		return fmt.Sprintf("1 comparison%s takes at least %d", more, least)
	default:
		return fmt.Sprintf("%d comparisons at once%s take at least %d", tests, more, least)
	}
}

// PossibleMetrics are those that runs may have: of a scenario with deadlines, soft deadlines, deadlines of whole
// workflows, a model of power, supplies.
func PossibleMetrics(due, soft, whole, powered bool, supplied ...sched.SupplyKind) (names []string) {
	fed := func(of sched.SupplyKind) bool { return powered && slices.Contains(supplied, of) }
	there := map[need]bool{nothing: true, deadlines: due, softDeadlines: soft, workflowDeadlines: whole, power: powered,
		supply: fed(sched.GreenPower), price: fed(sched.Price), carbon: fed(sched.Carbon)}
	for i := range metrics {
		if there[metrics[i].needs] {
			names = append(names, metrics[i].name)
		}
	}
	return names
}
