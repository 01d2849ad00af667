package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/worlds/engine/input"
)

// onCluster is a validation that runs its jobs on a Hadoop cluster.
type onCluster struct {
	hadoop
	history, rm string
	teach       int
	rounds      int
	log         io.Writer
}

func (v *onCluster) bind(f *pflag.FlagSet) {
	f.StringVar(&v.to, "cluster", "", "where the jobs run: on this machine, or yarn")
	f.StringVar(&v.command, "hadoop", "", "with --cluster yarn: the hadoop command (default: that on the path, or else that of slackline yarn dev)")
	f.StringVar(&v.streaming, "streaming", "", "with --cluster yarn: the jar of Hadoop Streaming (default: that of the hadoop command's installation)")
	f.BoolVar(&v.put, "put", false, "with --cluster yarn: copy the input to the cluster first, to the same paths")
	f.StringVar(&v.history, "history", "", "with --cluster yarn: address of the JobHistory server, such as http://host:19888")
	f.StringVar(&v.rm, "rm", "", "with --cluster yarn: address of the ResourceManager, such as http://rm:8088")
}

// run runs the rounds: each job alone, and then all together.
func (v *onCluster) run(cmd *cobra.Command, o *options, args []string, text textFlags) error {
	ctx := cmd.Context()
	v.log = cmd.ErrOrStderr()
	if v.to != "yarn" {
		return fmt.Errorf("--cluster is %q, it must be yarn", v.to)
	}
	if flag := given(cmd, "nodes", "slots", "block"); flag != "" {
		return fmt.Errorf("--cluster yarn and --%s contradict each other: the cluster is as it is; leave one of them out", flag)
	}
	if v.history == "" || v.rm == "" {
		return errors.New("--cluster yarn needs --history and --rm, the addresses of the JobHistory server and of the ResourceManager, such as http://history:19888 and http://rm:8088")
	}
	if len(o.policies) == 0 {
		o.policies = []string{"capacity"}
	}
	policy, seed, err := o.onePlay(cmd)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "slackline-validate-")
	if err != nil {
		return failure{err}
	}
	defer os.RemoveAll(dir)
	jobs, err := o.readJobs(args...)
	if err == nil {
		err = v.ready(o, jobs)
	}
	if err == nil && len(args) == 0 { // once it is known that they can run
		v.put = true
		jobs, err = clusterBatch(v, dir, text)
	}
	if err != nil {
		return err
	}
	told, err := trace.ReadCluster(ctx, v.rm)
	if err != nil {
		return err
	}
	if len(told.Nodes) == 0 {
		return fmt.Errorf("%s: no node is in service", v.rm)
	}
	outside.Store(true)
	defer v.clean(dir)
	if v.put {
		if err := v.bring(ctx, jobs...); err != nil {
			return err
		}
	}
	is := runs.NewClusterValidation(told, (&hadoopCluster{told}).queues(), policy, seed)
	for round := range v.teach + v.rounds {
		began, judge := time.Now(), round >= v.teach
		for i := range len(jobs) + 1 {
			set, some := "together", jobs
			if i < len(jobs) {
				set, some = "alone", jobs[i:i+1]
			}
			if i == 1 && len(jobs) == 1 {
				break
			}
			ran, err := v.play(ctx, some, filepath.ToSlash(filepath.Join(dir, fmt.Sprint("out", round), fmt.Sprint(set, i, "-"))))
			if err == nil {
				err = is.Take(ctx, set, some, ran, judge)
			}
			if err != nil {
				return err
			}
		}
		fmt.Fprintf(v.log, "round %d of %d%s: %v\n", round+1, v.teach+v.rounds, map[bool]string{false: ", to learn"}[judge], time.Since(began).Round(time.Second))
	}
	a := is.Sum(v.rounds)
	return o.result(cmd.OutOrStdout(), a, func(w io.Writer) error { return writeAgreement(w, a) })
}

// ready finds the commands, and refuses jobs that cannot move to the cluster.
func (v *onCluster) ready(o *options, jobs []*scenario.Job) error {
	for _, j := range jobs {
		if _, err := runs.Streaming(j, "slackline", time.Now(), nil); err != nil {
			return err
		}
		if len(j.After) > 0 {
			return j.Errorf("after", "it waits for job %q, and jobs come together here; leave it out", j.After[0])
		}
	}
	path, err := v.find(o)
	if err != nil {
		return err
	}
	return v.jar(path)
}

// play runs jobs at once, each into a folder of its own, and returns their histories.
func (v *onCluster) play(ctx context.Context, jobs []*scenario.Job, under string) ([]*trace.Job, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, failure{err}
	}
	began, ids, wrong := time.Now(), make([]string, len(jobs)), make([]error, len(jobs))
	var all sync.WaitGroup
	for i, j := range jobs {
		mine := *j
		mine.Output = fmt.Sprint(under, i)
		args, err := runs.Streaming(&mine, self, time.Now(), nil)
		if err != nil {
			return nil, err
		}
		all.Go(func() {
			said, err := v.hadoop.run(ctx, append([]string{"jar", v.streaming}, args...)...)
			if ids[i] = jobID.FindString(said); err != nil || ids[i] == "" {
				wrong[i] = v.why(j, said, cmp.Or(err, errors.New("it names no job")))
			}
		})
	}
	all.Wait()
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return v.ended(ctx, ids, began)
}

// ended are the histories of these jobs, which the server may have a while after their ends.
func (v *onCluster) ended(ctx context.Context, ids []string, since time.Time) ([]*trace.Job, error) {
	for until := time.Now().Add(time.Minute); ; {
		list, err := histories(ctx, v.log, v.history, 1000, since.Add(-time.Minute), true)
		if err != nil {
			return nil, err
		}
		ran := make([]*trace.Job, len(ids))
		for _, j := range list {
			if i := slices.Index(ids, j.ID); i >= 0 && j.Ran != nil && len(j.Ran.Tasks) > 0 {
				ran[i] = j.Job
			}
		}
		missing := slices.Index(ran, nil)
		if missing < 0 {
			return ran, nil
		}
		if time.Now().After(until) {
			return nil, failure{fmt.Errorf("%s does not have the history of %s a minute after its end", v.history, ids[missing])}
		}
		select {
		case <-ctx.Done():
			return nil, interrupted{errors.New("interrupted")}
		case <-time.After(time.Second):
		}
	}
}

// clean takes away what the validation has written to the cluster.
func (v *onCluster) clean(dir string) {
	if said, err := v.hadoop.run(context.Background(), "fs", "-rm", "-r", "-f", "-skipTrash", filepath.ToSlash(dir)); err != nil {
		fmt.Fprintf(v.log, "%s may be left on the cluster: %s\n", dir, strings.TrimSpace(said))
	}
}

// clusterBatch are the jobs that run if nobody names any: over eight files of text a word count and a sort, and tasks
// that take 5 and 30 s whatever they read.
func clusterBatch(v *onCluster, dir string, text textFlags) ([]*scenario.Job, error) {
	all, err := text.files(func(format string, a ...any) { fmt.Fprintf(v.log, format+"\n", a...) })
	if err != nil {
		return nil, err
	}
	parts := make([]string, 8)
	for i := range parts {
		parts[i] = filepath.Join(dir, fmt.Sprint("text", i))
		if err := joined(parts[i], all, i, len(parts)); err != nil {
			return nil, failure{err}
		}
	}
	var jobs []*scenario.Job
	for _, j := range [][2]string{
		{"words", "app: wordcount\nreduces: 2"}, {"sort", "map: cat\nreduce: cat\nreduces: 2"},
		{"short", `map: sh -c "wc -c; sleep 5"` + "\nreduces: 0"}, {"long", `map: sh -c "wc -c; sleep 30"` + "\nreduces: 0"},
	} {
		job, err := scenario.ReadJob("validate.yaml", fmt.Appendf(nil, "name: %s\n%s\ninput: x\noutput: x\n", j[0], j[1]))
		if err != nil {
			return nil, err
		}
		job.Input = parts
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// joined writes every n-th of the files, from the k-th on, into one.
func joined(path string, from []input.File, k, n int) error {
	f, err := files.Create(path, files.Kind{What: "text"})
	for ; err == nil && k < len(from); k += n {
		var text []byte
		if text, err = files.ReadAll(from[k].Path); err == nil {
			_, err = f.Write(text)
		}
	}
	if err != nil {
		return err
	}
	return f.Commit()
}
