package trace

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
)

// answers stand for a JobHistory server: what it answers, by the path behind that of its interface. What is not
// there it does not know.
type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	path, _ := strings.CutPrefix(r.URL.Path, "/ws/v1/history/mapreduce/")
	text, there := a[path]
	code := http.StatusOK
	if !there {
		code = http.StatusNotFound
	}
	return &http.Response{StatusCode: code, Status: fmt.Sprint(code), Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

func (a answers) read(t testing.TB, last int, lenient bool) (jobs []Job, r Reader, err error) {
	r = JobHistory(t.Context(), "http://h/", last, time.Time{}, lenient)
	r.(*reader).form.(*jobHistory).client.Transport = a
	for {
		j, err := r.Next()
		if errors.Is(err, io.EOF) {
			return jobs, r, nil
		}
		if err != nil {
			return jobs, r, err
		}
		jobs = append(jobs, *j)
	}
}

// server tells of one job of a map and a reduce, as one line of Hadoop writes it, or as another does: lists of one
// element without brackets, numbers as text, null for what is not there.
func server(other bool) answers {
	n := func(x int) string { return fmt.Sprint(x) }
	many := func(s string) string { return "[" + s + "]" }
	missing := ""
	if other {
		n = func(x int) string { return fmt.Sprintf("%q", fmt.Sprint(x)) }
		many = func(s string) string { return s }
		missing = `, "shuffleFinishTime": null`
	}
	at := func(ms int) string { return n(1795219000000 + ms) }
	task := func(id, kind string, asked int) string {
		return fmt.Sprintf(`{"id": "task_1_0001_%s", "type": %q, "startTime": %s, "state": "SUCCEEDED", "successfulAttempt": "attempt_1_0001_%s_0"}`, id, kind, at(asked), id)
	}
	one := func(id, state string, start, end int, more string) string {
		return fmt.Sprintf(`{"id": "attempt_1_0001_%s", "startTime": %s, "finishTime": %s, "state": %q, "nodeHttpAddress": "n1:8042"%s}`, id, at(start), at(end), state, more)
	}
	attempt := func(id string, start, end int, more string) string {
		return `{"taskAttempts": {"taskAttempt": ` + many(one(id+"_0", "SUCCEEDED", start, end, more)) + `}}`
	}
	count := func(counters ...string) string {
		return `{"jobTaskCounters": {"taskCounterGroup": ` + many(`{"counterGroupName": "G", "counter": [`+strings.Join(counters, ",")+`]}`) + `}}`
	}
	counter := func(name string, x int) string { return fmt.Sprintf(`{"name": %q, "value": %s}`, name, n(x)) }
	return answers{
		"jobs": `{"jobs": {"job": ` + many(fmt.Sprintf(`{"id": "job_1_0001", "name": "words", "user": "ann", "queue": "root.default", "state": "SUCCEEDED",
			"submitTime": %s, "mapsTotal": %s, "reducesTotal": %s}`, at(0), n(1), n(1))) + `}}`,
		"jobs/job_1_0001":                                     `{"job": {"id": "job_1_0001", "uberized": false}}`,
		"jobs/job_1_0001/jobattempts":                         `{"jobAttempts": {"jobAttempt": ` + many(fmt.Sprintf(`{"id": 1, "startTime": %s}`, at(1000))) + `}}`,
		"jobs/job_1_0001/tasks":                               `{"tasks": {"task": [` + task("m_000000", "MAP", 5000) + "," + task("r_000000", "REDUCE", 6000) + `]}}`,
		"jobs/job_1_0001/tasks/task_1_0001_m_000000/attempts": attempt("m_000000", 7000, 17000, missing),
		"jobs/job_1_0001/tasks/task_1_0001_m_000000/counters": count(counter("HDFS_BYTES_READ", 100), counter("BYTES_READ", 90),
			counter("MAP_OUTPUT_MATERIALIZED_BYTES", 45), counter("MAP_INPUT_RECORDS", 9)),
		"jobs/job_1_0001/tasks/task_1_0001_r_000000/attempts": `{"taskAttempts": {"taskAttempt": [` + one("r_000000_1", "KILLED", 10000, 21100, "") + "," +
			one("r_000000_0", "SUCCEEDED", 9000, 21000, `, "shuffleFinishTime": `+at(19000)) + "," + one("r_000000_2", "FAILED", 10000, 21100, "") + "," +
			one("r_000000_3", "KILLED", 9500, 12000, "") + `]}}`, // for another reason
		"jobs/job_1_0001/tasks/task_1_0001_r_000000/counters": count(counter("REDUCE_SHUFFLE_BYTES", 45), counter("REDUCE_INPUT_RECORDS", 4),
			counter("HDFS_BYTES_WRITTEN", 30)),
	}
}

// asFile is that job as Hadoop's file tells it.
func asFile() string {
	at := func(ms int) int { return 1795219000000 + ms }
	b := &strings.Builder{}
	b.WriteString(jhistHead)
	tell := func(class, format string, args ...any) { b.WriteString(event(class, fmt.Sprintf(format, args...))) }
	tell("AMStarted", `"startTime": %d`, at(1000))
	tell("JobSubmitted", `"jobid": "job_1_0001", "jobName": "words", "userName": "ann", "jobQueueName": "root.default", "submitTime": %d`, at(0))
	tell("JobInited", `"jobid": "job_1_0001", "totalMaps": 1, "totalReduces": 1, "uberized": false`)
	for _, task := range []struct {
		id, end            string
		asked, start, ends int
		more               string
	}{
		{"m_000000", "MapAttemptFinished", 5000, 7000, 17000, `"counters": {"groups": [{"counts": [{"name": "BYTES_READ", "value": 90},
			{"name": "MAP_OUTPUT_MATERIALIZED_BYTES", "value": 45}, {"name": "MAP_INPUT_RECORDS", "value": 9}, {"name": "HDFS_BYTES_READ", "value": 100}]}]}`},
		{"r_000000", "ReduceAttemptFinished", 6000, 9000, 21000, fmt.Sprintf(`"shuffleFinishTime": %d, "counters": {"groups": [{"counts": [
			{"name": "REDUCE_SHUFFLE_BYTES", "value": 45}, {"name": "REDUCE_INPUT_RECORDS", "value": 4}, {"name": "HDFS_BYTES_WRITTEN", "value": 30}]}]}`, at(19000))},
	} {
		name := fmt.Sprintf(`"taskid": "task_1_0001_%s", "attemptId": "attempt_1_0001_%s_0"`, task.id, task.id)
		tell("TaskStarted", `%s, "startTime": %d`, name, at(task.asked))
		tell("TaskAttemptStarted", `%s, "startTime": %d`, name, at(task.start))
		other := strings.TrimSuffix(name, `_0"`) + `_1"`
		if task.id[0] == 'r' { // a second attempt, which is killed
			tell("TaskAttemptStarted", `%s, "startTime": %d`, other, at(10000))
		}
		b.WriteString(event(task.end, strings.ReplaceAll(fmt.Sprintf(`%s, "taskStatus": "SUCCEEDED", "hostname": "n1", "finishTime": %d, %s`, name, at(task.ends), task.more), "\n", "")))
	}
	tell("TaskAttemptUnsuccessfulCompletion", `"taskid": "task_1_0001_r_000000", "attemptId": "attempt_1_0001_r_000000_1", "status": "KILLED", "hostname": "n1", "finishTime": %d`, at(21100))
	tell("JobFinished", `"jobid": "job_1_0001"`)
	return b.String()
}

// The server and the file tell the same of a job, in whichever way the server writes it.
func TestJobHistoryTellsWhatFilesDo(t *testing.T) {
	want, _, err := readAll(t, "jhist", asFile(), false)
	if err != nil || len(want) != 1 {
		t.Fatal(want, err)
	}
	if r := want[0].Ran; r.Master.Seconds() != 4 || len(r.Tasks) != 3 || !r.Tasks[2].Overtaken || r.Tasks[2].Start.Seconds() != 10 || r.Tasks[0].Output != 45 || r.Tasks[1].Shuffle.Seconds() != 10 || r.Tasks[1].Output != 30 ||
		r.Tasks[0].Host != "n1" || r.Tasks[1].Host != "n1" {
		t.Fatalf("%+v", r)
	}
	for _, other := range []bool{false, true} {
		got, _, err := server(other).read(t, 20, false)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("other way %v: %s", other, d)
		}
	}
}

func nodeClasses(t *testing.T, base string, by answers) (map[string]string, error) {
	c, err := readCluster(t.Context(), base, by, false)
	return c.classes(), err
}

// Nodes that have as much are of one class, whatever is in use; so they are called as in a world of YARN.
func TestNodeClasses(t *testing.T) {
	node := func(host string, numbers ...any) string {
		return fmt.Sprintf(`{"nodeHostName": %q, "usedMemoryMB": %v, "availMemoryMB": %v, "usedVirtualCores": %v, "availableVirtualCores": %v}`,
			append([]any{host}, numbers...)...)
	}
	at := "/ws/v1/cluster/nodes"
	many := answers{at: `{"nodes": {"node": [` + node("n1", 512, 1536, 1, 3) + "," + node("n2", 0, 2048, 0, 4) + "," + node("n3", `"1024"`, 0, `"1"`, `"0"`) + `]}}`}
	got, err := nodeClasses(t, "http://rm:8088/", many)
	want := map[string]string{"n1": "{vcores:4 memory:2GB}", "n2": "{vcores:4 memory:2GB}", "n3": "{vcores:1 memory:1GB}"}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	got, err = nodeClasses(t, "http://rm:8088", answers{at: `{"nodes": {"node": ` + node("n1", 0, 1024, 0, 1) + `}}`})
	if err != nil || len(got) != 1 {
		t.Errorf("a list of one without brackets: %v, %v", got, err)
	}
	if _, err = nodeClasses(t, "http://rm:8088", answers{}); err == nil || !strings.Contains(err.Error(), "is it a ResourceManager?") {
		t.Errorf("who knows nothing of nodes: %v", err)
	}
}

// Queues are told with their parents, whether they are one or several; what is not in service is no node.
func TestClusterQueues(t *testing.T) {
	leaf := `{"queuePath": "root.prod.etl", "queueName": "etl", "capacity": 100.0, "maxCapacity": 100.0, "userLimit": 50.0, "userLimitFactor": 2.0, "maxParallelApps": 7}`
	a := answers{"/ws/v1/cluster/nodes": `{"nodes": {"node": {"nodeHostName": "n1", "rack": "/r1", "state": "LOST", "availMemoryMB": 1}}}`,
		"/ws/v1/cluster/scheduler": `{"scheduler": {"schedulerInfo": {"type": "capacityScheduler", "queueName": "root", "capacity": 100.0, "maxCapacity": 100.0, "queues": {"queue": [
			{"queueName": "prod", "capacity": 70.5, "maxCapacity": 90.0, "maxParallelApps": 2147483647, "queues": {"queue": ` + leaf + `}}, {"queueName": "adhoc", "capacity": 29.5, "maxCapacity": 40.0, "queues": null}]}}}}`}
	got, err := readCluster(t.Context(), "http://rm:8088", a, true)
	want := Cluster{Beat: units.Second, Queues: []ClusterQueue{{Path: "root", Capacity: 100, Maximum: 100}, {Path: "root.prod", Capacity: 70.5, Maximum: 90},
		{Path: "root.prod.etl", Capacity: 100, Maximum: 100, UserLimit: 50, UserFactor: 2, Running: 7}, {Path: "root.adhoc", Capacity: 29.5, Maximum: 40}}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	a["/ws/v1/cluster/scheduler"] = `{"scheduler": {"schedulerInfo": {"type": "fifoScheduler", "capacity": 1.0}}}`
	if got, err = readCluster(t.Context(), "http://rm:8088", a, true); err != nil || len(got.Queues) != 0 {
		t.Errorf("another scheduler: %v %v", got, err)
	}
	a["/ws/v1/cluster/scheduler"] = `{"scheduler": {"schedulerInfo": {"queueName": "root", "capacity": "much"}}}`
	if _, err = readCluster(t.Context(), "http://rm:8088", a, true); err == nil || !strings.Contains(err.Error(), "http://rm:8088/ws/v1/cluster/scheduler: queue: it is not what a CapacityScheduler tells") {
		t.Errorf("a number that is none: %v", err)
	}
}

// What a job's configuration says: its deadline, and what its tasks take.
func TestJobHistoryDeadlines(t *testing.T) {
	for tags, want := range map[string]units.Duration{"in:60": 60 * units.Second, "dl:1795219120000,class:a": 120 * units.Second, "dl:1": 0, "in:-3,dl:x": 0, "in:99999999999999": 0} {
		s := server(false)
		s["jobs/job_1_0001/conf"] = `{"conf": {"property": [{"name": "mapreduce.job.tags", "value": "` + tags + `"}, {"name": "mapreduce.map.memory.mb", "value": "2048"}, {"name": "mapreduce.reduce.cpu.vcores", "value": "3"}]}}`
		got, _, err := s.read(t, 1, false)
		if err != nil || got[0].Deadline != want {
			t.Fatalf("%s: %v, %v, want %v", tags, got[0].Deadline, err, want)
		}
		if needs := []units.Vector{got[0].Stages[0].Needs, got[0].Stages[1].Needs}; needs[0][units.Memory] != int64(2*units.GB) || needs[0][units.VCores] != 1 || needs[1][units.Memory] != int64(units.GB) || needs[1][units.VCores] != 3 {
			t.Errorf("%v", needs)
		}
	}
}

// Where a second ApplicationMaster had to go on, none tells how long one takes to start.
func TestSecondMaster(t *testing.T) {
	jobs, _, err := readAll(t, "jhist", strings.Replace(asFile(), jhistHead, jhistHead+event("AMStarted", `"startTime": 1795219000500`), 1), false)
	if err != nil || jobs[0].Ran.Master != UnknownTime || len(jobs[0].Ran.Tasks) != 3 {
		t.Errorf("%+v, %v", jobs, err)
	}
	second := strings.ReplaceAll(asFile(), "1_0001", "1_0002")
	jobs, _, err = readAll(t, "jhist", asFile()+second, false)
	if err != nil || jobs[1].Ran.Master.Seconds() != 4 {
		t.Errorf("the next job: %+v, %v", jobs, err)
	}
}

// Of a job that was killed the list says that it has no tasks, as none committed.
func TestJobHistoryOfAKilledJob(t *testing.T) {
	s := server(false)
	s["jobs"] = strings.NewReplacer(`"mapsTotal": 1`, `"mapsTotal": 0`, `"reducesTotal": 1`, `"reducesTotal": 0`, "SUCCEEDED", "KILLED").Replace(s["jobs"])
	s["jobs/job_1_0001"] = `{"job": {"uberized": false, "mapsTotal": 1, "reducesTotal": 1}}`
	got, _, err := s.read(t, 20, false)
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestJobHistoryClasses(t *testing.T) {
	s := server(false)
	s["jobs/job_1_0001/conf"] = `{"conf": {"property": [{"name": "a", "value": "b"}, {"name": "mapreduce.job.tags", "value": "in:60,class:Nightly"}]}}`
	s["jobs/job_1_0001"] = `{"job": {"uberized": "true"}}`
	got, _, err := s.read(t, 1, false)
	if err != nil || got[0].Class != "nightly" || got[0].Ran != nil {
		t.Fatalf("%+v, %v", got, err)
	}
}

// Of each name the last jobs count, in order of submission; a job that is gone is an error, or left out.
func TestJobHistoryLast(t *testing.T) {
	s := server(false)
	job := func(id, name string, at int) string {
		return fmt.Sprintf(`{"id": %q, "name": %q, "submitTime": %d, "state": "SUCCEEDED", "mapsTotal": 1, "reducesTotal": 1}`, id, name, 1795219000000+at)
	}
	s["jobs"] = `{"jobs": {"job": [` + strings.Join([]string{job("job_1_0004", "other", 40), job("job_1_0001", "words", 0), job("job_1_0000", "words", -9)}, ",") + `]}}`
	jobs, _, err := s.read(t, 1, false)
	if want := `http://h/ws/v1/history/mapreduce/jobs/job_1_0004: it does not know that; is it a JobHistory server, and does it still have the job?`; len(jobs) != 1 || err == nil || err.Error() != want {
		t.Errorf("%v, %v", jobs, err)
	}
	jobs, r, err := s.read(t, 1, true)
	if err != nil || len(jobs) != 1 || r.Account().Left() != 1 {
		t.Errorf("%v, %v", jobs, err)
	}
}

func TestJobHistoryBad(t *testing.T) {
	const first = "http://h/ws/v1/history/mapreduce/jobs"
	task := first + "/job_1_0001/tasks/task_1_0001_m_000000"
	for path, c := range map[string]struct{ text, want string }{
		"jobs":                        {`<html>`, first + `: it is not JSON: invalid character '<' looking for beginning of value`},
		"jobs/job_1_0001":             {`7`, first + `/job_1_0001: a JSON number is not allowed there`},
		"jobs/job_1_0001/jobattempts": {`{"jobAttempts": {"jobAttempt": [{"startTime": -5}]}}`, first + `/job_1_0001/jobattempts: jobAttempts.jobAttempt[0].startTime: -5 is negative`},
		"jobs/job_1_0001/tasks":       {`{"tasks": {"task": 3}}`, first + `/job_1_0001/tasks: tasks.task: "3" is not a list`},
		"jobs/job_1_0001/tasks/task_1_0001_m_000000/counters": {`{"jobTaskCounters": {"taskCounterGroup": {"counter": {"name": "BYTES_READ", "value": "x"}}}}`,
			task + `/counters: tasks.task[0].jobTaskCounters.taskCounterGroup[0].counter[0].value: "x" is not a number`},
	} {
		s := server(true)
		s[path] = c.text
		if jobs, _, err := s.read(t, 20, false); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v\nwant %s", path, jobs, err, c.want)
		}
	}
	if _, _, err := (answers{"jobs": `{"jobs": null}`}).read(t, 20, false); err == nil || err.Error() != "http://h/: there is no job in it" {
		t.Error(err)
	}
}

// Whatever a server answers, the reader ends, and jobs that it returns can be.
func FuzzJobHistory(f *testing.F) {
	for _, other := range []bool{false, true} {
		for path, text := range server(other) {
			f.Add(path, text, other)
		}
	}
	f.Fuzz(func(t *testing.T, path, text string, lenient bool) {
		s := server(lenient)
		s[path] = text
		jobs, _, _ := s.read(t, 20, lenient)
		for i := range jobs {
			j := &jobs[i]
			if j.ID == "" || j.Ran == nil {
				continue
			}
			for _, u := range j.Ran.Tasks {
				if u.Start < 0 || u.End < u.Start || u.End > longest || u.Shuffle < 0 || u.Shuffle > u.End-u.Start {
					t.Fatalf("%+v", u)
				}
			}
		}
	})
}
