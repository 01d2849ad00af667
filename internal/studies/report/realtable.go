package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// Size prints bytes so that three digits or so are left to read, in the units of package units: 1 MB = 1024 kB.
func Size(bytes float64) string {
	return scaled(bytes, 1024, [...]string{" B", " kB", " MB", " GB", " TB", " PB"})
}

func scaled(x, step float64, names [6]string) string {
	unit := 0
	for ; x >= 999.5 && unit < len(names)-1; unit++ {
		x /= step
	}
	if unit == 0 || x >= 99.95 {
		return fmt.Sprintf("%.0f%s", x, names[unit])
	}
	return fmt.Sprintf("%.3g%s", x, names[unit])
}

// Count prints a number of records so that three digits or so are left to read.
func Count(n float64) string {
	if n < 10_000 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return scaled(n, 1000, [...]string{"", " k", " M", " G", " T", " P"})
}

// String says the expectation in a few words.
func (e *Expectation) String() string {
	switch {
	case e == nil:
		return "–"
	case e.Spread == nil:
		return units.Span(e.Seconds)
	}
	return units.Span(e.Seconds) + " ± " + units.Span(*e.Spread)
}

// mostReasons is how many reasons of failures of a run a table lists.
const mostReasons = 20

// writeReal tells what real runs took, what their jobs did with bytes, how wrong the expectations
// were, and why attempts failed.
func writeReal(w io.Writer, g []*Run) {
	for _, run := range g {
		if run.Real == nil {
			continue
		}
		title := "\n"
		if len(g) > 1 {
			title += label(run, g) + ":\n"
		}
		fmt.Fprint(w, title)
		_ = workTable(run).Write(w) // w takes all that is written
		fmt.Fprintf(w, "\n%s\n", run.Real.Sentence(run.Summary.Wall))
		writeCounters(w, run)
		writeFailures(w, run)
	}
}

// mostCounters is how many counters of a run's applications a table lists.
const mostCounters = 20

// writeCounters tells what applications counted themselves, such as bytes that had to be scanned
// slowly, and records that were passed over. What the engine counts of every job stands in the
// table, and in show.
func writeCounters(w io.Writer, run *Run) {
	lines := 0
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if j.Work == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(j.Work.Counters)) {
			own, engines := strings.CutPrefix(name, mapreduce.TaskGroup+".")
			if engines && own != mapreduce.SkippedRecords {
				continue
			}
			if lines++; lines > mostCounters {
				fmt.Fprintf(w, "… and more counters; slackline show %s has them all\n", j.ID)
				return
			}
			fmt.Fprintf(w, "job %q counted %s: %s\n", j.ID, Printable(own), Count(float64(j.Work.Counters[name])))
		}
	}
}

// workTable has a line for each job.
func workTable(run *Run) *Grid {
	t := &Grid{}
	t.Add("job", ">read", ">records", ">spilled", ">shuffled", ">written", ">records", ">local maps", ">failed tries", ">expected", ">took", ">off by")
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if i == mostJobs {
			t.Add(fmt.Sprintf("… and %d more; -o json has them all", len(run.Jobs)-mostJobs))
			break
		}
		if j.Work == nil {
			continue
		}
		k := j.Work
		took, off := "–", "–"
		if j.Finished != nil && !j.Before {
			took = units.Span(j.Own())
		}
		if x, known := j.Off(); known {
			off = fmt.Sprintf("%+.0f %%", 100*x)
		} else if who := j.Overtaken(); who != "" {
			off = "overtaken by " + who
		}
		t.Add(j.ID, Size(float64(k.Read)), Count(float64(k.Records)), Count(float64(k.Spilled)), Size(float64(k.Shuffled)), Size(float64(k.Written)),
			Count(float64(k.RecordsOut)), fmt.Sprintf("%d of %d", j.LocalMaps, j.Maps), strconv.Itoa(len(j.Failures)), j.Expected.String(), took, off)
	}
	return t
}

// Sentence says what the process took.
func (r *Real) Sentence(wall float64) string {
	parts := []string{fmt.Sprintf("%s of processor time", units.Span(r.CPU))}
	if wall > 0 {
		parts[0] += fmt.Sprintf(" (%.1f cores)", r.CPU/wall)
	}
	if text := r.memory(); text != "" {
		parts = append(parts, text)
	}
	if r.Cgroups > 0 && r.Cgroups < r.Started {
		parts = append(parts, fmt.Sprintf("%d of %d commands and programs without a cgroup", r.Started-r.Cgroups, r.Started))
	}
	if e := r.Energy; e != nil {
		how := map[string]string{"rapl": "measured by RAPL: ", "meter": "measured by ", "model": "not measured, by the model "}[e.Source]
		parts = append(parts, fmt.Sprintf("%s (%s%s)", joules(e.Joules), how, e.Detail))
	}
	return strings.Join(parts, ", ")
}

// joules prints an energy in the unit that fits.
func joules(x float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e6, "MJ"}, {1e3, "kJ"}} {
		if x >= u.of {
			return fmt.Sprintf("%.3g %s", x/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.3g J", x)
}

// memory says how much there was at most, and of whom.
func (r *Real) memory() string {
	var parts []string
	if r.Memory != nil {
		parts = append(parts, Size(float64(*r.Memory))+" of memory in the engine")
	}
	switch {
	case r.Family != nil:
		how := map[string]string{FamilyByCgroup: "counted by its cgroup, including cached files", FamilyByLooks: "sampled ten times a second",
			FamilyByLargest: "its largest process"}[r.FamilyBy]
		text := fmt.Sprintf("%s in the largest command or program with all that it started (%s)", Size(float64(*r.Family)), how)
		if parts == nil {
			text = strings.Replace(text, " in ", " of memory in ", 1)
		}
		parts = append(parts, text)
	case r.Started > 0 && parts != nil:
		parts[0] += " (not known for commands and programs)"
	}
	if parts == nil {
		return ""
	}
	return "at most " + strings.Join(parts, " and ")
}

// writeFailures tells why attempts failed, each reason of a job once, and not the one that the job
// failed for: that stands with its end.
func writeFailures(w io.Writer, run *Run) {
	lines := 0
	for i := range run.Jobs {
		j := &run.Jobs[i]
		list := slices.Clone(j.Failures)
		slices.SortStableFunc(list, func(a, b Failure) int { return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Task, b.Task)) })
		alike := map[string]int{}
		for _, f := range list {
			alike[f.Reason]++
		}
		if f := j.decisive(); f != nil {
			alike[f.Reason] = 0
		}
		for _, f := range list {
			n := alike[f.Reason]
			if n == 0 {
				continue
			}
			if alike[f.Reason] = 0; lines == mostReasons {
				fmt.Fprintf(w, "… and more failed attempts; -o json, or slackline logs %s --outcome failed, has them all\n", Printable(ShellWord(j.ID)))
				return
			}
			lines++
			what := fmt.Sprintf(", try %d on %s failed", f.Try, f.Node)
			if f.Try == 0 {
				what = " had to run again, as its committed output was damaged"
			}
			switch {
			case n == 2:
				what += ", and one more attempt in the same way"
			case n > 2:
				what += fmt.Sprintf(", and %d more attempts in the same way", n-1)
			}
			fmt.Fprintf(w, "job %q %s-%d%s: %s\n", j.ID, f.Stage, f.Task, what, Indented(f.Reason, "    "))
		}
	}
}
