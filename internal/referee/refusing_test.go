package referee_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
)

// refusing is a world that does not do some of the starts that it is asked for.
type refusing struct {
	drive.World
	dice  *rand.Rand
	plan  sched.Plan
	stale []sched.Event
}

func newRefusing(w drive.World, seed uint64) *refusing {
	return &refusing{World: w, dice: rand.New(rand.NewPCG(seed, 7))}
}

// Enact leaves starts out, where nodes will ask again.
func (w *refusing) Enact(p *sched.Plan) error {
	if w.Can().Heartbeat == 0 {
		return w.World.Enact(p)
	}
	w.plan = *p
	w.plan.Items = slices.DeleteFunc(slices.Clone(p.Items), func(it sched.Item) bool {
		if it.Verb != sched.Start || it.Held || it.Refused != sched.OK || w.dice.IntN(4) > 0 {
			return false
		}
		w.stale = append(w.stale, sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Count: it.Count, Why: sched.Stale})
		return true
	})
	return w.World.Enact(&w.plan)
}

// Next tells them as refused.
func (w *refusing) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if err == nil && len(w.stale) > 0 {
		b.Events = append(slices.Clone(b.Events), w.stale...)
		slices.SortStableFunc(b.Events, func(x, y sched.Event) int { return cmp.Compare(x.Kind, y.Kind) })
		w.stale = nil
	}
	return b, err
}

// somewhere alters a journal so that it shows in the sum of a plan, before the line or in the next plan.
func somewhere(alter func(*rand.Rand, []string) ([]string, int)) func(*rand.Rand, []string) ([]string, int) {
	return func(r *rand.Rand, lines []string) ([]string, int) {
		altered, _ := alter(r, lines)
		return altered, 0
	}
}

const planning = "rds(fast=false,interval=15s)+matchmaking"

// horizons are alterations of plans of rds.
var horizons = []alteration{
	{"a bound has one slot more", planning, somewhere(one(`item set-slots .*count=(\d+) reason`))},
	{"a slot stays that a job could use", planning, somewhere(replace(`item set-slots (id=\d+ job=\d+ stage=map) count=\d+ reason`, "item set-slots $1 reason"))},
	{"there are two prices", planning, func(r *rand.Rand, lines []string) ([]string, int) {
		priced := regexp.MustCompile(`^\d+ item set-slots .*stage=map .*reason=planned-slots:`)
		for range 100 {
			altered, at := one(`item set-slots .*stage=map .*reason=planned-slots:(\d+)`)(r, lines)
			if altered == nil {
				break
			}
			if from, to := round(lines, at-1); slices.ContainsFunc(lines[from:at-1], priced.MatchString) || slices.ContainsFunc(lines[at:to], priced.MatchString) {
				return altered, at
			}
		}
		return nil, 0
	}},
	{"more is owed than all work", planning, replace(`reason=planned-slots:(\d+),\d+`, "reason=planned-slots:$1,1000001")},
	{"more is expected than all work", planning, replace(`reason=planned-slots:(\d+),(\d+),\d+`, "reason=planned-slots:$1,$2,1000001")},
	{"a planned job has slots of the fast path", planning, replace(`reason=planned-slots:\d+`, "reason=fast-slots:1")},
	{"a bound of the fast path names another deadline", "rds", one(`item set-slots .*reason=fast-slots:(\d+)`)},
}
