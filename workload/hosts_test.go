package workload

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"pgregory.net/rapid"
)

// A table says what lists say that are set in any order, and again.
func TestHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Hosts
		lists := make([][]cluster.NodeID, rapid.IntRange(0, 6).Draw(t, "tasks"))
		for range 2 * len(lists) {
			i := rapid.IntRange(0, len(lists)-1).Draw(t, "task")
			lists[i] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cluster.NodeID { return cluster.NodeID(rapid.IntRange(1, 9).Draw(t, "node")) }), 0, 4).Draw(t, "nodes")
			table.Set(i, lists[i]...)
			if n := len(table.Nodes); n > table.Each*len(lists) || table.Each > 0 && n%table.Each > 0 {
				t.Fatalf("%d places for %d tasks of %d", n, len(lists), table.Each)
			}
		}
		s := StageSpec{Kind: Map, Tasks: make([]Task, len(lists)), Hosts: HostsOf(lists...)}
		text, err := json.Marshal(s)
		var read StageSpec
		if err == nil {
			err = json.Unmarshal(text, &read)
		}
		if d := cmp.Diff(s, read); err != nil || d != "" {
			t.Fatal(err, d)
		}
		for i, want := range lists {
			for _, h := range []*Hosts{&table, &s.Hosts, &read.Hosts} {
				if got := h.Of(i); !slices.Equal(got, want) || cap(got) > len(want) {
					t.Fatalf("task %d has %v, want %v", i, got, want)
				}
			}
		}
	})
}

// A stage in JSON has all that a stage has: a field that is added has to be added there.
func TestStagesInJSON(t *testing.T) {
	if n := reflect.TypeFor[StageSpec]().NumField(); n != reflect.TypeFor[stageText]().NumField()+1 {
		t.Errorf("a stage has %d fields, one of which stands with its tasks", n)
	}
	if n := reflect.TypeFor[Task]().NumField(); n != reflect.TypeFor[taskText]().NumField()-1 {
		t.Errorf("a task has %d fields, and its hosts", n)
	}
	s := StageSpec{Kind: Reduce, Tasks: []Task{{Input: 1, Work: 2, Shuffle: 3}, {}}, Hosts: HostsOf([]cluster.NodeID{4, 5}), Containers: []cluster.Container{{Name: "c"}},
		CPUShare: 0.5, MinTasks: 1, MaxTasks: 3, Done: []int32{2}, Grows: true}
	text, err := json.Marshal(s)
	const want = `{"kind":"reduce","tasks":[{"input":1,"hosts":[4,5],"work":2,"shuffle":3},{}],"containers":[{"name":"c","needs":[0,0,0,0,0,0,0,0]}],` +
		`"cpu_share":0.5,"min_tasks":1,"max_tasks":3,"done":[2],"grows":true}`
	if err != nil || string(text) != want {
		t.Fatalf("%s, %v\nwant %s", text, err, want)
	}
	var read StageSpec
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	s.Hosts.Set(1) // whose row is told, and empty
	if d := cmp.Diff(s, read); d != "" {
		t.Fatal(d)
	}
}
