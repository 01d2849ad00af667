package rtmr

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

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
func play(s stream, c config, bend func(*scheduler, *compose.Recipe), sinks ...drive.Sink) (*keeper, error) {
	world, err := sim.New(s.simulation())
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
		last = slots{Maps: s.Nodes * s.Maps, Reduces: s.Nodes * s.Reduces}
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

var usual = config{Feedback: true, BestEffort: true, Skew: 1, Masters: 0.1}

// The paper's theorem (section 5.2.2): as long as no task takes longer than its worst time, no
// promise is broken; where a slot waits for its node's beat, with the beat counted in. In the long
// tier with 100,000 streams each, and 20,000 for the variants.
func TestNoPromiseIsBroken(t *testing.T) {
	beats := []units.Duration{0, 300 * units.Millisecond, units.Second, 3 * units.Second, 10 * units.Second}
	blind := usual
	blind.Feedback = false
	for _, c := range []struct {
		name    string
		config  config
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
					k, err := play(s, c.config, nil)
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
	k, err := play(s, usual, nil, &said)
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
	k, err := play(s, config{Feedback: true, Sample: 2, Skew: 1}, nil, &said)
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
	k, err := play(s, usual, nil, &said)
	if err != nil || k.promises != 2 || k.committed != 2 {
		t.Fatalf("%d promises, %d done; %v", k.promises, k.committed, err)
	}
	if i := slices.IndexFunc(said.lines, func(l string) bool { return strings.Contains(l, "reason=deadlock:2") }); i < 0 || !strings.HasPrefix(said.lines[i], "10s kill") || !strings.Contains(said.lines[i], "job=2 node=1") {
		t.Errorf("%s", strings.Join(said.lines, "\n"))
	}
}
