//go:build invariants

package sim

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// audits tells whether this build checks itself.
const audits = true

// audit counts again, at every instant, whatever the world keeps as a number, a list or a set
// because counting takes long, and panics at the first that differs. It is there in builds with the
// tag invariants only:
//
//	go test -tags invariants ./internal/worlds/sim
//
// Counting takes as long as there are nodes, attempts and tasks: where these are thousands, every
// so many-th instant is checked.
func (w *World) audit() {
	size := len(w.nodes)*(1+len(w.kinds)) + len(w.attempts) + len(w.queue.soon) + len(w.queue.slots) + w.queue.n
	for h := range w.jobs {
		for i := range w.jobs[h].stages {
			size += len(w.jobs[h].stages[i].tasks)
		}
	}
	if w.calls%uint64(1+size/500) != 0 {
		return
	}
	w.auditAttempts()
	w.auditNodes()
	w.auditKinds()
	w.auditJobs()
	w.auditQueue()
	w.auditFabric()
}

func (w *World) must(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("invariant broken at %v: %s", w.now, fmt.Sprintf(format, args...)))
	}
}

// equal compares what is kept with what was counted.
func equal[T comparable](w *World, kept, counted T, format string, args ...any) {
	w.must(kept == counted, "%s: %v is kept, %v was counted", fmt.Sprintf(format, args...), kept, counted)
}

// auditAttempts: every handle is either free, or resting, or that of one running attempt of a job in the system.
func (w *World) auditAttempts() {
	places := make([]int, len(w.attempts))
	for _, a := range slices.Concat(w.freeAttempts, w.endedAttempts) {
		places[a]++
		w.must(w.attempts[a].job == 0, "attempt %d is free and runs", a)
	}
	timed := 0
	for a := 1; a < len(w.attempts); a++ {
		at := &w.attempts[a]
		if at.timed {
			timed++
		}
		if at.job == 0 {
			w.must(!at.timed && !at.fetching, "attempt %d has ended and is still timed", a)
			equal(w, places[a], 1, "lists of free handles that attempt %d is in", a)
			continue
		}
		equal(w, places[a], 0, "lists of free handles that attempt %d is in, which runs", a)
		w.must(w.jobs[at.job].Here, "attempt %d runs for job %d, which has ended", a, at.job)
		w.must(w.nodes[at.node].state == nodeOpen || w.nodes[at.node].state == nodeDraining, "attempt %d runs on node %d, which is away", a, at.node)
		p := &w.paces[a]
		w.must(at.began <= w.now && (!at.timed || p.left >= 0 && p.left <= p.work), "attempt %d began at %v and has %v of %v left", a, at.began, p.left, p.work)
		w.must(!at.timed || !at.fetching && at.ready != units.Never, "attempt %d is timed and waits for input", a)
	}
	equal(w, w.timed, timed, "attempts that are timed")
}

// auditNodes: room is capacity less what runs; what drains and what lies on it.
func (w *World) auditNodes() {
	draining, runs := 0, make([]int, len(w.nodes))
	for a := 1; a < len(w.attempts); a++ {
		if at := &w.attempts[a]; at.job != 0 {
			runs[at.node]++
		}
	}
	for n := 1; n < len(w.nodes); n++ {
		nd := &w.nodes[n]
		room := nd.Spec.Class.Capacity
		listed, last := 0, int32(0)
		for a := nd.runs.first; a != 0; last, a = a, w.attempts[a].in[ofNode].next {
			at := &w.attempts[a]
			listed++
			equal(w, at.in[ofNode].prev, last, "attempt before %d in the list of node %d", a, n)
			equal(w, at.node, int32(n), "node of attempt %d, which is in the list of node %d", a, n)
			w.must(w.attempts[last].began <= at.began, "attempt %d stands behind a younger one in the list of node %d", a, n)
			s := w.jobs[at.job].stage(at.stage)
			room.Sub(&w.kinds[s.kinds[at.container]].needs.Vector)
		}
		equal(w, nd.runs.last, last, "last attempt on node %d", n)
		equal(w, listed, runs[n], "attempts in the list of node %d", n)
		if nd.state != nodeDown && nd.state != nodeOffered {
			equal(w, nd.Free, room, "room of node %d", n)
			d, bad := nd.Free.Negative()
			w.must(!bad, "node %d is over-committed in %v", n, d)
		}
		if nd.state == nodeDraining {
			draining++
			equal(w, nd.outputs, w.countOutputs(int32(n)), "map outputs on node %d, which drains", n)
			w.must(last != 0 || nd.outputs > 0 || slices.Contains(w.leaving, int32(n)), "node %d drains, is empty and does not leave", n)
		}
		w.must(!nd.sleeps || nd.state == nodeDraining, "node %d is to sleep and does not drain", n)
		w.must(nd.away >= 0, "node %d is away %d times", n, nd.away)
		if len(w.touched) == 0 {
			w.must((nd.away == 0 && !nd.crashes) || nd.state == nodeDown || nd.state == nodeOffered, "node %d has failed and is not down", n)
			w.must(!nd.removed || nd.state == nodeDown || nd.state == nodeDraining, "node %d is removed and serves", n)
		}
		equal(w, w.beat.isFresh[n], slices.Contains(w.beat.fresh, int32(n)), "node %d has something new", n)
	}
	equal(w, w.draining, draining, "nodes that drain")
}

// auditKinds: which nodes have room for which kind of container, and which kinds are waited for.
func (w *World) auditKinds() {
	stages := make([]int32, len(w.kinds))
	for h := range w.jobs {
		if !w.jobs[h].Here {
			continue
		}
		for i := range w.jobs[h].stages {
			if s := &w.jobs[h].stages[i]; s.waits {
				for _, k := range s.kinds {
					stages[k]++
				}
			}
		}
	}
	var waiting []int32
	for k := range w.kinds {
		kd := &w.kinds[k]
		equal(w, kd.stages, stages[k], "stages that wait for %v", kd.needs)
		if kd.stages > 0 {
			waiting = append(waiting, int32(k))
		}
		for n := 1; n < len(w.nodes); n++ {
			nd := &w.nodes[n]
			fits := nd.state == nodeOpen && !nd.listed && nd.Free.Fits(&kd.needs.Vector) && nd.Spec.Carries(kd.labels)
			equal(w, kd.room.has(n-1), fits, "node %d has room for %v", n, kd.needs)
		}
		for i, word := range kd.room.words {
			equal(w, kd.room.some[i/64]>>(i%64)&1 != 0, word != 0, "word %d of the nodes with room for %v has members", i, kd.needs)
		}
	}
	w.must(slices.Equal(w.waiting, waiting), "kinds that are waited for: %v are kept, %v were counted", w.waiting, waiting)
}

// auditJobs: the counts of a stage against its tasks and attempts; who waits for whom.
func (w *World) auditJobs() {
	present := 0
	places := make([]int, len(w.jobs))
	for _, h := range slices.Concat(w.freeJobs, w.endedJobs) {
		places[h]++
	}
	for h := 1; h < len(w.jobs); h++ {
		j := &w.jobs[h]
		if !j.Here {
			equal(w, places[h], 1, "lists of free handles that job %d is in", h)
			continue
		}
		present++
		equal(w, places[h], 0, "lists of free handles that job %d is in, which is in the system", h)
		equal(w, j.link.handle, int32(h), "handle of job %q", j.Spec.ID)
		vanished := int32(0)
		for i := range j.stages {
			vanished += w.auditStage(int32(h), &j.stages[i])
		}
		equal(w, j.vanished, vanished, "outputs of job %d that have vanished", h)
		if maps := j.stage(sched.Map); maps != nil && len(j.stages) > 1 {
			equal(w, j.mapsEnd != units.Never, maps.Done == int32(len(maps.tasks)), "all maps of job %d are done", h)
		}
		if _, readers := j.readers(); j.vanished > 0 {
			equal(w, readers.Open, 0, "open tasks of job %d that miss outputs", h)
		}
		missing := int32(0)
		for i, id := range j.Spec.After {
			if k := w.links[id]; k != nil && !k.over && !slices.Contains(j.Spec.After[:i], id) {
				missing++
				w.must(slices.Contains(k.followers, j.link), "job %d does not follow %q", h, id)
			}
		}
		// A job of which a predecessor has failed ends, and what it waited for is not counted down.
		if j.link.broken == "" {
			equal(w, j.link.missing, missing, "jobs that job %d waits for", h)
		}
	}
	equal(w, w.present, present, "jobs in the system")
}

// auditStage returns how many outputs of the stage have vanished.
func (w *World) auditStage(h int32, s *stage) (vanished int32) {
	j := &w.jobs[h]
	live := make([]uint8, len(s.tasks))
	occupied, last := int32(0), int32(0)
	for a := s.runs.first; a != 0; last, a = a, w.attempts[a].in[ofStage].next {
		at := &w.attempts[a]
		w.must(at.job == h && at.stage == s.kind, "attempt %d is in the list of job %d, stage %v", a, h, s.kind)
		if last != 0 {
			equal(w, at.in[ofStage].prev, last, "attempt before %d in the list of job %d, stage %v", a, h, s.kind)
		}
		live[at.task-1]++
		occupied++
	}
	equal(w, s.runs.last, last, "last attempt of job %d, stage %v", h, s.kind)
	equal(w, s.Busy, occupied, "attempts of job %d, stage %v", h, s.kind)
	var of [truth.Vanished + 1]int32
	for t := range s.tasks {
		tk := &s.tasks[t]
		of[tk.State]++
		equal(w, tk.Live, live[t], "attempts of job %d, %v task %d", h, s.kind, t+1)
		equal(w, tk.Live > 0, tk.State == truth.Runs, "job %d, %v task %d runs", h, s.kind, t+1)
		w.must(tk.Live <= 2 && (tk.Live <= 1 || w.cfg.Progress > 0), "job %d, %v task %d has %d attempts", h, s.kind, t+1, tk.Live)
		fails := s.fails[int32(t+1)]
		w.must(fails < w.cfg.MaxFailures && fails <= int(tk.Tries), "job %d, %v task %d failed %d times of %d", h, s.kind, t+1, fails, tk.Tries)
		if maps, _ := j.readers(); maps == s && tk.State == truth.Done {
			w.must(tk.Node == 0 || w.nodes[tk.Node].state != nodeDown, "job %d, map %d has its output on node %d, which is down", h, t+1, tk.Node)
		}
	}
	equal(w, s.Open, of[truth.Open], "open tasks of job %d, stage %v", h, s.kind)
	equal(w, s.Done, of[truth.Done]+of[truth.Vanished], "tasks of job %d, stage %v that are done", h, s.kind)
	waits := !j.Ends && s.Ready && !s.Withheld && s.Open > 0 && (s.Limit < 0 || s.Busy < s.Limit) && (j.Admitted || s.Sample > 0)
	equal(w, s.waits, waits, "job %d, stage %v waits", h, s.kind)
	return of[truth.Vanished]
}

// auditQueue: each timed attempt has one entry, at its end; what counts as coming is there.
func (w *World) auditQueue() {
	entries, coming, reports, lapsed := make(map[int32]units.Time), 0, 0, 0
	for _, d := range w.auditSlots() {
		if w.stale(d) {
			lapsed++
			continue
		}
		w.must(d.at >= w.now, "an entry of class %d was to happen at %v", d.class(), d.at)
		switch d.class() {
		case attemptEnd, masterUp:
			_, twice := entries[d.arg]
			w.must(!twice, "attempt %d has two entries in the queue", d.arg)
			entries[d.arg] = d.at
		case scripted, arrival, limit, awake, restored:
			coming++
		case progressReport:
			reports++
		}
	}
	for a := 1; a < len(w.attempts); a++ {
		at := &w.attempts[a]
		end, queued := entries[int32(a)]
		equal(w, at.timed, queued, "attempt %d has an entry in the queue", a)
		if queued {
			equal(w, end, w.paces[a].end(), "end of attempt %d", a)
			equal(w, w.paces[a].slow, w.slowness(at, &w.jobs[at.job], w.jobs[at.job].stage(at.stage)), "slowness of attempt %d on node %d", a, cluster.NodeID(at.node))
		}
	}
	equal(w, w.coming, coming, "entries of the queue that were written down")
	equal(w, w.lapsed, lapsed, "entries of the queue that are stale")
	if !w.over() { // at the time limit the queue is emptied
		equal(w, reports == 1, w.reporting, "a report of progress is in the queue, once")
	}
}

// auditSlots returns the entries of the queue: first those that come soon, which are sorted, then
// later ones, each in its slot.
func (w *World) auditSlots() (all []*due) {
	q := &w.queue
	soon := q.soon[q.first:]
	for i := range soon {
		d := &soon[i]
		w.must(i == 0 || soon[i-1].before(d), "entry %d of the queue comes before the one ahead of it", i)
		w.must(d.at < q.until || q.until == units.Never, "entry %d of the queue is at %v, and what is later begins at %v", i, d.at, q.until)
		all = append(all, d)
	}
	for s, slot := range q.slots {
		equal(w, q.some.has(s), len(slot) > 0, "slot %d of the queue has entries", s)
		for i := range slot {
			d := &slot[i]
			w.must(d.at >= q.until && int(d.at>>q.shift)&(len(q.slots)-1) == s, "an entry of the queue at %v is in slot %d of those from %v on", d.at, s, q.until)
			all = append(all, d)
		}
	}
	equal(w, q.n, len(all)-len(soon), "later entries of the queue")
	return all
}

// auditFabric: each attempt that fetches is one flow.
func (w *World) auditFabric() {
	f := &w.fabric
	flows, entries := 0, 0
	for a := 1; a < len(w.attempts); a++ {
		if w.attempts[a].fetching {
			flows++
		}
	}
	for i, x := range f.ends.List {
		w.must(i == 0 || !x.before(&f.ends.List[(i-1)/2]), "flow %d comes before the one above it", i)
		if at := &w.attempts[x.attempt]; at.gen == x.gen {
			entries++
			w.must(at.fetching, "attempt %d has a flow and does not fetch", x.attempt)
		}
	}
	equal(w, f.flows, flows, "flows")
	equal(w, f.flows, entries, "flows with an end")
}
