package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// askYarn asks the process that schedules a cluster when jobs would be done there.
func (o *options) askYarn(cmd *cobra.Command, h *hadoop, jobs []*scenario.Job, tell func(*runs.Answers) error) error {
	if flag := given(cmd, ofOwnRun...); flag != "" {
		return fmt.Errorf("--to yarn and --%s contradict each other: the cluster is as it is; leave one of them out", flag)
	}
	if _, err := h.find(o); err != nil {
		return err
	}
	c, err := o.convoy(cmd, h, jobs)
	if err != nil {
		return err
	}
	all, _, err := c.ask(c.jobs)
	if err != nil {
		return err
	}
	for i := range all.Jobs {
		if a := &all.Jobs[i]; a.Done == nil && a.Plan == nil && a.Refused == "" {
			return no{fmt.Errorf("run %d: the policy %s does not say when jobs will be done", all.Run, all.Policy)}
		}
	}
	return tell(all)
}

// stored are the files at paths that a job reads in the cluster's file system, and the size of a block there.
func (h *hadoop) stored(ctx context.Context, j *scenario.Job, paths []string) (found []runs.Stored, block int64, err error) {
	said, err := h.run(ctx, append([]string{"fs", "-ls", "-R"}, paths...)...)
	if err != nil {
		return nil, 0, h.why(j, said, err)
	}
	first := ""
	for _, line := range strings.Split(said, "\n") {
		// permissions, copies, user, group, size, date, time, path
		words := strings.Fields(line)
		if len(words) < 8 || !strings.HasPrefix(words[0], "-") || strings.HasPrefix(path.Base(words[7]), "_") || strings.HasPrefix(path.Base(words[7]), ".") {
			continue
		}
		if size, err := strconv.ParseInt(words[4], 10, 64); err == nil {
			first = line[strings.Index(line, words[6])+len(words[6])+1:]
			found = append(found, runs.Stored{Size: size, Whole: slices.Contains([]string{".gz", ".deflate", ".snappy", ".lz4", ".zst"}, path.Ext(first))})
		}
	}
	if found == nil {
		return nil, 0, j.Errorf("input", "%s: there is no such file in the cluster's file system", strings.Join(paths, ", "))
	}
	said, err = h.run(ctx, "fs", "-stat", "%o", first)
	if err == nil {
		lines := strings.Fields(said)
		block, err = strconv.ParseInt(lines[len(lines)-1], 10, 64)
	}
	if err != nil || block <= 0 {
		return nil, 0, h.why(j, said, errors.Join(err, errors.New("it names no size of a block")))
	}
	return found, block, nil
}
