package adverse_test

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// language is what a ResourceManager may say, as an automaton for each node, job and container. It reads
// the events of a world, or those that a recording comes to, and counts the peculiarities that it meets. It
// is a sink.
type language struct {
	wrong []string
	seen  map[string]int // peculiarities

	at       units.Time
	up       map[sched.NodeID]bool
	slept    map[sched.NodeID]bool // or was rented, so that it comes up again
	jobs     map[sched.JobID]*spoken
	runs     map[sched.AttemptID]*held
	known    map[sched.AttemptID]bool // handles that were ever used
	free     bool                     // a stock scheduler places work, or beside us
	resynced bool
	killed   map[sched.AttemptID]bool // by a plan
}

// spoken is what was said of a job.
type spoken struct {
	master    bool // it has one
	masters   int  // that have started
	deaths    int
	asked     [sched.Stages]int32 // now
	ever      [sched.Stages]bool
	most      [sched.Stages]int32 // asked for and started at a time, since its master began
	started   [sched.Stages]int32
	done      [sched.Stages]int32
	lost      [sched.Stages]bool // something was, since it asked for none
	none      [sched.Stages]bool // it asked for none, after some
	lastTask  units.Time
	cancelled bool
	begun     int
	returned  int  // containers that nobody wanted ended, and did
	quits     bool // it asked for reduces for the first time when its maps had been given back
	avoids    bool
}

type held struct {
	job   sched.JobID
	stage sched.Stage
	node  sched.NodeID
	begun int // as which of the job
}

func newLanguage() *language {
	return &language{seen: map[string]int{}, up: map[sched.NodeID]bool{}, slept: map[sched.NodeID]bool{}, jobs: map[sched.JobID]*spoken{}, runs: map[sched.AttemptID]*held{},
		known: map[sched.AttemptID]bool{}, killed: map[sched.AttemptID]bool{}}
}

func (l *language) bad(format string, args ...any) {
	if len(l.wrong) < 10 {
		l.wrong = append(l.wrong, fmt.Sprintf("%v: ", l.at)+fmt.Sprintf(format, args...))
	}
}

// Plan notes what is killed.
func (l *language) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for _, a := range p.Victims {
		l.killed[a] = true
	}
	return nil
}

// Batch reads what was said at one time; attempts last where all is told again.
func (l *language) Batch(_ int64, at units.Time, events []sched.Event) error {
	if l.at == 0 && at > units.Time(0).Add(units.Hour) {
		l.seen["a late clock"]++
	}
	l.at, l.resynced = at, len(events) > 0 && events[0].Kind == sched.Resync
	fell := map[sched.NodeID]bool{}
	for i := range events {
		if e := &events[i]; e.Kind == sched.NodeDown {
			fell[e.Node] = true
		}
	}
	for _, late := range []bool{false, true} {
		for i := range events {
			if e := &events[i]; (l.resynced && (e.Kind == sched.Started || e.Kind == sched.Ended || e.Kind == sched.JobCancelled)) == late {
				l.event(e, fell)
			}
		}
	}
	for _, a := range l.runs {
		if fell[a.node] {
			l.seen["a node that vanishes in silence"]++
		}
	}
	return nil
}

func (l *language) event(e *sched.Event, fell map[sched.NodeID]bool) {
	j := l.jobs[e.Job]
	switch e.Kind {
	case sched.Resync:
		l.up, l.jobs, l.runs, l.free = map[sched.NodeID]bool{}, map[sched.JobID]*spoken{}, map[sched.AttemptID]*held{}, false
		l.seen["all told again"]++
		return
	case sched.Control:
		l.free = e.Control != sched.TakeOver
		l.seen["control: "+e.Control.String()]++
		return
	case sched.NodeUp:
		if l.up[e.Node] && !l.slept[e.Node] {
			l.bad("node %d came up twice", e.Node)
		}
		l.up[e.Node] = true
		return
	case sched.NodeChanged:
		if l.slept[e.Node] = l.slept[e.Node] || e.State != sched.Down; e.State != sched.Down {
			return
		}
		if !l.up[e.Node] {
			l.bad("node %d changed that is not up", e.Node)
		}
		l.seen["another capacity"]++
		if e.Detail != nil && e.Detail.Node.Class.Capacity == (units.Vector{}) {
			l.seen["a node that offers nothing any more"]++
		}
		return
	case sched.NodeDown:
		if !l.up[e.Node] {
			l.bad("node %d went down twice", e.Node)
		}
		delete(l.up, e.Node)
		delete(l.slept, e.Node)
		return
	case sched.JobArrived:
		if j != nil {
			l.bad("job %d arrived twice", e.Job)
		}
		if e.Age > 0 {
			l.seen["an old job"]++
		}
		n := &spoken{}
		for _, st := range e.Detail.Job.Stages {
			n.master = n.master || st.Kind == sched.Master
			n.done[st.Kind] = int32(len(st.Done))
		}
		l.jobs[e.Job] = n
		return
	case sched.Ended:
		l.ended(e)
		return
	case sched.Refused:
		if !e.Derived {
			l.seen["a proposal refused"]++
		}
		return
	case sched.JobCancelled, sched.JobAmended, sched.StageReady, sched.Started, sched.OutputLost, sched.Demand, sched.JobEnded:
	default:
		return
	}
	if j == nil {
		l.bad("%v of job %d, which is not there", e.Kind, e.Job)
		return
	}
	switch e.Kind {
	case sched.JobCancelled:
		j.cancelled = true
	case sched.JobAmended:
		l.seen["an amendment"]++
		if avoids := len(e.Detail.Job.Avoids) > 0; avoids != j.avoids {
			if j.avoids = avoids; avoids {
				l.seen["a node that is avoided"]++
			}
		}
	case sched.Started:
		l.started(e, j, fell)
	case sched.OutputLost:
		if j.done[e.Stage]--; j.done[e.Stage] < 0 {
			l.bad("more %v outputs of job %d were lost than it had", e.Stage, e.Job)
		}
		if j.lost[e.Stage] = true; len(fell) == 0 {
			l.seen["a failure that only another ask shows"]++
		}
	case sched.Demand:
		l.demand(e, j)
	case sched.JobEnded:
		for s, n := range j.asked {
			if n > 0 && sched.Stage(s) != sched.Master {
				l.seen["an end with an open ask"]++
			}
		}
		for id, a := range l.runs {
			if a.job == e.Job {
				l.bad("job %d ended before its attempt %d", e.Job, id)
				delete(l.runs, id)
			}
		}
		if e.Outcome == sched.Killed && !j.cancelled && j.quits {
			l.seen["reduces for a job that its ApplicationMaster ends"]++
		}
		if e.Outcome == sched.Committed && j.lastTask < l.at {
			l.seen["an end behind that of the last task"]++
		}
		delete(l.jobs, e.Job)
	}
}

func (l *language) started(e *sched.Event, j *spoken, fell map[sched.NodeID]bool) {
	switch {
	case l.runs[e.Attempt] != nil:
		l.bad("attempt %d started twice", e.Attempt)
	case !l.up[e.Node] && !fell[e.Node]:
		l.bad("attempt %d started on node %d, which is not up", e.Attempt, e.Node)
	case !j.ever[e.Stage] && !l.resynced:
		l.bad("%v of job %d started, and nobody asked for it", e.Stage, e.Job)
	}
	j.begun++
	l.runs[e.Attempt], l.known[e.Attempt] = &held{e.Job, e.Stage, e.Node, j.begun}, true
	if j.started[e.Stage]++; e.Stage == sched.Master {
		if j.masters++; j.masters > 1 && j.deaths > 0 {
			l.seen["a second ApplicationMaster"]++
		}
		for s := range j.most {
			j.most[s], j.started[s] = 0, 0
		}
	}
	if e.Stage == sched.Reduce && (j.asked[sched.Map] > 0 || l.busy(e.Job, sched.Map)) {
		l.seen["reduces before the last map"]++
	}
	if e.Age > 0 {
		l.seen["an old container"]++
	}
}

func (l *language) busy(j sched.JobID, s sched.Stage) bool {
	for _, a := range l.runs {
		if a.job == j && a.stage == s {
			return true
		}
	}
	return false
}

// overtaken tells whether a younger attempt of the stage runs.
func (l *language) overtaken(a *held) bool {
	for _, b := range l.runs {
		if b.job == a.job && b.stage == a.stage && b.begun > a.begun {
			return true
		}
	}
	return false
}

func (l *language) ended(e *sched.Event) {
	a := l.runs[e.Attempt]
	if a == nil {
		if l.seen["the end of a container that nobody knows"]++; !l.known[e.Attempt] {
			l.bad("attempt %d ended that never was", e.Attempt)
		}
		return
	}
	delete(l.runs, e.Attempt)
	j := l.jobs[a.job]
	if j == nil {
		return
	}
	if a.stage != sched.Master {
		j.lastTask = l.at
	}
	switch {
	case e.Outcome == sched.Committed:
		j.done[a.stage]++
	case a.stage == sched.Master:
		j.deaths++
	case e.Outcome == sched.Killed && !l.killed[e.Attempt] && !j.cancelled && (!j.master || l.busy(a.job, sched.Master)):
		l.seen["a container too many, given back"]++
		if j.returned++; l.overtaken(a) && j.asked[a.stage] == 0 {
			l.seen["the elder of two attempts killed"]++
		}
	default:
		j.lost[a.stage] = true
	}
	if e.Outcome != sched.Committed {
		j.lost[a.stage] = j.lost[a.stage] || e.Outcome != sched.Killed
	}
}

func (l *language) demand(e *sched.Event, j *spoken) {
	s, n := e.Stage, e.Count
	if j.master && s != sched.Master && n > 0 && !l.busy(e.Job, sched.Master) && !l.resynced {
		l.bad("job %d asks for %d %v, and its ApplicationMaster does not run", e.Job, n, s)
	}
	if e.Detail != nil && len(e.Detail.Demand) > 0 {
		l.rows(e)
	}
	switch {
	case n > 0 && j.none[s] && !j.lost[s]:
		l.seen["none asked for, and some again"]++
	case n > 0 && j.ever[s] && !j.lost[s] && n+j.started[s] > j.most[s] && j.most[s] > 0:
		l.seen["asks that grow"]++
	}
	if s == sched.Reduce && n > 0 && !j.ever[s] && j.returned > 1 && j.asked[sched.Map] == 0 {
		j.quits = true
	}
	if n > 0 {
		j.ever[s], j.none[s], j.lost[s] = true, false, false
	} else if j.asked[s] > 0 || j.ever[s] {
		j.none[s] = true
	}
	j.asked[s], j.most[s] = n, max(j.most[s], n+j.started[s])
	if s == sched.Reduce && n > 0 && j.asked[sched.Map] > 0 {
		l.seen["reduces asked for beside maps"]++
	}
}

// rows checks the rows of an ask: those of no place add up to what is asked for.
func (l *language) rows(e *sched.Event) {
	all, nodes := int32(0), int32(0)
	var places []sched.LocationDemand
	for _, r := range e.Detail.Demand {
		place := r
		place.Count = 0
		if slices.Contains(places, place) {
			l.seen["rows of two priorities"]++
		}
		places = append(places, place)
		switch {
		case r.Count < 0:
			l.bad("a row of %d", r.Count)
		case r.Count == 0:
			l.seen["a row of none"]++
		}
		if r.Node > 0 {
			nodes += r.Count
		} else if r.Rack == 0 {
			all += r.Count
		}
	}
	if all != e.Count {
		l.bad("rows for %d containers anywhere, of %d", all, e.Count)
	}
	if nodes > e.Count {
		l.seen["a map counted once a replica"]++
	}
}
