package capacity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
)

// arrivalsOfFleet is what the verification of a plan with several types of machines assumes.
const arrivalsOfFleet = Arrivals + "; the jobs and machines of each hour of the plan are played by " +
	"themselves, those of hours that are alike once; spot machines are taken away at random, with what " +
	"runs and lies on them, and replaced at once"

// PlayedOn is what came of the jobs of a class on a type of machines.
type PlayedOn struct {
	Type string `json:"type"`
	Spot bool   `json:"spot"`
	PlayedClass
}

// setting is what is played at a time: users, and the machines that run their jobs.
type setting struct {
	crowds []crowd
	on     cluster.Cluster
	taken  []float64 // how often each node is taken away, an hour
	queues queues.Config
	known  []*profile.Class
}

// playFleet plays each hour of the plan. By a policy all classes share the machines of the hour, and
// each job runs on those of the kind that it was planned for. For "" the jobs of a class on a kind of
// machines have the slots of the plan for themselves, on as many machines as they need.
func (r *Result) playFleet(ctx context.Context, c *scenario.Capacity, how play) error {
	r.Played.Arrivals = arrivalsOfFleet
	for _, p := range r.Fleet.Placed {
		r.Played.On = append(r.Played.On, PlayedOn{p.Type, p.Spot, PlayedClass{Name: p.Class}})
	}
	n := uint64(0)
	show := func(s *setting, err error) error {
		if err != nil {
			return err
		}
		n++
		return s.play(ctx, play{cmp.Or(how.policy, "fair"), draw.Of(how.seed, "hour").Number(n).Uint64(), how.rounds})
	}
	for hour := range r.Fleet.Hours {
		r.give(hour, how.policy != "")
		if how.policy != "" {
			if !r.Fleet.again(hour) {
				if err := show(r.shared(c, hour)); err != nil {
					return err
				}
			}
			continue
		}
		for i := range r.Fleet.Placed {
			if jobs := r.Fleet.Placed[i].Jobs; jobs[hour] > 0 && !slices.Contains(jobs[:hour], jobs[hour]) {
				if err := show(r.own(c, i, hour)); err != nil {
					return err
				}
			}
		}
	}
	for i := range r.Played.On {
		on := &r.Played.On[i]
		k := &r.Played.Classes[r.class(on.Name)]
		k.Jobs, k.Refused = k.Jobs+on.Jobs, k.Refused+on.Refused
		k.sum, k.Longest = k.sum+on.sum, max(k.Longest, on.Longest)
		k.InTime.add(on.InTime)
		on.close()
	}
	return nil
}

// give counts the machines of an hour that are played, and the slots where classes do not share them.
func (r *Result) give(hour int, shared bool) {
	hours, given := float64(r.Fleet.Hours), &r.Played.Given
	if shared {
		for i := range r.Fleet.Machines {
			t := &r.Fleet.Machines[i]
			given.Machines += float64(up(t.Reserved+t.OnDemand[hour])+up(t.Spot[hour])) / hours
		}
		return
	}
	for i := range r.Fleet.Placed {
		p := &r.Fleet.Placed[i]
		if jobs := p.Jobs[hour]; jobs > 0 {
			given.Slots += float64(up(jobs*p.MapSlots)+up(jobs*p.ReduceSlots)) / hours
			given.Machines += float64(max(1, up(jobs*p.Gamma))) / hours
		}
	}
}

// again tells whether an earlier hour has the same jobs and machines.
func (f *Fleet) again(hour int) bool {
	for before := range hour {
		same := !slices.ContainsFunc(f.Placed, func(p Placement) bool { return p.Jobs[before] != p.Jobs[hour] })
		if same && !slices.ContainsFunc(f.Machines, func(t Type) bool {
			return t.OnDemand[before] != t.OnDemand[hour] || t.Spot[before] != t.Spot[hour]
		}) {
			return true
		}
	}
	return false
}

// class is the place of a class in the plan.
func (r *Result) class(name string) int {
	return slices.IndexFunc(r.Classes, func(k Class) bool { return k.Name == name })
}

// crowd is those whose jobs run at one place in an hour.
func (r *Result) crowd(c *scenario.Capacity, placed, hour int) crowd {
	p := &r.Fleet.Placed[placed]
	return crowd{CapacityClass: &c.Classes[r.class(p.Class)], users: int(math.Round(p.Jobs[hour])), takes: p.Mean,
		into: &r.Played.On[placed].PlayedClass}
}

// own is a class in an hour on machines of its own: their slots of both kinds lie evenly on them.
func (r *Result) own(c *scenario.Capacity, placed, hour int) (*setting, error) {
	p := &r.Fleet.Placed[placed]
	t := typeOf(c, p.Type)
	s := &setting{crowds: []crowd{r.crowd(c, placed, hour)}}
	jobs := p.Jobs[hour]
	maps, reduces, machines := up(jobs*p.MapSlots), up(jobs*p.ReduceSlots), max(1, up(jobs*p.Gamma))
	if err := playable(float64(machines)); err != nil {
		return nil, err
	}
	share := func(slots, node int) int { return (node+1)*slots/machines - node*slots/machines }
	for i := range machines {
		has := [2]int{share(maps, i), share(reduces, i)}
		class := cluster.Class{Name: fmt.Sprintf("%d+%d", has[0], has[1]), Speed: t.Speed}
		class.Capacity = units.Slots(has[0], has[1])
		s.add(class, t, p.Spot)
	}
	return s, nil
}

// shared is all classes in an hour on the machines that there are.
func (r *Result) shared(c *scenario.Capacity, hour int) (*setting, error) {
	s := &setting{}
	kinds, needs, all := map[string]cluster.Class{}, make([]float64, len(r.Classes)), 0.0
	for i := range r.Fleet.Machines {
		t := &r.Fleet.Machines[i]
		of := &c.Machines[i]
		for _, spot := range []bool{false, true} {
			machines := t.Reserved + t.OnDemand[hour]
			if spot {
				machines = t.Spot[hour]
			}
			if all += machines; machines == 0 {
				continue
			}
			if err := playable(all); err != nil {
				return nil, err
			}
			has := units.Vector{units.VCores: machine}
			if of.Slots == "apart" {
				has[units.Memory] = machine
			}
			class := cluster.Class{Name: onOf(of.Name, spot), Speed: of.Speed, Capacity: has}
			kinds[class.Name] = class
			for range up(machines) {
				s.add(class, of, spot)
			}
		}
	}
	for i := range r.Fleet.Placed {
		p := &r.Fleet.Placed[i]
		if p.Jobs[hour] == 0 {
			continue
		}
		of := typeOf(c, p.Type)
		k := r.crowd(c, i, hour)
		k.on = []string{onOf(of.Name, p.Spot)}
		maps, reduces := k.SlotsOf(of)
		k.maps, k.reduce = part(maps, units.VCores), part(reduces, units.VCores)
		if of.Slots == "apart" {
			k.reduce = part(reduces, units.Memory)
		}
		s.crowds = append(s.crowds, k)
		needs[r.class(p.Class)] += p.Jobs[hour] * p.Gamma
		taught(s.profile(p.Class), k.CapacityClass, kinds[k.on[0]])
	}
	s.queues = r.queues(needs, all)
	return s, nil
}

// profile is what is known of a class.
func (s *setting) profile(name string) *profile.Class {
	for _, p := range s.known {
		if p.Name == name {
			return p
		}
	}
	s.known = append(s.known, profile.New(name))
	return s.known[len(s.known)-1]
}

func typeOf(c *scenario.Capacity, name string) *scenario.MachineType {
	return &c.Machines[slices.IndexFunc(c.Machines, func(m scenario.MachineType) bool { return m.Name == name })]
}

// add adds a node. Its label is the kind of machines, which jobs ask for where there are several.
func (s *setting) add(class cluster.Class, of *scenario.MachineType, spot bool) {
	at := slices.IndexFunc(s.on.Classes, func(k *cluster.Class) bool { return k.Name == class.Name })
	if at < 0 {
		at = len(s.on.Classes)
		s.on.Classes = append(s.on.Classes, &class)
	}
	s.on.Racks = 1
	s.on.Nodes = append(s.on.Nodes, &cluster.Node{Name: fmt.Sprintf("n%d", len(s.on.Nodes)+1), Rack: 1,
		Class: s.on.Classes[at], Labels: []string{onOf(of.Name, spot)}})
	rate := 0.0
	if spot {
		rate = of.Interruptions
	}
	s.taken = append(s.taken, rate)
}

// play lets the users work. Machines are taken away until twice the time after which no job is submitted.
func (s *setting) play(ctx context.Context, how play) error {
	u := users{draw: draw.Of(how.seed, "verify"), crowds: s.crowds}
	u.begin(how.rounds)
	cfg := sim.Config{Cluster: &s.on, Profiles: s.known, Seed: how.seed}
	for i, rate := range s.taken {
		if rate == 0 {
			continue
		}
		at := units.Time(0)
		for n := uint64(0); ; n++ {
			away := u.draw.Job("taken").Number(uint64(i)).Number(n).Exponential(3600 / rate)
			at = at.Add(units.FromSeconds(away))
			if at > 2*u.stop {
				break
			}
			cfg.Outages = append(cfg.Outages, sim.Outage{Node: cluster.NodeID(i + 1), Down: at, Up: at + 1})
		}
	}
	return u.play(ctx, how.policy, s.queues, cfg)
}
