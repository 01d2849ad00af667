package lab

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
)

// The accounts of a recorded run are those that its journal comes to, which hold against a recount of what the journal
// says. Its policies are also such as judge jobs, and measure some first.
func TestAccountsOfJournals(t *testing.T) {
	causes, jobs := map[account.Cause]int{}, 0
	for seed := range uint64(scenarios(60, 1000)) {
		p := randomRun(seed+1, []func(dice, *played){plain, shared}[seed%2])
		file := filepath.Join(t.TempDir(), "run.journal")
		p.meddle, p.cfg.Progress = 0, max(p.cfg.Progress, units.Second)
		if judge := []string{"", "", "rtmr", "promise", "dc"}[seed%5]; judge != "" {
			p.policy = judge
		}
		world := func(context.Context) (drive.World, error) { return sim.New(p.cfg) }
		c := Cell{Scenario: "random", Policy: p.policy, Seed: p.cfg.Seed, Journal: file, Books: account.New(0), World: world}
		if _, err := Run(context.Background(), c); err != nil && !Ends(err) {
			t.Fatalf("seed %d: %v", seed+1, err)
		}
		r := newRecount(&p)
		r.books = account.New(0)
		_, err := Play(context.Background(), file, "", func(h journal.Header, _ string) []drive.Sink {
			r.books.Beat, r.books.Rule = h.World.Heartbeat, c.Books.Rule
			return []drive.Sink{follow.New(r.books), r}
		})
		if err != nil {
			t.Fatalf("seed %d: %v", seed+1, err)
		}
		for i, name := range r.order {
			// a journal has beats after all else, too
			if d := cmp.Diff(c.Books.Of(i), r.books.Of(i)); d != "" && !r.books.Of(i).Open {
				t.Fatalf("seed %d, %s: job %q: %s", seed+1, p.policy, name, d)
			}
			if err := r.check(name, r.books.Of(i)); err != nil {
				t.Fatalf("seed %d, %s: job %q: %v\n%+v", seed+1, p.policy, name, err, r.books.Of(i).Story())
			}
			for k := range r.books.Of(i).Parts {
				causes[r.books.Of(i).Parts[k].Cause]++
			}
			jobs++
		}
	}
	t.Logf("%d accounts, with %v", jobs, causes)
	for _, c := range []account.Cause{account.Limit, account.Held, account.Load, account.SlowNode} {
		if causes[c] == 0 {
			t.Errorf("no job had time by %q: that is not tested", c)
		}
	}
}

// A job of a class of which nothing is known waits for its sample, and the next one is held until then;
// whom nobody judges before his interval waits for the verdict.
func TestAccountOfSample(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte(`cluster: {nodes: 3, map_slots: 1, reduce_slots: 1, heartbeat: 1s, task_times: {law: lognormal, cv: 0.3}}
workload:
  streams: [{id: a, class: c, arrivals: {every: 10s}, count: 3, maps: 12, map_time: 20s, deadline: +20m}]
`))
	if err != nil {
		t.Fatal(err)
	}
	causes := map[account.Cause]units.Duration{}
	for _, policy := range []string{"rtmr", "rds(fast=false)"} {
		c := Cells(s, []string{policy}, []uint64{1})[0]
		c.Books = account.New(0)
		run, err := Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Jobs {
			j, sum := &run.Jobs[i], units.Duration(0)
			for _, total := range j.Causes {
				causes[total.Cause] += total.Took
				sum += total.Took
			}
			if j.Finished == nil || sum != units.FromSeconds(*j.Finished)-units.FromSeconds(j.Submitted) {
				t.Errorf("%s took from %v to %v, its account is of %v", j.ID, j.Submitted, j.Finished, sum)
			}
		}
	}
	if causes[account.Sample] == 0 || causes[account.Held] == 0 || causes[account.Verdict] == 0 {
		t.Errorf("%v", causes)
	}
}

// A job that waits for the class of nodes on which it costs least, while others are free, is said to; one that ran
// there at once is not.
func TestAccountOfClass(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte(`cluster:
  heartbeat: 0s
  classes:
    - {name: slow, nodes: 1, map_slots: 1, dynamic_power: 40W}
    - {name: fast, nodes: 1, map_slots: 4, speed: 2, dynamic_power: 400W}
workload:
  jobs:
    - {id: a, workflow: w, workflow_deadline: +200s, maps: 1, map_time: 60s, moldable: {slope: 0.1}}
    - {id: b, workflow: w, maps: 1, map_time: 60s, moldable: {slope: 0.1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string]string{"a": "[work ]", "b": "[limit for a node of class slow, while others had room work ]"} {
		c := Cells(s, []string{"flow"}, []uint64{1})[0]
		c.Books = account.New(0)
		c.Books.Only = job
		if _, err := Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range c.Books.Of(int(job[0] - 'a')).Parts {
			got = append(got, string(p.Cause), p.Why)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", job, got, want)
		}
	}
}
