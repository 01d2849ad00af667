// Package placement holds the ways to choose what a node gets that can be served.
//
// Deviations of Greedy from Hadoop 1.2.1:
//
//   - A task without preferred nodes (sched.Anywhere) does not count as non-local: the bound keeps
//     nodes from taking each other's local tasks, and this is nobody's. Hadoop's code takes such
//     splits for non-local ones; the paper does not speak of them.
//   - JobQueueTaskScheduler fills no node beyond the cluster's mean load and keeps some slots free
//     for failures and second attempts once the first job has what it wants
//     (mapred.jobtracker.taskalloc.capacitypad). Neither is done here.
//   - FairScheduler has no bound on non-local maps and reduces for each beat; it delays jobs for
//     their locality instead. The scheme "fair" keeps the bounds of the default scheduler;
//     greedy(nonlocal=0,reduces=0) lifts them.
package placement

import "github.com/slackline/slackline/sched"

// Greedy fills a node when it beats, by Hadoop's own rules (Hadoop 1.2.1, JobQueueTaskScheduler;
// paper 003, sections 2.1.1 and 4.1):
//
//   - The order is strict: the second job is not looked at while the first has an open task that may start on the node.
//   - Of a job's maps, those whose data lie on the node go first, as many as fit; then at most
//     NonLocal others per beat, and with the last of them the node has got its maps, no matter how
//     many slots stay free. So no node takes tasks that are local to another before that one had
//     its turn.
//   - At most Reduces reduces are started per node and beat, so that they spread over the nodes.
//
// Masters come before tasks; the other stages follow reduces and go by the rule of maps.
//
// Rack-local tasks count as non-local, as in the paper; LocalRack counts them as local instead, as
// Hadoop's code does (JobInProgress.obtainNewNodeOrRackLocalMapTask).
//
// Where maps and reduces draw on the same resources (memory, virtual cores), the node is offered to
// the first job of all, whatever it asks for; of one job the maps go first, for a reduce that waits
// for maps which have no room would wait for ever. Where a job's maps and another's reduces rank
// alike, the job that came first goes first.
type Greedy struct {
	NonLocal  int  // non-local tasks of a stage per node and beat, 0 = no bound
	Reduces   int  // reduces per node and beat, 0 = no bound
	LocalRack bool // a task whose data lie in the node's rack is local

	turn // reused
}

// CountSleepers lifts the bound on tasks whose data are elsewhere: where nodes are saved those that have them may be
// kept from work, and one task a beat would fill no other.
func (g *Greedy) CountSleepers() { g.NonLocal = 0 }

// Decide serves the nodes that beat, in the order of their beats.
func (g *Greedy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	t := &g.turn
	beats := len(batch)
	for beats > 0 && batch[beats-1].Kind == sched.Heartbeat { // which stand last
		beats--
	}
	for i := beats; i < len(batch); i++ {
		if !t.of(v, p, batch[i].Node) {
			continue
		}
		if g.LocalRack {
			t.farthest = sched.RackLocal
		}
		t.maps = quota{stage: sched.Map, nonLocal: g.NonLocal}
		t.serve(&t.maps, g.Reduces, g.NonLocal)
	}
}

// quota is what a node may still get of a stage on this beat, in strict order of jobs.
type quota struct {
	stage    sched.Stage
	count    int         // containers, 0 = no bound
	nonLocal int         // of them non-local, 0 = no bound
	after    sched.JobID // jobs up to this one have been passed over
	spent    bool
	behind   bool // who has maps to do that draw on the same gets none
}

func (q *quota) next(t *turn) sched.JobID {
	if q.spent {
		return 0
	}
	j := t.v.First(t.node.ID, q.stage, q.after)
	for j != 0 && q.behind && holdsUp(t.v.Job(j), q.stage) {
		q.after = j
		j = t.v.First(t.node.ID, q.stage, q.after)
	}
	return j
}

// holdsUp tells whether tasks of the stage take what maps of the job still need.
func holdsUp(j *sched.Job, s sched.Stage) bool {
	if j.Over(sched.Map) {
		return false
	}
	a, b := j.Spec.Stage(s).Container(0), j.Spec.Stage(sched.Map).Container(0)
	for d := range a.Needs {
		if a.Needs[d] > 0 && b.Needs[d] > 0 {
			return true
		}
	}
	return false
}

// start starts one task of the job, the nearest, and charges the quota. A job of which nothing can
// be started is passed over.
func (q *quota) start(t *turn, j sched.JobID) {
	if !t.start(j, q.stage, sched.Remote) {
		q.after = j
		return
	}
	locality := t.p.Items[len(t.p.Items)-1].Locality
	if q.count > 0 {
		q.count--
		q.spent = q.count == 0
	}
	if locality > t.farthest && q.nonLocal > 0 {
		q.nonLocal--
		q.spent = q.nonLocal == 0
	}
}
