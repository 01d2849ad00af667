package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/units"
)

// mostJobs is how many jobs a table lists; the JSON report has them all.
const mostJobs = 40

// WriteTable writes the report for people: the jobs with their promises, policies side by side, and
// a summary. With several seeds it is the summary alone, as means with 95 % confidence intervals.
func (r *Report) WriteTable(w io.Writer) error {
	var text strings.Builder
	b := Like(w, &text) // which takes all that is written
	groups := r.scenarios()
	for i, g := range groups {
		if i > 0 {
			fmt.Fprintln(b)
		}
		title := Printable(g[0].Name()) + " " + where(g)
		if !sameSeed(g) {
			writeSummary(b, title, g)
			writeUnlike(b, g)
			writeClasses(b, g)
			writeBills(b, g)
			writeWorkflows(b, g)
			writeAudit(b, g)
			writeDoor(b, g)
			writeTrace(b, g)
			writeWithout(b, g)
			writeStuck(b, g)
			for _, t := range versus(r.at(g[0])) {
				fmt.Fprintln(b)
				_ = t.Write(b)
			}
			if i+1 == len(groups) || groups[i+1][0].Scenario != g[0].Scenario { // the last point of a sweep
				for _, t := range r.points(g[0].Scenario) {
					fmt.Fprintln(b)
					_ = t.Write(b)
				}
				writeFamilies(b, r.compared(func(c *Comparison) bool { return c.Scenario == g[0].Scenario }))
			}
			continue
		}
		// an open run may have had none
		if g[0].World != "sim" && !slices.ContainsFunc(g, func(r *Run) bool { return len(r.Jobs) > 0 }) {
			fmt.Fprintf(b, "%s: no jobs ran\n", title)
			continue
		}
		for _, run := range g {
			if run.Aggregate != nil {
				writeAggregate(b, title+", "+run.Policy, run)
			}
		}
		if g[0].Aggregate == nil {
			_ = jobsTable(title, g).Write(b)
			fmt.Fprintln(b)
		}
		writeSummary(b, "", g)
		writeUnlike(b, g)
		writeClasses(b, g)
		writeBills(b, g)
		writeRequests(b, g)
		writeWorkflows(b, g)
		writePlans(b, g)
		writePromises(b, g)
		writeAudit(b, g)
		writeDoor(b, g)
		writeReasons(b, g)
		writeReal(b, g)
		writeTrace(b, g)
		writeWithout(b, g)
		writeStuck(b, g)
	}
	_, err := io.WriteString(w, b.Wrapped(text.String()))
	return err
}

// writeWithout says, once each, what parts of the policies did without.
func writeWithout(b io.Writer, g []*Run) {
	var said []string
	for _, r := range g {
		for _, text := range r.Without {
			if !slices.Contains(said, text) {
				said = append(said, text)
				fmt.Fprintf(b, "\n%s.\n", Printable(text))
			}
		}
	}
}

// where says in which worlds the runs took place.
func where(g []*Run) string {
	switch {
	case mixed(g):
		return "on this machine and in the simulator"
	case g[0].World == "sim":
		return "in the simulator"
	}
	return "on this machine"
}

func mixed(g []*Run) bool {
	return slices.ContainsFunc(g, func(r *Run) bool { return r.World != g[0].World })
}

// label heads a run: its policy, and its world where that is not the same for all.
func label(r *Run, g []*Run) string {
	switch {
	case !mixed(g):
		return r.Policy
	case r.World == "sim":
		return r.Policy + ", simulated"
	}
	return r.Policy + ", real"
}

// scenarios groups the runs that belong side by side: those of one scenario.
func (r *Report) scenarios() [][]*Run {
	var groups [][]*Run
	for _, run := range r.Runs {
		i := slices.IndexFunc(groups, func(g []*Run) bool {
			return g[0].Scenario == run.Scenario && maps.Equal(g[0].Params, run.Params)
		})
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], run)
	}
	return groups
}

func sameSeed(g []*Run) bool {
	return !slices.ContainsFunc(g, func(r *Run) bool { return r.Seed != g[0].Seed })
}

// jobsTable lists the jobs, and for each policy when they finished and whether that was in time.
func jobsTable(title string, g []*Run) *Grid {
	t := &Grid{Title: title, Least: []string{"class", "maps", "reduces", "submitted"}}
	head := []string{"job", "class", ">maps", ">reduces", ">submitted", ">deadline"}
	places := make([]map[string]int, len(g))
	for i, run := range g {
		head = append(head, ">"+label(run, g), "")
		places[i] = make(map[string]int, len(run.Jobs))
		for k := range run.Jobs {
			places[i][run.Jobs[k].ID] = k
		}
	}
	t.Add(head...)
	whole := g[max(0, slices.IndexFunc(g, func(r *Run) bool { return r.Stuck == "" }))] // has seen all jobs arrive
	for i, j := range whole.Jobs {
		if i == mostJobs {
			t.Add(fmt.Sprintf("… and %d more; -o json has them all", len(whole.Jobs)-mostJobs))
			break
		}
		line := []string{j.ID, j.Class, strconv.Itoa(j.Maps), strconv.Itoa(j.Reduces), units.Span(j.Submitted), dueAt(j.Deadline)}
		for p, run := range g {
			k, there := places[p][j.ID]
			if run == whole { // which may have had several jobs of a name, one after another
				k, there = i, true
			}
			if !there {
				line = append(line, "–", "")
				continue
			}
			finished := run.Jobs[k].Finished
			if run.Jobs[k].Before {
				finished = nil
			}
			line = append(line, orDash(finished), verdict(&run.Jobs[k]))
		}
		t.Add(line...)
	}
	return t
}

// verdict says in a word or two what became of the job.
func verdict(j *Job) string {
	switch {
	case j.Before && j.Outcome.Late():
		return strings.ToUpper(string(j.Outcome)) + " before"
	case j.Before && j.Outcome.Finished():
		return string(j.Outcome) + " before"
	case j.Outcome.InTime():
		return string(j.Outcome) + " by " + units.Span(*j.Deadline-*j.Finished)
	case j.Outcome.Late():
		return strings.ToUpper(string(j.Outcome)) + " by " + units.Span(*j.Finished-*j.Deadline)
	}
	return string(j.Outcome)
}

// writeUnlike says that times of a summary are of other jobs under each policy, where not the same jobs finished.
func writeUnlike(w io.Writer, g []*Run) {
	first := map[uint64]*Run{}
	for _, run := range g {
		other := first[run.Seed]
		if other == nil {
			first[run.Seed] = run
			continue
		}
		if both := len(newPair(run, other).both); both < run.timed() || both < other.timed() {
			fmt.Fprintln(w, "Penalty and response count only jobs that finished, which differ between policies.")
			return
		}
	}
}

// freeResponse is the mean response of the jobs without a deadline that finished, nil where all or
// no jobs have one.
func (r *Run) freeResponse() *float64 {
	var times []float64
	due := false
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if due = due || j.Deadline != nil; j.Deadline == nil && j.timed() {
			times = append(times, *j.Finished-j.Submitted)
		}
	}
	if !due || len(times) == 0 {
		return nil
	}
	return new(stat.Mean(times))
}

// timed is the number of jobs of which it is known when they finished.
func (r *Run) timed() (n int) {
	for i := range r.Jobs {
		if r.Jobs[i].timed() {
			n++
		}
	}
	return n
}

func count(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

func kwh(x float64) string { return fmt.Sprintf("%.3g kWh", x) }

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

func orDash(seconds *float64) string {
	if seconds == nil {
		return "–"
	}
	return units.Span(*seconds)
}

// dueAt prints a deadline; in a run that continues an interrupted one it may have passed before.
func dueAt(deadline *float64) string {
	if deadline != nil && *deadline < 0 {
		return units.Span(-*deadline) + " before"
	}
	return orDash(deadline)
}
