package capacity

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// line is what the CSV has of a class, or of all of them.
type line struct {
	Class
	Reserved *float64 `json:"reserved"` // machines, of all classes
	OnDemand *float64 `json:"on_demand"`
	Status   string   `json:"status"`
	Reason   string   `json:"reason"`
}

// single are the columns of a class alone; the total leaves them empty.
var single = strings.Fields("gamma completion_low_s completion_mean_s completion_up_s deadline_s map_work_s reduce_work_s limit_s worth " +
	"ten_seconds another_job at_least_job measured")

// lines are the classes, and what they are together.
func (r *Result) lines() (list []line) {
	all := line{Class: Class{Name: "total", Cost: r.Cost, Machines: r.Reserved + r.OnDemand},
		Reserved: &r.Reserved, OnDemand: &r.OnDemand, Status: r.Status, Reason: r.Reason}
	for _, k := range r.Classes {
		list = append(list, line{Class: k, Status: r.Status})
		all.Admitted, all.Rejected = all.Admitted+k.Admitted, all.Rejected+k.Rejected
		all.MapSlots, all.ReduceSlots = all.MapSlots+k.MapSlots, all.ReduceSlots+k.ReduceSlots
		all.Penalty, all.AtLeast, all.AtMost = all.Penalty+k.Penalty, all.AtLeast+k.AtLeast, all.AtMost+k.AtMost
	}
	return append(list, all)
}

// WriteCSV writes a line for each class and a total, with the names of the JSON.
func (r *Result) WriteCSV(w io.Writer) error {
	rows := report.Rows(r.lines())
	for i, name := range rows[0] {
		if slices.Contains(single, name) {
			rows[len(rows)-1][i] = ""
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteTable writes the plan for people.
func (r *Result) WriteTable(w io.Writer) error {
	var text strings.Builder
	b := report.Like(w, &text)
	if r.Reason != "" {
		fmt.Fprintf(b, "%s: there is no plan\n\n", report.Printable(r.Name))
		writeRows(b, r.limitRows())
	} else {
		r.writePlan(b)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (r *Result) writePlan(b *report.Sheet) {
	fmt.Fprintf(b, "%s\n\n", b.Wrapped(fmt.Sprintf("%s: %s for %s", report.Printable(r.Name), r.machines(), r.money(r.Cost))))
	for _, rows := range [][][]string{r.planRows(), r.worthRows()} {
		writeRows(b, rows)
		fmt.Fprintln(b)
	}
	for _, line := range r.remarks() {
		fmt.Fprintln(b, b.Wrapped(line))
	}
}

// writeRows writes a table to what takes all that is written; the first row is its heading.
func writeRows(b *report.Sheet, rows [][]string) { _ = report.GridOf("", rows).Write(b) }

// planRows is what each class gets.
func (r *Result) planRows() [][]string {
	rows := [][]string{{"class", ">admitted", ">rejected", ">map slots", ">reduce slots", ">machines", ">completion", ">at most",
		">deadline", ">cost"}}
	for _, k := range r.Classes {
		rows = append(rows, []string{k.Name, number(k.Admitted), number(k.Rejected), number(k.MapSlots), number(k.ReduceSlots),
			number(k.Machines), units.Span(k.Mean), upOf(k.Up), units.Span(k.Deadline), price(k.Cost)})
	}
	return rows
}

// upOf prints an upper bound, where there is one.
func upOf(up *float64) string {
	if up == nil {
		return "–"
	}
	return units.Span(*up)
}

// remarks are what is to be said of the plan besides.
func (r *Result) remarks() []string {
	lines := []string{fmt.Sprintf("cost: machines %s, rejected jobs %s; "+
		"without the cost of rejecting all jobs, the objective is %s",
		price(r.Machines), price(r.Cost-r.Machines), price(r.Objective))}
	if r.Status == string(optimize.Optimal) {
		lines = append(lines, "this is optimal: no plan costs less")
	} else {
		lines = append(lines, fmt.Sprintf("no plan costs less than %s, which is %.2g %% below", r.money(r.LowerBound), 100*r.Gap))
	}
	return append(lines, r.binding()...)
}

// worthRows says what changes of each class would save or cost.
func (r *Result) worthRows() [][]string {
	rows := [][]string{{"class", ">10 s more save", ">one more job saves", ">a lower at_least saves", ">tasks 10 % slower cost"}}
	costs := func(x *float64) string {
		if x == nil {
			return "too late"
		}
		return price(*x)
	}
	unsure := slices.ContainsFunc(r.Classes, func(k Class) bool { return k.Measured })
	if unsure {
		rows[0] = append(rows[0], ">times as uncertain as measured cost")
	}
	for _, k := range r.Classes {
		row := []string{k.Name, price(k.TenSeconds), price(k.AnotherJob), price(k.LeastJob), costs(k.Slower)}
		switch {
		case unsure && k.Measured:
			row = append(row, costs(k.Unsure))
		case unsure:
			row = append(row, "–")
		}
		rows = append(rows, row)
	}
	return rows
}

// limitRows says which classes are late on any number of machines.
func (r *Result) limitRows() [][]string {
	rows := [][]string{{"class", ">on unlimited machines", ">deadline", ""}}
	for _, k := range r.Classes {
		verdict := ""
		if !(k.Limit < k.Deadline) {
			verdict = "too late"
		}
		rows = append(rows, []string{k.Name, units.Span(k.Limit), units.Span(k.Deadline), verdict})
	}
	return rows
}

// binding says what holds the plan back, and what less of it would be worth.
func (r *Result) binding() (lines []string) {
	if r.Prices.ReservedLimit > 0 {
		split := ""
		if r.Integer {
			split = ", if jobs and machines could be split"
		}
		lines = append(lines, fmt.Sprintf("reserved_limit binds: one more machine to reserve would save %s%s",
			r.money(r.Prices.ReservedLimit), split))
	}
	for _, k := range r.Classes {
		if k.Rejected == 0 {
			continue
		}
		what := "jobs of class %s are rejected"
		if k.Admitted == k.AtLeast && k.AtLeast > 0 {
			what = "at_least of class %s binds"
		}
		lines = append(lines, fmt.Sprintf(what+": a machine is worth %s with it, and costs %s",
			report.Printable(k.Name), price(k.Worth), price(r.Prices.Capacity)))
	}
	for _, k := range r.Classes {
		for _, of := range []struct {
			symbol, stage string
			work          float64
		}{{"A", "map", k.MapWork}, {"B", "reduce", k.ReduceWork}} {
			if of.work < 0 {
				lines = append(lines, fmt.Sprintf("class %s: %s of equation 4 is negative, as its %ss are few beside "+
					"the longest; by this bound more slots would make it later, so a job has one %s slot",
					report.Printable(k.Name), of.symbol, of.stage, of.stage))
			}
		}
	}
	held := true
	for i := range r.Classes {
		k := &r.Classes[i]
		name := report.Printable(k.Name)
		switch {
		case k.late():
			held = false
			lines = append(lines, fmt.Sprintf("class %s: jobs are late, as a job has less than one slot and the bounds do not hold: "+
				"it takes %s at least; leave whole_shares: false out", name, units.Span(k.Low)))
		case k.OneSlot == "both":
			lines = append(lines, fmt.Sprintf("class %s: each job has one map slot and one reduce slot; with less the bounds do not hold", name))
		case k.OneSlot != "":
			lines = append(lines, fmt.Sprintf("class %s: each job has one %s slot; with less the bounds do not hold", name, k.OneSlot))
		}
	}
	if held && r.Bound == "mean" {
		lines = append(lines, "deadlines hold for the mean of the lower and the upper bound; "+
			"with bound: upper they hold for the upper one")
	}
	return lines
}

// machines says how many there are of which kind.
func (r *Result) machines() string {
	all := r.Reserved + r.OnDemand
	name := "machines"
	if all == 1 {
		name = "machine"
	}
	return fmt.Sprintf("%s %s, %s reserved and %s on demand,", number(all), name, number(r.Reserved), number(r.OnDemand))
}

// money is an amount with its currency, an hour.
func (r *Result) money(x float64) string { return r.amount(x) + " an hour" }

func (r *Result) amount(x float64) string {
	if r.Currency == "" {
		return price(x)
	}
	return price(x) + " " + report.Printable(r.Currency)
}

// price prints two digits behind the point, more of small amounts.
func price(x float64) string {
	if x != 0 && math.Abs(x) < 0.1 {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// number prints a count, with two digits behind the point if it is none.
func number(x float64) string {
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return price(x)
}
