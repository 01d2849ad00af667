package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/units"
)

// whatIf is the question what the last days of a cluster would have been under other policies.
type whatIf struct {
	rm, dir string
	days    int
	last    int
	factor  float64
	lenient bool
	memory  bool // alone counts
}

func newYarnWhatIf(o *options) *cobra.Command {
	var q whatIf
	cmd := &cobra.Command{
		Use:   "whatif FILE|URL...",
		Short: "Tell how the last days of a cluster would have been under Slackline, and change nothing",
		Long: `Reads which jobs a Hadoop cluster ran: a URL is the address of its JobHistory server, such as http://host:19888, a FILE a job
history in JSON (.jhist). Asks the ResourceManager (--rm) for its nodes and queues. Then it simulates the same jobs on that
cluster, under the capacity scheduler and under promise, and prints how many were and would have been in time, by queue.
Nothing on the cluster is changed.

Each task takes what it took on the cluster. Deadlines are those that the jobs' tags name (in:, dl:). If no job has one, --factor
gives each: so many times the time that the job takes with ten maps at a time to itself. Jobs that failed or were killed are
left out. What the simulator does not know of the cluster shows where "as it was" and capacity differ; it says by how much.

The scenario and its trace are kept in a folder (--to), so that they can be changed and compared again.`,
		Example: `  slackline yarn whatif http://history:19888 --rm http://rm:8088
  slackline yarn whatif http://history:19888 --rm http://rm:8088 --factor 3 --html whatif.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the address of a JobHistory server, such as http://host:19888, or job histories (.jhist)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return q.ask(cmd, o, args) },
	}
	o.bindRuns(cmd)
	f := cmd.Flags()
	f.StringVar(&q.rm, "rm", "", "address of the ResourceManager, such as http://rm:8088, which tells nodes and queues")
	bindFile(f, &q.dir, "to", `folder for the scenario and its trace (default "whatif")`)
	f.IntVar(&q.days, "days", 7, "read the jobs of so many days")
	f.IntVar(&q.last, "last", 1000, "of jobs of one name, read the last so many")
	f.Float64Var(&q.factor, "factor", 0, "where no job has a deadline: times that it takes alone, which each is given")
	f.BoolVar(&q.lenient, "lenient", false, "leave out and count jobs that cannot be read")
	for _, not := range []string{"nodes", "slots"} { // they are the cluster's
		_ = f.MarkHidden(not)
	}
	return cmd
}

func (q *whatIf) ask(cmd *cobra.Command, o *options, args []string) error {
	switch {
	case q.rm == "":
		return errors.New("--rm is needed: the address of the ResourceManager, such as http://rm:8088")
	case q.days < 1 || q.last < 1:
		return errors.New("--days and --last must be 1 or more")
	case q.factor != 0 && (q.factor < 1 || q.factor > 1e6):
		return fmt.Errorf("--factor is %v, it must be from 1 to a million", q.factor)
	}
	q.dir = cmp.Or(q.dir, "whatif")
	told, err := trace.ReadCluster(cmd.Context(), q.rm)
	cluster := hadoopCluster{told}
	if err != nil {
		return err
	}
	if len(cluster.Nodes) == 0 {
		return fmt.Errorf("%s: no node is in service", q.rm)
	}
	var jobs []ranJob
	for _, from := range args {
		some, err := histories(cmd.Context(), cmd.ErrOrStderr(), from, q.last, time.Now().Add(-time.Duration(q.days)*24*time.Hour), q.lenient)
		if err != nil {
			return err
		}
		jobs = append(jobs, some...)
	}
	failed := len(jobs)
	jobs = slices.DeleteFunc(jobs, func(j ranJob) bool { return j.Ran == nil || !j.Ran.Committed || len(j.Ran.Tasks) == 0 })
	if failed -= len(jobs); failed > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s left out that failed, was killed, or ran inside its ApplicationMaster\n", units.Count(failed, "job"))
	}
	all := cluster.queues()
	gone := map[string]int{}
	jobs = slices.DeleteFunc(jobs, func(j ranJob) bool {
		no := all.Check(j.Queue) != nil
		if no {
			gone[j.Queue]++
		}
		return no
	})
	for _, queue := range slices.Sorted(maps.Keys(gone)) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s left out of the queue %q, which the cluster does not have now\n", units.Count(gone[queue], "job"), queue)
	}
	if host := cluster.Uncounted(each.Of(jobs, func(j ranJob) *trace.Job { return j.Job })); host != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "cores bound nothing here: more ran on %s at a time than it has, so memory alone counts\n", host)
		q.memory = true
	}
	if len(jobs) == 0 {
		return fmt.Errorf("no job is left of the last %s", units.Count(q.days, "day"))
	}
	if !slices.ContainsFunc(jobs, func(j ranJob) bool { return j.Deadline > 0 }) && q.factor == 0 {
		return errors.New("no job had a deadline; --factor 3 gives each three times the time that it takes alone")
	}
	file, err := q.write(cmd, cluster, jobs)
	if err != nil {
		return err
	}
	cells, err := config.FromFiles([]string{file}, readFile, func(file string, src []byte) ([]lab.Cell, error) { return o.scenarioCells(cmd, file, src) })
	if err != nil {
		return err
	}
	runs, err := o.runCells(cmd, cells)
	if err != nil {
		return err
	}
	r := report.New(runs...)
	r.Compare("")
	if o.output == "table" {
		if err := asItWas(cmd.OutOrStdout(), jobs, runs); err != nil {
			return err
		}
	}
	return o.finish(cmd.OutOrStdout(), r)
}

// write writes the trace and the scenario that plays it, and says where the scenario is.
func (q *whatIf) write(cmd *cobra.Command, c hadoopCluster, jobs []ranJob) (file string, err error) {
	slices.SortStableFunc(jobs, func(a, b ranJob) int { return cmp.Compare(a.Ran.Submitted, b.Ran.Submitted) })
	if err := os.MkdirAll(q.dir, 0o777); err != nil {
		return "", fmt.Errorf("--to: %w", err)
	}
	err = writeBeside(cmd, "to", filepath.Join(q.dir, "jobs.jsonl"), units.Count(len(jobs), "job"), func(w io.Writer) error {
		t, err := trace.NewWriter(w), error(nil)
		for i := 0; err == nil && i < len(jobs); i++ {
			j := *jobs[i].Job
			for at := range j.Stages {
				needs := &j.Stages[at].Needs
				if *needs == (units.Vector{}) { // a file tells none: what Hadoop gives
					*needs = units.Vector{units.Memory: int64(units.GB), units.VCores: 1}
				}
				if q.memory {
					needs[units.VCores] = 0
				}
			}
			j.Submit = units.Time(jobs[i].Ran.Submitted-jobs[0].Ran.Submitted) * units.Time(units.Millisecond)
			err = t.Write(&j)
		}
		return cmp.Or(err, t.Close())
	})
	if err != nil {
		return "", err
	}
	text, err := q.scenario(c, jobs)
	if err != nil {
		return "", err
	}
	file = filepath.Join(q.dir, "whatif.yaml")
	return file, writeBeside(cmd, "to", file, "its scenario", func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// scenario is the cluster with these jobs.
func (q *whatIf) scenario(c hadoopCluster, jobs []ranJob) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# The jobs of a cluster, as slackline yarn whatif read them. To change it and look again: slackline compare %s\n", filepath.Join(q.dir, "whatif.yaml"))
	o := trace.OverheadsOf(each.Of(jobs, func(j ranJob) *trace.Job { return j.Job }), c.Beat)
	if o.Needs == (units.Vector{}) { // a file tells none: what Hadoop gives
		o.Needs = units.Vector{units.Memory: 1536 * int64(units.MB), units.VCores: 1}
	}
	if q.memory {
		o.Needs[units.VCores] = 0
	}
	fmt.Fprintf(&b, "name: whatif\nstart: %s\ncluster:\n  heartbeat: %v\n  launch: %v\n  masters: {start: %v, vcores: %d, memory: %dMB}\n  classes:\n",
		time.UnixMilli(jobs[0].Ran.Submitted).UTC().Format("2006-01-02T15:04:05Z"), c.Beat, o.Launch, o.Master, o.Needs[units.VCores], o.Needs[units.Memory]/int64(units.MB))
	var has []units.Vector
	count := map[units.Vector]int{}
	for _, n := range c.Nodes {
		if q.memory {
			n.Has[units.VCores] = 0
		}
		if count[n.Has]++; count[n.Has] == 1 {
			has = append(has, n.Has)
		}
	}
	for i, v := range has {
		fmt.Fprintf(&b, "    - {name: class%d, nodes: %d, memory: %dMB, vcores: %d, map_slots: 0, reduce_slots: 0}\n", i+1, count[v], v[units.Memory]/int64(units.MB), v[units.VCores])
	}
	b.WriteString("workload:\n  trace:\n    format: slackline\n    file: jobs.jsonl\n    containers: true\n")
	if q.factor != 0 {
		fmt.Fprintf(&b, "    deadlines: {share: 1, factor: %v..%[1]v, slots: 10}\n", q.factor)
	}
	if all := c.queues(); len(all.Queues) > 0 {
		text, err := json.Marshal(all.Queues)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "queues: %s\n", text)
	}
	b.WriteString("policies: [capacity, promise]\n")
	return b.String(), nil
}

// hadoopCluster is what the ResourceManager tells.
type hadoopCluster struct{ trace.Cluster }

// queues are its queues, as the key queues: of a scenario has them.
func (c *hadoopCluster) queues() queues.Config {
	list := make([]*yarn.Queue, len(c.Queues))
	for i, x := range c.Queues {
		list[i] = &yarn.Queue{Path: x.Path, Capacity: x.Capacity, Maximum: x.Maximum, UserLimit: x.UserLimit, UserFactor: x.UserFactor, Masters: x.Masters, Running: int32(x.Running)}
	}
	all, _ := below("root", list, true)
	return queues.Config{Queues: all}
}

// asItWas prints, by queue, how many jobs were in time on the cluster, and would have been.
func asItWas(w io.Writer, jobs []ranJob, runs []*report.Run) error {
	was := map[string]float64{}
	for _, j := range jobs {
		was[j.ID] = j.Ran.Response().Seconds()
	}
	type row struct {
		jobs, real int
		in, no     []int
	}
	rows := map[string]*row{}
	var names []string
	for at, r := range runs {
		for i := range r.Jobs {
			j := &r.Jobs[i]
			if j.Deadline == nil {
				continue
			}
			x := rows[j.Queue]
			if x == nil {
				x = &row{in: make([]int, len(runs)), no: make([]int, len(runs))}
				rows[j.Queue], names = x, append(names, j.Queue)
			}
			if at == 0 {
				x.jobs++
				if was[j.ID] <= *j.Deadline-j.Submitted {
					x.real++
				}
			}
			if j.Finished != nil && *j.Finished <= *j.Deadline {
				x.in[at]++
			}
			if j.Refusal != "" {
				x.no[at]++
			}
		}
	}
	slices.Sort(names)
	var off []float64 // under stock scheduling, of the jobs that it played
	for _, r := range runs {
		for i := range r.Jobs {
			if j := &r.Jobs[i]; r.Policy == "capacity" && j.Finished != nil && was[j.ID] > 0 {
				off = append(off, 100*((*j.Finished-j.Submitted)/was[j.ID]-1))
			}
		}
	}
	t := &report.Grid{Title: "jobs with a deadline that were in time, and would have been"}
	head := []string{"queue", ">jobs", ">as it was"}
	for _, r := range runs {
		head = append(head, ">"+r.Policy)
	}
	t.Add(append(head, ">refused")...)
	for _, name := range names {
		x := rows[name]
		cells := []string{cmp.Or(name, queues.Default), fmt.Sprint(x.jobs), fmt.Sprint(x.real)}
		for _, n := range x.in {
			cells = append(cells, fmt.Sprint(n))
		}
		t.Add(append(cells, fmt.Sprint(slices.Max(x.no)))...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if len(off) > 0 {
		fmt.Fprintf(w, "\nPlayed under capacity, jobs take %+.0f %% against what they took (the middle; 8 of 10 from %+.0f to %+.0f %%).\n",
			stat.Quantile(off, 0.5), stat.Quantile(off, 0.1), stat.Quantile(off, 0.9))
	}
	_, err := fmt.Fprintln(w)
	return err
}
