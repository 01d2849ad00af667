package sim

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// job is the truth about a job in the system. Its arrays are used again by the next job with the handle.
type job struct {
	truth.Job // its description with its input placed
	link      *link
	given     *workload.Job // as it came
	key       uint64        // of its draws
	mapsEnd   units.Time    // when the last map ended, units.Never as long as one is missing
	vanished  int32         // committed map outputs that are gone and that nobody needed when they went
	ratio     float64       // bytes that its maps write for each that they read
	stages    []stage
	at        [sched.Stages]int8 // of each kind of stage in stages, -1 = the job has none
}

// stage is the truth about a stage of a job.
type stage struct {
	truth.Stage
	kind    sched.Stage
	waits   bool           // it counts among the stages that wait for its kinds of containers
	most    int32          // tasks that were ever done at a time
	asked   int32          // where the world binds late: open tasks that the book knows of, -1 = it was told of none
	longest units.Duration // what a task took at most, of a stage whose work is a guess by a profile; 0 = it is known
	kinds   []int32
	tasks   []truth.Task
	fails   map[int32]int // how often a task has failed; nil = none has
	weights []float64     // of reduces: see skew.go; nil = all 1
	runs    running
}

// stage returns the stage of that kind, nil if the job has none.
func (j *job) stage(s sched.Stage) *stage {
	if s >= sched.Stages || j.at[s] < 0 {
		return nil
	}
	return &j.stages[j.at[s]]
}

// open makes the stages.
func (j *job) open(w *World) {
	for s := range j.at {
		j.at[s] = -1
	}
	n := len(j.Spec.Stages)
	j.stages = slices.Grow(j.stages[:0], n)[:n]
	for i := range j.stages {
		s, spec := &j.stages[i], &j.Spec.Stages[i]
		j.at[spec.Kind] = int8(i)
		tasks := slices.Grow(s.tasks[:0], len(spec.Tasks))[:len(spec.Tasks)]
		clear(tasks)
		*s = stage{Stage: truth.NewStage(spec), kind: spec.Kind, kinds: s.kinds[:0], tasks: tasks}
		for c := range max(1, len(spec.Containers)) {
			s.kinds = append(s.kinds, w.kindOf(spec.Container(c).Needs, j.Spec.Labels))
		}
	}
}

// readyStages makes ready what may start by now behind the first stage: reduces when enough maps
// have committed (slow start), any other stage when the one before it is done. What stands behind
// an ApplicationMaster becomes ready when that is up.
func (w *World) readyStages(h int32) {
	j := &w.jobs[h]
	for i := 1; i < len(j.stages); i++ {
		before, s := &j.stages[i-1], &j.stages[i]
		if s.Ready {
			continue
		}
		if !before.Ready || before.kind == sched.Master || before.Done < j.needed(before, s) {
			return
		}
		w.makeReady(h, s)
		w.emit(sched.Event{Kind: sched.StageReady, Job: sched.JobID(h), Stage: s.kind})
	}
}

func (w *World) makeReady(h int32, s *stage) {
	s.Ready = true
	w.refresh(&w.jobs[h], s, true)
}

// release lets a job start whose predecessors have committed. That the first stage of a job without
// any is ready the ledger knows by itself.
func (w *World) release(h int32) {
	j := &w.jobs[h]
	w.makeReady(h, &j.stages[0])
	if len(j.Spec.After) > 0 {
		w.emit(sched.Event{Kind: sched.StageReady, Job: sched.JobID(h), Stage: j.stages[0].kind})
	}
	w.readyStages(h)
}

// needed is how many tasks of the stage before must have committed: as Hadoop, the slow-start part rounded up.
func (j *job) needed(before, s *stage) int32 {
	if s.kind == sched.Reduce && before.kind == sched.Map {
		return int32(math.Ceil(j.Spec.SlowStart * float64(len(before.tasks))))
	}
	return int32(len(before.tasks))
}

// mold cuts a stage that has not begun into another number of tasks, and tells so.
func (w *World) mold(it *sched.Item) {
	j := &w.jobs[it.Job]
	spec := *j.Spec // which others may share
	j.Spec = &spec
	spec.Stages = slices.Clone(spec.Stages)
	for i := range j.stages {
		s := &j.stages[i]
		if s.kind == it.Stage {
			spec.Stages[i] = s.Spec.Cut(int(it.Count))
			s.Cut(&spec.Stages[i])
			s.tasks, s.fails = make([]truth.Task, it.Count), nil
		}
		s.Spec = &spec.Stages[i]
	}
	w.weigh(j)
	w.emit(sched.Event{Kind: sched.JobAmended, Job: it.Job, Item: it.ID, Detail: &sched.Detail{Job: &spec}})
	w.idle.progress(w.now)
	w.refresh(j, j.stage(it.Stage), true)
}

// refresh notes whether the stage waits for room; more tells that it does so for more than before.
// O(1) but for the first and last stage of a kind.
func (w *World) refresh(j *job, s *stage, more bool) {
	waits := s.Waits(&j.Job)
	if waits != s.waits {
		more = waits
		s.waits = waits
		for _, k := range s.kinds {
			w.count(k, waits)
		}
	}
	if w.late && more {
		w.asks = append(w.asks, asking{j.link.handle, s.kind})
	}
	if waits && more && w.cfg.Heartbeat == 0 {
		for _, k := range s.kinds {
			w.kinds[k].fresh = true
		}
	}
}

// count keeps the number of stages that wait for the kind, and the list of kinds that any waits for.
func (w *World) count(k int32, waits bool) {
	kd := &w.kinds[k]
	if !waits {
		kd.stages--
		if kd.stages > 0 {
			return
		}
		w.beat.known = false
		i, _ := slices.BinarySearch(w.waiting, k)
		w.waiting = slices.Delete(w.waiting, i, i+1)
		return
	}
	kd.stages++
	if kd.stages == 1 {
		w.beat.known = false
		i, _ := slices.BinarySearch(w.waiting, k)
		w.waiting = slices.Insert(w.waiting, i, k)
	}
}

// fewTasks is how many tasks a stage may have whose records the next job with its handle takes over: 8 KB.
const fewTasks = 1 << 10

// endJob ends a job that is in the system, and with it what still runs of it. Jobs behind it may start, or can never.
func (w *World) endJob(h int32, outcome sched.Outcome, why string) {
	j := &w.jobs[h]
	j.Here = false
	for i := range j.stages {
		s := &j.stages[i]
		for s.runs.first != 0 {
			as := sched.Killed
			if outcome == sched.Committed && s.kind == sched.Master {
				as = sched.Committed
			}
			w.end(s.runs.first, as, "")
		}
		w.refresh(j, s, false)
		for _, k := range s.kinds {
			w.kinds[k].refs--
		}
	}
	w.releaseOutputs(j)
	for i := range j.stages { // the next job with the handle may have few
		if s := &j.stages[i]; cap(s.tasks) > fewTasks {
			s.tasks = nil
		}
	}
	w.emit(sched.Event{Kind: sched.JobEnded, Job: sched.JobID(h), Outcome: outcome, Text: why})
	w.endedJobs = append(w.endedJobs, h)
	w.freshen()
	w.depart(j, outcome)
}
