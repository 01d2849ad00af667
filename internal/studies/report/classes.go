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
	for _, p := range byPolicy(g) {
		var sum []DeadlineClass
		for _, run := range p.runs {
			for _, c := range run.Classes {
				all := classOf(&sum, c.Class)
				all.Deadlines += c.Deadlines
				all.InTime += c.InTime
			}
		}
		for _, c := range sum {
			rows = true
			t.Add(p.name, c.Class, strconv.Itoa(c.InTime), strconv.Itoa(c.Deadlines), percent(float64(c.InTime)/float64(c.Deadlines)))
		}
	}
	if rows {
		fmt.Fprintln(w)
		_ = t.Write(w)
	}
}
