package lab

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
)

// tale is a sink that writes down what it is told, and when that was.
type tale struct {
	follow.Single
	lines []string
}

func (t *tale) Batch(at units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		line := fmt.Sprintf("%v %v node %d %v", at, e.Kind, e.Node, e.Outcome)
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

// A world that tells several instants at once tells sinks the same, and in the same order, as one
// that tells each at once. So does a follower that gathers rounds.
func TestPatience(t *testing.T) {
	spared := int64(0)
	for seed := range uint64(scenarios(300, 3000)) {
		p := randomRun(seed, []func(dice, *played){plain, shared}[seed%2])
		p.cfg.Until = 2000 * units.Time(units.Second)
		play := func(whole func(w *sim.World) drive.World, gather bool) ([]string, int64) {
			w, err := sim.New(p.cfg)
			if err != nil {
				t.Fatal(err)
			}
			policy, err := catalog.New(everyPolicy()[seed%uint64(len(everyPolicy()))], NoQueues)
			if err != nil {
				t.Fatal(err)
			}
			told := &tale{}
			follower := follow.New(told)
			if gather {
				follower.Gather()
			}
			loop := drive.New(whole(w), policy, follower)
			err = loop.Run(context.Background())
			if err := errors.Join(err, follower.Flush()); err != nil && !errors.Is(err, sim.ErrStuck) {
				told.lines = append(told.lines, err.Error())
			}
			return told.lines, loop.Round
		}
		patient, few := play(func(w *sim.World) drive.World { return w }, true)
		each, many := play(func(w *sim.World) drive.World { return struct{ drive.World }{w} }, false)
		for i := range max(len(patient), len(each)) {
			if i >= len(patient) || i >= len(each) || patient[i] != each[i] {
				t.Fatalf("seed %d, %d and %d lines, first here:\n%s\n%s", seed, len(patient), len(each), append(patient, "(the end)")[i], append(each, "(the end)")[i])
			}
		}
		spared += many - few
	}
	if spared == 0 {
		t.Error("no round was spared: this tests nothing")
	}
}
