package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
)

// askYarn asks the process that schedules a cluster when jobs would be done there.
func (o *options) askYarn(cmd *cobra.Command, h *hadoop, jobs []*scenario.Job, tell func(*runs.Answers) error) error {
	if flag := given(cmd, ofOwnRun...); flag != "" {
		return fmt.Errorf("--to yarn and --%s contradict each other: the cluster is as it is; leave one of them out", flag)
	}
	m, list, err := o.alive(func(r store.Run) bool { return r.Name == runs.OfCluster })
	if err != nil {
		return err
	}
	defer m.Close()
	if len(list) == 0 {
		return no{errors.New("no process that schedules a cluster is running with this store; slackline yarn serve is one")}
	}
	if _, err := h.find(o); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return failure{err}
	}
	var all []*wire.Application
	for _, j := range jobs {
		args, err := runs.Streaming(j, self, time.Now())
		if err != nil {
			return err
		}
		stored, block, err := h.stored(cmd.Context(), j)
		if err != nil {
			return err
		}
		all = append(all, runs.Application(j, args, stored, block))
	}
	what, err := json.Marshal(all)
	if err != nil {
		return failure{err}
	}
	r, err := askRun(cmd.Context(), m, list[len(list)-1].ID, runs.Expect, string(what))
	if err != nil {
		return err
	}
	return tell(r.Answers)
}

// stored are the files that a job reads in the cluster's file system, and the size of a block there.
func (h *hadoop) stored(ctx context.Context, j *scenario.Job) (found []runs.Stored, block int64, err error) {
	said, err := h.run(ctx, append([]string{"fs", "-ls", "-R"}, j.Input...)...)
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
		return nil, 0, j.Errorf("input", "%s: there is no such file in the cluster's file system", strings.Join(j.Input, ", "))
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
