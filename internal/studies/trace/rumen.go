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
//	outcome                                              jobs that failed or were killed are left out and counted, as Gridmix does
//	totalMaps, totalReduces, jobMapMB, jobReduceMB       tasks that are not listed are of unknown time
//	heapMegabytes                                        where there is no jobMapMB or jobReduceMB
//	attempts[]: result, startTime, finishTime            of the attempt that succeeded; of others nothing is used
//	hdfsBytesRead, mapInputBytes, hdfsBytesWritten       of that of a map
//	reduceShuffleBytes, shuffleFinished                  of that of a reduce
//	mapTasks, reduceTasks: inputBytes, outputBytes       where the attempt does not tell
//	preferredLocations[].layers                          the last one is a host of the input
//
// Where nothing is known there is -1, null, or, of a time, 0. Sizes and times are those that Hadoop
// takes for such a task (ZombieJob): if it ends before it starts, a map takes 100 ms, and the time
// of a reduce is made up, here by the rule. A reduce's shuffle counts from the end of the last map,
// as a reduce that starts before only waits for it. TraceBuilder does not always write jobs in order
// of submission; import with --sort then. Other keys are passed over, unless one is nearly one of these.
type rumen struct {
	records
	order
}

func openRumen(in io.Reader, o Options) form {
	r := &rumen{records: newRecords(in, o)}
	r.keys = farKeys
	return r
}

type rumenJob struct {
	ID          scalar `json:"jobID"`
	Name        scalar `json:"jobName"`
	User        scalar `json:"user"`
	Queue       scalar `json:"queue"`
	Priority    scalar `json:"priority"`
	Outcome     scalar `json:"outcome"`
	Submit      scalar `json:"submitTime"`
	Launch      scalar `json:"launchTime"`
	Maps        scalar `json:"totalMaps"`
	Reduces     scalar `json:"totalReduces"`
	MapMB       scalar `json:"jobMapMB"`
	ReduceMB    scalar `json:"jobReduceMB"`
	Heap        scalar `json:"heapMegabytes"`
	MapTasks    raw    `json:"mapTasks"`
	ReduceTasks raw    `json:"reduceTasks"`
}

func (rumenJob) unread() []string {
	return []string{"computonsPerMapInputByte", "computonsPerMapOutputByte", "computonsPerReduceInputByte", "computonsPerReduceOutputByte", "finishTime",
		"jobtype", "directDependantJobs", "otherTasks", "successfulMapAttemptCDFs", "failedMapAttemptCDFs", "successfulReduceAttemptCDF",
		"failedReduceAttemptCDF", "mapperTriesToSucceed", "failedMapperFraction", "relativeTime", "clusterMapMB", "clusterReduceMB", "jobProperties"}
}

type rumenTask struct {
	Input     scalar `json:"inputBytes"`
	Output    scalar `json:"outputBytes"`
	Attempts  raw    `json:"attempts"`
	Locations raw    `json:"preferredLocations"`
}

func (rumenTask) unread() []string {
	return []string{"inputRecords", "outputRecords", "taskID", "numberMaps", "numberReduces", "startTime", "finishTime", "taskStatus", "taskType"}
}

type rumenAttempt struct {
	Result  scalar `json:"result"`
	Start   scalar `json:"startTime"`
	Finish  scalar `json:"finishTime"`
	Fetched scalar `json:"shuffleFinished"`
	Read    scalar `json:"hdfsBytesRead"`
	Mapped  scalar `json:"mapInputBytes"`
	Written scalar `json:"hdfsBytesWritten"`
	Shuffle scalar `json:"reduceShuffleBytes"`
}

func (rumenAttempt) unread() []string {
	return []string{"attemptID", "sortFinished", "hostName", "location", "fileBytesRead", "fileBytesWritten", "mapInputRecords", "mapOutputBytes",
		"mapOutputRecords", "combineInputRecords", "reduceInputGroups", "reduceInputRecords", "reduceOutputRecords", "spilledRecords",
		"resourceUsageMetrics", "clockSplits", "cpuUsages", "vMemKbytes", "physMemKbytes"}
}

type rumenLocation struct {
	Layers raw `json:"layers"`
}

// ran is what is known of the attempt that succeeded.
type ran struct {
	start, fetched, end int64 // ms; -1 = nothing
	back                bool  // it ended before it started
}

// tookBack is how long a map takes that ended before it started, as Hadoop has it (ZombieJob.sanitizeTaskRuntime).
const tookBack = 100 * units.Millisecond

// attempt is that of these times, of which 0 stands for one that is not known.
func attempt(start, fetched, end int64) ran {
	for _, t := range []*int64{&start, &fetched, &end} {
		if *t == 0 {
			*t = -1
		}
	}
	return ran{start, fetched, end, start >= 0 && end >= 0 && end < start}
}

// mapTask is the task of which this is the attempt.
func (r ran) mapTask() Task {
	t := Task{Count: 1, Input: Unknown, Time: between(r.start, r.end)}
	if r.back {
		t.Time = tookBack
	}
	return t
}

// reduceTask is that of a reduce, with the last map's end.
func (r ran) reduceTask(mapsEnd int64) Task {
	t := Task{Count: 1, Input: Unknown, Time: between(r.start, r.end)}
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
	return r.nextJob(func() (*Job, error) {
		text, err := r.next()
		if err != nil {
			return nil, err
		}
		j, bad := r.job(text)
		return j, orNil(bad)
	})
}

func (r *rumen) job(text []byte) (*Job, *Error) {
	var t rumenJob
	if err := r.decode(text, &t); err != nil {
		return nil, err
	}
	j := &Job{ID: r.name("jobID", t.ID.text), Class: r.text("jobName", t.Name), User: r.text("user", t.User), Queue: r.text("queue", t.Queue)}
	if t.Priority.there() {
		p, ok := priorities[string(t.Priority.text)]
		if !ok {
			r.failf("priority", "%s is not VERY_LOW, LOW, NORMAL, HIGH or VERY_HIGH", quoted(t.Priority.text))
		}
		j.Priority = p
	}
	if out := r.failed(j, "outcome", t.Outcome); out || !r.dated(&r.order, j, "submitTime", r.instant(&r.order, "submitTime", t.Submit), "launchTime", r.instant(&r.order, "launchTime", t.Launch)) {
		return nil, r.wrong()
	}
	stages, mapsEnd := [2]Stage{{Kind: workload.Map}, {Kind: workload.Reduce}}, int64(-1)
	var written [2]units.Bytes
	for i, f := range []struct {
		all, mb, list string
		from, needs   scalar
		tasks         raw
	}{{"totalMaps", "jobMapMB", "mapTasks", t.Maps, t.MapMB, t.MapTasks}, {"totalReduces", "jobReduceMB", "reduceTasks", t.Reduces, t.ReduceMB, t.ReduceTasks}} {
		s := &stages[i]
		n, mb := r.total(f.all, f.from), r.total(f.mb, f.needs)
		if mb <= 0 {
			mb = r.total("heapMegabytes", t.Heap)
		}
		r.readTasks(j, s, f.list, f.tasks, &written[i], func(a ran) Task {
			if s.Kind == workload.Reduce {
				return a.reduceTask(mapsEnd)
			}
			mapsEnd = max(mapsEnd, a.end)
			return a.mapTask()
		})
		if n > MaxTasks {
			r.failf("", "job %q has more than %d tasks", j.ID, MaxTasks)
		}
		if err := r.wrong(); err != nil {
			return nil, err
		}
		if left := int(n) - s.Count(); left > 0 {
			s.Add(Task{Count: left, Input: Unknown, Time: UnknownTime})
			written[i] = Unknown
		}
		if len(s.Tasks) > 0 {
			if mb > 0 {
				s.Needs = units.Vector{units.VCores: 1, units.Memory: mb * int64(units.MB)}
			}
			j.Stages = append(j.Stages, *s)
		}
	}
	j.sizes(&stages[0], &stages[1], written)
	return j, r.admit(&r.order, j, "submitTime")
}

// total reads a number of tasks, or of megabytes, that may be unknown.
func (r *rumen) total(field string, s scalar) int64 {
	n := r.known(field, s)
	if n > 1<<30 {
		r.failf(field, "%d is more than any cluster has", n)
	}
	return n
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

func (r *rumen) readTasks(j *Job, s *Stage, field string, from raw, written *units.Bytes, make func(ran) Task) {
	list(&r.place, field, from, MaxRuns, func(t *rumenTask) {
		input, output := r.size("inputBytes", t.Input), r.size("outputBytes", t.Output)
		won, a := r.succeeded(t.Attempts)
		read := r.size("hdfsBytesRead", a.Read)
		if read < 0 {
			read = r.size("mapInputBytes", a.Mapped)
		}
		if s.Kind == workload.Reduce {
			read = r.size("reduceShuffleBytes", a.Shuffle)
		}
		if read > 0 || input < 0 {
			input = read
		}
		if wrote := r.size("hdfsBytesWritten", a.Written); wrote >= 0 {
			output = wrote
		}
		*written = sum(*written, output)
		r.setBack(j, "finishTime", won)
		task := make(won)
		task.Input, task.Hosts = input, r.hosts(t.Locations)
		s.Add(task)
	})
}

// size reads a number of bytes, Unknown if none is told.
func (r *rumen) size(field string, s scalar) units.Bytes { return units.Bytes(r.known(field, s)) }

// succeeded finds the attempt that did, and what is known of when.
func (r *rumen) succeeded(attempts raw) (won ran, a rumenAttempt) {
	won = attempt(-1, -1, -1)
	list(&r.place, "attempts", attempts, MaxRuns, func(t *rumenAttempt) {
		if _, well := r.outcome("result", t.Result); well {
			a, won = *t, attempt(r.known("startTime", t.Start), r.known("shuffleFinished", t.Fetched), r.known("finishTime", t.Finish))
		}
	})
	return won, a
}

// hostOf is the last part of a path such as /rack/node.
func hostOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// hosts are the last layers of places.
func (r *rumen) hosts(from raw) (hosts []string) {
	list(&r.place, "preferredLocations", from, maxHosts, func(t *rumenLocation) {
		layers := r.names("layers", t.Layers, 16)
		if n := len(layers); n > 0 && layers[n-1] != "" {
			hosts = append(hosts, hostOf(layers[n-1]))
		}
	})
	return hosts
}
