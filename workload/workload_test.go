package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

func good(id string) *Job {
	return &Job{ID: id, Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Never,
		Stages: []StageSpec{{Kind: Map, Tasks: make([]Task, 2)}, {Kind: Reduce, Tasks: make([]Task, 1)}}}
}

func TestJobsThatCannotBe(t *testing.T) {
	if err := good("j").Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Job){
		"job: the id is empty":                                                                      func(j *Job) { j.ID = "" },
		`job "j": arrival -1ns is before the start of the run`:                                      func(j *Job) { j.Arrive = -1 },
		`job "j": arrival never is before the start of the run`:                                     func(j *Job) { j.Arrive = units.Never },
		`job "j": deadline 5s is not after the arrival 5s`:                                          func(j *Job) { j.Arrive, j.Deadline = 5e9, 5e9 },
		`job "j": soft deadline 1s is not after the arrival 1s`:                                     func(j *Job) { j.Arrive, j.Soft = 1e9, 1e9 },
		`job "j": soft deadline 3s is after the hard deadline 2s`:                                   func(j *Job) { j.Soft, j.Deadline = 3e9, 2e9 },
		`job "j": weight is 0, it must be above 0 and finite`:                                       func(j *Job) { j.Weight = 0 },
		`job "j": weight is NaN, it must be above 0 and finite`:                                     func(j *Job) { j.Weight = math.NaN() },
		`job "j": weight is +Inf, it must be above 0 and finite`:                                    func(j *Job) { j.Weight = math.Inf(1) },
		`job "j": slow start is 1.5, it must be from 0 to 1`:                                        func(j *Job) { j.SlowStart = 1.5 },
		`job "j": slow start is NaN, it must be from 0 to 1`:                                        func(j *Job) { j.SlowStart = math.NaN() },
		`job "j": slow start is -0.5, it must be from 0 to 1`:                                       func(j *Job) { j.SlowStart = -0.5 },
		`job "j": weight is -1, it must be above 0 and finite`:                                      func(j *Job) { j.Weight = -1 },
		`job "j": stage reduce: CPU share is NaN, it must be from 0 to 1`:                           func(j *Job) { j.Stages[1].CPUShare = math.NaN() },
		`job "j": stage map: task counts from -1 to 2 are not a range`:                              func(j *Job) { j.Stages[0].MinTasks, j.Stages[0].MaxTasks = -1, 2 },
		`job "j": stage map: task 1 has a negative size or time`:                                    func(j *Job) { j.Stages[0].Tasks[0].Input = -1 },
		`job "j": stage reduce: task 1 has a negative size or time`:                                 func(j *Job) { j.Stages[1].Tasks[0].Shuffle = -1 },
		`job "j": stage map comes after stage reduce`:                                               func(j *Job) { j.Stages[0], j.Stages[1] = j.Stages[1], j.Stages[0] },
		`job "j": it has no stage`:                                                                  func(j *Job) { j.Stages = nil },
		`job "j": stage map comes after stage map`:                                                  func(j *Job) { j.Stages[1].Kind = Map },
		`job "j": stage6 does not exist`:                                                            func(j *Job) { j.Stages[1].Kind = Stages },
		`job "j": stage map has no task`:                                                            func(j *Job) { j.Stages[0].Tasks = nil },
		`job "j": stage map: CPU share is 2, it must be from 0 to 1`:                                func(j *Job) { j.Stages[0].CPUShare = 2 },
		`job "j": stage map: task counts from 3 to 2 are not a range`:                               func(j *Job) { j.Stages[0].MinTasks, j.Stages[0].MaxTasks = 3, 2 },
		`job "j": stage map: task 2 has a negative size or time`:                                    func(j *Job) { j.Stages[0].Tasks[1].Work = -1 },
		`job "j": stage map: container "x": needs nothing; a container takes at least one resource`: func(j *Job) { j.Stages[0].Containers = []cluster.Container{{Name: "x"}} },
	} {
		j := good("j")
		change(j)
		if err := j.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestWorkloadsThatCannotBe(t *testing.T) {
	with := func(j *Job, after ...string) *Job { j.After = after; return j }
	for want, w := range map[string]Workload{
		"workload: there is no job":                           {},
		`job "a": the id is used twice`:                       {Jobs: []*Job{good("a"), good("a")}},
		`job "a": it waits for job "b", which does not exist`: {Jobs: []*Job{with(good("a"), "b")}},
		`job "a": it waits for itself: a after b after a`:     {Jobs: []*Job{with(good("a"), "b"), with(good("b"), "a")}},
		`job "a": it waits for itself: a after a`:             {Jobs: []*Job{with(good("a"), "a")}},
		`job "a": weight is 0, it must be above 0 and finite`: {Jobs: []*Job{{ID: "a", Soft: 1, Deadline: 1}}},
	} {
		if err := w.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// The oracle takes away jobs without predecessors until none is left: what stays waits for itself.
func TestCircles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "jobs")
		w := Workload{}
		for i := range n {
			j := good(fmt.Sprint("j", i))
			for k := range n {
				if rapid.IntRange(0, 4).Draw(t, "edge") == 0 {
					j.After = append(j.After, fmt.Sprint("j", k))
				}
			}
			w.Jobs = append(w.Jobs, j)
		}
		left := map[string]*Job{}
		for _, j := range w.Jobs {
			left[j.ID] = j
		}
		for changed := true; changed; {
			changed = false
			for id, j := range left {
				free := true
				for _, p := range j.After {
					free = free && left[p] == nil
				}
				if free {
					delete(left, id)
					changed = true
				}
			}
		}
		err := w.Validate()
		if (err == nil) != (len(left) == 0) {
			t.Fatalf("%d jobs wait for themselves: %v", len(left), err)
		}
		if err == nil {
			return
		}
		_, path, _ := strings.Cut(err.Error(), "it waits for itself: ")
		ids := strings.Split(path, " after ")
		for i := 1; i < len(ids); i++ {
			if j := left[ids[i-1]]; j == nil || !strings.Contains(" "+strings.Join(j.After, " ")+" ", " "+ids[i]+" ") {
				t.Fatalf("%v: no such edge from %s to %s", err, ids[i-1], ids[i])
			}
		}
		if ids[0] != ids[len(ids)-1] {
			t.Fatalf("%v is no circle", err)
		}
	})
}

func TestStages(t *testing.T) {
	for s := range Stages {
		back, err := ParseStage(s.String())
		if err != nil || back != s {
			t.Errorf("%v: %v, %v", s, back, err)
		}
	}
	if _, err := ParseStage("mop"); err == nil {
		t.Error("mop is a stage")
	}
	j := good("j")
	if j.Tasks(Map) != 2 || j.Tasks(Master) != 0 || j.Stage(Other0) != nil || j.Stages[1].Container(0).Name != "reduce-slot" || j.Stages[0].Share() != 1 {
		t.Errorf("%+v", j)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	s := StageSpec{Kind: Map}
	if s.Container(0) != cluster.MapSlot() || s.Share() != 1 {
		t.Error("a map without kinds of containers takes a map slot, all of its work is CPU")
	}
	kinds := []cluster.Container{{Name: "small"}, {Name: "large"}}
	s = StageSpec{Kind: Reduce, Containers: kinds, CPUShare: 0.25}
	if s.Container(0) != kinds[0] || s.Container(1) != kinds[1] || s.Share() != 0.25 {
		t.Errorf("%+v", s)
	}
	if Stage(9).String() != "stage9" {
		t.Error(Stage(9))
	}
	var back Stage
	for k := range Stages {
		if b, err := k.MarshalText(); err != nil || back.UnmarshalText(b) != nil || back != k {
			t.Errorf("%v as %q comes back as %v", k, b, back)
		}
	}
	if err := back.UnmarshalText([]byte("mop")); err == nil || err.Error() != `there is no stage "mop" (master, map, reduce, other0, other1, other2)` {
		t.Error(err)
	}
}

// More may be done of a stage that grows than was told of it; of any other stage no more than it has.
func TestDoneBeyondWhatIsListed(t *testing.T) {
	stage := StageSpec{Kind: Map, Tasks: make([]Task, 1), Done: []int32{1, 3}}
	for _, grows := range []bool{false, true} {
		stage.Grows = grows
		if err := stage.validate(); (err == nil) != grows {
			t.Errorf("grows %v: %v", grows, err)
		}
	}
	stage.Done = []int32{3, 1}
	if stage.validate() == nil {
		t.Error("a list that does not ascend is taken")
	}
}

// A workflow has its jobs behind those that they wait for, else in the order given, is shared by them, and shifts
// with them; orders rank them by it where they have no earlier deadline. An older journal has its name alone.
func TestWorkflows(t *testing.T) {
	a, b, c := good("a"), good("b"), good("c")
	a.After, c.Deadline = []string{"c", "x"}, 50
	f := NewWorkflow("w", 70, []*Job{a, b, c})
	if got := strings.Join(f.Jobs, " "); got != "c a b" || a.Workflow != f || b.Workflow != f || c.Workflow != f {
		t.Errorf("jobs %q", got)
	}
	if a.Virtual != 70 || c.Virtual != 0 {
		t.Errorf("due %v, %v", a.Virtual, c.Virtual)
	}
	a.Come(5)
	if a.Workflow.Deadline != 75 || a.Virtual != 75 || f.Deadline != 70 {
		t.Errorf("moved to %v, %v; the others' is %v", a.Workflow.Deadline, a.Virtual, f.Deadline)
	}
	var old, is Job
	text, _ := json.Marshal(b)
	if err := json.Unmarshal([]byte(`{"workflow":"etl"}`), &old); err != nil || old.Workflow.ID != "etl" || old.Workflow.Deadline != units.Never {
		t.Errorf("%+v: %v", old.Workflow, err)
	}
	if err := json.Unmarshal(text, &is); err != nil || is.Workflow.Deadline != 70 || len(is.Workflow.Jobs) != 3 {
		t.Errorf("%s: %+v, %v", text, is.Workflow, err)
	}
}

// Cut otherwise, a stage has other tasks of the work that is stated, with all of its input, where it lay.
func TestCut(t *testing.T) {
	s := StageSpec{Kind: Map, MinTasks: 2, MaxTasks: 4, Works: []units.Duration{50, 40, 30}, Tasks: []Task{{10, 40, 6}, {10, 40, 6}, {11, 40, 6}},
		Hosts: HostsOf([]cluster.NodeID{1, 2}, []cluster.NodeID{3}, []cluster.NodeID{4})}
	if err := s.validate(); err != nil {
		t.Fatal(err)
	}
	two, four := s.Cut(2), s.Cut(4)
	if want := []Task{{16, 50, 9}, {15, 50, 9}}; !slices.Equal(two.Tasks, want) {
		t.Errorf("%v", two.Tasks)
	}
	if want := []Task{{10, 30, 4}, {7, 30, 4}, {7, 30, 4}, {7, 30, 4}}; !slices.Equal(four.Tasks, want) || len(s.Tasks) != 3 {
		t.Errorf("%v", four.Tasks)
	}
	for i, want := range [][]cluster.NodeID{{1, 2}, {1, 2}, {3}, {4}} {
		if got := four.Hosts.Of(i); !slices.Equal(got, want) {
			t.Errorf("task %d lies on %v", i, got)
		}
	}
	for _, bad := range []StageSpec{{MaxTasks: 2, Works: []units.Duration{1, 2, 3}}, {MinTasks: 1, MaxTasks: 2, Works: []units.Duration{1}}, {MinTasks: 1, MaxTasks: 1, Works: []units.Duration{-1}}} {
		bad.Kind, bad.Tasks = Map, s.Tasks
		if bad.validate() == nil {
			t.Errorf("%+v", bad)
		}
	}
}
