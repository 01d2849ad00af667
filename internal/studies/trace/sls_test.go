package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const slsSample = `{"num.nodes": 3, "num.racks": 1}
{
  "am.type": "mapreduce", "job.start.ms": 0, "job.end.ms": 95375, "job.queue.name": "q1", "job.id": "job_1", "job.user": "ann",
  "job.tasks": [
    {"container.host": "/default-rack/n1", "container.start.ms": 6664, "container.end.ms": 23707, "container.priority": 20, "container.type": "map"},
    {"container.host": "/default-rack/n3", "container.start.ms": "6665", "container.end.ms": "21593", "container.type": "map", "count": "3"},
    {"container.host": "/default-rack/n1", "container.duration.ms": 1000, "container.type": "reduce", "container.memory-mb": 1024, "container.vcores": 2}
  ]
}
{"am.type": "mapreduce", "job.start.ms": "105204", "job.queue.name": "q2", "job.id": "job_2", "job.count": 2, "job.tasks": []}
`

func TestSLS(t *testing.T) {
	want := []Job{
		{ID: "job_1", User: "ann", Queue: "q1", Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: []Stage{
			{Kind: workload.Map, Tasks: []Task{
				{Count: 1, Input: Unknown, Time: 17043 * units.Millisecond, Hosts: []string{"n1"}},
				{Count: 3, Input: Unknown, Time: 14928 * units.Millisecond, Hosts: []string{"n3"}}}},
			{Kind: workload.Reduce, Needs: units.Vector{units.VCores: 2, units.Memory: int64(units.GB)},
				Tasks: []Task{{Count: 1, Input: Unknown, Time: units.Second, Hosts: []string{"n1"}}}},
		}},
		{ID: "job_2_1", Queue: "q2", Submit: units.Time(105204 * units.Millisecond), Input: Unknown, Shuffle: Unknown, Output: Unknown},
		{ID: "job_2_2", Queue: "q2", Submit: units.Time(105204 * units.Millisecond), Input: Unknown, Shuffle: Unknown, Output: Unknown},
	}
	listed := "[" + strings.ReplaceAll(slsSample, "}\n{", "},\n{") + "]"
	for _, text := range []string{slsSample, listed} {
		all, _, err := readAll(t, "sls", text, false)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, all); d != "" {
			t.Fatal(d)
		}
	}
}

// Times since 1970 count from the first job.
func TestSLSSinceTheEpoch(t *testing.T) {
	all, _, err := readAll(t, "sls", `{"job.id":"a","job.start.ms":1795219333743}{"job.id":"b","job.start.ms":1795219334743}`, false)
	if err != nil || all[0].Submit != 0 || all[1].Submit != units.Time(units.Second) {
		t.Fatal(all, err)
	}
}

// What Hadoop's manual calls optional may be left out, and its name for how long a task takes is one. What is nearly
// the name of a key is a mistake, any other key that of somebody else.
func TestSLSOptional(t *testing.T) {
	all, r, err := readAll(t, "sls", `{"job.start.ms":0,"job.tasks":[{"count":2,"container.request.delay":1000,"container.execution.type":"GUARANTEED","duration.ms":2000,"container.priority":20,"container.start.ms":-1}]}
{"job.id":"a","job.start.ms":5,"my.note":"x","yarn.sls.am.type":"dag","job.label.expression":"gpu && ssd","job.tasks":[{"container.type":"reduce","duration.ms":3000,"container.duration.ms":3000}]}
{"job.start.ms":6,"job.count":2,"job.tasks":[{"container.start.ms":7,"container.end.ms":1007}]}`, false)
	maps := func(n int, time units.Duration) []Stage {
		return []Stage{{Kind: workload.Map, Tasks: []Task{{Count: n, Input: Unknown, Time: time}}}}
	}
	job := func(id string, at units.Duration, stages []Stage) Job {
		return Job{ID: id, Submit: units.Time(at * units.Millisecond), Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: stages}
	}
	a := job("a", 5, []Stage{{Kind: workload.Reduce, Tasks: []Task{{Count: 1, Input: Unknown, Time: 3 * units.Second}}}})
	a.Labels = []string{"gpu", "ssd"}
	want := []Job{job("0", 0, maps(2, 2*units.Second)), a, job("2", 6, maps(1, units.Second)), job("3", 6, maps(1, units.Second))}
	if d := cmp.Diff(want, all); d != "" || err != nil {
		t.Error(d, err)
	}
	accounted(t, r, "; no-name 3, input-unknown 4, shuffle-unknown 1")
}

func TestSLSBad(t *testing.T) {
	badInputs(t, "sls", "{\"job.id\":\"z\",\n\"job.start.ms\":5000}\n", "\n{\"job.id\":\"y\",\"job.start.ms\":9000}\n", "z y", map[string]string{
		`rubbish`: `t:3: found 'r'; a record is an object in braces`,
		`{"job.id":"a","job.start.ms":6000,"job.id":"b"}`:                                                    `t:3: the key "job.id" is given twice`,
		`{"job.id":"a","am.type":"x","am.type":"y","job.start.ms":6000,"job.tasks":[{"count":1,"count":2}]}`: `t:3: job.tasks[0]: the key "count" is given twice`,
		`{"job.id":"a",}`:                                                                            `t:3: it is not JSON: invalid character '}' looking for beginning of object key string`,
		"{\"job.id\":\n\n:}":                                                                         `t:5: it is not JSON: invalid character ':' looking for beginning of value`,
		"{\"job.id\":\"\xff\"}":                                                                      `t:3: "\"job.id\":\"\xff\"}" is not UTF-8`,
		`{"job.id":"a"}`:                                                                             `t:3: job.start.ms: it is missing; a job needs a time of submission`,
		`{"job.id":"a","job.start.ms":-1}`:                                                           `t:3: job.start.ms: -1 is negative`,
		`{"job.id":"a","job.start.ms":4000}`:                                                         `t:3: job.start.ms: 4s is before the 5s of the job before; slackline workload import --sort puts a trace in order`,
		`{"job.id":"a","job.start.ms":4000000000000000}`:                                             `t:3: job.start.ms: 4000000000000000 ms are more than 30 years from the start of the trace`,
		`{"job.id":"a","job.start.ms":"x"}`:                                                          `t:3: job.start.ms: "x" is not a number`,
		`{"job.id":"z","job.start.ms":6000}`:                                                         `t:3: job "z" was already listed`,
		`{"job.id":"a","job.start.ms":6000,"job.count":0}`:                                           `t:3: job.count: 0 is not from 1 to 10000000`,
		`{"job.id":"a","job.start.ms":6000,"job.priority":1e9}`:                                      `t:3: job.priority: 1000000000 is more than 1000000`,
		`{"job.id":"a","job.start.ms":6000,"job.user":{}}`:                                           `t:3: job.user: "{}" is not a text`,
		`{"job.id":"a","job.start.ms":6000,"job.taks":[]}`:                                           `t:3: unknown key "job.taks"; did you mean "job.tasks"?`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"my.own":1,"durations.ms":8}]}`:             `t:3: job.tasks[0]: unknown key "durations.ms"; did you mean "duration.ms"?`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":{}}`:                                          `t:3: job.tasks: "{}" is not a list`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[[]]}`:                                        `t:3: job.tasks[0]: a JSON array is not allowed there`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"container.type":"map","count":-1}]}`:       `t:3: job.tasks[0].count: -1 is negative`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"container.type":"map","count":99000000}]}`: `t:3: job.tasks[0].count: 99000000 is not from 1 to 10000000`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"container.type":"map","container.start.ms":9,"container.end.ms":8}]}`: `t:3: job.tasks[0].container.end.ms: 8 is before the start at 9`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"duration.ms":7,"container.duration.ms":3000}]}`:                       `t:3: job.tasks[0].duration.ms: 7 contradicts container.duration.ms, which is 3000: both say how long the task takes; leave one out`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"container.type":"map","container.duration.ms":1e18}]}`:                `t:3: job "a" has a task of more than 30 years`,
		`{"job.id":"a","job.start.ms":6000,"job.tasks":[{"container.type":"map","container.memory-mb":1e18}]}`:                  `t:3: job.tasks[0]: it needs 1000000000000000000 MB and 0 cores, which no node has`,
	})
	badInputs(t, "sls", "{\"job.id\":\"z\",\"job.start.ms\":5000}\n", "", "z", map[string]string{
		`{"job.id":"a","job.start.ms":"`: `t:2: the file ends within the record`,
	})
	badInputs(t, "sls", "[{\"job.id\":\"z\",\"job.start.ms\":5000},\n", "", "z", map[string]string{
		"\n ": `t:3: the file ends before its list does`,
	})
}

// import(export(x)) == x for all that SLS can say.
func TestSLSRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var jobs []Job
		for _, j := range anyJobs(units.Millisecond).Draw(rt, "jobs") {
			said := Job{ID: j.ID, Queue: j.Queue + "q", User: j.User + "u", Submit: j.Submit, Priority: max(0, j.Priority), Input: Unknown, Shuffle: Unknown, Output: Unknown}
			for _, s := range j.Stages {
				if s.Kind != workload.Map && s.Kind != workload.Reduce {
					continue
				}
				s.Needs[units.Memory] = s.Needs[units.Memory] / int64(units.MB) * int64(units.MB)
				tasks := s.Tasks
				s.Tasks = nil
				for _, u := range tasks {
					u.Time, u.Shuf, u.Input = max(0, u.Time), 0, Unknown
					if u.Hosts != nil {
						u.Hosts = u.Hosts[1:]
					}
					s.Add(u)
				}
				said.Stages = append(said.Stages, s)
			}
			if said.Stages != nil && (jobs != nil || said.Submit < units.Time(epoch)) {
				jobs = append(jobs, said)
			}
		}
		if jobs == nil {
			return
		}
		back, _, err := readAll(t, "sls", write(t, "sls", jobs), false)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(jobs, back); d != "" {
			rt.Fatal(d)
		}
	})
}

func TestSLSCannotSay(t *testing.T) {
	f, _ := Find("sls")
	for want, j := range map[string]Job{
		`job "a" has no tasks, SLS needs some`:            {ID: "a"},
		`job "a" has tasks without a time, SLS needs one`: {ID: "a", Stages: []Stage{{Kind: workload.Map, Tasks: []Task{{Count: 1, Time: UnknownTime}}}}},
		`job "a", the first, is submitted 1200d after the start of the trace, which SLS would read as a time since 1970`: {ID: "a", Submit: units.Time(1200 * units.Day), Stages: []Stage{{Kind: workload.Map, Tasks: []Task{{Count: 1}}}}},
		`job "a" has a stage other0, but SLS knows only map and reduce`:                                                  {ID: "a", Stages: []Stage{{Kind: workload.Other0, Tasks: []Task{{Count: 1}}}}},
	} {
		w, err := f.Create(&strings.Builder{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&j); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	swim, _ := Find("swim")
	if _, err := swim.Create(nil); err == nil || err.Error() != "traces cannot be written as swim; they can be written as slackline and sls" {
		t.Error(err)
	}
}

func FuzzSLS(f *testing.F) {
	f.Add(slsSample, false)
	f.Add("["+slsSample+`,x{"job.id":"a","job.tasks":[{}]`, true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "sls", text, lenient) })
}
