package experiment

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"pgregory.net/rapid"
)

// made is results in which the metric of a series is these values, seed by seed.
func made(series map[string][]float64) *Results {
	r := newResults()
	for policy, values := range series {
		for _, x := range values {
			r.outcomes[Series{"f", policy, ""}] = append(r.outcomes[Series{"f", policy, ""}], &Outcome{Run: &report.Run{Summary: report.Summary{Makespan: x}}})
		}
	}
	return r
}

var made1 = Metric{"x", "s", func(o *Outcome) float64 { return o.Summary.Makespan }}

func row(name string) Row { return Row{Name: name, Series: Series{"f", name, ""}} }

func TestJudging(t *testing.T) {
	r := made(map[string][]float64{
		"ten": {9, 10, 11, 10}, "high": {12, 13, 14, 13}, "same": {10, 9, 10, 11}, "wild": {0, 40, 0, 40}, "one": {1, 1, 1, 1}, "most": {1, 1, 1, 0.5}, "10.3": {9.3, 10.2, 11.4, 10.3},
		"none": {}, "many": slices.Repeat([]float64{9, 10, 11, 10}, 3), "lots": slices.Repeat([]float64{9, 10, 11, 10}, 6), "three": slices.Repeat([]float64{3, 3.1, 2.9, 3}, 6), "all": slices.Repeat([]float64{1}, 24), "gaps": {9, math.NaN(), 11, 10},
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
		{"Undecided.", more("", "", ten, []Row{same}, made1), Published{}, false, 0},
		{"A mean that is higher by chance is not enough.", more("", "", wild, []Row{ten}, made1), Published{}, false, 10},
		{"Less.", less("", "", ten, []Row{high}, made1), Published{}, true, 3},
		{"Not less.", less("", "", high, []Row{ten}, made1), Published{}, false, -3},
		{"Within so much of the least.", nearLess("", "", high, []Row{ten}, made1, 0.5), Published{}, true, 0.30},
		{"Not within.", nearLess("", "", high, []Row{ten}, made1, 0.2), Published{}, false, 0.30},
		{"It grows.", grows("", "", []Row{ten, row("10.3"), high}, made1), Published{}, true, 3},
		{"It grows, and falls.", grows("", "", []Row{row("one"), high, ten}, made1), Published{}, false, 9},
		{"It falls.", grows("", "", []Row{high, ten}, made1), Published{}, false, -3},
		{"A single run may well give it: 10 ± 0.74 × 2.20 × √(1 + 1/12).", number("", "", Series{"f", "many", ""}, made1), value(11.6), true, 10},
		{"It may not.", number("", "", Series{"f", "many", ""}, made1), value(11.8), false, 10},
		{"Few seeds do not tell what single runs give.", number("", "", ten.Series, made1), value(10), false, 10},
		{"A run without a value is none.", number("", "", Series{"f", "gaps", ""}, made1), value(10), false, 10},
		{"Always.", always("", "", Series{"f", "all", ""}, made1), value(1), true, 1},
		{"Four runs are not always.", always("", "", Series{"f", "one", ""}, made1), value(1), false, 1},
		{"Not always.", always("", "", Series{"f", "most", ""}, made1), value(1), false, 0.875},
		{"Below.", below("", "", ten.Series, made1, 12), Published{}, true, 10},
		{"Not with all of its interval.", below("", "", ten.Series, made1, 11), Published{}, false, 10},
		{"Least at 2 or 3.", lowestAt("", "", Range, []Row{high, ten, same}, []float64{1, 2, 3}, made1, 2, 3), Published{}, true, 2},
		{"Least at 2, but 3 as well may be.", lowestAt("", "", Range, []Row{high, ten, same}, []float64{1, 2, 3}, made1, 2, 2), Published{}, false, 2},
		{"Not the least of several.", notLowest("", "", row("three"), []Row{row("all"), row("lots")}, made1), Published{}, true, 2},
		{"Less than all of them.", notLowest("", "", row("all"), []Row{row("lots"), row("three")}, made1), Published{}, false, -2},
		{"Not at 1.", lowestAt("", "", Range, []Row{high, ten, same}, []float64{1, 2, 3}, made1, 1, 1), Published{}, false, 2},
		{"More of one than another has of another.", moreOf("", "", high, made1, ten, made1), Published{}, true, 3},
		{"No runs, no claim.", more("", "", row("none"), []Row{ten}, made1), Published{}, false, math.NaN()},
		{"No runs, no value.", always("", "", Series{"f", "none", ""}, made1), value(1), false, math.NaN()},
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
	if err := report.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	one := got["claims"].([]any)[0].(map[string]any)
	if one["ours"] != nil || one["ci95"] != nil || one["published"] != nil || one["distance"] != nil || one["kind"] != "order" || one["source"] != "fig." || one["claim"] != "text" || one["verdict"] != "open" || len(one) != 9 || len(got) != 3 {
		t.Errorf("%s", b.String())
	}
}

// A number is refuted if it lies where hardly any single run does, or average of as many runs as were published.
// That shows with few seeds as well; that it is compatible takes ten. Where few seeds all give the same they do not
// show how single runs vary. By hand: the ten have a mean of 0.982 and a deviation of 0.0155, so a single run lies
// within 2.262 x 0.0155 x sqrt(1 + 1/10) = 0.0367 of it, and an average of three within 0.0231.
func TestNumbers(t *testing.T) {
	few := []float64{0.97, 0.99, 1, 0.96, 0.99} // the accept ratio of 003, table 5.8, as five seeds have it
	r := made(map[string][]float64{"few": few, "many": append(few, few...), "same": {1, 1, 1, 1, 1}, "two": {0.9, 1}, "one": {1}})
	part := made1
	part.Unit = "%"
	for _, c := range []struct {
		series  string
		said    float64
		runs    int
		margin  float64
		verdict Verdict
	}{
		{"few", 0.568, 0, 0, Refuted}, {"few", 0.94, 0, 0, Open}, {"few", 0.982, 0, 0.1, Open},
		{"many", 0.568, 0, 0, Refuted}, {"many", 0.945, 0, 0, Refuted}, {"many", 0.946, 0, 0, Compatible}, {"many", 0.982, 0, 0, Compatible},
		{"many", 0.946, 3, 0, Refuted}, {"many", 0.96, 3, 0, Compatible},
		{"many", 0.945, 0, 0.05, Reproduces}, {"many", 0.982, 0, 0.02, Reproduces}, {"many", 0.982, 0, 0.01, Compatible}, {"many", 0.93, 0, 0.05, Refuted},
		{"same", 0.998, 0, 0.1, Open}, {"two", 0.5, 0, 0, Open}, {"one", 0.5, 0, 0, Open},
	} {
		claim := number("", "", Series{"f", c.series, ""}, part)
		claim.Margin = c.margin
		got := claim.result(Published{Value: &c.said, Runs: c.runs}, r)
		if got.Verdict != c.verdict || math.Abs(*got.Distance-math.Abs(*got.Ours-c.said)) > 1e-12 {
			t.Errorf("%s, published %v: %q at a distance of %v, want %q", c.series, c.said, got.Verdict, *got.Distance, c.verdict)
		}
		if d := got.Single; c.verdict == Refuted && (d == nil || d[0] <= c.said && c.said <= d[1]) {
			t.Errorf("%s, published %v: it is refuted, and the interval is %s", c.series, c.said, got.interval())
		}
	}
	// What is no part is measured against what was published.
	said := 0.5
	seconds := number("", "", Series{"f", "many", ""}, made1)
	if got := seconds.result(Published{Value: &said}, r); math.Abs(*got.Distance-0.964) > 1e-9 {
		t.Errorf("the distance is %v", *got.Distance)
	}
}

// What could not be otherwise is no evidence, unless it is wrong.
func TestByConstruction(t *testing.T) {
	one := 1.0
	r := made(map[string][]float64{"all": {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "few": {1, 1}, "some": {1, 0.9}})
	for series, want := range map[string]Verdict{"all": ByConstruction, "few": Open, "some": Refuted} {
		c := always("", "", Series{"f", series, ""}, made1)
		c.Given = "a theorem"
		if got := c.result(Published{Value: &one}, r); got.Verdict != want || strings.Contains(got.Note, "a theorem") != (want == ByConstruction) {
			t.Errorf("%s: %+v", series, got)
		}
	}
}

// That five seeds are few is said once, not in every row.
func TestFewSeedsAreToldOnce(t *testing.T) {
	r := made(map[string][]float64{"a": {1, 2, 3, 2, 1}, "b": {1, 2, 3, 2, 2}, "c": {7, 8, 9, 8, 8}, "ones": {1, 1, 1, 1, 1}})
	value := 2.
	report := &Report{e: &Experiment{Name: "e", Paper: "paper"}, seeds: make([]uint64, 5)}
	one := 1.
	for _, c := range []struct {
		claim Claim
		said  *float64
	}{
		{number("", "a number", Series{"f", "a", ""}, made1), &value}, {number("", "another", Series{"f", "b", ""}, made1), &value},
		{number("", "a third", Series{"f", "c", ""}, made1), &value}, {always("", "at all times", Series{"f", "ones", ""}, made1), &one},
		{more("", "an order", row("a"), []Row{row("b")}, made1), nil},
	} {
		report.e.Claims = append(report.e.Claims, c.claim)
		report.Claims = append(report.Claims, c.claim.result(Published{Value: c.said}, r))
	}
	var b strings.Builder
	if err := report.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for want, times := range map[string]int{"5 seeds": 1, "takes 10": 1, "  refuted\n": 1, "  open\n": 4,
		"of 5 claims 0 are reproduced, 1 refuted, 4 open; mean distance of 4 numbers 77.5 % (5 seeds)": 1} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%d times %q, not %d:\n%s", got, want, times, text)
		}
	}
}

// What is not shown is not wrong.
func TestOpen(t *testing.T) {
	r := made(map[string][]float64{"ten": {9, 10, 11, 10}, "same": {10, 9, 10, 11}, "high": {12, 13, 14, 13}, "one": {5}, "two": {6}, "ones": {1, 1}, "some": {1, 0.9}, "none": {}, "wide": {0, 2, 3, 1},
		"ten-": {8.9, 9.9, 10.9, 10.1}})
	one := 1.0
	for _, c := range []struct {
		claim Claim
		open  bool
	}{
		{more("", "", row("ten"), []Row{row("same")}, made1), true},
		{more("", "", row("ten"), []Row{row("same"), row("high")}, made1), false},
		{more("", "", row("high"), []Row{row("same")}, made1), false},
		{below("", "", Series{"f", "ten", ""}, made1, 10.5), true},
		{below("", "", Series{"f", "ten", ""}, made1, 5), false},
		{moreOf("", "", row("same"), made1, row("ten"), made1), true},
		{moreOf("", "", row("same"), made1, row("high"), made1), false},
		{more("", "", row("two"), []Row{row("one")}, made1), true}, // of one seed
		{less("", "", row("two"), []Row{row("one")}, made1), true},
		{moreOf("", "", row("two"), made1, row("one"), made1), true},
		{below("", "", Series{"f", "one", ""}, made1, 10), true},
		{number("", "", Series{"f", "ten", ""}, made1), false}, // 1 is far from where single runs lie
		{number("", "", Series{"f", "wide", ""}, made1), true},
		{number("", "", Series{"f", "none", ""}, made1), true},
		{always("", "", Series{"f", "ones", ""}, made1), true},
		{always("", "", Series{"f", "some", ""}, made1), false},
		{lowestAt("", "", Range, []Row{row("high"), row("ten"), row("same")}, []float64{1, 2, 3}, made1, 3, 3), true},
		{lowestAt("", "", Range, []Row{row("high"), row("ten"), row("same")}, []float64{1, 2, 3}, made1, 1, 1), false},
		{lowestAt("", "", Range, []Row{row("two"), row("one")}, []float64{1, 2}, made1, 2, 2), true},
		{grows("", "", []Row{row("ten"), row("ten-"), row("high")}, made1), true},
		{grows("", "", []Row{row("ten"), row("high"), row("same")}, made1), false},
		{notLowest("", "", row("ten"), []Row{row("same"), row("high")}, made1), true},
		{notLowest("", "", row("ten"), []Row{row("high")}, made1), false},
	} {
		v := c.claim.judge(r, Published{Value: &one})
		if v.open != c.open || v.open && v.holds {
			t.Errorf("%s: %+v", c.claim.Text, v)
		}
	}
}

// No verdict gets better with fewer seeds: what a prefix of them holds, more of the same kind hold too.
func TestFewSeeds(t *testing.T) {
	said := 10.5
	for n := range 30 {
		var xs, ys []float64
		for i := range n {
			xs, ys = append(xs, 10+float64(i%3-1)), append(ys, 10.1+float64(i%3-1)/2)
		}
		r := made(map[string][]float64{"x": xs, "y": ys})
		for _, c := range []Claim{number("", "", Series{"f", "x", ""}, made1), always("", "", Series{"f", "x", ""}, made1), below("", "", Series{"f", "x", ""}, made1, 10.2),
			more("", "", row("y"), []Row{row("x")}, made1), grows("", "", []Row{row("x"), row("y")}, made1), lowestAt("", "", Range, []Row{row("x"), row("y")}, []float64{1, 2}, made1, 1, 1),
			notLowest("", "", row("y"), []Row{row("x")}, made1), moreOf("", "", row("y"), made1, row("x"), made1)} {
			if v := c.judge(r, Published{Value: &said}); n < 2 && (v.holds || !v.open && c.Kind != Number) || n < enough && c.Kind == Number && v.holds {
				t.Errorf("%d seeds: %+v", n, v)
			}
		}
	}
}

// Ratios lie between 0 and 100 %, and the row shows the interval that decides; differences say what they are.
func TestRows(t *testing.T) {
	part, second := made1, made1
	part.Unit = "%"
	r := made(map[string][]float64{"p": {1, 1, 1, 1, 1, 0.7, 1, 1, 1, 1}, "q": {0.5, 0.6, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, "one": {3}, "two": {5}})
	p, q, x := row("p"), row("q"), 0.9
	for _, c := range []struct {
		claim          Claim
		ours, interval string
	}{
		{number("", "", p.Series, part), "97.0 %", "74.5 % to 100.0 %, single runs"},
		{number("", "", row("two").Series, second), "5.00 s", "5.00 s to 5.00 s, mean"},
		{below("", "", p.Series, part, 1), "97.0 %", "90.2 % to 100.0 %"},
		{more("", "", p, []Row{q}, part), "47.0 points more", "39.4 points to 54.6 points more"},
		{less("", "", p, []Row{q}, part), "47.0 points more", "39.4 points to 54.6 points more"},
		{less("", "", q, []Row{p}, part), "47.0 points less", "39.4 points to 54.6 points less"},
		{less("", "", row("one"), []Row{row("two")}, second), "2.00 s shorter", "2.00 s to 2.00 s shorter"},
		{nearLess("", "", row("two"), []Row{row("one")}, second, 0.05), "66.7 % longer", "66.7 % to 66.7 % longer"},
		{lowestAt("", "", Order, []Row{{Name: "two", Series: Series{"f", "two", ""}, Unit: "s"}, row("one")}, []float64{0.3, 30}, second, 30, 30), "30 s", "0.3 s to 30 s"},
	} {
		if got := c.claim.result(Published{Value: &x}, r); got.ours() != c.ours || got.interval() != c.interval {
			t.Errorf("%s, %s; want %s, %s", got.ours(), got.interval(), c.ours, c.interval)
		}
	}
}

// JSON and --strict tell what is wrong from what is not told.
func TestUnmet(t *testing.T) {
	r := made(map[string][]float64{"ten": {9, 10, 11, 10}, "same": {10, 9, 10, 11}, "high": {12, 13, 14, 13}})
	ten, same, high := row("ten"), row("same"), row("high")
	report := &Report{}
	for _, c := range []Claim{more("", "a", high, []Row{ten}, made1), more("", "b", ten, []Row{same}, made1), more("", "c", ten, []Row{high}, made1)} {
		report.Claims = append(report.Claims, c.result(Published{}, r))
	}
	if got, want := report.Unmet(), "1 of 3 claims are refuted (c); 1 of 3 claims are open, as there are too few seeds (b)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// Variants are compared with the same seeds.
func TestSensitivity(t *testing.T) {
	with := func(n int, x, y float64) *Results {
		var xs, ys []float64
		for i := range n {
			noise := float64(i%2) * 10
			if i >= fewSeeds {
				noise = 0
			}
			xs, ys = append(xs, x+noise), append(ys, y+10-noise)
		}
		return made(map[string][]float64{"x": xs, "y": ys})
	}
	touched := map[string]bool{"f": true}
	p := &Plan{
		e:         &Experiment{Name: "e", Claims: []Claim{more("k", "text", row("y"), []Row{row("x")}, made1)}, Assumptions: []Assumption{{Key: "a.b"}}},
		published: map[string]Published{"k": {Source: "fig."}}, seeds: make([]uint64, 30), main: with(30, 0, 0),
		variants: []variant{{0, "1", touched, with(fewSeeds, 0, 0)}, {0, "2", touched, with(fewSeeds, 0, 40)}, {0, "3", touched, with(fewSeeds, 40, 0)}},
	}
	r, err := p.judge()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Claims[0].Note, "over the first 10 seeds: open, and the same with 1 of 3 other assumptions; reproduces with b 2; refuted with b 3"; r.Claims[0].Verdict != Reproduces || !strings.HasSuffix(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
}

// The interval that is shown gives the verdict: with one of several, or one of several steps, it is
// that one's and says so.
func TestIntervalThatDecides(t *testing.T) {
	r := made(map[string][]float64{"s": {10, 10, 10, 10}, "near": {8.9, 9, 9.1, 9}, "wide": {2, 14, 3, 13}, "above": {10.4, 10.5, 10.6, 10.5}, "far": {30, 2, 30, 2}, "none": {}, "one": {4},
		"low": {1, 1.1, 0.9, 1}})
	s, near, wide, low := row("s"), row("near"), row("wide"), row("low")
	for _, c := range []struct {
		what     string
		claim    Claim
		verdict  Verdict
		interval string
	}{
		{"The nearest is clear, another is not.", more("", "", s, []Row{near, wide}, made1), Open, "8.15 s shorter to 12.1 s longer, against wide"},
		{"So it is the other way round.", less("", "", low, []Row{near, row("far")}, made1), Open, "10.8 s longer to 40.8 s shorter, against far"},
		{"Both are clear.", more("", "", s, []Row{near, low}, made1), Reproduces, "0.87 s to 1.13 s longer"},
		{"The nearest by the means may be chance, another is above for sure.", more("", "", s, []Row{row("far"), row("above")}, made1), Refuted, "0.37 s to 0.63 s shorter, against above"},
		{"Of another there is no interval.", more("", "", s, []Row{near, row("none")}, made1), Open, "–, against none"},
		{"Of another there is one value.", more("", "", s, []Row{near, row("one")}, made1), Open, "6.00 s to 6.00 s longer, against one"},
		{"It may fall on the way.", grows("", "", []Row{low, near, wide, row("above")}, made1), Open, "11.1 s shorter to 9.14 s longer, from near to wide"},
		{"It falls on the way.", grows("", "", []Row{low, s, near, row("above")}, made1), Refuted, "0.87 s to 1.13 s shorter, from s to near"},
		{"The last is below the first.", grows("", "", []Row{s, near}, made1), Refuted, "0.87 s to 1.13 s shorter"},
		{"Tests decide.", notLowest("", "", s, []Row{near, low}, made1), Open, "8.87 s to 9.13 s longer, tests decide"},
		{"One run is not so.", always("", "", Series{"f", "near", ""}, made1), Refuted, "8.87 s to 9.13 s, mean"},
	} {
		got := c.claim.result(Published{}, r)
		if got.Verdict != c.verdict || got.interval() != c.interval {
			t.Errorf("%s %s, %s; want %s, %s", c.what, got.Verdict, got.interval(), c.verdict, c.interval)
		}
		if _, mark, _ := strings.Cut(c.interval, ", "); got.CI95Of != mark {
			t.Errorf("%s JSON says %q, the table %q", c.what, got.CI95Of, mark)
		}
	}
}

// Whatever the runs show, verdict and interval of an order agree.
func TestVerdictAndIntervalAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "seeds")
		series := map[string][]float64{}
		var rows []Row
		for _, name := range []string{"a", "b", "c", "d"} {
			level := rapid.Float64Range(5, 7).Draw(t, "level")
			for range n {
				series[name] = append(series[name], level+rapid.Float64Range(-1, 1).Draw(t, "noise"))
			}
			rows = append(rows, row(name))
		}
		r := made(series)
		for name, c := range map[string]Claim{"more": more("", "", rows[0], rows[1:], made1), "less": less("", "", rows[0], rows[1:], made1),
			"near": nearLess("", "", rows[0], rows[1:], made1, 0.05), "grows": grows("", "", rows, made1)} {
			got := c.result(Published{}, r)
			from, to := got.CI95[0], got.CI95[1]
			if name == "near" { // at most so much is wanted
				from, to = 0.05-to, 0.05-from
			}
			want := Open
			if from > 0 {
				want = Reproduces
			} else if to < 0 {
				want = Refuted
			}
			if got.Verdict != want {
				t.Fatalf("%s: %s, and the interval is %s", name, got.Verdict, got.interval())
			}
		}
	})
}
