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

// classOf returns the entry of a class in the order of the names, a new one if there is none.
func classOf(list *[]DeadlineClass, class string) *DeadlineClass {
	i, is := slices.BinarySearchFunc(*list, class, func(c DeadlineClass, class string) int { return cmp.Compare(c.Class, class) })
	if !is {
		*list = slices.Insert(*list, i, DeadlineClass{Class: class})
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
