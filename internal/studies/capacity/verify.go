package capacity

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Arrivals says what a verification assumes.
const Arrivals = "each admitted job belongs to a user who waits before every job for an exponential time (mean: a tenth of the planned completion), " +
	"until ten planned completions have passed; one more job follows and is not counted. Task times have the mean and maximum of the file; " +
	"reduces, with their shuffle, start after the last map"

// Played is what came of a plan in the simulator.
type Played struct {
	Policy   string        `json:"policy"`
	Arrivals string        `json:"arrivals"`
	Seed     uint64        `json:"seed"`
	Planned  Room          `json:"planned"` // what the plan has on average over its hours
	Given    Room          `json:"given"`   // what was played, rounded up
	Classes  []PlayedClass `json:"classes"`
	On       []PlayedOn    `json:"on,omitempty"`         // classes by types of machines, where there are several
	Kept     Part          `json:"classes_in_time"`      // classes no job of which was late
	Mean     Part          `json:"classes_mean_in_time"` // classes whose jobs were in time on average
}

// Room is machines and their slots. There are no slots where classes share machines.
type Room struct {
	Machines float64 `json:"machines"`
	Slots    float64 `json:"slots"`
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

// close tells means and intervals of what was counted.
func (k *PlayedClass) close() {
	if k.InTime.close(); k.Jobs > 0 {
		k.Mean = k.sum / float64(k.Jobs)
	}
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

// mostPlayed is how many machines are played at most.
const mostPlayed = 10_000

// Verify plays the plan: by a policy on machines that all classes share, or for "" each class on
// map and reduce slots of its own, as the bounds have it, rounded up and shared evenly by its jobs.
func (r *Result) Verify(ctx context.Context, c *scenario.Capacity, policy string, seed uint64) error {
	return r.verify(ctx, c, policy, seed, 10)
}

// verify lets each user submit so many jobs.
func (r *Result) verify(ctx context.Context, c *scenario.Capacity, policy string, seed uint64, rounds int) error {
	r.Played = &Played{Policy: cmp.Or(policy, alone), Arrivals: Arrivals, Seed: seed}
	for i := range r.Classes {
		r.Played.Classes = append(r.Played.Classes, PlayedClass{Name: r.Classes[i].Name})
	}
	r.Played.Planned.Machines = r.Reserved + r.OnDemand
	if policy == "" {
		for i := range r.Classes {
			r.Played.Planned.Slots += r.Classes[i].MapSlots + r.Classes[i].ReduceSlots
		}
	}
	how := play{policy, seed, rounds}
	var err error
	switch {
	case r.Fleet != nil:
		err = r.playFleet(ctx, c, how)
	case policy != "":
		needs := each.Of(r.Classes, func(k Class) float64 { return k.Machines })
		machines := r.Reserved + r.OnDemand
		err = r.playShared(ctx, c, machines, r.queues(needs, machines), how)
	default:
		err = r.playAlone(ctx, c, how)
	}
	if err != nil {
		return err
	}
	for i := range r.Classes {
		k := &r.Played.Classes[i]
		if k.close(); k.Jobs == 0 {
			continue
		}
		r.Played.Kept.count(k.InTime.K == k.InTime.N)
		r.Played.Mean.count(k.Mean <= r.Classes[i].Deadline)
	}
	r.Played.Kept.close()
	r.Played.Mean.close()
	return nil
}

// alone says that classes do not share.
const alone = "fair, each class on slots of its own"

// play is how a plan is played.
type play struct {
	policy string
	seed   uint64
	rounds int // jobs that each user submits, more or less
}

// playShared plays all classes on so many machines.
func (r *Result) playShared(ctx context.Context, c *scenario.Capacity, machines float64, q queues.Config, how play) error {
	if err := playable(machines); err != nil {
		return err
	}
	u := users{draw: draw.Of(how.seed, "verify")}
	var known []*profile.Class
	for i := range r.Classes {
		k, of := &r.Classes[i], &c.Classes[i]
		u.crowds = append(u.crowds, crowd{CapacityClass: of,
			users: int(math.Round(k.Admitted)), takes: k.Mean, into: &r.Played.Classes[i],
			maps: part(of.MapSlots, units.VCores), reduce: part(of.ReduceSlots, units.VCores)})
		known = append(known, taught(profile.New(of.Name), of, cluster.Class{Name: "machine", Speed: 1}))
	}
	u.begin(how.rounds)
	has := units.Vector{units.VCores: machine}
	r.Played.Given.Machines = float64(max(1, up(machines)))
	on := cluster.Uniform(max(1, up(machines)), 1, cluster.Class{Name: "machine", Speed: 1, Capacity: has})
	return u.play(ctx, how.policy, q, sim.Config{Cluster: on, Profiles: known, Seed: how.seed})
}

func playable(machines float64) error {
	if math.Ceil(machines) > mostPlayed {
		return fmt.Errorf("the plan has %.0f machines; no more than %d are played", machines, mostPlayed)
	}
	return nil
}

// up rounds what is a whole number but for rounding errors, and all else, up.
func up(x float64) int { return int(math.Ceil(x - 1e-9)) }

// queues weigh classes by the machines that they need.
func (r *Result) queues(needs []float64, machines float64) (q queues.Config) {
	for i, n := range needs {
		percent := math.Floor(1e4*n/max(machines, 1e-9)) / 100
		q.Queues = append(q.Queues, queues.Queue{Name: r.Classes[i].Name, Weight: max(n, 1e-3), Capacity: percent, UserLimitFactor: -1})
	}
	return q
}

// playAlone plays each class on slots of its own.
func (r *Result) playAlone(ctx context.Context, c *scenario.Capacity, how play) error {
	if err := playable(r.Reserved + r.OnDemand); err != nil {
		return err
	}
	for i := range r.Classes {
		k := &r.Classes[i]
		u := users{draw: draw.Of(how.seed, "verify"), crowds: []crowd{{CapacityClass: &c.Classes[i],
			users: int(math.Round(k.Admitted)), takes: k.Mean, into: &r.Played.Classes[i]}}}
		u.begin(how.rounds)
		maps, reduces := up(k.MapSlots), up(k.ReduceSlots)
		r.Played.Given.Slots += float64(maps + reduces)
		r.Played.Given.Machines += float64(maps)/c.Classes[i].MapSlots + float64(reduces)/c.Classes[i].ReduceSlots
		has := units.Slots(maps, reduces)
		on := cluster.Uniform(1, 1, cluster.Class{Name: "machine", Speed: 1, Capacity: has})
		if err := u.play(ctx, "fair", queues.Config{}, sim.Config{Cluster: on, Seed: how.seed}); err != nil {
			return err
		}
	}
	return nil
}

// taught adds what the file says of a class on such machines.
func taught(p *profile.Class, k *scenario.CapacityClass, on cluster.Class) *profile.Class {
	is := func(t scenario.TaskTimes) profile.Estimate {
		m, most := t.Mean.Duration().Seconds()/on.Speed, t.Max.Duration().Seconds()/on.Speed
		return profile.Estimate{N: 2, Mean: m, Max: most, Min: max(0, 2*m-most)}
	}
	if k.Maps > 0 {
		p.At(workload.Map, on.Name).Task = is(k.Map)
	}
	if k.Reduces > 0 {
		s := p.At(workload.Reduce, on.Name)
		s.Task, s.Shuffle = is(k.Reduce), is(k.Shuffle)
	}
	return p
}

// writePlayed writes what came of the plan.
func (r *Result) writePlayed(b *report.Sheet) {
	p := r.Played
	fmt.Fprintf(b, "\n%s\n\n", p.by())
	writeRows(b, r.playedRows())
	fmt.Fprintf(b, "\n%s\n%s\n%s\n", p.kept(), p.room(), p.Arrivals)
}

func (p *Played) by() string {
	return fmt.Sprintf("played by %s, seed %d", report.Printable(p.Policy), p.Seed)
}

// room says how much more was played than the plan has.
func (p *Played) room() string {
	if p.Planned.Slots == 0 {
		return fmt.Sprintf("planned: %s machines; played: %s", number(p.Planned.Machines), number(p.Given.Machines))
	}
	return fmt.Sprintf("planned: %s slots, on %s machines; played: %s slots, those of each class rounded up, as on %s machines",
		number(p.Planned.Slots), number(p.Planned.Machines), number(p.Given.Slots), number(p.Given.Machines))
}

func (p *Played) kept() string {
	return fmt.Sprintf("all jobs in time: %d of %d classes; on average: %d", p.Kept.K, p.Kept.N, p.Mean.K)
}

// playedRows is what came of each class, on each type of machines where there are several.
func (r *Result) playedRows() [][]string {
	row := func(k *PlayedClass, on ...string) []string {
		return append(append([]string{k.Name}, on...), number(float64(k.Jobs)), units.Span(k.Mean), units.Span(k.Longest),
			units.Span(r.Classes[r.class(k.Name)].Deadline), fmt.Sprintf("%d of %d", k.InTime.K, k.InTime.N),
			fmt.Sprintf("%.1f to %.1f %%", 100*k.InTime.CI95[0], 100*k.InTime.CI95[1]))
	}
	head := []string{">jobs", ">completion", ">longest", ">deadline", ">in time", ">95 % interval"}
	if r.Fleet == nil {
		rows := [][]string{append([]string{"class"}, head...)}
		for i := range r.Played.Classes {
			rows = append(rows, row(&r.Played.Classes[i]))
		}
		return rows
	}
	rows := [][]string{append([]string{"class", "on"}, head...)}
	for i := range r.Played.On {
		p := &r.Played.On[i]
		rows = append(rows, row(&p.PlayedClass, onOf(p.Type, p.Spot)))
	}
	return rows
}
