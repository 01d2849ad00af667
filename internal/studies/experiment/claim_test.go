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

func row(name string) Row { return play(name, "f", name) }

// valued are rows with a value of a parameter each.
func valued(values []float64, rows ...Row) []Row {
	for i := range rows {
		rows[i].Value = values[i]
	}
	return rows
}

// stated is a claim in these words.
func stated(text string, shown Check) Claim {
	return Claim{Key: "key " + text, Text: text, Check: shown}
}

func TestJudging(t *testing.T) {
	r := made(map[string][]float64{
		"ten": {9, 10, 11, 10}, "high": {12, 13, 14, 13}, "same": {10, 9, 10, 11}, "wild": {0, 40, 0, 40}, "one": {1, 1, 1, 1}, "most": {1, 1, 1, 0.5}, "10.3": {9.3, 10.2, 11.4, 10.3},
		"none": {}, "many": slices.Repeat([]float64{9, 10, 11, 10}, 3), "lots": slices.Repeat([]float64{9, 10, 11, 10}, 6), "three": slices.Repeat([]float64{3, 3.1, 2.9, 3}, 6), "all": slices.Repeat([]float64{1}, 24), "gaps": {9, math.NaN(), 11, 10},
	})
	ten, high, same, wild := row("ten"), row("high"), row("same"), row("wild")
	value := func(x float64) Published { return Published{Value: &x} }
	for _, c := range []struct {
		rule  string
		claim Check
		said  Published
		holds bool
		ours  float64
	}{
		{"More than each, in every seed.", more(made1, high, ten, same), Published{}, true, 3},
		{"Not more than one of them.", more(made1, high, ten, row("none")), Published{}, false, 3},
		{"Undecided.", more(made1, ten, same), Published{}, false, 0},
		{"A mean that is higher by chance is not enough.", more(made1, wild, ten), Published{}, false, 10},
		{"Less.", less(made1, ten, high), Published{}, true, 3},
		{"Not less.", less(made1, high, ten), Published{}, false, -3},
		{"Within so much of the least.", nearLess(0.5, made1, high, ten), Published{}, true, 0.30},
		{"Not within.", nearLess(0.2, made1, high, ten), Published{}, false, 0.30},
		{"It grows.", grows(made1, ten, row("10.3"), high), Published{}, true, 3},
		{"It grows, and falls.", grows(made1, row("one"), high, ten), Published{}, false, 9},
		{"It falls.", grows(made1, high, ten), Published{}, false, -3},
		{"A single run may well give it: 10 ± 0.74 × 2.20 × √(1 + 1/12).", number(made1, row("many")), value(11.6), true, 10},
		{"It may not.", number(made1, row("many")), value(11.8), false, 10},
		{"Few seeds do not tell what single runs give.", number(made1, ten), value(10), false, 10},
		{"A run without a value is none.", number(made1, row("gaps")), value(10), false, 10},
		{"Always.", always(made1, row("all")), value(1), true, 1},
		{"Four runs are not always.", always(made1, row("one")), value(1), false, 1},
		{"Not always.", always(made1, row("most")), value(1), false, 0.875},
		{"Below.", below(12, made1, ten), Published{}, true, 10},
		{"Not with all of its interval.", below(11, made1, ten), Published{}, false, 10},
		{"Least at 2 or 3.", lowestAt(2, 3, made1, valued([]float64{1, 2, 3}, high, ten, same)...), Published{}, true, 2},
		{"Least at 2, but 3 as well may be.", lowestAt(2, 2, made1, valued([]float64{1, 2, 3}, high, ten, same)...), Published{}, false, 2},
		{"Not the least of several.", notLowest(made1, row("three"), row("all"), row("lots")), Published{}, true, 2},
		{"Less than all of them.", notLowest(made1, row("all"), row("lots"), row("three")), Published{}, false, -2},
		{"Not at 1.", lowestAt(1, 1, made1, valued([]float64{1, 2, 3}, high, ten, same)...), Published{}, false, 2},
		{"More of one than another has of another.", moreOf(made1, high, made1, ten), Published{}, true, 3},
		{"No runs, no claim.", more(made1, row("none"), ten), Published{}, false, math.NaN()},
		{"No runs, no value.", always(made1, row("none")), value(1), false, math.NaN()},
	} {
		v := c.claim.judge(r, c.said)
		if v.holds != c.holds || !(math.Abs(v.ours-c.ours) < 0.005 || math.IsNaN(v.ours) && math.IsNaN(c.ours)) {
			t.Errorf("%s %+v, want %v and %v", c.rule, v, c.holds, c.ours)
		}
	}
}

// What there is none of is null, and keys are those that were agreed.
func TestJSON(t *testing.T) {
	c := stated("text", more(made1, row("none"), row("ten")))
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
	if one["ours"] != nil || one["ci95"] != nil || one["published"] != nil || one["distance"] != nil || one["kind"] != "order" || one["source"] != "fig." || one["claim"] != "text" || one["verdict"] != "open" || one["origin"] != "paper" || len(one) != 10 || len(got) != 3 {
		t.Errorf("%s", b.String())
	}
}

// A number is refuted if it lies where hardly any single run does, or average of as many runs as were published.
// That shows with few seeds as well; that it is compatible takes ten. Where few seeds all give the same they do not
// show how single runs vary. By hand: the ten have a mean of 0.982 and a deviation of 0.0155, so a single run lies
// within 2.262 x 0.0155 x sqrt(1 + 1/10) = 0.0367 of it, and an average of three within 0.0231.
func TestNumbers(t *testing.T) {
	few := []float64{0.97, 0.99, 1, 0.96, 0.99} // the accept ratio of 003, table 5.8, as five seeds have it
	r := made(map[string][]float64{"few": few, "many": append(few, few...), "same": {1, 1, 1, 1, 1}, "two": {0.9, 1}, "one": {1},
		"little": {0.096, 0.097, 0.095, 0.096, 0.096, 0.097, 0.095, 0.096, 0.097, 0.095}})
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
		{"little", 0.057, 0, 0.05, Refuted}, {"little", 0.0955, 0, 0.05, Reproduces}, // 5 points are much of it
		{"same", 0.998, 0, 0.1, Open}, {"two", 0.5, 0, 0, Open}, {"one", 0.5, 0, 0, Open},
	} {
		claim := stated("", number(part, row(c.series)))
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
	seconds := stated("", number(made1, row("many")))
	if got := seconds.result(Published{Value: &said}, r); math.Abs(*got.Distance-0.964) > 1e-9 {
		t.Errorf("the distance is %v", *got.Distance)
	}
}

// A claim of ours holds, and reproduces nothing; one by which a setting was chosen fits, and is no evidence either.
func TestOrigins(t *testing.T) {
	said := 1.0
	r := made(map[string][]float64{"one": {1, 1.01, 0.99, 1, 1, 1.01, 0.99, 1, 1, 1}, "two": {2, 2.01, 1.99, 2, 2, 2, 2, 2, 2, 2}})
	over := more(made1, row("two"), row("one"))
	for _, c := range []struct {
		claim  Claim
		origin Origin
		want   Verdict
	}{
		{Claim{Key: "a", Check: over}, Paper, Reproduces}, {Claim{Check: over}, Ours, Holds},
		{Claim{Check: less(made1, row("two"), row("one"))}, Ours, Refuted},
		{Claim{Key: "a", Check: number(made1, row("one")), Margin: 0.1, Fitted: "chosen by it"}, Paper, WasFitted},
		{Claim{Key: "a", Check: number(made1, row("one")), Margin: 0, Fitted: "chosen by it"}, Paper, WasFitted},
		{Claim{Key: "a", Check: number(made1, row("two")), Margin: 0.1, Fitted: "chosen by it"}, Paper, Refuted},
	} {
		if got := c.claim.result(Published{Value: &said}, r); got.Origin != c.origin || got.Verdict != c.want {
			t.Errorf("%+v: %s, %s; want %s, %s", c.claim, got.Origin, got.Verdict, c.origin, c.want)
		}
	}
}

// What could not be otherwise is no evidence, unless it is wrong.
func TestByConstruction(t *testing.T) {
	one := 1.0
	r := made(map[string][]float64{"all": {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "few": {1, 1}, "some": {1, 0.9}})
	for series, want := range map[string]Verdict{"all": ByConstruction, "few": Open, "some": Refuted} {
		c := stated("", always(made1, row(series)))
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
		{stated("a number", number(made1, row("a"))), &value}, {stated("another", number(made1, row("b"))), &value},
		{stated("a third", number(made1, row("c"))), &value}, {stated("at all times", always(made1, row("ones"))), &one},
		{stated("an order", more(made1, row("a"), row("b"))), nil},
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
		"of 5 claims of the paper 0 are reproduced, 1 refuted, 4 open; mean distance of 4 numbers 77.5 % (5 seeds)": 1} {
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
		claim Check
		open  bool
	}{
		{more(made1, row("ten"), row("same")), true},
		{more(made1, row("ten"), row("same"), row("high")), false},
		{more(made1, row("high"), row("same")), false},
		{below(10.5, made1, row("ten")), true},
		{below(5, made1, row("ten")), false},
		{moreOf(made1, row("same"), made1, row("ten")), true},
		{moreOf(made1, row("same"), made1, row("high")), false},
		{more(made1, row("two"), row("one")), true}, // of one seed
		{less(made1, row("two"), row("one")), true},
		{moreOf(made1, row("two"), made1, row("one")), true},
		{below(10, made1, row("one")), true},
		{number(made1, row("ten")), false}, // 1 is far from where single runs lie
		{number(made1, row("wide")), true},
		{number(made1, row("none")), true},
		{always(made1, row("ones")), true},
		{always(made1, row("some")), false},
		{lowestAt(3, 3, made1, valued([]float64{1, 2, 3}, row("high"), row("ten"), row("same"))...), true},
		{lowestAt(1, 1, made1, valued([]float64{1, 2, 3}, row("high"), row("ten"), row("same"))...), false},
		{lowestAt(2, 2, made1, valued([]float64{1, 2}, row("two"), row("one"))...), true},
		{grows(made1, row("ten"), row("ten-"), row("high")), true},
		{grows(made1, row("ten"), row("high"), row("same")), false},
		{notLowest(made1, row("ten"), row("same"), row("high")), true},
		{notLowest(made1, row("ten"), row("high")), false},
	} {
		v := c.claim.judge(r, Published{Value: &one})
		if v.open != c.open || v.open && v.holds {
			t.Errorf("%s: %+v", c.claim.of[0].Name, v)
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
		for _, c := range []Check{number(made1, row("x")), always(made1, row("x")), below(10.2, made1, row("x")),
			more(made1, row("y"), row("x")), grows(made1, row("x"), row("y")), lowestAt(1, 1, made1, valued([]float64{1, 2}, row("x"), row("y"))...),
			notLowest(made1, row("y"), row("x")), moreOf(made1, row("y"), made1, row("x"))} {
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
		claim          Check
		ours, interval string
	}{
		{number(part, p), "97.0 %", "74.5 % to 100.0 %, single runs"},
		{number(second, row("two")), "5.00 s", "5.00 s to 5.00 s, mean"},
		{below(1, part, p), "97.0 %", "90.2 % to 100.0 %"},
		{more(part, p, q), "47.0 points more", "39.4 points to 54.6 points more"},
		{less(part, p, q), "47.0 points more", "39.4 points to 54.6 points more"},
		{less(part, q, p), "47.0 points less", "39.4 points to 54.6 points less"},
		{less(second, row("one"), row("two")), "2.00 s shorter", "2.00 s to 2.00 s shorter"},
		{nearLess(0.05, second, row("two"), row("one")), "66.7 % longer", "66.7 % to 66.7 % longer"},
		{lowestAt(30, 30, second, valued([]float64{0.3, 30}, Row{Name: "two", Series: Series{"f", "two", ""}, Unit: "s"}, row("one"))...), "30 s", "0.3 s to 30 s"},
	} {
		claim := stated("", c.claim)
		if got := claim.result(Published{Value: &x}, r); got.ours() != c.ours || got.interval() != c.interval {
			t.Errorf("%s, %s; want %s, %s", got.ours(), got.interval(), c.ours, c.interval)
		}
	}
}

// JSON and --strict tell what is wrong from what is not told.
func TestUnmet(t *testing.T) {
	r := made(map[string][]float64{"ten": {9, 10, 11, 10}, "same": {10, 9, 10, 11}, "high": {12, 13, 14, 13}})
	ten, same, high := row("ten"), row("same"), row("high")
	report := &Report{}
	for _, c := range []Claim{stated("a", more(made1, high, ten)), stated("b", more(made1, ten, same)), stated("c", more(made1, ten, high))} {
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
		e:         &Experiment{Name: "e", Claims: []Claim{stated("text", more(made1, row("y"), row("x")))}, Assumptions: []Assumption{{Key: "a.b"}}},
		published: map[string]Published{"key text": {Source: "fig."}}, seeds: make([]uint64, 30), main: with(30, 0, 0),
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
		claim    Check
		verdict  Verdict
		interval string
	}{
		{"The nearest is clear, another is not.", more(made1, s, near, wide), Open, "8.15 s shorter to 12.1 s longer, against wide"},
		{"So it is the other way round.", less(made1, low, near, row("far")), Open, "10.8 s longer to 40.8 s shorter, against far"},
		{"Both are clear.", more(made1, s, near, low), Reproduces, "0.87 s to 1.13 s longer"},
		{"The nearest by the means may be chance, another is above for sure.", more(made1, s, row("far"), row("above")), Refuted, "0.37 s to 0.63 s shorter, against above"},
		{"Of another there is no interval.", more(made1, s, near, row("none")), Open, "–, against none"},
		{"Of another there is one value.", more(made1, s, near, row("one")), Open, "6.00 s to 6.00 s longer, against one"},
		{"It may fall on the way.", grows(made1, low, near, wide, row("above")), Open, "11.1 s shorter to 9.14 s longer, from near to wide"},
		{"It falls on the way.", grows(made1, low, s, near, row("above")), Refuted, "0.87 s to 1.13 s shorter, from s to near"},
		{"The last is below the first.", grows(made1, s, near), Refuted, "0.87 s to 1.13 s shorter"},
		{"Tests decide.", notLowest(made1, s, near, low), Open, "8.87 s to 9.13 s longer, tests decide"},
		{"One run is not so.", always(made1, row("near")), Refuted, "8.87 s to 9.13 s, mean"},
	} {
		claim := stated("", c.claim)
		got := claim.result(Published{}, r)
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
		for name, shown := range map[string]Check{"more": more(made1, rows[0], Rows(rows[1:])), "less": less(made1, rows[0], Rows(rows[1:])),
			"near": nearLess(0.05, made1, rows[0], Rows(rows[1:])), "grows": grows(made1, rows...)} {
			c := stated("", shown)
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
