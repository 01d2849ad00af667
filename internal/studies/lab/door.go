package lab

import (
	"context"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Admission says what is asked when a job with a deadline comes: whether it would be in time.
type Admission struct {
	Refuse bool // a job that would be late does not come in
	Most   int  // questions in a run; 0 = one for each such job
}

// door asks. It plays on from where book and policy of the run stand, with the jobs that are there, with nothing
// that is still to come and without chance: each task takes the time that the scenario states. What jobs would teach
// the policy meanwhile is not known, nor what sim.From cannot know.
type door struct {
	Admission
	ctx  context.Context
	cell *Cell
	cfg  sim.Config
	loop *drive.Loop // of the run

	round int64 // of the run, at the last arrival
	came  []*workload.Job
	told  map[string]units.Time // when a job would be done
	sum   report.Door
	kept  units.Duration // work of the jobs that did not come in
}

// world is the simulator behind the door.
func (d *door) world(context.Context) (drive.World, error) {
	cfg, err := d.cell.Config(d.ctx)
	if err != nil {
		return nil, err
	}
	d.cfg = cfg
	cfg.Door = d.lets
	return sim.New(cfg)
}

// lets is the door's answer to a job, for sim.Config.
func (d *door) lets(j *workload.Job, at units.Time) bool {
	if d.round != d.loop.Round { // the book knows them by now
		d.round, d.came = d.loop.Round, nil
	}
	switch {
	case j.Deadline == units.Never:
	case d.Most > 0 && d.sum.Asked == d.Most:
		d.sum.Passed++
	default:
		d.sum.Asked++
		end, known := d.ask(j, at)
		switch {
		case !known:
			d.sum.Unknown++
		case d.Refuse && end > j.Deadline:
			d.sum.Refused = append(d.sum.Refused, j.ID)
			for s := range j.Stages {
				for _, t := range j.Stages[s].Tasks {
					d.kept += t.Work + t.Shuffle
				}
			}
			return false
		default:
			d.told[j.ID] = end
		}
	}
	d.came = append(d.came, j)
	return true
}

// ask says when the job would be done, units.Never if it would fail. It is not known if such a run cannot begin,
// or gets stuck.
func (d *door) ask(j *workload.Job, at units.Time) (end units.Time, known bool) {
	if slices.ContainsFunc(j.After, func(id string) bool { return slices.Contains(d.sum.Refused, id) }) {
		return units.Never, true
	}
	come := append(slices.Clone(d.came), j)
	for i, o := range come {
		come[i] = new(workload.Job)
		*come[i] = *o
		come[i].Arrive = at
	}
	fates, err := Stand{loop: d.loop, policy: startOf(d.cell).policy}.Foresee(d.ctx, d.until(at), come, j.ID)
	switch last := &fates[len(fates)-1]; {
	case last.Says():
		return last.Outlook.Half, true
	case err == nil && last.Over:
		return last.Ended, true
	}
	return units.Never, false
}

// until is the run's configuration without chance, and without what happens after that time.
func (d *door) until(at units.Time) sim.Config {
	c := d.cfg
	c.Door = nil
	c.Times, c.Stragglers, c.Failures, c.Skew = sim.Times{}, sim.Straggling{}, sim.Failures{}, 0
	c.Speeds = slices.DeleteFunc(slices.Clone(c.Speeds), func(s sim.SpeedStep) bool { return s.At > at })
	c.Sizes = slices.DeleteFunc(slices.Clone(c.Sizes), func(s sim.SizeStep) bool { return s.At > at })
	c.Supply = slices.DeleteFunc(slices.Clone(c.Supply), func(s sim.SupplyStep) bool { return s.At > at })
	c.Expect = slices.DeleteFunc(slices.Clone(c.Expect), func(o sim.Outlook) bool { return o.At > at })
	c.Outages = slices.DeleteFunc(slices.Clone(c.Outages), func(o sim.Outage) bool { return o.Down > at })
	return c
}

// report holds what was said to what became of the jobs. Those that did not come in count as submitted: nobody is
// the better for refusing.
func (d *door) report(run *report.Run) {
	run.Door = &d.sum
	n, s := len(d.sum.Refused), &run.Summary
	s.Jobs, s.Refused, s.Deadlines = s.Jobs+n, s.Refused+n, s.Deadlines+n
	if n > 0 && s.DeadlineWork != nil {
		*s.DeadlineWork += d.kept.Seconds()
	}
	for i := range run.Jobs {
		j := &run.Jobs[i]
		end, asked := d.told[j.ID]
		if !asked || j.Deadline == nil {
			continue
		}
		d.sum.Add(end.Seconds() > *j.Deadline, j.Outcome)
		if end < units.Never {
			j.Expected = &report.Expectation{Seconds: end.Seconds() - j.Submitted, From: "what the scenario states"}
		}
	}
}
