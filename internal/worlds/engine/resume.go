package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/workload"
)

// Resumption tells what a job resumes from.
type Resumption struct {
	Job                   string
	Maps, Reduces         int // that are done
	AllMaps, AllReduces   int
	MapsAgain, PartsAgain int // were done, and are not there any more as they were
}

// Complete tells whether all jobs have finished in a run before this one, which has not forgotten
// them. An error says in what they differ from what they would be now, or that their output is not
// there as it was written.
func Complete(cfg Config) (bool, error) {
	w := empty(cfg.withDefaults())
	var jobs []*job
	for i := range w.cfg.Jobs {
		j := &job{cfg: &w.cfg.Jobs[i], out: w.outdir(&w.cfg.Jobs[i])}
		if state, err := j.out.State(); err != nil || state != outdir.Finished || j.cfg.Replace {
			return false, err
		}
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		if err := w.plan(j); err != nil {
			return false, err
		}
		if err := w.look(j); err != nil {
			return false, fmt.Errorf("job %q: %w", j.cfg.Spec.ID, err)
		}
	}
	return true, nil
}

func (w *World) outdir(c *Job) *outdir.Dir {
	return outdir.New(c.Output,
		outdir.Options{Sync: w.cfg.Sync, Fresh: w.cfg.Fresh, Replace: c.Replace, Tries: w.cfg.MaxFailures})
}

// setUp makes the output directory of a job, or takes over the one that an interrupted run left,
// before its first attempt.
func (w *World) setUp(j *job) error {
	if j.setUp {
		return nil
	}
	if err := j.out.SetUp(func() *outdir.Description { return w.describe(j) }); err != nil {
		return err
	}
	j.setUp = true
	w.begun++
	return nil
}

// describe returns what the job is now.
func (w *World) describe(j *job) *outdir.Description {
	facts := []outdir.Fact{
		{Name: "program", Value: j.cfg.Program.Name}, {Name: outdir.ReducesFact, Value: strconv.Itoa(j.reduces)},
		{Name: outdir.BlockFact, Value: cmp.Or(j.block, w.cfg.block(outdir.Bytes(j.input))).String()},
		{Name: "seed", Value: strconv.FormatUint(w.cfg.Seed, 10)},
		{Name: "skip_bad_records", Value: strconv.Itoa(j.cfg.SkipBad)}}
	for _, in := range j.cfg.Sources {
		if in.Name != "" || in.Format != nil {
			facts = append(facts, outdir.Fact{Name: strings.TrimSpace("input_format " + in.Name), Value: in.Format.String()})
		}
	}
	facts = append(facts, outdir.Fact{Name: "output_format", Value: j.cfg.Written.Format.String()},
		outdir.Fact{Name: "compress", Value: j.cfg.Written.Compress})
	if facts = append(facts, j.cfg.Facts...); j.cfg.Later != nil {
		facts = append(facts, j.cfg.Later()...)
	}
	d := outdir.Describe(facts, j.input, j.splits)
	d.Block = j.block
	if d.Command, d.Began = j.cfg.Command, j.cfg.Began.Round(0); d.Began.IsZero() {
		d.Began = w.cfg.began()
	}
	return d
}

// look finds out what an interrupted run of the job has left that can be taken over. It changes
// nothing on disk.
func (w *World) look(j *job) (err error) {
	if j.left, err = j.out.Look(w.describe(j)); err != nil || j.left == nil {
		return err
	}
	return w.takeIn(j)
}

// takeIn marks as done what was done and is still there as it was written. Parts are read for that;
// of a map output only its length is looked at, as whoever reads it checks every byte.
func (w *World) takeIn(j *job) error {
	for _, s := range j.stages {
		s.Spec.MinTasks, s.Spec.MaxTasks = 0, 0 // it has begun
		reduce := s.Spec.Kind == workload.Reduce
		for i := range s.tasks {
			c := j.left.Of(outdir.Task{Reduce: reduce, Number: i + 1})
			if c == nil || c.Lost {
				continue
			}
			out, err := j.out.Restore(c, j.reduces)
			switch {
			case err == nil:
			case c.Run != nil:
				j.again.MapsAgain++
				continue
			case j.left.Finished:
				return j.out.Unlike("its files have changed: " + err.Error())
			default:
				j.again.PartsAgain++
				continue
			}
			s.tasks[i].out = out
			s.tasks[i].State = truth.Done
			s.Done++
		}
	}
	last := j.last()
	if j.left.Finished && int(last.Done) != len(last.tasks) {
		return j.out.Unlike("its log is damaged")
	}
	if int(last.Done) == len(last.tasks) { // then nobody asks for map output
		j.again.MapsAgain = 0
		for i := range j.stages[0].tasks {
			j.stages[0].tasks[i].State = truth.Done
		}
	}
	for _, s := range j.stages {
		s.Done, s.Spec.Done = 0, nil
		for i := range s.tasks {
			t := &s.tasks[i]
			if t.State == truth.Done {
				s.Done++
				s.Spec.Done = append(s.Spec.Done, int32(i+1))
			}
			if c := j.left.Of(outdir.Task{Reduce: s.Spec.Kind == workload.Reduce, Number: i + 1}); c != nil {
				w.recall(j, t, c)
			}
		}
		s.Open = int32(len(s.tasks)) - s.Done
	}
	return nil
}

// recall takes over what the log says of a task.
func (w *World) recall(j *job, t *taskTruth, c *outdir.Commit) {
	if t.out != nil {
		j.outs.put(c.Number-1, t.out)
	}
	t.counters = c.Counted()
	for i, n := range w.cfg.Cluster.Nodes {
		if t.out != nil && n.Name == c.Node {
			t.Node = int32(i + 1)
		}
	}
}

// resumption sums up what the job resumes from.
func (j *job) resumption() Resumption {
	r := j.again
	r.Job = j.cfg.Spec.ID
	for _, s := range j.stages {
		if s.Spec.Kind == workload.Reduce {
			r.Reduces, r.AllReduces = int(s.Done), len(s.tasks)
		} else {
			r.Maps, r.AllMaps = int(s.Done), len(s.tasks)
		}
	}
	return r
}
