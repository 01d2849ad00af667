package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The account of every job of random scenarios, with all that can happen there, sums to its response time to the
// nanosecond, and holds against a recount of what the world said.
func TestAccounts(t *testing.T) {
	causes := map[account.Cause]int{}
	jobs := 0
	for seed := range uint64(scenarios(150, 1000)) {
		for _, of := range []func(dice, *played){plain, shared} {
			p := randomRun(seed+1, of)
			r := newRecount(&p)
			if err := r.play(t); err != nil {
				t.Fatal(err)
			}
			for i, name := range r.order {
				a := r.books.Of(i)
				if a == nil {
					t.Fatalf("seed %d, %s: there is no account of %q", seed+1, p.policy, name)
				}
				if err := r.check(name, a); err != nil {
					t.Fatalf("seed %d, %s: job %q: %v\n%+v", seed+1, p.policy, name, err, a.Story())
				}
				for k := range a.Parts {
					causes[a.Parts[k].Cause]++
				}
				jobs++
			}
		}
	}
	t.Logf("%d accounts, with %v", jobs, causes)
	for _, c := range account.Causes {
		if causes[c] == 0 && c != account.Sample && c != account.Verdict { // the policies of these scenarios let all in
			t.Errorf("no job had time by %q: that is not tested", c)
		}
	}
}

// recount is what a world said, as far as accounts can be held against it.
type recount struct {
	p     *played
	books *account.Accountant
	order []string // jobs as they came
	specs map[string]*workload.Job
	came  map[string]units.Time
	gone  map[string]units.Time
	how   map[string]sched.Outcome
	lives []*life
	runs  map[sched.AttemptID]*life
	jobs  map[sched.JobID]string
	nodes map[sched.NodeID][]standing
	now   units.Time
}

// standing is what a node offers from a time on.
type standing struct {
	at    units.Time
	has   units.Vector
	class float64 // its speed
	speed float64 // on top of that
}

func newRecount(p *played) *recount {
	return &recount{p: p, specs: map[string]*workload.Job{}, came: map[string]units.Time{}, gone: map[string]units.Time{}, how: map[string]sched.Outcome{},
		runs: map[sched.AttemptID]*life{}, jobs: map[sched.JobID]string{}, nodes: map[sched.NodeID][]standing{}}
}

func (r *recount) play(t *testing.T) error {
	w, err := sim.New(r.p.cfg)
	if err != nil {
		return err
	}
	can := w.Can()
	r.books = account.New(0)
	r.books.Beat = can.Heartbeat
	base, err := catalog.New(r.p.policy, NoQueues)
	if err != nil {
		return err
	}
	loop := drive.New(w, &meddler{Policy: base, often: r.p.meddle, rng: rand.New(rand.NewPCG(r.p.cfg.Seed, 7))}, follow.New(r.books), r)
	for err == nil && loop.Round < 5000 {
		err = loop.Step(context.Background())
	}
	return nil // one that is stuck has accounts, too
}

func (r *recount) Plan(int64, units.Time, *sched.Plan) error { return nil }

func (r *recount) Batch(_ int64, at units.Time, events []sched.Event) error {
	r.now = at
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sched.JobArrived:
			name := e.Detail.Job.ID
			r.jobs[e.Job], r.specs[name], r.came[name] = name, e.Detail.Job, at.Add(-e.Age)
			r.order = append(r.order, name)
		case sched.JobEnded:
			r.gone[r.jobs[e.Job]], r.how[r.jobs[e.Job]] = at.Add(-e.Age), e.Outcome
		case sched.Started:
			l := &life{job: r.jobs[e.Job], stage: e.Stage, task: e.Task, node: e.Node, began: at.Add(-e.Age), ended: units.Never}
			r.runs[e.Attempt], r.lives = l, append(r.lives, l)
		case sched.Ended:
			r.runs[e.Attempt].ended, r.runs[e.Attempt].outcome = at.Add(-e.Age), e.Outcome
		case sched.NodeUp, sched.NodeChanged, sched.NodeDown:
			s := standing{at: at, class: 1, speed: 1}
			if list := r.nodes[e.Node]; len(list) > 0 {
				last := list[len(list)-1]
				if s.class, s.speed = last.class, last.speed; e.Kind == sched.NodeChanged {
					s.has = last.has
				}
			}
			if e.Kind == sched.NodeChanged && e.X > 0 {
				s.speed = e.X
			}
			if e.Kind != sched.NodeDown && e.Detail != nil && e.Detail.Node != nil {
				s.has, s.class = e.Detail.Node.Class.Capacity, e.Detail.Node.Class.Speed
			}
			r.nodes[e.Node] = append(r.nodes[e.Node], s)
		}
	}
	return nil
}

// check holds an account against what the world said.
func (r *recount) check(name string, a *account.Account) error {
	end, over := r.gone[name]
	if !over {
		end = r.now
	}
	at := r.came[name]
	if a.Open == over || a.Arrived != at || a.Ended != end {
		return fmt.Errorf("it came at %v and ended at %v (%v), its account says %v to %v", at, end, over, a.Arrived, a.Ended)
	}
	failed := slices.ContainsFunc(r.lives, func(l *life) bool {
		return l.job == name && l.ended == end && l.outcome == sched.Failed && l.stage != sched.Master
	})
	if n := len(a.Parts); r.how[name] == sched.Failed && failed && n > 0 && a.Parts[n-1].Cause == account.Killed {
		return errors.New("it failed, and its account ends with an attempt that was killed")
	}
	sum := units.Duration(0)
	for i := range a.Parts {
		p := &a.Parts[i]
		if p.From != at || p.Took <= 0 {
			return fmt.Errorf("part %d begins at %v and lasts %v; the one before ended at %v", i, p.From, p.Took, at)
		}
		if err := r.passes(name, a, i); err != nil {
			return fmt.Errorf("part %d, %v: %w", i, p.Cause, err)
		}
		at, sum = at.Add(p.Took), sum+p.Took
		if err := r.part(name, p, at); err != nil {
			return fmt.Errorf("part %d, %v from %v to %v: %w", i, p.Cause, p.From, at, err)
		}
	}
	if sum != end.Sub(r.came[name]) {
		return fmt.Errorf("its parts sum to %v, its response is %v", sum, end.Sub(r.came[name]))
	}
	for _, t := range a.Totals() {
		sum -= t.Took
	}
	if sum != 0 {
		return fmt.Errorf("the totals miss %v", sum)
	}
	return r.last(name, a)
}

// last checks that a job that has committed ended with the last of its tasks that did.
func (r *recount) last(name string, a *account.Account) error {
	if r.how[name] != sched.Committed {
		return nil
	}
	end := units.Time(0)
	for _, l := range r.lives {
		if l.job == name && l.stage != sched.Master && l.outcome == sched.Committed {
			end = max(end, l.ended)
		}
	}
	finish := a.Arrived
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Cause != account.Finish {
			finish = p.From.Add(p.Took)
		}
	}
	if end > 0 && finish != end {
		return fmt.Errorf("its last task ended at %v, and its account goes to %v", end, finish)
	}
	return nil
}

// outcomes are how attempts end whose time went to a cause.
var accounted = map[account.Cause][]sched.Outcome{
	account.Work: {sched.Committed, sched.NoOutcome}, account.Remote: {sched.Committed, sched.NoOutcome}, account.SlowNode: {sched.Committed, sched.NoOutcome},
	account.Load:       {sched.Committed, sched.NoOutcome},
	account.Straggler:  {sched.Committed, sched.NoOutcome, sched.Superseded, sched.Killed, sched.Failed, sched.Lost, sched.Preempted},
	account.TaskFailed: {sched.Failed}, account.Killed: {sched.Killed, sched.Preempted, sched.Superseded}, account.NodeDown: {sched.Lost},
	account.OutputLost: {sched.Committed},
}

// part checks what one part says until a time.
func (r *recount) part(name string, p *account.Part, to units.Time) error {
	if want := accounted[p.Cause]; want != nil {
		for _, l := range r.lives {
			for _, o := range want {
				if l.job == name && l.stage == *p.Stage && l.task == p.Task && l.began <= p.From && to <= l.ended && l.outcome == o {
					return r.slowed(l, p.Cause)
				}
			}
		}
		return fmt.Errorf("no attempt of %v-%d ran then and ended so", *p.Stage, p.Task)
	}
	switch p.Cause {
	case account.Predecessors:
		for _, id := range r.specs[name].After {
			if gone, over := r.gone[id]; !over || gone >= to {
				return nil
			}
		}
		return fmt.Errorf("all of %q had ended", r.specs[name].After)
	case account.Slots, account.Beat, account.Limit, account.Locality, account.NoNode:
		return r.waited(name, p, to)
	}
	return nil
}

// passes checks that the way goes from one stage to a later one where a task of the first has committed.
func (r *recount) passes(name string, a *account.Account, i int) error {
	if i == 0 || a.Parts[i-1].Stage == nil || a.Parts[i].Stage == nil || *a.Parts[i-1].Stage >= *a.Parts[i].Stage || *a.Parts[i-1].Stage == sched.Master ||
		accounted[a.Parts[i-1].Cause] == nil {
		return nil
	}
	for _, l := range r.lives {
		if l.job == name && l.stage == *a.Parts[i-1].Stage && l.outcome == sched.Committed && l.ended == a.Parts[i].From {
			return nil
		}
	}
	return fmt.Errorf("nothing of %v has committed at %v", *a.Parts[i-1].Stage, a.Parts[i].From)
}

// slowed checks that a node was as slow as a part says that an attempt ran on.
func (r *recount) slowed(l *life, c account.Cause) error {
	if c != account.Load && c != account.SlowNode {
		return nil
	}
	list := r.nodes[l.node]
	for i, s := range list {
		there := s.at < l.ended && (i+1 == len(list) || list[i+1].at > l.began)
		if there && (c == account.Load && s.speed < 1 || c == account.SlowNode && s.class < 1) {
			return nil
		}
	}
	return fmt.Errorf("the node of %v-%d was not slow", l.stage, l.task)
}

// waited checks a wait for room: what task waited did not run, and what held the slots did.
func (r *recount) waited(name string, p *account.Part, to units.Time) error {
	for _, l := range r.lives {
		if p.Task > 0 && l.job == name && l.stage == *p.Stage && l.task == p.Task && l.began <= p.From && l.ended >= to {
			return fmt.Errorf("the task ran")
		}
	}
	spec := r.specs[name]
	if len(spec.Stages[0].Containers) > 0 || spec.Stage(*p.Stage) == nil {
		return nil // what is needed depends on the kind of container
	}
	dim := units.MapSlots
	if *p.Stage == sched.Reduce {
		dim = units.ReduceSlots
	}
	held := map[string]units.Duration{}
	for _, l := range r.lives {
		if takes := (l.stage == sched.Reduce) == (dim == units.ReduceSlots); takes && l.began < to && l.ended > p.From {
			held[l.job] += min(l.ended, to).Sub(max(l.began, p.From))
		}
	}
	if p.Cause == account.Slots && p.More == 0 && len(held) != len(p.Jobs) {
		return fmt.Errorf("%v held slots, it names %v", held, p.Jobs)
	}
	for _, o := range p.Jobs {
		if held[o.Job] != o.Held {
			return fmt.Errorf("%q held %v, it says %v", o.Job, held[o.Job], o.Held)
		}
	}
	at := p.From.Add(p.Took / 2)
	room := r.room(dim, at, 0)
	if p.Cause != account.Slots && p.Cause != account.NoNode && p.Why == "" && !room {
		return fmt.Errorf("no node had room")
	}
	if plain := len(spec.Labels) == 0 && r.p.meddle == 0 && !sleeps(r.p.policy); plain && (p.Cause == account.Slots || p.Cause == account.NoNode) && r.room(dim, at, r.books.Beat) {
		return fmt.Errorf("a node had room")
	}
	return nil
}

func sleeps(policy string) bool {
	for _, s := range sleepy {
		if s == policy {
			return true
		}
	}
	return false
}

// room tells whether a node has offered more than was held of it for so long before a time, and then.
func (r *recount) room(d units.Dim, at units.Time, long units.Duration) bool {
	for n := range r.nodes {
		had := r.free(n, d, at) && r.free(n, d, at.Add(-long))
		for _, l := range r.lives {
			if l.node == n && l.began > at.Add(-long) && l.began < at {
				had = had && r.free(n, d, l.began)
			}
		}
		for _, s := range r.nodes[n] {
			if s.at > at.Add(-long) && s.at < at {
				had = had && r.free(n, d, s.at)
			}
		}
		if had {
			return true
		}
	}
	return false
}

// free tells whether a node offered more than was held of it at a time.
func (r *recount) free(n sched.NodeID, d units.Dim, at units.Time) bool {
	free := int64(0)
	for _, s := range r.nodes[n] {
		if s.at <= at {
			free = s.has[d]
		}
	}
	for _, l := range r.lives {
		if l.node == n && (l.stage == sched.Reduce) == (d == units.ReduceSlots) && l.began <= at && at < l.ended {
			free--
		}
	}
	return free > 0
}
