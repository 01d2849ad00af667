package capacity

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/units"
)

// fleetMachines says how many machines there are.
func (r *Result) fleetMachines() string {
	text := fmt.Sprintf("%s machines reserved, %s rented", number(r.Reserved), number(r.OnDemand))
	if r.Fleet.Hours > 1 {
		return fmt.Sprintf("%s on average over %d hours,", text, r.Fleet.Hours)
	}
	return text
}

// span prints the least and the most of numbers, or the only one.
func span(list []float64, of func(float64) string) string {
	least, most := of(slices.Min(list)), of(slices.Max(list))
	if least == most {
		return least
	}
	return least + " to " + most
}

// typeRows is what there is of each type of machines.
func (r *Result) typeRows() [][]string {
	rows := [][]string{{"machines", ">reserved", ">on demand", ">spot", ">charged", ">spot charged", ">cost"}}
	for _, t := range r.Fleet.Machines {
		rows = append(rows, []string{t.Name, number(t.Reserved), span(t.OnDemand, number), span(t.Spot, number),
			span(t.Prices, price), span(t.OfSpot, price), price(t.Cost)})
	}
	return rows
}

// placedRows is where the jobs of each class run.
func (r *Result) placedRows() [][]string {
	rows := [][]string{{"class", "runs on", ">jobs", ">machines a job", ">map slots a job", ">reduce slots a job", ">completion", ">at most"}}
	for i := range r.Fleet.Placed {
		p := &r.Fleet.Placed[i]
		rows = append(rows, []string{p.Class, onOf(p.Type, p.Spot), span(p.Jobs, number), number(p.Gamma), number(p.MapSlots), number(p.ReduceSlots),
			units.Span(p.Mean), upOf(p.Up)})
	}
	return rows
}

// fleetRemarks are what is to be said of machines of several types.
func (r *Result) fleetRemarks() (lines []string) {
	f := r.Fleet
	if f.Energy > 0 {
		line := fmt.Sprintf("energy: %s kWh an hour", price(f.Energy))
		if f.Carbon > 0 {
			line += fmt.Sprintf(", %s kg of carbon dioxide", price(f.Carbon))
		}
		lines = append(lines, line)
	}
	if f.Budget > 0 {
		line := fmt.Sprintf("budget: %s of %s", r.amount(r.Machines), r.money(f.Budget))
		if f.BudgetPrice > 1e-9 {
			line += fmt.Sprintf(" are spent; %s more would save %s", r.amount(1), price(f.BudgetPrice))
			if r.Integer {
				line += ", if jobs and machines could be split"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// placedHTML is where jobs run, as a table of the page.
func (r *Result) placedHTML() string {
	if r.Fleet == nil {
		return ""
	}
	return page.Table(r.placedRows())
}

// hoursChart draws how many machines there are in each hour: reserved, on demand, and spot.
func (r *Result) hoursChart() string {
	const high, left, below = 180.0, 46.0, 24.0
	f := r.Fleet
	sums := make([][3]float64, f.Hours)
	most := 0.0
	for hour := range sums {
		for _, t := range f.Machines {
			sums[hour][0] += t.Reserved
			sums[hour][1] += t.OnDemand[hour]
			sums[hour][2] += t.Spot[hour]
		}
		most = max(most, sums[hour][0]+sums[hour][1]+sums[hour][2])
	}
	var b strings.Builder
	b.WriteString(`<figure style="max-width: 620px"><figcaption>machines by hour <span class="legend">`)
	for i, name := range []string{"reserved", "on demand", "spot"} {
		fmt.Fprintf(&b, `<b><svg viewBox="0 0 12 12" style="width:12px;display:inline"><rect class="%s" width="12" height="12"/></svg> %s</b>`,
			marks[i], html.EscapeString(name))
	}
	fmt.Fprintf(&b, `</span></figcaption><svg viewBox="0 0 %g %g" role="img" aria-label="machines by hour">`, wide, high)
	y := func(n float64) float64 { return 10 + (high-below-10)*(1-n/max(most, 1e-300)) }
	for i := range 3 {
		at := most * float64(i) / 2
		fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g"/><text class="soft" x="%g" y="%.1f" text-anchor="end">%s</text>`,
			left, y(at), wide, left-6, y(at)+4, number(at))
	}
	step := (wide - left) / float64(f.Hours)
	for hour, sum := range sums {
		x, from := left+step*float64(hour), 0.0
		for i, n := range sum {
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, marks[i], x+0.08*step, y(from+n), 0.84*step, y(from)-y(from+n))
			from += n
		}
		if each := max(1, (f.Hours+7)/8); hour%each == 0 {
			fmt.Fprintf(&b, `<text class="soft" x="%.1f" y="%g" text-anchor="middle">%d</text>`, x+step/2, high-6, hour)
		}
	}
	b.WriteString("</svg></figure>")
	return b.String()
}

// marks are the colours of bars.
var marks = [3]string{"one", "two", "three"}
