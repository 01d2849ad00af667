package trace

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Rule says what a job is where its trace does not. What the trace does say is used as it stands.
//
//	maps      max(1, ⌈input / Block⌉), each of Block bytes but the last; a map takes a time uniform on MapTime, a draw of its own
//	reduces   ⌈shuffle / ReduceInput⌉, at most MaxReduces, each with an even share of the shuffled bytes
//	          it fetches its share at ShuffleRate behind the last map, then works on it at ReduceRate
//
// A job that shuffles nothing, or of which the trace does not say that it does, has no reduce. That
// is so since version 2 of the rule. Version 1 gave each job one reduce at least, which a third to
// three quarters of the jobs in traces of Facebook never had.
//
// A job without a name or an application has a class by its shape (shape.go). That is version 3.
// Before it all such jobs were of the one class trace, so that the worst cost of a byte in the
// smallest of them was that of all.
//
// These are the tasks of a job of which the trace lists none. Of tasks that it lists without sizes,
// each gets an even share of what the job reads or shuffles; of those without times, reduces of
// known sizes take the time that these rates say, all others a draw from MapTime. Hosts that hold a
// map's input count where the cluster has nodes of their names. What tasks need counts if
// Containers is set; else each takes a slot.
//
// What a job writes is not counted: where nothing is shuffled, as in a third of the jobs of
// FB-2010, it is the maps that write it.
//
// Draws are keyed by seed, job and task, so a job takes the same time in every run with that seed.
type Rule struct {
	Version     int // 1 to 3
	Block       units.Bytes
	MapTime     [2]units.Duration // from, to
	ReduceInput units.Bytes       // shuffled bytes for each reduce
	MaxReduces  int
	ShuffleRate units.Bytes // a second, of one reduce
	ReduceRate  units.Bytes // a second
	SlowStart   float64
	Deadlines   Deadlines                 // of jobs of which the trace tells none
	Containers  bool                      // tasks take what the trace says that they need
	Nodes       map[string]cluster.NodeID // by name
}

const defaultBlock = 128 * units.MB

// RuleVersion is the newest version of the rule.
const RuleVersion = 3

// DefaultRule is what holds unless a scenario says otherwise; MaxReduces is the number of reduce slots.
func DefaultRule(maxReduces int) Rule {
	return Rule{Version: RuleVersion, Block: defaultBlock, MapTime: [2]units.Duration{20 * units.Second, 40 * units.Second}, ReduceInput: units.GB,
		MaxReduces: max(1, maxReduces), ShuffleRate: 50 * units.MB, ReduceRate: 50 * units.MB, SlowStart: 0.05}
}

// Unfold makes a job of what the trace says, by the rule.
func (r *Rule) Unfold(j *Job, seed uint64) (*workload.Job, error) {
	w := &workload.Job{ID: j.ID, Class: j.Class, Queue: j.Queue, User: j.User, Arrive: j.Submit, Soft: units.Never, Deadline: units.Never,
		File: j.Path, Weight: 1, Priority: j.Priority, After: j.After, Labels: j.Labels, SlowStart: r.SlowStart, Stages: make([]workload.StageSpec, 0, max(2, len(j.Stages)))}
	key := draw.Of(seed, "trace").Job(j.ID)
	if len(j.Stages) == 0 {
		maps, reduces, err := r.Tasks(j)
		if err != nil {
			return nil, err
		}
		w.Stages = append(w.Stages, workload.StageSpec{Kind: workload.Map, Tasks: r.mapTasks(j, maps, key)})
		if reduces > 0 {
			w.Stages = append(w.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: r.reduceTasks(j, reduces)})
		}
	}
	for i := range j.Stages {
		w.Stages = append(w.Stages, r.stated(j, &j.Stages[i], key))
	}
	switch {
	case w.Class == "" && r.Version < 3:
		w.Class = "trace"
	case w.Class == "":
		w.Class = j.shape(w)
	}
	if j.Deadline > 0 {
		w.Deadline = j.Submit.Add(j.Deadline)
	} else {
		r.Deadlines.set(w, key)
	}
	return w, nil
}

// Tasks is how many maps and reduces a job has of which the trace lists none.
func (r *Rule) Tasks(j *Job) (maps, reduces int, err error) {
	maps, err = mapsOf(j, r.Block)
	if j.Shuffle > 0 {
		reduces = int(max(1, min((j.Shuffle-1)/r.ReduceInput+1, units.Bytes(r.MaxReduces))))
	} else if r.Version == 1 {
		reduces = 1
	}
	return maps, reduces, err
}

// mapsOf is how many maps the input of a job comes to.
func mapsOf(j *Job, block units.Bytes) (int, error) {
	m := max(1, (max(0, j.Input)-1)/block+1)
	if m > MaxTasks {
		return 0, fmt.Errorf("job %q: %v of input are %d maps of %v, at most %d are possible", j.ID, j.Input, m, block, MaxTasks)
	}
	return int(m), nil
}

func (r *Rule) mapTasks(j *Job, n int, key draw.Draw) []workload.Task {
	tasks := make([]workload.Task, n)
	stage := key.Number(uint64(workload.Map))
	for i := range tasks {
		tasks[i] = workload.Task{Input: r.Block, Work: r.drawn(stage, i)}
	}
	tasks[n-1].Input = max(0, j.Input) - r.Block*units.Bytes(n-1)
	return tasks
}

// drawn is the time of a task of which nothing is known.
func (r *Rule) drawn(stage draw.Draw, i int) units.Duration {
	return units.Duration(stage.Number(uint64(i)).Between(float64(r.MapTime[0]), float64(r.MapTime[1])))
}

func (r *Rule) reduceTasks(j *Job, n int) []workload.Task {
	tasks := make([]workload.Task, n)
	share := max(0, j.Shuffle) / units.Bytes(n)
	for i := range tasks {
		tasks[i] = workload.Task{Input: share, Shuffle: spent(share, r.ShuffleRate), Work: spent(share, r.ReduceRate)}
	}
	return tasks
}

// Claims is a job as far as it matters where it can run: its stages and what a task of each needs, without tasks.
func (r *Rule) Claims(j *Job) (*workload.Job, error) {
	w := &workload.Job{ID: j.ID, Labels: j.Labels}
	for i := range j.Stages {
		w.Stages = append(w.Stages, r.claimed(&j.Stages[i]))
	}
	if len(j.Stages) > 0 {
		return w, nil
	}
	_, reduces, err := r.Tasks(j)
	w.Stages = []workload.StageSpec{{Kind: workload.Map}, {Kind: workload.Reduce}}
	if reduces == 0 {
		w.Stages = w.Stages[:1]
	}
	return w, err
}

// claimed is a stage without tasks.
func (r *Rule) claimed(s *Stage) workload.StageSpec {
	spec := workload.StageSpec{Kind: s.Kind}
	if r.Containers && s.Needs != (units.Vector{}) {
		spec.Containers = []cluster.Container{{Name: s.Kind.String(), Needs: s.Needs}}
	}
	return spec
}

// stated makes the tasks that the trace lists.
func (r *Rule) stated(j *Job, s *Stage, key draw.Draw) workload.StageSpec {
	n := s.Count()
	spec := r.claimed(s)
	spec.Tasks = make([]workload.Task, 0, n)
	share := Unknown
	switch s.Kind {
	case workload.Map:
		share = j.Input
	case workload.Reduce:
		share = j.Shuffle
	}
	if share > 0 {
		share /= units.Bytes(n)
	}
	stage := key.Number(uint64(s.Kind))
	for t := range s.Tasks {
		run := &s.Tasks[t]
		one := workload.Task{Input: run.Input, Work: run.Time, Shuffle: run.Shuf}
		var hosts []cluster.NodeID
		if s.Kind == workload.Map {
			hosts = r.hosts(run.Hosts)
		}
		if one.Input < 0 {
			one.Input = share
		}
		known := one.Input >= 0
		one.Input = max(0, one.Input)
		byRate := s.Kind == workload.Reduce && run.Time < 0 && known
		if byRate {
			one.Shuffle, one.Work = spent(one.Input, r.ShuffleRate), spent(one.Input, r.ReduceRate)
		}
		for range run.Count {
			if run.Time < 0 && !byRate {
				one.Work = r.drawn(stage, len(spec.Tasks))
			}
			if len(hosts) > 0 {
				spec.Hosts.Set(len(spec.Tasks), hosts...)
			}
			spec.Tasks = append(spec.Tasks, one)
		}
	}
	return spec
}

// hosts are the nodes of the cluster that have these names.
func (r *Rule) hosts(names []string) (hosts []cluster.NodeID) {
	for _, name := range names {
		if h, ok := r.Nodes[name]; ok && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// spent is how long so many bytes take at a rate.
func spent(b, rate units.Bytes) units.Duration {
	return units.Duration(min(float64(b)/float64(rate)*float64(units.Second), 1e18))
}
