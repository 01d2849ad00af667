package sim

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// driver is the smallest scheduler there is: it keeps its own book from events alone, admits every
// job, and fills each node that beats in order of arrival, nearest tasks first. Whatever in the
// events contradicts its book is an error.
type driver struct {
	t        failer
	w        *World
	at       units.Time
	nodes    map[sched.NodeID]*dNode
	jobs     map[sched.JobID]*dJob
	order    []sched.JobID
	attempts map[sched.AttemptID]*dAttempt
	ended    map[string]sched.Outcome // jobs, by ID
	trace    []string                 // attempts and jobs that ended, in order
	beats    int
	refused  []sched.Event
	turned   []string // where nodes were told to stand
	items    sched.ItemID
	plan     sched.Plan
	hash     uint64
	events   int
	started  int
	batches  int
	// hooks
	admit  func(*dJob) bool
	extra  func(d *driver, batch []sched.Event, p *sched.Plan)
	onTick func()
	limit  func(j *dJob, s sched.Stage) int // tasks per stage and beat; nil = as many as fit
}

type dNode struct {
	sleeps bool // or drains to
	up     bool
	free   units.Vector
	speed  float64
}

type dJob struct {
	id       sched.JobID
	spec     *workload.Job
	admitted bool
	since    int // batch in which it was admitted
	ready    map[sched.Stage]bool
	open     map[sched.Stage]map[sched.TaskID]bool
	done     map[sched.Stage]map[sched.TaskID]bool
	withheld map[sched.Stage]bool
	bound    map[sched.Stage]int // by SetSlots
	busy     map[sched.Stage]int // tasks that were asked for, and have not ended
	live     int
	pending  int // predecessors
}

type dAttempt struct {
	e     sched.Event
	began units.Time
	needs units.Vector
}

// failer is what a test, a benchmark and a property have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func newDriver(t failer, cfg Config) *driver {
	t.Helper()
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &driver{t: t, w: w, at: -1, nodes: map[sched.NodeID]*dNode{}, jobs: map[sched.JobID]*dJob{},
		attempts: map[sched.AttemptID]*dAttempt{}, ended: map[string]sched.Outcome{}}
}

func (d *driver) fatal(format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf("at %v: %s", d.at, fmt.Sprintf(format, args...))
}

// run drives the world to its end and returns the error of Next, nil at io.EOF.
func (d *driver) run() error {
	for {
		more, err := d.step()
		if err != nil || !more {
			return err
		}
	}
}

func (d *driver) step() (bool, error) {
	b, err := d.w.Next(context.Background())
	if errors.Is(err, io.EOF) {
		if len(d.attempts) > 0 || len(d.jobs) > 0 {
			d.fatal("the run is over with %d attempts and %d jobs", len(d.attempts), len(d.jobs))
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if b.At < d.at {
		d.fatal("time went back to %v", b.At)
	}
	d.at = b.At
	d.batches++
	if len(b.Events) == 0 {
		d.fatal("empty batch")
	}
	over, began := map[sched.AttemptID]bool{}, map[*dJob]sched.Stage{}
	gone := map[sched.JobID]bool{}
	var beats []sched.NodeID
	h := fnv.New64a()
	for i := range b.Events {
		e := &b.Events[i]
		d.events++
		fmt.Fprintf(h, "%d %v %d %d %d %d %d %d %d %v %v|", d.at, e.Kind, e.Job, e.Stage, e.Task, e.Node, e.Attempt, e.Outcome, e.Item, e.X, e.Spans)
		if i > 0 && e.Kind < b.Events[i-1].Kind {
			d.fatal("%v behind %v", e.Kind, b.Events[i-1].Kind)
		}
		if e.Kind == sched.Heartbeat {
			beats = append(beats, e.Node)
		}
		d.take(e, over, gone)
		if e.Kind == sched.Started {
			began[d.jobs[e.Job]] = e.Stage
		}
	}
	d.hash = d.hash*1099511628211 ^ h.Sum64()
	for a := range over {
		delete(d.attempts, a)
	}
	for j, s := range began {
		d.bounded(j, s)
	}
	for n, nd := range d.nodes {
		if x, bad := nd.free.Negative(); bad && nd.up {
			d.fatal("node %d has %d of %v left", n, nd.free[x], x)
		}
	}
	d.plan.Reset(nil)
	d.decide(b.Events, beats)
	if err := d.w.Enact(&d.plan); err != nil {
		return false, err
	}
	return true, nil
}

// bounded checks that what has just started of a stage was within its bounds.
func (d *driver) bounded(j *dJob, s sched.Stage) {
	runs := 0
	for _, a := range d.attempts {
		if a.e.Job == j.id && a.e.Stage == s {
			runs++
		}
	}
	if most, is := j.bound[s]; j.withheld[s] || is && most >= 0 && runs > most {
		d.fatal("%v of %s started: withheld %v, bound %d, %d run", s, j.spec.ID, j.withheld[s], most, runs)
	}
}

func (d *driver) take(e *sched.Event, over map[sched.AttemptID]bool, gone map[sched.JobID]bool) {
	switch e.Kind {
	case sched.NodeUp:
		if n := d.nodes[e.Node]; n != nil && n.up {
			d.fatal("node %d came up twice", e.Node)
		}
		d.nodes[e.Node] = &dNode{up: true, free: e.Detail.Node.Class.Capacity, speed: e.Detail.Node.Class.Speed}
	case sched.NodeChanged:
		if e.State != sched.Down {
			d.turned = append(d.turned, fmt.Sprintf("%v %d %v", d.at, e.Node, e.State))
		} else if !d.nodes[e.Node].up {
			d.fatal("node %d changed while it is down", e.Node)
		}
	case sched.NodeDown:
		if n := d.nodes[e.Node]; !n.up && !n.sleeps {
			d.fatal("node %d went down twice", e.Node)
		}
		d.nodes[e.Node].up = false
	case sched.Started:
		if d.attempts[e.Attempt] != nil {
			d.fatal("attempt %d started while it runs or in the batch that ended it", e.Attempt)
		}
		j := d.jobs[e.Job]
		if j == nil || !j.admitted {
			d.fatal("job %d started a task before it was admitted", e.Job)
		}
		st := j.spec.Stage(e.Stage)
		needs := st.Container(int(e.Container)).Needs
		d.attempts[e.Attempt] = &dAttempt{e: *e, began: d.at, needs: needs}
		d.started++
	case sched.Ended:
		a := d.attempts[e.Attempt]
		if a == nil || over[e.Attempt] {
			d.fatal("attempt %d ended twice", e.Attempt)
		}
		over[e.Attempt] = true
		j := d.jobs[a.e.Job]
		j.live--
		j.busy[a.e.Stage]--
		d.nodes[a.e.Node].free.Add(&a.needs)
		if got, want := e.Spans[sched.PhaseShuffle]+e.Spans[sched.PhaseRun], d.at.Sub(a.began); got != want {
			d.fatal("attempt %d ran %v, its phases took %v", e.Attempt, want, got)
		}
		if e.Outcome == sched.Lost && d.nodes[a.e.Node].up {
			d.fatal("attempt %d was lost on a node that is up", e.Attempt)
		}
		if e.Outcome == sched.Committed {
			if j.done[a.e.Stage][a.e.Task] {
				d.fatal("task %v %d of %s committed twice", a.e.Stage, a.e.Task, j.spec.ID)
			}
			j.done[a.e.Stage][a.e.Task] = true
		} else if e.Outcome != sched.Superseded {
			j.open[a.e.Stage][a.e.Task] = true
		}
		d.trace = append(d.trace, fmt.Sprintf("%s/%v/%d on n%d %v-%v %v", j.spec.ID, a.e.Stage, a.e.Task, a.e.Node, a.began, d.at, e.Outcome))
	case sched.OutputLost:
		j := d.jobs[e.Job]
		if !j.done[e.Stage][e.Task] {
			d.fatal("output of task %v %d lost before it was there", e.Stage, e.Task)
		}
		delete(j.done[e.Stage], e.Task)
		j.open[e.Stage][e.Task] = true
	case sched.JobEnded:
		j := d.jobs[e.Job]
		if j == nil || j.live != 0 {
			d.fatal("job %d ended with %v", e.Job, j)
		}
		if e.Outcome == sched.Committed {
			last := j.spec.Stages[len(j.spec.Stages)-1]
			if len(j.done[last.Kind]) != len(last.Tasks) {
				d.fatal("job %s committed with %d of %d tasks", j.spec.ID, len(j.done[last.Kind]), len(last.Tasks))
			}
		}
		delete(d.jobs, e.Job)
		gone[e.Job] = true
		d.order = slices.DeleteFunc(d.order, func(x sched.JobID) bool { return x == e.Job })
		d.ended[j.spec.ID] = e.Outcome
		d.trace = append(d.trace, fmt.Sprintf("job %s %v %v", j.spec.ID, d.at, e.Outcome))
		for _, o := range d.jobs {
			if e.Outcome == sched.Committed && slices.Contains(o.spec.After, j.spec.ID) {
				o.pending--
			}
		}
	case sched.JobArrived:
		if d.jobs[e.Job] != nil || gone[e.Job] {
			d.fatal("job handle %d is in use", e.Job)
		}
		j := &dJob{id: e.Job, spec: e.Detail.Job, ready: map[sched.Stage]bool{}, open: map[sched.Stage]map[sched.TaskID]bool{}, done: map[sched.Stage]map[sched.TaskID]bool{},
			withheld: map[sched.Stage]bool{}, bound: map[sched.Stage]int{}, busy: map[sched.Stage]int{}}
		for _, s := range j.spec.Stages {
			j.open[s.Kind], j.done[s.Kind] = map[sched.TaskID]bool{}, map[sched.TaskID]bool{}
			for t := range s.Tasks {
				j.open[s.Kind][sched.TaskID(t+1)] = true
			}
		}
		for _, p := range j.spec.After {
			if d.ended[p] != sched.Committed {
				j.pending++
			}
		}
		if len(j.spec.After) == 0 {
			j.ready[j.spec.Stages[0].Kind] = true
		}
		d.jobs[e.Job] = j
		d.order = append(d.order, e.Job)
	case sched.StageReady:
		j := d.jobs[e.Job]
		if j.ready[e.Stage] {
			d.fatal("stage %v of %s ready twice", e.Stage, j.spec.ID)
		}
		if j.pending > 0 {
			d.fatal("stage %v of %s ready before %d predecessors", e.Stage, j.spec.ID, j.pending)
		}
		j.ready[e.Stage] = true
	case sched.Refused:
		d.refused = append(d.refused, *e)
	case sched.Tick:
		if d.onTick != nil {
			d.onTick()
		}
	case sched.Heartbeat:
		d.beats++
	}
}

func (d *driver) item(it sched.Item) {
	d.items++
	it.ID = d.items
	d.plan.Add(it)
	switch j := d.jobs[it.Job]; it.Verb {
	case sched.Withhold, sched.Release:
		j.withheld[it.Stage] = it.Verb == sched.Withhold
	case sched.SetSlots:
		j.bound[it.Stage] = int(it.Count)
	}
}

func (d *driver) decide(batch []sched.Event, beats []sched.NodeID) {
	for _, id := range d.order {
		j := d.jobs[id]
		if !j.admitted && (d.admit == nil || d.admit(j)) {
			j.admitted, j.since = true, d.batches
			d.item(sched.Item{Verb: sched.Admit, Job: id})
		}
	}
	if d.extra != nil {
		d.extra(d, batch, &d.plan)
	}
	for _, n := range beats {
		d.fill(n)
	}
}

// fill starts what fits on the node: for each job in order of arrival, each of its stages in turn.
func (d *driver) fill(n sched.NodeID) {
	for _, id := range d.order {
		j := d.jobs[id]
		// Without heartbeats, all nodes with room for the job beat in the next batch; those that
		// beat now are only some.
		if !j.admitted || d.w.cfg.Heartbeat == 0 && j.since == d.batches {
			continue
		}
		for i := range j.spec.Stages {
			s := &j.spec.Stages[i]
			if j.ready[s.Kind] {
				d.startOn(n, j, s)
			}
		}
	}
}

func (d *driver) startOn(n sched.NodeID, j *dJob, s *workload.StageSpec) {
	nd := d.nodes[n]
	node := d.w.cfg.Cluster.Nodes[n-1]
	if !node.Carries(j.spec.Labels) {
		return
	}
	most := 1 << 30
	if d.limit != nil {
		most = d.limit(j, s.Kind)
	}
	if bound, is := j.bound[s.Kind]; is && bound >= 0 {
		most = min(most, bound-j.busy[s.Kind])
	}
	if j.withheld[s.Kind] {
		return
	}
	for c := range max(1, len(s.Containers)) {
		needs := s.Container(c).Needs
		for ; most > 0 && nd.free.Fits(&needs); most-- {
			t, locality := nearest(j, s, n, d.w)
			if t == 0 {
				return
			}
			delete(j.open[s.Kind], t)
			j.live++
			j.busy[s.Kind]++
			nd.free.Sub(&needs)
			from := int32(len(d.plan.Bound))
			d.plan.Bound = append(d.plan.Bound, sched.Bound{Task: t, Locality: locality})
			d.item(sched.Item{Verb: sched.Start, Job: j.id, Stage: s.Kind, Container: uint8(c), Node: n, Count: 1, Tasks: sched.Span{From: from, To: from + 1}})
		}
	}
}

// nearest returns the open task nearest to the node, the lowest number first.
func nearest(j *dJob, s *workload.StageSpec, n sched.NodeID, w *World) (sched.TaskID, sched.Locality) {
	best, locality := sched.TaskID(0), sched.Remote+1
	for i := range s.Tasks {
		if t := sched.TaskID(i + 1); j.open[s.Kind][t] {
			if l := localityOf(s.Hosts.Of(i), n, w); l < locality {
				best, locality = t, l
			}
		}
	}
	return best, locality
}

func localityOf(hosts []sched.NodeID, n sched.NodeID, w *World) sched.Locality {
	if len(hosts) == 0 {
		return sched.Anywhere
	}
	locality := sched.Remote
	for _, h := range hosts {
		if h == n {
			return sched.NodeLocal
		}
		if w.cfg.Cluster.Nodes[h-1].Rack == w.cfg.Cluster.Nodes[n-1].Rack {
			locality = sched.RackLocal
		}
	}
	return locality
}
