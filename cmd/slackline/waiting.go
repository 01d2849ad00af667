package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/units"
)

// toGo counts tasks that are not done, "" if there are none.
func toGo(maps, reduces int) string {
	switch {
	case maps > 0 && reduces > 0:
		return units.Count(maps, "map") + " and " + units.Count(reduces, "reduce")
	case maps > 0:
		return units.Count(maps, "map")
	case reduces > 0:
		return units.Count(reduces, "reduce")
	}
	return ""
}

// waiting is what a job waits for, by the book of its run.
type waiting struct {
	*account.Wait
	words, short string
}

// hearsWithin is how long a run has to say what its jobs wait for.
const hearsWithin = 3 * time.Second

// waits has runs say what their jobs wait for that have not ended, by their numbers. Each such job gets that as its
// reason. A run does not say it if it is of another build, or nothing can be written to the store.
func (o *options) waits(ctx context.Context, list []*store.Job, now time.Time) map[int64]waiting {
	of, told := map[int64][]*store.Job{}, map[int64]waiting{}
	for _, j := range list {
		switch {
		case !unended(j):
			continue
		case j.Submitted.After(now):
			j.Reason = "it arrives at " + stamp(j.Submitted, now)
		default:
			if of[j.Run] = append(of[j.Run], j); j.State == store.Waiting {
				j.Reason = cmp.Or(j.Reason, "none of its tasks has started yet")
			}
		}
	}
	for run, jobs := range of {
		r, err := o.askWhy(ctx, run, each.Of(jobs, func(j *store.Job) string { return j.Name })...)
		if err != nil || len(r.Waits) != len(jobs) {
			continue
		}
		clock := func(t units.Time) string { return stamp(r.Began.Add(time.Duration(t)), now) }
		for i, j := range jobs {
			if w := r.Waits[i]; w != nil {
				told[j.ID] = waiting{w, w.Words(clock), w.Short(clock)}
				if w.Cause != "" {
					j.Reason = told[j.ID].words
				}
			}
		}
	}
	return told
}

// askWhy asks a run about jobs. The error says why it does not answer, or says no.
func (o *options) askWhy(ctx context.Context, run int64, names ...string) (runs.Reply, error) {
	m, err := o.asksRuns()
	if err != nil {
		return runs.Reply{}, err
	}
	defer m.Close()
	ctx, over := context.WithTimeout(ctx, hearsWithin)
	defer over()
	return askRun(ctx, m, run, runs.Why, strings.Join(names, "\n"))
}

// few joins names, the first of many.
func few(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(slices.Clone(names[:mostNamed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
