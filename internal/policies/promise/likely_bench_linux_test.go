package promise

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// processor is the time of the processor that this thread has taken, in milliseconds.
func processor() float64 {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	_ = syscall.Getrusage(thread, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

// BenchmarkLikely is a verdict with a probability: 10,000 promised jobs, of which half have started and
// hold all of 100,000 map slots, each since an instant of its own. Before each verdict a map ends and another
// starts. It prints the time of the processor below which 99 of 100 verdicts stay, as the machine may be busy.
func BenchmarkLikely(b *testing.B) {
	const jobs, slots = 10_000, 100_000
	config := usual
	config.Most, config.Behind = 10_000, true
	s := newScheduler(config)
	book := ledger.New(sched.Capabilities{World: "desk", Bind: true, Kill: true}, order{scheduler: s})
	known := profile.New("c")
	known.At(sched.Map, "n").Task.Add(30)
	known.At(sched.Reduce, "n").Task.Add(30)
	for _, stage := range []sched.Stage{sched.Map, sched.Reduce} {
		known.Models = append(known.Models, &profile.Model{Key: profile.Key{Stage: stage, Part: profile.Run}, Fixed: 30,
			Own: profile.LogNormal(0.4), Shared: profile.LogNormal(0.1), Total: profile.LogNormal(0.5), Tasks: 1000, Jobs: 100})
	}
	n := &cluster.Node{Name: "n1", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(slots, slots/4)}}
	events := []sched.Event{{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}}, {Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: known}}}
	spec := func(i int) *workload.Job {
		j := &workload.Job{ID: fmt.Sprint(i), Class: "c", Weight: 1, Soft: units.Never, SlowStart: 1, Deadline: units.Time(0).Add(units.Duration(300+i) * units.Second)}
		j.Stages = []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 40)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 4)}}
		return j
	}
	for i := range jobs + 1 {
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: spec(i)}})
	}
	book.Apply(0, 1, events)
	var p sched.Plan
	book.Begin(&p)
	for j := range sched.JobID(jobs) {
		p.Admit(j+1, sched.Outlook{}, sched.Because(estimate.NoDeadline))
	}
	book.Check(&p)
	events = events[:0]
	for a := range slots {
		events = append(events, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(a + 1), Job: sched.JobID(a%(jobs/2) + 1),
			Stage: sched.Map, Task: sched.TaskID(a/(jobs/2) + 1), Node: 1, Age: units.Duration(a*7919%slots) * units.Second / slots * 30})
	}
	now := units.Time(0).Add(31 * units.Second)
	book.Apply(now, 2, events)
	s.Slots.Maps, s.Slots.Reduces = slots, slots/4
	for j := sched.JobID(1); j <= jobs; j++ {
		job := book.Job(j)
		r := s.Note(job, reserve.Promised)
		if _, _, ok := s.Claim(book, job, r); !ok {
			b.Fatal("it cannot be promised")
		}
		o, _, _ := s.likely(book, job, r)
		d := finish.LogNormal(0.2)
		d = d.Scale(30).Shift(-30)
		o.Deviation, o.Sure = &d, d.Quantile(1-1e-7)
		if s.terms[j].Odds = o; j <= jobs/2 {
			s.Started++
			r.Rank = s.Started
			s.Active = append(s.Active, j)
		}
		s.Queue = append(s.Queue, j)
		s.terms[j].Budget.Left = 9000
	}
	job := book.Job(jobs + 1)
	for _, at := range []struct {
		name     string
		deadline units.Duration
	}{{"first", 200 * units.Second}, {"middle", 5300 * units.Second}, {"last", 20_000 * units.Second}} {
		b.Run(at.name, func(b *testing.B) {
			r := reserve.Record{Claim: reserve.ClaimOf(job)}
			r.Claim.Deadline = units.Time(0).Add(at.deadline)
			s.Claim(book, job, &r)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var took []float64
			for b.Loop() {
				a := sched.AttemptID(len(took)*7919%slots + 1)
				of := book.Attempt(a)
				batch := []sched.Event{{Kind: sched.Ended, Attempt: a, Outcome: sched.Failed},
					{Kind: sched.Started, Attempt: a, Job: of.Job, Stage: sched.Map, Task: of.Task, Node: 1}}
				s.ends(a)
				book.Apply(now, int64(len(took)+3), batch)
				began := processor()
				c := s.try(book, job, &r).weigh()
				took = append(took, processor()-began)
				if c.Finish == 0 {
					b.Fatal("there is no answer")
				}
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)*99/100], "p99-ms")
			b.ReportMetric(took[len(took)/2], "median-ms")
		})
	}
}
