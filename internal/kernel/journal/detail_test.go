package journal

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// A job is written byte for byte as encoding/json writes it.
func TestJobsAreThoseOfJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64())
		text := rapid.SampledFrom([]string{"", "a", `"tasks":null`, `{"tasks":null}`, "\"\\<>&", "ü"})
		job := &workload.Job{ID: text.Draw(t, "id"), Class: text.Draw(t, "class"), Weight: 1,
			After: []string{text.Draw(t, "after")}}
		for k := range rapid.IntRange(0, 3).Draw(t, "stages") {
			st := workload.StageSpec{Kind: workload.Stage(k)}
			for i := range rapid.IntRange(0, 4).Draw(t, "tasks") {
				task := workload.Task{Input: units.Bytes(number.Draw(t, "input")),
					Work:    units.Duration(number.Draw(t, "work")),
					Shuffle: units.Duration(number.Draw(t, "shuffle"))}
				var hosts []cluster.NodeID
				for range rapid.IntRange(0, 3).Draw(t, "hosts") {
					hosts = append(hosts, cluster.NodeID(rapid.Int32().Filter(func(h int32) bool { return h != 0 }).Draw(t, "host")))
				}
				st.Tasks = append(st.Tasks, task)
				st.Hosts.Set(i, hosts...)
			}
			if st.Tasks == nil && rapid.Bool().Draw(t, "empty") {
				st.Tasks = []workload.Task{}
			}
			job.Stages = append(job.Stages, st)
		}
		want, err := json.Marshal(&detail{Job: job})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendDetail(nil, &sched.Detail{Job: job})); got != " detail="+string(want) {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// Each field of a task is written: one that is added has to be added there.
func TestTasksHaveNoOtherFields(t *testing.T) {
	if n := reflect.TypeFor[workload.Task]().NumField(); n != 3 {
		t.Errorf("a task has %d fields, and appendTasks writes 3, and its hosts", n)
	}
}
