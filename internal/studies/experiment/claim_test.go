package experiment

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// made is results in which the metric of a series is these values, seed by seed.
func made(series map[string][]float64) *Results {
	r := newResults()
	for policy, values := range series {
		for _, x := range values {
			r.outcomes[Series{"f", policy}] = append(r.outcomes[Series{"f", policy}], &Outcome{Run: &report.Run{Summary: report.Summary{Makespan: x}}})
		}
	}
	return r
}

var made1 = Metric{"x", "s", func(o *Outcome) float64 { return o.Summary.Makespan }}

func row(name string) Row { return Row{name, Series{"f", name}} }

func TestJudging(t *testing.T) {
	r := made(map[string][]float64{
		"ten": {9, 10, 11, 10}, "high": {12, 13, 14, 13}, "same": {10, 9, 10, 11}, "wild": {0, 40, 0, 40}, "one": {1, 1, 1, 1}, "most": {1, 1, 1, 0.5}, "10.3": {9.3, 10.2, 11.4, 10.3},
		"none": {},
	})
	ten, high, same, wild := row("ten"), row("high"), row("same"), row("wild")
	value := func(x float64) Published { return Published{Value: &x} }
	for _, c := range []struct {
		rule  string
		claim Claim
		said  Published
		holds bool
		ours  float64
	}{
		{"More than each, in every seed.", more("", "", high, []Row{ten, same}, made1), Published{}, true, 3},
		{"Not more than one of them.", more("", "", high, []Row{ten, row("none")}, made1), Published{}, false, 3},
		{"The seeds do not tell.", more("", "", ten, []Row{same}, made1), Published{}, false, 0},
		{"A mean that is higher by chance is not enough.", more("", "", wild, []Row{ten}, made1), Published{}, false, 10},
		{"Less.", less("", "", ten, []Row{high}, made1), Published{}, true, 3},
		{"Not less.", less("", "", high, []Row{ten}, made1), Published{}, false, -3},
		{"Within so much of the least.", nearLess("", "", high, []Row{ten}, made1, 0.5), Published{}, true, 0.30},
		{"Not within.", nearLess("", "", high, []Row{ten}, made1, 0.2), Published{}, false, 0.30},
		{"It grows.", grows("", "", []Row{ten, row("10.3"), high}, made1), Published{}, true, 3},
		{"It grows, and falls.", grows("", "", []Row{row("one"), high, ten}, made1), Published{}, false, 9},
		{"It falls.", grows("", "", []Row{high, ten}, made1), Published{}, false, -3},
		{"A single run may well give it: 10 ± 0.82 × 3.18 × √1.25.", number("", "", ten.Series, made1), value(12.8), true, 10},
		{"It may not.", number("", "", ten.Series, made1), value(13.0), false, 10},
		{"Always.", always("", "", Series{"f", "one"}, made1), value(1), true, 1},
		{"Not always.", always("", "", Series{"f", "most"}, made1), value(1), false, 0.875},
		{"Below.", below("", "", ten.Series, made1, 12), Published{}, true, 10},
		{"Not with all of its interval.", below("", "", ten.Series, made1, 11), Published{}, false, 10},
		{"Least at 2, and 3 as well.", lowestAt("", "", Range, []Row{high, ten, same}, []float64{1, 2, 3}, made1, 3, 3), Published{}, true, 2},
		{"Not at 1.", lowestAt("", "", Range, []Row{high, ten, same}, []float64{1, 2, 3}, made1, 1, 1), Published{}, false, 2},
		{"More of one than another has of another.", moreOf("", "", high, made1, ten, made1), Published{}, true, 3},
		{"No runs, no claim.", more("", "", row("none"), []Row{ten}, made1), Published{}, false, math.NaN()},
		{"No runs, no value.", always("", "", Series{"f", "none"}, made1), value(1), false, math.NaN()},
	} {
		v := c.claim.judge(r, c.said)
		if v.holds != c.holds || !(math.Abs(v.ours-c.ours) < 0.005 || math.IsNaN(v.ours) && math.IsNaN(c.ours)) {
			t.Errorf("%s %+v, want %v and %v", c.rule, v, c.holds, c.ours)
		}
	}
}

// What there is none of is null, and keys are those that were agreed.
func TestJSON(t *testing.T) {
	c := more("", "text", row("none"), []Row{row("ten")}, made1)
	r := &Report{Schema: Schema, Experiment: "e", Claims: []Result{c.result(Published{Source: "fig."}, made(nil))}}
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	one := got["claims"].([]any)[0].(map[string]any)
	if one["ours"] != nil || one["ci95"] != nil || one["published"] != nil || one["holds"] != false || one["kind"] != "order" || one["source"] != "fig." || one["claim"] != "text" || len(one) != 8 || len(got) != 3 {
		t.Errorf("%s", b.String())
	}
}

// What is not shown is not wrong.
func TestOpen(t *testing.T) {
	r := made(map[string][]float64{"ten": {9, 10, 11, 10}, "same": {10, 9, 10, 11}, "high": {12, 13, 14, 13}})
	for _, c := range []struct {
		claim Claim
		open  bool
	}{
		{more("", "", row("ten"), []Row{row("same")}, made1), true},
		{more("", "", row("ten"), []Row{row("same"), row("high")}, made1), false},
		{more("", "", row("high"), []Row{row("same")}, made1), false},
		{below("", "", Series{"f", "ten"}, made1, 10.5), true},
		{below("", "", Series{"f", "ten"}, made1, 5), false},
		{moreOf("", "", row("same"), made1, row("ten"), made1), true},
		{moreOf("", "", row("same"), made1, row("high"), made1), false},
	} {
		if v := c.claim.judge(r, Published{}); v.open != c.open {
			t.Errorf("%s: %+v", c.claim.Text, v)
		}
	}
}
