package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// sls reads and writes the input of Hadoop's Scheduler Load Simulator (hadoop-sls,
// SchedulerLoadSimulator.md): JSON objects one behind the other, or in one list. Values may be
// numbers or strings.
//
//	job.start.ms, job.id, job.user, job.queue.name, job.priority   the job; one without id is called by its number, from 0
//	job.count                                                      so many such jobs, their ids followed by _1, _2 …
//	job.label.expression                                           the label that a node must carry, or several joined by &&
//	job.tasks[].container.type                                     map, which may be left out, or reduce
//	            container.duration.ms, or duration.ms              the task's time, or, where neither is told,
//	            container.start.ms, container.end.ms               their difference
//	            container.host                                     /rack/node: holds its input
//	            container.memory-mb, container.vcores              what it needs
//	            count                                              so many such tasks
//
// Objects of num.nodes and num.racks describe the cluster and are passed over, as is what else
// there may be, unless its name is nearly one of these. There is nothing on bytes, shuffles,
// classes, deadlines, nor on what waits for what: when written, these are lost, and times are
// rounded to ms. All values are written as strings, since Hadoop 3 takes no others; a job without
// queue or user goes to default.
type sls struct {
	records
	order
	copies int // of the job last read that are still to come
	copied int
	like   Job
	n      int // jobs so far, copies counted
}

func openSLS(in io.Reader, o Options) form {
	s := &sls{records: newRecords(in, o)}
	s.keys = farKeys
	return s
}

type slsJob struct {
	Nodes    scalar `json:"num.nodes"`
	ID       scalar `json:"job.id"`
	User     scalar `json:"job.user"`
	Queue    scalar `json:"job.queue.name"`
	Start    scalar `json:"job.start.ms"`
	Priority scalar `json:"job.priority"`
	Count    scalar `json:"job.count"`
	Label    scalar `json:"job.label.expression"`
	Tasks    raw    `json:"job.tasks"`
}

func (slsJob) unread() []string { return []string{"num.racks", "am.type", "job.end.ms"} }

type slsTask struct {
	Kind     scalar `json:"container.type"`
	Count    scalar `json:"count"`
	Start    scalar `json:"container.start.ms"`
	End      scalar `json:"container.end.ms"`
	Duration scalar `json:"container.duration.ms"`
	Older    scalar `json:"duration.ms"` // as Hadoop's manual calls it
	Host     scalar `json:"container.host"`
	Memory   scalar `json:"container.memory-mb"`
	Cores    scalar `json:"container.vcores"`
}

func (slsTask) unread() []string {
	return []string{"container.priority", "container.execution.type", "container.allocation.id", "container.request.delay", "container.request.delay.ms"}
}

// Next returns the job of the next object, or the next of alike ones.
func (s *sls) Next() (*Job, error) {
	return s.nextJob(func() (*Job, error) {
		if s.copies > 0 {
			s.copies--
			s.copied++
			j := s.like
			if j.ID == "" {
				s.called(&j)
			} else {
				s.n++
				j.ID += "_" + strconv.Itoa(s.copied)
			}
			return &j, orNil(s.admit(&s.order, &j, "job.start.ms"))
		}
		text, err := s.next()
		if err != nil {
			return nil, err
		}
		j, bad := s.job(text)
		return j, orNil(bad)
	})
}

// job reads a job. There is none if the object is no job, or stands for several.
func (s *sls) job(text []byte) (*Job, *Error) {
	var t slsJob
	if err := s.decode(text, &t); err != nil {
		return nil, err
	}
	if t.Nodes.there() && !t.Start.there() {
		return nil, nil
	}
	j := &Job{Input: Unknown, Shuffle: Unknown, Output: Unknown, ID: s.text("job.id", t.ID), User: s.text("job.user", t.User),
		Queue: s.text("job.queue.name", t.Queue), Submit: s.submitted(&s.order, "job.start.ms", t.Start),
		Priority: int(s.atMost("job.priority", t.Priority, 1_000_000))}
	stages := [2]Stage{{Kind: workload.Map}, {Kind: workload.Reduce}}
	list(&s.place, "job.tasks", t.Tasks, MaxRuns, func(t *slsTask) { s.task(&stages, t) })
	for i := range stages {
		if len(stages[i].Tasks) > 0 {
			j.Stages = append(j.Stages, stages[i])
		}
	}
	for label := range strings.SplitSeq(s.text("job.label.expression", t.Label), "&&") {
		if label = strings.TrimSpace(label); label != "" && len(j.Labels) < maxLabels {
			j.Labels = append(j.Labels, label)
		}
	}
	copies := s.tasks("job.count", t.Count)
	if copies == 1 {
		if j.ID == "" {
			s.called(j)
		} else {
			s.n++
		}
		return j, s.admit(&s.order, j, "job.start.ms")
	}
	if err := s.wrong(); err != nil {
		return nil, err
	}
	s.like, s.copies, s.copied = *j, copies, 0
	return nil, s.whole(j)
}

// called names a job by its number, as Hadoop does.
func (s *sls) called(j *Job) {
	j.ID = strconv.Itoa(s.n)
	s.n++
	s.kept.fillIn(unnamed, 1, s.errorf("job.id", "it is left out; the job is called %q", j.ID))
}

func (s *sls) task(stages *[2]Stage, t *slsTask) {
	to := &stages[0]
	switch string(t.Kind.text) {
	case "", "map":
	case "reduce":
		to = &stages[1]
	default:
		s.failf("container.type", "%s is neither map nor reduce", quoted(t.Kind.text))
	}
	u := Task{Count: s.tasks("count", t.Count), Input: Unknown, Time: UnknownTime}
	start, end := s.known("container.start.ms", t.Start), s.known("container.end.ms", t.End)
	took, older := s.known("container.duration.ms", t.Duration), s.known("duration.ms", t.Older)
	if min(took, older) >= 0 && took != older {
		s.failf("duration.ms", "%d contradicts container.duration.ms, which is %d: both say how long the task takes; leave one out", older, took)
	}
	took = max(took, older)
	switch {
	case took >= 0:
		u.Time = between(0, took)
	case start >= 0 && end >= 0:
		if end < start {
			s.failf("container.end.ms", "%d is before the start at %d", end, start)
		}
		u.Time = between(start, end)
	}
	if host := s.text("container.host", t.Host); host != "" {
		u.Hosts = []string{path.Base(host)}
	}
	memory, cores := s.number("container.memory-mb", t.Memory, 0), s.number("container.vcores", t.Cores, 0)
	if memory > 1<<30 || cores > 1<<30 {
		s.failf("", "it needs %d MB and %d cores, which no node has", memory, cores)
	}
	to.Needs[units.Memory] = max(to.Needs[units.Memory], memory*int64(units.MB)) // one for all: what the largest needs
	to.Needs[units.VCores] = max(to.Needs[units.VCores], cores)
	to.Add(u)
}

type slsWriter struct {
	out   *bufio.Writer
	begun bool // a job has been written
}

func newSLSWriter(w io.Writer) Writer { return &slsWriter{out: bufio.NewWriterSize(w, 1<<16)} }

// Write appends a job, which must have tasks with times.
func (w *slsWriter) Write(j *Job) error {
	start := j.Submit.Sub(0) / units.Millisecond
	end := start
	for i := range j.Stages {
		s := &j.Stages[i]
		if s.Kind != workload.Map && s.Kind != workload.Reduce {
			return fmt.Errorf("job %q has a stage %v, but SLS knows only map and reduce", j.ID, s.Kind)
		}
		longest := units.Duration(0)
		for t := range s.Tasks {
			if s.Tasks[t].Time < 0 {
				return fmt.Errorf("job %q has tasks without a time, SLS needs one", j.ID)
			}
			longest = max(longest, s.Tasks[t].Shuf+s.Tasks[t].Time)
		}
		end += millis(longest)
	}
	if len(j.Stages) == 0 {
		return fmt.Errorf("job %q has no tasks, SLS needs some", j.ID)
	}
	if !w.begun && units.Duration(j.Submit) >= epoch {
		return fmt.Errorf("job %q, the first, is submitted %v after the start of the trace, which SLS would read as a time since 1970", j.ID, units.Duration(j.Submit))
	}
	w.begun = true
	out := slsWritten{AM: "mapreduce", ID: j.ID, User: cmp.Or(j.User, "default"), Queue: cmp.Or(j.Queue, "default"), Label: strings.Join(j.Labels, " && "),
		Start: start, End: end, Priority: max(0, j.Priority)}
	for i := range j.Stages {
		s := &j.Stages[i]
		for _, t := range s.Tasks {
			task := slsWrittenTask{Kind: s.Kind.String(), Count: t.Count, Start: start, End: start + millis(t.Shuf+t.Time),
				Memory: (s.Needs[units.Memory] + int64(units.MB) - 1) / int64(units.MB), Cores: s.Needs[units.VCores]}
			if len(t.Hosts) > 0 {
				task.Host = "/default-rack/" + t.Hosts[0]
			}
			out.Tasks = append(out.Tasks, task)
		}
	}
	return json.NewEncoder(w.out).Encode(out)
}

// slsWritten is a job as Hadoop reads it: all numbers are texts.
type slsWritten struct {
	AM       string           `json:"am.type"`
	ID       string           `json:"job.id"`
	User     string           `json:"job.user"`
	Queue    string           `json:"job.queue.name"`
	Label    string           `json:"job.label.expression,omitempty"`
	Start    units.Duration   `json:"job.start.ms,string"`
	End      units.Duration   `json:"job.end.ms,string"`
	Priority int              `json:"job.priority,string,omitempty"`
	Tasks    []slsWrittenTask `json:"job.tasks"`
}

type slsWrittenTask struct {
	Kind   string         `json:"container.type"`
	Count  int            `json:"count,string"`
	Start  units.Duration `json:"container.start.ms,string"`
	End    units.Duration `json:"container.end.ms,string"`
	Host   string         `json:"container.host,omitempty"`
	Memory int64          `json:"container.memory-mb,string,omitempty"`
	Cores  int64          `json:"container.vcores,string,omitempty"`
}

// millis rounds a span to ms, but not to nothing.
func millis(d units.Duration) units.Duration {
	if d > 0 && d < units.Millisecond {
		return 1
	}
	return (d + units.Millisecond/2) / units.Millisecond
}

// Close writes what is left.
func (w *slsWriter) Close() error { return w.out.Flush() }
