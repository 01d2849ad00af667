package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// job is one that arrived at 0 and came to this; finished at 0 means that it did not.
func job(id string, outcome Outcome, finished, deadline float64) Job {
	j := Job{ID: id, Outcome: outcome, Admitted: outcome != Refused}
	if finished > 0 {
		j.Finished = &finished
	}
	if deadline > 0 {
		j.Deadline = &deadline
		penalty := max(0, finished-deadline) / deadline
		if finished > 0 {
			j.Penalty = &penalty
		}
	}
	return j
}

func played(policy string, seed uint64, jobs ...Job) *Run {
	r := &Run{World: "sim", Scenario: "s", Policy: policy, Seed: seed, Jobs: jobs}
	r.Tally()
	return r
}

func comparison(t *testing.T, r *Report, policy, metric string) *Comparison {
	t.Helper()
	for i := range r.Comparisons {
		if c := &r.Comparisons[i]; c.Policy == policy && c.Metric == metric {
			return c
		}
	}
	t.Fatalf("%s is not compared by %s", policy, metric)
	return nil
}

func within(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

var blanks = regexp.MustCompile(" +")

// A policy that refuses the jobs that take long is not faster for it, nor better at deadlines:
// times are those of the jobs that finished under both, and the table says how many those are.
func TestRefusingDoesNotPay(t *testing.T) {
	var runs []*Run
	for seed := range uint64(50) {
		x := float64(seed)
		runs = append(runs, played("all", seed, job("short", Met, 10+x, 100), job("long", Late, 500+x, 400), job("other", Done, 30, 0), job("lost", Failed, 0, 0)))
	}
	for seed := range uint64(50) {
		x := float64(seed)
		runs = append(runs, played("picky", seed, job("short", Kept, 12+x, 100), job("long", Refused, 0, 400), job("other", Done, 30, 0), job("lost", Done, 5, 0)))
	}
	r := New(runs...)
	r.Compare("")
	for metric, want := range map[string]struct{ difference, jobs, of float64 }{
		"in time":       {0, 2, 2},
		"accepted":      {-0.25, 4, 4},
		"mean response": {1, 2, 4},
		"tardiness":     {0, 1, 2},
		"penalty":       {0, 1, 2},
	} {
		c := comparison(t, r, "picky", metric)
		within(t, metric, c.Mean, want.difference)
		within(t, metric+", jobs", *c.Jobs, want.jobs)
		within(t, metric+", of", *c.Of, want.of)
	}
	if c := comparison(t, r, "picky", "mean response"); c.Better != "all" {
		t.Errorf("%+v", c)
	}
	asked := New(runs...)
	asked.Compare("no-deadline response")
	if c := comparison(t, asked, "picky", "no-deadline response"); !c.Primary || *c.Jobs != 1 || *c.Of != 2 || c.Mean != 0 || len(asked.Comparisons) != len(r.Comparisons)+1 {
		t.Errorf("%+v", c)
	}
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Penalty and response count only jobs that finished, which differ between policies.\n",
		"accepted all 4 -25.0 points [-25.0, -25.0] 0.021 all is better, by the same in each of 50 seeds\n",
		"in time all 2 none no difference in any seed\n",
		"mean response 2 of 4 +1.0 s",
	} {
		if !strings.Contains(blanks.ReplaceAllString(out.String(), " "), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// Whoever asks for no jobs in time has the response judged first.
func TestDefaultMetric(t *testing.T) {
	var due, free []*Run
	for _, policy := range []string{"a", "b"} {
		for seed := range uint64(6) {
			due = append(due, played(policy, seed, job("j", Met, 5, 9)))
			free = append(free, played(policy, seed, job("j", Done, 5, 0)))
		}
	}
	for _, c := range []struct {
		runs          []*Run
		asked, metric string
	}{{due, "", "in time"}, {free, "", "mean response"}, {due, "makespan", "makespan"}} {
		r := New(c.runs...)
		r.Compare(c.asked)
		for i := range r.Comparisons {
			if got := &r.Comparisons[i]; got.Primary != (got.Metric == c.metric) {
				t.Errorf("asked for %q: %+v", c.asked, got)
			}
		}
	}
}

// sweep is two points at which three policies differ from the first one by a little more in every seed.
func sweep(seeds uint64) *Report {
	var runs []*Run
	for point := range 2 {
		for p, policy := range []string{"a", "b", "c", "d"} {
			for seed := range seeds {
				run := played(policy, seed, job("j", Met, 10, 90), job("k", Done, 10+float64(p)*(1+float64(seed)/10)+float64(point*p), 0))
				if p == 3 {
					run.Jobs[0].Outcome, run.Jobs[0].Admitted = Refused, false
					run.Jobs[0].Finished = nil
					run.Tally()
				}
				run.Params = map[string]string{"x": strconv.Itoa(point)}
				run.Summary.Makespan = float64(p)
				runs = append(runs, run)
			}
		}
	}
	return New(runs...)
}

// All points of a sweep are one family, and the primary metric is one by itself. What is the same
// in every seed is no test.
func TestFamilies(t *testing.T) {
	r := sweep(10)
	r.Compare("")
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		want := 0 // tests that it is corrected for; ten seeds decide none of them, so they are corrected for all
		switch {
		case c.Policy == "d" && c.Metric == "in time":
			want = 2 // d at both points; b and c have as many in time as a
		case c.Policy == "d" && c.Metric == "makespan": // it did less work
		case c.Metric == "makespan", c.Metric == "mean response", c.Metric == "p95 response", c.Policy == "d" && c.Metric == "accepted":
			want = 3*2*3 + 2 - 2
		}
		if c.Tests != want || c.P < c.Alone || c.Better != "" || want == 0 && c.P != 1 {
			t.Errorf("%s, %s by %s: %+v, want it to be corrected for %d", c.Scenario, c.Policy, c.Metric, c, want)
		}
	}
	if r.Compare("mean response"); comparison(t, r, "b", "mean response").Tests != 6 || comparison(t, r, "d", "in time").Tests != 4+6+2+2 {
		t.Errorf("%+v", comparison(t, r, "d", "in time"))
	}
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	want := "The primary metric, mean response, has 6 tests, the others have 14 tests. Each of the two families is corrected by itself (Holm).\n"
	if strings.Count(out.String(), want) != 1 {
		t.Errorf("not once %q in\n%s", want, &out)
	}
	// three policies at two points
	if n := len(regexp.MustCompile(`verdict\n─+\nmean response `).FindAllString(out.String(), -1)); n != 6 {
		t.Errorf("the primary metric comes first in %d tables:\n%s", n, &out)
	}
}

// Nineteen seeds show a clear difference and one much of the opposite: by the size of the difference
// thirteen would do, but these are skewed, and twenty did not.
func TestSoManyWereNotEnough(t *testing.T) {
	d := append(slices.Repeat([]float64{9, 7}, 9), 9, -13)
	list := []Comparison{{Policy: "p", Against: "q", Metric: inTime, metric: &metrics[0], Seeds: len(d), differences: d}}
	if judge(list, inTime); list[0].verdict() != "undecided after 20 seeds; about 21 might decide" {
		t.Errorf("%+v: %s", list[0], list[0].verdict())
	}
}

// Work in time is a part of the work of all jobs with a deadline, also of those that were refused.
func TestWorkInTime(t *testing.T) {
	run := func(policy string, seed uint64, long Outcome) *Run {
		jobs := []Job{job("short", Met, 5, 9), job("long", long, 0, 9), job("free", Done, 5, 0)}
		for i, work := range []float64{1, 3, 7} {
			jobs[i].TaskTime = &work
		}
		if long == Met {
			jobs[1].Finished = ptr(8)
		}
		return played(policy, seed, jobs...)
	}
	var runs []*Run
	for _, policy := range []string{"a", "b"} {
		for seed := range uint64(40) {
			runs = append(runs, run(policy, seed, map[string]Outcome{"a": Refused, "b": Met}[policy]))
		}
	}
	r := New(runs...)
	r.Compare("work in time")
	c := comparison(t, r, "b", "work in time")
	if within(t, "work in time", c.Mean, 0.75); c.Better != "b" || *c.Jobs != 2 || !c.Primary {
		t.Errorf("%+v", c)
	}
	within(t, "in time", comparison(t, r, "b", "in time").Mean, 0.5)
}

// CSV has a line for each comparison with the names of the JSON, values of a sweep apart, and
// nothing where there is null.
func TestComparisonsAsCSV(t *testing.T) {
	r := sweep(5)
	r.Compare("")
	var out bytes.Buffer
	if err := r.WriteComparisons(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != len(r.Comparisons)+1 {
		t.Fatal(err, len(rows))
	}
	for i, row := range rows[1:] {
		text, err := json.Marshal(&r.Comparisons[i])
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		for k, name := range rows[0] {
			value := want[name]
			if name == "x" {
				value = want["params"].(map[string]any)["x"]
			}
			if value == nil {
				value = ""
			}
			if got := fmt.Sprint(value); row[k] != got {
				t.Errorf("%s is %q, in JSON %q", name, row[k], got)
			}
		}
		if len(want) != len(rows[0]) { // x is in params
			t.Errorf("%d columns, %d values", len(rows[0]), len(want))
		}
	}
}

// Whatever the differences, verdict, corrected P and interval say the same, and who cannot tell
// says how many seeds might.
func TestVerdictIntervalAndPAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "seeds")
		var list []Comparison
		for range rapid.IntRange(1, 12).Draw(t, "comparisons") {
			c := Comparison{Policy: "p", Against: "q", metric: &metrics[rapid.IntRange(0, len(metrics)-1).Draw(t, "metric")], Seeds: n}
			c.Metric = c.metric.name
			shift := rapid.IntRange(-6, 6).Draw(t, "shift")
			for range n {
				c.differences = append(c.differences, float64(shift+rapid.IntRange(-5, 5).Draw(t, "noise"))/10)
			}
			list = append(list, c)
		}
		judge(list, inTime)
		for i := range list {
			c := &list[i]
			leavesOut := c.Low != nil && (*c.Low > 0 || *c.High < 0)
			if significant := c.P < 0.05; significant != leavesOut || significant != (c.Better != "") {
				t.Fatalf("%+v [%v, %v]", c, c.Low, c.High)
			}
			if c.Better != "" && (c.Better == "p") != ((c.Mean > 0) == c.metric.more) {
				t.Fatalf("%+v", c)
			}
			text := c.verdict()
			if strings.Contains(text, "decide") && !strings.Contains(text, "more than 1000") {
				var seeds, might int
				form := "undecided after %d seeds; about %d might decide"
				if c.Effect == nil {
					form = "undecided after %d seeds, the same in each; %d such seeds would decide"
				}
				if k, err := fmt.Sscanf(text, form, &seeds, &might); k != 2 || err != nil || seeds != n || might <= n {
					t.Fatalf("%q of %d seeds", text, n)
				}
			}
			if c.OnceLow == nil || *c.OnceLow > c.Mean+1e-9 || *c.OnceHigh < c.Mean-1e-9 || c.Low != nil && (*c.OnceLow < *c.Low-1e-9 || *c.OnceHigh > *c.High+1e-9) {
				t.Fatalf("%+v: its own interval is [%v, %v]", c, c.OnceLow, c.OnceHigh)
			}
		}
	})
}

// With five seeds that all show the same large difference nothing is told, and nothing looks as if it were.
func TestTooFewSeedsToTell(t *testing.T) {
	var runs []*Run
	for _, policy := range []string{"fifo", "fair"} {
		for seed := range uint64(5) {
			finished := 1000 + float64(seed)
			if policy == "fair" {
				finished -= 713 + float64(seed)/10
			}
			runs = append(runs, played(policy, seed, job("j", Done, finished, 0)))
		}
	}
	r := New(runs...)
	r.Compare("")
	c := comparison(t, r, "fair", "mean response")
	if c.verdict() != "undecided after 5 seeds; about 13 might decide" || c.interval() != "[-11:53 min, -11:53 min]" || c.Low != nil || *c.OnceLow > -713.3 || *c.OnceHigh < -713.1 {
		t.Errorf("%+v: %s, %s", c, c.verdict(), c.interval())
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"once_low":-713.`, `"low":null`, `"high":null`, `"primary":true`, `"jobs":1,"of_jobs":1`, `"corrected_for":1`, `"p_alone":0.4746`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("no %s in %s", part, text)
		}
	}
}

// Before anything runs it is told what so few seeds cannot tell; what then runs shows that it is so.
func TestTooFew(t *testing.T) {
	plenty := PossibleMetrics(true, false, false, false)
	for _, c := range []struct {
		design Design
		want   string
	}{
		{Design{Seeds: 20, Tests: 5, Metrics: plenty}, "20 seeds may decide which policy is better by in time, but are too few for the other metrics (35 comparisons at once, more where jobs are refused, take at least 26)"},
		{Design{Seeds: 14, Tests: 1, Metrics: plenty, Primary: "kept"}, "14 seeds may decide which policy is better by kept where both promise, but are too few for the other metrics (8 comparisons at once, more where jobs are refused, take at least 21)"},
		{Design{Seeds: 26, Tests: 5, Metrics: plenty}, ""},
		{Design{Seeds: 12, Tests: 1, Metrics: plenty}, "12 seeds cannot decide which policy is better by in time (1 comparison takes at least 13)"},
		{Design{Seeds: 1, Tests: 1, Metrics: plenty, Primary: "makespan"}, "1 seed cannot decide which policy is better by makespan (1 comparison takes at least 13)"},
		{Design{Seeds: 9, Tests: 5 * 12, Metrics: PossibleMetrics(false, false, false, false)}, "9 seeds cannot decide which policy is better by mean response (60 comparisons at once take at least 28)"},
		{Design{Seeds: 1, Tests: 0, Metrics: plenty}, ""},
	} {
		if got := c.design.TooFew(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for seeds := 2; seeds < 30; seeds += 3 {
		for tests := 1; tests < 60; tests += 7 {
			design := Design{Seeds: seeds, Tests: tests, Metrics: []string{inTime}}
			var list []Comparison
			for i := range tests {
				c := Comparison{Policy: "p", Against: "q", Metric: inTime, metric: &metrics[0], Seeds: seeds}
				for k := range seeds { // clear, and not all the same
					c.differences = append(c.differences, float64(i+1)+float64(k%2)/1000)
				}
				list = append(list, c)
			}
			if judge(list, inTime); (design.TooFew() == "") != (list[0].Better != "") {
				t.Errorf("%d seeds, %d tests: %q, and then %+v", seeds, tests, design.TooFew(), list[0])
			}
		}
	}
}

// Shares differ by points, times by spans, and both say in which direction.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		metric      string
		x           float64
		full, short string
	}{
		{"in time", 0.1234, "+12.3 points", "+12.3"},
		{"local maps", -0.0022, "-0.22 points", "-0.22"},
		{"in time", 0.0002, "+0.02 points", "+0.02"}, // not 0
		{"in time", -0.000034, "-0.003 points", "-0.003"},
		{"in time", 0, "0 points", "0"},
		{"makespan", 75, "+1:15 min", "+1:15 min"},
		{"makespan", -0.0002, "-0.0002 s", "-0.0002 s"},
		{"makespan", 0, "0 s", "0 s"},
		{"makespan", -0.122, "-122 ms", "-122 ms"},
		{"energy", -1.5, "-1.5 kWh", "-1.5"},
		{"penalty", 0.25, "+0.25", "+0.25"},
	} {
		for i := range metrics {
			if u := metrics[i].unit; metrics[i].name == c.metric && (u.full(c.x) != c.full || u.short(c.x) != c.short) {
				t.Errorf("%s: %q, %q; want %q, %q", c.metric, u.full(c.x), u.short(c.x), c.full, c.short)
			}
		}
	}
}

// A run is over sooner, and takes less energy, if half of its jobs are refused. That says nothing
// of the policy: it is no test, in no seed, and counts in no family.
func TestDifferentWork(t *testing.T) {
	var runs []*Run
	for _, policy := range []string{"all", "picky", "same"} {
		for seed := range uint64(60) {
			long, energy := job("long", Late, 500+float64(seed), 400), 9.0
			if policy == "picky" && seed == 7 { // one seed is enough
				long = job("long", Refused, 0, 400)
			}
			if policy != "all" {
				energy = 3
			}
			run := played(policy, seed, job("short", Met, 10, 100), long)
			run.Summary.Makespan, run.Summary.Energy, run.Summary.Brown, run.Summary.MapLocality = energy+float64(seed), ptr(energy), ptr(energy), ptr(energy/10)
			runs = append(runs, run)
		}
	}
	r := New(runs...)
	r.Compare("")
	for _, metric := range []string{"makespan", "energy", "brown energy", "local maps"} {
		c := comparison(t, r, "picky", metric)
		if !c.Unlike || c.Better != "" || c.Tests != 0 || c.P != 1 || c.Alone != 1 || c.Low != nil || c.verdict() != "not compared: the runs did different work" || c.Mean == 0 {
			t.Errorf("%s: %q, %+v", metric, c.verdict(), c)
		}
		// these four, and what was accepted
		if c := comparison(t, r, "same", metric); c.Unlike || c.Better == "" || c.Tests != 4+1 {
			t.Errorf("%s of the same work: %+v", metric, c)
		}
	}
	if c := comparison(t, r, "picky", "mean response"); c.Unlike {
		t.Errorf("of the jobs that finished under both: %+v", c)
	}
	for primary, want := range map[string]string{
		"":         "The primary metric, in time, does not differ in any seed. The others have ",
		"makespan": "The primary metric, makespan, has 1 test, the others have ",
	} {
		r.Compare(primary)
		var out bytes.Buffer
		if err := r.WriteTable(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"makespan -6.0 s not compared: the runs did different work\n", want} {
			if !strings.Contains(blanks.ReplaceAllString(out.String(), " "), want) {
				t.Errorf("no %q in\n%s", want, &out)
			}
		}
	}
	// now picky is who others are compared with
	slices.SortStableFunc(runs, func(a, b *Run) int { return strings.Compare(b.Policy, a.Policy) })
	r = New(runs[60:]...)
	if r.Compare(""); !comparison(t, r, "all", "makespan").Unlike {
		t.Error("it does not matter which of the two did less")
	}
	r = New(slices.DeleteFunc(runs, func(r *Run) bool { return r.Policy == "same" })...)
	r.Compare("makespan")
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil || !strings.Contains(out.String(), "The primary metric, makespan, is not compared: the runs did different work. The others have") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// Where nothing ran there is no makespan, and no response: 0 s would look like the best of all.
func TestNothingRan(t *testing.T) {
	idle := played("idle", 1, job("a", Refused, 0, 5), job("b", Killed, 0, 0))
	idle.Jobs[1].Admitted = false // it waited for a
	idle.Summary.Makespan, idle.Summary.Admitted = 1, 0
	busy := played("busy", 1, job("a", Met, 3, 5), job("b", Done, 9, 0))
	busy.Summary.Makespan, busy.Summary.MeanResponse, busy.Summary.P95Response, busy.Summary.MapLocality = 9, ptr(6), ptr(9), ptr(1)
	var out bytes.Buffer
	if err := New(idle, busy).WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nidle – – – – – ", "\nbusy 0 9.0 s 6.0 s 9.0 s 100 % ", "\npolicy in time accepted refused killed\n", "\nidle 0 of 1 0 of 2 1 1\n"} {
		if !strings.Contains(blanks.ReplaceAllString(out.String(), " "), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// Who waits for a refused job was not accepted, in the table nor in the comparison.
func TestAcceptedIsOneNumber(t *testing.T) {
	var runs []*Run
	for seed := range uint64(6) {
		runs = append(runs, played("fifo", seed, job("a", Late, 9, 5), job("b", Done, 9, 0), job("c", Done, 12, 0)))
	}
	for seed := range uint64(6) {
		run := played("picky", seed, job("a", Refused, 0, 5), job("b", Killed, 0, 0), job("c", Killed, 0, 0))
		run.Jobs[1].Admitted, run.Jobs[2].Admitted = false, false
		run.Tally()
		runs = append(runs, run)
	}
	r := New(runs...)
	r.Compare("")
	within(t, "accepted", comparison(t, r, "picky", "accepted").Mean, -1)
}
