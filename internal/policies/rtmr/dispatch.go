package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
)

// dispatcher is the third element (paper 003, algorithm 5.4). A node that beats gets
//
//  1. masters of jobs with a promise that live outside of the slots (master.go);
//  2. maps, in the order of jobs, of each job those nearest to their input first (lines 4 and 5); while
//     masters start up, and where the world binds late, as long as enough slots stay free for the jobs
//     before whose maps wait for that, or have not been asked for yet;
//  3. reduces, as long as enough slots stay free for the jobs before that have not reached their reduce
//     stage (lines 6 to 21);
//  4. tasks of jobs without a promise (besteffort.go).
//
// It fills the node on one beat: Hadoop's bounds of one map far from its input and one reduce for
// each beat would keep slots free that the vectors count as used, and break promises. A reduce
// waits for its job's last map (third assumption of section 5.2), whatever slow start the job asks
// for.
type dispatcher struct{ *scheduler }

// Decide serves the nodes that beat.
func (d dispatcher) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	keeps := !v.World().Bind || d.rising(v)
	for i := range batch {
		if batch[i].Kind != sched.Heartbeat {
			continue
		}
		n := v.Node(batch[i].Node)
		if n == nil {
			continue
		}
		d.masters(v, n.ID, p)
		if keeps {
			for d.keeping(v, n, sched.Map, p) {
			}
		} else {
			d.maps(v, n.ID, p)
		}
		for d.promisedTo(v.First(n.ID, sched.Reduce, 0)) && d.keeping(v, n, sched.Reduce, p) {
		}
		d.rest(v, n, p)
	}
}

// maps starts maps of jobs with a promise until nothing fits.
func (s *scheduler) maps(v sched.View, n sched.NodeID, p *sched.Plan) {
	after := sched.JobID(0)
	for j := v.First(n, sched.Map, after); j != 0 && s.promisedTo(j); j = v.First(n, sched.Map, after) {
		if !s.start(v, j, sched.Map, n, p) {
			after = j
		}
	}
}

// inSlots are the stages of jobs with a promise that may want slots of a kind.
var inSlots = [...][]sched.Stage{sched.Map: {sched.Master, sched.Map}, sched.Reduce: {sched.Reduce}}

// keeping starts one task in a slot of the node, if one may start there: lines 6 to 21 of algorithm
// 5.4, and the same for map slots while masters start up. Slots that are lent count as free, as they
// are given back when they fall due.
func (s *scheduler) keeping(v sched.View, n *sched.Node, slot sched.Stage, p *sched.Plan) bool {
	if n.Free[dim(slot)] <= 0 {
		return false
	}
	started := false
	s.walk(v, slot, func(job *sched.Job, stage sched.Stage, _, _ int64) (int64, bool) {
		if started = s.start(v, job.ID, stage, n.ID, p); started && stage == sched.Master {
			s.of(job.ID).begins()
		}
		return 0, started
	})
	return started
}

// walk is algorithm 5.4 for slots of a kind: it calls do for stages of jobs with a promise of which
// tasks want slots now, in their order, as long as enough slots stay free for the jobs before whose
// tasks will want some later; with how many are free for these tasks, and how many are reserved. do
// says how many it takes, and whether that is all.
func (s *scheduler) walk(v sched.View, slot sched.Stage, do func(job *sched.Job, stage sched.Stage, free, reserved int64) (takes int64, over bool)) {
	free, reserved := s.free(v, slot), int64(0) // Ra
	for _, j := range s.queue {
		if enough(reserved, free) {
			return
		}
		job := claimant(v, j)
		if job == nil {
			continue
		}
		for _, stage := range inSlots[slot] {
			open, later := s.wants(job, stage)
			if open > 0 {
				takes, over := do(job, stage, free-reserved, reserved)
				if over {
					return
				}
				takes = max(0, min(takes, open))
				free, open = free-takes, open-takes
			}
			reserved += open + later // line 18
		}
	}
}

// wants is how many slots tasks of the job's stage want now, and how many they will later: maps when
// its master is up, reduces when its last map is over, and both when their world asks for them.
func (s *scheduler) wants(job *sched.Job, stage sched.Stage) (open, later int64) {
	switch {
	case stage == sched.Master && !s.of(job.ID).Claim.Slot:
		return 0, 0
	case stage == sched.Map && !masterUp(job), stage == sched.Reduce && !reached(job):
		return 0, owed(job, stage)
	}
	open = max(0, int64(job.Stages[stage].Open))
	return open, max(0, owed(job, stage)-open)
}

// claimant is a job that may start tasks: it is there, and its user has not cancelled it.
func claimant(v sched.View, j sched.JobID) *sched.Job {
	if job := v.Job(j); job != nil && !job.Cancelled {
		return job
	}
	return nil
}

// enough tells whether what is reserved leaves nothing for those behind: line 10. It is printed
// with >, by which a slot goes out that an earlier job needs.
func enough(reserved, free int64) bool { return reserved >= free }

// free is how many slots of the stage's kind the cluster has that nothing with a promise holds.
func (s *scheduler) free(v sched.View, stage sched.Stage) int64 {
	return s.idle(v, stage) + s.held(v, stage)
}

// owed is how many tasks of the job's stage are still to start: J.R, before the first reduce has run.
func owed(job *sched.Job, stage sched.Stage) int64 {
	return int64(job.Stages[stage].ToStart())
}

// restrain withholds the reduces of a job until its last map, and then says that they may go: a world that is told so
// serves all nodes again. Where the slow start is 1, the world does both by itself, but for maps that are lost later.
func (s *scheduler) restrain(job *sched.Job, p *sched.Plan) {
	reduces := &job.Stages[sched.Reduce]
	if job.Stages[sched.Map].Total == 0 || reduces.Total == 0 {
		return
	}
	switch over := job.Over(sched.Map); {
	case over && reduces.Withheld:
		p.Add(sched.Item{Verb: sched.Release, Job: job.ID, Stage: sched.Reduce, Reason: sched.Because(estimate.MapsOver)})
	case !over && !reduces.Withheld && (reduces.Ready || job.Spec.SlowStart < 1):
		p.Add(sched.Item{Verb: sched.Withhold, Job: job.ID, Stage: sched.Reduce, Reason: sched.Because(estimate.MapsFirst)})
	}
}

// reached tells whether the job has reached its reduce stage: its last map has been committed.
func reached(job *sched.Job) bool { return job.Stages[sched.Reduce].Ready && job.Over(sched.Map) }
