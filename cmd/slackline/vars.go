package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// noAsOf is the flag as it stands when nobody gives it: a variable of the shell that is not set gives "".
const noAsOf = "now"

// bindVars adds the flags of commands that read job files.
func (o *options) bindVars(f *pflag.FlagSet) {
	f.StringVar(&o.asOf, "as-of", noAsOf, "when the run was meant to begin: {day} and times of day in job files follow from it; 01:00 (the last one), 2030-01-31, yesterday, or 2030-01-31T01:00")
	f.StringArrayVar(&o.sets, "set", nil, "NAME=VALUE: what ${NAME} and {NAME} in job files stand for, before the environment; may be repeated")
}

// vars are what texts of job files stand for in a command that begins now.
func (o *options) vars(now time.Time) (*scenario.Vars, error) {
	v := &scenario.Vars{Now: now}
	if o.asOf != noAsOf {
		var err error
		if v.AsOf, err = scenario.ParseAsOf(o.asOf, now); err != nil {
			return nil, fmt.Errorf("--as-of: %w", err)
		}
	}
	for _, text := range o.sets {
		if err := v.SetVar(text); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return v, nil
}

// readJobs reads job files of a command that begins now.
func (o *options) readJobs(files ...string) ([]*scenario.Job, error) {
	defer reading()()
	v, err := o.vars(time.Now())
	if err != nil {
		return nil, err
	}
	jobs, err := v.ReadAll(files, readFile)
	if err == nil {
		err = v.Unused()
	}
	return jobs, err
}
