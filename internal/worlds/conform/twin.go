package conform

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// twin copies the loop's book and policy, and lets the one go on and the other meet a catastrophe,
// by turns the original and the copy: whichever goes on does not notice.
func twin(t *testing.T, l *drive.Loop, makes func() sched.Policy) {
	t.Helper()
	policy := cloned(t, l.Policy, makes)
	order := policy.About().Order
	book := l.Ledger.Clone(order)
	var was, is, page bytes.Buffer
	if err := errors.Join(l.Ledger.Save(&was), l.Policy.Save(&was), book.Save(&is), policy.Save(&is)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Fatalf("round %d: a copy saves itself differently: %s", l.Round, difference(was.Bytes(), is.Bytes()))
	}
	if l.Round%2 == 0 {
		l.Policy, policy, l.Ledger, book = policy, l.Policy, book, l.Ledger
	}
	var first []byte
	if l.Round%5 == 0 {
		other := cloned(t, l.Policy, makes).About().Order
		read := ledger.New(*l.Ledger.World(), other)
		if err := errors.Join(l.Ledger.Save(&page), read.Load(&page, policy.About().Causes...)); err != nil {
			t.Fatal(err)
		}
		first = afterwards(t, read, l.Round)
	}
	catastrophe(book, policy, l.Round)
	is.Reset()
	if err := errors.Join(l.Ledger.Save(&is), l.Policy.Save(&is)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Fatalf("round %d: what the one did has changed the other: %s", l.Round, difference(was.Bytes(), is.Bytes()))
	}
	for j := sched.JobID(1); j <= l.Ledger.Jobs(); j++ {
		if job := l.Ledger.Job(j); job != nil && job.State != sched.Finished && l.Ledger.Find(job.Spec.ID) != j {
			t.Fatalf("round %d: job %q is now %d by its ID, and was %d", l.Round, job.Spec.ID, l.Ledger.Find(job.Spec.ID), j)
		}
	}
	if name := fmt.Sprint("elsewhere ", l.Round); l.Ledger.Find(name) != 0 || l.Ledger.Profile(name) != nil {
		t.Fatalf("round %d: a job, or a class, is known that only the other was told of", l.Round)
	}
	if first == nil {
		return
	}
	order = cloned(t, l.Policy, makes).About().Order
	if second := afterwards(t, l.Ledger.Clone(order), l.Round); !bytes.Equal(first, second) {
		t.Fatalf("round %d: what the one did shows later in the other: %s", l.Round, difference(first, second))
	}
}

// afterwards is what becomes of a book whose jobs all end, in whose queues others come, and in
// queues of their own, and what it then says of what it does not save.
func afterwards(t *testing.T, l *ledger.Ledger, round int64) []byte {
	t.Helper()
	var goes, comes []sched.Event
	var names []string
	for j := sched.JobID(1); j <= l.Jobs(); j++ {
		if job := l.Job(j); job != nil {
			names = append(names, job.Spec.ID)
			goes = append(goes, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: sched.Committed})
		}
	}
	for n, queue := range []string{"a", "new 1", "b", "new 0", "new 2"} {
		comes = append(comes, arrival(l.Jobs()+1+sched.JobID(n), fmt.Sprint("new ", n), queue))
	}
	l.Apply(l.Now().Add(units.Second), round+1, goes)
	l.Apply(l.Now().Add(units.Second), round+2, comes)
	var says bytes.Buffer
	if err := l.Save(&says); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "new 0", "new 3", "elsewhere") {
		fmt.Fprintln(&says, name, l.Find(name), l.Profile(name) != nil)
	}
	return says.Bytes()
}

// arrival is a small job of a queue, and of a user who has no other.
func arrival(j sched.JobID, name, queue string) sched.Event {
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &workload.Job{ID: name, Class: "c", Queue: queue, User: "user of " + name,
		Weight: 1, SlowStart: 1, Deadline: units.Never, Soft: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 2)}}}}}
}

// difference shows where two texts part.
func difference(a, b []byte) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := max(0, at-80)
	return fmt.Sprintf("…%s…, …%s…", a[from:min(at+80, len(a))], b[from:min(at+80, len(b))])
}

// cloned copies a policy. Those that were put together in tests have no copies, and load what they save.
func cloned(t *testing.T, p sched.Policy, makes func() sched.Policy) sched.Policy {
	t.Helper()
	if c, ok := p.(sched.Cloner); ok {
		if policy, err := c.Clone(); err == nil {
			return policy
		}
	}
	policy := makes()
	var mind bytes.Buffer
	if err := errors.Join(p.Save(&mind), policy.Load(&mind)); err != nil {
		t.Fatal(err)
	}
	return policy
}

// catastrophe tells a book and its policy, in rounds of their own, that every node beats, that all
// that runs is done, that every other job has ended, by turns with a new one in its place, or all
// jobs, that jobs come in queues and of users that are new, with profiles, that every other node is
// gone, and at last, by turns, that the world starts again.
func catastrophe(l *ledger.Ledger, p sched.Policy, round int64) {
	var plan sched.Plan
	now, turn := l.Now(), round%3
	tell := func(events []sched.Event) {
		slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		now, round = now.Add(units.Second), round+1
		all := l.Apply(now, round, events)
		l.Begin(&plan)
		p.Decide(l, all, &plan)
		l.Check(&plan)
	}
	var nodes []sched.NodeID
	for n := sched.NodeID(1); n <= l.Nodes(); n++ {
		if l.Node(n) != nil {
			nodes = append(nodes, n)
		}
	}
	beats := func(with ...sched.Event) []sched.Event {
		for _, n := range nodes {
			with = append(with, sched.Event{Kind: sched.Heartbeat, Node: n})
		}
		return with
	}
	tell(beats(sched.Event{Kind: sched.Tick}))
	var ends, goes []sched.Event
	for j := sched.JobID(1); j <= l.Jobs(); j++ {
		job := l.Job(j)
		if job == nil {
			continue
		}
		for s := range sched.Stages {
			for a := l.Youngest(j, s, 0); a != 0; a = l.Youngest(j, s, a) {
				ends = append(ends, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed})
			}
		}
		if (j%2 == 0 || turn == 0) && job.State != sched.Finished {
			goes = append(goes, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: sched.Committed})
		}
		if j%2 == 0 && turn == 1 {
			again := *job.Spec
			again.ID += " once more"
			goes = append(goes, sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &again}})
		}
	}
	tell(beats(ends...))
	tell(goes)
	name := fmt.Sprint("elsewhere ", round-3) // the round of the copy
	learned := []sched.Event{{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: profile.New(name)}},
		{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: profile.New("c")}}}
	tell(append(learned, arrival(l.Jobs()+1, name, "new 0"), arrival(l.Jobs()+2, name+" too", "new 3")))
	var down []sched.Event
	for i, n := range nodes {
		if i%2 == 0 {
			down = append(down, sched.Event{Kind: sched.NodeDown, Node: n})
		}
	}
	tell(beats(down...))
	if turn == 2 {
		tell([]sched.Event{{Kind: sched.Resync}})
	}
}
