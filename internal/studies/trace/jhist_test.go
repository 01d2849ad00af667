package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// event makes a line of a history.
func event(class, body string) string {
	return fmt.Sprintf("{\"type\": \"X\", \"event\": {\"org.apache.hadoop.mapreduce.jobhistory.%s\": {%s}}}\n", class, body)
}

const jhistHead = "Avro-Json\n{\"type\":\"record\"}\n"

// history is that of a job of two maps and a reduce, with an attempt that failed one that was slower than its copy, and
// two that were killed, one of them as its copy had committed.
func history(job string, submit int) string {
	at := func(ms int) int { return 1795219000000 + submit + ms }
	b := &strings.Builder{}
	b.WriteString(jhistHead)
	fmt.Fprint(b, event("JobSubmitted", fmt.Sprintf(`"jobid": "job_%s", "jobName": "words", "userName": "ann", "submitTime": %d, "jobQueueName": {"string": "default"}`, job, at(0))))
	b.WriteString("\n")
	fmt.Fprint(b, event("JobQueueChange", fmt.Sprintf(`"jobid": "job_%s", "jobQueueName": "root.default"`, job)))
	fmt.Fprint(b, event("JobInited", fmt.Sprintf(`"jobid": "job_%s", "totalMaps": 2, "totalReduces": 1`, job)))
	task := func(name string) string { return fmt.Sprintf(`"taskid": "task_%s_%s"`, job, name) }
	attempt := func(name string) string { return fmt.Sprintf(`"attemptId": "attempt_%s_%s"`, job, name) }
	start := func(name, try string, ms int) {
		fmt.Fprint(b, event("TaskAttemptStarted", fmt.Sprintf("%s, %s, \"startTime\": %d", task(name), attempt(name+try), at(ms))))
	}
	fmt.Fprint(b, event("TaskStarted", task("m_000000")+`, "splitLocations": "n1,/r1/n2"`))
	start("m_000000", "_0", 1000)
	fmt.Fprint(b, event("TaskAttemptUnsuccessfulCompletion", task("m_000000")+","+attempt("m_000000_0")+`, "status": "FAILED"`))
	start("m_000000", "_1", 2000)
	start("m_000000", "_2", 2500)
	killed := func(name string, ms int) {
		fmt.Fprint(b, event("TaskAttemptUnsuccessfulCompletion", fmt.Sprintf(`%s, %s, "status": "KILLED", "hostname": "n3", "finishTime": %d`, task(name[:8]), attempt(name), at(ms))))
	}
	start("m_000000", "_3", 3000)
	start("m_000000", "_4", 3500)
	killed("m_000000_3", 5000) // for another reason
	counted := func(name string, n int) string {
		return fmt.Sprintf(`"counters": {"name": "C", "groups": [{"name": "G", "counts": [{"name": "OTHER", "value": -5}, {"name": "%s", "value": %d}]}]}`, name, n)
	}
	fmt.Fprint(b, event("MapAttemptFinished", fmt.Sprintf(`%s, %s, "taskStatus": "SUCCEEDED", "finishTime": %d, %s`, task("m_000000"), attempt("m_000000_2"), at(9000), counted("BYTES_READ", 700))))
	fmt.Fprint(b, event("MapAttemptFinished", fmt.Sprintf(`%s, %s, "taskStatus": "SUCCEEDED", "finishTime": %d`, task("m_000000"), attempt("m_000000_1"), at(9100))))
	killed("m_000000_4", 9200)
	start("r_000000", "_0", 8000)
	start("s_000000", "_0", 8000)
	fmt.Fprint(b, event("ReduceAttemptFinished", fmt.Sprintf(`%s, %s, "taskStatus": "SUCCEEDED", "shuffleFinishTime": %d, "finishTime": %d, %s`, task("r_000000"), attempt("r_000000_0"), at(9250), at(12000), counted("REDUCE_SHUFFLE_BYTES", 300))))
	fmt.Fprint(b, event("JobFinished", fmt.Sprintf(`"jobid": "job_%s", "finishTime": %d, "mapCounters": {"groups": [{"counts": [{"name": "HDFS_BYTES_READ", "value": 1500}]}]}, "reduceCounters": {"groups": [{"counts": [{"name": "BYTES_WRITTEN", "value": 40}]}]}`, job, at(12500))))
	return b.String()
}

func TestJHist(t *testing.T) {
	all, _, err := readAll(t, "jhist", history("1_0001", 0)+history("1_0002", 60000), false)
	if err != nil {
		t.Fatal(err)
	}
	want := Job{ID: "job_1_0001", Class: "words", User: "ann", Queue: "root.default", Input: 1500, Shuffle: 300, Output: 40, Stages: []Stage{
		{Kind: workload.Map, Tasks: []Task{
			{Count: 1, Input: 700, Time: 6500 * units.Millisecond, Hosts: []string{"n1", "n2"}},
			{Count: 1, Input: Unknown, Time: UnknownTime}}},
		{Kind: workload.Reduce, Tasks: []Task{{Count: 1, Input: 300, Time: 2750 * units.Millisecond, Shuf: 250 * units.Millisecond}}},
	}}
	want.Ran = &Ran{Submitted: 1795219000000, Committed: true, Began: UnknownTime, Master: UnknownTime, Tasks: []RanTask{
		{Kind: workload.Map, Start: 2500 * units.Millisecond, End: 9 * units.Second, Input: 700, Output: Unknown, Records: -1},
		{Overtaken: true, Kind: workload.Map, Start: 2 * units.Second, End: 9 * units.Second, Input: 700, Output: Unknown, Records: -1},
		{Overtaken: true, Kind: workload.Map, Host: "n3", Start: 3500 * units.Millisecond, End: 9 * units.Second, Input: 700, Output: Unknown, Records: -1},
		{Kind: workload.Reduce, Start: 8 * units.Second, Shuffle: 1250 * units.Millisecond, End: 12 * units.Second, Input: 300, Output: Unknown, Records: -1},
	}}
	second := want
	second.Ran = new(*want.Ran)
	second.Ran.Submitted += 60_000
	second.ID, second.Submit = "job_1_0002", units.Time(units.Minute)
	if d := cmp.Diff([]Job{want, second}, all); d != "" {
		t.Fatal(d)
	}
}

// samples are files that Hadoop 3.5.0 wrote, $SLACKLINE_HADOOP or beside the project. They are no part of it.
func samples(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SLACKLINE_HADOOP")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "reference", "hadoop-tried", "samples")
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("the sample is not there: %v", err)
	}
	return string(text)
}

// A history that Hadoop 3.5.0 wrote, cut to one event of a kind.
func TestJHistOfHadoop(t *testing.T) {
	all, _, err := readAll(t, "jhist", samples(t, "wordcount-trimmed.jhist"), false)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	j := all[0]
	if j.ID != "job_1795219284734_0001" || j.Class != "word count" || j.Queue != "root.default" || j.Input != 52453428 ||
		j.Stage(workload.Map).Count() != 7 || j.Stage(workload.Reduce).Count() != 2 {
		t.Fatalf("%+v", j)
	}
	// The map whose start was cut off is of unknown time; the reduce began behind the last map that is left.
	r := j.Stage(workload.Reduce).Tasks[0]
	if r.Time != 1108*units.Millisecond || r.Shuf != 17214*units.Millisecond {
		t.Fatalf("%+v", r)
	}
}

func TestJHistBad(t *testing.T) {
	whole := history("1_0001", 0)
	lines := strings.SplitAfter(whole, "\n")
	head, tail := strings.Join(lines[:6], ""), strings.Join(lines[6:], "")
	badInputs(t, "jhist", head, tail, "job_1_0001", map[string]string{
		"{\"event\":{},\"event\":{}}\n": `t:7: the key "event" is given twice`,
		"{\"type\"\n":                   `t:7: it is not JSON: unexpected end of JSON input`,
		"{\"type\":\"\xff\"}\n":         `t:7: "{\"type\":\"\xff\"}" is not UTF-8`,
		"7\n":                           `t:7: a JSON number is not allowed there`,
		event("TaskStarted", `"taskid": "task_1_0002_m_000000"`):                                                       `t:7: taskid: the event of task "task_1_0002_m_000000" is in the history of job "job_1_0001"`,
		event("TaskStarted", `"taskid": "m_000000"`):                                                                   `t:7: taskid: "m_000000" is not the name of a task`,
		event("TaskStarted", `"taskid": "task_1_0001_m_000002"`):                                                       `t:7: taskid: there is "task_1_0001_m_000002", but the job has only 2 such tasks`,
		event("TaskStarted", `"taskid": "task_1_0001_m_-1"`):                                                           `t:7: taskid: "task_1_0001_m_-1" is not the name of a task`,
		event("TaskAttemptStarted", `"taskid": "task_1_0001_m_000001", "attemptId": "a", "startTime": -4`):             `t:7: startTime: -4 is negative`,
		event("TaskAttemptStarted", `"taskid": "task_1_0001_m_000001", "startTime": 4`):                                `t:7: attemptId: it is empty`,
		event("JobInited", `"jobid": "job_1_0001", "totalMaps": 99999999`):                                             `t:7: job "job_1_0001" has more than 10000000 tasks`,
		event("JobInited", `"jobid": "job_7_0001", "totalMaps": 9`):                                                    `t:7: jobid: the event of job "job_7_0001" is in the history of job "job_1_0001"`,
		event("MapAttemptFinished", `"taskid": "task_1_0001_m_000001", "taskStatus": "SUCCEEDED", "finishTime": 1e30`): `t:7: finishTime: "1e30" is too large`,
		event("MapAttemptFinished", `"taskid": "task_1_0001_m_000001", "taskStatus": "SUCCEEDED", "counters": {"groups": [{"counts": [{"name": "BYTES_READ", "value": -7}]}]}`): `t:7: counters.groups[0].counts[0].value: -7 is negative`,
		event("MapAttemptFinished", `"taskid": "task_1_0001_m_000001", "taskStatus": "SUCCEEDED", "counters": {"groups": {}}`):                                                  `t:7: counters.groups: a JSON object is not allowed there`,
		event("JobFinished", `"jobid": "job_1_0003"`): `t:7: jobid: the event of job "job_1_0003" is in the history of job "job_1_0001"`,
	})
	fatalInputs(t, "jhist", map[string]string{
		"{}\n":          `t:1: the file does not begin with a line Avro-Json, as job histories in JSON do`,
		"Avro-Binary\n": `t:1: it is a job history in binary; set mapreduce.jobhistory.jhist.format=json`,
		"Meta VERSION=\"1\" .\nJob JOBID=\"job_1_1\" .\n": `t:1: it is a job history of Hadoop 0.20 or 1, which cannot be read; write what you need of it in Slackline's own form`,
	})
	n := strings.Count(whole, "\n")
	badInputs(t, "jhist", whole, "", "job_1_0001", map[string]string{
		history("1_0001", 60000):                fmt.Sprintf(`t:%d: job "job_1_0001" was already listed`, 2*n),
		head:                                    fmt.Sprintf(`t:%d: the file ends before job "job_1_0001" does`, n+7),
		history("1_0002", -60):                  fmt.Sprintf(`t:%d: submitTime: -60ms is before the start of the trace`, 2*n),
		event("JobQueueChange", `"jobid": "j"`): fmt.Sprintf(`t:%d: jobid: the event of job "j" is outside of its history`, n+1),
	})
	badInputs(t, "jhist", head, whole[len(jhistHead):], "job_1_0001", map[string]string{"": `t:7: jobid: job "job_1_0001" begins before job "job_1_0001" has ended`})
	badInputs(t, "jhist", head, whole, "job_1_0001", map[string]string{"": `t:7: another history begins before job "job_1_0001" has ended`})
}

func FuzzJHist(f *testing.F) {
	f.Add(history("1_0001", 0), false)
	f.Add(history("1_0001", 0)+history("2_0001", 5), true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "jhist", text, lenient) })
}
