package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
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

// explainWaits gives each job that waits a reason, as far as the store knows: who of its run holds the
// slots, and who came before it and waits too. There is none if the policy or the run has told one.
func explainWaits(h *store.Store, list []*store.Job, now time.Time) error {
	of := map[int64][]*store.Job{}
	for _, j := range list {
		if j.State != store.Waiting || j.Reason != "" {
			continue
		}
		if of[j.Run] == nil {
			all, err := h.Jobs(store.JobFilter{Run: j.Run, States: []string{store.Waiting, store.Running}})
			if err != nil {
				return failure{err}
			}
			slices.SortFunc(all, func(a, b *store.Job) int { return int(a.ID - b.ID) })
			of[j.Run] = all
		}
		j.Reason = whyWaits(j, of[j.Run], now)
	}
	return nil
}

// whyWaits says why a job waits, of those of its run that have not ended.
func whyWaits(j *store.Job, all []*store.Job, now time.Time) string {
	if j.Submitted.After(now) {
		return "it arrives at " + stamp(j.Submitted, now)
	}
	var hold, before []string
	for _, o := range all {
		switch left := toGo(o.Maps.Tasks-o.Maps.Done, o.Reduces.Tasks-o.Reduces.Done); {
		case o.ID == j.ID:
		case o.State == store.Running && left != "":
			hold = append(hold, fmt.Sprintf("%s (%s to go)", o.Name, left))
		case o.State == store.Running:
			hold = append(hold, o.Name)
		case o.ID < j.ID && !o.Submitted.After(now):
			before = append(before, o.Name)
		}
	}
	var parts []string
	if len(hold) > 0 {
		verb := map[bool]string{true: " holds slots", false: " hold slots"}[len(hold) == 1]
		parts = append(parts, few(hold)+verb)
	}
	if len(before) > 0 {
		parts = append(parts, "before it came "+few(before))
	}
	if len(parts) == 0 {
		return "none of its tasks has started yet"
	}
	return "it waits: " + strings.Join(parts, "; ")
}

// few joins names, the first of many.
func few(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(slices.Clone(names[:mostNamed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
