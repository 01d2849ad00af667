package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Rent is what nodes of a class cost that were rented: each from when it was asked for until it was given back or lost,
// or until the makespan.
type Rent struct {
	Class   string  `json:"class"`
	Rented  int     `json:"rented"`         // how often one was
	Most    int     `json:"most_at_a_time"` // at once
	Hours   float64 `json:"node_hours"`
	Charged float64 `json:"charged_hours"` // with the rest of billing steps that had begun
	Cost    float64 `json:"cost"`
}

// leases notes who is rented since when.
type leases struct {
	open    []lease // by handle; those without a class are not rented
	over    []lease
	classes []*cluster.Class // that clouds offer, in the order in which they were told of
}

type lease struct {
	class    *cluster.Class
	from, to units.Time
	work     map[int]units.Duration // by number of a job: how long its attempts took
}

// ended notes that an attempt has ended, which may have been on a rented node.
func (l *leases) ended(a *follow.Attempt, at units.Time) {
	if int(a.Node) >= len(l.open) || l.open[a.Node].class == nil {
		return
	}
	x := &l.open[a.Node]
	if x.work == nil {
		x.work = map[int]units.Duration{}
	}
	x.work[a.Job.Number] += at.Sub(a.Began)
}

// turn notes where a node stands.
func (l *leases) turn(at units.Time, n sched.NodeID, class *cluster.Class, state sched.NodeState) {
	if !class.Rented() {
		return
	}
	if !slices.ContainsFunc(l.classes, func(c *cluster.Class) bool { return c.Name == class.Name }) {
		l.classes = append(l.classes, class)
	}
	switch x := sched.Row(&l.open, n); {
	case state.There() && x.class == nil:
		*x = lease{class: class, from: at}
	case !state.There() && x.class != nil:
		x.to = at
		l.over = append(l.over, *x)
		*x = lease{}
	}
}

// bill is what was to be paid until then, class by class, nil if no cloud offered anything; and the parts of it that
// are of jobs, by their numbers: each node's cost goes to those that ran there, by how long their attempts took.
func (l *leases) bill(until units.Time) (bill []Rent, of map[int]float64) {
	of = map[int]float64{}
	all := slices.Clone(l.over)
	for _, x := range l.open {
		if x.class != nil {
			x.to = until
			all = append(all, x)
		}
	}
	for _, c := range l.classes {
		r := Rent{Class: c.Name}
		var turns []turn
		for _, x := range all {
			if x.class.Name != c.Name || x.from >= until {
				continue
			}
			span := min(x.to, until).Sub(x.from)
			charged := span
			if c.Billing > 0 {
				charged = (span + c.Billing - 1) / c.Billing * c.Billing
			}
			r.Rented++
			r.Hours += span.Seconds() / 3600
			r.Charged += charged.Seconds() / 3600
			all := units.Duration(0)
			for _, took := range x.work {
				all += took
			}
			cost := c.Cost(x.from, x.from.Add(charged))
			for job, took := range x.work {
				of[job] += cost * float64(took) / float64(max(all, 1))
			}
			r.Cost += cost
			turns = append(turns, turn{x.from, 1}, turn{min(x.to, until), -1})
		}
		r.Most = most(turns)
		bill = append(bill, r)
	}
	return bill, of
}

// A turn is one node more, or less.
type turn struct {
	at units.Time
	by int
}

// most is how many there are at most at once.
func most(turns []turn) (top int) {
	slices.SortFunc(turns, func(a, b turn) int {
		return slices.Compare([]int64{int64(a.at), int64(a.by)}, []int64{int64(b.at), int64(b.by)})
	})
	n := 0
	for _, t := range turns {
		n += t.by
		top = max(top, n)
	}
	return top
}

// writeBills prints what was rented, as means over the seeds of a policy, where anything was.
func writeBills(w io.Writer, g []*Run) {
	t := &Grid{}
	t.Add("policy", "rented nodes", ">times", ">most at once", ">node-hours", ">charged hours", ">cost")
	rows, shares := false, ""
	for _, p := range byPolicy(g) {
		var sum []Rent
		for _, run := range p.runs {
			for _, r := range run.Bill {
				i := slices.IndexFunc(sum, func(s Rent) bool { return s.Class == r.Class })
				if i < 0 {
					i, sum = len(sum), append(sum, Rent{Class: r.Class})
				}
				s := &sum[i]
				s.Rented, s.Most = s.Rented+r.Rented, max(s.Most, r.Most)
				s.Hours, s.Charged, s.Cost = s.Hours+r.Hours, s.Charged+r.Charged, s.Cost+r.Cost
			}
		}
		if len(p.runs) == 1 {
			shares += sharesOf(p.name, p.runs[0])
		}
		for _, s := range sum {
			if s.Rented == 0 {
				continue
			}
			n := float64(len(p.runs))
			rows = true
			t.Add(p.name, s.Class, fmt.Sprintf("%.3g", float64(s.Rented)/n), strconv.Itoa(s.Most), fmt.Sprintf("%.2f", s.Hours/n),
				fmt.Sprintf("%.2f", s.Charged/n), fmt.Sprintf("%.2f", s.Cost/n))
		}
	}
	if rows {
		fmt.Fprintln(w)
		_ = t.Write(w)
		fmt.Fprint(w, shares)
	}
}

// mostShares is how many jobs are named by what they cost; the JSON report has all.
const mostShares = 5

// sharesOf says which jobs cost most, and whether that was for a promise.
func sharesOf(policy string, run *Run) string {
	var dear []*Job
	for i := range run.Jobs {
		if j := &run.Jobs[i]; j.Rent != nil {
			dear = append(dear, j)
		}
	}
	slices.SortStableFunc(dear, func(a, b *Job) int { return cmp.Compare(*b.Rent, *a.Rent) })
	text := ""
	for _, j := range dear[:min(mostShares, len(dear))] {
		what := " (no promise)"
		if j.Promised != nil {
			what = ""
		}
		text += fmt.Sprintf(", %s %.2f%s", Printable(j.ID), *j.Rent, what)
	}
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%s, what rented nodes cost for: %s\n", Printable(policy), text[2:])
}
