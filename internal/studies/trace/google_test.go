package trace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const googleJSON = `{"time":"600000000","type":"0","collection_id":"7","collection_type":"0","priority":"200","user":"ann=","collection_logical_name":"logs=","alloc_collection_id":"0"}
{"time":"600000001","type":"0","collection_id":"7","collection_type":"0","instance_index":"1","resource_request":{"cpus":0.1,"memory":0.02}}
{"time":"600000001","type":"0","collection_id":"7","instance_index":"0"}
{"time":"600500000","type":"SCHEDULE","collection_id":"7","instance_index":"0","machine_id":"5"}
{"time":"600500000","type":"3","collection_id":"7","instance_index":"1"}
{"time":"601000000","type":"4","collection_id":"7","instance_index":"1"}
{"time":"602000000","type":"3","collection_id":"7","instance_index":"1"}
{"time":"604500000","type":"6","collection_id":"7","instance_index":"1"}
{"time":"610500000","type":"7","collection_id":"7","instance_index":"0"}
{"time":"610500000","type":"7","collection_id":"7"}
{"time":"600000000","type":"0","collection_id":"8","collection_type":"1"}
{"time":"600000005","type":"3","collection_id":"8","instance_index":"0"}
{"time":"620000000","type":"0","collection_id":"9","collection_type":"JOB","start_after_collection_ids":["7","3"]}
{"time":"620000000","type":"0","collection_id":"9","instance_index":"0"}
{"time":"9223372036854775807","type":"3","collection_id":"9","instance_index":"0"}
`

const googleCSV = `time,type,collection_id,scheduling_class,missing_type,collection_type,priority,user,"collection_logical_name",start_after_collection_ids,instance_index,begun
600000000,0,7,2,,0,200,ann=,"logs=",,,600000000
600000001,0,7,2,,0,200,,,,1,600000000
600000001,0,7,2,,0,200,,,,0,600000000
600500000,3,7,2,,0,200,,,,0,600000000
600500000,3,7,2,,0,200,,,,1,600000000
601000000,4,7,2,,0,200,,,,1,600000000
602000000,3,7,2,,0,200,,,,1,600000000
604500000,6,7,2,,0,200,,,,1,600000000
610500000,7,7,2,,0,200,,,,0,600000000
600000000,0,8,2,,1,200,,,,,600000000
620000000,0,9,2,,0,,,,"[7, 3]",,620000000
620000000,0,9,2,,0,,,,,0,620000000
`

func TestGoogle(t *testing.T) {
	want := []Job{
		{ID: "c7", Class: "logs=", User: "ann=", Priority: 200, Submit: units.Time(600 * units.Second), Input: Unknown, Shuffle: Unknown, Output: Unknown,
			Stages: []Stage{{Kind: workload.Map, Tasks: []Task{
				{Count: 1, Input: Unknown, Time: 10 * units.Second}, {Count: 1, Input: Unknown, Time: 2500 * units.Millisecond}}}}},
		{ID: "c9", Submit: units.Time(620 * units.Second), After: []string{"c7"}, Input: Unknown, Shuffle: Unknown, Output: Unknown,
			Stages: []Stage{{Kind: workload.Map, Tasks: []Task{{Count: 1, Input: Unknown, Time: UnknownTime}}}}},
	}
	for _, text := range []string{googleJSON, googleCSV} {
		all, r, err := readAll(t, "google", text, false)
		if err != nil {
			t.Fatal(err)
		}
		if left := r.Account().LeftOut; len(left) != 1 || left[0].Why != "alloc sets, which are not jobs" || left[0].Count != 1 {
			t.Errorf("left out: %+v", left)
		}
		if d := cmp.Diff(want, all); d != "" {
			t.Fatal(d)
		}
	}
}

func TestGoogleBad(t *testing.T) {
	job := func(id string, at int, rest string) string {
		return fmt.Sprintf("{\"time\":%d,\"type\":0,\"collection_id\":%q%s}", at, id, rest)
	}
	before, after := job("1", 5e6, "")+"\n", "\n"+job("3", 50e6, "")+"\n"
	badInputs(t, "google", before, after, "c1 c3", map[string]string{
		`{"time":`:                                          `t:2: it is not JSON: unexpected end of JSON input`,
		"{\"time\":\"\xff\"}":                               `t:2: "{\"time\":\"\xff\"}" is not UTF-8`,
		job("2", 6e6, `,"time":7000000`):                    `t:2: the key "time" is given twice`,
		job("2", 6e6, `,"instance_idx":0`):                  `t:2: unknown key "instance_idx"; did you mean "instance_index"?`,
		`{"time":6000000,"type":0}`:                         `t:2: collection_id: it is empty`,
		job("1", -6, ""):                                    `t:2: time: -6 is negative`,
		job("1", 4e6, ""):                                   `t:2: time: 4000000 is before the 5000000 of the row before; order the rows of a collection by time`,
		job("2", 4e6, ""):                                   `t:2: time: 4s is before the 5s of the job before; slackline workload import --sort puts a trace in order`,
		job("2", 1e17, ""):                                  `t:2: time: 100000000000000000 µs are more than 30 years`,
		job("2", 6e6, `,"priority":"high"`):                 `t:2: priority: "high" is not a number`,
		job("2", 6e6, `,"priority":2000000000`):             `t:2: priority: 2000000000 is more than 1000000`,
		job("2", 6e6, `,"collection_type":2`):               `t:2: collection_type: "2" is not from 0 to 1`,
		job("2", 6e6, `,"instance_index":0`):                `t:2: collection_id: the rows of collection "2" do not begin with its SUBMIT; order them by begin of collection, collection and time`,
		job("2", 6e6, `,"start_after_collection_ids":"x"`):  `t:2: start_after_collection_ids: "\"x\"" is not a list`,
		job("1", 6e6, `,"instance_index":"-3"`):             `t:2: instance_index: -3 is negative`,
		`{"time":6000000,"type":"DANCE","collection_id":1}`: `t:2: type: "DANCE" is not a number`,
		`{"time":6000000,"type":11,"collection_id":1}`:      `t:2: type: "11" is not from 0 to 10`,
		`{"time":6000000,"type":3,"collection_id":2}`:       `t:2: collection_id: the rows of collection "2" do not begin with its SUBMIT; order them by begin of collection, collection and time`,
		`{"type":0,"collection_id":1}`:                      `t:2: it has no type or no time`,
	})
	// A collection whose rows do not stand together.
	badInputs(t, "google", before+job("2", 6e6, "")+"\n", after, "c1 c2 c3", map[string]string{
		`{"time":7000000,"type":3,"collection_id":1,"instance_index":0}`: `t:3: collection_id: the rows of collection "1" do not begin with its SUBMIT; order them by begin of collection, collection and time`,
		job("1", 6e6, ""): `t:3: job "c1" was already listed`,
	})
	head := "time,type,collection_id,instance_index\n"
	badInputs(t, "google", head+"5000000,0,1,\n", "\n50000000,0,3,", "c1 c3", map[string]string{
		"6000000,0,2":      `t:3: it has 3 fields, the heading has 4`,
		"6000000,0,2,,":    `t:3: it has 5 fields, the heading has 4`,
		"6000000,0,\xff,":  `t:3: collection_id: "\xff" is not UTF-8`,
		"x,0,2,":           `t:3: time: "x" is not a number`,
		"\"6000000,0,2,\"": `t:3: it has 1 fields, the heading has 4`,
	})
	fatalInputs(t, "google", map[string]string{
		"time,type,collection_id,instance_index,usr\n": `t:1: unknown key "usr"; did you mean "user"?`,
		"5000000,0,1,0\n": `t:1: the heading has no column time; export the tables with their headings, or as JSON`,
	})
}

// A job that ended badly while it ran is said so, whichever of its tasks ended before it.
func TestGoogleEndedBadly(t *testing.T) {
	for event, want := range map[int]string{4: "ended-badly 1", 5: "ended-badly 1", 6: "", 7: "ended-badly 1", 8: "ended-badly 1"} {
		text := fmt.Sprintf(`{"time":5000000,"type":0,"collection_id":"1"}
{"time":5000001,"type":0,"collection_id":"1","instance_index":"0"}
{"time":6000000,"type":3,"collection_id":"1","instance_index":"0"}
{"time":9000000,"type":%[1]d,"collection_id":"1","instance_index":"0"}
{"time":9000000,"type":%[1]d,"collection_id":"1"}
`, event)
		all, r, err := readAll(t, "google", text, false)
		if err != nil || len(all) != 1 || all[0].Stages[0].Tasks[0].Time != 3*units.Second {
			t.Fatal(event, all, err)
		}
		got := ""
		for _, c := range r.Account().FilledIn {
			if c.Reason == "ended-badly" {
				got = fmt.Sprintf("%s %d", c.Reason, c.Count)
			}
		}
		if got != want {
			t.Errorf("ended with %d: %q, want %q", event, got, want)
		}
	}
}

func FuzzGoogle(f *testing.F) {
	lines := strings.SplitAfter(googleJSON, "\n")
	f.Add(lines[0]+lines[2]+lines[3]+lines[8]+lines[12], false)
	lines = strings.SplitAfter(googleCSV, "\n")
	f.Add(lines[0]+lines[1]+lines[4]+lines[8]+lines[11], true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "google", text, lenient) })
}
