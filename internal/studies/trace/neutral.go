package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// neutral reads and writes Slackline's own form: JSON lines, the first of them the heading, each other one a job.
//
//	{"slackline_trace":1}
//	{"id":"j1","class":"sort","queue":"prod","user":"ann","submit":12.5,"deadline":600,"priority":1,"after":["j0"],
//	 "input":1048576,"shuffle":1048576,"output":1024,"path":"in/a",
//	 "stages":[{"kind":"map","needs":{"memory":1073741824,"vcores":1},"tasks":[{"count":4,"input":262144,"time":20.25,"hosts":["n1"]}]},
//	           {"kind":"reduce","tasks":[{"time":30,"shuffle":5}]}]}
//
// Only id and submit must be there. Sizes are bytes; times are seconds with up to nine decimals,
// exact to the nanosecond; submit counts from the start of the trace, deadline from submit. A
// task's time is that from its start to its end without shuffle. What is left out is not known, and
// follows from the rule; count is 1. Other keys are mistakes, and so is a job in after that no line
// before has. Jobs may ask for nodes with labels, as in "labels":["gpu"].
type neutral struct {
	lines
	order
	headed bool
}

func openNeutral(in io.Reader, o Options) form {
	n := &neutral{lines: newLines(in, o)}
	n.strict = true
	return n
}

type neutralJob struct {
	ID       scalar `json:"id"`
	Class    scalar `json:"class"`
	Queue    scalar `json:"queue"`
	User     scalar `json:"user"`
	Submit   scalar `json:"submit"`
	Deadline scalar `json:"deadline"`
	Priority scalar `json:"priority"`
	Input    scalar `json:"input"`
	Shuffle  scalar `json:"shuffle"`
	Output   scalar `json:"output"`
	Path     scalar `json:"path"`
	After    raw    `json:"after"`
	Labels   raw    `json:"labels"`
	Stages   raw    `json:"stages"`
}

type neutralStage struct {
	Kind  scalar `json:"kind"`
	Needs raw    `json:"needs"`
	Tasks raw    `json:"tasks"`
}

type neutralTask struct {
	Count   scalar `json:"count"`
	Input   scalar `json:"input"`
	Time    scalar `json:"time"`
	Shuffle scalar `json:"shuffle"`
	Hosts   raw    `json:"hosts"`
}

// Next returns the job of the next line.
func (n *neutral) Next() (*Job, error) {
	return n.nextJob(func() (*Job, error) {
		line, err := n.next()
		if line = trim(line); err != nil || len(line) == 0 {
			return nil, err
		}
		if !n.headed {
			return nil, orNil(n.heading(line))
		}
		j, bad := n.job(line)
		return j, orNil(bad)
	})
}

func (n *neutral) heading(line []byte) *Error {
	var heading struct {
		Version scalar `json:"slackline_trace"`
	}
	err := n.decode(line, &heading)
	switch {
	case heading.Version.there() && err != nil:
		err.fatal = true
		return err
	case err != nil || !heading.Version.there():
		return n.lost(`the file does not begin with {"slackline_trace":1}, as slackline's own traces do; name another format`)
	case string(heading.Version.text) != "1":
		return n.lost("version %s of the format is not known, only 1", quoted(heading.Version.text))
	}
	n.headed = true
	return nil
}

func (n *neutral) job(line []byte) (*Job, *Error) {
	var t neutralJob
	if err := n.decode(line, &t); err != nil {
		return nil, err
	}
	j := &Job{ID: n.name("id", t.ID.text), Class: n.filled("class", t.Class), Queue: n.filled("queue", t.Queue), User: n.filled("user", t.User),
		Path: n.filled("path", t.Path), Submit: units.Time(n.exact("submit", t.Submit, 0)), Deadline: n.exact("deadline", t.Deadline, 0)}
	if t.Deadline.there() && j.Deadline == 0 {
		n.failf("deadline", "it is 0, or less than a nanosecond, and counts from the submission; leave it out for a job without one")
	}
	if !t.Submit.there() {
		n.failf("submit", "it is missing; a job needs a time of submission")
	}
	if t.Priority.there() {
		p, bad := strconv.Atoi(string(t.Priority.text))
		if bad != nil || p < -1_000_000 || p > 1_000_000 {
			n.failf("priority", "%s is not a whole number from -1000000 to 1000000", quoted(t.Priority.text))
		}
		j.Priority = p
	}
	j.After, j.Labels = n.names("after", t.After, 1000), n.names("labels", t.Labels, maxLabels)
	j.Input, j.Shuffle, j.Output = n.bytes("input", t.Input), n.bytes("shuffle", t.Shuffle), n.bytes("output", t.Output)
	list(&n.place, "stages", t.Stages, int(workload.Stages), func(t *neutralStage) { n.stage(j, t) })
	return j, n.admit(&n.order, j, "submit")
}

// filled is a text that is left out, or not empty.
func (n *neutral) filled(field string, s scalar) string {
	if s.there() && len(s.text) == 0 {
		n.failf(field, "it is empty; leave it out")
	}
	return n.text(field, s)
}

// bytes reads a number of them, Unknown if it is left out.
func (n *neutral) bytes(field string, s scalar) units.Bytes {
	return units.Bytes(n.number(field, s, int64(Unknown)))
}

// names reads a list of texts.
func (p *place) names(field string, from raw, most int) (names []string) {
	list(p, field, from, most, func(s *scalar) { names = append(names, p.text("", *s)) })
	return names
}

func (n *neutral) stage(j *Job, t *neutralStage) {
	kind, err := workload.ParseStage(string(t.Kind.text))
	if err != nil {
		n.failf("kind", "%v", err)
	}
	s := Stage{Kind: kind}
	if len(t.Needs) > 0 {
		var needs map[string]scalar
		if err := n.fields(t.Needs, &needs); err != nil {
			n.failf("needs", "%s", err.Text)
		}
		for _, key := range slices.Sorted(maps.Keys(needs)) {
			d, ok := dimension(key)
			if !ok {
				n.failf("needs", "there is no resource %q", key)
			}
			amount := needs[key]
			if s.Needs[d] = n.number("needs."+key, amount, 0); amount.there() && s.Needs[d] == 0 {
				n.failf("needs."+key, "it is 0; leave it out for what the rule says")
			}
		}
	}
	list(&n.place, "tasks", t.Tasks, MaxRuns, func(t *neutralTask) {
		s.Add(Task{Count: n.tasks("count", t.Count), Input: n.bytes("input", t.Input), Time: n.exact("time", t.Time, UnknownTime),
			Shuf: n.exact("shuffle", t.Shuffle, 0), Hosts: n.names("hosts", t.Hosts, maxHosts)})
	})
	j.Stages = append(j.Stages, s)
}

func dimension(name string) (units.Dim, bool) {
	for d := range units.Dims {
		if d.String() == name {
			return d, true
		}
	}
	return 0, false
}

// exact reads seconds with up to nine decimals, to the nanosecond.
func (p *place) exact(field string, s scalar, otherwise units.Duration) units.Duration {
	if !s.there() {
		return otherwise
	}
	n, places, dot := int64(0), 0, false
	for i, c := range s.text {
		switch {
		case c == '.' && !dot && i > 0:
			dot = true
			continue
		case c < '0' || c > '9' || places == 9 || n > math.MaxInt64/10-1:
			return p.seconds(field, s.text) // an exponent, or what is wrong with it
		case dot:
			places++
		}
		n = 10*n + int64(c-'0')
	}
	for ; places < 9; places++ {
		if n > math.MaxInt64/10 {
			return p.seconds(field, s.text)
		}
		n *= 10
	}
	if len(s.text) == 0 || n > 1e18 {
		return p.seconds(field, s.text)
	}
	return units.Duration(n)
}

// Writer writes a trace.
type Writer interface {
	Write(j *Job) error
	Close() error // flushes; the file stays open
}

type neutralWriter struct {
	out    *bufio.Writer
	headed bool
}

// NewWriter begins a trace in Slackline's own form. Nothing is written before there is something to write.
func NewWriter(w io.Writer) Writer { return &neutralWriter{out: bufio.NewWriterSize(w, 1<<16)} }

// writtenJob is a job as it is written. What is not known is left out.
type writtenJob struct {
	ID       string         `json:"id"`
	Class    string         `json:"class,omitempty"`
	Queue    string         `json:"queue,omitempty"`
	User     string         `json:"user,omitempty"`
	Submit   seconds        `json:"submit"`
	Deadline seconds        `json:"deadline,omitempty"`
	Priority int            `json:"priority,omitempty"`
	After    []string       `json:"after,omitempty"`
	Labels   []string       `json:"labels,omitempty"`
	Input    size           `json:"input,omitzero"`
	Shuffle  size           `json:"shuffle,omitzero"`
	Output   size           `json:"output,omitzero"`
	Path     string         `json:"path,omitempty"`
	Stages   []writtenStage `json:"stages,omitempty"`
}

type writtenStage struct {
	Kind  string           `json:"kind"`
	Needs map[string]int64 `json:"needs,omitempty"`
	Tasks []writtenTask    `json:"tasks"`
}

type writtenTask struct {
	Count   int      `json:"count"`
	Input   size     `json:"input,omitzero"`
	Time    seconds  `json:"time,omitzero"`
	Shuffle seconds  `json:"shuffle,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`
}

// size is a number of bytes that may be Unknown.
type size units.Bytes

// IsZero tells that it is left out.
func (s size) IsZero() bool { return s < 0 }

// seconds is a span that may be UnknownTime.
type seconds units.Duration

// IsZero tells that it is left out.
func (s seconds) IsZero() bool { return s < 0 }

// MarshalJSON writes the span in seconds, to the nanosecond.
func (s seconds) MarshalJSON() ([]byte, error) {
	text := fmt.Sprintf("%d.%09d", s/seconds(units.Second), s%seconds(units.Second))
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), ".")), nil
}

// Write appends a job.
func (w *neutralWriter) Write(j *Job) error {
	w.heading()
	out := writtenJob{ID: j.ID, Class: j.Class, Queue: j.Queue, User: j.User, Submit: seconds(j.Submit),
		Deadline: seconds(max(0, j.Deadline)), Priority: j.Priority, After: j.After, Labels: j.Labels, Input: size(j.Input),
		Shuffle: size(j.Shuffle), Output: size(j.Output), Path: j.Path}
	for i := range j.Stages {
		s := &j.Stages[i]
		stage := writtenStage{Kind: s.Kind.String(), Needs: map[string]int64{}, Tasks: []writtenTask{}}
		for d, x := range s.Needs {
			if x != 0 {
				stage.Needs[units.Dim(d).String()] = x
			}
		}
		for _, t := range s.Tasks {
			stage.Tasks = append(stage.Tasks, writtenTask{Count: t.Count, Input: size(t.Input), Time: seconds(t.Time),
				Shuffle: seconds(max(0, t.Shuf)), Hosts: t.Hosts})
		}
		out.Stages = append(out.Stages, stage)
	}
	return json.NewEncoder(w.out).Encode(out)
}

// Close writes what is left; of a trace without jobs, its heading.
func (w *neutralWriter) Close() error {
	w.heading()
	return w.out.Flush()
}

func (w *neutralWriter) heading() {
	if !w.headed {
		w.headed = true
		_, _ = w.out.WriteString("{\"slackline_trace\":1}\n")
	}
}
