// Package equip makes of job files what the engine runs: it finds what each job executes, cuts its
// input, and notes what decides its output. All that a job file says is read here and nowhere else;
// an error names the place in the file.
//
//	equip.go    a set of job files, one after the other
//	program.go  what a job runs: an application, commands, or a program of the user's
//	inputs.go   what it reads and how it writes
//	facts.go    what decides its output besides its input
package equip

import (
	"fmt"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/units"
)

// Job is a job file with what the engine runs of it.
type Job struct {
	engine.Job
	File *scenario.Job // whose input is the output of another job if there are no splits
	Odd  []input.Odd   // of which something is told before they are read

	// tells whether a job before it writes what is at a path
	fed  func(path string) bool
	part func(path string) bool // likewise, and it lies in what that job writes
}

// Size is how many bytes the maps read, 0 if another job writes them.
func (j *Job) Size() (bytes int64) {
	for i := range j.Splits {
		bytes += j.Splits[i].Size
	}
	return bytes
}

// Options are what equipment depends on besides the files.
type Options struct {
	Block units.Bytes       // largest input of a map; 0 = as its input and Maps say
	Maps  int               // that may run at once
	Now   time.Time         // of submission
	There []*scenario.Job   // that were submitted before, to the same run
	Warn  func(text string) // is told of commands that will hardly find their files
}

// Jobs equips job files that are submitted together.
func Jobs(files []*scenario.Job, o Options) ([]*Job, error) {
	specs, err := scenario.Submit(files, o.Now, o.There...)
	if err != nil {
		return nil, err
	}
	var jobs []*Job
	all := slices.Concat(o.There, files)
	for i, f := range files {
		if len(f.Labels) > 0 {
			return nil, f.Errorf("labels", "workers on this machine have no labels, so no task of the job could run")
		}
		j := &Job{File: f, Job: engine.Job{Spec: specs[i], Input: f.Input, Output: f.Output, Reduces: f.Reduces,
			SkipBad: f.SkipBad, Sources: sources(f), Written: written(f), Timeout: f.Timeout.Duration()}}
		j.fed = func(path string) bool { return Writer(all, f, path) != nil }
		j.part = func(path string) bool { w := Writer(all, f, path); return w != nil && input.Within(path, w.Output) }
		if err := j.equip(slices.ContainsFunc(f.Input, j.fed), fmt.Sprintf("%d_%04d", o.Now.UnixMilli(), i+1), o); err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// Writer is the job before f that writes what is read at a path, nil if none does.
func Writer(files []*scenario.Job, f *scenario.Job, path string) *scenario.Job {
	for _, before := range files {
		if before != f && slices.Contains(f.After, before.Name) && input.Reads(path, before.Output) {
			return before
		}
	}
	return nil
}

func (j *Job) equip(fed bool, id string, o Options) error {
	programs, err := j.program()
	if err != nil {
		return err
	}
	if err := j.cut(fed, o); err != nil {
		return err
	}
	if !fed {
		j.empty(o.Warn)
	}
	j.MaxReduces = j.File.Moldable.Reduces
	if j.MinMaps, j.MaxMaps, err = j.File.Cut(len(j.Splits)); err != nil {
		return err
	}
	if j.commands() { // which are told how many maps there are
		if programs, err = j.prepare(id, o); err != nil {
			return err
		}
	}
	return j.note(programs)
}
