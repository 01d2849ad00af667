package lab

import (
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// profiled draws a job of a queue, and what a true profile says of it.
func profiled(d draw.Draw, queue, law string) (*workload.Job, bounds.Job) {
	times := func(name string, n int) ([]units.Duration, bounds.Time) {
		list := make([]units.Duration, n)
		t := bounds.Time{}
		for i := range list {
			d := d.Job(name).Number(uint64(i))
			x := 10.0
			switch law {
			case "uniform":
				x = d.Between(0, 20)
			case "heavy tail":
				x = min(1000, 2*math.Pow(d.Float64(), -1/1.2))
			}
			list[i] = units.FromSeconds(x)
			t.Mean += list[i].Seconds() / float64(n)
			t.Max = max(t.Max, list[i].Seconds())
		}
		return list, t
	}
	p := bounds.Job{Maps: 1 + d.Job("maps").Below(60), Reduces: d.Job("reduces").Below(20)}
	var maps, shuffles, reduces []units.Duration
	maps, p.Map = times("map", p.Maps)
	shuffles, p.Shuffle = times("shuffle", p.Reduces)
	reduces, p.Reduce = times("reduce", p.Reduces)
	p.First = p.Shuffle // the first wave is like the others
	j := single(queue, 0, maps)
	j.Queue, j.SlowStart = queue, 1
	if p.Reduces > 0 {
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce})
	}
	for i := range reduces {
		j.Stages[1].Tasks = append(j.Stages[1].Tasks, workload.Task{Work: reduces[i], Shuffle: shuffles[i]})
	}
	return j, p
}

// Jobs end within the bounds of paper 004 (equations 1 and 2) on slots of their own, those of a
// queue that lends none and borrows none. Where queues lend what they leave idle some jobs end
// before the lower bound, as the package of the bounds says.
func TestBounds(t *testing.T) {
	const slots = 20
	early := 0
	for seed := range uint64(scenarios(60, 1000)) {
		for _, law := range []string{"constant", "uniform", "heavy tail"} {
			d := draw.Of(seed, law)
			own := map[string]int{"a": 1 + d.Job("share").Below(slots-1)}
			own["b"] = slots - own["a"]
			config := queues.Config{Queues: []queues.Queue{
				{Name: "a", Capacity: 100 * float64(own["a"]) / slots}, {Name: "b", Capacity: 100 * float64(own["b"]) / slots},
			}}
			w := &workload.Workload{}
			known := map[string]bounds.Job{}
			for _, queue := range []string{"a", "b"} {
				j, p := profiled(d.Job(queue), queue, law)
				w.Jobs, known[queue] = append(w.Jobs, j), p
			}
			for _, policy := range []string{"capacity(elastic=false)", "capacity"} {
				p, err := catalog.New(policy, config)
				if err != nil {
					t.Fatal(err)
				}
				b := report.NewBuilder("sim", "bounds", policy, seed)
				nodes := cluster.Uniform(slots, 1, cluster.Class{Name: "k", Speed: 1, Capacity: units.Slots(1, 1)})
				drivePolicy(t, sim.Config{Cluster: nodes, Workload: w, Seed: seed}, p, follow.New(b))
				for _, j := range b.Run().Jobs {
					k := float64(own[j.Queue])
					job := known[j.Queue]
					low, up := job.Lower().Time(1, k, k), job.Upper().Time(1, k, k)
					if *j.Finished < low*(1-1e-6) && policy == "capacity" {
						early++
						continue
					}
					if *j.Finished < low*(1-1e-6) || *j.Finished > up*(1+1e-6) {
						t.Fatalf("seed %d, %s, %s: job %s with %v slots took %v s, not %v to %v: %+v",
							seed, law, policy, j.ID, k, *j.Finished, low, up, job)
					}
				}
			}
		}
	}
	if early == 0 {
		t.Error("no job ends before its lower bound where queues lend their slots")
	}
	t.Logf("%d jobs end before their lower bound where queues lend their slots", early)
}
