package capacity

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A thousand jobs of three maps of 10 s with an hour: by equation 22 as it is printed three slots are enough, on
// which a job takes 3 h.
const few = `
prices: {on_demand: 1}
classes:
  - {name: c, maps: 3, map: {mean: 10s, max: 20s}, map_slots: 1, deadline: 1h, at_least: 1000, at_most: 1000}
`

// table is the plan as people see it.
func table(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A job has one slot or more, and with it its deadline.
func TestSlotForEachJob(t *testing.T) {
	c := read(t, few)
	r := Plan(c)
	k := r.Classes[0]
	if k.Low > k.Deadline || k.Up == nil || *k.Up > k.Deadline || k.MapSlots != 1000 || k.OneSlot != "map" {
		t.Errorf("%+v", k)
	}
	const said = "class c: each job has one map slot; with less the bounds do not hold"
	if got := table(t, r); !strings.Contains(got, said) {
		t.Errorf("%q is not in\n%s", said, got)
	}
}

// The plan as the paper prints it says that its deadlines do not hold.
func TestPrintedPlanIsLate(t *testing.T) {
	c := read(t, "whole_shares: false\n"+few)
	r := Plan(c)
	if k := r.Classes[0]; k.Low <= k.Deadline || k.OneSlot != "" {
		t.Errorf("%+v", k)
	}
	got := table(t, r)
	if strings.Contains(got, "deadlines hold") || !strings.Contains(got, "class c: jobs are late") {
		t.Error(got)
	}
}

// No job of any plan is late by its lower bound, counted here from the slots that the plan tells, and a looser
// deadline never costs more.
func TestNoPlanIsLate(t *testing.T) {
	all := t
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.IntRange(1, 100_000)
		src, jobs := "prices: {on_demand: 1}\ninteger: false\n", [2]float64{}
		maps, reduces := rapid.IntRange(1, 50).Draw(t, "maps"), rapid.IntRange(0, 20).Draw(t, "reduces")
		means := [2]int{span.Draw(t, "map"), span.Draw(t, "reduce")}
		src += fmt.Sprintf("bound: %s\nclasses:\n  - {name: a, maps: %d, map: {mean: %dms, max: %dms}, map_slots: %d, ",
			rapid.SampledFrom([]string{"mean", "upper"}).Draw(t, "bound"), maps, means[0],
			means[0]*rapid.IntRange(1, maps).Draw(t, "longest"), rapid.IntRange(1, 4).Draw(t, "slots"))
		if reduces > 0 {
			src += fmt.Sprintf("reduces: %d, reduce: {mean: %dms, max: %dms}, ", reduces, means[1],
				means[1]*rapid.IntRange(1, reduces).Draw(t, "longest reduce"))
		}
		jobs[0] = float64(rapid.IntRange(1, 1000).Draw(t, "jobs"))
		src += fmt.Sprintf("at_least: %v, at_most: %v, deadline: ", jobs[0], jobs[0])
		deadline := span.Draw(t, "deadline")
		cost := 0.0
		for _, d := range []int{deadline, deadline + span.Draw(t, "later")} {
			c := read(all, fmt.Sprintf("%s%ds}\n", src, d))
			r := Plan(c)
			if r.Reason == "" {
				k := r.Classes[0]
				takes := float64(maps*means[0]) / 1000 * jobs[0] / k.MapSlots
				if reduces > 0 {
					takes += float64(reduces*means[1]) / 1000 * jobs[0] / k.ReduceSlots
				}
				if takes > float64(d)*(1+1e-9) || k.MapSlots < jobs[0]*(1-1e-9) || !near(takes, k.Low) {
					t.Fatalf("%s%d: a job takes %v s: %+v", src, d, takes, k)
				}
			}
			if cost > 0 && (r.Reason != "" || r.Cost > cost*(1+1e-9)) {
				t.Fatalf("%s%d: %v after %v", src, d, r.Cost, cost)
			}
			cost = r.Cost
		}
	})
}
