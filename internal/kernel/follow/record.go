package follow

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Record is an event with the job, the attempt and the node that it is about.
type Record struct {
	*sched.Event
	At      units.Time // when it happened, or was told where it is told too late: Job.Ended says of a job's end when
	Job     *Job       // of the event, or of its attempt; nil: it is about none, or one that nobody has told of
	Attempt *Attempt   // nil: likewise
	Host    *Node      // the node, of an event that may change its state; nil: of all others
	Sizes   bool       // the job may have got another number of tasks than was known
	Again   bool       // of JobArrived and Started: the sink knows of it already, and a resync tells it again
	Over    bool       // of Ended: the attempt's job had ended before, if at the same instant
}

// Job is a job from its arrival to its end. After a resync, which may give it another handle, it is the same.
type Job struct {
	Index   int           // small, and no other job's while this one is there: sinks keep their notes by it
	Number  int           // in the order of arrival, from 0
	Spec    *workload.Job // as it was told last
	Arrived units.Time
	Ready   units.Time // when its first stage might start: when it arrived, or those were done that it comes after
	Ended   units.Time // units.Never: not yet

	taken [sched.Stages]taken // by the last attempt of each stage
	grows bool                // a stage of it does, or did
	known [sched.Stages]tally // of stages that grow
}

// taken is what a container of a kind takes, and which dimensions of that are not 0, by bit.
type taken struct {
	needs      *units.Vector // nil: nobody has asked
	kind, dims uint8
}

// tally is how many tasks of a stage are done and run, and the most that were known of at a time.
type tally struct {
	done, running, most int
	late                []late // of items that no demand has accounted for, in ascending order
}

// late is how many attempts of an item run.
type late struct {
	item    sched.ItemID
	running int
}

// Tasks returns how many tasks of a stage are known of so far, 0 if the job has no such stage.
func (j *Job) Tasks(s sched.Stage) int {
	st := j.Spec.Stage(s)
	switch {
	case st == nil:
		return 0
	case st.Grows:
		return max(len(st.Tasks), j.known[s].most)
	}
	return len(st.Tasks)
}

// AllTasks returns how many tasks of all stages are known of so far.
func (j *Job) AllTasks() (n int) {
	for i := range j.Spec.Stages {
		n += j.Tasks(j.Spec.Stages[i].Kind)
	}
	return n
}

// describe takes in what a job is now. Of one that never grows nothing is counted.
func (j *Job) describe(spec *workload.Job) {
	j.Spec, j.grows, j.taken = spec, j.grows || spec.Growing() != nil, [sched.Stages]taken{}
}

// count notes that tasks got done or began, and that so many more are asked for.
func (j *Job) count(s sched.Stage, done, running, asked int) {
	if j.grows && int(s) < len(j.known) {
		t := &j.known[s]
		t.done, t.running = max(0, t.done+done), max(0, t.running+running)
		t.most = max(t.most, t.done+t.running+asked)
	}
}

// runs notes that an attempt of an item of a job that grows began or ended.
func (j *Job) runs(s sched.Stage, item sched.ItemID, n int) {
	if int(s) >= len(j.known) || item == 0 {
		return
	}
	t := &j.known[s]
	i, is := slices.BinarySearchFunc(t.late, item, func(l late, item sched.ItemID) int { return cmp.Compare(l.item, item) })
	switch {
	case is && t.late[i].running+n == 0:
		t.late = slices.Delete(t.late, i, i+1)
	case is:
		t.late[i].running += n
	case n > 0:
		t.late = slices.Insert(t.late, i, late{item, n})
	}
}

// asked is how many attempts run that a demand asks for still, as it was said before it knew of them.
func (j *Job) asked(e *sched.Event) (n int) {
	if int(e.Stage) >= len(j.known) {
		return 0
	}
	t := &j.known[e.Stage]
	t.late = slices.DeleteFunc(t.late, func(l late) bool { return l.item <= e.Item })
	for _, l := range t.late {
		n += l.running
	}
	return n
}

// settle takes what a job that has committed asked for and never ran for no task of its own.
func (j *Job) settle() {
	for s := range j.known {
		j.known[s].most = j.known[s].done
	}
}

// Attempt is an attempt from its start to its end. It is the same after a resync, too. It fits a
// line of the processor's cache.
type Attempt struct {
	Job       *Job
	On        *cluster.Node // its node as it was when the attempt was told of; nil: nobody knows
	Needs     *units.Vector // what it takes of that node
	Began     units.Time
	Item      sched.ItemID
	Index     int32           // as that of Job
	ID        sched.AttemptID // its handle now
	Task      sched.TaskID    // 0: the world binds late and has not said
	Node      sched.NodeID
	Stage     sched.Stage
	Container uint8
	Locality  sched.Locality
	Takes     uint8 // the dimensions of Needs that are not 0, by bit
}

// Measured is when an attempt began that ends at a time and measured these spans itself. On a busy
// machine the world may come to tell of a start only with the end; but what the attempt measured it
// did spend.
func (a *Attempt) Measured(ended units.Time, e *sched.Event) units.Time {
	for _, span := range e.Spans {
		ended = ended.Add(-max(0, span))
	}
	return min(a.Began, ended)
}

// Decision is an item of a plan that the ledger has let pass, with the job that it is about; or a
// verdict that is refused as Watched: what would have been decided. Starts are not shown: their
// records are.
type Decision struct {
	*sched.Item
	Job  *Job // nil: it is about none
	plan *sched.Plan
	of   *Follower
}

// Why says in a sentence why the policy decided so.
func (d *Decision) Why() string {
	return d.plan.Why(d.Item, func(h sched.JobID) *workload.Job {
		if j := d.of.job(h); j != nil {
			return j.Spec
		}
		return nil
	})
}
