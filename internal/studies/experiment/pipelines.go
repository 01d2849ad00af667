package experiment

import (
	"context"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/units"
)

// programs are PAS, ATA and FCR of paper 001 as it has fitted them: the energy of a job in k maps is this much a map
// more, and this much besides, where 1 is that of one map (lines 247 to 270).
var programs = [][2]float64{{0.0108, 0.965}, {0.0092, 0.982}, {0.0134, 0.9835}}

const (
	atOnce = 23 // maps that run at once on the testbed
	blocks = 90 // maps of 128 MB: the default
	// What a job takes in k maps at once is a fixed part, and besides its work over k: of five maps 23 save 41 %, the
	// middle of the paper's 32.4 to 50.5 %. In 23 maps it takes 90 s, ten of which fit the paper's deadline of 960 s.
	fixed, working = 69.0, 396.0
)

// pipeline is a workflow of ten jobs one behind the other, each one of the programs.
func pipeline(seed uint64) (jobs []mold.Job, byDefault mold.Option) {
	d := draw.Of(seed, "pipeline")
	for i := range 10 {
		p := programs[d.Number(uint64(i)).Below(len(programs))]
		option := func(k int) mold.Option {
			work := p[0]*float64(k) + p[1]
			return mold.Option{Tasks: int32(k), Time: units.FromSeconds(fixed + working*work/float64(k)*float64((k-1)/atOnce+1)), Cost: int64(1e6 * work)}
		}
		var all []mold.Option
		for k := 1; k <= atOnce; k++ {
			all = append(all, option(k))
		}
		j := mold.Job{Options: mold.Front(all), Serial: option(1).Time}
		if i > 0 {
			j.After = []int{i - 1}
		}
		o := option(blocks)
		byDefault.Time, byDefault.Cost = byDefault.Time+o.Time, byDefault.Cost+o.Cost
		jobs = append(jobs, j)
	}
	return jobs, byDefault
}

// partitioned is what ATP with an ε in thousandths saves of the default's energy on a pipeline, how far it is above the
// optimum at most, and when it is done beside the default, over ten deadlines from the fastest to the default.
func partitioned(_ context.Context, _ *computed, eps float64, seed uint64) (map[string]float64, error) {
	jobs, byDefault := pipeline(seed)
	least := mold.Least(jobs)
	var saved, over, sooner, late float64
	const deadlines = 10
	for n := range deadlines {
		due := least + (byDefault.Time-least)*units.Duration(n+1)/deadlines
		cost := func(eps int64) (cost float64, done units.Duration) {
			for i, at := range mold.Partition(jobs, due, eps) {
				cost, done = cost+float64(jobs[i].Options[at.Option].Cost), max(done, at.Finish)
			}
			return cost, done
		}
		is, done := cost(int64(eps))
		best, _ := cost(1) // at most a thousandth above the optimum
		saved, over = saved+1-is/float64(byDefault.Cost), max(over, is/best*1.001-1)
		if sooner += 1 - done.Seconds()/byDefault.Time.Seconds(); done > due {
			late++
		}
	}
	return map[string]float64{"saved of the default": saved / deadlines, "above the optimum at most": over,
		"sooner than the default": sooner / deadlines, "late": late / deadlines}, nil
}
