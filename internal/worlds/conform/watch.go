package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Watch is a sink that follows a run and notes each promise that the world breaks. It keeps a book
// of its own, of what the world says; of plans it notes only which jobs and nodes they are about.
type Watch struct {
	// Binds tells that attempts name their tasks, so that commits can be counted by task.
	Binds bool
	// Broken lists what was wrong, in sentences.
	Broken []string
	// Ends counts attempts by outcome, Jobs the jobs by theirs.
	Ends map[sched.Outcome]int
	Jobs map[sched.Outcome]int
	// Refused counts what the book (true) and the world (false) refused, Whys what the world did by reason.
	Refused map[bool]int
	Whys    map[sched.Code]int
	Rejects int // jobs that the policy rejected
	Cancels int // jobs that their users cancelled
	Odd     int // discrepancies
	Old     int // facts that were told with their age
	Since   int // jobs that had ended before that was told
	Yields  int // how often a stock scheduler placed work alone
	Watches int // how often the scheduler was to watch only
	Ghosts  int // ends of attempts that nobody knew any more
	Advised int // verdicts that it then gave as advice
	Grown   int // stages of which more tasks were told than before
	Guessed int // such stages of which these had been said to be all
	Members int // descriptions of jobs that are in a workflow
	Untold  int // jobs that ended while all was told again: they are not told, nor is how they ended

	cut      bool // nodes may hold more than they have room for (Subject.Cut)
	round    int64
	at       units.Time
	nodes    map[sched.NodeID]*watchedNode
	jobs     map[sched.JobID]*watchedJob
	attempts map[sched.AttemptID]*watchedAttempt
	ended    map[string]sched.Outcome
	allowed  map[string]bool                 // jobs that the policy has admitted, or wanted a sample of
	left     map[sched.ItemID]int32          // containers of an item that the world has not answered
	second   map[sched.ItemID]bool           // items that ask for a second attempt
	far      map[sched.ItemID]sched.Locality // how far an item lets tasks start from their input
	tasks    map[watchedTask]int             // attempts of a task
	barred   map[sched.ItemID]forbidden      // starts that no world may do
	instants int                             // batches of one time
	yielded  int64                           // round in which the stock scheduler took over, 0 = it places nothing
	since    units.Time                      // when that was told: of that instant there may be several batches
	watching bool                            // the scheduler only watches, and so does a stock scheduler
	// attempts that ended untold: the world may tell their end later, and nobody knows them then
	ghosts   map[sched.AttemptID]bool
	last     units.Time // of the batch before
	resynced int64      // round of the last resync
	taken    int64      // round of the last take-over
	before   past       // what was known before the resync of this batch
}

type watchedNode struct {
	name       string
	up         bool
	was        bool  // it was up before this batch
	slept      int64 // round of the plan that put it to sleep, by this item
	item       sched.ItemID
	labels     []string
	room, used units.Vector
	had        units.Vector // its room before this batch
	started    bool         // something did in this batch
}

type watchedTask struct {
	job   sched.JobID
	stage sched.Stage
	task  sched.TaskID
}

type watchedJob struct {
	id        string
	detail    *sched.Detail
	ready     [sched.Stages]bool
	done      [sched.Stages]map[sched.TaskID]bool
	count     [sched.Stages]int
	since     units.Time
	cancelled bool
}

type watchedAttempt struct {
	job   sched.JobID
	stage sched.Stage
	task  sched.TaskID
	node  sched.NodeID
	need  units.Vector
	since units.Time
	item  sched.ItemID

	progress float64
}

// NewWatch returns a watch over a run that begins.
func NewWatch(binds bool) *Watch {
	w := &Watch{Binds: binds, Ends: make(map[sched.Outcome]int), Jobs: make(map[sched.Outcome]int), Refused: make(map[bool]int),
		Whys: make(map[sched.Code]int), second: make(map[sched.ItemID]bool), ended: make(map[string]sched.Outcome), allowed: make(map[string]bool), ghosts: make(map[sched.AttemptID]bool), barred: make(map[sched.ItemID]forbidden)}
	w.forget()
	return w
}

func (w *Watch) forget() {
	w.nodes = make(map[sched.NodeID]*watchedNode)
	w.jobs = make(map[sched.JobID]*watchedJob)
	for id := range w.attempts {
		w.ghosts[id] = true
	}
	w.attempts = make(map[sched.AttemptID]*watchedAttempt)
	w.tasks = make(map[watchedTask]int)
	w.left = make(map[sched.ItemID]int32) // what runs is told again, item and all
	w.far = make(map[sched.ItemID]sched.Locality)
}

func (w *Watch) broken(format string, args ...any) {
	if len(w.Broken) < 20 {
		w.Broken = append(w.Broken, fmt.Sprintf("round %d at %v: ", w.round, w.at)+fmt.Sprintf(format, args...))
	}
}

// Batch checks what the world said.
func (w *Watch) Batch(round int64, at units.Time, events []sched.Event) error {
	if at < w.at {
		w.broken("time went back from %v", w.at)
	}
	if w.instants++; at != w.at {
		w.instants = 0
	}
	if w.instants > 1000 {
		return fmt.Errorf("time does not pass: %d batches at %v", w.instants, at)
	}
	w.round, w.last, w.at = round, w.at, at
	for _, n := range w.nodes {
		n.was, n.had, n.started = n.up, n.room, false
	}
	if len(events) > 0 && events[0].Kind == sched.Resync {
		for _, j := range w.jobs {
			if !slices.ContainsFunc(events, func(e sched.Event) bool { return e.Kind == sched.JobArrived && e.Detail.Job.ID == j.id }) {
				w.Untold++
				w.ended[j.id] = sched.Committed // as far as anybody knows who waits for it
			}
		}
	}
	for i := range events {
		if i > 0 && events[i].Kind < events[i-1].Kind {
			w.broken("%v comes after %v", events[i].Kind, events[i-1].Kind)
		}
		if events[0].Kind != sched.Resync || !isLate(events[i].Kind) {
			w.event(&events[i])
		}
	}
	for i := range events {
		if events[0].Kind == sched.Resync && isLate(events[i].Kind) {
			w.event(&events[i])
		}
	}
	if w.Resynced() {
		w.progressBefore()
	}
	for id, n := range w.nodes {
		// What the node had before counts too: that it changed is told before what was started until then.
		if n.started && !w.cut && !n.room.Fits(&n.used) && !n.had.Fits(&n.used) {
			w.broken("on node %d runs %v, it has %v", id, n.used, n.room)
		}
	}
	return nil
}

// isLate tells which events of a resync have to be read last: attempts, and who was cancelled, after the jobs.
func isLate(k sched.EventKind) bool {
	return k == sched.Started || k == sched.Progress || k == sched.Ended || k == sched.JobCancelled
}

// Plan has nothing to check, as what a policy wants is its own affair. It notes what the world was allowed to do.
func (w *Watch) Plan(round int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Refused == sched.Watched && (it.Verb == sched.Admit || it.Verb == sched.Hold || it.Verb == sched.Reject) {
			w.Advised++
		}
		if it.Refused == sched.Watched && !w.watching {
			w.broken("item %d, %v, is refused as watched, and nobody watches", it.ID, it.Verb)
		}
		if it.Refused != sched.OK || it.Held {
			continue
		}
		if w.watching && it.Verb != sched.Foretell && it.Verb != sched.Rank && it.Verb != sched.WakeMe {
			w.broken("the book lets item %d, %v, pass while the scheduler watches", it.ID, it.Verb)
		}
		if w.yielded > 0 && (it.Verb == sched.Start || it.Verb == sched.Speculate || it.Verb == sched.Kill) {
			w.broken("the book lets item %d, %v, pass while the stock scheduler places work", it.ID, it.Verb)
		}
		switch j, n := w.jobs[it.Job], w.nodes[it.Node]; {
		case (it.Verb == sched.Admit || it.Verb == sched.Sample) && j != nil:
			w.allowed[j.id] = true
		case it.Verb == sched.Reject:
			w.Rejects++
		case it.Verb == sched.Start || it.Verb == sched.Speculate:
			if j != nil && slices.Contains(j.detail.Job.Avoids, it.Node) {
				w.broken("the book lets %v of job %q pass for node %d, which the job avoids", it.Verb, j.id, it.Node)
			}
			w.left[it.ID] = it.Count
			w.second[it.ID] = it.Verb == sched.Speculate
			w.far[it.ID] = cmp.Or(it.Locality, sched.Remote)
		case it.Verb == sched.Sleep && n != nil:
			n.slept, n.item = round, it.ID
		}
	}
	return nil
}

func (w *Watch) event(e *sched.Event) {
	switch e.Kind {
	case sched.Resync:
		w.remember()
		w.forget()
		w.yielded, w.watching = 0, false
	case sched.Control:
		w.yielded = 0
		switch e.Control {
		case sched.Yield:
			w.yielded, w.since = w.round, w.at
			w.Yields++
		case sched.TakeOver:
			w.taken = w.round
		case sched.Watch:
			w.watching = true
			w.Watches++
		}
	case sched.NodeUp:
		n := w.nodes[e.Node]
		if n == nil {
			n = &watchedNode{}
			w.nodes[e.Node] = n
		}
		n.name, n.up, n.room, n.slept, n.labels = e.Detail.Node.Name, true, e.Detail.Node.Class.Capacity, 0, e.Detail.Node.Labels
	case sched.NodeChanged:
		n := w.nodes[e.Node]
		if n == nil && (e.State == sched.Offered || e.State == sched.Waking) {
			n = &watchedNode{name: e.Detail.Node.Name, labels: e.Detail.Node.Labels}
			w.nodes[e.Node] = n
		}
		if n == nil {
			w.broken("node %d changed that was never up", e.Node)
			break
		}
		switch e.State {
		case sched.Asleep, sched.Waking, sched.Awake:
			n.slept = 0
		case sched.Offered:
			n.up, n.slept = false, 0
		}
		if e.Detail != nil && e.Detail.Node != nil {
			n.room = e.Detail.Node.Class.Capacity
		}
	case sched.NodeDown:
		if n := w.nodes[e.Node]; n == nil || !n.up {
			w.broken("node %d went down that was not up", e.Node)
		} else {
			n.up = false
		}
	case sched.JobArrived:
		if w.jobs[e.Job] != nil {
			w.broken("job %d arrived under a handle that is in use", e.Job)
		}
		j := &watchedJob{id: e.Detail.Job.ID, detail: e.Detail, since: w.at.Add(-e.Age)}
		for s := range j.done {
			j.done[s] = make(map[sched.TaskID]bool)
		}
		for _, st := range e.Detail.Job.Stages {
			for _, t := range st.Done {
				j.done[st.Kind][sched.TaskID(t)] = true
			}
			j.count[st.Kind] = len(st.Done)
		}
		w.jobs[e.Job] = j
		w.arrivedBefore(e, j)
		w.member(j.detail.Job)
	case sched.JobCancelled:
		if j := w.jobs[e.Job]; j == nil {
			w.broken("job %d was cancelled, which is not there", e.Job)
		} else {
			j.cancelled = true
			w.Cancels++
		}
	case sched.JobAmended:
		w.amended(e)
	case sched.StageReady, sched.Demand:
		w.ready(e)
	case sched.Started:
		w.started(e)
	case sched.Progress:
		if a := w.attempts[e.Attempt]; a != nil {
			a.progress = e.X
		}
	case sched.Ended:
		w.end(e)
	case sched.OutputLost:
		w.lost(e)
	case sched.JobEnded:
		w.jobEnded(e)
	case sched.Heartbeat:
		if n := w.nodes[e.Node]; n == nil || !n.up {
			w.broken("node %d beats and is not up", e.Node)
		}
	case sched.Refused:
		w.Refused[e.Derived]++
		if !e.Derived {
			w.Whys[e.Why]++
			if n := w.nodes[e.Node]; n != nil && e.Item == n.item {
				n.slept = 0
			}
			w.answer(e.Item, max(e.Count, 1))
		}
	case sched.Discrepancy:
		if w.Odd++; (w.yielded > 0 || w.watching) && strings.HasPrefix(e.Text, "started") {
			w.broken("the stock scheduler places work, and the book does not expect it: %s", e.Text)
		}
	}
}

// amended takes a new description.
func (w *Watch) amended(e *sched.Event) {
	j := w.jobs[e.Job]
	if j == nil {
		w.broken("job %d was amended, which is not there", e.Job)
		return
	}
	for i := range e.Detail.Job.Stages {
		st := &e.Detail.Job.Stages[i]
		if is := j.detail.Job.Stage(st.Kind); len(st.Tasks) > len(is.Tasks) {
			w.Grown++
			waited := len(j.detail.Job.After) > 0 && !j.ready[st.Kind] // what it reads is there by now
			switch {
			case is.Grows || e.Item != 0 || waited:
			case w.Binds:
				w.broken("job %q has more %v tasks than were all", j.id, st.Kind)
			default:
				w.Guessed++
			}
		}
	}
	j.detail = e.Detail
	w.member(j.detail.Job)
}

// member checks what a job says of its workflow: it is in it, behind those that it waits for; all of its jobs
// say the same; and who is done is not there.
func (w *Watch) member(j *workload.Job) {
	f := j.Workflow
	if f == nil || len(f.Jobs) == 0 {
		return
	}
	w.Members++
	own := slices.Index(f.Jobs, j.ID)
	for _, before := range j.After {
		if i := slices.Index(f.Jobs, before); i >= own {
			w.broken("job %q stands before %q in its workflow, and waits for it", j.ID, before)
		}
	}
	if own < 0 || len(f.Done) > 0 && (len(f.Done) != len(f.Jobs) || f.Done[own]) {
		w.broken("job %q is in the workflow %q, which has the jobs %q, done %v", j.ID, f.ID, f.Jobs, f.Done)
		return
	}
	for _, other := range w.jobs {
		of := other.detail.Job.Workflow
		if of == nil || of.ID != f.ID {
			continue
		}
		if of.Deadline != f.Deadline || !slices.Equal(of.Jobs, f.Jobs) {
			w.broken("jobs %q and %q say different things of their workflow", j.ID, other.id)
		}
		if i := slices.Index(f.Jobs, other.id); i >= 0 && len(f.Done) > 0 && f.Done[i] {
			w.broken("job %q is there, and %q says that it is done", other.id, j.ID)
		}
	}
}

// ready checks that a stage becomes ready after what it builds on.
func (w *Watch) ready(e *sched.Event) {
	j := w.jobs[e.Job]
	if j == nil {
		w.broken("%v of job %d, which is not there", e.Kind, e.Job)
		return
	}
	j.ready[e.Stage] = true
	w.precedes(j)
}

// precedes checks that what a job waits for has committed.
func (w *Watch) precedes(j *watchedJob) {
	for _, before := range j.detail.Job.After {
		if w.ended[before] != sched.Committed {
			w.broken("job %q may start, its predecessor %q has not finished", j.id, before)
		}
	}
}

func (n *watchedNode) carries(labels []string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(n.labels, l) })
}

// answer notes that the world has done or refused so much of an item. No item is answered for more than it asks.
func (w *Watch) answer(id sched.ItemID, n int32) {
	left, ok := w.left[id]
	if !ok {
		return
	}
	if w.left[id] = left - n; left < n {
		w.broken("item %d was answered for more than it asks", id)
	}
}

func (w *Watch) started(e *sched.Event) {
	w.answer(e.Item, 1)
	j, n := w.jobs[e.Job], w.nodes[e.Node]
	if (w.watching || w.Resynced() && w.before.watching) && j != nil {
		w.allowed[j.id] = true // nobody asks the policy
	}
	switch {
	case w.watching && !w.Resynced() && e.Item > 0:
		w.broken("an attempt of item %d started while the scheduler watches", e.Item)
	case w.yielded > 0 && w.at > w.since && e.Item > 0 && e.Age == 0:
		w.broken("an attempt of item %d started while the stock scheduler places work", e.Item)
	}
	switch {
	case j == nil:
		w.broken("an attempt of job %d started, which is not there", e.Job)
		return
	case n == nil || !n.up && !n.was: // nodes are told first: one may fall behind a start that is told with it
		w.broken("an attempt started on node %d, which is not up", e.Node)
		return
	case w.Binds && n.slept > 0 && w.round > n.slept+1:
		w.broken("an attempt started on node %d, which was put to sleep in round %d", e.Node, n.slept)
	case w.barred[e.Item].by != sched.NoVerb:
		w.broken("%v of job %q started by item %d, which %v forbids", e.Stage, j.id, e.Item, w.barred[e.Item].by)
	case w.attempts[e.Attempt] != nil:
		w.broken("attempt %d started twice", e.Attempt)
	case !j.ready[e.Stage]:
		w.broken("%v of job %q started before it was ready", e.Stage, j.id)
	case w.far[e.Item] != sched.NoLocality && e.Locality > w.far[e.Item]:
		w.broken("%v of job %q started %v of its input, item %d allows %v", e.Stage, j.id, e.Locality, e.Item, w.far[e.Item])
	case j.cancelled && e.Age == 0:
		w.broken("%v of job %q started, which was cancelled", e.Stage, j.id)
	case !w.allowed[j.id]:
		w.broken("%v of job %q started, which was never admitted", e.Stage, j.id)
	case !n.carries(j.detail.Job.Labels):
		w.broken("%v of job %q started on node %d, which lacks a label", e.Stage, j.id, e.Node)
	case w.Binds && w.tasks[watchedTask{e.Job, e.Stage, e.Task}] > 0 && !w.races(e):
		w.broken("%v %d of job %q started while it ran", e.Stage, e.Task, j.id)
	case w.Binds && j.done[e.Stage][e.Task]:
		w.broken("%v %d of job %q started again after its commit", e.Stage, e.Task, j.id)
	}
	st := j.detail.Job.Stage(e.Stage)
	if st == nil || w.Binds && (e.Task < 1 || int(e.Task) > len(st.Tasks)) {
		w.broken("an attempt started of job %q %v %d, which does not exist", j.id, e.Stage, e.Task)
		return
	}
	w.precedes(j)
	c := st.Container(int(e.Container))
	w.tasks[watchedTask{e.Job, e.Stage, e.Task}]++
	n.started = !w.Resynced() // what is told again may run on a node that has less room by now
	w.attempts[e.Attempt] = &watchedAttempt{e.Job, e.Stage, e.Task, e.Node, c.Needs, w.at.Add(-e.Age), e.Item, 0}
	w.startedBefore(e, j)
	n.used.Add(&c.Needs)
}

func (w *Watch) end(e *sched.Event) {
	a := w.attempts[e.Attempt]
	switch {
	case a == nil && w.ghosts[e.Attempt]:
		delete(w.ghosts, e.Attempt)
		w.Ghosts++
		return
	case a == nil:
		w.broken("attempt %d ended twice, or never started", e.Attempt)
		return
	case e.Derived: // its node came back empty
		w.ghosts[e.Attempt] = true
	}
	w.Ends[e.Outcome]++
	delete(w.attempts, e.Attempt)
	w.tasks[watchedTask{a.job, a.stage, a.task}]--
	w.nodes[a.node].used.Sub(&a.need)
	if e.Outcome == sched.NoOutcome {
		w.broken("attempt %d ended without an outcome", e.Attempt)
	}
	if j := w.jobs[a.job]; j != nil && e.Outcome == sched.Committed {
		j.count[a.stage]++
		if w.Binds {
			if j.done[a.stage][a.task] {
				w.broken("%v %d of job %q committed twice", a.stage, a.task, j.id)
			}
			j.done[a.stage][a.task] = true
		}
	}
}

func (w *Watch) lost(e *sched.Event) {
	j := w.jobs[e.Job]
	if j == nil {
		w.broken("an output was lost of job %d, which is not there", e.Job)
		return
	}
	j.count[e.Stage]--
	if w.Binds {
		if !j.done[e.Stage][e.Task] {
			w.broken("the output of %v %d of job %q was lost, which was not there", e.Stage, e.Task, j.id)
		}
		delete(j.done[e.Stage], e.Task)
	}
}

func (w *Watch) jobEnded(e *sched.Event) {
	j := w.jobs[e.Job]
	if j == nil {
		w.broken("job %d ended, which is not there", e.Job)
		return
	}
	if e.Age > 0 {
		w.Since++
	}
	if w.at.Add(-e.Age) < j.since {
		w.broken("job %q ended %v ago, before it came", j.id, e.Age)
	}
	w.Jobs[e.Outcome]++
	w.ended[j.id] = e.Outcome
	for id, a := range w.attempts {
		if a.job == e.Job {
			w.broken("job %q ended before its attempt %d did", j.id, id)
			w.nodes[a.node].used.Sub(&a.need)
			w.tasks[watchedTask{a.job, a.stage, a.task}]--
			delete(w.attempts, id)
		}
	}
	last := j.detail.Job.Stages[len(j.detail.Job.Stages)-1]
	if w.Binds && e.Outcome == sched.Committed && len(j.done[last.Kind]) != len(last.Tasks) {
		w.broken("job %q committed with %d of %d %v tasks done", j.id, len(j.done[last.Kind]), len(last.Tasks), last.Kind)
	}
	delete(w.jobs, e.Job)
}

// Close checks what must hold at the end of a run, and returns all that was broken.
func (w *Watch) Close(jobs int) []string {
	if len(w.attempts) > 0 {
		w.broken("%d attempts never ended", len(w.attempts))
	}
	if len(w.jobs) > 0 {
		var ids []string
		for _, j := range w.jobs {
			ids = append(ids, j.id)
		}
		slices.Sort(ids)
		w.broken("jobs never ended: %v", ids)
	}
	if len(w.ended) != jobs {
		w.broken("%d of %d jobs ended", len(w.ended), jobs)
	}
	return w.Broken
}

// races tells whether an attempt is a second one: that was asked for. A resync tells of the two in any order.
func (w *Watch) races(e *sched.Event) bool {
	if w.second[e.Item] {
		return true
	}
	for _, a := range w.attempts {
		if w.resynced == w.round && a.job == e.Job && a.stage == e.Stage && a.task == e.Task && w.second[a.item] {
			return true
		}
	}
	return false
}
