package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/runs/equip"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// hadoop is where jobs go that are submitted to a cluster, and by what.
type hadoop struct {
	to, command, streaming string
	put, fetch             bool
}

// bindTo is for who only asks.
func (h *hadoop) bindTo(flags *pflag.FlagSet) {
	flags.StringVar(&h.to, "to", "run", "where the jobs go: run, in another terminal, or yarn, the Hadoop cluster of --hadoop")
	flags.StringVar(&h.command, "hadoop", "", "with --to yarn: the hadoop command (default: that on the path, or else that of slackline yarn dev)")
}

func (h *hadoop) bind(flags *pflag.FlagSet) {
	h.bindTo(flags)
	flags.StringVar(&h.streaming, "streaming", "", "with --to yarn: the jar of Hadoop Streaming (default: that of the hadoop command's installation)")
	flags.BoolVar(&h.put, "put", false, "with --to yarn: copy the input to the cluster first, to the same paths")
	flags.BoolVar(&h.fetch, "fetch", false, "with --to yarn: wait for the end, and bring the output here")
}

// nowhere says that there is no such place.
func (h *hadoop) nowhere() error { return fmt.Errorf("--to is %q, it must be run or yarn", h.to) }

// find looks for the command where it is not given.
func (h *hadoop) find(o *options) (path string, err error) {
	if h.command == "" {
		h.command, _ = exec.LookPath("hadoop") // "" if there is none
	}
	if h.command == "" {
		data, err := o.dataDir()
		if err != nil {
			return "", err
		}
		h.command = filepath.Join(data, "yarn-dev", "bin", "hadoop")
		if _, err := os.Stat(h.command); err != nil {
			return "", fmt.Errorf("there is no hadoop command on the path, and no cluster of slackline yarn dev; --hadoop names one")
		}
	}
	if path, err = exec.LookPath(h.command); err != nil {
		return "", fmt.Errorf("--hadoop: %q cannot be run", h.command)
	}
	return path, nil
}

// jar looks for that of Hadoop Streaming where it is not given.
func (h *hadoop) jar(path string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if h.streaming != "" {
		_, err := os.Stat(h.streaming)
		if err != nil {
			return fmt.Errorf("--streaming: %s cannot be read", h.streaming)
		}
		return nil
	}
	home := filepath.Dir(filepath.Dir(path))
	for _, dir := range []string{filepath.Join(home, "share", "hadoop", "tools", "lib"), filepath.Join(home, "lib")} {
		if found, _ := filepath.Glob(filepath.Join(dir, "hadoop-streaming-*.jar")); len(found) > 0 {
			h.streaming = found[0]
			return nil
		}
	}
	return fmt.Errorf("there is no hadoop-streaming-*.jar in the installation at %s; --streaming names it", home)
}

// submitToYarn brings the jobs of these files to a Hadoop cluster, once all of them are known to be fit for it.
func (o *options) submitToYarn(cmd *cobra.Command, h *hadoop, files []string) error {
	jobs, err := o.readJobs(files...)
	if err != nil {
		return err
	}
	c, err := o.convoy(cmd, h, jobs)
	if err != nil {
		return err
	}
	path, err := h.find(o)
	if err == nil {
		err = h.jar(path)
	}
	if err != nil {
		return err
	}
	if h.put {
		if err := h.bring(cmd.Context(), c.jobs...); err != nil {
			return err
		}
	}
	return c.goes()
}

var (
	jobID   = regexp.MustCompile(`job_[0-9]+_[0-9]+`)
	refusal = regexp.MustCompile(`slackline: [^\n]+`)
)

// bring copies the input of jobs to the same paths in the cluster's file system: what lies in one folder at once, as
// each command starts a JVM; but for what others of them write.
func (h *hadoop) bring(ctx context.Context, jobs ...*scenario.Job) error {
	brought := map[string]bool{}
	for _, j := range jobs {
		in := map[string][]string{}
		for _, input := range j.Input {
			if equip.Writer(jobs, j, input) != nil {
				continue
			}
			found, err := filepath.Glob(input)
			if err != nil || len(found) == 0 {
				return j.Errorf("input", "%s: there is no such file here that could be copied to the cluster", input)
			}
			for _, path := range found {
				if folder := filepath.ToSlash(filepath.Dir(path)); !brought[path] {
					brought[path], in[folder] = true, append(in[folder], path)
				}
			}
		}
		for _, folder := range slices.Sorted(maps.Keys(in)) {
			put := slices.Concat([]string{"fs", "-put", "-f"}, in[folder], []string{folder})
			for _, args := range [][]string{{"fs", "-mkdir", "-p", folder}, put} {
				if said, err := h.run(ctx, args...); err != nil {
					return h.why(j, said, err)
				}
			}
		}
	}
	return nil
}

func (h *hadoop) run(ctx context.Context, args ...string) (string, error) {
	said, err := exec.CommandContext(ctx, h.command, args...).CombinedOutput()
	return string(said), err
}

// why says why Hadoop did not do something: Slackline's sentence, or the first error of Hadoop's own.
func (h *hadoop) why(j *scenario.Job, said string, err error) error {
	if s := refusal.FindString(said); s != "" {
		return no{fmt.Errorf("job %q was refused: %s", j.Name, strings.TrimPrefix(s, "slackline: "))}
	}
	last := err.Error()
	for _, line := range strings.Split(said, "\n") {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "at ") {
			last = text
			if strings.Contains(text, "ERROR") || strings.Contains(text, "Exception") || strings.Contains(text, "rror:") {
				break
			}
		}
	}
	return failure{fmt.Errorf("job %q: hadoop says: %s", j.Name, report.Printable(last))}
}
