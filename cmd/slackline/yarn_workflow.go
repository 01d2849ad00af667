package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/runs/equip"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// convoy are jobs on their way to a Hadoop cluster. Each goes there when those that it waits for have ended. Jobs of a
// workflow are cut as the policy there plans: it is asked before each goes, about all that have not ended.
type convoy struct {
	*hadoop
	o    *options
	cmd  *cobra.Command
	self string
	now  time.Time // spans count from then
	jobs []*scenario.Job
	due  map[string]time.Time // of workflows

	lock sync.Mutex
	over []bool // jobs that have ended
	said string // that the last plan said, if it could not be asked for
}

// goes brings all jobs to the cluster, one after the other where none waits for another.
func (c *convoy) goes() error {
	ended, errs := make([]chan struct{}, len(c.jobs)), make([]error, len(c.jobs))
	var all sync.WaitGroup
	for i, j := range c.jobs {
		ended[i] = make(chan struct{})
		one := func() {
			defer close(ended[i])
			for k, before := range c.jobs[:i] {
				if !slices.Contains(j.After, before.Name) {
					continue
				}
				if <-ended[k]; errs[k] != nil {
					errs[i] = failure{fmt.Errorf("job %q was not submitted, as job %q has not ended well", j.Name, before.Name)}
					return
				}
			}
			errs[i] = c.one(i)
		}
		if !c.waits() {
			if one(); errs[i] != nil {
				return errs[i]
			}
			continue
		}
		all.Go(one)
	}
	all.Wait()
	if c.cmd.Context().Err() != nil {
		return interrupted{errors.New("interrupted; what runs there goes on, and the same command continues")}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// waits tells whether a job waits for another.
func (c *convoy) waits() bool {
	return slices.ContainsFunc(c.jobs, func(j *scenario.Job) bool { return len(j.After) > 0 })
}

func (c *convoy) say(format string, args ...any) {
	c.lock.Lock()
	defer c.lock.Unlock()
	fmt.Fprintf(c.cmd.OutOrStdout(), format, args...)
}

// one brings one job to the cluster, and waits for its end if others do, or its output is wanted. One of a workflow may
// be there already, or have ended, where an earlier submission of it was broken off.
func (c *convoy) one(i int) error {
	j, ctx := c.jobs[i], c.cmd.Context()
	name, isIn := report.Printable(j.Name), false
	if j.Workflow != "" {
		there, err := c.there(ctx, j)
		for ; err == nil && there; there, err = c.there(ctx, j) {
			c.say("%s", map[bool]string{false: fmt.Sprintf("job %s runs already\n", name)}[isIn])
			isIn = true
			select {
			case <-ctx.Done(): // as the next call finds
			case <-time.After(2 * time.Second):
			}
		}
		if err != nil {
			return err
		}
		_, err = c.run(ctx, "fs", "-test", "-e", j.Output+"/_SUCCESS")
		if isIn = err == nil; isIn {
			c.say("job %s has ended already, and its output is in %s\n", name, j.Output)
		}
	}
	if !isIn {
		if err := c.submit(j, i); err != nil {
			return err
		}
	}
	c.lock.Lock()
	c.over[i] = true
	c.lock.Unlock()
	if !c.fetch {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.Output), 0o777); err != nil { // which hadoop does not make
		return failure{err}
	}
	if said, err := c.run(ctx, "fs", "-get", j.Output, j.Output); err != nil {
		return c.why(j, said, err)
	}
	c.say("job %s is done, and its output is in %s\n", name, j.Output)
	return nil
}

// there tells whether the cluster has such a job of the workflow that has not ended.
func (c *convoy) there(ctx context.Context, j *scenario.Job) (bool, error) {
	said, err := c.run(ctx, "org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-list",
		"-appTags", "wf:"+strings.ToLower(j.Workflow), "-appStates", "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING")
	if err != nil {
		return false, c.why(j, said, err)
	}
	return slices.ContainsFunc(strings.Split(said, "\n"), func(line string) bool {
		cells := strings.Split(line, "\t") // name of the application, name of the job, and more
		return len(cells) > 2 && strings.HasPrefix(line, "application_") && strings.TrimSpace(cells[1]) == j.Name
	}), nil
}

// submit submits a job.
func (c *convoy) submit(j *scenario.Job, i int) error {
	cut, err := c.cut(i)
	if err != nil {
		return err
	}
	name, now := report.Printable(j.Name), time.Now()
	if cut != nil {
		c.say("job %s: %s\n", name, plan(cut, now))
	}
	args, err := runs.Streaming(j, c.self, c.now, cut)
	if err != nil {
		return err
	}
	args = append([]string{"jar", c.streaming}, args...)
	waits := c.fetch || slices.ContainsFunc(c.jobs, func(o *scenario.Job) bool { return slices.Contains(o.After, j.Name) })
	if !waits {
		args = append(args, "-background")
	}
	said, err := c.run(c.cmd.Context(), args...)
	if err != nil {
		return c.why(j, said, err)
	}
	how := "is submitted"
	if waits && !c.fetch {
		how = "has ended"
	}
	c.say("job %s %s%s\n", name, how, strings.Replace(jobID.FindString(said), "job_", " as application_", 1))
	return nil
}

// cut asks how a job of a workflow is to be cut; nil: as it says.
func (c *convoy) cut(i int) (*runs.Cutting, error) {
	is := c.jobs[i]
	if is.Workflow == "" {
		return nil, nil
	}
	var left []*scenario.Job // those that run count as if they were to come
	c.lock.Lock()
	for k, j := range c.jobs {
		if !c.over[k] && j.Workflow == is.Workflow {
			left = append(left, j)
		}
	}
	c.lock.Unlock()
	all, asked, err := c.ask(left)
	if err != nil {
		c.lock.Lock()
		defer c.lock.Unlock()
		if err.Error() != c.said && c.cmd.Context().Err() == nil { // nor is it for the others
			c.said = err.Error()
			fmt.Fprintf(c.cmd.ErrOrStderr(), "jobs are submitted as their files say: %s\n", report.Printable(c.said))
		}
		return nil, nil
	}
	at := slices.Index(left, is)
	plan := all.Jobs[at].Plan
	if plan != nil {
		plan.Split(asked[at].Files)
	}
	return plan, nil
}

// ask asks the process that schedules the cluster when jobs would be done there, and how they would be cut.
func (c *convoy) ask(jobs []*scenario.Job) (*runs.Answers, []*runs.Asked, error) {
	m, list, err := c.o.alive(func(r store.Run) bool { return r.Name == runs.OfCluster })
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	if len(list) == 0 {
		return nil, nil, no{errors.New("no process that schedules a cluster is running with this store; slackline yarn serve is one")}
	}
	var all []*runs.Asked
	for i, j := range jobs {
		x := &runs.Asked{Block: 128 << 20, Workflow: j.Workflow, Due: c.due[j.Workflow], Reduces: j.Moldable.Reduces}
		x.Least, x.Most, _ = j.Cut(0) // how many it is cut into is seen there
		var there []string
		for _, path := range j.Input {
			if before := equip.Writer(jobs[:i], j, path); before != nil {
				x.Reads = append(x.Reads, before.Name)
			} else {
				there = append(there, path)
			}
		}
		for _, before := range jobs[:i] {
			if slices.Contains(j.After, before.Name) {
				x.After = append(x.After, before.Name)
			}
		}
		args, err := runs.Streaming(j, c.self, c.now, nil)
		if err != nil {
			return nil, nil, err
		}
		if len(there) > 0 {
			if x.Files, x.Block, err = c.stored(c.cmd.Context(), j, there); err != nil {
				return nil, nil, err
			}
		}
		x.Application = runs.Application(j, args, x.Files, x.Block)
		all = append(all, x)
	}
	what, err := json.Marshal(all)
	if err != nil {
		return nil, nil, failure{err}
	}
	r, err := askRun(c.cmd.Context(), m, list[len(list)-1].ID, runs.Expect, string(what))
	return r.Answers, all, err
}

// convoy looks at jobs that are to go to a Hadoop cluster. They come out each behind those that it waits for.
func (o *options) convoy(cmd *cobra.Command, h *hadoop, jobs []*scenario.Job) (*convoy, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, failure{err}
	}
	c := &convoy{hadoop: h, o: o, cmd: cmd, self: self, now: time.Now(), due: map[string]time.Time{}, over: make([]bool, len(jobs))}
	specs, err := scenario.Submit(jobs, c.now)
	if err != nil {
		return nil, err
	}
	all := make([]*workload.Job, len(specs))
	for i := range specs {
		if all[i] = &specs[i]; all[i].Workflow != nil && all[i].Workflow.Deadline != units.Never {
			c.due[jobs[i].Workflow] = c.now.Add(time.Duration(all[i].Workflow.Deadline))
		}
	}
	for _, id := range workload.NewWorkflow("", units.Never, all).Jobs {
		c.jobs = append(c.jobs, jobs[slices.IndexFunc(jobs, func(j *scenario.Job) bool { return j.Name == id })])
	}
	for _, j := range c.jobs {
		if _, err := runs.Streaming(j, self, c.now, nil); err != nil {
			return nil, err
		}
	}
	return c, nil
}
