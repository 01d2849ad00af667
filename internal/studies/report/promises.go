package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Promised are the deadlines of one class, of admitted jobs.
type Promised struct {
	Class     string `json:"class"`
	Deadlines int    `json:"deadlines"`
	Met       int    `json:"met"`
	Missed    int    `json:"missed"`
}

// countPromises counts deadlines by class, in the order of the names.
func (r *Run) countPromises() {
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Promise == "" || j.Met == nil || !j.Admitted || j.Outcome == "rejected" {
			continue
		}
		p := promised(&r.Promises, j.Promise)
		p.Deadlines++
		if *j.Met {
			p.Met++
		} else {
			p.Missed++
		}
	}
	slices.SortFunc(r.Promises, func(a, b Promised) int { return cmp.Compare(a.Class, b.Class) })
}

// promised returns the entry of a class, a new one if there is none.
func promised(list *[]Promised, class string) *Promised {
	i := slices.IndexFunc(*list, func(p Promised) bool { return p.Class == class })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Promised{Class: class})
	}
	return &(*list)[i]
}

// writePromises prints how many deadlines of each class were met, all seeds of a policy together, where there are classes.
func writePromises(w io.Writer, g []*Run) {
	t := &Grid{}
	t.Add("policy", "deadlines", ">met", ">of", ">part")
	rows := false
	var told []string
	for _, run := range g {
		policy := label(run, g)
		if slices.Contains(told, policy) {
			continue
		}
		told = append(told, policy)
		var sum []Promised
		for _, other := range g {
			if other.Stuck != "" || label(other, g) != policy {
				continue
			}
			for _, p := range other.Promises {
				all := promised(&sum, p.Class)
				all.Deadlines += p.Deadlines
				all.Met += p.Met
			}
		}
		for _, p := range sum {
			rows = true
			t.Add(policy, p.Class, strconv.Itoa(p.Met), strconv.Itoa(p.Deadlines), percent(float64(p.Met)/float64(p.Deadlines)))
		}
	}
	if rows {
		fmt.Fprintln(w)
		_ = t.Write(w)
	}
}
