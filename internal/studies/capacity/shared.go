package capacity

import (
	"context"
	"math"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
)

// Gap is how far the bounds of a class are from what its jobs took on average, as parts of the
// bounds (paper 004, section 5.2).
type Gap struct {
	Upper, Middle float64
	Took          float64 // seconds
	Rounds        int     // of the fixed point
}

// Gaps plays users on slots that all tasks share, whatever their phase, by fair: at_most of each
// class, who think for a tenth of the execution time before each job, for so many times the longest
// execution time. The bounds count an even part of all slots for each user.
//
// A user submits a job when the one before has ended. With fixed the next one comes instead after
// the time that jobs are guessed to take, and the guess moves by 0.07 of its error until it is less
// than 0.1 off (equation 42), as where a trace has to be written before it is played.
func Gaps(ctx context.Context, c *scenario.Capacity, slots, nodes int, heartbeat units.Duration, rounds int, fixed bool, seed uint64) ([]Gap, error) {
	const beta, tau, most = 0.07, 0.1, 100
	all := 0.0
	for i := range c.Classes {
		c.Classes[i].MapSlots, c.Classes[i].ReduceSlots = float64(slots), float64(slots)
		all += c.Classes[i].AtMost
	}
	_, jobs := problem(c, 1)
	gaps := make([]Gap, len(jobs))
	guess := make([]float64, len(jobs))
	for i := range jobs {
		guess[i] = jobs[i].Upper().Time(all, float64(slots), float64(slots))
	}
	for n := 1; ; n++ {
		came := make([]stat.Sum, len(jobs))
		source := &users{draw: draw.Of(seed, "shared"), paced: fixed}
		for i := range jobs {
			k := &c.Classes[i]
			source.crowds = append(source.crowds, crowd{CapacityClass: k, users: int(k.AtMost), takes: guess[i],
				maps: part(k.MapSlots, units.VCores), reduce: part(k.ReduceSlots, units.VCores), into: &came[i]})
		}
		source.begin(rounds)
		each := cluster.Class{Name: "shared", Speed: 1, Capacity: units.Vector{units.VCores: machine / int64(nodes)}}
		cfg := sim.Config{Cluster: cluster.Uniform(nodes, 1, each), Seed: seed, Heartbeat: heartbeat}
		if err := source.play(ctx, cfg); err != nil {
			return nil, err
		}
		off := 0.0
		for i := range gaps {
			took := came[i].Mean()
			up, middle := jobs[i].Upper().Time(all, float64(slots), float64(slots)), jobs[i].Mean().Time(all, float64(slots), float64(slots))
			gaps[i] = Gap{(up - took) / up, (middle - took) / middle, took, n}
			off = max(off, math.Abs(guess[i]-took)/took)
			guess[i] += beta * (took - guess[i])
		}
		if !fixed || off < tau || n == most {
			return gaps, nil
		}
	}
}
