package placement

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Delay lets a job wait a little for nodes that hold its data (Zaharia et al. 2010, algorithm 2;
// paper 003, section 4.2). A node that beats goes through the jobs in the policy's order, and the
// first that may start a map on it does so, again and again while there is room:
//
//	level 0   node-local maps only; after a wait of D also rack-local ones, after one of D + Rack any
//	level 1   node- and rack-local maps; after a wait of Rack any
//	level 2   any map
//
// A job that may not is skipped. Its wait is the time for which it has been skipped since its last
// start of a map: for each beat at which it was skipped, the time until the next beat of any node.
// A start sets the wait to 0, and the level to the start's own: 0, 1 or 2 for a map that is
// node-local, rack-local or remote. So a job that has waited long enough may start any number of
// remote maps, on one beat as well (paper 003: "this delay algorithm allows a node to obtain
// multiple non-local map tasks in a heartbeat interval"), until a more local one sets it back.
//
// What the sources leave open:
//
//   - In Hadoop full nodes beat too. Here only those beat that have room for something that waits,
//     so the time until the next beat is longer; it counts for no more than one interval. Beats of one
//     instant are one.
//   - Where nodes are served at once (a heartbeat of 0), nobody beats while nothing changes: a job
//     counts as skipped from its first skip on, so that its wait is the time since then or since
//     its last start, and the part asks to be woken when a wait is over.
//   - A task without preferred nodes is at home everywhere: it starts at once, and changes neither wait nor level.
//   - Masters, reduces and further stages are served as Greedy does.
//   - After a resync every job waits from the beginning: jobs may have other handles, and nobody knows
//     what they were skipped for. A take-over changes nothing: while a stock scheduler places work no
//     job is skipped, and none starts.
//
// A beat costs O(log jobs) for each job that is skipped, as in the original.
type Delay struct {
	D       units.Duration // wait before rack-local maps
	Rack    units.Duration // further wait before remote ones
	Reduces int            // reduces per node and beat, 0 = no bound

	jobs    []patience    // by handle
	skipped []sched.JobID // since the last beat; at heartbeat 0 ever
	last    units.Time    // of the last beat
	turn                  // reused
	line    delayed
}

// patience is how long a job has waited.
type patience struct {
	Job     sched.JobID
	Seq     int64 // tells the job from a later one with its handle
	Level   int8
	Skipped bool
	Wait    units.Duration
	listed  bool // among those that were skipped
}

// Decide serves the nodes that beat, in the order of their beats.
func (d *Delay) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	beats := false
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.Resync:
			clear(d.jobs)
			d.skipped, d.last = d.skipped[:0], 0
		case sched.JobEnded:
			if int(e.Job) < len(d.jobs) && e.Job > 0 {
				d.jobs[e.Job] = patience{}
			}
		case sched.Heartbeat:
			if !beats {
				d.pass(v)
				beats = true
			}
			if t := &d.turn; t.of(v, p, e.Node) {
				d.line = delayed{d: d}
				t.serve(&d.line, d.Reduces, 1)
			}
		}
	}
	if beats && v.World().Heartbeat == 0 {
		d.wake(v, p)
	}
}

// pass adds the time since the last beat to the wait of those that were skipped then.
func (d *Delay) pass(v sched.View) {
	since := v.Now().Sub(d.last)
	every := v.World().Heartbeat
	if every > 0 {
		since = min(since, every)
	}
	keep := d.skipped[:0]
	for _, j := range d.skipped {
		w := &d.jobs[j]
		if !w.listed {
			continue // it was in the list twice, once for an earlier job with its handle
		}
		w.listed = false
		if !w.Skipped {
			continue // it has started a map
		}
		w.Wait += since
		if w.Skipped = every == 0; w.Skipped {
			keep = append(keep, j)
		}
	}
	for _, j := range keep {
		d.jobs[j].listed = true
	}
	d.skipped, d.last = keep, v.Now()
}

// of returns the record of a job.
func (d *Delay) of(job *sched.Job) *patience {
	w := sched.Row(&d.jobs, job.ID)
	if w.Seq != job.Seq {
		*w = patience{Job: job.ID, Seq: job.Seq}
	}
	return w
}

// left is how long the job must still be skipped before it may start a map that is so far from its data.
func (d *Delay) left(w *patience, locality sched.Locality) units.Duration {
	level := int8(2)
	switch locality {
	case sched.Anywhere, sched.NodeLocal:
		return 0
	case sched.RackLocal:
		level = 1
	}
	due := units.Duration(0)
	if w.Level < 1 {
		due = d.D
	}
	if w.Level < 2 && level == 2 {
		due += min(d.Rack, units.Duration(units.Never)-due) // a wait without end, not one that wraps to none
	}
	if w.Level >= level {
		return 0
	}
	return max(0, due-w.Wait)
}

// started takes note of the start of a map.
func (w *patience) started(locality sched.Locality, atOnce bool) {
	switch locality {
	case sched.NodeLocal:
		w.Level = 0
	case sched.RackLocal:
		w.Level = 1
	case sched.Remote:
		w.Level = 2
	default:
		return
	}
	w.Wait, w.Skipped = 0, w.Skipped && atOnce
}

func (d *Delay) skip(w *patience) {
	w.Skipped = true
	if !w.listed {
		w.listed = true
		d.skipped = append(d.skipped, w.Job)
	}
}

// wake asks for a Tick when the first wait of a job is over that has been skipped.
func (d *Delay) wake(v sched.View, p *sched.Plan) {
	at := units.Never
	for _, j := range d.skipped {
		w := &d.jobs[j]
		if job := v.Job(j); job == nil || job.Seq != w.Seq || !w.Skipped || job.Stages[sched.Map].Open <= 0 {
			continue
		}
		for _, locality := range []sched.Locality{sched.RackLocal, sched.Remote} {
			if left := d.left(w, locality); left > 0 {
				at = min(at, v.Now().Add(left))
				break
			}
		}
	}
	if at != units.Never {
		p.WakeMe(at, sched.Because(sched.Wakeup, int64(at)))
	}
}

// delayed is the line of maps for one node and beat.
type delayed struct {
	d        *Delay
	after    sched.JobID    // jobs up to this one have been passed over
	locality sched.Locality // of the map to be started next
}

func (l *delayed) next(t *turn) sched.JobID {
	for j := t.v.First(t.node.ID, sched.Map, l.after); j != 0; j = t.v.First(t.node.ID, sched.Map, j) {
		l.locality = t.v.Nearest(t.node.ID, j, sched.Map)
		w := l.d.of(t.v.Job(j))
		if l.locality != sched.NoLocality && l.d.left(w, l.locality) == 0 {
			return j
		}
		l.d.skip(w)
	}
	return 0
}

func (l *delayed) start(t *turn, j sched.JobID) {
	if !t.start(j, sched.Map, l.locality) {
		l.after = j
		return
	}
	l.d.of(t.v.Job(j)).started(l.locality, t.v.World().Heartbeat == 0)
}

// waits is the saved form.
type waits struct {
	Last units.Time `json:"last"`
	Jobs []patience `json:"jobs"`
}

// MarshalJSON saves how long each job has waited.
func (d *Delay) MarshalJSON() ([]byte, error) {
	s := waits{Last: d.last, Jobs: []patience{}}
	for i := range d.jobs {
		if w := &d.jobs[i]; w.Level > 0 || w.Wait > 0 || w.Skipped {
			s.Jobs = append(s.Jobs, *w)
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Delay) UnmarshalJSON(text []byte) error {
	var s waits
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	d.last, d.jobs, d.skipped = s.Last, nil, nil
	for _, w := range s.Jobs {
		if w.Job < 1 || w.Job > 1<<24 {
			return fmt.Errorf("job %d is no handle", w.Job)
		}
		sched.Row(&d.jobs, w.Job)
		w.listed = w.Skipped
		d.jobs[w.Job] = w
		if w.listed {
			d.skipped = append(d.skipped, w.Job)
		}
	}
	return nil
}

// CopyFrom takes over how long each job has waited.
func (d *Delay) CopyFrom(other any) {
	o := other.(*Delay)
	d.last, d.jobs, d.skipped = o.last, slices.Clone(o.jobs), slices.Clone(o.skipped)
}
