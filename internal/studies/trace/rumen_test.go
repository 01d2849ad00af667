package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const rumenSample = `{
  "jobID" : "job_1", "user" : "ann", "queue" : "root.q", "jobName" : "words", "priority" : "HIGH", "outcome" : "SUCCESS",
  "submitTime" : 1795219000000, "totalMaps" : 2, "totalReduces" : 1, "jobMapMB" : 1024, "jobReduceMB" : -1,
  "mapTasks" : [ {
    "inputBytes" : 700, "outputBytes" : 90,
    "attempts" : [ {"result" : "FAILED", "startTime" : 1795219000500, "finishTime" : 1795219001000},
                   {"result" : "SUCCESS", "startTime" : 1795219002500, "finishTime" : 1795219009000, "shuffleFinished" : -1} ],
    "preferredLocations" : [ {"layers" : [ "r1", "n1" ]}, {"layers" : [ "r2", "n3" ]} ]
  }, { "inputBytes" : 800, "outputBytes" : 90, "attempts" : [ ], "preferredLocations" : [ ] } ],
  "reduceTasks" : [ { "inputBytes" : 300, "outputBytes" : 40,
    "attempts" : [ {"result" : "SUCCESS", "startTime" : 1795219008000, "shuffleFinished" : 1795219009250, "sortFinished" : 1795219009300, "finishTime" : 1795219012000} ] } ],
  "otherTasks" : [ ]
}
{ "jobID" : "job_2", "submitTime" : 1795219060000, "totalMaps" : 3, "totalReduces" : 0, "mapTasks" : [ ] }
`

func TestRumen(t *testing.T) {
	all, _, err := readAll(t, "rumen", rumenSample, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Job{
		{ID: "job_1", Class: "words", User: "ann", Queue: "root.q", Priority: 1, Input: 1500, Shuffle: 300, Output: 40, Stages: []Stage{
			{Kind: workload.Map, Needs: units.Vector{units.VCores: 1, units.Memory: int64(units.GB)}, Tasks: []Task{
				{Count: 1, Input: 700, Time: 6500 * units.Millisecond, Hosts: []string{"n1", "n3"}},
				{Count: 1, Input: 800, Time: UnknownTime}}},
			{Kind: workload.Reduce, Tasks: []Task{{Count: 1, Input: 300, Time: 2750 * units.Millisecond, Shuf: 250 * units.Millisecond}}},
		}},
		{ID: "job_2", Submit: units.Time(units.Minute), Input: Unknown, Output: Unknown, Stages: []Stage{
			{Kind: workload.Map, Tasks: []Task{{Count: 3, Input: Unknown, Time: UnknownTime}}}}},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
}

// What TraceBuilder of Hadoop 3.4.2 wrote; the sample is cut in the middle of a task.
func TestRumenOfHadoop(t *testing.T) {
	text := samples(t, "rumen-trace-head.json")
	if _, _, err := readAll(t, "rumen", text, false); err == nil || err.Error() != "t:1: the file ends within the record" {
		t.Fatal(err)
	}
	all, _, err := readAll(t, "rumen", text[:strings.LastIndex(text, ", {")]+"]}", false)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	maps := all[0].Stage(workload.Map).Tasks
	if len(maps) != 4 || maps[0].Time != 32436*units.Millisecond || maps[0].Input != 8392795 || maps[3].Count != 4 || all[0].Stage(workload.Reduce).Count() != 2 {
		t.Fatalf("%+v", all[0])
	}
}

func TestRumenBad(t *testing.T) {
	job := func(rest string) string { return `{"jobID":"a","submitTime":1795219006000` + rest + `}` }
	badInputs(t, "rumen", "{\"jobID\":\"z\",\n\"submitTime\":1795219005000}\n", "\n{\"jobID\":\"y\",\"submitTime\":1795219050000}\n", "z y", map[string]string{
		`]`: `t:3: found ']'; a record is an object in braces`,
		`{"jobID":"a","outcome":"FAILED","outcome":"SUCCESS"}`: `t:3: the key "outcome" is given twice`,
		`{"jobID":}`:           `t:3: it is not JSON: invalid character '}' looking for beginning of value`,
		"{\"jobID\":\"\xff\"}": `t:3: "{\"jobID\":\"\xff\"}" is not UTF-8`,
		`{}`:                   `t:3: jobID: it is empty`,
		`{"jobID":"a","submitTime":1795219004000}`:                               `t:3: submitTime: -1s is before the start of the trace`,
		`{"jobID":"a","submitTime":17952190040000}`:                              `t:3: submitTime: 17952190040000 ms are more than 30 years from the start of the trace`,
		`{"jobID":"z","submitTime":1795219006000}`:                               `t:3: job "z" was already listed`,
		job(`,"priority":"SOME"`):                                                `t:3: priority: "SOME" is not VERY_LOW, LOW, NORMAL, HIGH or VERY_HIGH`,
		job(`,"queue":[1]`):                                                      `t:3: queue: "[1]" is not a text`,
		job(`,"totalMaps":-2`):                                                   `t:3: totalMaps: -2 is negative`,
		job(`,"totalMaps":20000000`):                                             `t:3: job "a" has more than 10000000 tasks`,
		job(`,"totalMaps":2000000000000`):                                        `t:3: totalMaps: 2000000000000 is more than any cluster has`,
		job(`,"mapTask":[]`):                                                     `t:3: unknown key "mapTask"; did you mean "mapTasks"?`,
		job(`,"mapTasks":[{"attempts":[{"my.own":1,"finishTimes":5}]}]`):         `t:3: mapTasks[0].attempts[0]: unknown key "finishTimes"; did you mean "finishTime"?`,
		job(`,"mapTasks":{}`):                                                    `t:3: mapTasks: "{}" is not a list`,
		job(`,"mapTasks":[{},[]]`):                                               `t:3: mapTasks[1]: a JSON array is not allowed there`,
		job(`,"mapTasks":[{"inputBytes":-5}]`):                                   `t:3: mapTasks[0].inputBytes: -5 is negative`,
		job(`,"reduceTasks":[{"outputBytes":"x"}]`):                              `t:3: reduceTasks[0].outputBytes: "x" is not a number`,
		job(`,"mapTasks":[{"attempts":[{"result":"SUCCESS","startTime":"?"}]}]`): `t:3: mapTasks[0].attempts[0].startTime: "?" is not a number`,
		job(`,"mapTasks":[{"preferredLocations":[{"layers":[{}]}]}]`):            `t:3: mapTasks[0].preferredLocations[0].layers[0]: "{}" is not a text`,
	})
}

// What did not end well is left out, as Gridmix does, and so is what has no time at all; a time that cannot be is
// repaired as Hadoop's ZombieJob does.
func TestRumenAccount(t *testing.T) {
	job := func(id, outcome, more string) string {
		return `{"jobID":"` + id + `","outcome":` + outcome + `,"totalMaps":1,"totalReduces":0` + more + "}\n"
	}
	at := func(rest string) string { return `,"submitTime":17952190` + rest }
	maps := func(start, end string, more string) string {
		return `,"mapTasks":[{"inputBytes":null,"outputBytes":7,"attempts":[{"result":"FAILED","hdfsBytesRead":9},{"result":"SUCCESS","startTime":` + start + `,"finishTime":` + end + more + `}]}]`
	}
	text := job("good", `"SUCCESS"`, at("00000")+maps("1795219001000", "1795219004000", `,"hdfsBytesRead":5,"hdfsBytesWritten":3`)) +
		job("failed", `"FAILED"`, at("01000")) + job("killed", `"KILLED"`, at("02000")+`,"mapTasks":[]`) + job("runs", `"RUNNING"`, at("03000")) +
		job("zero", "null", at("04000")+maps("0", "1795219004000", `,"hdfsBytesRead":-1,"mapInputBytes":6`)) +
		job("back", `"SUCCESS"`, at("05000")+maps("1795219001000", "1795219000990", "")) +
		job("undated", `"SUCCESS"`, `,"submitTime":-1,"launchTime":null`) +
		job("late", `"SUCCESS"`, `,"submitTime":"-1","launchTime":1795219007000,"heapMegabytes":200`+maps("1795219007000", "1795219007000", "")) +
		`{"jobID":"reduces","submitTime":1795219008000,"totalMaps":0,"totalReduces":2,"reduceTasks":[
		 {"inputBytes":0,"attempts":[{"result":"SUCCESS","startTime":1795219009000,"finishTime":1795219008990,"reduceShuffleBytes":11,"hdfsBytesWritten":4}]},
		 {"inputBytes":12,"attempts":[{"result":"SUCCESS","startTime":1795219009000,"shuffleFinished":0,"finishTime":1795219009990,"reduceShuffleBytes":0}]}]}`
	all, r, err := readAll(t, "rumen", text, false)
	if err != nil {
		t.Fatal(err)
	}
	one := func(read units.Bytes, time units.Duration) []Stage {
		return []Stage{{Kind: workload.Map, Tasks: []Task{{Count: 1, Input: read, Time: time}}}}
	}
	late := one(Unknown, 0)
	late[0].Needs = units.Vector{units.VCores: 1, units.Memory: 200 * int64(units.MB)}
	want := []Job{
		{ID: "good", Input: 5, Output: 3, Stages: one(5, 3*units.Second)},
		{ID: "zero", Submit: units.Time(4 * units.Second), Input: 6, Output: 7, Stages: one(6, UnknownTime)},
		{ID: "back", Submit: units.Time(5 * units.Second), Input: Unknown, Output: 7, Stages: one(Unknown, 100*units.Millisecond)},
		{ID: "late", Submit: units.Time(7 * units.Second), Input: Unknown, Output: 7, Stages: late},
		{ID: "reduces", Submit: units.Time(8 * units.Second), Input: Unknown, Shuffle: 23, Output: Unknown, Stages: []Stage{{Kind: workload.Reduce, Tasks: []Task{
			{Count: 1, Input: 11, Time: UnknownTime}, {Count: 1, Input: 12, Time: 990 * units.Millisecond}}}}},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Error(d)
	}
	accounted(t, r, "failed 1, killed 1, not-ended 1, no-submit-time 1; time-unknown 2, clock-back 2, input-unknown 3, submit-by-start 1")
}

func FuzzRumen(f *testing.F) {
	f.Add(rumenSample, false)
	f.Add(strings.ReplaceAll(rumenSample, " : ", ":")+"}{", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "rumen", text, lenient) })
}
