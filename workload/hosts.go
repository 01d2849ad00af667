package workload

import (
	"encoding/json"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
)

// Hosts says which nodes hold the input of the tasks of a stage, as a table: a job may have millions
// of tasks, and a list for each would be as large as all else that is known of them. What a job that
// was submitted says of it never changes, so that worlds and the book read the same table.
type Hosts struct {
	Each  int              // nodes of a task at most; 0 = no task has any
	Nodes []cluster.NodeID // Each for each task in turn, 0 behind the last of one that has fewer
}

// Of returns the nodes of the i-th task, from 0; none = its input is at home everywhere.
func (h *Hosts) Of(i int) []cluster.NodeID {
	from, to := i*h.Each, (i+1)*h.Each
	if to > len(h.Nodes) {
		return nil // nobody has said
	}
	for to > from && h.Nodes[to-1] == 0 {
		to--
	}
	return h.Nodes[from:to:to]
}

// Set names the nodes of the i-th task. The table may have to grow.
func (h *Hosts) Set(i int, nodes ...cluster.NodeID) {
	if len(nodes) > h.Each {
		wider := Hosts{Each: len(nodes)}
		for t := range h.tasks() {
			wider.Set(t, h.Of(t)...)
		}
		*h = wider
	}
	if short := (i+1)*h.Each - len(h.Nodes); short > 0 {
		h.Nodes = append(h.Nodes, make([]cluster.NodeID, short)...)
	}
	row := h.Nodes[i*h.Each : (i+1)*h.Each]
	clear(row[copy(row, nodes):])
}

// tasks is how many tasks have a place in the table.
func (h *Hosts) tasks() int { return len(h.Nodes) / max(1, h.Each) }

// HostsOf makes the table of a list for each task.
func HostsOf(lists ...[]cluster.NodeID) (h Hosts) {
	for _, nodes := range lists {
		h.Each = max(h.Each, len(nodes))
	}
	if h.Each > 0 {
		h.Nodes = make([]cluster.NodeID, 0, h.Each*len(lists))
	}
	for i, nodes := range lists {
		h.Set(i, nodes...)
	}
	return h
}

// stageText and taskText are a stage in JSON, where each task lists its nodes.
type stageText struct {
	Kind       Stage               `json:"kind"`
	Tasks      []taskText          `json:"tasks"`
	Containers []cluster.Container `json:"containers,omitempty"`
	CPUShare   float64             `json:"cpu_share,omitempty"`
	MinTasks   int                 `json:"min_tasks,omitempty"`
	MaxTasks   int                 `json:"max_tasks,omitempty"`
	Works      []units.Duration    `json:"works,omitempty"`
	Done       []int32             `json:"done,omitempty"`
	Grows      bool                `json:"grows,omitempty"`
}

type taskText struct {
	Input   units.Bytes      `json:"input,omitempty"`
	Hosts   []cluster.NodeID `json:"hosts,omitempty"`
	Work    units.Duration   `json:"work,omitempty"`
	Shuffle units.Duration   `json:"shuffle,omitempty"`
}

// MarshalJSON writes the nodes of a task beside the rest of it.
func (s StageSpec) MarshalJSON() ([]byte, error) {
	x := stageText{s.Kind, nil, s.Containers, s.CPUShare, s.MinTasks, s.MaxTasks, s.Works, s.Done, s.Grows}
	if s.Tasks != nil {
		x.Tasks = make([]taskText, len(s.Tasks))
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		x.Tasks[i] = taskText{t.Input, s.Hosts.Of(i), t.Work, t.Shuffle}
	}
	return json.Marshal(&x)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *StageSpec) UnmarshalJSON(text []byte) error {
	var x stageText
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	*s = StageSpec{Kind: x.Kind, Containers: x.Containers, CPUShare: x.CPUShare, MinTasks: x.MinTasks, MaxTasks: x.MaxTasks, Works: x.Works, Done: x.Done, Grows: x.Grows}
	if x.Tasks != nil {
		s.Tasks = make([]Task, len(x.Tasks))
	}
	lists := make([][]cluster.NodeID, len(x.Tasks))
	for i := range x.Tasks {
		t := &x.Tasks[i]
		s.Tasks[i], lists[i] = Task{t.Input, t.Work, t.Shuffle}, t.Hosts
	}
	s.Hosts = HostsOf(lists...)
	return nil
}
