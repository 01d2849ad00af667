package rtmr

import (
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A job may have an ApplicationMaster: a first stage of one task, which asks for all others once it is
// up, and ends with the job. The paper knows none. What it costs a promise depends on where it lives:
//
//   - Outside of the slots (in a container that takes none, as under YARN) it starts as soon as the job
//     has its promise, before all else that its node could run. Its room is kept for it from the
//     verdict on, and without room there is no promise. So no task of the job may start before the time
//     of a start-up has passed since the verdict (Claim.Ready).
//   - In a map slot it waits its turn as a map would, and then the job counts as started. The job's
//     maps follow a start-up later, in other slots. The master's slot comes back when the job ends.
//
// A start-up takes what it took at worst in the job's class, and before it the master waits for a beat.
// When a sample is complete the master is up. While a job's master starts up, map slots are kept for the
// job as algorithm 5.4 keeps reduce slots for jobs whose maps run: jobs behind it get what is left.
//
// A master that dies before it is up starts again, before all else, and the schedule counts from then
// on: a promise may break by that, as by any task that fails. One that dies later holds nobody up,
// since the tasks of its job run on.
//
// When nodes are lost, masters may hold all map slots that are left, and wait for each other's. The
// last of them is killed for the first job that waits: its promise was made for more slots.
//
// Masters of jobs without a promise take at most config.Masters of the cluster, so that there is room
// for the tasks that they wait for; if none runs, one may. They are killed as tasks are,
// the master of a job behind its tasks.

// life is what is known of the master of a job with a promise.
type life uint8

const (
	without  life = iota // the job has none
	waits                // to start
	starting             // it has its container, and is not up
	running              // it is up, or was
)

// masterUp tells whether the job's master is up: the stage behind it may start.
func masterUp(job *sched.Job) bool {
	for i := range job.Spec.Stages {
		if kind := job.Spec.Stages[i].Kind; kind != sched.Master {
			return job.Stages[kind].Ready
		}
	}
	return false
}

// master fills in what the job's master costs it, which takes so long to start up, the wait for a beat
// with it. It is false if no node has room.
func (s *scheduler) master(v sched.View, job *sched.Job, r *record, startup units.Duration) bool {
	c, t := &r.Claim, &job.Stages[sched.Master]
	needs, slot, _ := estimate.Master(job.Spec)
	r.Master, r.Room, c.Ready, c.Startup, c.Slot = without, 0, 0, 0, slot
	switch {
	case needs == nil:
		return true
	case masterUp(job):
		r.Master = running
		return true
	case t.Open > 0:
		r.Master = waits
	default:
		r.Master = starting
	}
	if c.Startup = startup; slot {
		return true
	}
	c.Ready = v.Now().Add(startup)
	if r.Master == waits {
		r.Room = s.room(v, job.ID, needs)
	}
	return r.Master == starting || r.Room != 0
}

// room finds a node for a job's master, 0 if none has room beside what is kept for others.
func (s *scheduler) room(v sched.View, j sched.JobID, needs *units.Vector) sched.NodeID {
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if s.fits(v, n, j, needs) {
			return n
		}
	}
	return 0
}

// fits tells whether a node has room for a job's master beside what is kept there for others.
func (s *scheduler) fits(v sched.View, n sched.NodeID, j sched.JobID, needs *units.Vector) bool {
	node := v.Node(n)
	if node == nil || !node.Serves() || !node.Free.Fits(needs) || !node.Suits(v.Job(j).Spec) {
		return false
	}
	free := node.Free
	for _, other := range s.queue {
		if job := v.Job(other); job != nil && other != j && s.of(other).Room == n {
			kept, _, _ := estimate.Master(job.Spec)
			free.Sub(kept)
		}
	}
	return free.Fits(needs)
}

// rise looks which masters of jobs with a promise are up by now, and which have to start again. O(jobs
// with a promise), if one of them has a master.
func (s *scheduler) rise(v sched.View) {
	if s.mastered == 0 {
		return
	}
	for _, j := range s.queue {
		r, job := s.of(j), v.Job(j)
		if job == nil || r.Master == without || r.Master == running {
			continue
		}
		if masterUp(job) {
			r.Master, r.Room = running, 0
			s.plan.Up(v.Now(), j)
			continue
		}
		needs, slot, _ := estimate.Master(job.Spec)
		died := r.Master == starting && job.Stages[sched.Master].Open > 0
		if died || r.Master == waits && !slot && !s.fits(v, r.Room, j, needs) { // or its node has gone
			r.Master, r.Room = waits, 0
			if !slot {
				r.Room = s.room(v, j, needs)
			}
			s.plan.Again(v.Now(), j)
		}
	}
}

// rising tells whether a job with a promise has a master that is not up, or is to start again.
func (s *scheduler) rising(v sched.View) bool {
	return s.mastered > 0 && slices.ContainsFunc(s.queue, func(j sched.JobID) bool {
		r, job := s.of(j), claimant(v, j)
		return job != nil && r.Master != without && (r.Master != running || job.Stages[sched.Master].Open > 0)
	})
}

// masters starts masters of jobs with a promise on the node, outside of its slots.
func (s *scheduler) masters(v sched.View, n sched.NodeID, p *sched.Plan) {
	if s.mastered == 0 {
		return
	}
	for _, j := range s.queue {
		r, job := s.of(j), claimant(v, j)
		if job == nil || r.Master == without || r.Claim.Slot || job.Stages[sched.Master].Open <= 0 {
			continue
		}
		if needs, _, _ := estimate.Master(job.Spec); s.fits(v, n, j, needs) &&
			p.Start(j, sched.Master, n, 1, v.Nearest(n, j, sched.Master), sched.Because(sched.FirstInOrder)) {
			r.begins()
		}
	}
}

// begins notes that the job's master has been given its container.
func (r *record) begins() {
	if r.Room = 0; r.Master == waits {
		r.Master = starting
	}
}

// crowded tells whether masters of jobs without a promise take so much that the job's has to wait.
func (s *scheduler) crowded(v sched.View, job *sched.Job) bool {
	used := units.Vector{}
	for _, j := range s.others {
		if other := v.Job(j); other != nil {
			if needs, _, _ := estimate.Master(other.Spec); needs != nil {
				for range other.Stages[sched.Master].Occupied {
					used.Add(needs)
				}
			}
		}
	}
	needs, _, _ := estimate.Master(job.Spec)
	_, full := s.conf.Masters.Full(v.Capacity(), &used, needs)
	return full
}

// breakDeadlock kills the last master in the order of jobs if masters with a promise hold all map slots in
// service, all their jobs wait for maps, and a job before it wants a slot. A job's own master is never
// killed for it, so each kill helps an earlier job, and there is an end to it. O(jobs with a promise), if
// there are so many masters.
func (s *scheduler) breakDeadlock(v sched.View, p *sched.Plan) {
	slots := s.serving(v, sched.Map)
	if s.mastered == 0 || slots == 0 || int64(v.Queue(sched.Root).Stages[sched.Master].Occupied) < slots {
		return
	}
	var (
		waits  *sched.Job     // the first that wants a slot
		last   *sched.Attempt // the last master
		locked int64          // slots that masters hold whose jobs wait
	)
	for _, j := range s.queue {
		job := claimant(v, j)
		if job == nil || !s.of(j).Claim.Slot {
			continue
		}
		if masters, _ := s.wants(job, sched.Master); waits == nil {
			if maps, _ := s.wants(job, sched.Map); masters+maps > 0 {
				waits = job
			}
		}
		a := v.Attempt(v.Youngest(j, sched.Master, 0))
		if a != nil && !a.Dying && job.Stages[sched.Map].Open > 0 && inService(v.Node(a.Node), sched.Map) {
			last, locked = a, locked+1
		}
	}
	if locked == slots && waits != nil && waits.ID != last.Job {
		why := sched.Because(Deadlock, slots)
		why.Job = waits.ID
		p.Add(sched.Item{Verb: sched.Kill, Job: last.Job, Stage: sched.Master, Attempt: last.ID, Outcome: sched.Preempted, Reason: why})
	}
}
