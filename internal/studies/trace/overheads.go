package trace

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Overheads are what a cluster adds to the times of tasks. They are what is left once nodes are served at their
// reports, for which a container waits for half of the time between two on average.
type Overheads struct {
	Master units.Duration // from the start of an ApplicationMaster's container until it asks for tasks
	Needs  units.Vector   // of most ApplicationMasters; 0 = not told
	Launch units.Duration // from when another task is given a container until it begins
}

// OverheadsOf learns them from how jobs ran: medians, as an ApplicationMaster may have waited for room.
//
// How long a container takes is seen where a job has more tasks than room: from the end of one of its tasks until
// another of the same kind begins on that node, the oldest end first. So it has in it what the container before takes
// to end.
func OverheadsOf(jobs []*Job, beat units.Duration) (o Overheads) {
	var masters, gaps []float64
	needs := map[units.Vector]int{}
	for _, j := range jobs {
		if j.Ran == nil {
			continue
		}
		if j.Ran.Began >= 0 && j.Ran.Master >= 0 {
			masters = append(masters, (j.Ran.Began + j.Ran.Master).Seconds())
		}
		if needs[j.Ran.Needs]++; needs[j.Ran.Needs] > needs[o.Needs] {
			o.Needs = j.Ran.Needs
		}
		gaps = append(gaps, j.Ran.gaps()...)
	}
	if len(gaps) > 0 {
		o.Launch = max(0, units.FromSeconds(stat.Quantile(gaps, 0.5))-beat/2)
	}
	if len(masters) > 0 {
		o.Master = max(0, units.FromSeconds(stat.Quantile(masters, 0.5))-o.Launch-beat)
	}
	return o
}

// gaps are the seconds from the ends of tasks until others had their room.
func (r *Ran) gaps() (all []float64) {
	type place struct {
		host string
		kind workload.Stage
	}
	ends := map[place][]units.Duration{}
	starts := slices.SortedStableFunc(slices.Values(r.Tasks), func(a, b RanTask) int { return cmp.Compare(a.Start, b.Start) })
	for _, t := range r.Tasks {
		at := place{t.Host, t.Kind}
		ends[at] = append(ends[at], t.End) // by their ends, as tasks are
	}
	for _, t := range starts {
		at := place{t.Host, t.Kind}
		if left := ends[at]; len(left) > 0 && left[0] <= t.Start {
			all, ends[at] = append(all, (t.Start-left[0]).Seconds()), left[1:]
		}
	}
	return all
}

// Uncounted is a node on which more cores were taken at a time than it has, as YARN may count memory alone; "" = none.
// Tasks of which nothing is told take one.
func (c *Cluster) Uncounted(jobs []*Job) string {
	type step struct {
		at    units.Duration
		cores int64
	}
	steps := map[string][]step{}
	for _, j := range jobs {
		if j.Ran == nil {
			continue
		}
		for i := range j.Ran.Tasks {
			t, cores := &j.Ran.Tasks[i], int64(1)
			for k := range j.Stages {
				if j.Stages[k].Kind == t.Kind {
					cores = max(1, j.Stages[k].Needs[units.VCores])
				}
			}
			at := units.Duration(j.Ran.Submitted) * units.Millisecond
			steps[t.Host] = append(steps[t.Host], step{at + t.Start, cores}, step{at + t.End, -cores})
		}
	}
	for _, n := range c.Nodes {
		all, taken := steps[n.Host], int64(0)
		slices.SortFunc(all, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.cores, b.cores)) })
		for _, s := range all {
			if taken += s.cores; taken > n.Has[units.VCores] {
				return n.Host
			}
		}
	}
	return ""
}
