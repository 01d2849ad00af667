package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// tale is a sink that writes down what it is told, and when that was.
type tale struct {
	follow.Single
	lines []string
	last  units.Time
	back  string // where time ran back
}

func (t *tale) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		if e.At < t.last && t.back == "" {
			t.back = fmt.Sprintf("%v at %v is told after %v", e.Kind, e.At, t.last)
		}
		t.last = e.At
		line := fmt.Sprintf("%v %v node %d %v", e.At, e.Kind, e.Node, e.Outcome)
		if e.Attempt != nil {
			line += fmt.Sprintf(" %v %d on %d from %v", e.Attempt.Stage, e.Attempt.Task, e.Attempt.Node, e.Attempt.Began)
		}
		if e.Job != nil {
			line += " of " + e.Job.Spec.ID
		}
		t.lines = append(t.lines, line)
	}
	return nil
}

func (t *tale) Plan(at units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		d := &decisions[i]
		line := fmt.Sprintf("%v %v node %d", at, d.Verb, d.Item.Node)
		if d.Job != nil {
			line += " of " + d.Job.Spec.ID
		}
		t.lines = append(t.lines, line)
	}
	return nil
}

// patience is each policy that can be asked for: the catalogue's schemes and parts, what stands in
// everyPolicy.
func patience() []string {
	texts := everyPolicy()
	for _, e := range catalog.All() {
		switch {
		case e.Kind == compose.KindPreempt:
			texts = append(texts, "fair+"+e.Name)
		case e.Kind != compose.KindScheme:
			texts = append(texts, e.Name)
		}
	}
	return texts
}

// A world that tells several instants at once tells sinks the same, and in the same order, as one
// that tells each at once. So does a follower that gathers rounds.
func TestPatience(t *testing.T) {
	spared := int64(0)
	texts := patience()
	seeds := []uint64{774, 861, 1304, 2596, 2762, 2908} // which differed once
	for seed := range uint64(scenarios(300, 3000)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		p := randomRun(seed, []func(dice, *played){plain, shared}[seed%2])
		p.cfg.Until, p.cfg.Profiles = 2000*units.Time(units.Second), taughtOf(p.cfg.Cluster)
		text := texts[seed%uint64(len(texts))]
		play := func(alone, gather bool) ([]string, int64) {
			w, err := sim.New(p.cfg)
			if err != nil {
				t.Fatal(err)
			}
			policy, err := catalog.New(text, NoQueues)
			if err != nil {
				t.Fatal(err)
			}
			told, kept := &tale{}, report.NewBuilder("sim", "patient", text, seed)
			drawn := page.New([]page.Head{{Scenario: "patient", Policy: text, Seed: seed}})
			follower := follow.New(append(drawn.Watch(0), told, kept)...)
			sink, end := drive.Sink(follower), follower.Flush
			if gather {
				later := newLater(follower)
				sink, end = later, later.close
			}
			var world drive.World = w
			if alone {
				world = struct{ drive.World }{w}
			}
			loop := drive.New(world, policy, sink)
			err = loop.Run(context.Background())
			if err := errors.Join(err, end()); err != nil && !errors.Is(err, sim.ErrStuck) {
				told.lines = append(told.lines, err.Error())
			}
			if told.back != "" {
				t.Fatalf("seed %d, %s: time runs back: %s", seed, text, told.back)
			}
			run, text := kept.Run(), &bytes.Buffer{}
			row, err := json.Marshal(run)
			if err := errors.Join(err, drawn.Write(text, report.New(run))); err != nil {
				t.Fatal(err)
			}
			return append(told.lines, string(row), text.String()), loop.Round
		}
		patient, few := play(false, true)
		each, many := play(true, false)
		for i := range max(len(patient), len(each)) {
			if i >= len(patient) || i >= len(each) || patient[i] != each[i] {
				t.Fatalf("seed %d, %s: %d and %d lines, first here:\n%s\n%s", seed, text, len(patient), len(each), append(patient, "(the end)")[i], append(each, "(the end)")[i])
			}
		}
		spared += many - few
	}
	if spared == 0 {
		t.Error("no round was spared: this tests nothing")
	}
}

// taughtOf is what the classes of drawn jobs cost.
func taughtOf(c *cluster.Cluster) (known []*profile.Class) {
	for i := range 2 {
		k := profile.New(fmt.Sprint("c", i))
		for _, on := range c.Classes {
			for n := range 10 {
				k.Attempt(workload.Map, on.Name, units.MB, units.Duration(2+n)*units.Second, 0)
				k.Attempt(workload.Reduce, on.Name, units.MB, units.Duration(2+n)*units.Second, units.Second)
			}
		}
		known = append(known, k)
	}
	return known
}
