package rtmr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// stream is a random run: a small cluster, and jobs whose worst costs are known. Times are whole
// seconds, so that much falls together.
type stream struct {
	Nodes, Maps, Reduces int // of a node
	Heartbeat            units.Duration
	Steps                []sim.SizeStep // nodes that drain, and come back
	Jobs                 []streamJob

	Speeds []float64 // of nodes, in the order of their numbers; nil = all 1
	// if above 0: a map that is not beside its input first reads it, for a second in its rack, else
	// for two
	Racks int
	Rooms int64 // of a node, for masters outside of the slots
}

type streamJob struct {
	Arrive, Within int // deadline, from the arrival on; 0 = none
	Maps, Reduces  []int
	Map, Reduce    int // at worst
	Known          bool
	SlowStart      float64

	Master         masterKind
	Start, Startup int   // of its master, and at worst
	Takes          int64 // rooms
}

type masterKind string

const (
	noMaster  masterKind = "no master"
	outside   masterKind = "a master outside of the slots"
	inMapSlot masterKind = "a master in a map slot"
)

// slowest is how much longer a task takes where it takes longest.
func (s stream) slowest() float64 {
	if s.Speeds == nil {
		return 1
	}
	return max(1, 1/slices.Min(s.Speeds))
}

// atWorst is what a job's tasks take at worst: on the slowest node, a map beside that far from its input.
func (s stream) atWorst(j *streamJob) (start, map_, reduce units.Duration) {
	on := func(n int) units.Duration { return (units.Duration(n) * units.Second).Scale(s.slowest()) }
	map_ = on(j.Map)
	if s.Racks > 0 {
		map_ += 2 * units.Second
	}
	return on(j.Startup), map_, on(j.Reduce)
}

func (s stream) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes of %d map and %d reduce slots, heartbeat %v\n", s.Nodes, s.Maps, s.Reduces, s.Heartbeat)
	for _, st := range s.Steps {
		fmt.Fprintf(&b, "%d nodes from %v on\n", st.Nodes, st.At)
	}
	if s.Speeds != nil {
		fmt.Fprintf(&b, "speeds %v, %d racks, rooms for masters %d\n", s.Speeds, s.Racks, s.Rooms)
	}
	for i, j := range s.Jobs {
		fmt.Fprintf(&b, "j%d at %ds within %ds: maps %v (at worst %d), reduces %v (at worst %d), slow start %v, class known: %v\n", i+1, j.Arrive, j.Within, j.Maps, j.Map, j.Reduces, j.Reduce, j.SlowStart, j.Known)
		if j.Master != "" && j.Master != noMaster {
			fmt.Fprintf(&b, "    %s of %d rooms that starts up for %ds (at worst %d)\n", j.Master, j.Takes, j.Start, j.Startup)
		}
	}
	return b.String()
}

// streams draws them, with so many jobs at most. others: also jobs without a deadline, and of
// classes of which nothing is known.
func streams(others bool, most int, heartbeats ...units.Duration) *rapid.Generator[stream] {
	return rapid.Custom(func(t *rapid.T) stream {
		s := stream{
			Nodes: rapid.IntRange(1, 3).Draw(t, "nodes"), Maps: rapid.IntRange(1, 3).Draw(t, "map slots"), Reduces: rapid.IntRange(1, 2).Draw(t, "reduce slots"),
			Heartbeat: rapid.SampledFrom(heartbeats).Draw(t, "heartbeat"),
		}
		at := 0
		for range rapid.IntRange(1, most).Draw(t, "jobs") {
			at += rapid.IntRange(0, 12).Draw(t, "after")
			j := streamJob{Arrive: at, Map: rapid.IntRange(1, 12).Draw(t, "map"), Reduce: rapid.IntRange(1, 30).Draw(t, "reduce"), Known: true}
			tasks := func(most, worst int, what string) (times []int) {
				for range rapid.IntRange(0, most).Draw(t, what) {
					// Often the worst case is true.
					times = append(times, max(1, min(worst, rapid.IntRange(1, 2*worst).Draw(t, what+" time"))))
				}
				return times
			}
			j.Maps, j.Reduces = tasks(6, j.Map, "maps"), tasks(4, j.Reduce, "reduces")
			if len(j.Maps)+len(j.Reduces) == 0 {
				j.Maps = []int{j.Map}
			}
			j.SlowStart = rapid.SampledFrom([]float64{1, 0, 0.5}).Draw(t, "slow start")
			// About as long as it takes alone at worst, and some more: tight promises, about half of them possible.
			waves := func(tasks, slots int) int { return (tasks + slots - 1) / slots }
			beat := int(s.Heartbeat / units.Second)
			alone := waves(len(j.Maps), s.Nodes*s.Maps)*(j.Map+beat) + waves(len(j.Reduces), s.Nodes*s.Reduces)*(j.Reduce+beat)
			j.Within = max(1, alone+rapid.IntRange(-2, 30).Draw(t, "slack"))
			if others {
				switch rapid.IntRange(0, 4).Draw(t, "kind") {
				case 0:
					j.Within = 0
				case 1:
					j.Within, j.Known = 0, false
				}
			}
			s.Jobs = append(s.Jobs, j)
		}
		return s
	})
}

// draining are such streams with nodes that drain now and then, and come back. One stays at the end.
func draining(from *rapid.Generator[stream]) *rapid.Generator[stream] {
	return rapid.Custom(func(t *rapid.T) stream {
		s := from.Draw(t, "stream")
		at := 0
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			at += rapid.IntRange(1, 25).Draw(t, "step after")
			s.Steps = append(s.Steps, sim.SizeStep{At: units.Time(0).Add(units.Duration(at) * units.Second), Nodes: rapid.IntRange(0, s.Nodes).Draw(t, "nodes left")})
		}
		if last := &s.Steps[len(s.Steps)-1]; last.Nodes == 0 {
			last.Nodes = 1
		}
		return s
	})
}

// mastered are such streams whose jobs have masters, or some of them, on nodes of mixed speeds in racks.
func mastered(from *rapid.Generator[stream], kinds ...masterKind) *rapid.Generator[stream] {
	return rapid.Custom(func(t *rapid.T) stream {
		s := from.Draw(t, "stream")
		s.Rooms, s.Racks = rapid.Int64Range(2, 6).Draw(t, "rooms"), rapid.IntRange(0, min(2, s.Nodes)).Draw(t, "racks")
		if slices.Contains(kinds, inMapSlot) { // or a master has no slot beside its own
			s.Maps = max(s.Maps, 2)
		}
		for range s.Nodes {
			s.Speeds = append(s.Speeds, rapid.SampledFrom([]float64{1, 1, 0.5, 2}).Draw(t, "speed"))
		}
		for i := range s.Jobs {
			j := &s.Jobs[i]
			j.Master = rapid.SampledFrom(kinds).Draw(t, "master")
			j.Startup, j.Takes = rapid.IntRange(1, 10).Draw(t, "startup"), rapid.Int64Range(1, 2).Draw(t, "takes")
			j.Start = max(1, min(j.Startup, rapid.IntRange(1, 2*j.Startup).Draw(t, "start")))
			slots := s.Nodes * s.Maps
			switch j.Master {
			case noMaster:
				j.Startup = 0
			case inMapSlot:
				slots = max(1, slots-1)
			}
			if j.Within == 0 {
				continue
			}
			waves := func(tasks, slots int) units.Duration { return units.Duration((tasks + slots - 1) / slots) }
			start, map_, reduce := s.atWorst(j)
			alone := start + waves(len(j.Maps), slots)*(map_+s.Heartbeat) + waves(len(j.Reduces), s.Nodes*s.Reduces)*(reduce+s.Heartbeat)
			j.Within = max(1, int(alone.Seconds())+rapid.IntRange(-2, 40).Draw(t, "slack"))
		}
		return s
	})
}

// simulation is the stream as a simulation that knows the worst costs.
func (s stream) simulation() sim.Config {
	second := func(n int) units.Duration { return units.Duration(n) * units.Second }
	class := cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(s.Maps, s.Reduces)}
	class.Capacity[units.Memory] = s.Rooms
	cfg := sim.Config{Cluster: cluster.Uniform(s.Nodes, max(1, s.Racks), class), Workload: &workload.Workload{}, Heartbeat: s.Heartbeat, Sizes: s.Steps}
	if s.Racks > 0 {
		cfg.Replicas, cfg.Read = 1, sim.ReadRates{Rack: 2, Remote: 1}
	}
	for i, speed := range s.Speeds {
		of := class
		of.Name, of.Speed = fmt.Sprintf("c%d", i+1), speed
		cfg.Cluster.Classes = append(cfg.Cluster.Classes, &of)
		cfg.Cluster.Nodes[i].Class = &of
	}
	if s.Speeds != nil {
		cfg.Cluster.Classes = cfg.Cluster.Classes[1:]
	}
	for i, from := range s.Jobs {
		j := &workload.Job{ID: fmt.Sprintf("j%d", i+1), Class: fmt.Sprintf("c%d", i+1), Weight: 1, Arrive: units.Time(0).Add(second(from.Arrive)), Soft: units.Never, Deadline: units.Never, SlowStart: from.SlowStart}
		if from.Within > 0 {
			j.Deadline = j.Arrive.Add(second(from.Within))
		}
		known := profile.New(j.Class)
		start, map_, reduce := s.atWorst(&from)
		known.At(sched.Map, "c").Task.Add(map_.Seconds())
		known.At(sched.Reduce, "c").Task.Add(reduce.Seconds())
		if from.Startup > 0 {
			known.At(sched.Master, "c").Start.Add(start.Seconds())
			st := workload.StageSpec{Kind: sched.Master, Tasks: []workload.Task{{Work: second(from.Start)}}}
			if from.Master == outside {
				st.Containers = []cluster.Container{{Name: "master", Needs: units.Vector{units.Memory: from.Takes}}}
			}
			j.Stages = append(j.Stages, st)
		}
		if from.Known {
			cfg.Profiles = append(cfg.Profiles, known)
		}
		for k, times := range [][]int{from.Maps, from.Reduces} {
			if len(times) == 0 {
				continue
			}
			st := workload.StageSpec{Kind: sched.Map + sched.Stage(k)}
			for n, t := range times {
				task := workload.Task{Work: second(t)}
				if k == 0 && s.Racks > 0 {
					task.Input = 2
				}
				if k == 1 && n%2 == 1 { // a part of it is its shuffle
					task.Shuffle = task.Work / 2
					task.Work -= task.Shuffle
				}
				st.Tasks = append(st.Tasks, task)
			}
			j.Stages = append(j.Stages, st)
		}
		cfg.Workload.Jobs = append(cfg.Workload.Jobs, j)
	}
	return cfg
}
