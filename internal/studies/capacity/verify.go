package capacity

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Arrivals says what a verification assumes.
const Arrivals = "users: each admitted job is that of a user, who thinks for an exponential time, a tenth of the planned completion in the mean, " +
	"before each job until ten planned completions have passed, and beyond that for another one that does not count; task times have the mean and the longest of the file in each job, reduces with their shuffle start behind the last map"

// Played is what came of a plan in the simulator.
type Played struct {
	Policy   string        `json:"policy"`
	Arrivals string        `json:"arrivals"`
	Seed     uint64        `json:"seed"`
	Classes  []PlayedClass `json:"classes"`
	Kept     Part          `json:"classes_in_time"`      // classes no job of which was late
	Mean     Part          `json:"classes_mean_in_time"` // classes whose jobs were in time in the mean
}

// PlayedClass is what came of the jobs of a class.
type PlayedClass struct {
	Name    string  `json:"name"`
	Jobs    int     `json:"jobs"`
	Refused int     `json:"refused"`
	Mean    float64 `json:"completion_mean_s"`
	Longest float64 `json:"completion_max_s"`
	InTime  Part    `json:"in_time"`
	sum     float64
}

// Part is so many of so many, with the exact 95 % interval.
type Part struct {
	K    int        `json:"k"`
	N    int        `json:"n"`
	CI95 [2]float64 `json:"ci95"`
}

func (p *Part) count(yes bool) {
	if p.N++; yes {
		p.K++
	}
}

func (p *Part) add(o Part) { p.K, p.N = p.K+o.K, p.N+o.N }

func (p *Part) close() { p.CI95[0], p.CI95[1] = stat.Exact95(p.K, p.N) }

// Verify plays the plan: by a policy on machines that all classes share, or for "" each class on
// map and reduce slots of its own, as the bounds have it, rounded up and shared evenly by its jobs.
func (r *Result) Verify(ctx context.Context, c *scenario.Capacity, policy string, seed uint64) error {
	if r.Fleet != nil {
		return errors.New("plans with several types of machines are not played; play one with prices and reserved_limit")
	}
	return r.verify(ctx, c, policy, seed, 10)
}

// verify lets each user submit so many jobs.
func (r *Result) verify(ctx context.Context, c *scenario.Capacity, policy string, seed uint64, rounds int) error {
	machines := r.Reserved + r.OnDemand
	if math.Ceil(machines) > 10_000 {
		return fmt.Errorf("the plan has %.0f machines; no more than 10000 are played", machines)
	}
	r.Played = &Played{Policy: cmp.Or(policy, alone), Arrivals: Arrivals, Seed: seed}
	var q queues.Config
	for i := range r.Classes {
		k := &r.Classes[i]
		r.Played.Classes = append(r.Played.Classes, PlayedClass{Name: k.Name})
		percent := math.Floor(1e4*k.Machines/max(machines, 1e-9)) / 100
		q.Queues = append(q.Queues, queues.Queue{Name: k.Name, Weight: max(k.Machines, 1e-3), Capacity: percent, UserLimitFactor: -1})
	}
	if policy != "" {
		shared := units.Vector{units.VCores: machine}
		if err := r.play(ctx, c, 0, len(r.Classes), policy, q, int(math.Ceil(machines-1e-9)), shared, seed, rounds); err != nil {
			return err
		}
	}
	for i := range r.Classes {
		k, was := &r.Played.Classes[i], &r.Classes[i]
		if policy == "" {
			own := units.Slots(int(math.Ceil(was.MapSlots-1e-9)), int(math.Ceil(was.ReduceSlots-1e-9)))
			if err := r.play(ctx, c, i, i+1, "fair", queues.Config{}, 1, own, seed, rounds); err != nil {
				return err
			}
		}
		if k.InTime.close(); k.Jobs == 0 {
			continue
		}
		k.Mean = k.sum / float64(k.Jobs)
		r.Played.Kept.count(k.InTime.K == k.InTime.N)
		r.Played.Mean.count(k.Mean <= was.Deadline)
	}
	r.Played.Kept.close()
	r.Played.Mean.close()
	return nil
}

// alone says that classes do not share.
const alone = "fair, each class on slots of its own"

// play plays some of the classes on such machines.
func (r *Result) play(ctx context.Context, c *scenario.Capacity, from, to int, policy string, q queues.Config, machines int, has units.Vector, seed uint64, rounds int) error {
	source := &users{draw: draw.Of(seed, "verify"), into: r.Played, classes: make([]user, len(r.Classes)), shared: has[units.VCores] > 0}
	var known []*profile.Class
	for i := from; i < to; i++ {
		known = append(known, taught(&c.Classes[i]))
		source.classes[i] = user{&c.Classes[i], r.Classes[i].Mean}
		source.until = max(source.until, units.Time(units.FromSeconds(float64(rounds)*r.Classes[i].Mean)))
		source.stop = max(source.stop, units.Time(units.FromSeconds(float64(rounds+1)*r.Classes[i].Mean)))
		for range int(math.Round(r.Classes[i].Admitted)) {
			source.think(i, 0)
		}
	}
	on := cluster.Uniform(max(1, machines), 1, cluster.Class{Name: "machine", Speed: 1, Capacity: has})
	return source.play(ctx, known, policy, &q, on, 0, seed)
}

// play lets them work.
func (u *users) play(ctx context.Context, known []*profile.Class, policy string, q *queues.Config, on *cluster.Cluster, heartbeat units.Duration, seed uint64) error {
	if q == nil {
		q = &queues.Config{}
	}
	w, err := sim.New(sim.Config{Cluster: on, Source: func() workload.Source { return u }, Profiles: known, Seed: seed, Heartbeat: heartbeat})
	if err != nil {
		return err
	}
	p, err := catalog.New(policy, *q)
	if err != nil {
		return err
	}
	can := w.Can()
	if err := p.Suits(&can); err != nil {
		return err
	}
	return drive.New(w, p).Run(ctx)
}

// machine is what a machine has of the resource that tasks take: so much that it divides into any number of slots.
const machine = 1 << 30

// taught is the profile that a class has by the file.
func taught(k *scenario.CapacityClass) *profile.Class {
	c := profile.New(k.Name)
	is := func(t scenario.TaskTimes) profile.Estimate {
		m, most := t.Mean.Duration().Seconds(), t.Max.Duration().Seconds()
		return profile.Estimate{N: 2, Mean: m, Max: most, Min: max(0, 2*m-most)}
	}
	if k.Maps > 0 {
		c.At(workload.Map, "machine").Task = is(k.Map)
	}
	if k.Reduces > 0 {
		s := c.At(workload.Reduce, "machine")
		s.Task, s.Shuffle = is(k.Reduce), is(k.Shuffle)
	}
	return c
}

// users submit jobs, and think between them.
type users struct {
	draw    draw.Draw
	classes []user
	due     thoughts
	made    int
	of      map[string]thought // of jobs that run
	into    *Played
	until   units.Time // jobs that are submitted before count
	stop    units.Time // and none comes later than this
	shared  bool       // machines, of which tasks take parts; else slots
	paced   bool       // the next job comes after the time that one is guessed to take, and not when it has ended
}

// user is what those of a class submit, and how long it is planned to take.
type user struct {
	*scenario.CapacityClass
	takes float64
}

// thought is when a user of a class submits the next job.
type thought struct {
	at    units.Time
	class int
}

func (u *users) think(class int, from units.Time) {
	if from >= u.stop {
		return
	}
	u.made++
	pause := u.draw.Number(uint64(u.made)).Exponential(max(u.classes[class].takes/10, 1e-9))
	heap.Push(&u.due, thought{from.Add(units.FromSeconds(pause)), class})
}

func (u *users) Due() units.Time {
	if len(u.due) == 0 {
		return units.Never
	}
	return u.due[0].at
}

func (u *users) Next() (*workload.Job, error) {
	next := heap.Pop(&u.due).(thought)
	k := u.classes[next.class]
	u.made++
	j := &workload.Job{
		ID: fmt.Sprintf("%s-%d", k.Name, u.made), Class: k.Name, Queue: k.Name, Arrive: next.at, Soft: units.Never,
		Deadline: next.at.Add(k.Deadline.Duration()), Weight: max(k.Penalty, 1e-9), SlowStart: 1,
	}
	d := u.draw.Job(j.ID)
	if k.Maps > 0 {
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Map, Tasks: tasks(k.Maps, d.Number(1), k.Map), Containers: u.part(k.MapSlots)})
	}
	if k.Reduces > 0 {
		list := tasks(k.Reduces, d.Number(2), k.Reduce)
		for i, fetch := range tasks(k.Reduces, d.Number(3), k.Shuffle) {
			list[i].Work += fetch.Work
		}
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: list, Containers: u.part(k.ReduceSlots)})
	}
	if u.of == nil {
		u.of = map[string]thought{}
	}
	u.of[j.ID] = next
	if u.paced {
		u.think(next.class, next.at.Add(units.FromSeconds(k.takes)))
	}
	return j, nil
}

// Ended counts a job and lets its user think.
func (u *users) Ended(j *workload.Job, at units.Time) {
	was := u.of[j.ID]
	delete(u.of, j.ID)
	if !u.paced {
		u.think(was.class, at)
	}
	k := &u.into.Classes[was.class]
	switch took := at.Sub(was.at); {
	case was.at >= u.until && k.Jobs > 0:
	case took == 0:
		k.Refused++
	default:
		k.Jobs++
		k.sum += took.Seconds()
		k.Longest = max(k.Longest, took.Seconds())
		k.InTime.count(at <= j.Deadline)
	}
}

// part is a container of which a machine runs so many.
func (u *users) part(slots float64) []cluster.Container {
	if !u.shared {
		return nil
	}
	return []cluster.Container{{Name: "task", Needs: units.Vector{units.VCores: max(1, int64(machine/max(slots, 1)))}}}
}

// tasks have these times: quantiles of a distribution with that longest time, scaled to the mean, in any order.
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

// thoughts is a heap.
type thoughts []thought

func (t thoughts) Len() int           { return len(t) }
func (t thoughts) Less(i, j int) bool { return t[i].at < t[j].at }
func (t thoughts) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *thoughts) Push(x any)        { *t = append(*t, x.(thought)) }
func (t *thoughts) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// writePlayed writes what came of the plan.
func (r *Result) writePlayed(b *strings.Builder) error {
	p := r.Played
	fmt.Fprintf(b, "\nplayed by %s, seed %d\n\n", report.Printable(p.Policy), p.Seed)
	if err := writeRows(b, r.playedRows()); err != nil {
		return err
	}
	fmt.Fprintf(b, "\nall jobs in time: %d of %d classes; in the mean: %d\n%s\n", p.Kept.K, p.Kept.N, p.Mean.K, p.Arrivals)
	return nil
}

// playedRows is what came of each class.
func (r *Result) playedRows() [][]string {
	rows := [][]string{{"class", ">jobs", ">completion", ">longest", ">deadline", ">in time", ">95 % interval"}}
	for i, k := range r.Played.Classes {
		rows = append(rows, []string{k.Name, number(float64(k.Jobs)), units.Span(k.Mean), units.Span(k.Longest), units.Span(r.Classes[i].Deadline),
			fmt.Sprintf("%d of %d", k.InTime.K, k.InTime.N), fmt.Sprintf("%.1f to %.1f %%", 100*k.InTime.CI95[0], 100*k.InTime.CI95[1])})
	}
	return rows
}
