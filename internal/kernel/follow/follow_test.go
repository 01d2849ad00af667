package follow_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// lives is a sink that writes down every attempt that ends, and counts what must come in pairs.
type lives struct {
	unknown int // ends of attempts that nobody knew
	follow.Single
	t        *testing.T
	ended    []adverse.Life
	running  map[int32]*follow.Attempt // by index
	jobs     map[int]*follow.Job       // likewise
	arrived  map[string]int
	again    int
	verdicts int
}

func newLives(t *testing.T) *lives {
	return &lives{t: t, running: map[int32]*follow.Attempt{}, jobs: map[int]*follow.Job{}, arrived: map[string]int{}}
}

func (l *lives) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e, at := &records[i], records[i].At
		switch e.Kind {
		case sched.JobArrived:
			if e.Again {
				l.again++
				continue
			}
			l.arrived[e.Job.Spec.ID]++
			if l.jobs[e.Job.Index] != nil || e.Job.Number != len(l.arrived)-1 {
				l.t.Errorf("job %q came as number %d, at index %d", e.Job.Spec.ID, e.Job.Number, e.Job.Index)
			}
			l.jobs[e.Job.Index] = e.Job
		case sched.Started:
			if e.Again {
				l.again++
				if l.running[e.Attempt.Index] != e.Attempt {
					l.t.Errorf("an attempt of %q is told again that did not run", e.Job.Spec.ID)
				}
				continue
			}
			if l.running[e.Attempt.Index] != nil || l.jobs[e.Job.Index] != e.Job {
				l.t.Errorf("an attempt of %q began at index %d", e.Job.Spec.ID, e.Attempt.Index)
			}
			l.running[e.Attempt.Index] = e.Attempt
		case sched.Ended:
			a := e.Attempt
			if a == nil {
				l.unknown++
				continue
			}
			if l.running[a.Index] != a {
				l.t.Errorf("an attempt of %q ended that did not run", e.Job.Spec.ID)
			}
			delete(l.running, a.Index)
			l.ended = append(l.ended, adverse.Life{Job: a.Job.Spec.ID, Arrived: a.Job.Arrived, Stage: a.Stage, Node: a.Node, Container: a.Container,
				Locality: a.Locality, Item: a.Item, Began: a.Began, Ended: at, Outcome: e.Outcome, Unseen: e.Derived})
		case sched.JobEnded:
			if l.jobs[e.Job.Index] != e.Job || e.Job.Ended != at.Add(-e.Age) {
				l.t.Errorf("job %q ended that was not there", e.Job.Spec.ID)
			}
			delete(l.jobs, e.Job.Index)
		}
	}
	return nil
}

func (l *lives) Plan(_ units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		d := &decisions[i]
		if d.Refused != sched.OK && d.Refused != sched.Watched {
			l.t.Errorf("a decision that the book refused as %v", d.Refused)
		}
		if d.Verb == sched.Admit {
			if l.verdicts++; d.Job == nil || l.jobs[d.Job.Index] != d.Job {
				l.t.Errorf("a verdict on nobody: %+v", d.Item)
			}
		}
	}
	return nil
}

// renamed shows a sink jobs by other handles after each resync.
type renamed struct {
	drive.Sink
	resyncs int
}

func (r *renamed) name(j sched.JobID) sched.JobID {
	if j == 0 {
		return 0
	}
	return (j*7+sched.JobID(r.resyncs)*3)%11 + 1
}

func (r *renamed) Batch(round int64, at units.Time, events []sched.Event) error {
	if len(events) > 0 && events[0].Kind == sched.Resync {
		r.resyncs++
	}
	events = slices.Clone(events)
	for i := range events {
		events[i].Job = r.name(events[i].Job)
	}
	return r.Sink.Batch(round, at, events)
}

func (r *renamed) Plan(round int64, at units.Time, p *sched.Plan) error {
	other := sched.Plan{Items: slices.Clone(p.Items)}
	for i := range other.Items {
		other.Items[i].Job = r.name(other.Items[i].Job)
	}
	return r.Sink.Plan(round, at, &other)
}

// What a follower tells of attempts is the truth of the world, whatever that swallows, tells twice
// or calls by other handles.
func TestRecordsAreTheTruth(t *testing.T) {
	again, unseen, old := 0, 0, 0
	for seed := range uint64(60) {
		c := cluster.Uniform(4, 2, cluster.Class{Name: "small", Speed: 1, Capacity: units.Slots(2, 1)})
		w := adverse.New(adverse.Config{Cluster: c, Jobs: jobs(), Seed: seed, Calm: 200})
		l, names := newLives(t), &renamed{}
		names.Sink = follow.New(l)
		policy := sched.Policy(conform.Friendly{})
		if seed%2 == 0 {
			policy = &conform.Brutal{Seed: seed}
		}
		if err := drive.New(w, policy, names).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var want []adverse.Life
		for _, life := range w.Lives {
			one := *life
			if one.Unseen {
				unseen++
			}
			want = append(want, one)
		}
		for _, list := range [][]adverse.Life{want, l.ended} {
			slices.SortFunc(list, func(a, b adverse.Life) int { return cmp.Compare(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b)) })
		}
		if d := diff.Diff(want, l.ended); d != "" {
			t.Fatalf("seed %d: -truth +records\n%s", seed, d)
		}
		if len(l.running) != 0 || len(l.jobs) != 0 || len(l.arrived) != 5 || l.verdicts < 5 {
			t.Errorf("seed %d: %d attempts and %d jobs are left of %d; %d verdicts", seed, len(l.running), len(l.jobs), len(l.arrived), l.verdicts)
		}
		again += l.again
		old += names.resyncs
	}
	if again == 0 || unseen == 0 || old == 0 {
		t.Errorf("%d told again, %d ended unseen, %d resyncs: this tests nothing", again, unseen, old)
	}
}

func jobs() []*workload.Job {
	var list []*workload.Job
	for i := range 5 {
		j := &workload.Job{ID: fmt.Sprint("j", i), Weight: 1, Arrive: units.Time(0).Add(units.Duration(3*i) * units.Second), Soft: units.Never,
			Deadline: units.Never, SlowStart: 1, Stages: []workload.StageSpec{{Kind: workload.Map}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 2)}}}
		for k := range 4 + 2*i {
			j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{})
			j.Stages[0].Hosts.Set(k, cluster.NodeID((i+k)%4+1))
		}
		list = append(list, j)
	}
	list[3].After = []string{"j1"}
	return list
}

// A sink serves one run: the second one ends with a sentence before the sink sees anything of it.
func TestOneRunEach(t *testing.T) {
	l := newLives(t)
	first, second := follow.New(l), follow.New(newLives(t), l)
	arrives := []sched.Event{{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &workload.Job{ID: "a"}}}}
	for _, err := range []error{second.Batch(1, 0, arrives), second.Plan(1, 0, &sched.Plan{})} {
		if !errors.Is(err, follow.ErrShared) {
			t.Errorf("the second run says %v", err)
		}
	}
	if len(l.arrived) != 0 {
		t.Error("the sink was shown what is not its own")
	}
	if err := first.Batch(1, 0, arrives); err != nil || len(l.arrived) != 1 {
		t.Errorf("the first run: %v, %d jobs", err, len(l.arrived))
	}
}

// What does not fit is a record of nobody, and what an attempt measured itself counts where its
// start is told of only with its end.
func TestWhatDoesNotFit(t *testing.T) {
	var seen []string
	l := &script{see: func(at units.Time, e *follow.Record) {
		job, attempt := "-", "-"
		if e.Job != nil {
			job = e.Job.Spec.ID
		}
		if e.Attempt != nil {
			attempt = fmt.Sprintf("%d from %d", e.Attempt.Index, e.Attempt.Measured(at, e.Event))
		}
		seen = append(seen, fmt.Sprintf("%v of %s: %s", e.Kind, job, attempt))
	}}
	job := func(id string) *sched.Detail { return &sched.Detail{Job: &workload.Job{ID: id}} }
	f := follow.New(l)
	for i, e := range []sched.Event{
		{Kind: sched.Ended, Attempt: 3},
		{Kind: sched.Started, Job: 9, Attempt: 1},
		{Kind: sched.JobArrived, Job: 1},
		{Kind: sched.JobArrived, Job: 1, Detail: job("a")},
		{Kind: sched.Started, Job: 1, Attempt: 1, Age: 2},
		{Kind: sched.Started, Job: 1, Attempt: 1},
		{Kind: sched.JobArrived, Job: 1, Detail: job("b")},
		{Kind: sched.Started, Job: 1, Attempt: -1},
		{Kind: sched.Started, Job: 1, Attempt: 2},
		{Kind: sched.Ended, Attempt: 2, Spans: [sched.Phases]units.Duration{1, -5, 2}},
		{Kind: sched.JobEnded, Job: 1},
		{Kind: sched.JobEnded, Job: 1},
		{Kind: sched.NodeDown, Node: 12},
	} {
		if err := f.Batch(int64(i), units.Time(i), []sched.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"ended of -: -", "started of -: -", "job-arrived of -: -", "job-arrived of a: -", "started of a: 0 from 2",
		"ended of a: 0 from 2", "started of a: 1 from 5", "ended of a: 1 from 5", "job-ended of a: -", "job-arrived of b: -",
		"started of -: -", "started of b: 1 from 8", "ended of b: 1 from 6", "job-ended of b: -", "job-ended of -: -", "node-down of -: -",
	}
	if d := diff.Diff(want, seen); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A resync shows the oldest first, gives facts their age, and tells what is gone by records of the follower's own.
func TestResync(t *testing.T) {
	var seen []string
	f := follow.New(&script{see: func(_ units.Time, e *follow.Record) {
		text := fmt.Sprintf("%v again=%v derived=%v", e.Kind, e.Again, e.Derived)
		if e.Job != nil {
			text += fmt.Sprintf(" job %s, %d, since %d", e.Job.Spec.ID, e.Job.Number, e.Job.Arrived)
		}
		if a := e.Attempt; a != nil {
			text += fmt.Sprintf(" attempt %d on %d since %d", a.ID, a.Node, a.Began)
		}
		seen = append(seen, text)
	}})
	job := func(id string) *sched.Detail { return &sched.Detail{Job: &workload.Job{ID: id}} }
	up := &sched.Detail{Node: &cluster.Node{Name: "n"}}
	if err := f.Batch(0, 20, []sched.Event{
		{Kind: sched.Resync},
		{Kind: sched.NodeUp, Node: 1, Detail: up}, {Kind: sched.NodeUp, Node: 2, Detail: up, Age: 19},
		{Kind: sched.Started, Job: 1, Attempt: 1, Node: 1, Age: 3}, {Kind: sched.Started, Job: 2, Attempt: 2, Node: 1, Age: 5},
		{Kind: sched.JobArrived, Job: 1, Age: 5, Detail: job("young")}, {Kind: sched.JobArrived, Job: 2, Age: 9, Detail: job("old")},
	}); err != nil {
		t.Fatal(err)
	}
	if err := f.Batch(1, 30, []sched.Event{
		{Kind: sched.Resync},
		{Kind: sched.NodeUp, Node: 2, Detail: up},
		{Kind: sched.Started, Job: 1, Attempt: 1, Node: 1, Age: 15},
		{Kind: sched.Ended, Attempt: 1},
		{Kind: sched.JobArrived, Job: 1, Age: 19, Detail: job("old")},
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"resync again=false derived=false", "node-up again=false derived=false", "node-up again=false derived=false",
		"job-arrived again=false derived=false job old, 0, since 11", "job-arrived again=false derived=false job young, 1, since 15",
		"started again=false derived=false job old, 0, since 11 attempt 2 on 1 since 15",
		"started again=false derived=false job young, 1, since 15 attempt 1 on 1 since 17",
		"ended again=false derived=true job young, 1, since 15 attempt 1 on 1 since 17",
		"job-ended again=false derived=true job young, 1, since 15", "node-down again=false derived=true",
		"resync again=false derived=false", "node-up again=false derived=false",
		"job-arrived again=true derived=false job old, 0, since 11",
		"started again=true derived=false job old, 0, since 11 attempt 1 on 1 since 15",
		"ended again=false derived=false job old, 0, since 11 attempt 1 on 1 since 15",
	}
	if d := diff.Diff(want, seen); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

type script struct {
	follow.Single
	see func(units.Time, *follow.Record)
}

func (s *script) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		s.see(records[i].At, &records[i])
	}
	return nil
}

// A run that has found its size allocates nothing more, but for jobs.
func TestNoAllocation(t *testing.T) {
	f := follow.New(&script{see: func(units.Time, *follow.Record) {}})
	if err := f.Batch(0, 0, []sched.Event{{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &workload.Job{ID: "a", Stages: []workload.StageSpec{{Kind: workload.Map}}}}}}); err != nil {
		t.Fatal(err)
	}
	at, plan := units.Time(0), &sched.Plan{Items: make([]sched.Item, 3)}
	begin, end := []sched.Event{{Kind: sched.Started, Job: 1, Attempt: 1}, {Kind: sched.Heartbeat, Node: 1}}, []sched.Event{{Kind: sched.Ended, Attempt: 1}}
	if n := testing.AllocsPerRun(100, func() {
		at++
		if err := errors.Join(f.Batch(0, at, begin), f.Plan(0, at, plan), f.Batch(0, at, end)); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A demand that was said before the world knew of some starts asks for their tasks still. How many tasks are
// known of is what a walk over all attempts finds.
func TestDemandsAreBehind(t *testing.T) {
	var j *follow.Job
	f := follow.New(&script{see: func(_ units.Time, e *follow.Record) { j = e.Job }})
	at := units.Time(0)
	say := func(e sched.Event) {
		at++
		if err := f.Batch(int64(at), at, []sched.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	say(sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &workload.Job{ID: "a", Stages: []workload.StageSpec{{Kind: workload.Map, Grows: true}}}}})
	r := rand.New(rand.NewPCG(1, 2))
	items, behind := map[sched.AttemptID]sched.ItemID{}, 0
	done, most, told, item := 0, 0, sched.ItemID(0), sched.ItemID(0)
	for range 3000 {
		asked := 0
		switch id := sched.AttemptID(1 + r.IntN(30)); {
		case items[id] == 0 && r.IntN(3) > 0:
			item += sched.ItemID(r.IntN(2)) // several attempts of one item
			items[id] = max(item, 1)
			say(sched.Event{Kind: sched.Started, Job: 1, Stage: sched.Map, Attempt: id, Item: items[id]})
		case items[id] != 0 && r.IntN(3) == 0:
			delete(items, id)
			done++
			say(sched.Event{Kind: sched.Ended, Attempt: id, Outcome: sched.Committed})
		case r.IntN(3) == 0:
			told += sched.ItemID(r.IntN(int(item-told) + 1))
			count := r.IntN(40)
			asked = count
			for _, i := range items {
				if i > told {
					asked--
					behind++
				}
			}
			say(sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Item: told, Count: int32(count)})
		}
		most = max(most, done+len(items)+asked)
		if got := j.Tasks(sched.Map); got != most {
			t.Fatalf("at %v: %d tasks are known of, want %d", at, got, most)
		}
	}
	if behind < 100 {
		t.Errorf("only %d starts were unknown to a demand: this tests nothing", behind)
	}
}
