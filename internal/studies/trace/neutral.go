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

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// neutral reads and writes Slackline's own form: JSON lines, the first of them the heading, each other one a job.
//
//	{"slackline_trace":1}
//	{"id":"j1","class":"sort","queue":"prod","user":"ann","submit":12.5,"deadline":600,"priority":1,"after":["j0"],
//	 "input":1048576,"shuffle":1048576,"output":1024,"path":"in/a",
//	 "stages":[{"kind":"map","needs":{"vcores":1,"memory":1073741824},"tasks":[{"count":4,"input":262144,"time":20.25,"hosts":["n1"]}]},
//	           {"kind":"reduce","tasks":[{"time":30,"shuffle":5}]}]}
//
// Only id and submit must be there. Sizes are bytes; times are seconds with up to nine decimals,
// exact to the nanosecond; submit counts from the start of the trace, deadline from submit. A
// task's time is that from its start to its end without shuffle. What is left out is not known, and
// follows from the rule; count is 1.
type neutral struct {
	lines
	order
	headed bool
}

func openNeutral(in io.Reader, o Options) Reader {
	return &neutral{lines: newLines(in, o)}
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
	if err := n.decode(line, &heading); err != nil || !heading.Version.there() {
		return n.lost(`the file does not begin with {"slackline_trace":1}, as slackline's own traces do; name another format`)
	}
	if string(heading.Version.text) != "1" {
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
	j := &Job{ID: n.name("id", t.ID.text), Class: n.text("class", t.Class), Queue: n.text("queue", t.Queue), User: n.text("user", t.User),
		Path: n.text("path", t.Path), Submit: units.Time(n.exact("submit", t.Submit, 0)), Deadline: n.exact("deadline", t.Deadline, 0)}
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
	j.After = n.names("after", t.After, 1000)
	j.Input, j.Shuffle, j.Output = n.size("input", t.Input), n.size("shuffle", t.Shuffle), n.size("output", t.Output)
	list(&n.place, "stages", t.Stages, int(workload.Stages), func(t *neutralStage) { n.stage(j, t) })
	return j, n.admit(&n.order, j, "submit")
}

// size reads a number of bytes, Unknown if it is left out.
func (p *place) size(field string, s scalar) units.Bytes {
	return units.Bytes(p.number(field, s, int64(Unknown)))
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
			s.Needs[d] = n.number("needs."+key, needs[key], 0)
		}
	}
	list(&n.place, "tasks", t.Tasks, MaxRuns, func(t *neutralTask) {
		s.Add(Task{Count: n.tasks("count", t.Count), Input: n.size("input", t.Input), Time: n.exact("time", t.Time, UnknownTime),
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
	line   []byte
	headed bool
}

func newNeutralWriter(w io.Writer) Writer { return &neutralWriter{out: bufio.NewWriterSize(w, 1<<16)} }

func (w *neutralWriter) heading() {
	if !w.headed {
		w.headed = true
		_, _ = w.out.WriteString("{\"slackline_trace\":1}\n")
	}
}

// Write appends a job.
func (w *neutralWriter) Write(j *Job) error {
	w.heading()
	b := append(w.line[:0], `{"id":`...)
	b = appendText(b, j.ID)
	for _, f := range []struct{ key, value string }{{"class", j.Class}, {"queue", j.Queue}, {"user", j.User}} {
		if f.value != "" {
			b = appendText(append(append(append(b, `,"`...), f.key...), `":`...), f.value)
		}
	}
	b = appendSeconds(append(b, `,"submit":`...), units.Duration(j.Submit))
	if j.Deadline > 0 {
		b = appendSeconds(append(b, `,"deadline":`...), j.Deadline)
	}
	if j.Priority != 0 {
		b = strconv.AppendInt(append(b, `,"priority":`...), int64(j.Priority), 10)
	}
	b = appendTexts(b, "after", j.After)
	for _, f := range []struct {
		key   string
		value units.Bytes
	}{{"input", j.Input}, {"shuffle", j.Shuffle}, {"output", j.Output}} {
		if f.value >= 0 {
			b = strconv.AppendInt(append(append(append(b, `,"`...), f.key...), `":`...), int64(f.value), 10)
		}
	}
	if j.Path != "" {
		b = appendText(append(b, `,"path":`...), j.Path)
	}
	for i := range j.Stages {
		if i == 0 {
			b = append(b, `,"stages":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendStage(b, &j.Stages[i])
	}
	if len(j.Stages) > 0 {
		b = append(b, ']')
	}
	w.line = append(b, "}\n"...)
	_, err := w.out.Write(w.line)
	return err
}

// Close writes what is left; of a trace without jobs, its heading.
func (w *neutralWriter) Close() error {
	w.heading()
	return w.out.Flush()
}

func appendStage(b []byte, s *Stage) []byte {
	b = append(b, `{"kind":"`...)
	b = append(append(b, s.Kind.String()...), '"')
	open := `,"needs":{"`
	for d, x := range s.Needs {
		if x != 0 {
			b = append(append(append(b, open...), units.Dim(d).String()...), `":`...)
			b = strconv.AppendInt(b, x, 10)
			open = `,"`
		}
	}
	if s.Needs != (units.Vector{}) {
		b = append(b, '}')
	}
	b = append(b, `,"tasks":[`...)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"count":`...), int64(t.Count), 10)
		if t.Input >= 0 {
			b = strconv.AppendInt(append(b, `,"input":`...), int64(t.Input), 10)
		}
		if t.Time >= 0 {
			b = appendSeconds(append(b, `,"time":`...), t.Time)
		}
		if t.Shuf > 0 {
			b = appendSeconds(append(b, `,"shuffle":`...), t.Shuf)
		}
		b = append(appendTexts(b, "hosts", t.Hosts), '}')
	}
	return append(b, "]}"...)
}

func appendText(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can be written
	}
	return append(b, quoted...)
}

func appendTexts(b []byte, key string, texts []string) []byte {
	if len(texts) == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), key...), `":[`...)
	for i, t := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, t)
	}
	return append(b, ']')
}

// appendSeconds writes a span, which is not negative, to the nanosecond.
func appendSeconds(b []byte, d units.Duration) []byte {
	b = strconv.AppendInt(b, int64(d/units.Second), 10)
	if d %= units.Second; d != 0 {
		frac := fmt.Sprintf(".%09d", int64(d))
		for frac[len(frac)-1] == '0' {
			frac = frac[:len(frac)-1]
		}
		b = append(b, frac...)
	}
	return b
}
