package capacity

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

func read(t *testing.T, src string) *scenario.Capacity {
	t.Helper()
	c, err := scenario.ReadCapacity("night.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func example(t *testing.T) *scenario.Capacity { return readFile(t, "allocation.yaml") }

func readFile(t *testing.T, name string) *scenario.Capacity {
	t.Helper()
	src, err := os.ReadFile("../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(src))
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// By hand: A = 100 - 20 = 80, C = 20, so that a job needs 80/(60-20) = 2 map slots, one machine. It is
// worth 0.3 an hour, which is more than a reserved machine costs and less than one on demand.
const night = `
prices: {on_demand: 0.4, reserved: 0.1}
reserved_limit: 3
classes:
  - {name: etl, maps: 10, map: {mean: 10s, max: 20s}, map_slots: 2, deadline: 60s,
     at_least: 1, at_most: 5, penalty: 0.3}
`

func TestPlanByHand(t *testing.T) {
	r := Plan(read(t, night))
	up := 100.0/2 - 2*20/2.0 + 40                  // (100 - 40)/2 + 40
	slower := 0.3 * 3 * ((110-22)/(60-22.0)/2 - 1) // maps of 11 s, the longest of 22 s
	want := Class{
		Name: "etl", Admitted: 3, Rejected: 2, MapSlots: 6, Gamma: 1, Machines: 3,
		Low: 50, Mean: 60, Up: &up, Deadline: 60,
		Cost: 0.9, TenSeconds: 0.3 * 3 * 0.2, Worth: 0.3, AtLeast: 1, AtMost: 5, Penalty: 0.6,
		Limit: 20, Slower: &slower, MapWork: 80,
	}
	got, err := json.Marshal(r.Classes)
	if err != nil {
		t.Fatal(err)
	}
	wanted, _ := json.Marshal([]Class{want})
	var a, b []map[string]any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(wanted, &b) != nil || len(a) != 1 {
		t.Fatalf("%s", got)
	}
	for key, w := range b[0] {
		g := a[0][key]
		x, isNumber := w.(float64)
		y, _ := g.(float64)
		if isNumber && !near(x, y) || !isNumber && g != w {
			t.Errorf("%s is %v, want %v", key, g, w)
		}
	}
	if r.Status != "optimal" || !near(r.Cost, 0.9) || !near(r.Objective, 0.9-1.5) || !near(r.LowerBound, 0.9) ||
		r.Reserved != 3 || r.OnDemand != 0 || !near(r.Machines, 0.3) || r.Reason != "" ||
		!near(r.Prices.Capacity, 0.3) || !near(r.Prices.ReservedLimit, 0.2) {
		t.Errorf("%+v", r)
	}
}

// What is true of each plan, by both bounds, in whole numbers and without.
func TestPlanAddsUp(t *testing.T) {
	for _, bound := range []string{"mean", "upper"} {
		for _, shares := range []bool{false, true} {
			for _, whole := range []bool{false, true} {
				c := example(t)
				c.Bound, c.WholeShares, c.Integer = bound, &shares, &whole
				r := Plan(c)
				cost, machines := 0.0, 0.0
				for i, k := range r.Classes {
					cost += k.Cost
					machines += k.Machines
					took := k.Mean
					if bound == "upper" {
						took = *k.Up
					}
					if took > k.Deadline*(1+1e-9) || k.Low > k.Mean || k.Up != nil && *k.Up < k.Mean ||
						!near(k.Admitted+k.Rejected, k.AtMost) {
						t.Errorf("%s: %+v", bound, k)
					}
					if shares && k.MapSlots < k.Admitted*(1-1e-9) || k.Admitted < c.Classes[i].AtLeast ||
						k.TenSeconds < 0 {
						t.Errorf("%s: %+v", bound, k)
					}
				}
				room := r.Reserved + r.OnDemand - machines
				if !near(cost, r.Cost) || room < -1e-9 || room > 1 || !whole && !near(room, 0) ||
					r.Status != "optimal" || r.Integer != whole {
					t.Errorf("%s: classes cost %v and need %v machines: %+v", bound, cost, machines, r)
				}
			}
		}
	}
}

// Without a price of reserved machines nobody asks for more of them.
func TestNothingToReserve(t *testing.T) {
	const none = "prices: {on_demand: 1}\nclasses: [{name: a, maps: 9, map: {mean: 9s, max: 9s}, map_slots: 1, deadline: 30s, at_least: 3, at_most: 3}]"
	for src, want := range map[string]float64{none: 0, strings.Replace(none, "1}", "1, reserved: 0.25}", 1): 0.75,
		strings.Replace(none, "1}", "1, reserved: 0}", 1): 1} {
		r := Plan(read(t, src))
		if said := strings.Contains(table(t, r), "reserved_limit binds"); r.Prices.ReservedLimit != want || said != (want > 0) {
			t.Errorf("%s: %v, %t", src, r.Prices.ReservedLimit, said)
		}
	}
}

// With less than a slot for each job there is no upper bound.
func TestNoUpperBound(t *testing.T) {
	printed := "whole_shares: false\n" + night
	c := read(t, strings.Replace(printed, "60s", "10m", 1))
	if k := Plan(c).Classes[0]; k.Up != nil || k.MapSlots >= k.Admitted {
		t.Errorf("%+v", k)
	}
	// A share of a reduce slot, though there are map slots enough.
	few := strings.Replace(printed, "maps: 10,", "maps: 1000, reduces: 2, reduce: {mean: 5s, max: 5s},", 1)
	few = strings.Replace(few, "60s", "10m", 1)
	if k := Plan(read(t, few)).Classes[0]; k.Up != nil || k.MapSlots < k.Admitted || k.ReduceSlots >= k.Admitted {
		t.Errorf("%+v", k)
	}
	c.WholeShares = nil
	if k := Plan(c).Classes[0]; k.Up == nil || k.MapSlots != k.Admitted {
		t.Errorf("%+v", k)
	}
}

// Two maps of 20 s of which one may take 30 s: by the upper bound A = 2 · 20 - 2 · 30 is negative, by the
// mean it is (40 - 20)/2. The plan says so, and gives each job one slot.
func TestNegativeWork(t *testing.T) {
	c := read(t, `
prices: {on_demand: 1}
bound: upper
classes: [{name: a, maps: 2, map: {mean: 20s, max: 30s}, map_slots: 1, deadline: 61s, at_least: 3, at_most: 3}]
`)
	said := func(r *Result) bool {
		var b bytes.Buffer
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(b.String(), "class a: A of equation 4 is negative")
	}
	if r := Plan(c); r.Classes[0].MapWork != -20 || r.Classes[0].MapSlots != 3 || !said(r) {
		t.Errorf("%+v", r.Classes[0])
	}
	c.Bound = "mean"
	if r := Plan(c); r.Classes[0].MapWork != 10 || said(r) {
		t.Errorf("%+v", r.Classes[0])
	}
}

// The largest and smallest numbers that a file may have still give a plan that can be written.
func TestExtremes(t *testing.T) {
	for _, jobs := range []string{"at_least: 1e9, at_most: 1e9", "at_most: 1e9", "at_most: 1", "at_most: 0"} {
		for _, price := range []string{"1e9", "1e-9", "0"} {
			for _, deadline := range []string{"9s0.000001ms", "9s1ns", "100000d"} {
				r := Plan(read(t, fmt.Sprintf(`
prices: {on_demand: %s, reserved: 1e-12}
reserved_limit: 1e9
classes:
  - {name: a, maps: 1000000000, map: {mean: 9ns, max: 9s}, map_slots: 0.001, deadline: %s, %s, penalty: 1e9}
  - {name: b, maps: 1, map: {mean: 0s, max: 0s}, map_slots: 1e9, deadline: 1ns, at_most: 1e9, penalty: 1e-9}
`, price, deadline, jobs)))
				if err := report.WriteJSON(&bytes.Buffer{}, r); err != nil {
					t.Errorf("%s, %s, %s: %v", jobs, price, deadline, err)
				}
				if r.Status != "optimal" && r.Status != "feasible" && r.Reason == "" {
					t.Errorf("%s, %s, %s: %+v", jobs, price, deadline, r)
				}
			}
		}
	}
}

func TestInfeasible(t *testing.T) {
	const late = "class etl: even unlimited machines need 20.0 s for a deadline of 19.0 s"
	src := strings.Replace(night, "60s", "19s", 1)
	r := Plan(read(t, src))
	if r.Status != "infeasible" || r.Reason != late || len(r.Classes) != 1 {
		t.Errorf("%+v", r)
	}
	one := src[strings.Index(src, "  - {"):]
	// All classes that are late are named, and no more than unlimited machines are told of at the limit.
	two := strings.Replace(strings.Replace(one, "etl", "two", 1), "19s", "20s", 1)
	in := strings.Replace(strings.Replace(one, "etl", "in", 1), "19s", "21s", 1)
	const both = late + "; class two: even unlimited machines need more than 20.0 s for a deadline of 20.0 s"
	if got := Plan(read(t, src+in+two)).Reason; got != both {
		t.Error(got)
	}
}

// A rising cost as deadlines tighten, until there is no plan.
func TestTighterDeadlines(t *testing.T) {
	c := example(t)
	before := 0.0
	for by := 1.1; by > 0.05; by -= 0.05 {
		at := *c
		at.Classes = slices.Clone(c.Classes)
		for i := range at.Classes {
			at.Classes[i].Deadline = config.Span(by * float64(c.Classes[i].Deadline))
		}
		r := Plan(&at)
		if r.Reason != "" {
			if by > 0.2 {
				t.Errorf("%v: %s", by, r.Reason)
			}
			before = math.Inf(1)
			continue
		}
		if r.Cost < before*(1-1e-9) {
			t.Errorf("at %v it costs %v, later %v", by, r.Cost, before)
		}
		before = r.Cost
	}
	if !math.IsInf(before, 1) {
		t.Error("there is a plan for any deadline")
	}
}

func TestForms(t *testing.T) {
	c := example(t)
	r := Plan(c)
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][0] != "name" || rows[1][0] != "etl" || rows[3][0] != "ad-hoc" {
		t.Fatalf("%v, %v", rows, err)
	}
	cell := func(rows [][]string, row int, column string) string {
		t.Helper()
		return rows[row][slices.Index(rows[0], column)]
	}
	for column, want := range map[string]string{"name": "total", "admitted": "19", "rejected": "9", "machines": "58", "reserved": "58",
		"on_demand": "0", "penalties_cost": "4.5", "status": "optimal", "reason": "", "deadline_s": ""} {
		if got := cell(rows, 4, column); got != want {
			t.Errorf("%s is %s, want %s", column, got, want)
		}
	}
	if cost, err := strconv.ParseFloat(cell(rows, 4, "cost"), 64); err != nil || !near(cost, 13.2) || cell(rows, 1, "status") != "optimal" {
		t.Error(cost, err)
	}
	b.Reset()
	if err := Plan(read(t, strings.Replace(night, "60s", "19s", 1))).WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	late, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(late) != 3 || cell(late, 2, "status") != "infeasible" || !strings.Contains(cell(late, 2, "reason"), "need 20.0 s") {
		t.Errorf("%v, %v", late, err)
	}
	b.Reset()
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"allocation: 58 machines, 58 reserved and 0 on demand, for", "EUR an hour", "this is optimal: no plan costs less",
		"jobs of class reports are rejected",
	} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
		}
	}
	b.Reset()
	if err := report.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	err = json.Unmarshal(b.Bytes(), &back)
	if err != nil || back["schema"] != Schema || back["status"] != "optimal" {
		t.Errorf("%v, %v", back, err)
	}
}
