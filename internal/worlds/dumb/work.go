package dumb

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

type job struct {
	handle, arrival        int
	spec, given            *workload.Job
	key                    uint64
	stages                 []*stage
	over, admitted, doomed bool
	broken                 string // a job that it waited for in vain
}

type stage struct {
	job                     *job
	index                   int
	spec                    *workload.StageSpec
	tasks                   []task
	ready, withheld, waited bool
	limit, sample           int
}

type task struct {
	state              taskState
	node, tries, fails int
}

type taskState int

const (
	open taskState = iota
	running
	done
	vanished // done, but the output is gone
)

type run struct {
	handle, task, node, container int
	stage                         *stage
	began, ready, since           units.Time // ready: when its work begins; Never: it waits for input
	work, left, slow              float64
	joules                        float64
	end                           moment
	breaks, fetching, over        bool
	flow                          float64 // nanoseconds at full rate that are left of its shuffle
}

func (j *job) all() []*stage {
	if j == nil {
		return nil
	}
	return j.stages
}

func (j *job) stage(k sched.Stage) *stage {
	for _, s := range j.all() {
		if s.spec.Kind == k {
			return s
		}
	}
	return nil
}

// readers returns the maps of a job and the stage behind them, which reads their outputs.
func (j *job) readers() (maps, readers *stage) {
	if s := j.stage(sched.Map); s != nil && s.index+1 < len(j.stages) {
		return s, j.stages[s.index+1]
	}
	return nil, nil
}

func (j *job) doom() string {
	return fmt.Sprintf("it waited for job %q, which did not finish", j.broken)
}

func (s *stage) count(of ...taskState) (n int) {
	for _, t := range s.tasks {
		if slices.Contains(of, t.state) {
			n++
		}
	}
	return n
}

func (s *stage) done() bool { return s.count(done, vanished) == len(s.tasks) }

// wants lists the kinds of containers that the stage can run in.
func (s *stage) wants() (all []want) {
	for c := range max(1, len(s.spec.Containers)) {
		all = append(all, want{s.spec.Container(c).Needs, s.job.spec.Labels})
	}
	return all
}

// of lists the attempts of a stage, of one task unless that is 0, oldest first.
func (w *World) of(s *stage, task int) (all []*run) {
	for _, r := range w.runs {
		if r.stage == s && (task == 0 || r.task == task) {
			all = append(all, r)
		}
	}
	return all
}

// waits tells whether the stage may start a task.
func (w *World) waits(s *stage) bool {
	j := s.job
	return !j.over && !j.doomed && s.ready && !s.withheld && s.count(open) > 0 && (s.limit < 0 || len(w.of(s, 0)) < s.limit) && (j.admitted || s.sample > 0)
}

// look notes when more work waits: the stage waits now and did not before, or there is more of it.
func (w *World) look(s *stage, more bool) {
	waits := w.waits(s)
	if waits && (more || !s.waited) {
		w.news = append(w.news, s.wants()...)
	}
	s.waited = waits
}

func (w *World) arrive() {
	spec, err := w.source.Next()
	if err != nil {
		panic(err)
	}
	w.arrivals++
	j := &job{handle: len(w.jobs), arrival: w.arrivals, given: spec, spec: w.placed(spec), key: textKey(spec.ID)}
	if n := len(w.freeJobs); n > 0 {
		j.handle, w.freeJobs = w.freeJobs[n-1], w.freeJobs[:n-1]
		w.jobs[j.handle] = j
	} else {
		w.jobs = append(w.jobs, j)
	}
	for i := range j.spec.Stages {
		s := &j.spec.Stages[i]
		j.stages = append(j.stages, &stage{job: j, index: i, spec: s, tasks: make([]task, len(s.Tasks)), limit: -1})
	}
	w.emit(sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j.handle), Detail: &sched.Detail{Job: j.spec}})
	for _, p := range j.spec.After {
		if good, over := w.ended[p]; over && !good && !j.doomed {
			j.doomed, j.broken = true, p
			w.doomed = append(w.doomed, j)
		}
	}
	w.release(j)
}

// release lets a job begin once all that it waits for have committed.
func (w *World) release(j *job) {
	for _, p := range j.spec.After {
		if !w.ended[p] {
			return
		}
	}
	j.stages[0].ready = true
	w.look(j.stages[0], true)
	if len(j.spec.After) > 0 {
		w.emit(sched.Event{Kind: sched.StageReady, Job: sched.JobID(j.handle), Stage: j.stages[0].spec.Kind})
	}
	w.advance(j, false)
}

// advance makes ready what may start: reduces at slow start, what stands behind a master when that
// is up, other stages when the one before is done.
func (w *World) advance(j *job, master bool) {
	for i := 1; i < len(j.stages); i++ {
		before, s := j.stages[i-1], j.stages[i]
		if s.ready {
			continue
		}
		needed := len(before.tasks)
		if s.spec.Kind == sched.Reduce && before.spec.Kind == sched.Map {
			needed = int(math.Ceil(j.spec.SlowStart * float64(needed)))
		}
		may := before.count(done, vanished) >= needed
		if before.spec.Kind == sched.Master {
			may = master
		}
		if !before.ready || !may {
			return
		}
		s.ready = true
		w.look(s, true)
		w.emit(sched.Event{Kind: sched.StageReady, Job: sched.JobID(j.handle), Stage: s.spec.Kind})
	}
}

func (w *World) start(it *sched.Item, b sched.Bound) {
	j := w.jobs[it.Job]
	s := j.stage(it.Stage)
	t := &s.tasks[b.Task-1]
	t.state = running
	t.tries++
	s.sample = max(0, s.sample-1)
	r := &run{stage: s, task: int(b.Task), node: int(it.Node), container: int(it.Container), began: w.now, ready: units.Never, end: never}
	if n := len(w.freeRuns); n > 0 {
		r.handle, w.freeRuns = w.freeRuns[n-1], w.freeRuns[:n-1]
	} else {
		w.lastRun++
		r.handle = w.lastRun
	}
	w.runs = append(w.runs, r)
	needs := s.spec.Container(r.container).Needs
	w.nodes[r.node].free.Sub(&needs)
	w.nodes[r.node].news = true
	w.look(s, false)
	r.work, r.breaks = w.fate(s, r.task, t.tries, r.node)
	w.emit(sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(r.handle), Job: it.Job, Stage: it.Stage, Task: b.Task, Node: it.Node,
		Container: it.Container, Locality: b.Locality, Item: it.ID})
	switch maps := j.stage(sched.Map); {
	case it.Stage == sched.Map:
		rate := map[sched.Locality]units.Bytes{sched.RackLocal: w.cfg.Read.Rack, sched.Remote: w.cfg.Read.Remote}[b.Locality]
		read := units.Duration(0)
		if rate > 0 {
			read = units.FromSeconds(float64(s.spec.Tasks[r.task-1].Input) / float64(rate))
		}
		w.work(r, read)
	case it.Stage != sched.Reduce:
		w.work(r, 0)
	case maps == nil || maps.done() && maps.count(vanished) == 0:
		w.shuffle(r)
	default:
		w.rerun(j, true)
	}
	if w.cfg.Progress > 0 && w.report == never {
		w.report = w.in(w.cfg.Progress)
	}
}

// shuffle lets a reduce fetch its input, all of which is there.
func (w *World) shuffle(r *run) {
	takes := r.stage.spec.Tasks[r.task-1].Shuffle
	if w.cfg.Skew > 0 {
		takes = takes.Scale(w.share(r.stage, r.task))
	}
	if w.cfg.Network.Fabric > 0 && takes > 0 {
		r.fetching, r.flow = true, float64(takes)
		return
	}
	w.work(r, takes)
}

// rate is the part of its full rate at which each shuffle goes on.
func (w *World) rate() float64 {
	flows := 0
	for _, r := range w.runs {
		if r.fetching {
			flows++
		}
	}
	return min(1, float64(w.cfg.Network.Fabric)/(float64(w.cfg.Network.Link)*float64(flows)))
}

// transfer lets shuffles go on until then.
func (w *World) transfer(until units.Time) {
	rate := w.rate()
	for _, r := range w.runs {
		r.flow -= float64(until.Sub(w.now)) * rate
	}
}

func (w *World) fetched(r *run) {
	r.fetching = false
	w.work(r, 0)
}

// work lets an attempt work some time after its container has begun it.
func (w *World) work(r *run, in units.Duration) {
	r.ready = w.now.Add(in)
	if left := w.cfg.Launch - w.now.Sub(r.began); left > 0 && r.stage.spec.Kind != sched.Master {
		r.ready = r.ready.Add(left)
	}
	r.since, r.left = r.ready, r.work
	w.goOn(r)
}

// goOn times the end of an attempt at the speed of its node.
func (w *World) goOn(r *run) {
	nd, c := w.nodes[r.node], r.stage.spec.Share()
	speed := nd.spec.Class.Speed
	if said := r.said(nd); said.Speed > 0 {
		speed = said.Speed
	}
	r.slow = c/(speed*nd.factor) + (1 - c)
	r.end = w.in(r.since.Sub(w.now) + units.Nanosecond.Scale(r.left*r.slow))
}

// said is what the class of the node says of the attempt's kind of container: of its jobs before any.
func (r *run) said(nd *node) (is cluster.Rate) {
	for _, jobs := range []string{"", r.stage.job.spec.Class} {
		for _, said := range nd.spec.Class.Rates {
			if said.Container == r.stage.spec.Container(r.container).Name && said.Jobs == jobs {
				is = said
			}
		}
	}
	return is
}

// burn lets attempts draw power until then: what is said of each, or its part of what its node draws for the others.
func (w *World) burn(until units.Time) {
	for n, nd := range w.nodes {
		var held units.Vector
		alone, on := 0.0, w.newestOn(n)
		for _, r := range on {
			if needs := r.stage.spec.Container(r.container).Needs; r.said(nd).Watts == 0 {
				held.Add(&needs)
				alone += nd.load(needs)
			}
		}
		for _, r := range on {
			watts := float64(r.said(nd).Watts)
			if watts == 0 && alone > 0 {
				watts = nd.above(nd.load(held)) * nd.load(r.stage.spec.Container(r.container).Needs) / alone
			}
			r.joules += watts * until.Sub(w.now).Seconds()
		}
	}
}

// above is what the node draws above idle at such a load: by the two points of its curve that it lies between.
func (nd *node) above(load float64) float64 {
	k := nd.spec.Class
	for i := 1; i < len(k.Curve); i++ {
		from, to := float64(i-1)/float64(len(k.Curve)-1), float64(i)/float64(len(k.Curve)-1)
		if k.Loads != nil {
			from, to = k.Loads[i-1], k.Loads[i]
		}
		if load <= to {
			return float64(k.Dynamic) * (k.Curve[i-1]*(to-load) + k.Curve[i]*(load-from)) / (to - from)
		}
	}
	return float64(k.Dynamic) * load
}

// load is the part of a node's vcores that so much is, or that of its slots, the larger, at most all.
func (nd *node) load(held units.Vector) float64 {
	has := nd.spec.Class.Capacity
	cores := float64(held[units.VCores]) / max(1, float64(has[units.VCores]))
	slots := float64(held[units.MapSlots]+held[units.ReduceSlots]) / max(1, float64(has[units.MapSlots]+has[units.ReduceSlots]))
	return min(1, max(cores, slots))
}

// isMaster tells whether the attempt is an ApplicationMaster that goes on when it has done its work.
func (r *run) isMaster() bool {
	return r.stage.spec.Kind == sched.Master && len(r.stage.job.stages) > 1 && !r.breaks
}

func (w *World) masterUp(r *run) {
	r.end = never
	w.advance(r.stage.job, true)
}

func (w *World) finish(r *run) {
	s, j := r.stage, r.stage.job
	if r.breaks {
		t := &s.tasks[r.task-1]
		t.fails++
		w.stop(r, sched.Failed, "it failed at random")
		w.failedOn(r.node)
		if t.fails >= w.cfg.MaxFailures {
			w.endJob(j, sched.Failed, fmt.Sprintf("%v task %d failed %d times", s.spec.Kind, r.task, w.cfg.MaxFailures))
		}
		return
	}
	w.stop(r, sched.Committed, "")
	if s.index == len(j.stages)-1 {
		if s.done() {
			w.endJob(j, sched.Committed, "")
		}
		return
	}
	if reduces := j.stage(sched.Reduce); s.spec.Kind == sched.Map && s.done() && reduces != nil {
		for _, x := range w.of(reduces, 0) {
			if x.ready == units.Never {
				w.shuffle(x)
			}
		}
	}
	w.advance(j, false)
}

// stop ends an attempt.
func (w *World) stop(r *run, outcome sched.Outcome, why string) {
	s, nd := r.stage, w.nodes[r.node]
	t := &s.tasks[r.task-1]
	w.runs = slices.DeleteFunc(w.runs, func(x *run) bool { return x == r })
	w.restedRuns = append(w.restedRuns, r.handle)
	r.over = true
	needs := s.spec.Container(r.container).Needs
	nd.free.Add(&needs)
	nd.news = true
	e := sched.Event{Kind: sched.Ended, Attempt: sched.AttemptID(r.handle), Outcome: outcome, Text: why, X: units.Rounded(r.joules)}
	e.Spans[sched.PhaseShuffle] = min(r.ready, w.now).Sub(r.began)
	e.Spans[sched.PhaseRun] = w.now.Sub(min(r.ready, w.now))
	if outcome == sched.Committed {
		e.Bytes = s.spec.Tasks[r.task-1].Input
		if reduces := s.job.spec.Stage(workload.Reduce); s.spec.Kind == workload.Map && reduces != nil {
			read, written := 0.0, 0.0
			for _, t := range s.spec.Tasks {
				read += float64(t.Input)
			}
			for _, t := range reduces.Tasks {
				written += float64(t.Input)
			}
			if read > 0 {
				e.OutBytes = units.Bytes(math.Ceil(float64(e.Bytes) * (written / read)))
			}
		}
		t.state, t.node = done, r.node
	} else if t.state == running && len(w.of(s, r.task)) == 0 {
		t.state = open
	}
	w.emit(e)
	w.look(s, outcome != sched.Committed)
	w.rerun(s.job, false)
	if outcome == sched.Committed {
		for _, other := range w.of(s, r.task) {
			w.stop(other, sched.Superseded, "")
		}
	}
	w.drained(r.node)
}

// rerun opens maps again whose outputs are gone, if a task has yet to read them: one that is open,
// or one that has just started or still fetched when the node went.
func (w *World) rerun(j *job, gone bool) {
	maps, readers := j.readers()
	if maps == nil || j.over || maps.count(vanished) == 0 {
		return
	}
	waiting := slices.ContainsFunc(w.of(readers, 0), func(r *run) bool { return r.ready > w.now })
	if readers.count(open) == 0 && !(gone && waiting) {
		return
	}
	for t := range maps.tasks {
		if maps.tasks[t].state == vanished {
			maps.tasks[t].state = open
			w.emit(sched.Event{Kind: sched.OutputLost, Job: sched.JobID(j.handle), Stage: sched.Map, Task: sched.TaskID(t + 1)})
		}
	}
	for _, r := range w.runs {
		if r.stage == j.stage(sched.Reduce) && r.ready > w.now {
			r.ready, r.end, r.fetching = units.Never, never, false
		}
	}
	w.look(maps, true)
}

func (w *World) endJob(j *job, outcome sched.Outcome, why string) {
	if j.over {
		return
	}
	j.over = true
	for _, s := range j.stages {
		for _, r := range w.of(s, 0) {
			as := sched.Killed
			if outcome == sched.Committed && s.spec.Kind == sched.Master {
				as = sched.Committed
			}
			if !r.over {
				w.stop(r, as, "")
			}
		}
		w.look(s, false)
	}
	if maps, _ := j.readers(); maps != nil {
		for t := range maps.tasks {
			if was := maps.tasks[t]; was.state == done {
				maps.tasks[t].state = open
				w.drained(was.node)
			}
		}
	}
	w.emit(sched.Event{Kind: sched.JobEnded, Job: sched.JobID(j.handle), Outcome: outcome, Text: why})
	w.restedJobs = append(w.restedJobs, j.handle)
	w.everythingIsNew()
	w.jobs[j.handle] = nil
	w.ended[j.spec.ID] = outcome == sched.Committed
	w.source.Ended(j.given, w.now)
	behind := slices.DeleteFunc(slices.Clone(w.jobs), func(x *job) bool { return x == nil || !slices.Contains(x.spec.After, j.spec.ID) })
	slices.SortFunc(behind, func(a, b *job) int { return cmp.Compare(a.arrival, b.arrival) })
	for _, f := range behind {
		switch {
		case f.over || f.doomed:
		case outcome == sched.Committed:
			w.release(f)
		default:
			f.broken = j.spec.ID
			w.endJob(f, sched.Killed, f.doom())
		}
	}
}

// cutOff ends the run at its time limit.
func (w *World) cutOff() {
	w.limit, w.source = never, closed{}
	for _, j := range w.jobs {
		if j != nil && !j.over {
			w.endJob(j, sched.Killed, fmt.Sprintf("the run was limited to %v", w.cfg.Until))
		}
	}
}

// closed is a source of no more jobs.
type closed struct{}

func (closed) Due() units.Time                 { return units.Never }
func (closed) Next() (*workload.Job, error)    { return nil, nil }
func (closed) Ended(*workload.Job, units.Time) {}

// tellProgress reports how far each attempt is; a reduce is through a third when it has its input.
func (w *World) tellProgress() {
	if w.report = never; len(w.runs) > 0 {
		w.report = w.in(w.cfg.Progress)
	}
	for n := range w.nodes {
		for _, r := range w.newestOn(n) {
			worked := 0.0
			if r.ready <= w.now && r.work > 0 {
				left := r.left
				if r.end != never {
					left = max(0, left-float64(w.now.Sub(r.since))/r.slow)
				}
				worked = 1 - left/r.work
			}
			if r.stage.spec.Kind == sched.Reduce {
				if r.ready <= w.now {
					worked = 1./3 + worked*2/3
				} else if maps := r.stage.job.stage(sched.Map); maps == nil {
					worked = 1. / 3
				} else {
					worked = float64(maps.count(done, vanished)) / float64(len(maps.tasks)) / 3
				}
			}
			w.emit(sched.Event{Kind: sched.Progress, Attempt: sched.AttemptID(r.handle), Node: cluster.NodeID(n), X: worked})
		}
	}
}
