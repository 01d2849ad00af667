package admit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// hall is a view of jobs, in the order of their arrival.
type hall struct {
	sched.View
	jobs []*sched.Job // nil: the handle is free
}

func (h *hall) Jobs() sched.JobID { return sched.JobID(len(h.jobs)) }

func (h *hall) Job(j sched.JobID) *sched.Job {
	if j < 1 || int(j) > len(h.jobs) {
		return nil
	}
	return h.jobs[j-1]
}

// jobs makes a hall of "queue/user state" for each job, such as "a/ann pending".
func jobs(t *testing.T, texts ...string) *hall {
	t.Helper()
	states := map[string]sched.JobState{"waiting": sched.Waiting, "pending": sched.Pending, "held": sched.HeldBack, "runs": sched.Admitted, "rejected": sched.Rejected}
	h := &hall{}
	for i, text := range texts {
		if text == "gone" {
			h.jobs = append(h.jobs, nil)
			continue
		}
		place, state, _ := strings.Cut(text, " ")
		queue, user, _ := strings.Cut(place, "/")
		s, ok := states[state]
		if !ok {
			t.Fatalf("no state in %q", text)
		}
		h.jobs = append(h.jobs, &sched.Job{ID: sched.JobID(i + 1), Seq: int64(i + 1), Arrived: units.Time(i), State: s, Deadline: units.Never,
			Spec: &workload.Job{Queue: queue, User: user, Weight: 1}})
	}
	return h
}

// verdicts plays one batch and returns what becomes of whom: "1 in, 2 held".
func verdicts(part compose.Step, v sched.View, batch ...sched.Event) string {
	var p sched.Plan
	part.Decide(v, batch, &p)
	var list []string
	for i := range p.Items {
		it := &p.Items[i]
		list = append(list, fmt.Sprintf("%d %s", it.Job, map[sched.Verb]string{sched.Admit: "in", sched.Hold: "held"}[it.Verb]))
	}
	return strings.Join(list, ", ")
}

func arrived(js ...sched.JobID) (batch []sched.Event) {
	for _, j := range js {
		batch = append(batch, sched.Event{Kind: sched.JobArrived, Job: j})
	}
	return batch
}

func TestAll(t *testing.T) {
	h := jobs(t, "q/u pending", "gone", "q/u waiting", "q/u runs", "q/u rejected", "q/u held", "q/u pending")
	for _, c := range []struct {
		why   string
		batch []sched.Event
		want  string
	}{
		{"Whatever arrives gets in, also while it waits for predecessors.", arrived(1, 3), "1 in, 3 in"},
		{"What has been decided is left alone, and so are those that have gone.", arrived(4, 5, 2), ""},
		{"After a resync all who are not decided get in, once.", []sched.Event{{Kind: sched.Resync}, arrived(1)[0]}, "1 in, 3 in, 6 in, 7 in"},
		{"When the policy takes over, too.", []sched.Event{{Kind: sched.Control}}, "1 in, 3 in, 6 in, 7 in"},
		{"Nothing else matters.", []sched.Event{{Kind: sched.Heartbeat}, {Kind: sched.JobEnded, Job: 4}}, ""},
	} {
		if got := verdicts(All{}, h, c.batch...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// Each bound by itself, then together. All jobs ask at once, in the order of their arrival, unless they run.
func TestLimit(t *testing.T) {
	tree := []queues.Queue{{Name: "prod"}, {Name: "dev", MaxRunning: new(2), Queues: []queues.Queue{{Name: "ui", MaxRunning: new(1)}, {Name: "db"}}}}
	for _, c := range []struct {
		why    string
		limits queues.Config
		jobs   []string
		want   string
	}{
		{"Without a bound all get in.", queues.Config{}, []string{"a/u pending", "a/u pending"}, "1 in, 2 in"},
		{"In all (the cluster's bound).", queues.Config{MaxRunning: 2},
			[]string{"a/u runs", "a/u pending", "b/v pending"}, "2 in, 3 held"},
		{"Of a queue (maxRunningJobs); who is held back does not hold back those behind him.", queues.Config{Queues: []queues.Queue{{Name: "a", MaxRunning: new(1)}, {Name: "b"}}},
			[]string{"a/u pending", "a/v pending", "b/u pending"}, "1 in, 2 held, 3 in"},
		{"Of each queue that does not say (poolMaxJobsDefault), described or not.", queues.Config{Queues: []queues.Queue{{Name: "a", MaxRunning: new(2)}, {Name: "b"}}, MaxRunningPerQueue: 1},
			[]string{"a/u pending", "a/u pending", "b/u pending", "b/u pending", "c/u pending", "c/u pending"}, "1 in, 2 in, 3 in, 4 held, 5 in, 6 held"},
		{"Of a parent queue: all that is below it (YARN, maxRunningApps of a parent).", queues.Config{Queues: tree},
			[]string{"ui/u pending", "ui/u pending", "dev.db/u pending", "db/u pending", "prod/u pending"}, "1 in, 2 held, 3 in, 4 held, 5 in"},
		{"A parent's bound is its own; what holds for each queue is for leaves.", queues.Config{MaxRunningPerQueue: 1, Queues: []queues.Queue{{Name: "dev", Queues: []queues.Queue{{Name: "ui"}, {Name: "db"}}}}},
			[]string{"ui/u pending", "db/u pending", "db/u pending"}, "1 in, 2 in, 3 held"},
		{"Of each user (userMaxJobsDefault) over all queues.", queues.Config{MaxRunningPerUser: 1},
			[]string{"a/ann pending", "b/ann pending", "a/bob pending"}, "1 in, 2 held, 3 in"},
		{"Jobs that name no user are nobody's.", queues.Config{MaxRunningPerUser: 1}, []string{"a/ pending", "a/ pending"}, "1 in, 2 in"},
		{"Waiting for predecessors holds no place.", queues.Config{MaxRunning: 1}, []string{"a/u waiting", "gone", "a/u rejected", "a/u pending"}, "4 in"},
		{"Who is held already is not told again.", queues.Config{MaxRunning: 1}, []string{"a/u runs", "a/u held", "a/u pending"}, "3 held"},
		{"Who was held gets in before those behind him.", queues.Config{MaxRunning: 2}, []string{"a/u runs", "a/u held", "a/u pending"}, "2 in, 3 held"},
		{"Who runs stays, even above the bound.", queues.Config{MaxRunning: 1}, []string{"a/u runs", "a/u runs", "a/u pending"}, "3 held"},
	} {
		if got := verdicts(NewLimit(c.limits), jobs(t, c.jobs...), arrived(1)...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// One job at a time, the next being the first in the order (paper 000, section 6: EDF-N).
func TestSerial(t *testing.T) {
	h := jobs(t, "q/u runs", "q/u held", "q/u held", "q/u pending")
	h.jobs[2].Deadline = units.Time(units.Minute)
	s := Serial()
	if err := s.Follow(order.EDF{}); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(s, h, arrived(4)...); got != "4 held" {
		t.Errorf("beside a running job: %s", got)
	}
	h.jobs[0] = nil
	h.jobs[3].State = sched.HeldBack
	if got := verdicts(s, h, sched.Event{Kind: sched.JobEnded, Job: 1}); got != "3 in" {
		t.Errorf("when it has ended, the earliest deadline should get in: %s", got)
	}
}

// keyed is an order that ranks waiting jobs by their keys: the last goes first.
type keyed struct{ sched.Flat }

func (keyed) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key { return sched.Key{-j.Seq} }

// The order says who gets in first: FairScheduler by priority and arrival, whatever pools have; any
// other by its keys. Without an order it is by arrival.
func TestTheOrderOfThoseWhoWait(t *testing.T) {
	for name, o := range map[string]sched.Order{"2 in, 1 held, 3 held": order.NewFair(order.FairConfig{}), "3 in, 2 held, 1 held": keyed{}, "1 in, 2 held, 3 held": nil} {
		h := jobs(t, "a/u pending", "a/u pending", "b/u pending")
		h.jobs[1].Spec.Priority = 1
		l := Serial()
		if o != nil {
			if err := l.Follow(o); err != nil {
				t.Fatal(err)
			}
		}
		if got := verdicts(l, h, arrived(1)...); got != name {
			t.Errorf("%T: %s, want %s", o, got, name)
		}
	}
}

// Where pools are users, bounds of pools are those of users, whatever queue a job names.
func TestLimitFollowsPools(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{{Name: "ann", MaxRunning: new(1)}}}
	l := NewLimit(q)
	if err := l.Follow(order.NewFair(order.FairConfig{Queues: q, ByUser: true})); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(l, jobs(t, "a/ann pending", "b/ann pending", "ann/bob pending"), arrived(1)...); got != "1 in, 2 held, 3 in" {
		t.Errorf("pools are users: %s", got)
	}
}

// Nobody is looked at unless a job came, went or changed, or nodes did, as masters are bounded by what there is.
func TestLimitLooksWhenItMatters(t *testing.T) {
	for kind := sched.NoEvent; kind < sched.EventKinds; kind++ {
		got := verdicts(NewLimit(queues.Config{}), jobs(t, "a/u pending"), sched.Event{Kind: kind})
		matters := slices.Contains([]sched.EventKind{sched.JobArrived, sched.JobEnded, sched.JobAmended, sched.StageReady, sched.Resync, sched.Control,
			sched.NodeUp, sched.NodeChanged}, kind)
		if (got == "1 in") != matters {
			t.Errorf("after %v: %q", kind, got)
		}
	}
}

// The reason carries the numbers: how many run, how many may, for the bound that keeps the job out
// or that it comes under.
func TestReasons(t *testing.T) {
	l := NewLimit(queues.Config{MaxRunning: 5, MaxRunningPerUser: 1})
	var p sched.Plan
	l.Decide(jobs(t, "a/ann runs", "a/ann pending", "a/bob pending", "a/ pending"), arrived(2), &p)
	want := []sched.Reason{sched.Because(OverLimit, 1, 1), sched.Because(SlotOfOrder, 1, 5), sched.Because(SlotOfOrder, 2, 5)}
	for i := range p.Items {
		if i >= len(want) || p.Items[i].Reason != want[i] {
			t.Errorf("job %d: %v", p.Items[i].Job, p.Items[i].Reason)
		}
	}
	p.Reset(nil)
	NewLimit(queues.Config{}).Decide(jobs(t, "a/ann pending"), arrived(1), &p)
	if len(p.Items) != 1 || p.Items[0].Reason.Cause != sched.AdmitAll {
		t.Errorf("without a bound: %+v", p.Items)
	}
}

// What the part says goes before what the description of queues says, but not before what a queue says of itself.
func TestLimitParameters(t *testing.T) {
	q := queues.Config{MaxRunning: 9, MaxRunningPerQueue: 9, MaxRunningPerUser: 9, Queues: []queues.Queue{{Name: "a", MaxRunning: new(2)}, {Name: "b"}}}
	four := []string{"a/u pending", "a/v pending", "a/w pending", "b/u pending", "b/v pending"}
	for _, c := range []struct{ running, queue, user, want string }{
		{"0", "0", "0", "1 in, 2 in, 3 held, 4 in, 5 in"},
		{"1", "0", "0", "1 in, 2 held, 3 held, 4 held, 5 held"},
		{"0", "1", "0", "1 in, 2 in, 3 held, 4 in, 5 held"},
		{"0", "0", "1", "1 in, 2 in, 3 held, 4 held, 5 held"},
	} {
		e := LimitEntry()
		part, err := e.Step(compose.NewArgs(q, e.Params, map[string]string{"running": c.running, "per_queue": c.queue, "per_user": c.user, "masters": "0"}))
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(part, jobs(t, four...), arrived(1)...); got != c.want {
			t.Errorf("%+v\n got %s", c, got)
		}
	}
}
