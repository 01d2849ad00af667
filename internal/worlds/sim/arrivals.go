package sim

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// arriving is the next arrival, as the source has it.
type arriving struct {
	at  units.Time // units.Never: none
	gen uint32     // of its entry in the queue
}

// link is what is remembered of a job that has arrived, or that another waits for.
type link struct {
	handle    int32   // while it is in the system
	missing   int32   // predecessors that have not committed
	followers []*link // jobs in the system that wait for it
	over      bool    // it has ended
	committed bool
	broken    string // a predecessor that failed or was killed
	old       bool   // it is not to be remembered beyond its end
}

// recent is the jobs that a source brought last. Those that have ended are remembered as long as
// they are among them, for others to name them; what a list may name is known, and all of that is.
type recent struct {
	jobs []named
	next int
}

type named struct {
	id   string
	link *link
}

// remember notes that a source has brought a job, and forgets one that it brought long ago.
func (w *World) remember(id string, k *link) {
	r := &w.recent
	if len(r.jobs) < w.cfg.Recent {
		r.jobs = append(r.jobs, named{id, k})
		return
	}
	gone := r.jobs[r.next]
	if gone.link.old = true; gone.link.over {
		delete(w.links, gone.id)
	}
	r.jobs[r.next] = named{id, k}
	r.next = (r.next + 1) % len(r.jobs)
}

// over tells whether the run is: nothing is in the system and nothing arrives.
func (w *World) over() bool { return w.present == 0 && w.next.at == units.Never }

// expectArrival asks the source when the next job comes, and enters that into the queue.
func (w *World) expectArrival() {
	at := w.source.Due()
	if at == w.next.at {
		return
	}
	if w.next.at != units.Never {
		w.coming--
		w.lapsed++
	}
	w.next.at = at
	w.next.gen++
	if at != units.Never {
		w.coming++
		w.queue.push(max(at, w.now), arrival, 0, w.next.gen)
	}
}

func (w *World) linkOf(id string) *link {
	k := w.links[id]
	if k == nil {
		k = &link{}
		w.links[id] = k
	}
	return k
}

// ArrivalError is the error of Next for a job that cannot be: what was asked for is at fault, not the run.
type ArrivalError struct{ Err error }

// Error says what is wrong with the job.
func (e *ArrivalError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ArrivalError) Unwrap() error { return e.Err }

// recordedSource is a source that knows where the job stands that it returned last: a file and a
// line, "" if it does not know.
type recordedSource interface{ Position() string }

// position says where the job stands that the source returned last, "" if it does not know.
func (w *World) position() string {
	if at, ok := w.source.(recordedSource); ok {
		return at.Position()
	}
	return ""
}

// wrong says where the job stands with which something is wrong.
func (w *World) wrong(err error) error {
	if at := w.position(); at != "" {
		return fmt.Errorf("%s: %w", at, err)
	}
	return err
}

// make takes the next job from the source, checks it, and places its input.
func (w *World) make() (given, placed *workload.Job, err error) {
	given, err = w.source.Next()
	if d, dealt := w.source.(*dealt); err != nil || dealt && d.own == nil { // shared jobs are made
		return given, given, err
	}
	if w.cfg.Source != nil { // a list was checked before
		if err = given.Validate(); err == nil {
			err = validateHosts(given, len(w.cfg.Cluster.Nodes))
		}
		if err != nil {
			return nil, nil, w.wrong(err)
		}
	}
	return given, w.withInput(given, w.fileKey(given, jobKey(given.ID))), nil
}

// take returns the job that is due, and with its input placed; nil if the source has failed.
func (w *World) take() (given, placed *workload.Job) {
	w.coming--
	w.next.at = units.Never
	given, placed, err := w.make()
	if err == nil && w.cfg.Source != nil {
		if k := w.links[given.ID]; k != nil && (k.handle != 0 || k.over) {
			err = w.wrong(fmt.Errorf("job %q: the id is used twice", given.ID))
		}
	}
	if err != nil {
		w.failed = &ArrivalError{err}
		return nil, nil
	}
	return given, placed
}

// arrive lets the job in that is due.
func (w *World) arrive() {
	spec, placed := w.take()
	if spec == nil {
		return
	}
	if w.cfg.Door != nil && !w.cfg.Door(spec, w.now) {
		w.turnAway(spec)
		return
	}
	var h int32
	if n := len(w.freeJobs); n > 0 {
		h, w.freeJobs = w.freeJobs[n-1], w.freeJobs[:n-1]
	} else {
		h = int32(len(w.jobs))
		w.jobs = append(w.jobs, job{})
	}
	k := w.linkOf(spec.ID)
	k.handle = h
	if w.cfg.Source != nil {
		w.remember(spec.ID, k)
	}
	w.present++
	w.stall.arrive(w.now)
	j := &w.jobs[h]
	*j = job{Job: truth.Job{Spec: placed, Here: true}, link: k, key: jobKey(spec.ID), given: spec, mapsEnd: units.Never, stages: j.stages}
	j.open(w)
	j.ratio = ratioOf(j.Spec)
	w.weigh(j)
	w.emit(sched.Event{Kind: sched.JobArrived, Job: sched.JobID(h), Detail: &sched.Detail{Job: j.Spec}})
	w.await(k, spec.After)
	switch {
	case k.broken != "":
		j.Ends = true
		w.doomed = append(w.doomed, h)
	case k.missing == 0:
		w.release(h)
	}
	w.expectArrival()
}

// turnAway lets a job go that may not come in, as one that has ended and did not commit.
func (w *World) turnAway(spec *workload.Job) {
	k := w.linkOf(spec.ID)
	k.over = true
	if w.cfg.Source != nil {
		w.remember(spec.ID, k)
	}
	w.source.Ended(spec, w.now)
	w.expectArrival()
	for _, f := range k.followers {
		w.follow(f, spec.ID, false)
	}
	k.followers = nil
}

// await enters the job with those that it waits for.
func (w *World) await(k *link, after []string) {
	for i, id := range after {
		switch p := w.linkOf(id); {
		case slices.Contains(after[:i], id):
		case !p.over:
			p.followers = append(p.followers, k)
			k.missing++
		case !p.committed && k.broken == "":
			k.broken = id
		}
	}
}

// depart takes a job out of the system. Jobs behind it may start, or can never.
func (w *World) depart(j *job, outcome sched.Outcome) {
	k, given := j.link, j.given
	j.Spec, j.given = nil, nil
	k.handle, k.over, k.committed = 0, true, outcome == sched.Committed
	w.present--
	w.stall.end(w.now)
	w.source.Ended(given, w.now)
	w.expectArrival()
	for _, f := range k.followers {
		w.follow(f, given.ID, k.committed)
	}
	k.followers = nil
	if k.old {
		delete(w.links, given.ID)
	}
	for _, id := range given.After { // of those that never came nobody else need know
		if p := w.links[id]; p != nil && p.handle == 0 && !p.over {
			if p.followers = slices.DeleteFunc(p.followers, func(f *link) bool { return f == k }); len(p.followers) == 0 {
				delete(w.links, id)
			}
		}
	}
}

// follow tells a job that its predecessor has ended.
func (w *World) follow(k *link, before string, committed bool) {
	if k.over {
		return
	}
	if committed {
		if k.missing--; k.missing == 0 && w.jobs[k.handle].Here {
			w.release(k.handle)
		}
		return
	}
	if k.broken == "" {
		k.broken = before
		w.endJob(k.handle, sched.Killed, w.doom(k.handle))
	}
}

// doom says why a job can never run.
func (w *World) doom(h int32) string {
	return fmt.Sprintf("it waited for job %q, which did not finish", w.jobs[h].link.broken)
}

// cutOff ends the run at its time limit: jobs that are in the system are killed, the others never arrive.
func (w *World) cutOff() {
	w.source = noMore{}
	w.expectArrival()
	for h := range w.jobs {
		if w.jobs[h].Here {
			w.endJob(int32(h), sched.Killed, fmt.Sprintf("the run was limited to %v", w.cfg.Until))
		}
	}
	w.coming, w.lapsed, w.fabric.timed = 0, 0, false
	w.queue.clear()
}

// noMore is a source that is closed.
type noMore struct{}

func (noMore) Due() units.Time                 { return units.Never }
func (noMore) Next() (*workload.Job, error)    { return nil, nil }
func (noMore) Ended(*workload.Job, units.Time) {}
