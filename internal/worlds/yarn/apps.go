package yarn

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The priorities at which MapReduce asks.
const (
	prioMaster = 0
	prioAgain  = 5 // maps that have failed, or whose output is lost
	prioReduce = 10
	prioSecond = 19 // opportunistic maps
	prioMap    = 20
)

// app is an application that has not ended.
type app struct {
	id        sched.JobID
	name      string
	submitted int64 // ms of the cluster's clock
	spec      *workload.Job
	mapreduce bool
	attempt   int32 // of its ApplicationMaster
	stages    [sched.Stages]stage
	left      map[sched.NodeID]bool // nodes of which its tasks may fetch what others of it have left there
	avoids    []string              // nodes and racks on which nothing of it may be placed
	broken    int32                 // maps whose containers ended badly, and that were not asked for again yet
	refused   bool                  // we have refused it, and the policy knows nothing of it
	counts    basis                 // of its numbers of tasks
	mapOnly   bool                  // it has no reduces
	rejected  string                // why the policy refuses it, or ends it
	due       string                // the deadline in its configuration, as it was typed
	applied   sched.ItemID          // the last item that its asks account for
	stock     string                // why the stock scheduler places its containers
	judged    wire.Judgement        // that may be told again
	told      string                // why it waits
}

// stage is what is known of one of its stages.
type stage struct {
	ready   bool
	limited bool                // nothing more may be placed of it until a limit moves
	kinds   []cluster.Container // of containers, the first seen first; none = nobody has asked yet
	rows    []row               // sorted
	tasks   []workload.Task     // all that there are; none = nobody knows
	hosts   workload.Hosts      // of their input
	done    int32
	ended   int32 // containers that ended well in this life of the ResourceManager, work that was lost again among them
}

// stageOf is what a container of a priority is for.
func (a *app) stageOf(prio int32) sched.Stage {
	switch {
	case prio == prioMaster:
		return sched.Master
	case !a.mapreduce:
		return workload.Other0
	case prio == prioReduce:
		return sched.Reduce
	}
	return sched.Map
}

// priorities lists those at which a stage asks, the most urgent first.
func (a *app) priorities(s sched.Stage) (list []int32) {
	switch {
	case s == sched.Master:
		list = []int32{prioMaster}
	case a.mapreduce && s == sched.Map:
		list = []int32{prioAgain, prioSecond, prioMap}
	case a.mapreduce && s == sched.Reduce:
		list = []int32{prioReduce}
	}
	for i := range a.stages[s].rows {
		list = append(list, a.stages[s].rows[i].prio)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// application takes in one that is new, or described again.
func (w *World) application(x *wire.Application) {
	if a := w.apps[w.jobs.find(x.Id)]; a != nil {
		w.amend(a, x)
		return
	}
	a, err := w.enter(x)
	if err != nil {
		w.note("%s: %v", x.Id, err)
		if x.Held {
			a.refused = true
			w.verdict(a, wire.Judgement_JUDGEMENT_REJECT, err.Error())
			return
		}
	}
	w.arrived(a)
}

// enter begins the page of an application. What its tags say wrong is the error; it then has no deadline.
func (w *World) enter(x *wire.Application) (*app, error) {
	a := w.newApp(x)
	a.id = w.jobs.give(x.Id)
	w.apps[a.id] = a
	var err error
	a.spec, err = w.specOf(a, x)
	return a, err
}

// Would is the job that an application would be that came now. It is for the goroutine of the loop, as Look has it.
func (w *World) Would(x *wire.Application) (*workload.Job, error) {
	x.SubmitTimeMs = w.originMs + int64(w.at.Sub(0)/units.Millisecond)
	return w.specOf(w.newApp(x), x)
}

// newApp begins the page of an application that is its ApplicationMaster so far.
func (w *World) newApp(x *wire.Application) *app {
	a := &app{name: x.Id, submitted: x.SubmitTimeMs, mapreduce: x.Type == "MAPREDUCE", attempt: 1}
	takes := w.vector(x.Master)
	if takes == (units.Vector{}) {
		takes = units.Vector{units.Memory: int64(units.MB)}
	}
	a.stages[sched.Master].kinds = []cluster.Container{{Name: "master", Needs: takes}}
	a.stages[sched.Master].ready = true
	return a
}

// specOf describes the job.
func (w *World) specOf(a *app, x *wire.Application) (*workload.Job, error) {
	fresh := func() *workload.Job {
		return &workload.Job{ID: x.Id, Class: cmp.Or(x.Name, x.Id), Queue: x.Queue, User: x.User, Arrive: w.time(x.SubmitTimeMs),
			Soft: units.Never, Deadline: units.Never, Weight: 1, Priority: int(x.Priority)}
	}
	j := fresh()
	a.due = cmp.Or(x.Files.GetDeadline(), a.due)
	err := readTags(j, x.Tags, a.due, j.Arrive, w.originMs)
	if err == nil {
		err = w.cfg.Claims.hold(j)
	}
	if err != nil {
		j = fresh()
	}
	if x.Stock != "" && a.stock == "" {
		w.note("%s asks for %s, which Slackline does not know: the cluster's own scheduler places its containers", x.Id, x.Stock)
	}
	a.stock = x.Stock
	j.Avoids = w.avoided(a)
	j.Promised = w.cfg.Promised != nil && w.cfg.Promised(x.Id)
	kinds := []sched.Stage{sched.Master, workload.Other0}
	if a.mapreduce {
		w.count(a, j, x.Files)
		kinds = []sched.Stage{sched.Master, sched.Map, sched.Reduce}
		if a.mapOnly {
			kinds = kinds[:2]
		}
	}
	for _, k := range kinds {
		j.Stages = append(j.Stages, w.stageSpec(a, k))
	}
	return j, err
}

// stageSpec describes a stage as far as it is known.
func (w *World) stageSpec(a *app, k sched.Stage) workload.StageSpec {
	s := &a.stages[k]
	spec := workload.StageSpec{Kind: k, Tasks: s.tasks, Hosts: s.hosts, Grows: len(s.tasks) == 0, Containers: s.kinds}
	if spec.Containers == nil { // until somebody asks
		usual := units.Vector{units.VCores: 1, units.Memory: int64(units.GB)}
		spec.Containers = []cluster.Container{{Name: k.String(), Needs: w.cfg.Slots.needs(k, usual)}}
		if w.cfg.Slots != nil {
			spec.Containers[0].Needs = w.cfg.Slots.needs(k, w.cfg.Slots.Slot)
		}
	}
	done := s.done
	if k == sched.Master {
		spec.Grows, spec.Tasks = false, make([]workload.Task, 1)
	}
	if !spec.Grows {
		done = min(done, int32(len(spec.Tasks)))
	}
	for t := range done {
		spec.Done = append(spec.Done, t+1)
	}
	return spec
}

func (w *World) arrived(a *app) {
	w.tell(sched.Event{Kind: sched.JobArrived, Job: a.id, Age: w.age(a.submitted), Detail: &sched.Detail{Job: a.spec}})
}

// amend takes in that a user has moved an application to another queue, or the like.
func (w *World) amend(a *app, x *wire.Application) {
	spec, err := w.specOf(a, x)
	if err != nil {
		w.note("%s: %v", x.Id, err)
	}
	a.spec = spec
	w.amended(a)
	if len(w.limits) > 0 {
		w.moved(func(l *limited) bool { return l.app == a }) // it may stand in another queue
	}
}

func (w *World) amended(a *app) {
	if !a.refused {
		w.tell(sched.Event{Kind: sched.JobAmended, Job: a.id, Detail: &sched.Detail{Job: a.spec}})
	}
}

// kind is which of a stage's kinds of containers takes so much; the first container of a stage says what it
// takes, and another size is one more kind.
func (w *World) kind(a *app, s sched.Stage, resources map[string]int64) uint8 {
	if s == sched.Master || len(resources) == 0 {
		return 0
	}
	st := &a.stages[s]
	c := cluster.Container{Name: s.String(), Needs: w.cfg.Slots.needs(s, w.vector(resources))}
	if c.Validate() != nil {
		return 0
	}
	i := slices.IndexFunc(st.kinds, func(k cluster.Container) bool { return k.Needs == c.Needs })
	if i < 0 && len(st.kinds) < 200 {
		i = len(st.kinds)
		st.kinds = append(slices.Clone(st.kinds), c)
		if a.spec != nil && a.spec.Stage(s) != nil {
			spec := *a.spec
			spec.Stages = slices.Clone(spec.Stages)
			spec.Stage(s).Containers = st.kinds
			a.spec = &spec
			if !w.batches.whole {
				w.amended(a)
			}
		}
	}
	return uint8(max(i, 0))
}

// ready tells that a stage may start: its ApplicationMaster has asked for it, or it runs already.
func (w *World) ready(a *app, s sched.Stage) {
	if !a.stages[s].ready {
		a.stages[s].ready = true
		if !w.batches.whole {
			w.tell(sched.Event{Kind: sched.StageReady, Job: a.id, Stage: s})
		}
	}
}

// applicationEnd takes in the end of an application. A container of it of which nobody has told the end is
// ended with it.
func (w *World) applicationEnd(x *wire.ApplicationEnd) {
	a := w.apps[w.jobs.find(x.Id)]
	if a == nil {
		return // refused before it began, in another life
	}
	if !a.refused {
		w.endAll("has ended with its application", func(b *box) bool { return b.app == a })
		o := sched.Killed
		switch x.End {
		case wire.End_END_SUCCEEDED:
			o = sched.Committed
		case wire.End_END_FAILED:
			o = sched.Failed
		}
		why := x.Diagnostics
		if a.rejected != "" && o != sched.Committed { // as all worlds say it
			o, why = sched.Killed, "rejected: "+a.rejected
		}
		w.tell(sched.Event{Kind: sched.JobEnded, Job: a.id, Outcome: o, Age: w.age(x.EndedMs), Text: why})
	}
	delete(w.apps, a.id)
	w.movedBy(a, true)
	w.jobs.drop(a.name)
}

// endAll ends containers of which nobody has told the end, and tells whether there were any.
func (w *World) endAll(why string, which func(*box) bool) bool {
	var left []sched.AttemptID
	for id, b := range w.boxes {
		if which(b) {
			left = append(left, id)
		}
	}
	slices.Sort(left)
	for _, id := range left {
		w.note("container %s %s", w.runs.name(id), why)
		w.ended(id, sched.Lost, "it "+why)
	}
	return len(left) > 0
}

// attemptEnd takes in the end of an ApplicationMaster: what it asked for is void. The next one asks for the
// rest.
func (w *World) attemptEnd(x *wire.AttemptEnd) {
	a := w.apps[w.jobs.find(x.Application)]
	if a == nil || a.refused {
		return
	}
	a.attempt = max(a.attempt, x.Attempt+1)
	if x.End == wire.End_END_SUCCEEDED {
		return
	}
	a.avoids = nil
	w.shun(a)
	for s := range sched.Stages {
		if st := &a.stages[s]; s != sched.Master && st.ready {
			st.rows = nil
			w.demand(a, s, 0)
		}
	}
}
