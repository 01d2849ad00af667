package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// From returns the world of a configuration as a book believes it to be, to go on from there:
// nodes, jobs, what runs and what is promised. Of the configuration's jobs those come that arrive
// later; there need not be any.
//
// What runs has begun when the book says, and takes the time that its task's Work says. A task
// without one (those of real jobs have none) takes the mean of what the book's profile says of its
// class; where it has run for longer, the longest time that is known. One that has run for twice as
// long as that has outlived all that is known (finish.Outlived). If there is no such profile either, that is an error.
//
// A world that binds late does not say which task an attempt is at. The world that begins from its
// book binds late as well, and gives each attempt a task (late.go).
//
// What a book cannot know:
//
//   - How far a shuffle is that began before the job's last map ended. It counts from the start of
//     the reduce, so the reduce may end too early, by no more than it had waited for maps. What
//     other shuffles take of a network is known from here on.
//   - What speed a task had before now: it counts as if it had always been today's.
//   - Where it binds late, on which nodes map outputs lie: those of before are never lost.
//   - Whether a job that is gone has committed: it counts as if it had, for those behind it.
//   - How often a task has been tried, and failed: it is tried the first time.
//   - When a node comes back that is down by chance: it stays away.
//   - When attempts tell their progress next, and, without heartbeats, which nodes would be served
//     at this instant: all that have room are.
//   - How many tasks a stage will have that still grows: as many as are known of by now, one at least.
//   - What a stock scheduler does. While one places work, beside a scheduler that watches or in its
//     place, nothing can begin from the book.
func From(cfg Config, book *ledger.Ledger) (*World, error) {
	if book.Stock() {
		return nil, fmt.Errorf("simulation: a stock scheduler is placing work, and the book does not know what it will do; start after the take-over")
	}
	if cfg.Source == nil && (cfg.Workload == nil || len(cfg.Workload.Jobs) == 0) {
		cfg.Workload, cfg.Source = nil, func() workload.Source { return noMore{} }
	}
	w, err := New(cfg)
	if err != nil {
		return nil, err
	}
	w.late = !book.World().Bind
	if n := len(w.nodes) - 1; int(book.Nodes()) > n {
		return nil, fmt.Errorf("simulation: the book knows node %d, the cluster has %d", book.Nodes(), n)
	}
	w.now, w.begun, w.started = book.Now(), book.Now(), true
	var pending sched.Plan
	book.Pending(&pending)
	w.nodesFrom(book, &pending)
	if err := w.jobsFrom(book); err != nil {
		return nil, err
	}
	if err := w.attemptsFrom(book); err != nil {
		return nil, err
	}
	for n := 1; n < len(w.nodes); n++ {
		w.setRoom(int32(n))
		if nd := &w.nodes[n]; nd.state == nodeDraining {
			nd.outputs = w.countOutputs(int32(n))
			w.drained(int32(n))
		}
	}
	for h := range w.jobs {
		if j := &w.jobs[h]; j.Here {
			for i := range j.stages {
				w.refresh(j, &j.stages[i], true)
			}
		}
	}
	if w.late {
		w.catchUp(book)
	}
	for i := range pending.Items { // the book has taken these off the sample; now the world does
		if it := &pending.Items[i]; it.Verb == sched.Start && book.Job(it.Job).Stages[it.Stage].Sample >= 0 {
			w.jobs[it.Job].stage(it.Stage).Sample += it.Count
		}
	}
	if err := w.Enact(&pending); err != nil {
		return nil, err
	}
	if cfg.Until > 0 {
		w.queue.push(max(cfg.Until, w.now), limit, 0, 0)
		w.coming++
	}
	w.expectReport()
	return w, nil
}

// nodesFrom brings the nodes to where the script and the book have them; those that are still to be put to sleep, to
// where they were.
func (w *World) nodesFrom(book *ledger.Ledger, pending *sched.Plan) {
	next, asked := 0, make([]bool, len(w.nodes))
	for i := range pending.Items {
		if it := &pending.Items[i]; it.Verb == sched.Sleep {
			asked[it.Node] = true
		}
	}
	for ; next < len(w.changes) && w.changes[next].at <= w.now; next++ {
		w.change(&w.changes[next]) // all nodes are down so far, so that this has no effect yet
	}
	for _, n := range w.touched {
		w.nodes[n].queued = false
	}
	w.touched, w.out, w.news = w.touched[:0], w.out[:0], 0
	w.nextChange(next)
	for n := 1; n < len(w.nodes); n++ {
		nd, record := &w.nodes[n], book.Node(sched.NodeID(n))
		if record == nil || !record.State.There() && record.State != sched.Offered {
			continue
		}
		if record.Spec.Class.Capacity != nd.Spec.Class.Capacity { // it was told again since
			nd.Spec, nd.up = record.Spec, &sched.Detail{Node: record.Spec}
		}
		nd.state, nd.lives, nd.Free = nodeOpen, 1, nd.Spec.Class.Capacity
		nd.factor = record.Speed / nd.Spec.Class.Speed
		switch {
		case nd.removed:
			nd.state = nodeDraining
			w.draining++
		case record.State == sched.Draining:
			nd.state, nd.sleeps = nodeDraining, true
			w.draining++
		case record.State != sched.Awake && !asked[n]:
			nd.state = nd.atRest()
			if record.State == sched.Waking {
				nd.waking = true
				w.coming++
				w.queue.push(max(record.Until, w.now), awake, int32(n), nd.lives)
			}
		}
		if b := &w.beat; w.cfg.Heartbeat > 0 && record.Beat == w.now {
			if b.reach(w.now); b.due == w.now && b.phase[n-1] == b.phase[b.pos] {
				b.turn(n)
			}
		}
		w.expectBreakdown(int32(n))
	}
	for r := range w.racks.count() {
		w.expectRackBreakdown(int32(r), 0)
	}
}

// jobsFrom opens the jobs that have not ended, in the order in which they came.
func (w *World) jobsFrom(book *ledger.Ledger) error {
	w.jobs = make([]job, book.Jobs()+1)
	var records []*sched.Job
	for h := book.Jobs(); h > 0; h-- {
		if record := book.Job(h); record != nil && record.State != sched.Finished {
			records = append(records, record)
		} else {
			w.freeJobs = append(w.freeJobs, int32(h))
		}
	}
	slices.SortFunc(records, func(a, b *sched.Job) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, record := range records {
		spec, guessed, err := completed(book, record)
		if err != nil {
			return err
		}
		k := w.linkOf(record.Spec.ID)
		k.handle = int32(record.ID)
		if w.cfg.Source != nil {
			w.remember(record.Spec.ID, k)
		}
		w.present++
		j := &w.jobs[record.ID]
		*j = job{Job: truth.Job{Spec: spec, Here: true, Admitted: book.Decided(record.ID) == sched.Admitted}, link: k,
			key: jobKey(spec.ID), given: record.Spec, mapsEnd: units.Never}
		j.open(w)
		j.ratio = ratioOf(j.Spec)
		w.weigh(j)
		for i := range j.stages {
			j.stages[i].from(book, record)
			j.stages[i].longest = guessed[j.stages[i].kind]
		}
		if maps := j.stage(sched.Map); maps != nil && maps.Done == int32(len(maps.tasks)) {
			j.mapsEnd = w.now
		}
	}
	for w.source.Due() <= w.now {
		spec, err := w.source.Next()
		if err != nil {
			w.failed = &ArrivalError{err}
			break
		}
		if w.links[spec.ID] == nil { // predecessors that are not in the book have ended
			w.links[spec.ID] = &link{over: true, committed: true}
		}
	}
	listed := map[string]bool{}
	if w.cfg.Workload != nil {
		for _, j := range w.cfg.Workload.Jobs {
			listed[j.ID] = true
		}
	}
	for _, record := range records {
		if record.State == sched.Waiting {
			// predecessors that are not in the book have ended
			after := slices.DeleteFunc(slices.Clone(record.Spec.After), func(id string) bool { return w.links[id] == nil && !listed[id] })
			k := w.jobs[record.ID].link
			if w.await(k, after); k.missing == 0 && k.broken == "" {
				w.release(k.handle)
			}
		}
	}
	w.expectArrival()
	return nil
}

// from takes over what the book knows of a stage.
func (s *stage) from(book *ledger.Ledger, record *sched.Job) {
	t := &record.Stages[s.kind]
	s.Ready, s.Withheld, s.Limit, s.Sample = t.Ready, t.Withheld, t.Limit, max(0, t.Sample)
	if s.asked = -1; !book.World().Bind { // which tasks are done is settled when those that run are
		s.Done = min(t.Done, int32(len(s.tasks)))
		s.Open, s.most = s.Open-s.Done, s.Done
		return
	}
	for i := range s.tasks {
		if on, done := book.Done(record.ID, s.kind, sched.TaskID(i+1)); done {
			s.tasks[i].State, s.tasks[i].Node = truth.Done, int32(on)
			s.Done++
			s.Open--
		}
	}
	s.most = s.Done
}

// attemptsFrom lets go on what runs, in the order in which it started.
func (w *World) attemptsFrom(book *ledger.Ledger) error {
	var run []*sched.Attempt
	for h := range w.jobs {
		for s := range sched.Stages {
			for a := book.Youngest(sched.JobID(h), s, 0); a != 0; a = book.Youngest(sched.JobID(h), s, a) {
				run = append(run, book.Attempt(a))
			}
		}
	}
	slices.SortFunc(run, func(a, b *sched.Attempt) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.ID, b.ID))
	})
	most := sched.AttemptID(0)
	for _, a := range run {
		most = max(most, a.ID)
	}
	w.attempts, w.paces = make([]attempt, most+1), make([]pace, most+1)
	if w.marks != nil {
		w.marks = make([]energy.Mark, most+1)
	}
	tasks, err := w.bindAll(run)
	if err != nil {
		return err
	}
	for i, a := range run {
		outcome := sched.Killed // no task needs it
		switch {
		case tasks[i] == 0:
		case w.nodes[a.Node].state == nodeDown:
			outcome = sched.Lost
		default:
			w.goOn(a, tasks[i])
			continue
		}
		e := w.add(sched.Ended)
		e.Attempt, e.Outcome = a.ID, outcome
		w.endedAttempts = append(w.endedAttempts, int32(a.ID))
	}
	for a := most; a > 0; a-- {
		if w.attempts[a].job == 0 && !slices.Contains(w.endedAttempts, int32(a)) {
			w.freeAttempts = append(w.freeAttempts, int32(a))
		}
	}
	return nil
}

// goOn makes the truth of an attempt that the book knows, and of its task.
func (w *World) goOn(a *sched.Attempt, task int32) {
	h, n := int32(a.Job), int32(a.Node)
	j, nd := &w.jobs[h], &w.nodes[n]
	s := j.stage(a.Stage)
	t := &s.tasks[task-1]
	sample := s.Sample
	s.Begin(t)
	s.Sample = sample // the book has counted it
	w.kinds[s.kinds[a.Container]].needs.AddTo(&nd.Free, -1)
	at := &w.attempts[a.ID]
	*at = attempt{began: a.Started, job: h, task: task, node: n, stage: a.Stage, container: a.Container, input: s.Spec.Tasks[task-1].Input}
	w.draws(int32(a.ID), at, j) // from now on
	p := &w.paces[a.ID]
	p.work, at.breaks = w.drawWork(j, s, s.Spec.Tasks[task-1].Work, at.task, int32(t.Tries), n)
	p.left = p.work
	w.link(int32(a.ID), &nd.runs, ofNode)
	w.link(int32(a.ID), &s.runs, ofStage)
	if at.ready = a.Started; a.Stage != sched.Master && s.longest == 0 { // else the profile counts launch and reading
		at.ready = a.Started.Add(w.cfg.Launch)
	}
	switch {
	case a.Stage == sched.Map && s.longest == 0:
		at.ready = at.ready.Add(w.cfg.Read.fetch(at.input, a.Locality))
	case a.Stage == sched.Reduce && j.at[sched.Map] >= 0 && j.mapsEnd == units.Never:
		at.ready = units.Never
		return // mapsDone goes on
	case a.Stage == sched.Reduce:
		takes := s.Spec.Tasks[task-1].Shuffle
		if s.weights != nil {
			takes = takes.Scale(s.weights[task-1])
		}
		at.ready = at.ready.Add(takes)
	case a.Stage == sched.Master && len(j.stages) > 1 && j.stages[1].Ready:
		return // it is up, and ends with its job
	}
	p.since, p.left, p.slow = at.ready, p.work, w.slowness(at, j, s)
	if p.end() < w.now { // it should be over: it is, now
		left := 0.0
		if s.longest > 0 { // as long as the longest that is known, if it may still be that
			age, longest := float64(w.now.Sub(at.ready))/p.slow, float64(s.longest)
			if left = max(1, longest-age); age > 2*longest { // nobody has seen one like it
				left = finish.Outlived(age, cmp.Or(w.cfg.Outlived, 0.5))
			}
		}
		p.since, p.left, p.work = w.now, left, max(p.work, left)
	}
	w.enqueue(int32(a.ID), at, &w.jobs[h])
}
