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
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// twin copies the loop's book and policy, and lets the one go on and the other meet a catastrophe, by turns the original and the copy:
// whichever goes on does not notice.
func twin(t *testing.T, l *drive.Loop, makes func() sched.Policy) {
	t.Helper()
	policy := cloned(t, l.Policy, makes)
	order, err := sched.OrderOf(policy)
	if err != nil {
		t.Fatal(err)
	}
	book := l.Ledger.Clone(order)
	var was, is bytes.Buffer
	if err := errors.Join(l.Ledger.Save(&was), l.Policy.Save(&was), book.Save(&is), policy.Save(&is)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Fatalf("round %d: a copy saves itself differently: %s", l.Round, difference(was.Bytes(), is.Bytes()))
	}
	if l.Round%2 == 0 {
		l.Policy, policy, l.Ledger, book = policy, l.Policy, book, l.Ledger
	}
	catastrophe(book, policy, l.Round)
	is.Reset()
	if err := errors.Join(l.Ledger.Save(&is), l.Policy.Save(&is)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Fatalf("round %d: what the one did has changed the other: %s", l.Round, difference(was.Bytes(), is.Bytes()))
	}
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

// catastrophe tells a book and its policy, in rounds of their own, that every node beats, that all that runs is done, that every other job has
// ended, by turns with a new one in its place, or all jobs, that every other node is gone, and at last, by turns, that the world begins anew.
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
