package mold

import (
	"math"

	"github.com/slackline/slackline/units"
)

// Placed is where a job stands on the virtual cluster: by the number of its option.
type Placed struct {
	Option        int // -1: nowhere
	Start, Finish units.Duration
}

// never is the latest finish of a job that nobody waits for yet.
const never = units.Duration(math.MaxInt64)

// virtual is the virtual cluster, on which every job has all the machines that it wants.
type virtual struct {
	jobs   []Job
	behind [][]int
	due    units.Duration
	eps    int64
	keep   bool // time that is left over
	at     []Placed
}

// Partition chooses an option for each job of a workflow that is due after some time, path by path
// (algorithm 1). eps is that of the paths, in thousandths. The starts and finishes are those of the
// virtual cluster, and may be later than due.
func Partition(jobs []Job, due units.Duration, eps int64) []Placed {
	return (&virtual{jobs: jobs, behind: behind(jobs), due: due, eps: eps, at: make([]Placed, len(jobs))}).partition()
}

// Printed is Partition as printed, which keeps the time that jobs of a path leave over.
func Printed(jobs []Job, due units.Duration, eps int64) []Placed {
	return (&virtual{jobs: jobs, behind: behind(jobs), due: due, eps: eps, keep: true, at: make([]Placed, len(jobs))}).partition()
}

func (v *virtual) partition() []Placed {
	for i := range v.at {
		v.at[i].Option = -1
	}
	for rounds := 0; ; rounds++ {
		path := v.critical()
		if path == nil {
			return v.at
		}
		if rounds > 2*len(v.jobs) { // which the paper proves cannot be; if it could, it would go on for ever
			v.fastest(path, 0)
			continue
		}
		if !v.vpm(path, v.earliest(path[0]), v.latest(path[len(path)-1])) {
			v.cancel(path)
		}
	}
}

// earliest is when a job may start as far as it is known: when those before it that stand are done.
func (v *virtual) earliest(i int) (at units.Duration) {
	for _, b := range v.jobs[i].After {
		if p := &v.at[b]; p.Option >= 0 {
			at = max(at, p.Finish)
		}
	}
	return at
}

// latest is when a job has to be done as far as it is known: when those that wait for it and stand start.
func (v *virtual) latest(i int) units.Duration {
	if len(v.behind[i]) == 0 {
		return v.due
	}
	at := never
	for _, b := range v.behind[i] {
		if p := &v.at[b]; p.Option >= 0 {
			at = min(at, p.Start)
		}
	}
	return at
}

// critical is the longest path of jobs that stand nowhere, each as one task, which ends at that of
// them that has to be done first; of several the end of the longest path, then the first. Nil: all
// stand.
func (v *virtual) critical() []int {
	long, from := make([]units.Duration, len(v.jobs)), make([]int, len(v.jobs))
	end, due := -1, never
	for i := range v.jobs {
		if v.at[i].Option >= 0 {
			continue
		}
		from[i] = -1
		for _, b := range v.jobs[i].After {
			if v.at[b].Option < 0 && (from[i] < 0 || long[b] > long[from[i]] || long[b] == long[from[i]] && b < from[i]) {
				from[i] = b
			}
		}
		if long[i] = v.jobs[i].Serial; from[i] >= 0 {
			long[i] += long[from[i]]
		}
		if at := v.latest(i); end < 0 || at < due || at == due && long[i] > long[end] {
			end, due = i, at
		}
	}
	if end < 0 {
		return nil
	}
	n := 0
	for i := end; i >= 0; i = from[i] {
		n++
	}
	path := make([]int, n)
	for i := end; i >= 0; i = from[i] {
		n--
		path[n] = i
	}
	return path
}

// vpm is virtual pipeline mapping (algorithm 2): it lets jobs of a path stand between a start and a
// finish. False: even their fastest options do not fit, and the last of them that stands now does not
// hold what waits for it.
func (v *virtual) vpm(path []int, start, finish units.Duration) bool {
	least := units.Duration(0)
	fronts := make([][]Option, len(path))
	for k, i := range path {
		fronts[k] = v.jobs[i].Options
		least += v.jobs[i].fastest().Time
	}
	if finish == never { // any time: the cheapest
		finish = start
		for k := range fronts {
			finish += fronts[k][len(fronts[k])-1].Time
		}
	}
	if least > finish-start {
		return v.fastest(path, start)
	}
	// as long as none of the path stands
	early, late := make([]units.Duration, len(path)), make([]units.Duration, len(path))
	for k, i := range path {
		early[k], late[k] = v.earliest(i), v.latest(i)
	}
	choice, _ := pipeline(fronts, finish-start, v.eps, v.keep)
	at := start
	for k, i := range path {
		v.at[i] = Placed{choice[k], at, at + fronts[k][choice[k]].Time}
		at = v.at[i].Finish
	}
	for k, i := range path {
		due := late[k]
		if done := v.at[i].Finish; done <= due {
			if k+1 == len(path) || done >= early[k+1] {
				continue
			}
			due = min(early[k+1], due, finish)
		}
		for _, j := range path {
			v.at[j].Option = -1
		}
		return v.vpm(path[:k+1], start, due)
	}
	return true
}

// fastest lets jobs of a path stand in their order with their fastest options, up to the first that is
// too late for those behind it.
func (v *virtual) fastest(path []int, start units.Duration) bool {
	at := start
	for _, i := range path {
		at = max(at, v.earliest(i))
		due := v.latest(i)
		v.at[i] = Placed{0, at, at + v.jobs[i].fastest().Time}
		if at = v.at[i].Finish; at > due {
			break
		}
	}
	return false
}

// cancel takes back those behind the last job of a path that stands which start before it is done.
func (v *virtual) cancel(path []int) {
	last := -1
	for _, i := range path {
		if v.at[i].Option >= 0 {
			last = i
		}
	}
	reached := make([]bool, len(v.jobs))
	reached[last] = true
	for i := last + 1; i < len(v.jobs); i++ {
		for _, b := range v.jobs[i].After {
			reached[i] = reached[i] || reached[b]
		}
		if reached[i] && v.at[i].Option >= 0 && v.at[i].Start < v.at[last].Finish {
			v.at[i].Option = -1
		}
	}
}
