package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
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
	jobs   *form[neutralJob]
	stages *form[neutralStage]
	tasks  *form[neutralTask]
}

func openNeutral(in io.Reader, o Options) Reader {
	return &neutral{lines: newLines(in, o), jobs: newForm((*neutralJob).slots), stages: newForm((*neutralStage).slots), tasks: newForm((*neutralTask).slots)}
}

type neutralJob struct {
	id, class, queue, user, submit, deadline, priority, input, shuffle, output, path scalar

	after, stages raw
}

func (t *neutralJob) slots() []slot {
	return []slot{{"id", &t.id, nil}, {"class", &t.class, nil}, {"queue", &t.queue, nil}, {"user", &t.user, nil}, {"submit", &t.submit, nil},
		{"deadline", &t.deadline, nil}, {"priority", &t.priority, nil}, {"input", &t.input, nil}, {"shuffle", &t.shuffle, nil},
		{"output", &t.output, nil}, {"path", &t.path, nil}, {"after", nil, &t.after}, {"stages", nil, &t.stages}}
}

type neutralStage struct {
	kind         scalar
	needs, tasks raw
}

func (t *neutralStage) slots() []slot {
	return []slot{{"kind", &t.kind, nil}, {"needs", nil, &t.needs}, {"tasks", nil, &t.tasks}}
}

type neutralTask struct {
	count, input, time, shuffle scalar
	hosts                       raw
}

func (t *neutralTask) slots() []slot {
	return []slot{{"count", &t.count, nil}, {"input", &t.input, nil}, {"time", &t.time, nil}, {"shuffle", &t.shuffle, nil}, {"hosts", nil, &t.hosts}}
}

// Next returns the job of the next line.
func (n *neutral) Next() (*Job, error) {
	for {
		line, err := n.next()
		if err != nil {
			return nil, err
		}
		if line = trim(line); len(line) == 0 {
			continue
		}
		if !n.headed {
			if err := n.heading(line); err != nil {
				return nil, err
			}
			continue
		}
		j, bad := n.job(line)
		if bad == nil {
			return j, nil
		}
		if !n.skip(bad) {
			return nil, bad
		}
	}
}

func (n *neutral) heading(line []byte) *Error {
	var version scalar
	if err := n.decode(line, []slot{{"slackline_trace", &version, nil}}); err != nil || !version.there() {
		return n.lost(`the file does not begin with {"slackline_trace":1}, as slackline's own traces do; name another format`)
	}
	if string(version.text) != "1" {
		return n.lost("version %s of the form is not known, 1 is", quoted(version.text))
	}
	n.headed = true
	return nil
}

func (n *neutral) job(line []byte) (*Job, *Error) {
	t, err := n.jobs.record(&n.place, line)
	if err != nil {
		return nil, err
	}
	j := &Job{}
	if j.ID, err = n.name("id", t.id.text); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		field string
		from  scalar
		to    *string
	}{{"class", t.class, &j.Class}, {"queue", t.queue, &j.Queue}, {"user", t.user, &j.User}, {"path", t.path, &j.Path}} {
		if *f.to, err = n.text(f.field, f.from); err != nil {
			return nil, err
		}
	}
	if !t.submit.there() {
		return nil, n.errorf("submit", "it is left out; a job is submitted at some time")
	}
	at, err := n.exact("submit", t.submit, 0)
	if err != nil {
		return nil, err
	}
	j.Submit = units.Time(at)
	if j.Deadline, err = n.exact("deadline", t.deadline, 0); err != nil {
		return nil, err
	}
	if t.priority.there() {
		p, bad := strconv.Atoi(string(t.priority.text))
		if bad != nil || p < -1_000_000 || p > 1_000_000 {
			return nil, n.errorf("priority", "%s is no whole number from -1000000 to 1000000", quoted(t.priority.text))
		}
		j.Priority = p
	}
	if j.After, err = n.names("after", t.after, 1000); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		field string
		from  scalar
		to    *units.Bytes
	}{{"input", t.input, &j.Input}, {"shuffle", t.shuffle, &j.Shuffle}, {"output", t.output, &j.Output}} {
		x, err := n.number(f.field, f.from, int64(Unknown))
		if err != nil {
			return nil, err
		}
		*f.to = units.Bytes(x)
	}
	if err := n.list("stages", t.stages, int(workload.Stages), func(i int, e []byte) *Error { return n.stage(j, e) }); err != nil {
		return nil, err
	}
	return j, n.admit(&n.order, j, "submit")
}

// names reads a list of texts.
func (p *place) names(field string, list raw, most int) (names []string, err *Error) {
	err = p.list(field, list, most, func(i int, e []byte) *Error {
		var s scalar
		s.set(e)
		text, err := p.text("", s)
		names = append(names, text)
		return err
	})
	return names, err
}

func (n *neutral) stage(j *Job, text []byte) *Error {
	t, err := n.stages.part(&n.place, text)
	if err != nil {
		return err
	}
	kind, bad := workload.ParseStage(string(t.kind.text))
	if bad != nil {
		return n.errorf("kind", "%v", bad)
	}
	s := Stage{Kind: kind}
	if len(t.needs) > 0 {
		if t.needs[0] != '{' {
			return n.errorf("needs", "it is a JSON %s, which cannot stand there", kindOf(t.needs))
		}
		for i := 1; ; {
			key, value, next := member(t.needs, i)
			if next < 0 {
				break
			}
			i = next
			d, ok := dimension(string(key))
			if !ok {
				return n.errorf("needs", "there is no resource %s", quoted(key))
			}
			var amount scalar
			amount.set(value)
			if s.Needs[d], err = n.number("needs."+d.String(), amount, 0); err != nil {
				return err
			}
		}
	}
	if err := n.list("tasks", t.tasks, MaxRuns, func(i int, e []byte) *Error { return n.task(&s, e) }); err != nil {
		return err
	}
	j.Stages = append(j.Stages, s)
	return nil
}

func (n *neutral) task(s *Stage, text []byte) *Error {
	t, err := n.tasks.part(&n.place, text)
	if err != nil {
		return err
	}
	count, err := n.number("count", t.count, 1)
	if err != nil {
		return err
	}
	if count < 1 || count > MaxTasks {
		return n.errorf("count", "%d is not from 1 to %d", count, MaxTasks)
	}
	input, err := n.number("input", t.input, int64(Unknown))
	if err != nil {
		return err
	}
	u := Task{Count: int(count), Input: units.Bytes(input)}
	if u.Time, err = n.exact("time", t.time, UnknownTime); err != nil {
		return err
	}
	if u.Shuf, err = n.exact("shuffle", t.shuffle, 0); err != nil {
		return err
	}
	if u.Hosts, err = n.names("hosts", t.hosts, maxHosts); err != nil {
		return err
	}
	s.Add(u)
	return nil
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
func (p *place) exact(field string, s scalar, otherwise units.Duration) (units.Duration, *Error) {
	if !s.there() {
		return otherwise, nil
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
	return units.Duration(n), nil
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
