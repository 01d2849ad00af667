package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// DeadlineClass counts the deadlines of one class, of all submitted jobs.
type DeadlineClass struct {
	Class     string `json:"class"`
	Deadlines int    `json:"deadlines"`
	InTime    int    `json:"in_time"`
}

// countClasses counts deadlines by class, in the order of the names.
func (r *Run) countClasses() {
	r.Classes = nil
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Promise == "" || !j.judged() {
			continue
		}
		c := classOf(&r.Classes, j.Promise)
		c.Deadlines++
		if j.Outcome.InTime() {
			c.InTime++
		}
	}
	slices.SortFunc(r.Classes, func(a, b DeadlineClass) int { return cmp.Compare(a.Class, b.Class) })
}

// classOf returns the entry of a class, a new one if there is none.
func classOf(list *[]DeadlineClass, class string) *DeadlineClass {
	i := slices.IndexFunc(*list, func(c DeadlineClass) bool { return c.Class == class })
	if i < 0 {
		i = len(*list)
		*list = append(*list, DeadlineClass{Class: class})
	}
	return &(*list)[i]
}

// writeClasses prints how many deadlines of each class were met, all seeds of a policy together,
// where there are classes.
func writeClasses(w io.Writer, g []*Run) {
	t := &Grid{}
	t.Add("policy", "deadlines", ">in time", ">of", ">part")
	rows := false
	var told []string
	for _, run := range g {
		policy := label(run, g)
		if slices.Contains(told, policy) {
			continue
		}
		told = append(told, policy)
		var sum []DeadlineClass
		for _, other := range g {
			if other.Stuck != "" || label(other, g) != policy {
				continue
			}
			for _, p := range other.Classes {
				all := classOf(&sum, p.Class)
				all.Deadlines += p.Deadlines
				all.InTime += p.InTime
			}
		}
		for _, p := range sum {
			rows = true
			t.Add(policy, p.Class, strconv.Itoa(p.InTime), strconv.Itoa(p.Deadlines), percent(float64(p.InTime)/float64(p.Deadlines)))
		}
	}
	if rows {
		fmt.Fprintln(w)
		_ = t.Write(w)
	}
}
