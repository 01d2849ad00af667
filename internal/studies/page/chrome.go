package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Trace is the sink that streams every attempt to a trace in the JSON form of Chrome ("Trace Event
// Format", Google, 2016), which chrome://tracing, Perfetto and speedscope open: a process is a
// node, a thread a slot of it, and process 0 has the jobs from arrival to end. Times are
// microseconds. Nothing is kept of attempts that have ended.
type Trace struct {
	follow.Single
	tracker
	w       io.Writer
	written bool // an event, so that a comma comes first
	known   int  // lanes that have a name
	named   map[sched.NodeID]string
	last    units.Time
	err     error // the first of writing
}

// NewTrace begins a trace. Writes should be buffered: there is one for each attempt.
func NewTrace(w io.Writer) *Trace {
	return &Trace{w: w, named: map[sched.NodeID]string{}}
}

// Batch writes what ended.
func (t *Trace) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e, now := &records[i], records[i].At
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				t.nodeUp(e.Node, e.Detail.Node)
				t.name()
			}
		case sched.JobArrived:
			if e.Job != nil && !e.Again {
				t.jobBegins(e.Job)
			}
		case sched.Started:
			if e.Attempt != nil && !e.Again {
				t.start(now, e.Attempt)
				t.name()
			}
			t.last = max(t.last, now)
		case sched.Ended:
			if e.Attempt != nil {
				r := t.end(now, e.Attempt)
				t.attempt(&r, now, e.Outcome)
			}
		case sched.JobEnded:
			if e.Job != nil {
				t.jobEnds(e.Job.Ended, e.Job, e.Outcome)
			}
		}
	}
	return t.err
}

// Close writes the attempts that still run, and the end.
func (t *Trace) Close() error {
	for i := range t.attempts {
		if r := &t.attempts[i]; r.Attempt != nil {
			t.attempt(r, t.last, sched.NoOutcome)
		}
	}
	end := "\n]}\n"
	if !t.written {
		end = head + end
	}
	t.put([]byte(end))
	return t.err
}

// put writes, until that fails.
func (t *Trace) put(text []byte) {
	if t.err == nil {
		_, t.err = t.w.Write(text)
	}
}

const head = `{"displayTimeUnit":"ms","traceEvents":[` + "\n"

// event is one of the trace, with the keys that the format gives it. What a kind of event has not is nil.
type event struct {
	Kind     string `json:"ph"`
	Name     string `json:"name"`
	Category string `json:"cat,omitempty"`
	Time     any    `json:"ts,omitempty"`
	Lasts    any    `json:"dur,omitempty"`
	Node     int64  `json:"pid"`
	Slot     int64  `json:"tid"`
	Job      any    `json:"id,omitempty"`
	Args     told   `json:"args"`
}

// told is what else an event says.
type told map[string]any

// microseconds are nanoseconds, written in microseconds.
type microseconds int64

// MarshalJSON writes them with three decimals, if they are not whole.
func (m microseconds) MarshalJSON() ([]byte, error) {
	if m%1000 == 0 {
		return strconv.AppendInt(nil, int64(m/1000), 10), nil
	}
	return fmt.Appendf(nil, "%d.%03d", m/1000, m%1000), nil
}

func (t *Trace) write(e event) {
	text, err := json.Marshal(e)
	t.err = cmp.Or(t.err, err)
	before := ",\n"
	if !t.written {
		before, t.written = head, true
	}
	t.put(append([]byte(before), text...))
}

// name writes the names of nodes and slots that are new.
func (t *Trace) name() {
	for ; t.known < len(t.lanes); t.known++ {
		p := &t.lanes[t.known]
		node := t.nodes[p.node].name
		if name, there := t.named[p.node]; !there || name != node {
			t.named[p.node] = node
			t.write(event{Kind: "M", Name: "process_name", Node: int64(p.node), Args: told{"name": node}})
		}
		kind := [...]string{mapSlots: "map slot", reduceSlots: "reduce slot", containers: "container"}[p.kind]
		slot := told{"name": fmt.Sprint(kind, " ", p.slot+1)}
		t.write(event{Kind: "M", Name: "thread_name", Node: int64(p.node), Slot: thread(p), Args: slot})
	}
}

// thread numbers the slots of a node: kind after kind.
func thread(p *lane) int64 { return int64(p.kind)<<20 + int64(p.slot) + 1 }

// attempt writes what an attempt did, once in each of its slots.
func (t *Trace) attempt(r *running, now units.Time, o sched.Outcome) {
	for _, i := range append([]int32{r.first}, r.more...) {
		t.write(event{Kind: "X", Name: r.Job.Spec.ID, Category: r.Stage.String(), Time: microseconds(r.since),
			Lasts: microseconds(now - r.since), Node: int64(r.Node), Slot: thread(&t.lanes[i]),
			Args: told{"task": r.Task, "outcome": o.String(), "locality": r.Locality.String()}})
	}
}

func (t *Trace) jobBegins(j *follow.Job) {
	args := told{"class": j.Spec.Class, "maps": j.Spec.Tasks(sched.Map), "reduces": j.Spec.Tasks(sched.Reduce)}
	if j.Spec.Deadline != units.Never {
		args["deadline_us"] = microseconds(j.Spec.Deadline)
	}
	t.write(event{Kind: "b", Name: j.Spec.ID, Category: "job", Time: microseconds(j.Arrived), Job: j.Number, Args: args})
}

func (t *Trace) jobEnds(now units.Time, j *follow.Job, o sched.Outcome) {
	t.write(event{Kind: "e", Name: j.Spec.ID, Category: "job", Time: microseconds(now), Job: j.Number, Args: told{"outcome": o.String()}})
}
