package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// recordLate records a run of a world that binds late, speaks in counts by place and is resynchronised.
func recordLate(t testing.TB, seed uint64, watching bool) []byte {
	t.Helper()
	j := &workload.Job{ID: "j", Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(0).Add(units.Hour), Stages: []workload.StageSpec{{Kind: workload.Map}, {Kind: workload.Reduce}}}
	for k := range 12 {
		j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{})
		j.Stages[0].Hosts.Set(k, cluster.NodeID(k%3+1))
	}
	j.Stages[1].Tasks = make([]workload.Task, 2)
	w := adverse.New(adverse.Config{Cluster: cluster.Uniform(3, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}), Jobs: []*workload.Job{j}, Seed: seed, Calm: 60, Watching: watching})
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
		text := recordLate(t, seed, false)
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

// How much advice a plan repeats is compared too.
func TestForgedRepeats(t *testing.T) {
	forged := 0
	for seed := range uint64(10) {
		whole := bare(recordLate(t, seed, true))
		if _, err := again(seal(whole), plain{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, l := range whole {
			items, repeated, err := parsePlan(strings.TrimPrefix(l, "plan "))
			if err != nil || repeated == 0 {
				continue
			}
			for _, n := range []int64{repeated - 1, repeated + 1, 1 << 40} {
				other := "plan " + string(appendPlan(nil, int(items), int(n)))
				_, err := again(seal(slices.Concat(whole[:i], []string{other}, whole[i+1:])), plain{})
				var line *LineError
				if !errors.As(err, &line) || line.Line < int64(i+1) || line.Line > int64(i+1)+items {
					t.Fatalf("seed %d, line %d: %s, was %s: %v", seed, i+1, other, l, err)
				}
				if n == 1<<40 && !strings.Contains(err.Error(), "pieces of advice, only") {
					t.Fatalf("seed %d, %s: %v", seed, other, err)
				}
				forged++
			}
			if items == 0 {
				_, err := again(seal(slices.Concat(whole[:i], whole[i+1:])), plain{})
				if want := "a plan is missing here"; err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("seed %d, without line %d, %s: %v", seed, i+1, l, err)
				}
			}
		}
	}
	if forged < 50 {
		t.Errorf("%d lines were forged: this tests nothing", forged)
	}
}

// What stands counts what was advised last, however often it was advised.
func TestAdviceThatStands(t *testing.T) {
	a := &advice{}
	a.heard(1, []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}})
	for range 9 {
		a.planned(&sched.Plan{Items: []sched.Item{{ID: 1, Verb: sched.Start, Node: 1, Refused: sched.Watched}, {ID: 2, Verb: sched.Start, Node: 2, Refused: sched.Watched}}})
		a.heard(2, nil)
	}
	if a.texts != 2 {
		t.Errorf("%d pieces of advice stand, want 2", a.texts)
	}
}

// script is a world that says what is written.
type script []drive.Batch

func (w *script) Can() sched.Capabilities { return sched.Capabilities{Bind: true} }

func (w *script) WakeAt(units.Time) {}

func (w *script) Enact(*sched.Plan) error { return nil }

func (w *script) Next(context.Context) (drive.Batch, error) {
	if len(*w) == 0 {
		return drive.Batch{}, io.EOF
	}
	b := (*w)[0]
	*w = (*w)[1:]
	return b, nil
}

// A plan that only repeats advice is missed where nobody was asked.
func TestRepeatsOfNobody(t *testing.T) {
	j := &workload.Job{ID: "j", Class: "c", Weight: 1, Soft: 9, Deadline: 9, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 2)}}}
	n := &cluster.Node{Name: "n", Rack: 1, Class: &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 0)}}
	beat := sched.Event{Kind: sched.Heartbeat, Node: 1}
	w := &script{{Events: []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch},
		{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}}, {Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: j}}, beat}},
		{At: 1, Events: []sched.Event{beat}}, {At: 1}, {At: 1, Events: []sched.Event{{Kind: sched.Granted, Item: 1}}}}
	var out bytes.Buffer
	sink, err := NewWriter(&out, Header{World: w.Can()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(drive.New(w, plain{}, sink).Run(t.Context()), sink.Close()); err != nil {
		t.Fatal(err)
	}
	whole := bare(out.Bytes())
	end := len(whole) - 1
	if _, err := again(seal(whole), plain{}); err != nil || !slices.Contains(whole, "plan items=0 repeated=1") || whole[end-1] != "event granted item=1" {
		t.Fatalf("%v\n%s", err, strings.Join(whole, "\n"))
	}
	whole = slices.Insert(whole, end, "plan items=0 repeated=1")
	if _, err := again(seal(whole), plain{}); err == nil || !strings.Contains(err.Error(), "nothing in the round asks for one") {
		t.Errorf("%v\n%s", err, strings.Join(whole, "\n"))
	}
}
