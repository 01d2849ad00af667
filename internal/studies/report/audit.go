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
	History  string  `json:"history,omitempty"`
	Promises int     `json:"promises"`
	Kept     int     `json:"kept"`
	Low      float64 `json:"kept_low"`
	High     float64 `json:"kept_high"`
}

// Holds tells whether what was kept is no less than what was stated, within the interval.
func (a *Audit) Holds() bool { return a.High >= a.Stated }

// history is a length of history, from so many jobs on.
type history struct {
	from int
	name string
}

// histories are the lengths that are told apart.
var histories = []history{{1000, "1000 or more"}, {100, "100 to 999"}, {10, "10 to 99"}, {1, "1 to 9"}, {0, "none"}}

// Audits are those of the runs: by what was stated for all promises together, then by scenario, class
// and length of history, where these are several.
func Audits(runs []*Run) (list []Audit) {
	rows := map[Audit]*Audit{}
	add := func(key Audit, kept bool) {
		a := rows[key]
		if a == nil {
			a = &key
			rows[Audit{Stated: key.Stated, Scenario: key.Scenario, Class: key.Class, History: key.History}] = a
		}
		if a.Promises++; kept {
			a.Kept++
		}
	}
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
			if j.Outcome != Kept && j.Outcome != Broken || j.Confidence == nil && j.Estimated {
				continue // an estimate from a sample is no promise
			}
			before, _ := slices.BinarySearchFunc(ended[j.Class], j.Submitted, func(end, at float64) int {
				if end <= at {
					return -1
				}
				return 1
			})
			h := histories[slices.IndexFunc(histories, func(h history) bool { return before >= h.from })]
			kept := j.Outcome == Kept
			for i, key := range []Audit{{}, {Scenario: run.Scenario}, {Class: j.Class}, {History: h.name}} {
				if i > 0 && key.rank() == 0 {
					continue // it has no name, and was counted among all
				}
				key.Stated = 1
				if j.Confidence != nil {
					key.Stated = *j.Confidence
				}
				add(key, kept)
			}
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
		low, high := stat.Exact95(a.Kept, a.Promises)
		a.Low, a.High = low, high
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b Audit) int {
		return cmp.Or(cmp.Compare(a.Stated, b.Stated), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Class, b.Class),
			cmp.Compare(len(a.History), len(b.History)), cmp.Compare(a.History, b.History))
	})
	return list
}

// by is what a row tells apart, and rank the place of such rows.
func (a *Audit) by() string { return []string{"all", "scenario", "class", "history"}[a.rank()] }

func (a *Audit) rank() int {
	switch {
	case a.Scenario != "":
		return 1
	case a.Class != "":
		return 2
	case a.History != "":
		return 3
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
		list, all := Audits(p.runs), 0
		for i := range list {
			if list[i].rank() == 0 {
				all += list[i].Promises
			}
		}
		if all < leastAudited {
			continue
		}
		fmt.Fprintln(w)
		_ = AuditTable(p.name+", promises as stated and as kept", list).Write(w)
	}
}

// mostAudited is how many rows of a kind a table shows.
const mostAudited = 10

// AuditTable lists audits. Those that do not hold come first among their kind where there are many.
func AuditTable(title string, list []Audit) *Grid {
	t := &Grid{Title: title}
	t.Add("of", ">stated", ">promises", ">kept", ">part", ">95 % interval", "")
	shown := map[[2]string]int{}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Audit) int {
		if a.Stated != b.Stated || a.rank() != b.rank() || a.Holds() == b.Holds() {
			return cmp.Or(cmp.Compare(a.Stated, b.Stated), cmp.Compare(a.rank(), b.rank()))
		}
		if b.Holds() {
			return -1
		}
		return 1
	})
	for i := range list {
		a := &list[i]
		if shown[[2]string{stated(a.Stated), a.by()}]++; shown[[2]string{stated(a.Stated), a.by()}] > mostAudited {
			continue
		}
		what, note := "all", ""
		switch a.rank() {
		case 1:
			what = "scenario " + a.Scenario
		case 2:
			what = "class " + a.Class
		case 3:
			what = "earlier jobs of its class: " + a.History
		}
		if !a.Holds() {
			note = "less than stated"
		}
		t.Add(what, stated(a.Stated), strconv.Itoa(a.Promises), strconv.Itoa(a.Kept), fmt.Sprintf("%.2f %%", 100*float64(a.Kept)/float64(a.Promises)),
			fmt.Sprintf("%.2f to %.2f %%", a.Low*100, a.High*100), note)
	}
	return t
}
