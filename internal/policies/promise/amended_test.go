package promise

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// amending is a world that at first tells of every other job with half of its reduces, and tells the rest some seconds
// later: before it has started, or while its maps run. No world that binds tasks has others of a stage that has begun.
type amending struct {
	drive.World
	events []sched.Event
	due    []amendment
	n      int
}

type amendment struct {
	at  units.Time
	job sched.JobID
	is  *workload.Job
}

func (w *amending) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	w.events = append(w.events[:0], b.Events...)
	for len(w.due) > 0 && w.due[0].at <= b.At {
		w.events = append(w.events, sched.Event{Kind: sched.JobAmended, Job: w.due[0].job, Detail: &sched.Detail{Job: w.due[0].is}})
		w.due = w.due[1:]
	}
	for i := range w.events {
		e := &w.events[i]
		if e.Kind != sched.JobArrived {
			continue
		}
		if w.n++; w.n%2 == 0 || len(e.Detail.Job.Stages) < 2 {
			continue
		}
		half := *e.Detail.Job
		half.Stages = slices.Clone(half.Stages)
		reduces := &half.Stages[1]
		reduces.Tasks = reduces.Tasks[:(len(reduces.Tasks)+1)/2]
		w.due = append(w.due, amendment{b.At.Add(units.Second), e.Job, e.Detail.Job})
		e.Detail = &sched.Detail{Job: &half}
	}
	slices.SortStableFunc(w.due, func(a, b amendment) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(w.events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	b.Events = w.events
	return b, err
}

// A job that gets more tasks before it starts is judged again, by all of them: such promises are kept as others
// are. What was promised to one that runs stays, and it is told when it will be done with all of them.
func TestPromisesOfAmendedJobs(t *testing.T) {
	streams := 40
	if testing.Short() {
		streams = 16
	}
	config := usual
	config.Most, config.Behind = 100_000, true
	var promises, broken [3]int // never amended, before they started, while they ran
	again, later, amendedRunning := 0, 0, 0
	for seed := range streams {
		world, err := sim.New(chancy(uint64(seed+1), 0.5, 0.3, 0))
		if err != nil {
			t.Fatal(err)
		}
		r := newScheduler(config)
		recipe := compose.Recipe{Name: "promise"}
		assemble(&recipe, r)
		policy, err := compose.New(recipe)
		if err != nil {
			t.Fatal(err)
		}
		w := &amendments{scheduler: r, kind: map[sched.JobID]int{}, promised: map[sched.JobID]units.Time{}, half: map[sched.JobID]units.Time{}}
		loop := drive.New(&amending{World: world}, policy, w)
		w.loop = loop
		if err := loop.Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range promises {
			promises[i], broken[i] = promises[i]+w.promises[i], broken[i]+w.broken[i]
		}
		again, later, amendedRunning = again+w.again, later+w.later, amendedRunning+w.ran
	}
	t.Logf("promises %v, of which were broken %v; %d judged again; of %d that ran %d told a later end", promises, broken, again, amendedRunning, later)
	for i, what := range []string{"never amended", "amended before they started"} {
		if low, _ := stat.Exact95(broken[i], promises[i]); low > 0.1 || promises[i] < streams {
			t.Errorf("jobs %s: %d of %d promises at 90 %% were broken", what, broken[i], promises[i])
		}
	}
	if again < streams/2 || amendedRunning < streams/2 || later < amendedRunning/4 {
		t.Errorf("%d were judged again; of %d that ran %d were told a later end", again, amendedRunning, later)
	}
}

// amendments notes what became of jobs that were amended.
type amendments struct {
	*scheduler
	loop             *drive.Loop
	kind             map[sched.JobID]int
	promised         map[sched.JobID]units.Time // deadlines
	half             map[sched.JobID]units.Time // of those that ran when amended, what was told before
	promises, broken [3]int
	again, later     int
	ran              int
}

func (w *amendments) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			delete(w.kind, e.Job)
		case sched.JobAmended:
			w.kind[e.Job] = 1
			if job := w.loop.Ledger.Job(e.Job); job.Begun() {
				w.kind[e.Job] = 2
				if r := w.Of(e.Job); r != nil && r.Standing == reserve.Promised && len(e.Detail.Job.Stages[1].Tasks) > 2 {
					w.half[e.Job] = w.terms[e.Job].Outlook.Half
					w.ran++
				}
			}
		case sched.JobEnded:
			if deadline, is := w.promised[e.Job]; is {
				w.promises[w.kind[e.Job]]++
				if at > deadline {
					w.broken[w.kind[e.Job]]++
				}
				delete(w.promised, e.Job)
			}
		}
	}
	return nil
}

func (w *amendments) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		switch it := &p.Items[i]; {
		case it.Verb == sched.Admit && it.Reason.Cause == estimate.Likely:
			if w.kind[it.Job] == 1 {
				w.again++
			}
			w.promised[it.Job] = units.Time(it.Reason.A)
		case it.Verb == sched.Admit && it.Reason.Cause == Behind, it.Verb == sched.Reject:
			delete(w.promised, it.Job)
		case it.Verb == sched.Foretell && w.half[it.Job] != 0:
			if w.terms[it.Job].Outlook.Half > w.half[it.Job] {
				w.later++
			}
			delete(w.half, it.Job)
		}
	}
	return nil
}
