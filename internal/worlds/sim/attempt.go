package sim

import (
	"fmt"
	"math"

	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// attempt is a running attempt. It stands in the lists of its node and of its stage.
//
//	began ── shuffle (reduces only) ──▶ ready ── work ──▶ end
//
// Its end is one entry of the event queue; when speed or map outputs change, the entry is abandoned
// (gen) and another made.
//
// A day's attempts do not fit into the processor's cache. So one takes a line of it, and how its work
// goes on, which its end does not ask for, stands elsewhere.
type attempt struct {
	began units.Time
	ready units.Time // when the work starts; units.Never while map outputs are missing: the attempt is parked
	input units.Bytes
	job   int32 // 0: the handle is free
	task  int32
	node  int32
	gen   uint32   // of its entry in the queue
	in    [2]place // in the lists of its node and of its stage
	stage sched.Stage

	container uint8
	timed     bool // its end stands in the queue
	breaks    bool // it ends by failing
	fetching  bool // its shuffle is a flow of the network
}

// running is a list of attempts, the oldest first: of what runs on a node, or of a stage.
type running struct{ first, last int32 }

// place is where an attempt stands in a list.
type place struct{ prev, next int32 }

// The lists in which an attempt stands.
const (
	ofNode = iota
	ofStage
)

// pace is how the work of an attempt goes on.
type pace struct {
	since units.Time // from when on left and slow hold
	left  float64    // what was left of it then
	work  float64    // in nanoseconds on a node of speed 1
	slow  float64    // nanoseconds that one of those takes here
}

// end is when the work is done.
func (p *pace) end() units.Time { return p.since.Add(units.Nanosecond.Scale(p.left * p.slow)) }

// Start starts an attempt. Its node got something, so it is asked again.
func (h hands) Start(it *sched.Item, b sched.Bound) sched.Code {
	w := h.World
	j, s, t, nd := w.find(it, b.Task)
	// A stage that waits has all that it takes, and so has a node with room for its kind of container.
	if it.Verb != sched.Start || !s.waits || t == nil || t.State != truth.Open || int(it.Container) >= len(s.kinds) || it.Node < 1 ||
		int(it.Node) >= len(w.nodes) || !w.kinds[s.kinds[it.Container]].room.has(int(it.Node-1)) {
		of, in, task, on := h.Find(it, b.Task)
		if why := truth.Startable(it, of, in, task, on); why != sched.OK {
			return why
		}
	}
	var a int32
	if n := len(w.freeAttempts); n > 0 {
		a, w.freeAttempts = w.freeAttempts[n-1], w.freeAttempts[:n-1]
	} else {
		a = int32(len(w.attempts))
		w.attempts, w.paces = append(w.attempts, attempt{}), append(w.paces, pace{})
		if w.marks != nil {
			w.marks = append(w.marks, energy.Mark{})
		}
	}
	n := int32(it.Node)
	s.asked -= s.Open
	s.Begin(t)
	s.asked += s.Open
	w.refresh(j, s, false)
	needs := &w.kinds[s.kinds[it.Container]].needs
	needs.AddTo(&nd.Free, -1)
	w.taken(n, needs)

	at, work := &w.attempts[a], &s.Spec.Tasks[b.Task-1]
	at.began, at.job, at.task, at.node, at.stage, at.container = w.now, int32(it.Job), int32(b.Task), n, it.Stage, it.Container
	at.input = work.Input
	w.paces[a].work, at.breaks = w.drawWork(j, s, work.Work, at.task, int32(t.Tries), n)
	w.draws(a, at, j)
	w.link(a, &nd.runs, ofNode)
	w.link(a, &s.runs, ofStage)
	e := w.add(sched.Started)
	e.Attempt, e.Job, e.Stage, e.Node, e.Container, e.Locality, e.Item = sched.AttemptID(a), it.Job, it.Stage, it.Node, it.Container, b.Locality, it.ID
	if !w.late { // else as the world whose book it began from
		e.Task = b.Task
	}
	w.beginShuffle(a, at, j, s, b.Locality)
	w.expectReport()
	w.beat.freshen(n)
	if it.Verb == sched.Speculate || !w.again(at.job, it.Stage) {
		w.idle.progress(w.now)
	}
	return sched.OK
}

// link enters an attempt into a list, as the youngest.
func (w *World) link(a int32, l *running, k int) {
	w.attempts[a].in[k] = place{prev: l.last}
	if l.last != 0 {
		w.attempts[l.last].in[k].next = a
	} else {
		l.first = a
	}
	l.last = a
}

func (w *World) unlink(at *attempt, l *running, k int) {
	is := at.in[k]
	if is.prev != 0 {
		w.attempts[is.prev].in[k].next = is.next
	} else {
		l.first = is.next
	}
	if is.next != 0 {
		w.attempts[is.next].in[k].prev = is.prev
	} else {
		l.last = is.prev
	}
}

// schedule enters the end of an attempt whose ready is known.
func (w *World) schedule(a int32, at *attempt, j *job, s *stage) {
	p := &w.paces[a]
	p.since, p.left, p.slow = at.ready, p.work, w.slowness(at, j, s)
	w.enqueue(a, at, j)
}

// enqueue enters the end of the attempt: what is left takes left·slow from since on.
func (w *World) enqueue(a int32, at *attempt, j *job) {
	c := attemptEnd
	if at.stage == sched.Master && len(j.stages) > 1 && !at.breaks {
		c = masterUp // it ends with its job
	}
	w.queue.push(w.paces[a].end(), c, a, at.gen)
	at.timed = true
	w.timed++
}

// park abandons the entry of the attempt in the queue.
func (w *World) park(at *attempt) {
	at.gen++
	if at.timed {
		at.timed = false
		w.timed--
		w.lapsed++
	}
	if at.fetching {
		w.unfetch(at)
	}
}

// finish ends an attempt whose time has come.
func (w *World) finish(a int32) {
	at := &w.attempts[a]
	at.timed = false
	w.timed--
	h := at.job
	if at.breaks {
		n, task := at.node, at.task
		s := w.jobs[h].stage(at.stage)
		if s.fails == nil {
			s.fails = make(map[int32]int)
		}
		s.fails[task]++
		fatal := s.fails[task] >= w.cfg.MaxFailures
		w.end(a, sched.Failed, "it failed at random")
		w.countFailure(n)
		if fatal {
			w.endJob(h, sched.Failed, fmt.Sprintf("%v task %d failed %d times", s.kind, task, w.cfg.MaxFailures))
		}
		return
	}
	j, s := w.end(a, sched.Committed, "")
	if j.at[s.kind] == int8(len(j.stages)-1) {
		if s.Done == int32(len(s.tasks)) {
			w.endJob(h, sched.Committed, "")
		}
		return
	}
	if s.kind == sched.Map && s.Done == int32(len(s.tasks)) {
		w.mapsDone(j)
	}
	w.readyStages(h)
}

// masterReady lets the stages behind an ApplicationMaster start. It runs on until its job is done.
func (w *World) masterReady(a int32) {
	at := &w.attempts[a]
	at.timed = false
	w.timed--
	if s := &w.jobs[at.job].stages[1]; !s.Ready {
		w.makeReady(at.job, s)
		w.emit(sched.Event{Kind: sched.StageReady, Job: sched.JobID(at.job), Stage: s.kind})
		w.readyStages(at.job)
	}
}

// ratioOf is how many bytes a job's maps write for each that they read: what its reduces are said
// to read is what its maps have written.
func ratioOf(spec *workload.Job) float64 {
	var inputs [sched.Stages]units.Bytes
	for i := range spec.Stages {
		inputs[spec.Stages[i].Kind] = spec.Stages[i].Input()
	}
	if inputs[sched.Map] == 0 {
		return 0
	}
	return float64(inputs[sched.Reduce]) / float64(inputs[sched.Map])
}

// end ends an attempt, whatever the outcome, and returns its job and stage. A task that did not commit is open
// again, unless its job is over.
func (w *World) end(a int32, outcome sched.Outcome, why string) (*job, *stage) {
	at := &w.attempts[a]
	j, nd := &w.jobs[at.job], &w.nodes[at.node]
	s := j.stage(at.stage)
	t := &s.tasks[at.task-1]
	w.park(at)
	w.unlink(at, &nd.runs, ofNode)
	w.unlink(at, &s.runs, ofStage)
	needs := &w.kinds[s.kinds[at.container]].needs
	needs.AddTo(&nd.Free, 1)
	e := w.add(sched.Ended)
	e.Attempt, e.Outcome, e.Text = sched.AttemptID(a), outcome, why
	e.X = w.drew(a, at, s)
	shuffled := min(at.ready, w.now)
	e.Spans[sched.PhaseShuffle] = shuffled.Sub(at.began)
	e.Spans[sched.PhaseRun] = w.now.Sub(shuffled)
	n := at.node
	at.job = 0
	w.endedAttempts = append(w.endedAttempts, a)
	if outcome != sched.Committed && outcome != sched.Failed {
		w.stall.lose(w.now)
	}
	switch open := s.End(t, outcome); {
	case outcome == sched.Committed:
		e.Bytes = at.input
		if at.stage == sched.Map {
			e.OutBytes = units.Bytes(math.Ceil(float64(at.input) * j.ratio))
		}
		if t.Node = n; s.Done > s.most {
			s.most = s.Done
			w.stall.further(w.now)
		}
		w.keepOutput(j, s, n)
		if s.Limit >= 0 {
			w.refresh(j, s, false)
		}
		if t.Live > 0 {
			w.supersede(s, at.task)
		}
	default:
		w.refresh(j, s, true)
		if open {
			w.missOutputs(j)
		}
	}
	w.freed(n, needs)
	w.beat.freshen(n)
	w.drained(n)
	return j, s
}

// lose ends an attempt whose node is gone.
func (w *World) lose(a int32) { w.end(a, sched.Lost, "") }
