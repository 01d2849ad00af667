package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
)

// tellUntold says in one sentence, before a scenario is played, what its trace does not tell and
// nobody has said, and warns of policies that will refuse its jobs for lack of profiles.
func tellUntold(w io.Writer, s *scenario.Scenario, cells []lab.Cell) {
	var policies, refusing []string
	promises := false
	for i := range cells {
		p := cells[i].Policy
		if slices.Contains(policies, p) {
			continue
		}
		policies = append(policies, p)
		promises = promises || lab.Studies(p, s.Config)
		if s.Profiles == "" && lab.NeedsProfiles(p, s.Config) {
			refusing = append(refusing, p)
		}
	}
	if lacks, give := s.Untold(promises); lacks != "" {
		fmt.Fprintf(w, "note: the trace does not tell %s; %s\n", lacks, give)
	}
	if s.Confident() {
		tellUnread(w, policies, s.Config)
	}
	if len(refusing) > 0 {
		fmt.Fprintf(w, "warning: %s refuses jobs with deadlines while nothing is known of their class, and this scenario "+
			"begins without profiles; give profiles: rehearsed, or a file from slackline profile export\n", strings.Join(refusing, " and "))
	}
}

// tellUnread says which of the policies do not read how likely a deadline is to be met.
func tellUnread(w io.Writer, policies []string, q queues.Config) {
	var blind []string
	for _, p := range policies {
		if !lab.ReadsConfidence(p, q) {
			blind = append(blind, p)
		}
	}
	switch len(blind) {
	case 0:
	case 1:
		fmt.Fprintf(w, "note: %s does not read confidence; promise does\n", blind[0])
	default:
		fmt.Fprintf(w, "note: %s do not read confidence; promise does\n", strings.Join(blind, " and "))
	}
}

// tellUnknown warns of policies that will refuse jobs of this machine, as nothing is known of their
// classes, and says which do not read what the jobs ask for.
func tellUnknown(w io.Writer, local *runs.Local, known []*profile.Class, policies []string) {
	var classes []string
	for _, f := range local.Files {
		unknown := !slices.ContainsFunc(known, func(c *profile.Class) bool { return c.Name == f.Class })
		if name := report.Printable(f.Class); unknown && f.Deadline.Set() && !slices.Contains(classes, name) {
			classes = append(classes, name)
		}
	}
	if slices.ContainsFunc(local.Files, func(f *scenario.Job) bool { return f.Confidence.Chance > 0 }) {
		tellUnread(w, policies, lab.NoQueues)
	}
	for _, p := range policies {
		if len(classes) > 0 && lab.NeedsProfiles(p, lab.NoQueues) {
			fmt.Fprintf(w, "warning: %s refuses jobs with deadlines while nothing is known of their class, "+
				"which is so for %s; a run with another policy measures it\n", p, strings.Join(classes, ", "))
		}
	}
}
