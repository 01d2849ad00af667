package trace

import (
	"io"
	"strings"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// rumen reads what Hadoop's Rumen makes of job histories (TraceBuilder): JSON objects one behind
// the other, a job each, with its tasks and their attempts. Used are
//
//	jobID, jobName, user, queue, priority, submitTime    the job; times are ms since 1970 and count from the first job
//	totalMaps, totalReduces, jobMapMB, jobReduceMB       tasks that are not listed are of unknown time
//	mapTasks, reduceTasks: inputBytes, outputBytes       -1 where unknown
//	preferredLocations[].layers                          the last one is a host of the input
//	attempts[]: result, startTime, finishTime            of the attempt that succeeded; of others nothing is used
//	shuffleFinished                                      of that of a reduce
//
// A reduce's shuffle counts from the end of the last map, as a reduce that starts before only waits
// for it. TraceBuilder does not always write jobs in order of submission; import with --sort then.
type rumen struct {
	records
	order
}

func openRumen(in io.Reader, o Options) Reader {
	return &rumen{records: newRecords(in, o)}
}

type rumenJob struct {
	ID          scalar `json:"jobID"`
	Name        scalar `json:"jobName"`
	User        scalar `json:"user"`
	Queue       scalar `json:"queue"`
	Priority    scalar `json:"priority"`
	Submit      scalar `json:"submitTime"`
	Maps        scalar `json:"totalMaps"`
	Reduces     scalar `json:"totalReduces"`
	MapMB       scalar `json:"jobMapMB"`
	ReduceMB    scalar `json:"jobReduceMB"`
	MapTasks    raw    `json:"mapTasks"`
	ReduceTasks raw    `json:"reduceTasks"`
}

type rumenTask struct {
	Input     scalar `json:"inputBytes"`
	Output    scalar `json:"outputBytes"`
	Attempts  raw    `json:"attempts"`
	Locations raw    `json:"preferredLocations"`
}

type rumenAttempt struct {
	Result  scalar `json:"result"`
	Start   scalar `json:"startTime"`
	Finish  scalar `json:"finishTime"`
	Fetched scalar `json:"shuffleFinished"`
}

type rumenLocation struct {
	Layers raw `json:"layers"`
}

// ran is what is known of the attempt that succeeded, in ms; -1 = nothing.
type ran struct{ start, fetched, end int64 }

// mapTask is the task of which this is the attempt.
func (r ran) mapTask() Task { return Task{Count: 1, Input: Unknown, Time: between(r.start, r.end)} }

// reduceTask is that of a reduce, with the last map's end.
func (r ran) reduceTask(mapsEnd int64) Task {
	t := r.mapTask()
	if t.Time < 0 || r.fetched < r.start || r.end < r.fetched {
		return t
	}
	t.Time = between(r.fetched, r.end)
	t.Shuf = max(0, between(max(r.start, mapsEnd), r.fetched))
	return t
}

var priorities = map[string]int{"VERY_LOW": -2, "LOW": -1, "NORMAL": 0, "HIGH": 1, "VERY_HIGH": 2}

// Next returns the job of the next object.
func (r *rumen) Next() (*Job, error) {
	for {
		text, err := r.next()
		if err == nil {
			j, bad := r.job(text)
			if bad == nil {
				return j, nil
			}
			err = bad
		}
		if err := r.fail(err); err != nil {
			return nil, err
		}
	}
}

func (r *rumen) job(text []byte) (*Job, *Error) {
	var t rumenJob
	err := r.decode(text, &t)
	if err != nil {
		return nil, err
	}
	j := &Job{}
	if j.ID, err = r.name("jobID", t.ID.text); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		field string
		from  scalar
		to    *string
	}{{"jobName", t.Name, &j.Class}, {"user", t.User, &j.User}, {"queue", t.Queue, &j.Queue}} {
		if *f.to, err = r.text(f.field, f.from); err != nil {
			return nil, err
		}
	}
	if t.Priority.there() {
		p, ok := priorities[string(t.Priority.text)]
		if !ok {
			return nil, r.errorf("priority", "%s is not VERY_LOW, LOW, NORMAL, HIGH or VERY_HIGH", quoted(t.Priority.text))
		}
		j.Priority = p
	}
	if !t.Submit.there() {
		return nil, r.errorf("submitTime", "it is missing; a job needs a time of submission")
	}
	submit, err := r.number("submitTime", t.Submit, 0)
	if err != nil {
		return nil, err
	}
	if j.Submit, err = r.since(&r.order, "submitTime", submit); err != nil {
		return nil, err
	}
	var n [4]int64
	for i, f := range []struct {
		field string
		from  scalar
	}{{"totalMaps", t.Maps}, {"totalReduces", t.Reduces}, {"jobMapMB", t.MapMB}, {"jobReduceMB", t.ReduceMB}} {
		if n[i], err = r.known(f.field, f.from); err != nil {
			return nil, err
		}
		if n[i] > 1<<30 {
			return nil, r.errorf(f.field, "%d is more than any cluster has", n[i])
		}
	}
	stages, mapsEnd := [2]Stage{{Kind: workload.Map}, {Kind: workload.Reduce}}, int64(-1)
	var written [2]units.Bytes
	for i := range stages {
		s := &stages[i]
		field, list := "mapTasks", t.MapTasks
		if i == 1 {
			field, list = "reduceTasks", t.ReduceTasks
		}
		err := r.readTasks(s, field, list, &written[i], func(a ran) Task {
			if s.Kind == workload.Reduce {
				return a.reduceTask(mapsEnd)
			}
			mapsEnd = max(mapsEnd, a.end)
			return a.mapTask()
		})
		if err != nil {
			return nil, err
		}
		if n[i] > MaxTasks {
			return nil, r.errorf("", "job %q has more than %d tasks", j.ID, MaxTasks)
		}
		if left := int(n[i]) - s.Count(); left > 0 {
			s.Add(Task{Count: left, Input: Unknown, Time: UnknownTime})
			written[i] = Unknown
		}
		if len(s.Tasks) > 0 {
			if mb := n[2+i]; mb > 0 {
				s.Needs = units.Vector{units.VCores: 1, units.Memory: mb * int64(units.MB)}
			}
			j.Stages = append(j.Stages, *s)
		}
	}
	j.sizes(&stages[0], &stages[1], written)
	return j, r.admit(&r.order, j, "submitTime")
}

// sizes sets those of a job to what its tasks read, and to what its last stage wrote.
func (j *Job) sizes(maps, reduces *Stage, written [2]units.Bytes) {
	j.Input, j.Shuffle, j.Output = inputOf(maps), 0, written[0]
	if len(reduces.Tasks) > 0 {
		j.Shuffle, j.Output = inputOf(reduces), written[1]
	} else if len(maps.Tasks) == 0 {
		j.Shuffle, j.Output = Unknown, Unknown
	}
}

// inputOf is what all tasks read, Unknown if that of one is, or there is none.
func inputOf(s *Stage) units.Bytes {
	if len(s.Tasks) == 0 {
		return Unknown
	}
	total := units.Bytes(0)
	for i := range s.Tasks {
		for range s.Tasks[i].Count {
			total = sum(total, s.Tasks[i].Input)
		}
	}
	return total
}

func (r *rumen) readTasks(s *Stage, field string, from raw, written *units.Bytes, make func(ran) Task) *Error {
	return list(&r.place, field, from, MaxRuns, func(t *rumenTask) *Error {
		input, err := r.known("inputBytes", t.Input)
		if err != nil {
			return err
		}
		output, err := r.known("outputBytes", t.Output)
		if err != nil {
			return err
		}
		*written = sum(*written, units.Bytes(output))
		a, err := r.succeeded(t.Attempts)
		if err != nil {
			return err
		}
		task := make(a)
		task.Input = units.Bytes(input)
		if task.Hosts, err = r.hosts(t.Locations); err != nil {
			return err
		}
		s.Add(task)
		return nil
	})
}

// succeeded finds the attempt that did.
func (r *rumen) succeeded(attempts raw) (ran, *Error) {
	won := ran{-1, -1, -1}
	err := list(&r.place, "attempts", attempts, MaxRuns, func(t *rumenAttempt) (err *Error) {
		if string(t.Result.text) != "SUCCESS" {
			return nil
		}
		if won.start, err = r.known("startTime", t.Start); err != nil {
			return err
		}
		if won.end, err = r.known("finishTime", t.Finish); err != nil {
			return err
		}
		if won.fetched, err = r.known("shuffleFinished", t.Fetched); err != nil {
			return err
		}
		if won.start >= 0 && won.end >= 0 && won.end < won.start {
			return r.errorf("finishTime", "%d is before the start at %d", won.end, won.start)
		}
		return nil
	})
	return won, err
}

// hosts are the last layers of places.
func (r *rumen) hosts(from raw) (hosts []string, err *Error) {
	err = list(&r.place, "preferredLocations", from, maxHosts, func(t *rumenLocation) *Error {
		layers, err := r.names("layers", t.Layers, 16)
		if err != nil || len(layers) == 0 {
			return err
		}
		if host := layers[len(layers)-1]; host != "" {
			hosts = append(hosts, host[strings.LastIndexByte(host, '/')+1:])
		}
		return nil
	})
	return hosts, err
}
