package trace

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// jhist reads job histories of Hadoop MapReduce in their JSON form
// (mapreduce.jobhistory.jhist.format=json): a line "Avro-Json", the schema, then an event in each
// line. A file is one job; several files may stand one behind the other, in order of submission,
// each with its heading. So the events of a job stand together, from JOB_SUBMITTED to JOB_FINISHED
// or to the event of a job that failed or was killed, and those of another job in between are an
// error. Used are
//
//	JobSubmitted                              id, name (the class), user, queue, time; ms since 1970, which count from the first job
//	JobQueueChange, JobInited                 its queue in the end, how many maps and reduces it has
//	TaskStarted                               splitLocations: hosts of a map's input
//	TaskAttemptStarted                        when attempts began
//	Map- and ReduceAttemptFinished            when that which succeeded ended, when its shuffle did, and its counters: what it read
//	JobFinished, JobUnsuccessfulCompletion    the end, and the counters of all maps and reduces
//
// Tasks that are missing are of unknown time. A reduce's shuffle counts from the end of the last map.
type jhist struct {
	lines
	order
	state   int // what comes next
	job     *Job
	key     string // of the job: what its name and those of its tasks have in common
	tasks   [2]map[int]*jhistTask
	total   [2]int64
	attempt map[string]int64 // begin of those that run
	mapsEnd int64

	events *form[jhistEvent]
	bodies *form[jhistBody]
	groups *form[jhistGroup]
	counts *form[jhistCount]
}

type jhistTask struct {
	ran
	input units.Bytes
	hosts []string
}

// What comes next in a job history.
const (
	jhistHeading = iota
	jhistSchema
	jhistEvents
)

func openJHist(in io.Reader, o Options) Reader {
	return &jhist{lines: newLines(in, o), events: newForm((*jhistEvent).slots), bodies: newForm((*jhistBody).slots),
		groups: newForm((*jhistGroup).slots), counts: newForm((*jhistCount).slots)}
}

type jhistEvent struct{ event raw }

func (t *jhistEvent) slots() []slot { return []slot{{"event", nil, &t.event}} }

// jhistBody has the fields of all events that are used.
type jhistBody struct {
	job, name, user, queue, submit, maps, reduces, task, attempt, start, fetched, finish, status, splits scalar

	counters, mapCounters, reduceCounters raw
}

func (t *jhistBody) slots() []slot {
	return []slot{{"jobid", &t.job, nil}, {"jobName", &t.name, nil}, {"userName", &t.user, nil}, {"jobQueueName", &t.queue, nil}, {"submitTime", &t.submit, nil},
		{"totalMaps", &t.maps, nil}, {"totalReduces", &t.reduces, nil}, {"taskid", &t.task, nil}, {"attemptId", &t.attempt, nil}, {"startTime", &t.start, nil},
		{"shuffleFinishTime", &t.fetched, nil}, {"finishTime", &t.finish, nil}, {"taskStatus", &t.status, nil}, {"splitLocations", &t.splits, nil},
		{"counters", nil, &t.counters}, {"mapCounters", nil, &t.mapCounters}, {"reduceCounters", nil, &t.reduceCounters}}
}

type jhistGroup struct{ groups, counts raw }

func (t *jhistGroup) slots() []slot {
	return []slot{{"groups", nil, &t.groups}, {"counts", nil, &t.counts}}
}

type jhistCount struct{ name, value scalar }

func (t *jhistCount) slots() []slot { return []slot{{"name", &t.name, nil}, {"value", &t.value, nil}} }

// Next returns the next job that ends.
func (h *jhist) Next() (*Job, error) {
	for {
		line, err := h.next()
		if errors.Is(err, io.EOF) && h.job != nil {
			err = h.errorf("", "the file ends before job %q does", h.job.ID)
			h.job = nil
		}
		if err == nil {
			var j *Job
			bad := h.line(trim(line), &j)
			switch {
			case bad == nil && j != nil:
				return j, nil
			case bad == nil:
				continue
			}
			err = bad
		}
		if err := h.fail(err); err != nil {
			return nil, err
		}
	}
}

// line reads a line, which may end a job.
func (h *jhist) line(line []byte, to **Job) *Error {
	switch {
	case len(line) == 0:
		return nil
	case string(line) == "Avro-Json":
		h.state = jhistSchema
		if h.job == nil {
			return nil
		}
		id := h.job.ID
		h.job = nil
		return h.errorf("", "another history begins before job %q has ended", id)
	case h.state == jhistHeading && bytes.HasPrefix(line, []byte("Avro-Binary")):
		return h.lost("the history is in binary; set mapreduce.jobhistory.jhist.format=json, or convert it with Rumen's TraceBuilder")
	case h.state == jhistHeading:
		return h.lost("the file does not begin with a line Avro-Json, as job histories in JSON do")
	case h.state == jhistSchema: // the schema of the form that the table above describes
		h.state = jhistEvents
		return nil
	}
	e, err := h.events.record(&h.place, line)
	if err != nil {
		return err
	}
	if len(e.event) == 0 || e.event[0] != '{' {
		return h.errorf("event", "it is no object")
	}
	class, text, next := member(e.event, 1)
	if next < 0 {
		return h.errorf("event", "it is empty")
	}
	var do func(*jhistBody) *Error
	switch name, _ := bytes.CutPrefix(class, []byte("org.apache.hadoop.mapreduce.jobhistory.")); string(name) {
	case "JobSubmitted":
		do = h.submitted
	case "JobQueueChange":
		do = h.queue
	case "JobInited":
		do = h.inited
	case "TaskStarted":
		do = h.taskStarted
	case "TaskAttemptStarted":
		do = h.started
	case "MapAttemptFinished", "ReduceAttemptFinished":
		do = h.done
	case "JobFinished", "JobUnsuccessfulCompletion":
		do = func(b *jhistBody) *Error { return h.finished(b, to) }
	default:
		return nil
	}
	b, err := h.bodies.part(&h.place, text)
	if err != nil {
		err.Field = "event"
		return err
	}
	return do(b)
}

func (h *jhist) submitted(b *jhistBody) *Error {
	if h.job != nil {
		err := h.errorf("jobid", "job %s begins before job %q has ended", quoted(b.job.text), h.job.ID)
		h.job = nil
		if !h.skip(err) {
			return err
		}
	}
	j := &Job{}
	var err *Error
	if j.ID, err = h.name("jobid", b.job.text); err != nil {
		return err
	}
	for _, f := range []struct {
		field string
		from  scalar
		to    *string
	}{{"jobName", b.name, &j.Class}, {"userName", b.user, &j.User}, {"jobQueueName", b.queue, &j.Queue}} {
		if *f.to, err = h.text(f.field, f.from); err != nil {
			return err
		}
	}
	submit, err := h.number("submitTime", b.submit, 0)
	if err != nil {
		return err
	}
	if j.Submit, err = h.since(&h.order, "submitTime", submit); err != nil {
		return err
	}
	h.job, h.key = j, strings.TrimPrefix(j.ID, "job_")
	h.tasks = [2]map[int]*jhistTask{{}, {}}
	h.total = [2]int64{-1, -1}
	h.attempt = map[string]int64{}
	h.mapsEnd = -1
	return nil
}

// ours checks that an event belongs to the job that is open.
func (h *jhist) ours(b *jhistBody) *Error {
	switch {
	case h.job == nil:
		return h.errorf("jobid", "the event of job %s stands outside of its history", quoted(b.job.text))
	case string(b.job.text) != h.job.ID:
		return h.errorf("jobid", "the event of job %s stands in the history of job %q", quoted(b.job.text), h.job.ID)
	}
	return nil
}

func (h *jhist) queue(b *jhistBody) *Error {
	if err := h.ours(b); err != nil {
		return err
	}
	queue, err := h.text("jobQueueName", b.queue)
	if err == nil && queue != "" {
		h.job.Queue = queue
	}
	return err
}

func (h *jhist) inited(b *jhistBody) *Error {
	if err := h.ours(b); err != nil {
		return err
	}
	maps, err := h.known("totalMaps", b.maps)
	if err != nil {
		return err
	}
	reduces, err := h.known("totalReduces", b.reduces)
	if err != nil {
		return err
	}
	if max(maps, reduces) > MaxTasks {
		return h.errorf("", "job %q has more than %d tasks", h.job.ID, MaxTasks)
	}
	h.total = [2]int64{maps, reduces}
	return nil
}

// task finds the task of an event: task_KEY_m_NUMBER or _r_. It is nil for other kinds.
func (h *jhist) task(b *jhistBody) (*jhistTask, bool, *Error) {
	id := string(b.task.text)
	rest, ok := strings.CutPrefix(id, "task_")
	last := strings.LastIndexByte(rest, '_')
	if !ok || last < 2 || rest[last-2] != '_' {
		return nil, false, h.errorf("taskid", "%s is no name of a task", quoted(b.task.text))
	}
	switch {
	case h.job == nil:
		return nil, false, h.errorf("taskid", "the event of task %s stands outside of its job's history", quoted(b.task.text))
	case rest[:last-2] != h.key:
		return nil, false, h.errorf("taskid", "the event of task %s stands in the history of job %q", quoted(b.task.text), h.job.ID)
	}
	kind := strings.IndexByte("mr", rest[last-1])
	if kind < 0 {
		return nil, false, nil
	}
	n, bad := strconv.Atoi(rest[last+1:])
	if bad != nil || n < 0 {
		return nil, false, h.errorf("taskid", "%s is no name of a task", quoted(b.task.text))
	}
	if n >= MaxTasks || h.total[kind] >= 0 && int64(n) >= h.total[kind] {
		return nil, false, h.errorf("taskid", "%s is there, and the job has %d such tasks", quoted(b.task.text), min(h.total[kind], MaxTasks))
	}
	t := h.tasks[kind][n]
	if t == nil {
		if len(h.tasks[kind]) == MaxRuns {
			return nil, false, h.errorf("taskid", "there are more than %d, no job has so many", MaxRuns)
		}
		t = &jhistTask{ran: ran{-1, -1, -1}, input: Unknown}
		h.tasks[kind][n] = t
	}
	return t, kind == 1, nil
}

func (h *jhist) taskStarted(b *jhistBody) *Error {
	t, _, err := h.task(b)
	if err != nil || t == nil {
		return err
	}
	splits, err := h.text("splitLocations", b.splits)
	if err != nil {
		return err
	}
	t.hosts = nil
	for host := range strings.SplitSeq(splits, ",") {
		if host = host[strings.LastIndexByte(host, '/')+1:]; host != "" && len(t.hosts) < maxHosts {
			t.hosts = append(t.hosts, host)
		}
	}
	return nil
}

func (h *jhist) started(b *jhistBody) *Error {
	t, _, err := h.task(b)
	if err != nil || t == nil {
		return err
	}
	id, err := h.name("attemptId", b.attempt.text)
	if err != nil {
		return err
	}
	start, err := h.number("startTime", b.start, -1)
	if err != nil {
		return err
	}
	if len(h.attempt) == MaxRuns {
		return h.errorf("attemptId", "more than %d attempts run at a time", MaxRuns)
	}
	h.attempt[id] = start
	return nil
}

// done takes the end of an attempt; the first that succeeds is the task's.
func (h *jhist) done(b *jhistBody) *Error {
	t, reduce, err := h.task(b)
	if err != nil || t == nil {
		return err
	}
	start, known := h.attempt[string(b.attempt.text)]
	delete(h.attempt, string(b.attempt.text))
	if string(b.status.text) != "SUCCEEDED" || t.end >= 0 {
		return nil
	}
	end, err := h.known("finishTime", b.finish)
	if err != nil {
		return err
	}
	fetched, err := h.known("shuffleFinishTime", b.fetched)
	if err != nil {
		return err
	}
	if known && end < start {
		return h.errorf("finishTime", "%d is before the start at %d", end, start)
	}
	if !known {
		start = -1
	}
	var c counters
	if err := h.counters(&c, "counters", b.counters); err != nil {
		return err
	}
	t.ran = ran{start, fetched, end}
	if reduce {
		t.input = c.shuffled
	} else {
		t.input = c.read
		h.mapsEnd = max(h.mapsEnd, end)
	}
	return nil
}

// finished makes the job.
func (h *jhist) finished(b *jhistBody, to **Job) *Error {
	if err := h.ours(b); err != nil {
		return err
	}
	j := h.job
	h.job = nil
	var stages [2]Stage
	for kind := range stages {
		s := &stages[kind]
		s.Kind = workload.Map + workload.Stage(kind)
		n := h.total[kind]
		if n < 0 {
			for i := range h.tasks[kind] {
				n = max(n, int64(i)+1)
			}
		}
		for i := range max(0, int(n)) {
			u := Task{Count: 1, Input: Unknown, Time: UnknownTime}
			if t := h.tasks[kind][i]; t != nil {
				if u = t.mapTask(); kind == 1 {
					u = t.reduceTask(h.mapsEnd)
				}
				u.Input, u.Hosts = t.input, t.hosts
			}
			s.Add(u)
		}
		if len(s.Tasks) > 0 {
			j.Stages = append(j.Stages, *s)
		}
	}
	h.tasks, h.attempt = [2]map[int]*jhistTask{}, nil
	j.sizes(&stages[0], &stages[1], [2]units.Bytes{Unknown, Unknown})
	maps, reduces := counters{Unknown, Unknown, Unknown}, counters{Unknown, Unknown, Unknown}
	if err := h.counters(&maps, "mapCounters", b.mapCounters); err != nil {
		return err
	}
	if err := h.counters(&reduces, "reduceCounters", b.reduceCounters); err != nil {
		return err
	}
	if maps.read >= 0 {
		j.Input = maps.read
	}
	if reduces.shuffled >= 0 && len(stages[1].Tasks) > 0 {
		j.Shuffle = reduces.shuffled
	}
	if j.Output = reduces.written; len(stages[1].Tasks) == 0 {
		j.Output = maps.written
	}
	if err := h.admit(&h.order, j, "submitTime"); err != nil {
		return err
	}
	*to = j
	return nil
}

// counters are those of Hadoop's that are used.
type counters struct{ read, shuffled, written units.Bytes }

func (h *jhist) counters(c *counters, field string, from raw) *Error {
	*c = counters{Unknown, Unknown, Unknown}
	if len(from) == 0 {
		return nil
	}
	g, err := h.groups.part(&h.place, from)
	if err != nil {
		err.Field = field
		return err
	}
	hdfsRead, hdfsWritten := Unknown, Unknown
	err = h.list(field+".groups", g.groups, 1000, func(i int, e []byte) *Error {
		g, err := h.groups.part(&h.place, e)
		if err != nil {
			return err
		}
		return h.list("counts", g.counts, 10_000, func(i int, e []byte) *Error {
			k, err := h.counts.part(&h.place, e)
			if err != nil {
				return err
			}
			var to *units.Bytes
			switch string(k.name.text) {
			case "BYTES_READ":
				to = &c.read
			case "REDUCE_SHUFFLE_BYTES":
				to = &c.shuffled
			case "BYTES_WRITTEN":
				to = &c.written
			case "HDFS_BYTES_READ":
				to = &hdfsRead
			case "HDFS_BYTES_WRITTEN":
				to = &hdfsWritten
			default:
				return nil
			}
			x, err := h.known("value", k.value)
			*to = units.Bytes(x)
			return err
		})
	})
	if c.read < 0 {
		c.read = hdfsRead
	}
	if c.written < 0 {
		c.written = hdfsWritten
	}
	return err
}
