package estimate

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// There is how many nodes of a class there are, with those that are to be had for nothing.
func There(k *sched.Class) int32 {
	here := k.Nodes[sched.Awake] + k.Nodes[sched.Waking] + k.Nodes[sched.Asleep]
	if Free(k.Spec) {
		here += k.Nodes[sched.Offered]
	}
	return here
}

// Free tells whether nodes of a class cost nothing at any hour.
func Free(c *cluster.Class) bool { return units.Rounded(c.Price) == 0 && len(c.Prices) == 0 }

// Pace is how fast nodes of a class are, and the fastest, in parts of the mean of all that are there: where tasks are
// kept from nodes, what they took says nothing of the others but for that. O(classes).
func Pace(v sched.View, node string) (pace, best float64) {
	sum, nodes := 0.0, int32(0)
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		if k := v.Class(c); k != nil && There(k) > 0 {
			sum, nodes, best = sum+float64(k.Spec.Speed*float64(There(k))), nodes+There(k), max(best, k.Spec.Speed)
			if k.Spec.Name == node {
				pace = k.Spec.Speed
			}
		}
	}
	if units.Rounded(pace) <= 0 {
		return 1, 1
	}
	return units.Rounded(pace * float64(nodes) / sum), units.Rounded(best * float64(nodes) / sum)
}

// Evenly is by how much longer tasks of a stage would have been had they run on all nodes alike.
func Evenly(v sched.View, c *profile.Class, s sched.Stage) float64 {
	took, takes := 1e-9, 1e-9
	for i := range c.Stages {
		if k := &c.Stages[i]; k.Stage == s {
			pace, _ := Pace(v, k.Node)
			sum := float64(k.Task.N) * k.Task.Mean
			took, takes = took+sum, takes+float64(sum*pace)
		}
	}
	return units.Rounded(takes / took)
}

// Everywhere is Chances where tasks are kept from nodes: what is known of those on which most have run, and how much
// more a task varies if it may run on any.
func Everywhere(v sched.View, job *workload.Job) (l Laws, known bool) {
	c, most, at := v.Profile(job.Class), int64(0), ""
	for i := 0; c != nil && i < len(c.Stages); i++ {
		if k := &c.Stages[i]; k.Stage == sched.Map && k.Task.N > most {
			most, at = k.Task.N, k.Node
		}
	}
	l, known = Chances(v, job, at, 1)
	var each []float64
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		if k := v.Class(c); k != nil && There(k) > 0 {
			pace, _ := Pace(v, k.Spec.Name)
			for range 1 + int(units.Rounded(64*pace*float64(There(k))/float64(v.Nodes()))) { // so many run there
				each = append(each, 1/pace)
			}
		}
	}
	if len(each) > 0 {
		mix := finish.AnyOf(each)
		pace, _ := Pace(v, at)
		for _, law := range []*Law{&l.Map, &l.Reduce} {
			law.Typical, law.Own = units.Rounded(law.Typical*pace), law.Own.Times(&mix)
		}
	}
	return l, known
}
