package journal

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// recordLate records a run of a world that binds late, speaks in counts by place and is resynchronised.
func recordLate(t testing.TB, seed uint64) []byte {
	t.Helper()
	j := &workload.Job{ID: "j", Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(0).Add(units.Hour), Stages: []workload.StageSpec{{Kind: workload.Map}, {Kind: workload.Reduce}}}
	for k := range 12 {
		j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Hosts: []cluster.NodeID{cluster.NodeID(k%3 + 1)}})
	}
	j.Stages[1].Tasks = make([]workload.Task, 2)
	w := adverse.New(adverse.Config{Cluster: cluster.Uniform(3, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}), Jobs: []*workload.Job{j}, Seed: seed, Calm: 60})
	var out bytes.Buffer
	sink, err := NewWriter(&out, Header{Scenario: "late", World: w.Can(), Policy: "plain", Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(drive.New(w, plain{}, sink).Run(context.Background()), sink.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReplayOfLateBindingIsExact(t *testing.T) {
	resyncs := 0
	for seed := range uint64(20) {
		text := recordLate(t, seed)
		r, err := again(text, plain{})
		if err != nil || r.Cut {
			t.Fatalf("seed %d: %+v, %v", seed, r, err)
		}
		for _, want := range []string{" event granted ", `{"Node":1,"Rack":0,`, `{"Node":0,"Rack":2,`, `"Node":0,"Rack":0,`, " locality=node "} {
			if !strings.Contains(string(text), want) {
				t.Errorf("seed %d: the journal has no %s", seed, want)
			}
		}
		resyncs += strings.Count(string(text), " event resync ")
	}
	if resyncs == 0 {
		t.Error("no resync: this tests less than it should")
	}
}
