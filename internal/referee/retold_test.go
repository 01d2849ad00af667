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

// retold alters a journal in rounds in which all is told again.
func retold(alter func(*rand.Rand, []string) ([]string, int)) func(*rand.Rand, []string) ([]string, int) {
	return func(r *rand.Rand, lines []string) ([]string, int) {
		for range 100 { // some of its alterations are of other rounds
			altered, at := alter(r, lines)
			if altered == nil {
				break
			}
			if from, to := round(lines, at-1); slices.ContainsFunc(lines[from:to], regexp.MustCompile(`^\d+ event resync`).MatchString) {
				return altered, at
			}
		}
		return nil, 0
	}
}

// voids are alterations of what follows when all is told again, when starts are refused, and while the policy has
// yielded.
var voids = []alteration{
	{"a promise is not renewed", "rtmr", retold(missing(`^\d+ item admit .*reason=promised:`))},
	{"a renewed promise is a nanosecond off", "rtmr", retold(one(`item admit .* by=(\d+) reason=promised:`))},
	{"what ran without a promise gets none", "rtmr", retold(replace(`item admit (.*) reason=begun`, "item hold $1 reason=begun"))},
	{"a sample does not begin again", "rtmr", retold(missing(`^\d+ item sample `))},
	{"a confidence is another", "promise(level=90%)", retold(replace(` confidence=\S+ (.*)reason=likely`, " confidence=910000 ${1}reason=likely"))},
	{"an accepted job is not let in again", "dc", retold(missing(`^\d+ item admit .*reason=promised`))},
	{"an accepted job is not bounded again", "dc", retold(missing(`^\d+ item set-slots `))},
	{"its reduces are not held back again", "dc", retold(missing(`^\d+ item withhold `))},
	{"a planned job that runs is not let in", "capacity-plan", retold(missing(`^\d+ item admit `))},
	{"a task is said to be killed in vain", "rtmr", replace(`item kill (.*) reason=(\S+) attempts=.*`, "item kill $1 reason=$2 refused=yielded")},
	{"a start is refused, and is not", "rtmr", func(r *rand.Rand, lines []string) ([]string, int) {
		if slices.ContainsFunc(lines, regexp.MustCompile(`^\d+ event resync`).MatchString) {
			return nil, 0 // the task may run by a start of before
		}
		return missing(`^\d+ event refused .*stage=map .*why=stale`)(r, lines)
	}},
}

// watchings are alterations of what a policy advises that only watches.
var watchings = []alteration{
	{"an advised start is missing", "fifo", missing(`^\d+ item start .*refused=watched`)},
	{"an advised start is on another node", "fair", one(`item start .*node=(\d+) .*refused=watched`)},
	{"an advised start is farther away", "fifo+delay", replace(`item start (.*) locality=node (.*) refused=watched`, "item start $1 locality=remote $2 refused=watched")},
	{"advice is done", "fifo", replace(`item start (.*stage=map.*) refused=watched`, "item start $1")},
	{"one item more is repeated", "fifo", one(`plan items=\d+ repeated=(\d+)`)},
	{"advice is repeated for no reason", "fifo", replace(`plan items=(\d+) repeated=\d+`, "plan items=$1")},
	{"an advised verdict is another", "rtmr", replace(`item admit (.*) reason=begun refused=watched`, "item hold $1 reason=begun refused=watched")},
	{"an advised promise is a nanosecond off", "rtmr", one(`item admit .* by=(\d+) reason=promised:\d+ refused=watched`)},
	{"an advised bound is another", "dc", one(`item set-slots .*count=(\d+) .*refused=watched`)},
	{"a policy advises that is to decide", "edf-p", func(r *rand.Rand, lines []string) ([]string, int) {
		for range 100 {
			i := some(r, lines, ` event control control=watch`)
			if i < 0 {
				break
			}
			if from, to := round(lines, i); slices.ContainsFunc(lines[from:to], regexp.MustCompile(`refused=watched`).MatchString) {
				return slices.Delete(slices.Clone(lines), i, i+1), from + 1
			}
		}
		return nil, 0
	}},
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
