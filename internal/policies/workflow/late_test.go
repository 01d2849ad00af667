package workflow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// taught is a view of what is known of classes of jobs.
type taught struct {
	sched.View
	classes map[string]*profile.Class
}

func (t taught) Profile(class string) *profile.Class { return t.classes[class] }

// chain are jobs of maps of such classes one behind the other, each as cut and long as its option says, with a job
// beside the first that is never on the longest path.
func chain(classes []string, options []mold.Option) (list []stage, jobs []mold.Job) {
	for i, o := range options {
		list = append(list, stage{job: &sched.Job{Spec: &workload.Job{Class: classes[i]}}, spec: &workload.StageSpec{Kind: workload.Map}})
		j := mold.Job{Options: []mold.Option{o, {Tasks: 1, Time: 10 * o.Time}}}
		if i > 0 {
			j.After = []int{i - 1}
		}
		jobs = append(jobs, j)
	}
	list = append(list, list[0])
	return list, append(jobs, mold.Job{Options: []mold.Option{{Tasks: 100, Time: options[0].Time / 2}}})
}

func classOf(values ...float64) *profile.Class {
	s := profile.Stage{Stage: workload.Map}
	for _, x := range values {
		s.Spread.Add(x)
	}
	return &profile.Class{Stages: []profile.Stage{s}}
}

// How likely a workflow is in time that is late by what is expected, by hand: of "even" a map takes as often half as
// long as three halves of its mean, "sure" always the same, and of others nothing is known. A distribution is some
// quantiles, so that chances are off by some hundredths.
func TestChanceByHand(t *testing.T) {
	v := taught{classes: map[string]*profile.Class{"even": classOf(5, 15), "sure": classOf(7)}}
	one, four := mold.Option{Tasks: 1, Time: 10 * units.Second}, mold.Option{Tasks: 4, Time: 10 * units.Second}
	for _, c := range []struct {
		classes []string
		options []mold.Option
		within  float64
		chance  float64
	}{
		{[]string{"even"}, []mold.Option{one}, 4, 0},
		{[]string{"even"}, []mold.Option{one}, 9, 0.5},
		{[]string{"even"}, []mold.Option{one}, 16, 1},
		{[]string{"even"}, []mold.Option{four}, 9, 1.0 / 16}, // all four have to be short
		{[]string{"sure"}, []mold.Option{four}, 9.9, 0},
		{[]string{"unknown"}, []mold.Option{one}, 9.9, 0},
		{[]string{"even", "even"}, []mold.Option{one, one}, 9, 0},
		{[]string{"even", "even"}, []mold.Option{one, one}, 14, 0.25},
		{[]string{"even", "even"}, []mold.Option{one, one}, 24, 0.75},
		{[]string{"even", "sure"}, []mold.Option{one, one}, 19, 0.5},
		{[]string{"even", "even"}, []mold.Option{one, {Tasks: 1, Time: 30 * units.Second}}, 38, 0.5},
	} {
		list, jobs := chain(c.classes, c.options)
		why := late(v, list, jobs, units.FromSeconds(c.within))
		if got := float64(why.C) / 1e6; math.Abs(got-c.chance) > 0.04 {
			t.Errorf("%v %v within %v s: %v, want %v", c.classes, c.options, c.within, got, c.chance)
		}
		if want := int64(mold.Least(jobs)); why.Cause != EarliestFinish || why.B != want {
			t.Errorf("%v: %v, and it takes %v", c.classes, why, units.Duration(want))
		}
	}
}

// The same of drawn chains against as many runs of them.
func TestChanceByRuns(t *testing.T) {
	const runs = 5_000
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		v := taught{classes: map[string]*profile.Class{}}
		var classes []string
		var options []mold.Option
		var takes [][]float64
		for k := range 1 + r.IntN(4) {
			name, deviation := fmt.Sprint("c", k), r.Float64()
			values, mean := make([]float64, 400), 0.0
			for i := range values {
				values[i] = math.Exp(deviation * r.NormFloat64())
				mean += values[i] / float64(len(values))
			}
			v.classes[name] = classOf(values...)
			classes, options = append(classes, name), append(options, mold.Option{Tasks: int32(1 + r.IntN(30)), Time: units.Duration(1+r.IntN(100)) * units.Second})
			for i := range values {
				values[i] *= options[k].Time.Seconds() / mean
			}
			takes = append(takes, values)
		}
		list, jobs := chain(classes, options)
		for _, part := range []float64{0.8, 1.5, 2.5, 4} {
			within := part * mold.Least(jobs).Seconds()
			in := 0
			for range runs {
				all := 0.0
				for k := range takes {
					last := 0.0
					for range options[k].Tasks {
						last = max(last, takes[k][r.IntN(len(takes[k]))])
					}
					all += last
				}
				if all <= within {
					in++
				}
			}
			if got, want := float64(late(v, list, jobs, units.FromSeconds(within)).C)/1e6, float64(in)/runs; math.Abs(got-want) > 0.08 {
				t.Errorf("%v within %.0f s: %.3f, of %d runs %.3f", options, within, got, runs, want)
			}
		}
	}
}

// What is left free for the spread of times, by hand: of ten values from 10 to 28 s, 19 s on average, nine are at
// most 26 s; one that is always the same takes that.
func TestUnsureByHand(t *testing.T) {
	v := taught{classes: map[string]*profile.Class{"even": classOf(10, 12, 14, 16, 18, 20, 22, 24, 26, 28), "sure": classOf(7)}}
	one := mold.Option{Tasks: 1, Time: 10 * units.Second}
	for _, c := range []struct {
		classes []string
		want    float64
	}{
		{[]string{"sure"}, 1}, {[]string{"unknown"}, 1}, {[]string{"even"}, 26.0 / 19}, {[]string{"even", "sure"}, (26.0/19 + 1) / 2},
	} {
		list, jobs := chain(c.classes, []mold.Option{one, one}[:len(c.classes)])
		if got := unsure(v, list, jobs); math.Abs(got-c.want) > 0.05 {
			t.Errorf("%v: %v, want %v", c.classes, got, c.want)
		}
	}
}
