package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// shaken is a world whose floats are told a little wrong, if by is not 0: progress, speeds, supplies, forecasts,
// and all that a profile says. What really happens stays the same.
type shaken struct {
	drive.World
	by   float64
	dice *rand.Rand
}

func (w *shaken) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if w.by == 0 {
		return b, err
	}
	b.Events = slices.Clone(b.Events)
	for i := range b.Events {
		e := &b.Events[i]
		e.X = w.shake(e.X)
		switch {
		case e.Kind == sched.ProfileLearned:
			e.Detail = &sched.Detail{Profile: shakenCopy(w, e.Detail.Profile)}
		case e.Kind == sched.ForecastIssued:
			e.Detail = &sched.Detail{Forecast: shakenCopy(w, e.Detail.Forecast)}
		}
	}
	return b, err
}

func (w *shaken) shake(x float64) float64 { return x + x*w.by*float64(w.dice.IntN(3)-1) }

// shakenCopy is a copy of what is told, with all of its floats shaken.
func shakenCopy[T any](w *shaken, of *T) *T {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	c := new(T)
	if err := json.Unmarshal(text, c); err != nil {
		panic(err)
	}
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64:
			v.SetFloat(w.shake(v.Float()))
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(c))
	return c
}

// teacher is a world that teaches what the jobs' class costs, by tasks of uneven times, again and again.
type teacher struct {
	drive.World
	turns int
}

func (w *teacher) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if w.turns++; err != nil || w.turns%20 != 1 || w.turns > 200 {
		return b, err
	}
	c := profile.New("c")
	var g profile.Gather
	for k := range 9 {
		for _, s := range []workload.Stage{workload.Map, workload.Reduce, workload.Master} {
			took := units.Duration(700+(37*k+11*w.turns)%450) * units.Second / 1300
			c.Attempt(s, "small", units.MB, took, took/7)
			g.Add(profile.Key{Stage: s, Node: "small", Part: profile.Run}, 1e6, -1, took.Seconds())
			c.At(s, "small").Start.Add(took.Seconds() / 3)
		}
		if k%3 == 2 {
			c.Learn(&g, c)
		}
	}
	e := sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}}
	at := 0
	for at < len(b.Events) && b.Events[at].Kind <= e.Kind {
		at++
	}
	b.Events = slices.Insert(slices.Clone(b.Events), at, e)
	return b, nil
}

// decisions is a sink that writes down what is decided, without when something is to be looked at again and
// without the numbers of reasons.
type decisions struct{ lines []string }

func (d *decisions) Batch(int64, units.Time, []sched.Event) error { return nil }

func (d *decisions) Plan(round int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Verb != sched.WakeMe && it.Verb != sched.Foretell && it.Verb != sched.Rank {
			d.lines = append(d.lines, fmt.Sprint(round, it.Verb, it.Job, it.Stage, it.Node, it.Attempt, it.Task, it.Count, it.Locality, it.Refused, it.Held, it.Reason.Cause,
				p.Bound[it.Tasks.From:it.Tasks.To], p.Victims[it.Attempts.From:it.Attempts.To]))
		}
	}
	return nil
}

// Floats that are off by a millionth of a millionth, as sums in another order are at most, decide nothing.
func TestShakenFloats(t *testing.T) {
	ran := 0
	for _, s := range []Subject{simulated(runs(8)), pressed(runs(8)), unkind(runs(8))} {
		for _, text := range everyone() {
			t.Run(s.Name+" "+text, func(t *testing.T) {
				for seed := range uint64(s.Seeds) {
					play := func(by float64) []string {
						p, err := catalog.New(text, pools())
						if err != nil {
							t.Fatal(err)
						}
						d := &decisions{}
						w := &shaken{&teacher{World: s.New(t, seed)}, by, rand.New(rand.NewPCG(seed, 12))}
						if err := drive.New(w, p, d).Run(context.Background()); err != nil {
							d.lines = append(d.lines, err.Error())
						}
						return d.lines
					}
					plain, other := play(0), play(1e-12)
					ran += len(plain)
					for i := range max(len(plain), len(other)) {
						if i >= len(plain) || i >= len(other) || plain[i] != other[i] {
							t.Errorf("seed %d: %d and %d decisions, the first to differ:\n%s\n%s", seed, len(plain), len(other), append(plain, "(the end)")[i], append(other, "(the end)")[i])
							break
						}
					}
				}
			})
		}
	}
	if ran < 1000 {
		t.Errorf("%d decisions: this tests nothing", ran)
	}
}
