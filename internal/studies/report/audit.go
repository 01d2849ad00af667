package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/maths/stat"
)

// An Audit holds promises to what was stated, a probability, or 1 for the worst case: how many of
// them were kept, and within which part chance alone could have put it (the exact 95 % interval,
// Clopper and Pearson).
type Audit struct {
	Stated   float64 `json:"stated"`
	Scenario string  `json:"scenario,omitempty"` // "" = all
	Class    string  `json:"class,omitempty"`    // "" = all
	// jobs of its class that had ended in the run when it was promised; "" = any number
	History string `json:"history,omitempty"`
	// its promised quantile over its median, both from its submission: how far out its tail was thought to lie;
	// "" = any
	Tail     string  `json:"tail,omitempty"`
	Month    string  `json:"month,omitempty"` // in which its job was submitted; "" = any
	Promises int     `json:"promises"`
	Kept     int     `json:"kept"`
	Low      float64 `json:"kept_low"`
	High     float64 `json:"kept_high"`
	Verdict  Promise `json:"verdict"`
	// mean of these ratios: promises that are kept because they are wide have a large one; 0 of the worst case
	Wide float64 `json:"quantile_over_median,omitempty"`
}

// Promise is what promises came to beside what was stated, as far as the interval can tell.
type Promise string

// What promises came to. Less than stated were kept: they cannot be relied on. More than stated were
// kept: deadlines left more room than that takes, or the policy thought the times more uncertain than
// they were, so more jobs could have been promised, or for earlier.
const (
	LessThanStated Promise = "less than stated"
	AsStated       Promise = "as stated"
	MoreThanStated Promise = "more than stated"
)

// judge compares what was kept with what was stated. Promises for the worst case state all, of which
// there is no more.
func (a *Audit) judge() Promise {
	switch {
	case a.High < a.Stated:
		return LessThanStated
	case a.Low > a.Stated:
		return MoreThanStated
	}
	return AsStated
}

// A bin has what is from there on, and below the next one.
type bin struct {
	from float64
	name string
}

// What is told apart: lengths of history, and tails.
var (
	histories = []bin{{0, "none"}, {1, "1 to 9"}, {10, "10 to 99"}, {100, "100 to 999"}, {1000, "1000 or more"}}
	tails     = []bin{{0, "below 1.25"}, {1.25, "1.25 to 2"}, {2, "2 or more"}}
)

// binOf is the name of the last bin that begins at x or before.
func binOf(bins []bin, x float64) (name string) {
	for _, b := range bins {
		if b.from <= x {
			name = b.name
		}
	}
	return name
}

// place is where the bin of that name stands.
func place(bins []bin, name string) int {
	return slices.IndexFunc(bins, func(b bin) bool { return b.name == name })
}

// wide is the promised quantile of the job's response over its median, as they were told with the promise; 0 if
// they were not.
func (j *Job) wide() float64 {
	if len(j.Outlooks) == 0 {
		return 0
	}
	o := &j.Outlooks[0]
	if o.Half == 0 {
		return 0
	}
	return (o.Sure - j.Submitted) / max(o.Half-j.Submitted, 1e-9)
}

// onlyEstimated tells whether what the job was told of its finish is an estimate from a sample, which is no promise.
func (j *Job) onlyEstimated() bool { return j.Confidence == nil && j.Estimated }

// PromisesOfFailed counts the promises of jobs that failed or were killed. A promise holds as long as no task fails,
// so these were neither kept nor broken, and no audit counts them; but whoever reads one is told how many there are.
func PromisesOfFailed(runs []*Run) (n int) {
	for _, run := range runs {
		for i := range run.Jobs {
			if j := &run.Jobs[i]; (j.Outcome == Failed || j.Outcome == Killed) && j.promised() && !j.onlyEstimated() {
				n++
			}
		}
	}
	return n
}

// NotCounted says how many of these there are; "" of none.
func NotCounted(failed int) string {
	switch failed {
	case 0:
		return ""
	case 1:
		return "1 promise of a job that failed or was killed is not counted"
	}
	return fmt.Sprintf("%d promises of jobs that failed or were killed are not counted", failed)
}

// Audits are those of the runs: by what was stated for all promises together, then by scenario, class,
// length of history and tail, where these are several.
func Audits(runs []*Run) []Audit {
	var made []Made
	for _, run := range runs {
		ended := map[string][]float64{}
		for i := range run.Jobs {
			if j := &run.Jobs[i]; j.Finished != nil && j.Outcome.Finished() {
				ended[j.Class] = append(ended[j.Class], *j.Finished)
			}
		}
		for _, times := range ended {
			slices.Sort(times)
		}
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if j.Outcome != Kept && j.Outcome != Broken || j.onlyEstimated() {
				continue
			}
			before, _ := slices.BinarySearchFunc(ended[j.Class], j.Submitted, func(end, at float64) int {
				if end <= at {
					return -1
				}
				return 1
			})
			m := Made{Stated: 1, Kept: j.Outcome == Kept, Scenario: run.Scenario, Class: j.Class, history: binOf(histories, float64(before)), wide: j.wide()}
			if j.Confidence != nil {
				m.Stated = *j.Confidence
			}
			made = append(made, m)
		}
	}
	return audits(made, stat.Exact95)
}

// Made is a promise that was kept or broken.
type Made struct {
	Stated                 float64 // 1: for the worst case
	Kept                   bool
	Scenario, Class, Month string // "" = it has none
	history                string
	wide                   float64
}

// AuditsOf are those of promises as they were made one after the other: their intervals hold however often somebody
// looks.
func AuditsOf(made []Made) []Audit { return audits(made, stat.Anytime95) }

func audits(made []Made, interval func(k, n int) (low, high float64)) (list []Audit) {
	rows := map[Audit]*Audit{}
	for _, m := range made {
		tail := ""
		if m.wide > 0 {
			tail = binOf(tails, m.wide)
		}
		for i, key := range []Audit{{}, {Scenario: m.Scenario}, {Class: m.Class}, {History: m.history}, {Tail: tail}, {Month: m.Month}} {
			if i > 0 && key.rank() == 0 {
				continue // it has no name, and was counted among all
			}
			key.Stated = m.Stated
			a := rows[key]
			if a == nil {
				a = new(Audit)
				*a = key
				rows[key] = a
			}
			if a.Promises++; m.Kept {
				a.Kept++
			}
			a.Wide += (m.wide - a.Wide) / float64(a.Promises)
		}
	}
	several := map[[2]string]int{}
	for _, a := range rows {
		several[[2]string{stated(a.Stated), a.by()}]++
	}
	for _, a := range rows {
		if a.by() != "all" && several[[2]string{stated(a.Stated), a.by()}] < 2 {
			continue
		}
		low, high := interval(a.Kept, a.Promises)
		a.Low, a.High = low, high
		a.Verdict = a.judge()
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b Audit) int {
		return cmp.Or(cmp.Compare(a.Stated, b.Stated), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Class, b.Class),
			cmp.Compare(place(histories, a.History), place(histories, b.History)), cmp.Compare(place(tails, a.Tail), place(tails, b.Tail)),
			cmp.Compare(a.Month, b.Month))
	})
	return list
}

// by is what a row tells apart, and rank the place of such rows.
func (a *Audit) by() string {
	return []string{"all", "scenario", "class", "history", "tail", "month"}[a.rank()]
}

func (a *Audit) rank() int {
	switch {
	case a.Scenario != "":
		return 1
	case a.Class != "":
		return 2
	case a.History != "":
		return 3
	case a.Tail != "":
		return 4
	case a.Month != "":
		return 5
	}
	return 0
}

// stated writes a probability.
func stated(p float64) string {
	if p == 1 {
		return "worst case"
	}
	return strconv.FormatFloat(p*100, 'f', -1, 64) + " %"
}

// leastAudited is how many promises the runs of a policy make at least for a table of them.
const leastAudited = 10

// writeAudit tells of policies with more than a few promises what was stated and kept, over all their runs.
func writeAudit(w io.Writer, g []*Run) {
	for _, p := range byPolicy(g) {
		if t := PromisesKept(p.name+", promises as stated and as kept", p.runs); t != nil {
			fmt.Fprintln(w)
			_ = t.Write(w)
		}
	}
}

// PromisesKept is the table of what was stated and kept in some runs; nil if they made few promises.
func PromisesKept(title string, runs []*Run) *Grid {
	list, all := Audits(runs), 0
	for i := range list {
		if list[i].rank() == 0 {
			all += list[i].Promises
		}
	}
	if all < leastAudited {
		return nil
	}
	return AuditTable(title, list, PromisesOfFailed(runs))
}

// mostAudited is how many rows of a kind a table shows.
const mostAudited = 10

// AuditTable lists audits. Those with less than stated come first among their kind, then those with more. The last row
// says how many promises of jobs that failed or were killed are not among them.
func AuditTable(title string, list []Audit, failed int) *Grid {
	t := &Grid{Title: title}
	t.Add("of", ">stated", ">promises", ">kept", ">part", ">95 % interval", ">quantile / median", "")
	shown := map[[2]string]int{}
	list = slices.Clone(list)
	place := func(p Promise) int {
		return slices.Index([]Promise{LessThanStated, MoreThanStated, AsStated}, p)
	}
	slices.SortStableFunc(list, func(a, b Audit) int {
		return cmp.Or(cmp.Compare(a.Stated, b.Stated), cmp.Compare(a.rank(), b.rank()), cmp.Compare(place(a.Verdict), place(b.Verdict)))
	})
	for i := range list {
		a := &list[i]
		if shown[[2]string{stated(a.Stated), a.by()}]++; shown[[2]string{stated(a.Stated), a.by()}] > mostAudited {
			continue
		}
		what, wide, note := "all", "", ""
		switch a.rank() {
		case 1:
			what = "scenario " + a.Scenario
		case 2:
			what = "class " + a.Class
		case 3:
			what = "earlier jobs of its class: " + a.History
		case 4:
			what = "quantile / median: " + a.Tail
		case 5:
			what = "month " + a.Month
		}
		if a.Wide > 0 {
			wide = fmt.Sprintf("%.2f", a.Wide)
		}
		if a.Verdict != AsStated {
			note = string(a.Verdict)
		}
		t.Add(what, stated(a.Stated), strconv.Itoa(a.Promises), strconv.Itoa(a.Kept), fmt.Sprintf("%.2f %%", 100*float64(a.Kept)/float64(a.Promises)),
			fmt.Sprintf("%.2f to %.2f %%", a.Low*100, a.High*100), wide, note)
	}
	if more := NotCounted(failed); more != "" {
		t.Add(more)
	}
	return t
}
