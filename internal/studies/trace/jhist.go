package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
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
//	AMStarted                                 when the ApplicationMaster began, which stands before the job
//	JobSubmitted                              id, name (the class), user, queue, time; ms since 1970, which count from the first job
//	JobQueueChange, JobInited                 its queue in the end, how many maps and reduces it has
//	TaskStarted                               when it was asked for, splitLocations: hosts of a map's input
//	TaskAttemptStarted                        when attempts began
//	Map- and ReduceAttemptFinished            when that which succeeded ended, when its shuffle did, and its counters: what it read and wrote
//	TaskAttemptUnsuccessfulCompletion         which attempts were killed when another one had succeeded
//	JobFinished, JobUnsuccessfulCompletion    the end, and the counters of all maps and reduces; jobs that did not end well are left out and counted
//
// Tasks that are missing are of unknown time. A reduce's shuffle counts from the end of the last
// map. Times that cannot be are taken as Hadoop's Rumen takes them.
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
	masters int   // that began
	master  int64 // begin of the last
	asked   int64 // when the first task was asked for
	submit  int64 // or, where that is not known, when it began
	launch  int64
	uber    bool // its tasks ran inside its ApplicationMaster
}

type jhistTask struct {
	ran
	counters
	hosts     []string
	host      string // on which it committed
	overtaken []overtaken
}

// overtaken is an attempt that ran while another one committed the task.
type overtaken struct {
	start int64
	host  string
}

// What comes next in a job history.
const (
	jhistHeading = iota
	jhistSchema
	jhistEvents
)

func openJHist(in io.Reader, o Options) form { return &jhist{lines: newLines(in, o)} }

type jhistEvent struct {
	Event map[string]raw `json:"event"`
}

// jhistBody has the fields of all events that are used.
type jhistBody struct {
	Job            scalar    `json:"jobid"`
	Name           scalar    `json:"jobName"`
	User           scalar    `json:"userName"`
	Queue          scalar    `json:"jobQueueName"`
	Submit         scalar    `json:"submitTime"`
	Launch         scalar    `json:"launchTime"`
	Uber           scalar    `json:"uberized"`
	Maps           scalar    `json:"totalMaps"`
	Reduces        scalar    `json:"totalReduces"`
	Task           scalar    `json:"taskid"`
	Attempt        scalar    `json:"attemptId"`
	Start          scalar    `json:"startTime"`
	Fetched        scalar    `json:"shuffleFinishTime"`
	Finish         scalar    `json:"finishTime"`
	Status         scalar    `json:"taskStatus"`
	Unsuccessful   scalar    `json:"status"`
	Ended          scalar    `json:"jobStatus"`
	Host           scalar    `json:"hostname"`
	Splits         scalar    `json:"splitLocations"`
	Counters       raw       `json:"counters"`
	MapCounters    raw       `json:"mapCounters"`
	ReduceCounters raw       `json:"reduceCounters"`
	counted        *counters // those of Counters, where they are read already
}

// jhistCounters are in groups by the class of the counter.
type jhistCounters struct {
	Groups []struct {
		Counts []struct {
			Name  string `json:"name"`
			Value scalar `json:"value"`
		} `json:"counts"`
	} `json:"groups"`
}

// Next returns the next job that ends.
func (h *jhist) Next() (*Job, error) {
	return h.nextJob(func() (*Job, error) {
		line, err := h.next()
		if errors.Is(err, io.EOF) && h.job != nil {
			err = h.errorf("", "the file ends before job %q does", h.job.ID)
			h.job = nil
		}
		if err != nil {
			return nil, err
		}
		return h.line(trim(line))
	})
}

// line reads a line, which may end a job.
func (h *jhist) line(line []byte) (*Job, error) {
	switch {
	case len(line) == 0:
		return nil, nil
	case string(line) == "Avro-Json":
		h.state, h.masters = jhistSchema, 0
		if h.job == nil {
			return nil, nil
		}
		id := h.job.ID
		h.job = nil
		return nil, h.errorf("", "another history begins before job %q has ended", id)
	case h.state == jhistHeading && otherHistory(line) != "":
		return nil, h.lost("%s", otherHistory(line))
	case h.state == jhistHeading:
		return nil, h.lost("the file does not begin with a line Avro-Json, as job histories in JSON do")
	case h.state == jhistSchema: // the schema of the form that the table above describes
		h.state = jhistEvents
		return nil, nil
	}
	var e jhistEvent
	if err := h.decode(line, &e); err != nil {
		return nil, err
	}
	if len(e.Event) != 1 {
		return nil, h.errorf("event", "it has %d names, an event has one", len(e.Event))
	}
	var name string
	var text raw
	for name, text = range e.Event {
	}
	name = strings.TrimPrefix(name, "org.apache.hadoop.mapreduce.jobhistory.")
	do := jhistUsed[name]
	if do == nil {
		return nil, nil
	}
	var b jhistBody
	if err := h.fields(text, &b); err != nil {
		err.Field = "event"
		return nil, err
	}
	do(h, &b)
	committed := name == "JobFinished"
	if err := h.wrong(); err != nil || !committed && name != "JobUnsuccessfulCompletion" {
		return nil, orNil(err)
	}
	return h.finished(&b, committed)
}

// jhistUsed are the events that are used, and what takes them.
var jhistUsed = map[string]func(*jhist, *jhistBody){
	"AMStarted": (*jhist).masterStarted, "JobSubmitted": (*jhist).submitted, "JobQueueChange": (*jhist).queue,
	"JobInited": (*jhist).inited, "TaskStarted": (*jhist).taskStarted, "TaskAttemptStarted": (*jhist).started,
	"MapAttemptFinished": (*jhist).done, "ReduceAttemptFinished": (*jhist).done, "TaskAttemptUnsuccessfulCompletion": (*jhist).done,
	"JobFinished": (*jhist).ours, "JobUnsuccessfulCompletion": (*jhist).ours,
}

func (h *jhist) masterStarted(b *jhistBody) {
	h.masters++
	h.master = h.known("startTime", b.Start)
}

func (h *jhist) submitted(b *jhistBody) {
	if h.job != nil {
		err := h.errorf("jobid", "job %s begins before job %q has ended", quoted(b.Job.text), h.job.ID)
		h.job = nil
		if !h.skip(err) {
			h.bad = err
			return
		}
	}
	j := &Job{ID: h.name("jobid", b.Job.text), Class: h.text("jobName", b.Name), User: h.text("userName", b.User),
		Queue: h.text("jobQueueName", b.Queue)}
	if h.submit = h.instant(&h.order, "submitTime", b.Submit); h.submit >= 0 {
		j.Submit = h.since(&h.order, "submitTime", h.submit)
	}
	if h.bad != nil {
		return
	}
	h.job, h.key = j, strings.TrimPrefix(j.ID, "job_")
	h.tasks = [2]map[int]*jhistTask{{}, {}}
	h.total = [2]int64{-1, -1}
	h.attempt = map[string]int64{}
	h.mapsEnd, h.asked, h.launch, h.uber = -1, -1, -1, false
}

// ours checks that an event belongs to the job that is open.
func (h *jhist) ours(b *jhistBody) {
	switch {
	case h.job == nil:
		h.failf("jobid", "the event of job %s is outside of its history", quoted(b.Job.text))
	case string(b.Job.text) != h.job.ID:
		h.failf("jobid", "the event of job %s is in the history of job %q", quoted(b.Job.text), h.job.ID)
	}
}

func (h *jhist) queue(b *jhistBody) {
	h.ours(b)
	if queue := h.text("jobQueueName", b.Queue); queue != "" && h.bad == nil {
		h.job.Queue = queue
	}
}

func (h *jhist) inited(b *jhistBody) {
	h.ours(b)
	total := [2]int64{h.known("totalMaps", b.Maps), h.known("totalReduces", b.Reduces)}
	if max(total[0], total[1]) > MaxTasks && h.bad == nil {
		h.failf("", "job %q has more than %d tasks", h.job.ID, MaxTasks)
	}
	if h.bad == nil {
		h.total, h.launch, h.uber = total, h.instant(&h.order, "launchTime", b.Launch), string(b.Uber.text) == "true"
	}
}

// task finds the task of an event: task_KEY_m_NUMBER or _r_. It is nil for other kinds.
func (h *jhist) task(b *jhistBody) (t *jhistTask, reduce bool) {
	rest, ok := strings.CutPrefix(string(b.Task.text), "task_")
	last := strings.LastIndexByte(rest, '_')
	if !ok || last < 2 || rest[last-2] != '_' {
		h.failf("taskid", "%s is not the name of a task", quoted(b.Task.text))
		return nil, false
	}
	kind := strings.IndexByte("mr", rest[last-1])
	switch {
	case h.job == nil:
		h.failf("taskid", "the event of task %s is outside of its job's history", quoted(b.Task.text))
		return nil, false
	case rest[:last-2] != h.key:
		h.failf("taskid", "the event of task %s is in the history of job %q", quoted(b.Task.text), h.job.ID)
		return nil, false
	case kind < 0:
		return nil, false
	}
	n, err := strconv.Atoi(rest[last+1:])
	switch t = h.tasks[kind][n]; {
	case err != nil || n < 0:
		h.failf("taskid", "%s is not the name of a task", quoted(b.Task.text))
	case n >= MaxTasks || h.total[kind] >= 0 && int64(n) >= h.total[kind]:
		h.failf("taskid", "there is %s, but the job has only %d such tasks", quoted(b.Task.text), min(h.total[kind], MaxTasks))
	case t == nil && len(h.tasks[kind]) == MaxRuns:
		h.failf("taskid", "there are more than %d, which no job has", MaxRuns)
	case t == nil:
		t = &jhistTask{ran: attempt(-1, -1, -1), counters: uncounted}
		h.tasks[kind][n] = t
	}
	return t, kind == 1
}

func (h *jhist) taskStarted(b *jhistBody) {
	t, _ := h.task(b)
	splits, asked := h.text("splitLocations", b.Splits), h.known("startTime", b.Start)
	if t == nil || h.bad != nil {
		return
	}
	if asked >= 0 && (h.asked < 0 || asked < h.asked) {
		h.asked = asked
	}
	t.hosts = nil
	for host := range strings.SplitSeq(splits, ",") {
		if host = hostOf(host); host != "" && len(t.hosts) < maxHosts {
			t.hosts = append(t.hosts, host)
		}
	}
}

func (h *jhist) started(b *jhistBody) {
	if t, _ := h.task(b); t == nil {
		return
	}
	id, start := h.name("attemptId", b.Attempt.text), h.number("startTime", b.Start, -1)
	if len(h.attempt) == MaxRuns {
		h.failf("attemptId", "more than %d attempts run at a time", MaxRuns)
	}
	if h.bad == nil {
		h.attempt[id] = start
	}
}

// done takes the end of an attempt; the first that succeeds is the task's.
func (h *jhist) done(b *jhistBody) {
	t, reduce := h.task(b)
	if t == nil || h.bad != nil {
		return
	}
	start, known := h.attempt[string(b.Attempt.text)]
	delete(h.attempt, string(b.Attempt.text))
	_, succeeded := h.outcome("taskStatus", b.Status)
	if h.bad != nil {
		return
	}
	end, host := h.known("finishTime", b.Finish), hostName(b.Host)
	if t.end >= 0 {
		// It was killed, or committed nothing, as another attempt had committed while it ran.
		if (succeeded || string(b.Unsuccessful.text) == "KILLED") && known && start < t.end && t.end <= end {
			t.overtaken = append(t.overtaken, overtaken{start, host})
		}
		return
	}
	if !succeeded {
		return
	}
	fetched := h.known("shuffleFinishTime", b.Fetched)
	if !known {
		start = -1
	}
	c := b.counted
	if c == nil {
		c = new(h.counters("counters", b.Counters))
	}
	if h.bad != nil {
		return
	}
	if !reduce {
		h.mapsEnd = max(h.mapsEnd, end)
	}
	t.ran, t.counters = attempt(start, fetched, end), *c
	t.host = host
}

// hostName is the host of an address.
func hostName(address scalar) string {
	host, _, _ := strings.Cut(string(address.text), ":")
	return host
}

// finished makes the job.
func (h *jhist) finished(b *jhistBody, committed bool) (*Job, error) {
	j := h.job
	if h.submit < 0 {
		if !h.dated(&h.order, j, "submitTime", -1, "launchTime", h.launch) {
			h.job = nil
			return nil, orNil(h.wrong())
		}
		h.submit = h.launch
	}
	if !h.uber {
		j.Ran = h.history(committed)
	}
	h.job = nil
	if !committed && !h.o.Failed {
		if len(b.Ended.text) == 0 {
			b.Ended = scalar{[]byte("FAILED"), 's'}
		}
		if h.failed(j, "jobStatus", b.Ended) {
			return nil, orNil(h.wrong())
		}
	}
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
				u = t.mapTask()
				if u.Input = t.read; kind == 1 {
					u = t.reduceTask(h.mapsEnd)
					u.Input = t.shuffled
				}
				u.Hosts = t.hosts
				h.setBack(j, "finishTime", t.ran)
			}
			s.Add(u)
		}
		if len(s.Tasks) > 0 {
			j.Stages = append(j.Stages, *s)
		}
	}
	h.tasks, h.attempt = [2]map[int]*jhistTask{}, nil
	j.sizes(&stages[0], &stages[1], [2]units.Bytes{Unknown, Unknown})
	maps, reduces := h.counters("mapCounters", b.MapCounters), h.counters("reduceCounters", b.ReduceCounters)
	if maps.read >= 0 {
		j.Input = maps.read
	}
	if reduces.shuffled >= 0 && len(stages[1].Tasks) > 0 {
		j.Shuffle = reduces.shuffled
	}
	if j.Output = reduces.written; len(stages[1].Tasks) == 0 {
		j.Output = maps.written
	}
	return j, orNil(h.admit(&h.order, j, "submitTime"))
}

// maxCounters bounds the counters of an attempt: some hundred take some 20 kB.
const maxCounters = 1 << 20

// counters are those of Hadoop's that are used; Unknown where there is none. Those with hdfs in their names count
// where an input or output format counts nothing.
type counters struct{ read, shuffled, written, emitted, hdfsRead, hdfsWritten, mapRecords, reduceRecords units.Bytes }

var uncounted = counters{Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown}

// counterNames are Hadoop's for the fields of counters, in their order. The materialized bytes are as shuffles count:
// combined, and packed where that is set.
var counterNames = []string{"BYTES_READ", "REDUCE_SHUFFLE_BYTES", "BYTES_WRITTEN", "MAP_OUTPUT_MATERIALIZED_BYTES",
	"HDFS_BYTES_READ", "HDFS_BYTES_WRITTEN", "MAP_INPUT_RECORDS", "REDUCE_INPUT_RECORDS"}

// called is the counter of that name, nil if it is not used.
func (c *counters) called(name string) *units.Bytes {
	if i := slices.Index(counterNames, name); i >= 0 {
		return [...]*units.Bytes{&c.read, &c.shuffled, &c.written, &c.emitted, &c.hdfsRead, &c.hdfsWritten, &c.mapRecords, &c.reduceRecords}[i]
	}
	return nil
}

// settle puts what file systems count where formats count nothing.
func (c *counters) settle() {
	if c.read < 0 {
		c.read = c.hdfsRead
	}
	if c.written < 0 {
		c.written = c.hdfsWritten
	}
}

func (h *jhist) counters(field string, from raw) counters {
	c := uncounted
	if len(from) == 0 {
		return c
	}
	if len(from) > maxCounters {
		h.failf(field, "they are longer than %v, no attempt has so many", units.Bytes(maxCounters))
		return c
	}
	var all jhistCounters
	if err := h.fields(from, &all); err != nil {
		h.failf(strings.TrimSuffix(field+"."+err.Field, "."), "%s", err.Text)
	}
	for g, group := range all.Groups {
		for i, count := range group.Counts {
			if to := c.called(count.Name); to != nil {
				*to = units.Bytes(h.known(fmt.Sprintf("%s.groups[%d].counts[%d].value", field, g, i), count.Value))
			}
		}
	}
	c.settle()
	return c
}
