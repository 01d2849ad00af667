package yarn

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// batches are events on their way to the loop. The events of a batch are in the order of their kinds, which
// need not be the one in which they happened: a container of a job that arrives would be told before the job.
// Where that matters, what comes later goes into a batch of its own, of the same time.
type batches struct {
	ready []drive.Batch
	now   []sched.Event
	whole bool // a full state, which is one batch
	jobs  map[sched.JobID]sched.EventKind
	nodes map[sched.NodeID]sched.EventKind
}

// tell adds an event behind those before it.
func (w *World) tell(e sched.Event) { w.batches.add(w.at, e) }

func (b *batches) add(at units.Time, e sched.Event) {
	job, node := sched.JobID(0), sched.NodeID(0)
	switch e.Kind {
	case sched.NodeUp, sched.NodeChanged, sched.NodeDown, sched.Heartbeat:
		node = e.Node
	case sched.Started, sched.OutputLost, sched.JobEnded, sched.JobAmended, sched.JobArrived, sched.StageReady, sched.Demand:
		job = e.Job
	}
	early := e.Kind == sched.Control && len(b.now) > 0 || job != 0 && b.jobs[job] > e.Kind || node != 0 && b.nodes[node] > e.Kind
	if early && !b.whole {
		b.flush(at)
	}
	if b.jobs == nil {
		b.jobs, b.nodes = make(map[sched.JobID]sched.EventKind), make(map[sched.NodeID]sched.EventKind)
	}
	if job != 0 {
		b.jobs[job] = e.Kind
	}
	if node != 0 {
		b.nodes[node] = e.Kind
	}
	b.now = append(b.now, e)
}

// flush ends a batch.
func (b *batches) flush(at units.Time) {
	if len(b.now) > 0 {
		slices.SortStableFunc(b.now, func(x, y sched.Event) int { return cmp.Compare(x.Kind, y.Kind) })
		b.ready = append(b.ready, drive.Batch{At: at, Events: b.now})
		b.now, b.jobs, b.nodes = nil, nil, nil
	}
	b.whole = false
}

func (b *batches) pop() (drive.Batch, bool) {
	if len(b.ready) == 0 {
		return drive.Batch{}, false
	}
	first := b.ready[0]
	b.ready = b.ready[1:]
	return first, true
}

// handles gives dense numbers to what YARN calls by long names. A number is used again only in a later batch
// than that which told its end.
type handles[H ~int32] struct {
	of    map[string]H
	names []string // by handle less one
	free  []H
	freed []H // to be free with the next batch
}

// find returns the handle of a name, 0 if it has none.
func (h *handles[H]) find(name string) H { return h.of[name] }

// give returns the handle of a name, which gets one if it has none.
func (h *handles[H]) give(name string) H {
	if id := h.of[name]; id != 0 {
		return id
	}
	if h.of == nil {
		h.of = make(map[string]H)
	}
	var id H
	if n := len(h.free); n > 0 {
		id, h.free = h.free[n-1], h.free[:n-1]
		h.names[id-1] = name
	} else {
		h.names = append(h.names, name)
		id = H(len(h.names))
	}
	h.of[name] = id
	return id
}

// call calls a handle in use by another name, which is nobody else's any more.
func (h *handles[H]) call(id H, name string) {
	delete(h.of, h.names[id-1])
	h.of[name], h.names[id-1] = id, name
}

// name is what a handle in use is called.
func (h *handles[H]) name(id H) string { return h.names[id-1] }

// drop takes a name's handle away.
func (h *handles[H]) drop(name string) {
	if id := h.of[name]; id != 0 {
		delete(h.of, name)
		h.freed = append(h.freed, id)
	}
}

// reuse lets handles be used again that were dropped, once no batch is on its way.
func (h *handles[H]) reuse() {
	h.free = append(h.free, h.freed...)
	h.freed = h.freed[:0]
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// note tells an operator of something odd.
func (w *World) note(format string, args ...any) {
	if w.cfg.Note != nil {
		w.cfg.Note(fmt.Sprintf(format, args...))
	}
}
