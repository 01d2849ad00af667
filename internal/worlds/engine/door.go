package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Source hands over what people ask of a run while it runs. The engine asks it from its loop, so
// neither method waits.
type Source interface {
	// Next takes the next request, nil if there is none by now.
	Next() *Request
	// Came has something to read when Next may return more than it last did.
	Came() <-chan struct{}
}

// Request is one thing that is asked of a run.
type Request struct {
	// Submit brings jobs that may wait for each other, and for others of the run. All of them are
	// taken, or none.
	Submit []Job
	// Cancel is the ID of a job that is to end, whether it has arrived or not.
	Cancel string
	// Node offers Slots from now on. What runs there beyond them runs on, and is not followed by
	// anything.
	Node  sched.NodeID
	Slots units.Vector
	// Look is called from the loop, between two of its steps: whoever drives it may look at what it knows.
	Look func()
	// Shut lets no more jobs in, so that the run ends with those that it has.
	Shut bool

	// Answer is called once, from the loop: with nil when the request is granted, else with why it
	// cannot be. It must not wait.
	Answer func(error)
}

// Door is a Source that any goroutine may ask through.
type Door struct {
	asked *mailbox[*Request]
	taken []*Request
}

// NewDoor returns an open door.
func NewDoor() *Door { return &Door{asked: newMailbox[*Request]()} }

// Next implements Source.
func (d *Door) Next() *Request {
	if len(d.taken) == 0 {
		d.taken = d.asked.take()
	}
	if len(d.taken) == 0 {
		return nil
	}
	r := d.taken[0]
	d.taken = d.taken[1:]
	return r
}

// Came implements Source.
func (d *Door) Came() <-chan struct{} { return d.asked.bell }

// Ask waits for the answer to a request. When ctx ends before, it returns the cause of that:
// whoever runs the engine ends ctx with the run.
func (d *Door) Ask(ctx context.Context, r Request) error {
	answer := make(chan error, 1)
	r.Answer = func(err error) { answer <- err }
	d.asked.post(&r)
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
	}
	select { // a run may end by what it was asked, and its answer came first
	case err := <-answer:
		return err
	default:
		return context.Cause(ctx)
	}
}

// Shut lets no more jobs in, once what was asked for before is granted.
func (d *Door) Shut() { d.asked.post(&Request{Shut: true, Answer: func(error) {}}) }

// ErrShut says that a run takes no more jobs.
var ErrShut = errors.New("the run takes no more jobs")

// requests grants what was asked for. The cancel of a job that has not arrived is told in the batch
// after its arrival.
func (w *World) requests() {
	for _, r := range w.arrived {
		r.Answer(w.cancel(r.Cancel))
	}
	w.arrived = nil
	if w.cfg.Source == nil {
		return
	}
	for r := w.cfg.Source.Next(); r != nil; r = w.cfg.Source.Next() {
		switch k := w.known[r.Cancel]; {
		case k != nil && !k.over && !k.job.arrived:
			w.arrive(k.job)
			w.arrived = append(w.arrived, r)
		case r.Cancel != "":
			r.Answer(w.cancel(r.Cancel))
		case r.Look != nil:
			r.Look()
			r.Answer(nil)
		case r.Node != 0:
			r.Answer(w.resize(r.Node, r.Slots))
		case r.Shut:
			w.shut = true
			r.Answer(nil)
		case w.shut:
			r.Answer(ErrShut)
		default:
			r.Answer(w.submit(r.Submit))
		}
	}
}

// cancel ends a job that its user does not want any more: none of its tasks start from now on, and
// in the next batch it is stopped.
func (w *World) cancel(id string) error {
	k := w.known[id]
	switch {
	case k == nil:
		return fmt.Errorf("the run has no job %q", id)
	case k.over:
		return fmt.Errorf("job %q has ended", id)
	case k.job.now().Ends:
		return fmt.Errorf("job %q is about to end", id)
	}
	w.emit(sched.Event{Kind: sched.JobCancelled, Job: k.job.id})
	w.endNext(k.job, sched.Killed, "cancelled by its user")
	return nil
}

// resize lets a node offer other slots. What runs beyond them drains: it runs on, and nothing
// follows it.
func (w *World) resize(n sched.NodeID, slots units.Vector) error {
	if n < 1 || int(n) >= len(w.nodes) {
		return fmt.Errorf("there is no node %d", n)
	}
	if d, bad := slots.Negative(); bad {
		return fmt.Errorf("node %d cannot offer %d %v", n, slots[d], d)
	}
	nd := w.nodes[n]
	spec, class := *nd.Spec, *nd.Spec.Class
	spec.Class, class.Capacity = &class, slots
	nd.Free.Add(&slots)
	nd.Free.Sub(&nd.Spec.Class.Capacity)
	if nd.Spec, nd.fresh = &spec, true; nd.up {
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: n, Detail: &sched.Detail{Node: nd.Spec}})
	}
	return nil
}
