package experiment

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

func all(t *testing.T) []*Experiment {
	t.Helper()
	list, err := All()
	if err != nil || len(list) < 2 {
		t.Fatal(list, err)
	}
	return list
}

func find(t *testing.T, name string) *Experiment {
	t.Helper()
	e, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What was published is what is claimed: each item once, with its place. What was assumed stands in
// the scenario files. No page without a README.
func TestFolders(t *testing.T) {
	for _, e := range all(t) {
		published, err := e.Published()
		if err != nil {
			t.Fatal(err)
		}
		claimed := map[string]int{}
		for _, c := range e.Claims {
			if c.Key == "" && c.Kind != Number {
				continue // ours, of which nothing was published
			}
			claimed[c.Key]++
			if p, ok := published[c.Key]; !ok || p.Source == "" || p.Where == "" || p.Says == "" || c.Kind == Number && p.Value == nil {
				t.Errorf("%s: %q: %+v", e.Name, c.Key, p)
			}
		}
		for key := range published {
			if claimed[key] != 1 {
				t.Errorf("%s: %q is claimed %d times", e.Name, key, claimed[key])
			}
		}
		for _, f := range e.Figures {
			for _, l := range f.Lines {
				for _, p := range l.At {
					if p.Key != "" && published[p.Key].Value == nil {
						t.Errorf("%s: figure %q: %q is not published", e.Name, f.Title, p.Key)
					}
				}
			}
		}
		for _, a := range e.Assumptions {
			for _, file := range e.files {
				if a.File != "" && a.File != file {
					continue
				}
				text, err := e.read(file)
				if err != nil {
					t.Fatal(err)
				}
				if of, ok := paramOf(a.Key, a.Value); ok {
					if is := standard(of); is != a.Value {
						t.Errorf("%s: %s stands at %q, not %s", e.Name, a.Key, is, a.Value)
					}
					continue
				}
				key := a.Key[strings.LastIndexByte(a.Key, '.')+1:]
				if !regexp.MustCompile(key+`: `+regexp.QuoteMeta(a.Value)+`\b`).Match(text) && key != "placement" {
					t.Errorf("%s: %s does not say %s: %s", e.Name, file, key, a.Value)
				}
			}
		}
		once(t, e)
		if text, err := e.Readme(); err != nil || !strings.Contains(text, "## What the paper leaves open") {
			t.Errorf("%s: README.md: %v", e.Name, err)
		}
	}
}

// once complains of values that are given twice: they would be played, shown and counted twice.
func once(t *testing.T, e *Experiment) {
	t.Helper()
	differ := func(key string, values ...string) {
		for i, v := range values {
			if slices.Contains(values[:i], v) {
				t.Errorf("%s: %s: the value %s is given twice", e.Name, key, v)
			}
		}
	}
	for _, a := range e.Assumptions {
		differ(a.Key, append(slices.Clone(a.Others), a.Value)...)
	}
	if e.Calibration != nil {
		for _, g := range e.Calibration.Grid {
			differ(g.Key, g.Values...)
			if len(g.Called) > 0 && len(g.Called) != len(g.Values) {
				t.Errorf("%s: %s: the number of names is %d, that of values %d", e.Name, g.Key, len(g.Called), len(g.Values))
			}
		}
	}
}

// Every series of every claim, figure and table is played by its file.
func TestSeries(t *testing.T) {
	for _, e := range all(t) {
		p, err := e.Plan([]uint64{1}, true)
		if err != nil {
			t.Fatal(err)
		}
		played := map[Series]bool{}
		for _, at := range p.outcomes {
			played[at.series] = true
		}
		for _, u := range p.units {
			played[u.series] = true
		}
		check := func(what string, s Series) {
			if !played[Series{s.File, s.Policy, ""}] || s.Over != "" && !played[Series{s.File, s.Over, ""}] {
				t.Errorf("%s: %s: nothing plays %v", e.Name, what, s)
			}
		}
		for _, f := range e.Figures {
			for _, l := range f.Lines {
				for _, at := range l.At {
					check(f.Title, at.Series)
				}
			}
		}
		for _, tab := range e.Tables {
			for _, r := range tab.Rows {
				check(tab.Title, r.Series)
			}
		}
	}
}

// A run by hand: one node, one slot, two maps of 10 s and a reduce of 5 s; and what it adds up to for the report.
func TestWatch(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte(`cluster: {nodes: 1, map_slots: 1, heartbeat: 0s}
workload: {jobs: [{id: bin1-1, maps: 2, map_time: 10s, reduces: 1, reduce_time: 5s, slow_start: 1, deadline: 30s}, {id: bin2-1, arrive: 5s, maps: 1, map_time: 10s, deadline: 20s}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	w := newWatch()
	c := lab.Cells(s, []string{"fifo"}, []uint64{1})[0]
	c.Sinks = append(c.Sinks, w)
	run, err := lab.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	o := w.outcome(run)
	for _, m := range []struct {
		Metric
		want float64
	}{
		{locality(""), 1}, {response(""), (10 + 20 + 25) / 3.0}, {response("bin1"), 15}, {response("bin2"), 25}, {response("bin3"), math.NaN()}, {running(), 10},
		{accepted(), 1}, {succeeded(), 0.5}, {utilisation(true), 35 / 60.0}, {utilisation(false), 25 / 60.0},
	} {
		if got := m.Of(o); !(math.Abs(got-m.want) < 1e-9 || math.IsNaN(got) && math.IsNaN(m.want)) {
			t.Errorf("%s: %v, want %v", m.Name, got, m.want)
		}
	}
}

// Against the report of the same run, which counts in another way; whatever the number of workers.
func TestAgainstReport(t *testing.T) {
	var first string
	for _, workers := range []int{1, 4} {
		p, err := find(t, "003-matchmaking").Plan([]uint64{1}, false)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(context.Background(), workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		for s, list := range r.results.outcomes {
			for _, o := range list {
				if got := locality("").Of(o); math.Abs(got-*o.Summary.MapLocality) > 1e-9 {
					t.Errorf("%v: locality %v, the report says %v", s, got, *o.Summary.MapLocality)
				}
				slots := 0.0
				for i := range o.Jobs {
					slots += o.Jobs[i].Slots.Seconds()
					if int(o.Jobs[i].Local) != o.Run.Jobs[i].LocalMaps {
						t.Errorf("%v: job %s: %d local maps, the report says %d", s, o.Jobs[i].ID, o.Jobs[i].Local, o.Run.Jobs[i].LocalMaps)
					}
				}
				u := &o.Summary
				if want := u.Makespan * (u.MapUtilization*u.MapSlots + u.ReduceUtilization*u.ReduceSlots); math.Abs(slots-want) > 1e-6*want {
					t.Errorf("%v: %v s of slots, the report says %v", s, slots, want)
				}
			}
		}
		var b strings.Builder
		if err := errors.Join(report.WriteJSON(&b, r), r.WriteTable(&b)); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		} else if first != b.String() {
			t.Error("the number of workers changes the result")
		}
		var page strings.Builder
		if err := r.WritePage(&page); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"What the paper claims, beside ours", "<svg", "README.md", "one seed, so no interval"} {
			if !strings.Contains(page.String(), part) {
				t.Errorf("the page has no %q", part)
			}
		}
		for i := range r.e.Figures {
			wellFormed(t, r.svg(&r.e.Figures[i]))
		}
		if strings.Contains(page.String(), "NaN") || regexp.MustCompile(`(src|href)="[^d"]`).MatchString(page.String()) {
			t.Error("the page has a NaN, or asks for something outside of it")
		}
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

func TestFind(t *testing.T) {
	if e, err := Find("003-rtmr"); err != nil || e.Name != "003-rtmr" {
		t.Error(e, err)
	}
	if _, err := Find("003-rtm"); err == nil || err.Error() != `there is no experiment "003-rtm"; did you mean "003-rtmr"? (slackline reproduce lists them)` {
		t.Error(err)
	}
}

// Schedulers that know less from the start: RTMR samples and keeps its promises, Deadline
// Constraint has nothing to go by and admits nothing, so it never learns. What the run of another
// seed teaches is not the truth of this one.
func TestKnowledge(t *testing.T) {
	p, err := find(t, "003-rtmr").Plan([]uint64{1}, false)
	if err != nil {
		t.Fatal(err)
	}
	results := []*Results{newResults(), newResults()}
	if _, err := p.add("workload-1.yaml", others{known: []string{nothing, ofAnother}}, []uint64{1}, results); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(context.Background(), 0, nil); err != nil {
		t.Fatal(err)
	}
	told := func(r *Results, policy string, m Metric) float64 {
		return r.Sample(Series{"workload-1.yaml", policy, ""}, m)[0]
	}
	if got := told(results[0], "dc", accepted()); got != 0 {
		t.Errorf("dc accepts %v knowing nothing", got)
	}
	for i, r := range results {
		if got := told(r, "rtmr", accepted()); got == 0 || got == told(p.main, "rtmr", accepted()) && i == 0 {
			t.Errorf("rtmr accepts %v", got)
		}
	}
	same := true
	for _, policy := range []string{"dc", "rtmr", "rtmr(feedback=false)"} {
		same = same && told(results[1], policy, utilisation(true)) == told(p.main, policy, utilisation(true))
	}
	if same {
		t.Error("the run of another seed teaches the truth")
	}
}

// standard is the value that a parameter has where nobody gives one.
func standard(of param) string {
	for _, e := range policies {
		for _, p := range e.Params {
			if e.Name == of.policy && p.Name == of.name {
				return p.Default
			}
		}
	}
	return ""
}
