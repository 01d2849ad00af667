package engine

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// As in Hadoop's skip mode (org.apache.hadoop.mapred.SkipBadRecords), records that user code fails
// at can be given up: when an attempt has failed at a record that is known, the next one passes
// over it, and counts it. Up to Job.SkipBad records of a task are, and such failures do not count
// as failures of the task; from the one after on they do.
//
// Deviations: Hadoop begins after two failures and narrows down where a bad record is by halving
// ranges, as its mappers may be commands that read ahead. Here the engine knows the record that it
// has just handed over. A mapper that takes many lines at once gets them one by one in attempts
// that follow a failure.

// skip returns what an attempt has to pass over.
func (w *World) skip(j *job, a *attempt) *task.Skip {
	t := &j.stage(a.stage).tasks[a.task-1]
	if j.cfg.SkipBad == 0 || !t.careful {
		return nil
	}
	return &task.Skip{Spots: slices.Clone(t.skip)}
}

// hint says, behind the reason of a failure, how to do without the record at which it came.
func (j *job) hint(err error) string {
	var user *task.UserError
	var bad *mapreduce.BadRecord
	var system syscall.Errno
	switch {
	case !errors.As(err, &user) || user.Spot == nil:
		return ""
	case !errors.As(err, &bad) && (errors.As(err, &system) || failure.Of(err) == failure.Permanent):
		// the record is not to blame
		return ""
	case j.cfg.SkipBad > 0:
		return fmt.Sprintf("; that is one more than skip_bad_records allows, %d", j.cfg.SkipBad)
	}
	return "; skip_bad_records: 1 in the job file would skip it"
}

// passOver notes the record that an attempt failed at, if it may be passed over.
func (w *World) passOver(j *job, a *attempt, err error) {
	var user *task.UserError
	if j.cfg.SkipBad == 0 || !errors.As(err, &user) {
		return
	}
	t := &j.stage(a.stage).tasks[a.task-1]
	careful := t.careful
	t.careful = true
	switch {
	case user.Spot == nil:
		a.forgiven = !careful && user.Block // the next attempt finds out which of the lines it was
	case slices.Contains(t.skip, *user.Spot):
		a.forgiven = true // a second attempt of the task failed there too
	case len(t.skip) < j.cfg.SkipBad:
		t.skip = append(t.skip, *user.Spot)
		a.forgiven = true
	}
}
