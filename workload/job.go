package workload

import (
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
)

// Stage is the kind of a stage, which is what gets scheduled. Shuffle, sort and merge are phases of
// a reduce attempt.
type Stage uint8

// The stages, in the order in which a job goes through them. A job needs not have all of them.
const (
	Master Stage = iota // the ApplicationMaster
	Map
	Reduce
	Other0 // further stages of jobs that are not plain MapReduce
	Other1
	Other2
	Stages // their number
)

var stageNames = [Stages]string{"master", "map", "reduce", "other0", "other1", "other2"}

// String names the stage.
func (s Stage) String() string {
	if s < Stages {
		return stageNames[s]
	}
	return fmt.Sprintf("stage%d", uint8(s))
}

// ParseStage is the inverse of String.
func ParseStage(name string) (Stage, error) {
	for s, n := range stageNames {
		if n == name {
			return Stage(s), nil
		}
	}
	return 0, fmt.Errorf("there is no stage %q (master, map, reduce, other0, other1, other2)", name)
}

// MarshalText prints the stage by name in JSON.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Stage) UnmarshalText(b []byte) (err error) {
	*s, err = ParseStage(string(b))
	return err
}

// Task is one unit of parallel work of a stage.
type Task struct {
	Input units.Bytes // bytes it reads
	// Time on a node of speed 1, without Shuffle.
	Work units.Duration
	// Reduce: time to fetch its input once the last map has ended.
	Shuffle units.Duration
}

// StageSpec is one stage of a job.
type StageSpec struct {
	Kind  Stage
	Tasks []Task
	Hosts Hosts // nodes that hold the input of these
	// kinds it can run in, best first; none = one slot of its stage
	Containers []cluster.Container
	// part of a task's work that a faster CPU shortens, in (0,1]; 0 = 1
	CPUShare float64
	// moldable: the number of tasks may be set before the start
	MinTasks int
	MaxTasks int // within these bounds; both 0 = it is fixed
	// of a moldable stage: the work of each task if there are MinTasks of them, one more, …; none = nobody knows
	Works []units.Duration
	// tasks that a run before this one has committed, by number from 1, ascending; of a stage that
	// grows also such as are not listed
	Done []int32
	// more tasks may come than are listed: the world binds late and does not know their number yet
	Grows bool
}

// Container returns the i-th kind of container in which the stage can run.
func (s *StageSpec) Container(i int) cluster.Container {
	if len(s.Containers) > 0 {
		return s.Containers[i]
	}
	return s.Kinds()[0]
}

// Kinds are the containers that tasks of the stage can run in, one at least.
func (s *StageSpec) Kinds() []cluster.Container {
	switch {
	case len(s.Containers) > 0:
		return s.Containers
	case s.Kind == Reduce:
		return reduceSlot
	}
	return mapSlot
}

// Fitting is the first of these for which there is room.
func (s *StageSpec) Fitting(room *units.Vector) (kind uint8, fits bool) {
	i := slices.IndexFunc(s.Kinds(), func(c cluster.Container) bool { return room.Fits(&c.Needs) })
	return uint8(max(0, i)), i >= 0
}

var mapSlot, reduceSlot = []cluster.Container{cluster.MapSlot()}, []cluster.Container{cluster.ReduceSlot()}

// Input is what all tasks of the stage read. O(tasks).
func (s *StageSpec) Input() (sum units.Bytes) {
	for i := range s.Tasks {
		sum += s.Tasks[i].Input
	}
	return sum
}

// Cut returns the stage cut into another number of tasks, within its bounds. Its input is shared evenly, and lies where
// it lay; so is its work, where Works says nothing of it.
func (s *StageSpec) Cut(n int) StageSpec {
	c, was := *s, len(s.Tasks)
	c.Tasks, c.Hosts = make([]Task, n), Hosts{}
	input, shuffle, work := s.Input(), units.Duration(0), units.Duration(0)
	for i := range s.Tasks {
		shuffle += s.Tasks[i].Shuffle
		work += s.Tasks[i].Work
	}
	if work /= units.Duration(n); len(s.Works) > 0 {
		work = s.Works[n-s.MinTasks]
	}
	for i := range c.Tasks {
		c.Tasks[i] = Task{Work: work, Input: input / units.Bytes(n), Shuffle: shuffle / units.Duration(n)}
		if hosts := s.Hosts.Of(i * was / n); len(hosts) > 0 {
			c.Hosts.Set(i, hosts...)
		}
	}
	c.Tasks[0].Input += input % units.Bytes(n)
	return c
}

// Share returns the part of the work that speed acts on.
func (s *StageSpec) Share() float64 {
	if s.CPUShare == 0 {
		return 1
	}
	return s.CPUShare
}

// Job is a MapReduce job as submitted.
type Job struct {
	ID string `json:"id"`
	// Jobs of a class are alike in cost; profiles are kept by class.
	Class    string     `json:"class"`
	Queue    string     `json:"queue,omitempty"`
	User     string     `json:"user,omitempty"`
	Arrive   units.Time `json:"arrive"`
	Soft     units.Time `json:"soft"`     // units.Never: no soft deadline
	Deadline units.Time `json:"deadline"` // units.Never: none
	// by which orders rank it in place of its deadline, which nobody promises or reports; 0 = none
	Virtual  units.Time `json:"virtual,omitempty"`
	Workflow *Workflow  `json:"workflow,omitempty"` // that it is a part of; nil: none
	Promise  string     `json:"promise,omitempty"`  // class of its deadline, for reports
	// an earlier run, which this one resumes, promised its deadline
	Promised bool `json:"promised,omitempty"`
	// how long before Deadline it was due in fact, where that was not after its arrival
	Overdue units.Duration `json:"overdue,omitempty"`
	// how likely it is to be met if it is promised, in (0,1); 0 = as the policy has it
	Confidence float64 `json:"confidence,omitempty"`
	// a lower one that will do, in (0,1), where the policy's cannot be promised; 0 = none
	Least    float64  `json:"least,omitempty"`
	Weight   float64  `json:"weight"`
	Priority int      `json:"priority,omitempty"` // higher goes first where an order looks at it
	After    []string `json:"after,omitempty"`    // IDs of jobs that must have finished
	Labels   []string `json:"labels,omitempty"`   // nodes must carry all of them
	// nodes on which its ApplicationMaster wants nothing more, for now
	Avoids []cluster.NodeID `json:"avoids,omitempty"`
	// its input; jobs with the same share blocks; "" = one of its own
	File   string      `json:"file,omitempty"`
	Stages []StageSpec `json:"stages"`
	// SlowStart is the part of the maps that must be committed before reduces may start, in [0,1]
	// (mapreduce.job.reduce.slowstart.completedmaps).
	SlowStart float64 `json:"slow_start"`
}

// Stage returns the stage of that kind, nil if the job has none.
func (j *Job) Stage(s Stage) *StageSpec {
	for i := range j.Stages {
		if j.Stages[i].Kind == s {
			return &j.Stages[i]
		}
	}
	return nil
}

// Tasks returns the number of tasks of a stage, 0 if the job has no such stage.
func (j *Job) Tasks(s Stage) int {
	if st := j.Stage(s); st != nil {
		return len(st.Tasks)
	}
	return 0
}

// Growing returns the first stage whose number of tasks is not final, nil if all are.
func (j *Job) Growing() *StageSpec {
	for i := range j.Stages {
		if j.Stages[i].Grows {
			return &j.Stages[i]
		}
	}
	return nil
}

// Come has a job that was to come at a time after 0 come so long after another instant.
func (j *Job) Come(since units.Duration) {
	for _, at := range []*units.Time{&j.Arrive, &j.Deadline, &j.Soft} {
		if *at != units.Never {
			*at = at.Add(since)
		}
	}
	if f := j.Workflow; f != nil && f.Deadline != units.Never {
		later := *f // which other jobs share
		later.Deadline = f.Deadline.Add(since)
		j.Workflow = &later
	}
	if j.Virtual != 0 {
		j.Virtual = j.Virtual.Add(since)
	}
}

// GoesOn tells whether the job has been taken in before: tasks of it are done, or its deadline is
// promised.
func (j *Job) GoesOn() bool {
	return j.Promised || slices.ContainsFunc(j.Stages, func(s StageSpec) bool { return len(s.Done) > 0 })
}

// Validate reports the first thing that cannot be, as one sentence that names the job.
func (j *Job) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("job %q: %s", j.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case j.ID == "":
		return fmt.Errorf("job: the id is empty")
	case j.Arrive < 0 || j.Arrive == units.Never:
		return bad("arrival %v is before the start of the run", j.Arrive)
	case j.Deadline <= j.Arrive:
		return bad("deadline %v is not after the arrival %v", j.Deadline, j.Arrive)
	case j.Soft <= j.Arrive:
		return bad("soft deadline %v is not after the arrival %v", j.Soft, j.Arrive)
	case j.Soft != units.Never && j.Soft > j.Deadline:
		return bad("soft deadline %v is after the hard deadline %v", j.Soft, j.Deadline)
	case !(j.Weight > 0) || math.IsInf(j.Weight, 0):
		return bad("weight is %v, it must be above 0 and finite", j.Weight)
	case !(j.SlowStart >= 0 && j.SlowStart <= 1):
		return bad("slow start is %v, it must be from 0 to 1", j.SlowStart)
	case len(j.Stages) == 0:
		return bad("it has no stage")
	case j.Workflow != nil && j.Workflow.ID == "":
		return bad("its workflow has no name")
	case j.Workflow != nil && j.Workflow.Deadline <= j.Arrive:
		return bad("deadline %v of its workflow is not after the arrival %v", j.Workflow.Deadline, j.Arrive)
	}
	for i := range j.Stages {
		s := &j.Stages[i]
		if err := s.validate(); err != nil {
			return bad("%v", err)
		}
		if i > 0 && s.Kind <= j.Stages[i-1].Kind {
			return bad("stage %v comes after stage %v", s.Kind, j.Stages[i-1].Kind)
		}
	}
	return nil
}

func (s *StageSpec) validate() error {
	switch {
	case s.Kind >= Stages:
		return fmt.Errorf("%v does not exist", s.Kind)
	case len(s.Tasks) == 0 && !s.Grows:
		return fmt.Errorf("stage %v has no task", s.Kind)
	case !(s.CPUShare >= 0 && s.CPUShare <= 1):
		return fmt.Errorf("stage %v: CPU share is %v, it must be from 0 to 1", s.Kind, s.CPUShare)
	case s.MinTasks < 0 || s.MaxTasks < s.MinTasks:
		return fmt.Errorf("stage %v: task counts from %d to %d are not a range", s.Kind, s.MinTasks, s.MaxTasks)
	case len(s.Works) > 0 && (s.MinTasks < 1 || len(s.Works) != s.MaxTasks-s.MinTasks+1):
		return fmt.Errorf("stage %v: the work of tasks is stated %d times for %d to %d tasks", s.Kind, len(s.Works), s.MinTasks, s.MaxTasks)
	case slices.ContainsFunc(s.Works, func(w units.Duration) bool { return w < 0 }):
		return fmt.Errorf("stage %v: the work of a task is negative", s.Kind)
	}
	if n := s.Hosts.tasks(); n > len(s.Tasks) || len(s.Hosts.Nodes) != n*s.Hosts.Each {
		return fmt.Errorf("stage %v: hosts are listed of %d tasks, it has %d", s.Kind, n, len(s.Tasks))
	}
	for i := range s.Containers {
		if err := s.Containers[i].Validate(); err != nil {
			return fmt.Errorf("stage %v: %v", s.Kind, err)
		}
	}
	for i, t := range s.Done {
		// More may be done of a stage that grows than was told of it before.
		if t < 1 || int(t) > len(s.Tasks) && !s.Grows || i > 0 && t <= s.Done[i-1] {
			return fmt.Errorf("stage %v: task %d cannot be done already: the list must be ascending, from 1 to at most %d", s.Kind, t, len(s.Tasks))
		}
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Input < 0 || t.Work < 0 || t.Shuffle < 0 {
			return fmt.Errorf("stage %v: task %d has a negative size or time", s.Kind, i+1)
		}
	}
	return nil
}
