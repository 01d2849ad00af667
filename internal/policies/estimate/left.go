package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Left is what is left of a job, by what its own tasks took, joined with what is known of its class. Times are in
// milliseconds.
type Left struct {
	Due  int64    // from now
	Open [2]int64 // maps and reduces to be started
	Mean [2]int64 // what one of them takes
	// Sure is by how much sooner than due it has to be expected for its deadline to be as likely as it is to be.
	Sure     int64
	Promised bool
}

// Estimator is a part that knows more of jobs than their own tasks and their class say.
type Estimator interface {
	// Asked says that a part goes by it: else it need not find what nobody asks for.
	Asked()
	// Left is what is left of a job, by what was known when it was looked at last.
	Left(v sched.View, j *sched.Job) (left Left, known bool)
	// Looks is how often it has looked at them: after each time their Left is another one.
	Looks() int
}

// classTasks is how many tasks of a job count as much as what is known of its class.
const classTasks = 3

// Left is what is left of a job whose tasks are taken to be so many percent longer than their mean; it is not known
// where nothing is known of a stage that has tasks. Those of its class are taken to be as long as its size says, where
// that is above 0, and else as they are over all its jobs. O(1).
func (o *Own) Left(v sched.View, j *sched.Job, margin int, size [2]units.Duration) (left Left, known bool) {
	class := v.Profile(j.Spec.Class)
	left.Due = math.MaxInt64
	if due := j.Due(); due != units.Never {
		left.Due = int64(due.Sub(v.Now()) / units.Millisecond)
	}
	for k := range left.Open {
		s := sched.Map + sched.Stage(k)
		t := &j.Stages[s]
		if left.Open[k] = int64(t.ToStart()); left.Open[k] == 0 && t.Occupied <= 0 {
			continue
		}
		tasks, sum := o.Of(j.ID, s)
		if class != nil {
			mean, _, ok := Task(class, s)
			if size[k] > 0 {
				mean = size[k]
			}
			if ok && mean < units.Hour*1000 {
				tasks, sum = tasks+classTasks, sum+classTasks*mean
			}
		}
		if tasks == 0 {
			return left, false
		}
		left.Mean[k] = max(1, Millis(sum/units.Duration(tasks)+v.World().Served()/2)*int64(100+margin)/100)
	}
	return left, true
}

// Millis rounds a time up to milliseconds.
func Millis(d units.Duration) int64 {
	return int64((max(0, d) + units.Millisecond - 1) / units.Millisecond)
}

// A Queue is the jobs that wait or run and are not held back, by deadline, those without one last. It follows from the
// book.
type Queue struct {
	Jobs []sched.JobID

	in   []bool // by handle
	news []sched.JobID
}

// Look brings it up to date. O(jobs), and O(log jobs) for each that is new or has another deadline, unless there are
// many of these.
func (q *Queue) Look(v sched.View) {
	clear(q.in)
	sched.Row(&q.in, v.Jobs())
	order := func(a, b sched.JobID) int {
		x, y := v.Job(a), v.Job(b)
		return cmp.Or(cmp.Compare(x.Due(), y.Due()), cmp.Compare(x.Seq, y.Seq))
	}
	stays := q.Jobs[:0]
	for _, id := range q.Jobs {
		if waits(v.Job(id)) && (len(stays) == 0 || order(stays[len(stays)-1], id) < 0) {
			stays = append(stays, id)
			q.in[id] = true
		}
	}
	q.news = q.news[:0]
	for id := sched.JobID(1); id <= v.Jobs(); id++ {
		if !q.in[id] && waits(v.Job(id)) {
			q.news = append(q.news, id)
		}
	}
	if len(q.news) > 8 {
		q.Jobs = append(stays, q.news...)
		slices.SortFunc(q.Jobs, order)
		return
	}
	for _, id := range q.news {
		at, _ := slices.BinarySearchFunc(stays, id, order)
		stays = slices.Insert(stays, at, id)
	}
	q.Jobs = stays
}

func waits(j *sched.Job) bool {
	return j != nil && j.Standing() <= sched.Admitted && j.Standing() != sched.HeldBack && !j.Cancelled
}
