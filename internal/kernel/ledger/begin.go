package ledger

import "github.com/slackline/slackline/sched"

// What a world has to know that begins where the book stands, beyond what policies see.

// Pending fills a plan with what the book takes for done and the world has not answered: jobs that
// were rejected, attempts that are to be killed, tasks that are promised, nodes that sleep at once. O(nodes +
// attempts + open items · tasks of the job).
func (l *Ledger) Pending(p *sched.Plan) {
	p.Reset(nil)
	for j := range l.jobs {
		b := &l.jobs[j]
		if b.State == sched.Rejected {
			p.Add(sched.Item{Verb: sched.Reject, Job: b.ID})
			continue
		}
		for s := range b.heads {
			for a := b.heads[s]; a != 0; a = l.attempts[a].older {
				if ab := &l.attempts[a]; ab.Dying {
					n := int32(len(p.Victims))
					p.Victims = append(p.Victims, a)
					p.Add(sched.Item{Verb: sched.Kill, Job: b.ID, Stage: ab.Stage, Attempt: a, Count: 1, Attempts: sched.Span{From: n, To: n + 1}})
				}
			}
		}
	}
	for n := range l.nodes {
		if nb := &l.nodes[n]; nb.asked != 0 && nb.Was == sched.Awake && (nb.State == sched.Asleep || nb.State == sched.Offered) {
			p.Add(sched.Item{Verb: sched.Sleep, ID: nb.asked, Node: nb.ID})
		}
	}
	for i := range l.grants.n {
		g := l.grants.at(i)
		b := l.job(g.Job)
		if g.Left <= 0 || b == nil {
			continue
		}
		it := sched.Item{Verb: sched.Start, ID: g.Item, Job: g.Job, Stage: g.Stage, Container: g.Container, Node: g.Node, Task: g.Second, Count: g.Left}
		if g.Second != 0 {
			it.Verb = sched.Speculate
		}
		t := b.tasks[g.Stage]
		it.Tasks.From = int32(len(p.Bound))
		for id := sched.TaskID(1); int(id) < len(t.List); id++ {
			if tk := &t.List[id]; tk.By == int32(g.Item) && (tk.State == taskPromised || g.Second == id) {
				p.Bound = append(p.Bound, sched.Bound{Task: id, Locality: l.distance(&l.nodes[g.Node], t, id)})
			}
		}
		it.Tasks.To = int32(len(p.Bound))
		p.Add(it)
	}
}

// Done tells whether a task has committed, and on which node, 0 if the book cannot say.
func (l *Ledger) Done(j sched.JobID, s sched.Stage, id sched.TaskID) (on sched.NodeID, is bool) {
	b := l.job(j)
	if b == nil {
		return 0, false
	}
	tk := b.tasks[s].of(id)
	if tk == nil || tk.State != taskDone {
		return 0, false
	}
	return sched.NodeID(max(0, -tk.By)), true
}

// Decided is what the policy has said of a job; of one that waits for its predecessors, what will
// count when these are done.
func (l *Ledger) Decided(j sched.JobID) sched.JobState {
	b := l.job(j)
	if b == nil {
		return sched.NoJob
	}
	if b.State == sched.Waiting && b.Decided != sched.NoJob {
		return b.Decided
	}
	return b.State
}

// Stock tells whether a stock scheduler places work now, beside a policy that watches or has yielded.
func (l *Ledger) Stock() bool { return l.yielded || l.watching }
