package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/worlds/yarn"
)

// readQueues makes the queues of a cluster those of the policy, as the key queues: does in a scenario.
func (t *operator) readQueues(list []*yarn.Queue, policy string, slots bool) queues.Config {
	// The queues' own bound on masters is YARN's, and --masters sets their room aside.
	bare := queues.Config{MaxMasterShare: 100}
	if !slots {
		bare.MaxMasterShare = 50 // or masters could take all, and wait for each other's tasks for good
	}
	all := bare
	all.Queues, all.MaxRunning = below("root", list, false)
	if len(all.Queues) == 0 {
		return bare
	}
	all.Undeclared = queues.Allow // YARN may make queues by itself
	_, err := lab.PolicyName(policy, all)
	if err != nil {
		all.Undeclared = ""
		_, err = lab.PolicyName(policy, all)
	}
	if err != nil {
		t.warn(fmt.Sprintf("%s does without the queues of the cluster, though YARN keeps to what they allow: %v", policy, err))
		return bare
	}
	return all
}

// below are the queues below one, with what ApplicationMasters may take of each if that is wanted, and how many
// applications may run there.
func below(path string, list []*yarn.Queue, masters bool) (qs []queues.Queue, running int) {
	for _, x := range list {
		if x.Path == path {
			running = int(x.Running)
		}
		name, child := strings.CutPrefix(x.Path, path+".")
		if !child || strings.Contains(name, ".") {
			continue
		}
		q := queues.Queue{Name: name, Capacity: percentOf(x.Capacity), Maximum: percentOf(x.Maximum)}
		q.Weight = max(q.Capacity, 1e-3)
		n := 0
		if q.Queues, n = below(x.Path, list, masters); n > 0 {
			q.MaxRunning = &n
		}
		if masters {
			q.MaxMasterShare = percentOf(x.Masters)
		}
		if len(q.Queues) == 0 {
			q.MinimumUserLimit, q.UserLimitFactor, q.Preempted = percentOf(x.UserLimit), x.UserFactor, x.Preempted
		}
		qs = append(qs, q)
	}
	return qs, running
}

// percentOf is a part that YARN tells, which before a cluster has nodes may be anything.
func percentOf(x float64) float64 {
	if math.IsNaN(x) || x < 0 {
		return 0
	}
	return min(math.Round(x*1e4)/1e4, 100)
}
