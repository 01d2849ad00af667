package capacity

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ErrNothingRan says that there is nothing to plan for.
var ErrNothingRan = errors.New("no job has finished")

// FromHistory writes the file of a plan for what ran: a class for each class of jobs that finished, with
// the tasks and times that its jobs had, the shortest of their deadlines (or else the longest time that
// one took), and as many jobs side by side as there were at most. Costs are counted in machines like
// this one, which runs so many tasks at once. attempts returns those of a job.
func FromHistory(jobs []*store.Job, slots int, attempts func(job int64) ([]*store.Attempt, error)) ([]byte, error) {
	classes := map[string]*ran{}
	var names []string
	for _, j := range jobs {
		if j.State != store.Finished || j.Started == nil || j.Ended == nil || j.Maps.Tasks+j.Reduces.Tasks == 0 {
			continue
		}
		r := classes[j.Class]
		if r == nil {
			r = &ran{}
			classes[j.Class] = r
			names = append(names, j.Class)
		}
		list, err := attempts(j.ID)
		if err != nil {
			return nil, err
		}
		r.add(j, list)
	}
	var b strings.Builder
	b.WriteString("# What ran, as a plan. Costs are counted in machines; replace them with prices and penalties.\n")
	fmt.Fprintf(&b, "name: history\ncurrency: machines\nprices: {on_demand: 1}\nclasses:\n")
	slices.Sort(names)
	some := false
	for _, name := range names {
		if r := classes[name]; r.maps.N == 0 && r.reduces.N == 0 {
			continue // its attempts are not kept any more
		}
		some = true
		classes[name].write(&b, name, slots)
	}
	if !some {
		return nil, ErrNothingRan
	}
	return []byte(b.String()), nil
}

// ran is what jobs of a class did.
type ran struct {
	jobs                          int
	tasks                         [2]int // maps and reduces of all jobs
	maps, first, shuffle, reduces profile.Estimate
	deadline, longest             time.Duration
	spans                         [][2]time.Time
}

func (r *ran) add(j *store.Job, list []*store.Attempt) {
	r.jobs++
	r.tasks[0] += j.Maps.Tasks
	r.tasks[1] += j.Reduces.Tasks
	r.spans = append(r.spans, [2]time.Time{*j.Started, *j.Ended})
	r.longest = max(r.longest, j.Ended.Sub(j.Submitted))
	if j.Deadline != nil {
		if d := j.Deadline.Sub(j.Submitted); d > 0 && (r.deadline == 0 || d < r.deadline) {
			r.deadline = d
		}
	}
	var mapped time.Time // when the last map ended
	committed := func(a *store.Attempt) bool { return a.Outcome == sched.Committed.String() }
	for _, a := range list {
		if a.Stage == workload.Map.String() && committed(a) {
			r.maps.Add(a.Took)
			if end := a.Began.Add(time.Duration(a.Took * 1e9)); end.After(mapped) {
				mapped = end
			}
		}
	}
	for _, a := range list {
		if a.Stage != workload.Reduce.String() || !committed(a) {
			continue
		}
		r.reduces.Add(max(0, a.Took-a.Shuffle))
		if a.Began.Before(mapped) {
			// A reduce of the first wave also waits for maps; only what it fetches behind the last one counts.
			r.first.Add(max(0, a.Shuffle-mapped.Sub(a.Began).Seconds()))
		} else {
			r.shuffle.Add(a.Shuffle)
		}
	}
}

// most is how many ran side by side at most.
func (r *ran) most() (most int) {
	type change struct {
		at time.Time
		by int
	}
	var list []change
	for _, s := range r.spans {
		list = append(list, change{s[0], 1}, change{s[1], -1})
	}
	slices.SortFunc(list, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.by, b.by)) })
	now := 0
	for _, c := range list {
		now += c.by
		most = max(most, now)
	}
	return max(1, most)
}

func (r *ran) write(b *strings.Builder, name string, slots int) {
	mean := func(tasks int, took profile.Estimate) int {
		if took.N == 0 { // nothing is known of them any more
			return 0
		}
		return int(math.Ceil(float64(tasks) / float64(r.jobs)))
	}
	fmt.Fprintf(b, "  - name: %s\n    maps: %d\n    reduces: %d\n", strconv.Quote(name),
		mean(r.tasks[0], r.maps), mean(r.tasks[1], r.reduces))
	times := func(key string, e profile.Estimate) {
		if e.N > 0 {
			fmt.Fprintf(b, "    %s: {mean: %v, max: %v}\n", key, units.FromSeconds(min(e.Mean, e.Max)), units.FromSeconds(e.Max))
		}
	}
	first, later := r.first, r.shuffle
	if first.N == 0 { // all waves are alike as far as is known
		first = later
	}
	if later.N == 0 {
		later = first
	}
	times("map", r.maps)
	times("first_shuffle", first)
	times("shuffle", later)
	times("reduce", r.reduces)
	deadline, why := r.deadline, "the shortest that a job had"
	if deadline == 0 {
		deadline, why = r.longest, "no job had one; the longest that one took"
	}
	n := r.most()
	fmt.Fprintf(b, "    map_slots: %d\n    reduce_slots: %d\n    deadline: %v  # %s\n    at_least: %d  # at most so many ran side by side\n"+
		"    at_most: %d\n", slots, slots, units.Duration(deadline.Round(time.Millisecond)), why, n, n)
}
