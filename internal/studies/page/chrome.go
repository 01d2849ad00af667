package page

import (
	"encoding/json"
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
	line    []byte
	names   [][]byte // of jobs that are there, by index, as JSON
	written bool     // an event, so that a comma comes first
	known   int      // lanes that have a name
	named   map[sched.NodeID]string
	last    units.Time
}

// NewTrace begins a trace. Writes should be buffered: there is one for each attempt.
func NewTrace(w io.Writer) *Trace {
	return &Trace{w: w, named: map[sched.NodeID]string{}}
}

// Batch writes what ended.
func (t *Trace) Batch(now units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		var err error
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				t.nodeUp(e.Node, e.Detail.Node)
				err = t.name()
			}
		case sched.JobArrived:
			if e.Job != nil && !e.Again {
				*follow.At(&t.names, e.Job.Index) = quote(e.Job.Spec.ID)
				err = t.jobBegins(e.Job)
			}
		case sched.Started:
			if e.Attempt != nil && !e.Again {
				t.start(now, e.Attempt)
				err = t.name()
			}
			t.last = max(t.last, now)
		case sched.Ended:
			if e.Attempt != nil {
				r := t.end(now, e.Attempt)
				err = t.attempt(&r, now, e.Outcome)
			}
		case sched.JobEnded:
			if e.Job != nil {
				err = t.jobEnds(now, e.Job, e.Outcome)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close writes the attempts that still run, and the end.
func (t *Trace) Close() error {
	for i := range t.attempts {
		if r := &t.attempts[i]; r.Attempt != nil {
			if err := t.attempt(r, t.last, sched.NoOutcome); err != nil {
				return err
			}
		}
	}
	end := "\n]}\n"
	if !t.written {
		end = head + end
	}
	_, err := io.WriteString(t.w, end)
	return err
}

const head = `{"displayTimeUnit":"ms","traceEvents":[` + "\n"

// begin starts an event on t.line.
func (t *Trace) begin(text string) {
	t.line = t.line[:0]
	if t.written {
		t.line = append(t.line, ",\n"...)
	} else {
		t.line = append(t.line, head...)
		t.written = true
	}
	t.line = append(t.line, text...)
}

func (t *Trace) flush() error {
	_, err := t.w.Write(t.line)
	return err
}

func (t *Trace) number(key string, x int64) {
	t.line = append(t.line, key...)
	t.line = strconv.AppendInt(t.line, x, 10)
}

// time appends nanoseconds as microseconds.
func (t *Trace) time(key string, ns int64) {
	t.number(key, ns/1000)
	if part := ns % 1000; part != 0 {
		t.line = append(t.line, '.', byte('0'+part/100), byte('0'+part/10%10), byte('0'+part%10))
	}
}

// quote returns a text as JSON.
func quote(text string) []byte {
	q, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // a string can always be written
	}
	return q
}

// name writes the names of nodes and slots that are new.
func (t *Trace) name() error {
	for ; t.known < len(t.lanes); t.known++ {
		p := &t.lanes[t.known]
		node := &t.nodes[p.node]
		if name, there := t.named[p.node]; !there || name != node.name {
			t.named[p.node] = node.name
			t.begin(`{"ph":"M","name":"process_name"`)
			t.number(`,"pid":`, int64(p.node))
			t.line = append(t.line, `,"args":{"name":`...)
			t.line = append(append(t.line, quote(node.name)...), "}}"...)
			if err := t.flush(); err != nil {
				return err
			}
		}
		kind := [...]string{mapSlots: "map slot ", reduceSlots: "reduce slot ", containers: "container "}[p.kind]
		t.begin(`{"ph":"M","name":"thread_name"`)
		t.number(`,"pid":`, int64(p.node))
		t.number(`,"tid":`, thread(p))
		t.line = append(t.line, `,"args":{"name":"`...)
		t.number(kind, int64(p.slot)+1)
		t.line = append(t.line, `"}}`...)
		if err := t.flush(); err != nil {
			return err
		}
	}
	return nil
}

// thread numbers the slots of a node: kind after kind.
func thread(p *lane) int64 { return int64(p.kind)<<20 + int64(p.slot) + 1 }

func (t *Trace) attempt(r *running, now units.Time, o sched.Outcome) error {
	if err := t.slot(r, r.first, now, o); err != nil {
		return err
	}
	for _, i := range r.more {
		if err := t.slot(r, i, now, o); err != nil {
			return err
		}
	}
	return nil
}

// slot writes what an attempt did in one of its slots.
func (t *Trace) slot(r *running, at int32, now units.Time, o sched.Outcome) error {
	t.begin(`{"ph":"X","name":`)
	t.line = append(t.line, t.names[r.Job.Index]...)
	t.line = append(t.line, `,"cat":"`...)
	t.line = append(t.line, r.Stage.String()...)
	t.time(`","ts":`, int64(r.since))
	t.time(`,"dur":`, int64(now-r.since))
	t.number(`,"pid":`, int64(r.Node))
	t.number(`,"tid":`, thread(&t.lanes[at]))
	t.number(`,"args":{"task":`, int64(r.Task))
	t.line = append(t.line, `,"outcome":"`...)
	t.line = append(t.line, o.String()...)
	t.line = append(t.line, `","locality":"`...)
	t.line = append(t.line, r.Locality.String()...)
	t.line = append(t.line, `"}}`...)
	return t.flush()
}

func (t *Trace) jobBegins(j *follow.Job) error {
	t.begin(`{"ph":"b","cat":"job","pid":0,"tid":0,"name":`)
	t.line = append(t.line, t.names[j.Index]...)
	t.number(`,"id":`, int64(j.Number))
	t.time(`,"ts":`, int64(j.Arrived))
	t.line = append(t.line, `,"args":{"class":`...)
	t.line = append(t.line, quote(j.Spec.Class)...)
	t.number(`,"maps":`, int64(j.Spec.Tasks(sched.Map)))
	t.number(`,"reduces":`, int64(j.Spec.Tasks(sched.Reduce)))
	if j.Spec.Deadline != units.Never {
		t.time(`,"deadline_us":`, int64(j.Spec.Deadline))
	}
	t.line = append(t.line, "}}"...)
	return t.flush()
}

func (t *Trace) jobEnds(now units.Time, j *follow.Job, o sched.Outcome) error {
	t.begin(`{"ph":"e","cat":"job","pid":0,"tid":0,"name":`)
	t.line = append(t.line, t.names[j.Index]...)
	t.number(`,"id":`, int64(j.Number))
	t.time(`,"ts":`, int64(now))
	t.line = append(t.line, `,"args":{"outcome":"`...)
	t.line = append(t.line, o.String()...)
	t.line = append(t.line, `"}}`...)
	return t.flush()
}
