package rtmr

import (
	"context"
	"flag"
	"fmt"
	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/policies/estimate"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/compose"
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

// config is the stream as a simulation that knows the worst costs.
func (s stream) config() sim.Config {
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

// keeper is a sink that holds a run to its promises.
type keeper struct {
	specs                       map[sched.JobID]*workload.Job
	admitted                    map[sched.JobID]units.Time // what it was promised, of jobs in the system
	promises, refusals, broken  int
	ended, preempted, committed int
	says                        []string
	drains                      []units.Time
	before                      map[sched.JobID]bool // jobs in the system whose promise is older than a drain
	excused                     int                  // promises that were
	mastered                    int                  // promises to jobs with masters
}

func (k *keeper) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.NodeChanged, sched.NodeDown:
			if slices.Contains(k.drains, at) {
				k.excused += len(k.admitted)
				for j := range k.admitted {
					k.before[j] = true
				}
				clear(k.admitted)
			}
		case sched.JobArrived:
			k.specs[e.Job] = e.Detail.Job
		case sched.Ended:
			if e.Outcome == sched.Preempted {
				k.preempted++
			}
		case sched.JobEnded:
			k.ended++
			if e.Outcome == sched.Committed {
				k.committed++
			}
			latest, ok := k.admitted[e.Job]
			if ok && (at > k.specs[e.Job].Deadline || e.Outcome != sched.Committed) {
				k.broken++
				k.says = append(k.says, fmt.Sprintf("%s ended %v at %v, was expected by %v, its deadline is %v", k.specs[e.Job].ID, e.Outcome, at, latest, k.specs[e.Job].Deadline))
			}
			delete(k.admitted, e.Job)
			delete(k.before, e.Job)
		}
	}
	return nil
}

func (k *keeper) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		switch {
		case it.Refused != sched.OK:
		case it.Verb == sched.Admit && it.Reason.Cause == estimate.Promised && !k.before[it.Job]:
			if _, again := k.admitted[it.Job]; !again {
				k.promises++
				if k.specs[it.Job].Stage(sched.Master) != nil {
					k.mastered++
				}
			}
			k.admitted[it.Job] = it.Outlook.By
		case it.Verb == sched.Reject:
			k.refusals++
		}
	}
	return nil
}

// play runs the stream and returns what came of its promises.
func (s stream) play(c Config, bend func(*scheduler, *compose.Recipe), sinks ...drive.Sink) (*keeper, error) {
	world, err := sim.New(s.config())
	if err != nil {
		return nil, err
	}
	r := newScheduler(c)
	recipe := compose.Recipe{Name: "rtmr"}
	assemble(&recipe, r)
	if bend != nil {
		bend(r, &recipe)
	}
	policy, err := compose.New(recipe)
	if err != nil {
		return nil, err
	}
	k := &keeper{specs: map[sched.JobID]*workload.Job{}, admitted: map[sched.JobID]units.Time{}, before: map[sched.JobID]bool{}}
	have := s.Nodes
	for _, st := range s.Steps {
		if st.Nodes < have {
			k.drains = append(k.drains, st.At)
		}
		have = st.Nodes
	}
	if err := drive.New(world, policy, append(sinks, k)...).Run(context.Background()); err != nil {
		return nil, err
	}
	if k.ended != len(s.Jobs) {
		return nil, fmt.Errorf("%d of %d jobs ended", k.ended, len(s.Jobs))
	}
	last := r.slots // with steps: as it was when the last job ended
	if len(s.Steps) == 0 {
		last = slots{s.Nodes * s.Maps, s.Nodes * s.Reduces}
	}
	if m, rd := r.plan.spare(units.Never - 1); m != last.Maps || rd != last.Reduces {
		return nil, fmt.Errorf("%d map and %d reduce slots are free when all jobs have ended", m, rd)
	}
	if len(r.queue)+len(r.others) > 0 {
		return nil, fmt.Errorf("jobs %v and %v stand in line when all have ended", r.queue, r.others)
	}
	return k, nil
}

// spare is how many slots no admitted job needs from then on.
func (s *Schedule) spare(now units.Time) (maps, reduces int) {
	s.seek(now, len(s.members))
	free := func(v *avail.Steps) (n int) {
		for at, slots := range v.Each {
			if at <= now {
				n += slots
			}
		}
		return n
	}
	return free(&s.at.maps), free(&s.at.reduces)
}

// rounds is how many times rapid is to make its checks, for 300 streams, or in the long tier as many as that.
func rounds(long int) int {
	n := 300
	if os.Getenv("SLACKLINE_LONG") != "" {
		n = long
	}
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		panic(err)
	}
	return max(1, n/checks)
}

var usual = Config{Feedback: true, BestEffort: true, Skew: 1, Masters: 0.1}

// The paper's theorem (section 5.2.2): as long as no task takes longer than its worst time, no
// promise is broken; where a slot waits for its node's beat, with the beat counted in. In the long
// tier with 100,000 streams each, and 20,000 for the variants.
func TestNoPromiseIsBroken(t *testing.T) {
	beats := []units.Duration{0, 300 * units.Millisecond, units.Second, 3 * units.Second, 10 * units.Second}
	blind := usual
	blind.Feedback = false
	for _, c := range []struct {
		name    string
		config  Config
		streams *rapid.Generator[stream]
		long    int
	}{
		{"at once", usual, streams(false, 9, 0), 100_000},
		{"with a heartbeat", usual, streams(false, 9, 3*units.Second), 100_000},
		{"without feedback", blind, streams(true, 9, 0, 3*units.Second), 20_000},
		{"beside others", usual, streams(true, 9, 0, 3*units.Second), 20_000},
		{"many jobs", usual, streams(true, 60, 0, 3*units.Second), 5_000},
		{"masters outside", usual, mastered(streams(false, 9, beats...), outside), 100_000},
		{"masters in slots", usual, mastered(streams(false, 9, beats...), inMapSlot), 100_000},
		{"masters beside others", usual, mastered(streams(true, 9, beats...), noMaster, outside, inMapSlot), 50_000},
		{"masters, many jobs", usual, mastered(streams(true, 40, beats...), noMaster, outside, inMapSlot), 10_000},
		{"masters without feedback", blind, mastered(streams(true, 9, beats...), noMaster, outside, inMapSlot), 20_000},
		{"masters while nodes drain", usual, draining(mastered(streams(true, 9, beats...), noMaster, outside, inMapSlot)), 20_000},
		{"while nodes drain", usual, draining(streams(true, 9, 0, 3*units.Second)), 20_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			excused, promises, withMasters, refusals, preempted := 0, 0, 0, 0, 0
			for range rounds(c.long) {
				rapid.Check(t, func(t *rapid.T) {
					s := c.streams.Draw(t, "stream")
					k, err := s.play(c.config, nil)
					if err != nil {
						t.Fatalf("%v\n%v", err, s)
					}
					if k.broken > 0 {
						t.Fatalf("%s\n%v", strings.Join(k.says, "\n"), s)
					}
					excused, withMasters = excused+k.excused, withMasters+k.mastered
					promises, refusals, preempted = promises+k.promises, refusals+k.refusals, preempted+k.preempted
				})
			}
			t.Logf("%d promises, %d of them to jobs with masters, all kept but for %d that were made before a drain; %d refusals; %d attempts without a promise killed", promises, withMasters, excused, refusals, preempted)
		})
	}
}

// Where slots wait for beats, a reduce that is due must not be sent to a slot that is still lent
// when its turn comes: j3's reduces are due at 5s, two slots are kept for j2, and a task without a
// promise holds one of the other two until 7s. It is killed at 5s, though three slots are free: at
// 7.5s j2 takes two of them, and j3's second reduce would wait for the beat at 9s.
func TestKeptSlots(t *testing.T) {
	s := stream{Nodes: 2, Maps: 1, Reduces: 2, Heartbeat: 3 * units.Second, Jobs: []streamJob{
		{Reduces: []int{7}, Map: 1, Reduce: 7, Known: true, SlowStart: 1},
		{Within: 14, Maps: []int{1, 1, 1, 2}, Map: 2, Reduces: []int{1, 1}, Reduce: 1, Known: true, SlowStart: 1},
		{Arrive: 5, Within: 4, Reduces: []int{1, 1}, Map: 1, Reduce: 1, Known: true, SlowStart: 1},
	}}
	var said starts
	k, err := s.play(usual, nil, &said)
	if err != nil || k.promises != 2 || k.broken > 0 {
		t.Errorf("%d promises, %v; %v", k.promises, k.says, err)
	}
	if !slices.ContainsFunc(said.lines, func(l string) bool { return strings.HasPrefix(l, "5s kill") }) {
		t.Errorf("%s", strings.Join(said.lines, "\n"))
	}
}

// The maps of a sample do not wait behind the backlog of jobs that have nothing to be in time for.
// What is killed for it is of these, and not of another sample.
func TestSampleGoesFirst(t *testing.T) {
	s := stream{Nodes: 1, Maps: 2, Reduces: 1, Jobs: []streamJob{
		{Maps: slices.Repeat([]int{10}, 80), Map: 10, Known: true},
		{Arrive: 5, Within: 100, Maps: []int{10, 10, 10, 10}, Map: 10},
		{Arrive: 6, Within: 140, Maps: []int{10, 10, 10, 10}, Map: 10},
	}}
	var said starts
	k, err := s.play(Config{Feedback: true, Sample: 2, Skew: 1}, nil, &said)
	if err != nil || k.refusals > 0 || k.committed != 3 || k.preempted == 0 {
		t.Errorf("%d refusals, %d jobs committed, %d attempts killed; %v", k.refusals, k.committed, k.preempted, err)
	}
	if slices.ContainsFunc(said.lines, func(l string) bool { return strings.Contains(l, "kill") && !strings.Contains(l, "job=1 ") }) {
		t.Errorf("%s", strings.Join(said.lines, "\n"))
	}
}

// When a node drains, two masters hold the two slots that are left, and their jobs wait for maps. The
// master of the last is killed for the first, and starts again behind it.
func TestMastersDoNotWaitForEachOther(t *testing.T) {
	both := streamJob{Arrive: 9, Within: 2, Maps: []int{1}, Map: 1, Known: true, SlowStart: 1, Master: inMapSlot, Start: 1, Startup: 1, Takes: 1}
	s := stream{Nodes: 2, Maps: 2, Reduces: 1, Rooms: 2, Speeds: []float64{1, 1}, Steps: []sim.SizeStep{{At: units.Time(10 * units.Second), Nodes: 1}}, Jobs: []streamJob{both, both}}
	var said starts
	k, err := s.play(usual, nil, &said)
	if err != nil || k.promises != 2 || k.committed != 2 {
		t.Fatalf("%d promises, %d done; %v", k.promises, k.committed, err)
	}
	if i := slices.IndexFunc(said.lines, func(l string) bool { return strings.Contains(l, "reason=deadlock:2") }); i < 0 || !strings.HasPrefix(said.lines[i], "10s kill") || !strings.Contains(said.lines[i], "job=2 node=1") {
		t.Errorf("%s", strings.Join(said.lines, "\n"))
	}
}
