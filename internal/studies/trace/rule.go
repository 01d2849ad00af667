package trace

import (
	"fmt"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Rule says what a job is where its trace does not.
//
//	maps      max(1, ⌈input / Block⌉), each of Block bytes but the last; a map takes a time uniform on MapTime, a draw of its own
//	reduces   ⌈shuffle / ReduceInput⌉, at least 1 and at most MaxReduces, each with an even share of the shuffled bytes
//	          it fetches its share at ShuffleRate behind the last map, then works on it at ReduceRate
//
// What a job writes is not counted: where nothing is shuffled, as in a third of the jobs of FB-2010, it is the maps that write it.
//
// Draws are keyed by seed, job and task, so a job takes the same time in every run with that seed.
type Rule struct {
	Block       units.Bytes
	MapTime     [2]units.Duration // from, to
	ReduceInput units.Bytes       // shuffled bytes for each reduce
	MaxReduces  int
	ShuffleRate units.Bytes // a second, of one reduce
	ReduceRate  units.Bytes // a second
	SlowStart   float64
	Deadlines   Deadlines
}

// DefaultRule is what holds unless a scenario says otherwise; MaxReduces is the number of reduce slots.
func DefaultRule(maxReduces int) Rule {
	return Rule{Block: 128 * units.MB, MapTime: [2]units.Duration{20 * units.Second, 40 * units.Second}, ReduceInput: units.GB,
		MaxReduces: max(1, maxReduces), ShuffleRate: 50 * units.MB, ReduceRate: 50 * units.MB, SlowStart: 0.05}
}

// MaxTasks is the most tasks that one job may come to.
const MaxTasks = 10_000_000

// Unfold makes a job of what the trace says, by the rule.
func (r *Rule) Unfold(j *Job, seed uint64) (*workload.Job, error) {
	maps := max(1, (max(0, j.Input)-1)/r.Block+1)
	if maps > MaxTasks {
		return nil, fmt.Errorf("job %q: %v of input are %d maps of %v, at most %d are possible", j.ID, j.Input, maps, r.Block, MaxTasks)
	}
	w := &workload.Job{ID: j.ID, Class: j.Class, Queue: j.Queue, User: j.User, Arrive: j.Submit, Soft: units.Never, Deadline: units.Never,
		Weight: 1, SlowStart: r.SlowStart, Stages: make([]workload.StageSpec, 0, 2)}
	if w.Class == "" {
		w.Class = "trace"
	}
	key := draw.Of(seed, "trace").Job(j.ID)
	w.Stages = append(w.Stages, workload.StageSpec{Kind: workload.Map, Tasks: r.mapTasks(j, int(maps), key)})
	w.Stages = append(w.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: r.reduceTasks(j)})
	r.Deadlines.set(w, key)
	return w, nil
}

func (r *Rule) mapTasks(j *Job, n int, key draw.Draw) []workload.Task {
	tasks := make([]workload.Task, n)
	from, to := float64(r.MapTime[0]), float64(r.MapTime[1])
	stage := key.Number(uint64(workload.Map))
	for i := range tasks {
		tasks[i] = workload.Task{Input: r.Block, Work: units.Duration(stage.Number(uint64(i)).Between(from, to))}
	}
	tasks[n-1].Input = max(0, j.Input) - r.Block*units.Bytes(n-1)
	return tasks
}

func (r *Rule) reduceTasks(j *Job) []workload.Task {
	shuffle := max(0, j.Shuffle)
	n := max(1, min((shuffle-1)/r.ReduceInput+1, units.Bytes(r.MaxReduces)))
	if shuffle == 0 {
		n = 1
	}
	tasks := make([]workload.Task, n)
	share := shuffle / n
	for i := range tasks {
		tasks[i] = workload.Task{Input: share, Shuffle: spent(share, r.ShuffleRate), Work: spent(share, r.ReduceRate)}
	}
	return tasks
}

// spent is how long so many bytes take at a rate.
func spent(b, rate units.Bytes) units.Duration {
	return units.Duration(float64(b) / float64(rate) * float64(units.Second))
}
