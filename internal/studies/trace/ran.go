package trace

import (
	"cmp"
	"maps"
	"slices"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Ran is what a job history tells of how a job ran: what profiles are learned from.
type Ran struct {
	Submitted int64 // ms since 1970
	Committed bool  // the job ended well
	// From the submission until its ApplicationMaster's program began, and from then until that asked for a task, of
	// which a server tells when the first began; UnknownTime = not told.
	Began, Master units.Duration
	Needs         units.Vector // of its ApplicationMaster; 0 = not told
	Tasks         []RanTask    // by their ends
}

// Response is how long after its submission the last task of the job committed.
func (r *Ran) Response() (last units.Duration) {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Kind != workload.Master {
			last = max(last, t.End)
		}
	}
	return last
}

// RanTask is the attempt by which a task committed, or one that another attempt was faster than: it ends then. Its
// times are after the submission.
type RanTask struct {
	Overtaken     bool
	Kind          workload.Stage
	Host          string // that it ran on, "" = not told
	Start, End    units.Duration
	Shuffle       units.Duration // of a reduce, from its start on
	Input, Output units.Bytes    // Unknown = not told; of a map before a reduce, Output goes to the reduces
	Records       int64          // that it read, -1 = not told
}

// history is what the events tell of how the job ran. Where a second ApplicationMaster had to go on, it does not
// tell how long one takes to start.
func (h *jhist) history(committed bool) *Ran {
	r := &Ran{Submitted: h.submit, Committed: committed, Began: UnknownTime, Master: UnknownTime}
	if h.masters == 1 {
		r.Began, r.Master = between(h.submit, h.master), between(h.master, h.asked)
	}
	for kind, tasks := range h.tasks {
		for _, n := range slices.Sorted(maps.Keys(tasks)) {
			t := tasks[n]
			u := RanTask{Kind: workload.Map + workload.Stage(kind), Host: t.host, Start: between(h.submit, t.start), End: between(h.submit, t.end),
				Input: t.read, Output: t.emitted, Records: int64(t.mapRecords)}
			if kind == 1 {
				u.Input, u.Records = t.shuffled, int64(t.reduceRecords)
				u.Shuffle = between(t.start, t.fetched)
			}
			if kind == 1 || len(h.tasks[1]) == 0 {
				u.Output = t.written
			}
			if u.Start >= 0 && u.Start <= u.End && u.End <= longest && u.Shuffle >= 0 && u.Shuffle <= u.End-u.Start {
				r.Tasks = append(r.Tasks, u)
			}
			for _, o := range t.overtaken {
				u := RanTask{Overtaken: true, Kind: u.Kind, Host: o.host, Start: between(h.submit, o.start), End: u.End, Input: u.Input, Output: Unknown, Records: -1}
				if u.Start >= 0 && u.Start <= u.End && u.End <= longest {
					r.Tasks = append(r.Tasks, u)
				}
			}
		}
	}
	slices.SortStableFunc(r.Tasks, func(a, b RanTask) int { return cmp.Compare(a.End, b.End) })
	return r
}
