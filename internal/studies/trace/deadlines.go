package trace

import (
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Deadlines gives deadlines to jobs of traces that have none: a share of them, drawn job by job, is to be done
//
//	arrival + factor × dedicated time
//
// with a factor uniform on Factor. The dedicated time is what the job takes with Slots map slots and as many reduce slots as it
// has reduces, to itself: waves of its longest map, then its longest shuffle and reduce.
type Deadlines struct {
	Share  float64    // of the jobs, in [0,1]; 0 = none
	Factor [2]float64 // from, to; at least 1
	Slots  int        // map slots that a job is taken to have to itself
}

func (d *Deadlines) set(j *workload.Job, key draw.Draw) {
	if d.Share == 0 || !key.Number(1<<32).Chance(d.Share) {
		return
	}
	factor := key.Number(1<<32+1).Between(d.Factor[0], d.Factor[1])
	j.Deadline = j.Arrive.Add(max(1, d.Dedicated(j).Scale(factor)))
}

// Dedicated is the time that the job takes alone.
func (d *Deadlines) Dedicated(j *workload.Job) units.Duration {
	total := units.Duration(0)
	for i := range j.Stages {
		s := &j.Stages[i]
		longest := units.Duration(0)
		for t := range s.Tasks {
			longest = max(longest, s.Tasks[t].Shuffle+s.Tasks[t].Work)
		}
		waves := 1
		if s.Kind == workload.Map {
			waves = (len(s.Tasks)-1)/max(1, d.Slots) + 1
		}
		total += longest * units.Duration(waves)
	}
	return total
}
