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
// with a factor uniform on Factor, or if there are classes, on that of the class into which the job
// is drawn by their weights. The dedicated time is what the job takes with Slots map slots and as
// many reduce slots as it has reduces, to itself: waves of its longest map, then its longest
// shuffle and reduce.
type Deadlines struct {
	Share   float64    // of the jobs, in [0,1]; 0 = none
	Factor  [2]float64 // from, to; at least 1
	Slots   int        // map slots that a job is assumed to have to itself
	Classes []DeadlineClass
}

// DeadlineClass is a kind of deadlines.
type DeadlineClass struct {
	Name   string
	Weight float64    // its part of the jobs that have a deadline is Weight over the sum of all; above 0
	Factor [2]float64 // from, to; at least 1
}

func (d *Deadlines) set(j *workload.Job, key draw.Draw) {
	if d.Share == 0 || !key.Number(1<<32).Chance(d.Share) {
		return
	}
	within := d.Factor
	if len(d.Classes) > 0 {
		c := d.class(key.Number(1<<32 + 2))
		within, j.Promise = c.Factor, c.Name
	}
	factor := key.Number(1<<32+1).Between(within[0], within[1])
	j.Deadline = j.Arrive.Add(max(1, d.Dedicated(j).Scale(factor)))
}

// class draws the class of a job: of exponential draws with the weights as rates, each keyed by the
// class's name, the smallest wins. So a class that is added takes jobs from the others and moves
// none between them.
func (d *Deadlines) class(key draw.Draw) *DeadlineClass {
	var first *DeadlineClass
	least := 0.0
	for i := range d.Classes {
		c := &d.Classes[i]
		if x := key.Job(c.Name).Exponential(1 / c.Weight); first == nil || x < least {
			first, least = c, x
		}
	}
	return first
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
