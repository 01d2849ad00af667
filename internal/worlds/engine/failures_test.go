package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// failing is an executor whose attempts fail, each with the error for its number.
type failing struct {
	tries atomic.Int32
	err   func(try int) error
}

func (f *failing) Map(context.Context, task.MapConfig) (*task.Output, task.Stats, error) {
	return nil, task.Stats{}, f.err(int(f.tries.Add(1)))
}

func (f *failing) Reduce(context.Context, task.ReduceConfig) (task.Stats, error) {
	return task.Stats{}, errors.New("no reduce should run")
}

func (f *failing) Close() {}

// What cannot go away ends the job at the first attempt, whatever else may is tried four times. The
// reason is told once.
func TestFailuresThatCannotGoAway(t *testing.T) {
	input, _ := text(t, 10)
	always := func(err error) func(int) error { return func(int) error { return err } }
	for name, c := range map[string]struct {
		err   func(try int) error
		tries int32
		want  string
	}{
		"a bad record": {always(&task.UserError{Where: `input "a": record 2`, Err: &mapreduce.BadRecord{Err: errors.New("it is bad")}}), 1,
			`failed map task 1 failed: input "a": record 2: it is bad`},
		"a bad record at a known place": {always(&task.UserError{Where: `input "a": record 2, line 7`, Spot: &task.Spot{Path: "a", At: 2}, Err: &mapreduce.BadRecord{Err: errors.New("it is bad")}}), 1,
			`failed map task 1 failed: input "a": record 2, line 7: it is bad; skip_bad_records: 1 in the job file would skip it`},
		"a file too large": {always(&fs.PathError{Op: "write", Path: "run-0", Err: syscall.EFBIG}), 1, "failed map task 1 failed: write run-0: file too large"},
		"no permission":    {always(fmt.Errorf("input: %w", fs.ErrPermission)), 1, "failed map task 1 failed: input: permission denied"},
		"no permission at a known place": {always(&task.UserError{App: "x", Where: "map", Spot: &task.Spot{Path: "a", At: 2}, Err: &fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}}), 1,
			"failed map task 1 failed: application x: map failed: open /x: permission denied"},
		"a lost file at a known place": {always(&task.UserError{App: "x", Where: "map", Spot: &task.Spot{Path: "a", At: 2}, Err: &fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}}), 4,
			"failed map task 1 failed 4 times in the same way: application x: map failed: open /x: no such file or directory"},
		"code of users at a known place": {always(&task.UserError{App: "x", Where: "map", Spot: &task.Spot{Path: "a", At: 2}, Err: errors.New("no")}), 4,
			"failed map task 1 failed 4 times in the same way: application x: map failed: no; skip_bad_records: 1 in the job file would skip it"},
		"code of users": {always(&task.UserError{App: "x", Where: "map", Err: errors.New("no")}), 4,
			"failed map task 1 failed 4 times in the same way: application x: map failed: no"},
		"various": {func(try int) error { return fmt.Errorf("reason %d", try) }, 4, "failed map task 1 failed 4 times, the last time: reason 4"},
		"first this, then that": {func(try int) error {
			if try == 2 {
				return failure.As(failure.Permanent, errors.New("gone"))
			}
			return errors.New("lost")
		}, 2, "failed map task 1 failed 2 times, the last time: gone"},
	} {
		t.Run(name, func(t *testing.T) {
			x := &failing{err: c.err}
			job := engine.Job{Spec: spec("j"), Program: program(t, "wordcount"), Input: []string{input}, Output: filepath.Join(t.TempDir(), "out"), Reduces: 1, Executor: x}
			_, e := run(t, engine.Config{Cluster: workers(1, 1, 1), Jobs: []engine.Job{job}}, conform.Friendly{})
			if e.jobs["j"] != c.want || x.tries.Load() != c.tries {
				t.Errorf("%d tries, %s\nwant %d tries, %s", x.tries.Load(), e.jobs["j"], c.tries, c.want)
			}
		})
	}
}
