package report

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A run of which no rows are kept has the summary of one whose rows are, but for the quantile, which is near; and its
// groups are what the rows add up to.
func TestAggregateIsWhatTheRowsAddUpTo(t *testing.T) {
	hours := 0
	for seed := range uint64(60) {
		cfg := wild(seed)
		for i, j := range cfg.Workload.Jobs { // over several hours, some classes, some soft deadlines
			later := units.Time(i) * units.Time(25*units.Minute)
			j.Class = string(rune('k' + i%3))
			j.Arrive += later
			if j.Deadline != units.Never {
				j.Deadline += later
			}
			if i%3 == 0 {
				j.Soft = j.Arrive.Add(30 * units.Second)
			}
		}
		for _, k := range cfg.Cluster.Classes {
			k.Dynamic = 100
		}
		if seed%4 == 0 {
			cfg.Until = units.Time(80 * units.Minute)
		}
		w, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		rows, brief := NewBuilder("sim", "s", "p", seed), NewBuilder("sim", "s", "p", seed)
		brief.Aggregate()
		if err := drive.New(w, greedy{}, follow.New(rows), follow.New(brief)).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all, got := rows.Run(), brief.Run()
		near := cmpopts.EquateApprox(1e-12, 0)
		if d := cmp.Diff(all.Summary, got.Summary, near, cmpopts.IgnoreFields(Summary{}, "P95Response")); d != "" {
			t.Fatalf("seed %d: -rows +aggregate\n%s", seed, d)
		}
		if p, q := all.Summary.P95Response, got.Summary.P95Response; (p == nil) != (q == nil) || p != nil && math.Abs(*p-*q) > 0.0101**p {
			t.Fatalf("seed %d: 95 %% are within other times than by the rows:\n%s", seed, cmp.Diff(p, q))
		}
		if d := cmp.Diff(all.Classes, got.Classes); d != "" || len(got.Jobs) > 0 {
			t.Fatalf("seed %d: %d jobs, -rows +aggregate\n%s", seed, len(got.Jobs), d)
		}
		nodes := 0.0
		for _, n := range all.Nodes {
			nodes += n.Energy
		}
		if math.Abs(nodes-*all.Summary.TaskEnergy) > 1e-9*nodes || cmp.Diff(all.Nodes, got.Nodes) != "" {
			t.Fatalf("seed %d: nodes have %v kWh, and all tasks %v", seed, nodes, *all.Summary.TaskEnergy)
		}
		classes, byHour := map[string]*Group{}, map[string]*Group{}
		longest := map[string]float64{}
		for i := range all.Jobs {
			j := &all.Jobs[i]
			for of, key := range map[*map[string]*Group]string{&classes: j.Class, &byHour: fmt.Sprint(int(j.Submitted / 3600))} {
				g := (*of)[key]
				if g == nil {
					g = &Group{}
					(*of)[key] = g
				}
				g.Jobs++
				g.Energy += *j.Energy
				g.Tasks += int64(j.Maps + j.Reduces)
				if j.Deadline != nil {
					g.Deadlines++
					if j.Finished != nil && *j.Finished <= *j.Deadline {
						g.InTime++
					}
				}
				if j.Finished != nil {
					g.Finished++
					response := *j.Finished - j.Submitted
					was, _ := deref(g.Mean)
					g.Mean = new(was + (response-was)/float64(g.Finished))
					longest[key] = max(longest[key], response)
				}
			}
		}
		hours = max(hours, len(byHour))
		kept := cmp.Options{cmpopts.EquateApprox(1e-9, 0), cmpopts.IgnoreUnexported(Group{}), cmpopts.IgnoreFields(Group{}, "Class", "Hour", "Median", "P95")}
		for _, g := range got.Aggregate.Classes {
			if d := cmp.Diff(classes[g.Class], g, kept); d != "" {
				t.Fatalf("seed %d, class %s: -rows +aggregate\n%s", seed, g.Class, d)
			}
			if g.P95 != nil && *g.P95 > 1.011*longest[g.Class] {
				t.Fatalf("seed %d, class %s: 95 %% are within %v s, and the longest took %v s", seed, g.Class, *g.P95, longest[g.Class])
			}
		}
		last := -1
		for _, g := range got.Aggregate.Hours {
			if d := cmp.Diff(byHour[fmt.Sprint(*g.Hour)], g, kept); d != "" || *g.Hour <= last {
				t.Fatalf("seed %d, hour %d behind %d: -rows +aggregate\n%s", seed, *g.Hour, last, d)
			}
			last = *g.Hour
		}
		if len(got.Aggregate.Classes) != len(classes) || len(got.Aggregate.Hours) != len(byHour) {
			t.Fatalf("seed %d: %d classes and %d hours, want %d and %d", seed, len(got.Aggregate.Classes), len(got.Aggregate.Hours), len(classes), len(byHour))
		}
	}
	if hours < 2 {
		t.Errorf("no more than %d hours: this tests too little", hours)
	}
}

// However many jobs there were, the builder keeps as many rows as were there at a time, and a hundred classes.
func TestAggregateForgets(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	b.Aggregate()
	f := follow.New(b)
	for n := range 3000 {
		at := units.Time(n) * units.Time(units.Minute)
		j := wild(1).Workload.Jobs[n%5]
		j.ID, j.Class, j.After, j.Arrive = fmt.Sprint(n), fmt.Sprint(n%300), nil, at
		for _, e := range []sched.Event{{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: j}}, {Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}} {
			if err := f.Batch(0, at+units.Time(e.Kind), []sched.Event{e}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(b.run.Jobs) > 3 || len(b.responses) > 0 || len(b.pages) > 3 {
		t.Errorf("%d rows, %d responses, %d pages", len(b.run.Jobs), len(b.responses), len(b.pages))
	}
	stays := wild(1).Workload.Jobs[0]
	if err := f.Batch(0, units.Time(49*units.Hour), []sched.Event{{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: stays}}}); err != nil {
		t.Fatal(err)
	}
	run := b.Run()
	if s := run.Summary; s.Jobs != 3001 || s.Unfinished != 1 {
		t.Errorf("%d jobs, %d unfinished, want 3001 and 1", s.Jobs, s.Unfinished)
	}
	g := run.Aggregate
	if len(g.Classes) != 101 || g.Classes[100].Class != otherClass || g.Classes[100].Jobs != 2001 {
		t.Errorf("%d classes, the last %+v", len(g.Classes), g.Classes[len(g.Classes)-1])
	}
	if n := len(g.Hours); n != 50 || g.Hours[n-1].Jobs != 61 {
		t.Errorf("%d hours, the last %+v", n, g.Hours[n-1])
	}
	late := &Aggregate{} // jobs end in another order than they come
	for _, h := range []int{3, 1, 2, 3, 0, 9, 2} {
		late.hour(h).Jobs++
	}
	var told string
	for _, h := range late.Hours {
		told += fmt.Sprint(*h.Hour, ":", h.Jobs, " ")
	}
	if told != "0:1 1:1 2:2 3:2 9:1 " {
		t.Errorf("by hour: %s", told)
	}
}
