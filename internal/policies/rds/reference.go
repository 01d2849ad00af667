package rds

import (
	"math"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// refer sets what each step owes, and what a miss of it weighs.
func (c *controller) refer(v sched.View, o *outlook, finish float64) {
	job, interval, left := o.job, c.set.interval.Seconds(), o.left
	soft, hard := bounds(job, c.set.hard)
	intervals := max(1, soft.Seconds()/interval)
	o.per = 1 / intervals
	o.per = max(o.per, 1e-9)
	// δ: by when it would finish with the slots that it has, or with those of its reference.
	finish = min(finish, float64(left/o.per*interval))
	took := v.Now().Sub(job.Arrived).Seconds() + finish
	o.weight = decay(took, soft.Seconds(), hard.Seconds()) * priority(job)
	for range c.set.hp {
		owed := min(o.per, max(0, left))
		o.owes = append(o.owes, owed)
		left -= owed
	}
}

// priority is ω of a job: its weight, doubled by each step of its priority.
func priority(job *sched.Job) float64 {
	return job.Spec.Weight * math.Pow(2, float64(min(max(job.Spec.Priority, -2), 2)))
}

// bounds are t_soft and t_hard of a job, from its arrival. t_hard is at most twice t_soft.
func bounds(job *sched.Job, hundredths int64) (soft, hard units.Duration) {
	deadline := job.Deadline.Sub(job.Arrived)
	if job.Spec.Soft != units.Never && job.Spec.Soft < job.Deadline {
		soft, hard = job.Spec.Soft.Sub(job.Arrived), deadline
	} else {
		soft = deadline
		hard = soft / 100 * units.Duration(hundredths)
	}
	soft = max(soft, 1)
	return soft, min(max(hard, soft), 2*soft)
}

// decay is δ of equation 4.
func decay(y, soft, hard float64) float64 {
	switch {
	case units.Rounded(y) < units.Rounded(soft):
		return 1
	case units.Rounded(y) <= units.Rounded(hard):
		return 1 - (y-soft)/soft
	}
	return 0
}
