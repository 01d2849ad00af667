package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/units"
)

// column is a column of the summary: a number of each run, printed as a mean over seeds.
type column struct {
	name string
	of   func(*Summary) (float64, bool) // false: the run has no such thing
	unit func(float64) string
}

func always(of func(*Summary) float64) func(*Summary) (float64, bool) {
	return func(s *Summary) (float64, bool) { return of(s), true }
}

// outcomeColumns say what came of the jobs: each has a number of jobs, of so many, and is left out
// where no run has any.
var outcomeColumns = []struct {
	name    string
	of      func(*Summary) (part, all int)
	refused bool // it says something only where jobs are refused
}{
	{"in time", func(s *Summary) (int, int) { return s.InTime, s.Deadlines }, false},
	{"accepted", (*Summary).accepted, true},
	{"promises kept", func(s *Summary) (int, int) { return s.Kept, s.Promised }, false},
	{"soft deadlines", func(s *Summary) (int, int) { return s.SoftInTime, s.SoftDeadlines }, false},
}

// columns say how the cluster was used.
var columns = []column{
	{"penalty", func(s *Summary) (float64, bool) { return s.Penalty, s.Deadlines > 0 && s.Finished() > 0 }, func(x float64) string { return fmt.Sprintf("%.3g", x) }},
	{"makespan", func(s *Summary) (float64, bool) { return s.Makespan, s.ran() }, units.Span},
	{"mean response", func(s *Summary) (float64, bool) { return deref(s.MeanResponse) }, units.Span},
	{"no-deadline response", func(s *Summary) (float64, bool) { return deref(s.FreeResponse) }, units.Span},
	{"p95", func(s *Summary) (float64, bool) { return deref(s.P95Response) }, units.Span},
	{"local maps", func(s *Summary) (float64, bool) { return deref(s.MapLocality) }, percent},
	{"map slots", func(s *Summary) (float64, bool) { return s.MapUtilization, s.MapSlots > 0 }, percent},
	{"reduce slots", func(s *Summary) (float64, bool) { return s.ReduceUtilization, s.ReduceSlots > 0 }, percent},
	{"idle slot-hours", func(s *Summary) (float64, bool) { return s.ReduceIdle / 3600, s.ReduceIdle >= idleSeconds }, func(x float64) string { return fmt.Sprintf("%.3g", x) }},
	{"vcores", func(s *Summary) (float64, bool) { return deref(s.CoreUtilization) }, percent},
	{"memory", func(s *Summary) (float64, bool) { return deref(s.MemoryUtilization) }, percent},
	{"attempts", always(func(s *Summary) float64 { return float64(s.Attempts) }), count},
	{"energy", func(s *Summary) (float64, bool) { return deref(s.Energy) }, kwh},
	{"brown", func(s *Summary) (float64, bool) { return deref(s.Brown) }, kwh},
	{"energy cost", func(s *Summary) (float64, bool) { return deref(s.EnergyCost) }, money},
	{"carbon dioxide", func(s *Summary) (float64, bool) { return deref(s.Carbon) }, kilograms},
	{"rented node-hours", func(s *Summary) (float64, bool) { return deref(s.Rented) }, hundredths},
	{"rent", func(s *Summary) (float64, bool) { return deref(s.Rent) }, money},
	{"wakes", always(func(s *Summary) float64 { return float64(s.Wakes) }), count},
}

// idleSeconds is how much time slots were held for nothing where tables say so: an hour. Below that it
// decides nothing.
const idleSeconds = 3600

// workShare is the part of the work of jobs with a deadline that was in time.
func workShare(s *Summary) (float64, bool) {
	if s.DeadlineWork == nil || s.WorkInTime == nil || *s.DeadlineWork == 0 {
		return 0, false
	}
	return *s.WorkInTime / *s.DeadlineWork, true
}

func kilograms(x float64) string { return fmt.Sprintf("%.3g kg", x) }

func hundredths(x float64) string { return fmt.Sprintf("%.2f", x) }

// money is in hundredths, or in three digits where there are few of these.
func money(x float64) string {
	if math.Abs(x) < 1 {
		return fmt.Sprintf("%.3g", x)
	}
	return hundredths(x)
}

// tenths prints a share that is often near to all.
func tenths(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// policyRuns are the runs of a policy: those that came to their end, and those that got stuck.
type policyRuns struct {
	name        string
	runs, stuck []*Run
}

// byPolicy groups runs, in the order in which policies come.
func byPolicy(g []*Run) []policyRuns {
	var list []policyRuns
	for _, run := range g {
		l := label(run, g)
		i := slices.IndexFunc(list, func(p policyRuns) bool { return p.name == l })
		if i < 0 {
			i, list = len(list), append(list, policyRuns{name: l})
		}
		if run.Stuck == "" {
			list[i].runs = append(list[i].runs, run)
		} else {
			list[i].stuck = append(list[i].stuck, run)
		}
	}
	return list
}

// sum is that of the runs that have such a thing.
func (p policyRuns) sum(of func(*Summary) (float64, bool)) (sum stat.Sum) {
	for _, run := range p.runs {
		if x, has := of(&run.Summary); has {
			sum.Add(x)
		}
	}
	return sum
}

// mean prints the mean over the runs that have such a thing, with its interval.
func (p policyRuns) mean(of func(*Summary) (float64, bool), unit func(float64) string) string {
	sample := p.sum(of)
	if sample.N() == 0 {
		return "–"
	}
	cell := unit(sample.Mean())
	if half := sample.Interval95(); half > 0 {
		cell += " ± " + unit(half)
	}
	return cell
}

// outcomeTable has a line for each policy: what came of the jobs that were submitted. It is nil if
// there is nothing to tell.
func outcomeTable(title string, g []*Run) *Grid {
	some := func(is func(*Summary) bool) bool {
		return slices.ContainsFunc(g, func(r *Run) bool { return is(&r.Summary) })
	}
	refuses := some(func(s *Summary) bool { return s.Refused > 0 })
	type shown struct {
		name string
		cell func(policyRuns) string
	}
	var list []shown
	for _, c := range outcomeColumns {
		if c.refused && !refuses || !some(func(s *Summary) bool { _, all := c.of(s); return all > 0 }) {
			continue
		}
		list = append(list, shown{c.name, func(p policyRuns) string {
			part := p.mean(func(s *Summary) (float64, bool) { x, all := c.of(s); return float64(x), all > 0 }, count)
			if part == "–" {
				return part
			}
			all := p.sum(always(func(s *Summary) float64 { _, n := c.of(s); return float64(n) }))
			return part + " of " + count(all.Mean())
		}})
		if c.name == "in time" && some(func(s *Summary) bool { _, has := workShare(s); return has }) {
			list = append(list, shown{"work in time", func(p policyRuns) string { return p.mean(workShare, tenths) }})
		}
	}
	for _, c := range []struct {
		name string
		of   func(*Summary) int
	}{
		{"refused", func(s *Summary) int { return s.Refused }},
		{"failed", func(s *Summary) int { return s.Failed }},
		{"killed", func(s *Summary) int { return s.Killed }},
		{"not finished", func(s *Summary) int { return s.Interrupted + s.Unfinished }},
	} {
		if some(func(s *Summary) bool { return c.of(s) > 0 }) {
			list = append(list, shown{c.name, func(p policyRuns) string {
				return p.mean(always(func(s *Summary) float64 { return float64(c.of(s)) }), count)
			}})
		}
	}
	if list == nil {
		return nil
	}
	t := &Grid{Title: title}
	t.Add(append([]string{"policy"}, each.Of(list, func(c shown) string { return ">" + c.name })...)...)
	for _, p := range byPolicy(g) {
		t.Add(append([]string{p.name}, each.Of(list, func(c shown) string { return c.cell(p) })...)...)
	}
	return t
}

// writeSummary prints both tables of the policies under a title: what came of the jobs, and how the
// cluster was used.
func writeSummary(w io.Writer, title string, g []*Run) {
	if t := outcomeTable(title, g); t != nil {
		_ = t.Write(w) // w takes all that is written
		fmt.Fprintln(w)
		title = ""
	}
	_ = summaryTable(title, g).Write(w)
	for _, run := range g {
		if why := run.unknownWork(); why != "" {
			fmt.Fprintf(w, "%s: the part of the work in time is not known: %s.\n", label(run, g), why)
		}
	}
}

// unknownWork says why nobody knows the work of all jobs with a deadline, "" if it is known.
func (r *Run) unknownWork() string {
	refused, others := 0, 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		switch {
		case !j.judged() || j.TaskTime != nil:
		case j.Outcome == Refused:
			refused++
		default:
			others++
		}
	}
	var parts []string
	if refused > 0 {
		parts = append(parts, fmt.Sprintf("%s never ran", units.Count(refused, "refused job")))
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%s did not run here from start to end", units.Count(others, "job")))
	}
	return strings.Join(parts, ", ")
}

// summaryTable has a line for each policy.
func summaryTable(title string, g []*Run) *Grid {
	t := &Grid{Title: title, Least: []string{"attempts", "local maps", "reduce slots", "map slots", "p95"}}
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		rare := slices.Contains([]string{"penalty", "idle slot-hours", "vcores", "memory", "energy", "brown", "energy cost", "carbon dioxide", "rented node-hours", "rent", "wakes", "no-deadline response"}, c.name)
		return rare && !slices.ContainsFunc(g, func(r *Run) bool { // those who have vcores want to see that they idle
			x, has := c.of(&r.Summary)
			return has && (x != 0 || c.name == "vcores" || c.name == "penalty")
		})
	})
	head := append([]string{"policy"}, each.Of(shown, func(c column) string { return ">" + c.name })...)
	if !sameSeed(g) {
		head = append(head, ">seeds")
	}
	t.Add(head...)
	for _, p := range byPolicy(g) {
		line := append([]string{p.name}, each.Of(shown, func(c column) string { return p.mean(c.of, c.unit) })...)
		if !sameSeed(g) {
			line = append(line, strconv.Itoa(len(p.runs)))
		}
		t.Add(line...)
	}
	return t
}
