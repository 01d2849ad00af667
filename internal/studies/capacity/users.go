package capacity

import (
	"context"
	"fmt"
	"math"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// users submit jobs, and think between them.
type users struct {
	draw   draw.Draw
	crowds []crowd
	due    heap.Heap[thought]
	made   int
	of     map[string]thought // of jobs that run
	until  units.Time         // jobs that are submitted before count
	stop   units.Time         // and none comes later than this
	paced  bool               // the next job comes after the time that one is guessed to take
}

// crowd is the users of a class whose jobs run on the same machines.
type crowd struct {
	*scenario.CapacityClass
	users        int
	takes        float64             // seconds that a job is planned to take
	maps, reduce []cluster.Container // what a task takes
	into         *stat.Sum           // seconds that its jobs took
}

// begin lets all of them think before their first jobs. Those that count are submitted within so many times the
// longest time that a job is planned to take.
func (u *users) begin(rounds int) {
	u.due.Before = func(a, b *thought) bool { return a.at < b.at }
	for i := range u.crowds {
		longest := units.FromSeconds(u.crowds[i].takes)
		u.until = max(u.until, units.Time(longest)*units.Time(rounds))
		u.stop = max(u.stop, units.Time(longest)*units.Time(rounds+1))
	}
	for i := range u.crowds {
		for range u.crowds[i].users {
			u.think(i, 0)
		}
	}
}

// play lets them work under fair.
func (u *users) play(ctx context.Context, cfg sim.Config) error {
	cfg.Source = func() workload.Source { return u }
	w, err := sim.New(cfg)
	if err != nil {
		return err
	}
	p, err := catalog.New("fair", queues.Config{})
	if err != nil {
		return err
	}
	return drive.New(w, p).Run(ctx)
}

// thought is when a user submits the next job.
type thought struct {
	at    units.Time
	crowd int
}

func (u *users) think(crowd int, from units.Time) {
	if from >= u.stop {
		return
	}
	u.made++
	pause := u.draw.Number(uint64(u.made)).Exponential(max(u.crowds[crowd].takes/10, 1e-9))
	u.due.Push(thought{from.Add(units.FromSeconds(pause)), crowd})
}

func (u *users) Due() units.Time {
	if len(u.due.List) == 0 {
		return units.Never
	}
	return u.due.List[0].at
}

func (u *users) Next() (*workload.Job, error) {
	next := u.due.Pop()
	k := u.crowds[next.crowd]
	u.made++
	j := &workload.Job{
		ID: fmt.Sprintf("%s-%d", k.Name, u.made), Class: k.Name, Queue: k.Name,
		Arrive: next.at, Soft: units.Never, Deadline: next.at.Add(k.Deadline.Duration()), Weight: max(k.Penalty, 1e-9), SlowStart: 1,
	}
	d := u.draw.Job(j.ID)
	if k.Maps > 0 {
		list := tasks(k.Maps, d.Number(1), k.Map)
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Map, Tasks: list, Containers: k.maps})
	}
	if k.Reduces > 0 {
		list := tasks(k.Reduces, d.Number(2), k.Reduce)
		for i, fetch := range tasks(k.Reduces, d.Number(3), k.Shuffle) {
			list[i].Work += fetch.Work
		}
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: list, Containers: k.reduce})
	}
	if u.of == nil {
		u.of = map[string]thought{}
	}
	u.of[j.ID] = next
	if u.paced {
		u.think(next.crowd, next.at.Add(units.FromSeconds(k.takes)))
	}
	return j, nil
}

// Ended counts a job and lets its user think.
func (u *users) Ended(j *workload.Job, at units.Time) {
	was := u.of[j.ID]
	delete(u.of, j.ID)
	if !u.paced {
		u.think(was.crowd, at)
	}
	if k := u.crowds[was.crowd].into; was.at < u.until || k.N() == 0 {
		k.Add(at.Sub(was.at).Seconds())
	}
}

// machine is what a machine has of the resource that tasks take: so much that it divides into any number
// of slots.
const machine = 1 << 30

// part is a container of which a machine runs so many.
func part(slots float64, of units.Dim) []cluster.Container {
	var needs units.Vector
	needs[of] = max(1, int64(machine/max(slots, 1)))
	return []cluster.Container{{Name: "task", Needs: needs}}
}

// tasks have these times: quantiles of a distribution with that longest time, scaled to the mean, in any
// order.
func tasks(n int, d draw.Draw, times scenario.TaskTimes) []workload.Task {
	list := make([]workload.Task, n)
	most, mean := times.Max.Duration().Seconds(), times.Mean.Duration().Seconds()
	if most == 0 {
		return list
	}
	bend := max(most/max(mean, most*1e-3)-1, 0) // U^bend has the mean 1/(1 + bend)
	sum := 0.0
	order := d.Permutation(n)
	seconds := make([]float64, n)
	for i := range n {
		seconds[i] = most * math.Pow((float64(i)+0.5)/float64(n), bend)
		sum += seconds[i]
	}
	scale := min(mean*float64(n)/sum, most/seconds[n-1])
	for i, at := range order {
		list[at].Work = units.FromSeconds(seconds[i] * scale)
	}
	return list
}
