package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// jobHistory asks Hadoop's JobHistory server for jobs (/ws/v1/history/mapreduce), and reads each as a job history in
// which the events of its tasks follow each other. Used are
//
//	jobs                                  id, name, user, queue, state, submitTime (else startTime), mapsTotal, reducesTotal
//	jobs/ID                               uberized, mapsTotal, reducesTotal
//	jobs/ID/conf                          the tags class:, in: and dl: in mapreduce.job.tags, and what containers take; it may be missing
//	jobs/ID/jobattempts                   when its ApplicationMasters began
//	jobs/ID/tasks                         id, startTime: when it was asked for, successfulAttempt
//	jobs/ID/tasks/ID/attempts, counters   of tasks that committed, and when other attempts began that were killed then
//
// Hadoop's lines do not agree on how they write a list of one element, or none, and numbers. Any way will do.
type jobHistory struct {
	jhist
	ctx    context.Context
	client *http.Client
	base   string
	root   string // of the interface
	last   int
	since  int64 // ms: jobs that were submitted before are not read
	listed bool
	jobs   []restJob       // that are still to be read
	needs  [3]units.Vector // of a map, of a reduce and of the ApplicationMaster of the job that is read
}

// answerTime is how long the server may take for an answer.
const answerTime = time.Minute

// JobHistory begins to read the jobs of the JobHistory server at an address such as http://host:19888, of each name
// the last so many that were submitted since an instant, in order of submission. An answer that cannot be is an
// *Error, with its address in place of a file.
func JobHistory(ctx context.Context, base string, last int, since time.Time, lenient bool) Reader {
	o := Options{File: base, Lenient: lenient, Failed: true}
	h := &jobHistory{ctx: ctx, client: &http.Client{Timeout: answerTime}, base: strings.TrimRight(base, "/"), root: "/ws/v1/history/mapreduce", last: last, since: since.UnixMilli()}
	h.place = place{o: o}
	return &reader{form: h, o: o}
}

type restJob struct {
	ID      scalar `json:"id"`
	Name    scalar `json:"name"`
	User    scalar `json:"user"`
	Queue   scalar `json:"queue"`
	State   scalar `json:"state"`
	Submit  scalar `json:"submitTime"`
	Start   scalar `json:"startTime"`
	Maps    scalar `json:"mapsTotal"`
	Reduces scalar `json:"reducesTotal"`

	submitted int64 // ms
	byStart   bool  // that is when it started
	old       bool  // there are enough of its name without it
}

type restTask struct {
	ID      scalar `json:"id"`
	Start   scalar `json:"startTime"`
	Attempt scalar `json:"successfulAttempt"`
}

type restAttempt struct {
	ID      scalar `json:"id"`
	Start   scalar `json:"startTime"`
	Finish  scalar `json:"finishTime"`
	Fetched scalar `json:"shuffleFinishTime"`
	Node    scalar `json:"nodeHttpAddress"`
	State   scalar `json:"state"`
}

// restPair is a counter or a property.
type restPair struct {
	Name  scalar `json:"name"`
	Value scalar `json:"value"`
}

// one is a list, whose only element Hadoop may write without the brackets.
func one(from raw) raw {
	if kindOf(from) == "object" {
		return slices.Concat([]byte{'['}, from, []byte{']'})
	}
	return from
}

// Next asks for the next job.
func (h *jobHistory) Next() (*Job, error) {
	return h.nextJob(func() (*Job, error) {
		if !h.listed {
			if h.listed = true; !h.list() {
				return nil, h.stop()
			}
		}
		if len(h.jobs) == 0 {
			return nil, io.EOF
		}
		r := &h.jobs[0]
		h.jobs, h.job = h.jobs[1:], nil
		b := &jhistBody{Job: r.ID, Name: r.Name, User: r.User, Queue: r.Queue, Submit: r.Submit, Maps: r.Maps, Reduces: r.Reduces}
		if !h.read(b) {
			h.job = nil
			return nil, h.stop()
		}
		if r.byStart {
			h.kept.fillIn(startCounts, 1, h.errorf("startTime", "job %q is taken as submitted then", h.job.ID))
		}
		j, err := h.finished(b, string(r.State.text) == "SUCCEEDED")
		if j != nil {
			for i := range j.Stages {
				j.Stages[i].Needs = h.needs[j.Stages[i].Kind-workload.Map]
			}
			if j.Ran != nil {
				j.Ran.Needs = h.needs[2]
			}
		}
		return j, err
	})
}

// stop is the error that was noted. Behind a list that cannot be read there is nothing.
func (h *jobHistory) stop() error { return orNil(h.wrong()) }

// standAt says to which address what is wrong belongs.
func (h *jobHistory) standAt(path ...string) {
	h.o.File = h.base + h.root
	for _, part := range path {
		h.o.File += "/" + url.PathEscape(part)
	}
}

// ask asks for a part of what the server has, and tells whether it is there.
func (h *jobHistory) ask(to any, path ...string) bool {
	if h.bad != nil {
		return false
	}
	h.standAt(path...)
	text, err := h.get(h.o.File)
	if err != nil {
		h.bad = h.lost("%v", err)
		return false
	}
	if text == nil {
		return false
	}
	h.bad = h.decode(text, to)
	return h.bad == nil
}

// get fetches an answer; nil: there is nothing at the address.
func (h *jobHistory) get(at string) ([]byte, error) {
	request, err := http.NewRequestWithContext(h.ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, errors.New("it is not an address such as http://host:19888")
	}
	request.Header.Set("Accept", "application/json")
	answer, err := h.client.Do(request)
	if err != nil {
		var in *url.Error
		if errors.As(err, &in) {
			err = in.Err
		}
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, fmt.Errorf("the server answers %s; a server that asks for a login cannot be read, but its .jhist files can", answer.Status)
	default:
		return nil, fmt.Errorf("the server answers %s", answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, MaxRecord+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	case len(text) > MaxRecord:
		return nil, fmt.Errorf("the answer is longer than %v", units.Bytes(MaxRecord))
	}
	return text, nil
}

// need is ask for what has to be there.
func (h *jobHistory) need(to any, path ...string) bool {
	if h.ask(to, path...) {
		return true
	}
	if h.root == clusterRoot {
		h.failf("", "it does not know that; is it a ResourceManager?")
	} else {
		h.failf("", "it does not know that; is it a JobHistory server, and does it still have the job?")
	}
	return false
}

// each goes through the list that an answer holds, which get asks for, and tells whether all was well.
func each[T any](h *jobHistory, get func(to any, path ...string) bool, of, name string, do func(*T), path ...string) bool {
	var all map[string]map[string]raw
	if !get(&all, path...) {
		return false
	}
	list(&h.place, of+"."+name, one(all[of][name]), MaxRuns, do)
	return h.bad == nil
}

// list learns which jobs there are.
func (h *jobHistory) list() bool {
	if !each(h, h.need, "jobs", "job", func(r *restJob) {
		if r.submitted = h.known("submitTime", r.Submit); r.submitted <= 0 { // lines of Hadoop before 2.0 know none
			r.submitted, r.byStart, r.Submit = h.known("startTime", r.Start), true, r.Start
		}
		if r.submitted <= 0 {
			h.kept.leaveOut(undated, string(r.ID.text), h.errorf("submitTime", "job %s has none, nor a startTime", quoted(r.ID.text)))
			return
		}
		h.jobs = append(h.jobs, *r)
	}, "jobs") {
		h.jobs, h.bad.fatal = nil, true
		return false
	}
	slices.SortStableFunc(h.jobs, func(a, b restJob) int { return cmp.Compare(a.submitted, b.submitted) })
	seen := map[string]int{}
	for i := len(h.jobs) - 1; i >= 0; i-- {
		name := string(h.jobs[i].Name.text)
		if seen[name]++; seen[name] > h.last {
			h.jobs[i].old = true
		}
	}
	h.jobs = slices.DeleteFunc(h.jobs, func(r restJob) bool { return r.old || r.submitted < h.since })
	return true
}

// read asks for all of a job, and tells it as a history does.
func (h *jobHistory) read(b *jhistBody) bool {
	id := string(b.Job.text)
	var job map[string]map[string]scalar
	h.masters = 0
	if !h.need(&job, "jobs", id) || !each(h, h.need, "jobAttempts", "jobAttempt", func(m *restAttempt) {
		h.masterStarted(&jhistBody{Start: m.Start})
	}, "jobs", id, "jobattempts") {
		return false
	}
	b.Uber = job["job"]["uberized"]
	for key, to := range map[string]*scalar{"mapsTotal": &b.Maps, "reducesTotal": &b.Reduces} {
		if n, told := job["job"][key]; told {
			*to = n // the list has what was committed, where a job was killed
		}
	}
	if h.submitted(b); h.bad != nil {
		return false
	}
	h.inited(b)
	h.conf(id)
	return each(h, h.need, "tasks", "task", func(t *restTask) {
		if h.took(id, t); h.bad == nil {
			h.standAt("jobs", id, "tasks")
		}
	}, "jobs", id, "tasks")
}

// conf reads the class and the deadline that a job's tags name, and what the containers of its tasks take: what
// Hadoop gives them where nothing is said.
func (h *jobHistory) conf(id string) {
	mb, vcores := [3]int64{1024, 1024, 1536}, [3]int64{1, 1, 1}
	numbers := map[string]*int64{"mapreduce.map.memory.mb": &mb[0], "mapreduce.reduce.memory.mb": &mb[1], "yarn.app.mapreduce.am.resource.mb": &mb[2],
		"mapreduce.map.cpu.vcores": &vcores[0], "mapreduce.reduce.cpu.vcores": &vcores[1], "yarn.app.mapreduce.am.resource.cpu-vcores": &vcores[2]}
	h.needs = [3]units.Vector{}
	if !each(h, h.ask, "conf", "property", func(p *restPair) {
		name := string(p.Name.text)
		if to := numbers[name]; to != nil {
			if n, err := strconv.ParseInt(string(p.Value.text), 10, 32); err == nil && n > 0 {
				*to = n
			}
		}
		if name != "mapreduce.job.tags" {
			return
		}
		for tag := range strings.SplitSeq(h.text("value", p.Value), ",") {
			word, value, _ := strings.Cut(strings.TrimSpace(tag), ":")
			n, _ := strconv.ParseInt(value, 10, 64)
			switch {
			case word == "class" && value != "":
				h.job.Class = strings.ToLower(value) // as the ResourceManager tells tags
			case word == "in" && n > 0 && n < math.MaxInt64/int64(units.Second):
				h.job.Deadline = units.Duration(n) * units.Second
			case word == "dl" && n > h.submit && n-h.submit < math.MaxInt64/int64(units.Millisecond):
				h.job.Deadline = units.Duration(n-h.submit) * units.Millisecond
			}
		}
	}, "jobs", id, "conf") {
		return
	}
	for i := range h.needs {
		h.needs[i] = units.Vector{units.Memory: mb[i] * int64(units.MB), units.VCores: vcores[i]}
	}
}

// took asks for the attempt by which a task committed, if it did.
func (h *jobHistory) took(id string, t *restTask) {
	b := &jhistBody{Task: t.ID, Start: t.Start, Attempt: t.Attempt}
	h.taskStarted(b)
	if h.bad != nil || len(t.Attempt.text) == 0 {
		return
	}
	var others []jhistBody
	each(h, h.need, "taskAttempts", "taskAttempt", func(a *restAttempt) {
		if string(a.ID.text) == string(t.Attempt.text) {
			b.Start, b.Finish, b.Fetched, b.Status, b.Host = a.Start, a.Finish, a.Fetched, a.State, a.Node
		} else {
			others = append(others, jhistBody{Task: t.ID, Attempt: a.ID, Start: a.Start, Finish: a.Finish, Unsuccessful: a.State, Host: a.Node})
		}
	}, "jobs", id, "tasks", string(t.ID.text), "attempts")
	if b.counted = h.taskCounters(id, string(t.ID.text)); h.bad == nil {
		h.started(b)
		h.done(b)
	}
	for i := range others {
		if h.bad == nil && string(others[i].Unsuccessful.text) == "KILLED" {
			h.started(&others[i])
			h.done(&others[i])
		}
	}
}

// taskCounters are those of the attempt by which a task committed.
func (h *jobHistory) taskCounters(id, task string) *counters {
	c := uncounted
	each(h, h.ask, "jobTaskCounters", "taskCounterGroup", func(g *struct {
		Each raw `json:"counter"`
	}) {
		list(&h.place, "counter", one(g.Each), MaxRuns, func(n *restPair) {
			if to := c.called(string(n.Name.text)); to != nil {
				*to = units.Bytes(h.known("value", n.Value))
			}
		})
	}, "jobs", id, "tasks", task, "counters")
	c.settle()
	return &c
}
