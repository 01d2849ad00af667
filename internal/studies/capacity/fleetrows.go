package capacity

import (
	"fmt"
	"slices"

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
