package follow

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// same tells attempts apart that a resync may tell again, under whatever handles.
type same struct {
	job       *Job
	stage     sched.Stage
	task      sched.TaskID
	node      sched.NodeID
	container uint8
	item      sched.ItemID
	began     units.Time
}

func (a *Attempt) same() same {
	return same{a.Job, a.Stage, a.Task, a.Node, a.Container, a.Item, a.Began}
}

// resync takes in the full state of a world. Jobs are found by their IDs, attempts by what they are
// and when they began: these go on under their new handles. What is not told any more has ended
// unseen, and a record of the follower's own says so, without an outcome. Sinks are shown these
// ends first, then nodes and jobs, then attempts, the oldest first.
func (f *Follower) resync(at units.Time, events []sched.Event) {
	order := make([]*sched.Event, 0, len(events))
	for i := range events {
		order = append(order, &events[i])
	}
	slices.SortStableFunc(order, func(a, b *sched.Event) int {
		older := 0
		if a.Kind == sched.JobArrived || a.Kind == sched.Started {
			older = cmp.Compare(b.Age, a.Age)
		}
		return cmp.Or(cmp.Compare(turn(a.Kind), turn(b.Kind)), older)
	})
	jobs, attempts := f.jobs, f.attempts
	f.jobs = make([]*Job, len(jobs))
	goesOn, again := f.sameJobs(jobs, order), make(map[*sched.Event]*Attempt)
	runs := make(map[same][]*Attempt)
	for _, a := range attempts {
		if a != nil {
			runs[a.same()] = append(runs[a.same()], a)
		}
	}
	for _, e := range order {
		if e.Kind != sched.Started {
			continue
		}
		is := same{f.job(e.Job), e.Stage, e.Task, e.Node, e.Container, e.Item, at.Add(-e.Age)}
		if list := runs[is]; len(list) > 0 {
			again[e], runs[is] = list[0], list[1:]
			attempts[list[0].ID] = nil
		}
	}
	f.loseUntold(at, jobs, attempts, goesOn, order)
	f.attempts = make([]*Attempt, len(attempts))
	for _, e := range order {
		switch a := again[e]; {
		case a != nil:
			a.ID = e.Attempt
			*sched.Row(&f.attempts, e.Attempt) = a
			r := f.tell(at, e, a.Job, a)
			r.Sizes, r.Again = a.Job.grows, true
		case e.Kind == sched.JobArrived && goesOn[f.job(e.Job)]:
			f.tell(at, e, f.job(e.Job), nil).Again = true
		default:
			f.take(at, e)
		}
	}
}

// turn is when a resync takes in an event: first what the resync itself is, then nodes, jobs and
// the rest, attempts last.
func turn(k sched.EventKind) int {
	switch k {
	case sched.Resync:
		return 0
	case sched.JobArrived:
		return 2
	case sched.Started:
		return 4
	case sched.Progress, sched.Ended:
		return 5
	case sched.NodeUp, sched.NodeChanged, sched.NodeDown:
		return 1
	}
	return 3
}

// sameJobs gives jobs that are told again their new handles.
func (f *Follower) sameJobs(jobs []*Job, order []*sched.Event) map[*Job]bool {
	byID, goesOn := make(map[string]*Job), make(map[*Job]bool)
	for _, j := range jobs {
		if j != nil {
			byID[j.Spec.ID] = j
		}
	}
	for _, e := range order {
		if e.Kind != sched.JobArrived || e.Job < 1 || e.Detail == nil || e.Detail.Job == nil {
			continue
		}
		if j := byID[e.Detail.Job.ID]; j != nil {
			j.describe(e.Detail.Job)
			goesOn[j] = true
			for i := range j.Spec.Stages {
				st := &j.Spec.Stages[i]
				j.known[st.Kind].done = len(st.Done)
			}
			*sched.Row(&f.jobs, e.Job) = j
		}
	}
	return goesOn
}

// loseUntold tells the ends of what is not told again: attempts, jobs, nodes.
func (f *Follower) loseUntold(at units.Time, jobs []*Job, attempts []*Attempt, goesOn map[*Job]bool, order []*sched.Event) {
	f.attempts = attempts
	for _, a := range attempts {
		f.lose(a)
	}
	told := f.jobs
	f.jobs = jobs
	for h, j := range jobs {
		if !goesOn[j] {
			f.loseJob(at, j, sched.JobID(h))
		}
	}
	f.jobs = told
	up := make(map[sched.NodeID]bool)
	for _, e := range order {
		up[e.Node] = up[e.Node] || e.Kind == sched.NodeUp
	}
	for h, n := range f.nodes {
		if node := sched.NodeID(h); n != nil && n.State.There() && !up[node] {
			f.take(at, &sched.Event{Kind: sched.NodeDown, Derived: true, Node: node})
		}
	}
}
