package report

import (
	"context"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// greedy admits every job and fills nodes in order of arrival.
type greedy struct{}

func (greedy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for _, e := range batch {
		if e.Kind == sched.JobArrived {
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
		}
	}
	for _, e := range batch {
		if e.Kind != sched.Heartbeat {
			continue
		}
		for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
			for {
				j := v.First(e.Node, s, 0)
				if j == 0 || !p.Start(j, s, e.Node, 1, sched.Remote, sched.Because(sched.FirstInOrder)) {
					break
				}
			}
		}
	}
}

func (greedy) Save(io.Writer) error { return nil }
func (greedy) Load(io.Reader) error { return nil }
func (greedy) About() sched.About   { return sched.About{} }

// record keeps every event with its time.
type record struct{ all []stamped }

type stamped struct {
	at float64
	sched.Event
}

func (r *record) Batch(_ int64, at units.Time, events []sched.Event) error {
	for _, e := range events {
		r.all = append(r.all, stamped{at.Seconds(), e})
	}
	return nil
}

func (*record) Plan(int64, units.Time, *sched.Plan) error { return nil }

// TestOracle compares the builder with a second computation that keeps everything and looks at each thing by itself.
func TestOracle(t *testing.T) {
	for seed := range uint64(40) {
		builder, all := NewBuilder("sim", "s", "p", seed), &record{}
		w, err := sim.New(wild(seed))
		if err != nil {
			t.Fatal(err)
		}
		if err := drive.New(w, greedy{}, follow.New(builder), all).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := builder.Run()
		want := dumb(all.all)
		near := cmpopts.EquateApprox(1e-9, 1e-9)
		for i := range got.Jobs {
			got.Jobs[i].Reason = ""
		}
		if diff := cmp.Diff(want, got, near, cmpopts.IgnoreFields(Run{}, "World", "Scenario", "Policy", "Seed")); diff != "" {
			t.Fatalf("seed %d: -want +got\n%s", seed, diff)
		}
	}
}

// wild is a small simulation in which all kinds of things happen.
func wild(seed uint64) sim.Config {
	c := cluster.Uniform(6, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
	cfg := sim.Config{Cluster: c, Workload: &workload.Workload{}, Seed: seed, Heartbeat: units.Duration(seed%3) * units.Second, Replicas: 2,
		Times: sim.Times{Law: sim.LogNormal, CV: 0.5}, MaxFailures: 3, Failures: sim.Failures{Rate: 0.1, MTBF: 5 * units.Minute, MTTR: 30 * units.Second},
		Sizes: []sim.SizeStep{{At: units.Time(20 * units.Second), Nodes: 4, Crash: seed%2 == 0}, {At: units.Time(60 * units.Second), Nodes: 6}}}
	for i := range 5 {
		j := &workload.Job{ID: string(rune('a' + i)), Class: "k", Arrive: units.Time(i) * units.Time(7*units.Second), Soft: units.Never, Deadline: units.Never, Weight: float64(1 + i), SlowStart: 0.5,
			Stages: []workload.StageSpec{{Kind: workload.Map}, {Kind: workload.Reduce}}}
		for range 4 + 5*i {
			j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Input: units.MB, Work: 5 * units.Second})
		}
		for range 1 + i {
			j.Stages[1].Tasks = append(j.Stages[1].Tasks, workload.Task{Work: 6 * units.Second, Shuffle: units.Second})
		}
		if i%2 == 0 {
			j.Deadline = j.Arrive.Add(40 * units.Second)
		}
		if i == 4 {
			j.After = []string{"b"}
		}
		cfg.Workload.Jobs = append(cfg.Workload.Jobs, j)
	}
	return cfg
}

// dumb computes a run from all its events.
func dumb(all []stamped) *Run {
	r := &Run{}
	s := &r.Summary
	ptr := func(x float64) *float64 { return &x }
	s.DeadlineWork, s.WorkInTime = ptr(0), ptr(0)
	type life struct {
		sched.Event
		job        int
		from, to   float64
		outcome    sched.Outcome
		lostOutput bool
		lost       float64 // when
	}
	var lives []*life
	running := map[sched.AttemptID]*life{}
	byHandle := map[sched.JobID]int{}
	var specs []*workload.Job
	var responses, free []float64
	// Capacity is looked at between events: for each node, when it offered what.
	type offer struct {
		at    float64
		node  sched.NodeID
		slots units.Vector
	}
	var offers []offer
	for _, e := range all {
		switch e.Kind {
		case sched.NodeUp, sched.NodeDown, sched.NodeChanged, sched.Heartbeat, sched.JobArrived, sched.Started, sched.Ended:
			s.Events++
		}
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				offers = append(offers, offer{e.at, e.Node, e.Detail.Node.Class.Capacity})
			}
		case sched.NodeDown:
			offers = append(offers, offer{e.at, e.Node, units.Vector{}})
		case sched.JobArrived:
			j := e.Detail.Job
			byHandle[e.Job] = len(r.Jobs)
			specs = append(specs, j)
			r.Jobs = append(r.Jobs, Job{ID: j.ID, Class: j.Class, Queue: "default", Submitted: e.at, Admitted: true, Maps: len(j.Stages[0].Tasks), Reduces: len(j.Stages[1].Tasks)})
			if j.Deadline != units.Never {
				r.Jobs[len(r.Jobs)-1].Deadline = ptr(j.Deadline.Seconds())
			}
			s.Tasks += int64(len(j.Stages[0].Tasks) + len(j.Stages[1].Tasks))
		case sched.Started:
			l := &life{Event: e.Event, job: byHandle[e.Job], from: e.at, to: math.Inf(1)}
			lives = append(lives, l)
			running[e.Attempt] = l
		case sched.Ended:
			running[e.Attempt].to, running[e.Attempt].outcome = e.at, e.Outcome
		case sched.OutputLost:
			for _, l := range lives {
				if l.job == byHandle[e.Job] && l.Stage == e.Stage && l.Task == e.Task && l.outcome == sched.Committed && !l.lostOutput {
					l.lostOutput, l.lost = true, e.at
				}
			}
		case sched.StageReady:
			if i := byHandle[e.Job]; e.Stage == sched.Map && len(specs[i].After) > 0 {
				r.Jobs[i].Ready = ptr(e.at)
			}
		case sched.JobEnded:
			j := &r.Jobs[byHandle[e.Job]]
			s.Makespan = e.at
			switch e.Outcome {
			case sched.Committed:
				j.Finished = ptr(e.at)
				responses = append(responses, e.at-j.Submitted)
			case sched.Failed:
				j.Outcome = "failed"
				s.Failed++
			default:
				j.Outcome = "killed"
				s.Killed++
			}
		}
	}
	var maps, local, rack float64
	s.Attempts = int64(len(lives))
	for i := range r.Jobs {
		j := &r.Jobs[i]
		s.Jobs++
		s.Admitted++
		first := math.Inf(1)
		var last float64
		for _, l := range lives {
			if l.job != i {
				continue
			}
			j.Attempts++
			first = min(first, l.from)
			if l.Stage == sched.Map && l.outcome == sched.Committed {
				last = max(last, l.to)
				if l.lostOutput {
					continue
				}
				maps++
				switch l.Locality {
				case sched.NodeLocal, sched.Anywhere:
					j.LocalMaps++
					local++
				case sched.RackLocal:
					rack++
				}
			}
		}
		if j.Attempts > 0 {
			j.Started = ptr(first)
		}
		j.MapsDone = mapsDone(all, r.Jobs, i, len(specs[i].Stages[0].Tasks))
		j.TaskTime = ptr(0)
		for _, st := range specs[i].Stages {
			for _, task := range st.Tasks {
				*j.TaskTime += task.Work.Seconds() + task.Shuffle.Seconds()
			}
		}
		if j.Deadline == nil {
			if j.Finished != nil {
				j.Outcome = "done"
				s.Done++
				free = append(free, *j.Finished-j.Submitted)
			}
			continue
		}
		s.Deadlines++
		*s.DeadlineWork += *j.TaskTime
		if j.Finished == nil {
			continue
		}
		if *j.Finished <= *j.Deadline {
			j.Outcome = "met"
			s.Met++
			s.InTime++
			*s.WorkInTime += *j.TaskTime
		} else {
			j.Outcome = "late"
			s.Late++
		}
		owed := *j.Deadline - j.Submitted
		penalty := specs[i].Weight * max(0, (*j.Finished-j.Submitted-owed)/owed)
		j.Penalty = &penalty
		s.Penalty += penalty
	}
	if maps > 0 {
		s.MapLocality, s.RackLocality = ptr(local/maps), ptr(rack/maps)
	}
	if len(responses) > 0 {
		s.MeanResponse, s.P95Response = ptr(0), ptr(percentile(responses, 0.95))
	}
	for _, x := range responses {
		*s.MeanResponse += x / float64(len(responses))
	}
	if len(free) > 0 && s.Deadlines > 0 {
		s.FreeResponse = ptr(0)
		for _, x := range free {
			*s.FreeResponse += x / float64(len(free))
		}
	}
	// Reduces that run while the committed maps of their job, less those lost, are not all.
	for i := 1; i < len(all); i++ {
		from, until := all[i-1].at, all[i].at
		for _, l := range lives {
			if l.Stage != sched.Reduce || l.from > from || l.to < until {
				continue
			}
			maps := 0
			for _, m := range lives {
				if m.job == l.job && m.Stage == sched.Map && m.outcome == sched.Committed && m.to <= from && !(m.lostOutput && m.lost <= from) {
					maps++
				}
			}
			if maps < r.Jobs[l.job].Maps {
				s.ReduceIdle += until - from
			}
		}
	}
	// Slot time, between every two neighbouring times at which anything happened.
	slots := []*float64{&s.MapSlots, &s.ReduceSlots}
	for k, to := range []*float64{&s.MapUtilization, &s.ReduceUtilization} {
		stage := []sched.Stage{sched.Map, sched.Reduce}[k]
		var held, there float64
		for i := 1; i < len(all); i++ {
			from, until := all[i-1].at, min(all[i].at, s.Makespan)
			if until <= from {
				continue
			}
			for n := sched.NodeID(1); n <= 6; n++ {
				var offered, runs float64
				for _, o := range offers {
					if o.node == n && o.at <= from {
						offered = float64(o.slots[k])
					}
				}
				for _, l := range lives {
					if l.Node == n && l.Stage == stage && l.from <= from && l.to >= until {
						runs++
					}
				}
				held += runs * (until - from)
				there += max(offered, runs) * (until - from)
			}
		}
		*to, *slots[k] = held/there, there/s.Makespan
	}
	return r
}

// mapsDone is the last time at which the number of committed maps, less those lost, came to be all.
func mapsDone(all []stamped, jobs []Job, job, maps int) *float64 {
	var at *float64
	n := 0
	handle := map[sched.JobID]string{}
	attempts := map[sched.AttemptID]sched.Event{}
	for _, e := range all {
		switch e.Kind {
		case sched.JobArrived:
			handle[e.Job] = e.Detail.Job.ID
		case sched.Started:
			attempts[e.Attempt] = e.Event
		case sched.OutputLost:
			if handle[e.Job] == jobs[job].ID && e.Stage == sched.Map {
				n--
			}
		case sched.Ended:
			a := attempts[e.Attempt]
			if handle[a.Job] == jobs[job].ID && a.Stage == sched.Map && e.Outcome == sched.Committed {
				if n++; n == maps {
					x := e.at
					at = &x
				}
			}
		}
	}
	return at
}

// percentile is the quantile by linear interpolation, by counting.
func percentile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	rank := func(k int) float64 {
		for _, x := range xs {
			below, same := 0, 0
			for _, y := range xs {
				if y < x {
					below++
				} else if y == x {
					same++
				}
			}
			if below <= k && k < below+same {
				return x
			}
		}
		return math.NaN()
	}
	at := q * float64(len(xs)-1)
	lo := math.Floor(at)
	if lo == at {
		return rank(int(lo))
	}
	return rank(int(lo)) + (at-lo)*(rank(int(lo)+1)-rank(int(lo)))
}
