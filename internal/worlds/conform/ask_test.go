package conform

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// answers counts what came of questions.
type answers struct {
	verbs                  map[sched.Verb]int
	exact, foreseen, tight int
	between                int // at an instant behind the last batch
	behind, grow, masters  int // about jobs with predecessors, that grow, that have ApplicationMasters
	mastered               int // of these let in
}

// question asks about a job like one that is there, with a deadline of its own. The answer changes
// nothing; and when the job comes to a copy of book and policy at the instant of the question,
// which may be behind the last batch, that is what becomes of it.
func (n *answers) question(t *testing.T, l *drive.Loop, makes func() sched.Policy) {
	t.Helper()
	dice := rand.New(rand.NewPCG(uint64(l.Round), uint64(l.Ledger.Now())))
	j := l.Ledger.Job(sched.JobID(1 + dice.IntN(max(1, int(l.Ledger.Jobs())))))
	if j == nil {
		return
	}
	now := l.Ledger.Now()
	if dice.IntN(2) == 0 { // batches are apart, and a server asks in between
		now = now.Add(units.Duration(dice.IntN(60_000)) * units.Millisecond)
		n.between++
	}
	spec := *j.Spec
	spec.ID, spec.After = "asked", nil
	if spec.Deadline = now.Add(units.Duration(1+dice.IntN(300)) * units.Second / 4); dice.IntN(8) == 0 {
		spec.Deadline = units.Never
	}
	spec.Stages = append([]workload.StageSpec{}, spec.Stages...)
	for i := range spec.Stages {
		spec.Stages[i].Done, spec.Stages[i].Grows = nil, false
	}
	switch dice.IntN(6) {
	case 0:
		spec.After = []string{j.Spec.ID}
		n.behind++
	case 1:
		spec.After = []string{"gone"} // and so is what it waited for
	case 2:
		spec.Stages[len(spec.Stages)-1].Grows = true
		n.grow++
	case 3:
		spec.Promised = true // by an earlier run
	}
	var was, is bytes.Buffer
	if err := errors.Join(l.Ledger.Save(&was), l.Policy.Save(&was)); err != nil {
		t.Fatal(err)
	}
	policy := l.Policy.(sched.Asker)
	a := policy.Ask(l.Ledger, now, &spec)
	if (a.Verb == sched.NoVerb) != (a.Reason.Cause == sched.BehindOthers) || a.Reason.Cause == sched.NotAsked {
		t.Fatalf("round %d: asked, the policy says %v: %v", l.Round, a.Verb, a.Reason)
	}
	n.verbs[a.Verb]++
	if spec.Stages[0].Kind == sched.Master {
		n.masters++
		if a.Verb == sched.Admit {
			n.mastered++
		}
	}
	if err := errors.Join(l.Ledger.Save(&is), l.Policy.Save(&is)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Fatalf("round %d: a question has changed something: %s", l.Round, difference(was.Bytes(), is.Bytes()))
	}
	it, evidence, alone := n.comes(t, l, makes, now, &spec)
	if !alone {
		return
	}
	verb := a.Verb
	if verb == sched.Sample {
		verb = sched.Hold
	}
	reason := it.Reason
	reason.Evidence = sched.Span{}
	a.Reason.Evidence = sched.Span{}
	if a.Verb == sched.NoVerb {
		reason = a.Reason // why nothing is decided yet
	}
	if it.Verb != verb || reason != a.Reason || fmt.Sprint(evidence) != fmt.Sprint(a.Evidence) {
		t.Fatalf("round %d: asked, the policy says %v (%v), evidence %v; when the job comes, %v (%v), evidence %v", l.Round, a.Verb, a.Reason, a.Evidence, it.Verb, it.Reason, evidence)
	}
	offer, exact := a.Offer.By, a.Offer.Word == sched.NoEarlier
	if it.Verb == sched.Reject && exact && it.Outlook.Word == sched.NoEarlier && it.Outlook.By != offer {
		t.Fatalf("round %d: asked, the policy offers %v; when the job comes, %v", l.Round, offer, it.Outlook.By)
	}
	if it.Verb == sched.Admit && (a.Outlook.Word != it.Outlook.Word || a.Outlook.Confidence != it.Outlook.Confidence || a.Outlook.By > it.Outlook.By) {
		t.Fatalf("round %d: asked, the policy says %+v; when the job comes, %+v", l.Round, a.Outlook, it.Outlook)
	}
	if a.Outlook.Foreseen() {
		if n.foreseen++; a.Outlook.Word.Binds() && a.Outlook.By > spec.Deadline {
			t.Fatalf("round %d: it would end at %v; its deadline is %v", l.Round, a.Outlook.By, spec.Deadline)
		}
	}
	if offer == 0 {
		return
	}
	if a.Verb == sched.Admit && a.Reason.Cause != sched.Begun && exact && offer > spec.Deadline {
		t.Fatalf("round %d: a deadline of %v is accepted, and the earliest is %v", l.Round, spec.Deadline, offer)
	}
	again := spec
	again.Deadline = offer
	if b := policy.Ask(l.Ledger, now, &again); b.Verb != sched.Admit {
		t.Fatalf("round %d: %v is offered, and then: %v (%v)", l.Round, offer, b.Verb, b.Reason)
	}
	if !exact {
		return
	}
	n.exact++
	if again.Deadline = offer - 1; again.Deadline > now {
		n.tight++
		if b := policy.Ask(l.Ledger, now, &again); b.Verb != sched.Reject && b.Reason.Cause != sched.Begun {
			t.Fatalf("round %d: %v is to be the earliest, and a nanosecond before it: %v (%v)", l.Round, offer, b.Verb, b.Reason)
		}
	}
}

// comes lets the job come to a copy, and returns what is decided on it first; alone is false if
// other things are told with it: refusals of the last plan.
func (n *answers) comes(t *testing.T, l *drive.Loop, makes func() sched.Policy, now units.Time, spec *workload.Job) (it sched.Item, evidence []sched.Evidence, alone bool) {
	t.Helper()
	policy := cloned(t, l.Policy, makes)
	order := policy.About().Order
	book := l.Ledger.Clone(order)
	id := book.Jobs() + 1
	told := []sched.Event{{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: spec}}}
	waits := len(spec.After) > 0
	if waits && l.Ledger.Find(spec.After[0]) == 0 { // there is nothing to wait for
		told, waits = append(told, sched.Event{Kind: sched.StageReady, Job: id, Stage: spec.Stages[0].Kind}), false
	}
	events := book.Apply(now, l.Round+1, told)
	for i := range events {
		if events[i].Job != id {
			return it, nil, false
		}
	}
	var plan sched.Plan
	book.Begin(&plan)
	policy.Decide(book, events, &plan)
	for _, it := range plan.Items {
		if it.Job == id && (it.Verb == sched.Admit || it.Verb == sched.Hold || it.Verb == sched.Reject) {
			return it, plan.Evidence[it.Reason.Evidence.From:it.Reason.Evidence.To], true
		}
	}
	if waits {
		return it, nil, true // it is decided on when the others are done
	}
	t.Fatalf("round %d: nothing is decided on a job that comes", l.Round)
	return it, nil, false
}

// saying are policies of which each verb is to be heard at least once.
var saying = map[string][]sched.Verb{
	"rtmr":                                  {sched.Admit, sched.Reject},
	"promise":                               {sched.Admit, sched.Hold}, // which rejects nobody
	"dc":                                    {sched.Admit, sched.Reject},
	"dc(cost=worst)":                        {sched.Admit, sched.Reject},
	"rds(interval=20s)":                     {sched.Admit, sched.Hold},
	"rds(interval=5s,solver=0s)":            {sched.Admit, sched.Hold},
	"fifo":                                  {sched.Admit},
	"edf+serial":                            {sched.Admit, sched.Hold},
	"fair+limit(running=2,per_user=1)":      {sched.Admit, sched.Hold},
	"capacity+limit(running=3,per_queue=1)": {sched.Admit, sched.Hold},
}

// questioned are these policies, and one for each admission of the catalogue that none of them has, of which two
// different verbs are to be heard.
func questioned(t *testing.T) map[string][]sched.Verb {
	list, seen := maps.Clone(saying), map[string]bool{}
	admission := func(text string) string { return fromCatalogue(t, text)().Recipe().Parts[compose.KindAdmit].Name }
	for text := range list {
		seen[admission(text)] = true
	}
	for _, text := range everyone() {
		if name := admission(text); !seen[name] {
			list[text], seen[name] = nil, true
		}
	}
	return list
}

// Each admission of the catalogue answers questions as it decides, and answers change nothing. With fewer runs not all
// answers come up.
func TestQuestions(t *testing.T) {
	t.Parallel()
	if !testing.Short() && !fuller() {
		t.Skip("in the gate")
	}
	for text, wants := range questioned(t) {
		for _, known := range []bool{true, false} {
			n := &answers{verbs: map[sched.Verb]int{}}
			for _, s := range []Subject{simulated(max(6, runs(20))), unkindest(max(6, runs(20))), crowded(max(3, runs(10)))} {
				plain := s.New
				if known {
					s.New = func(t *testing.T, seed uint64) drive.World { return &taught{World: plain(t, seed)} }
				}
				t.Run(fmt.Sprintf("%s %s known=%v", s.Name, text, known), func(t *testing.T) {
					fresh := func() sched.Policy {
						p, err := catalog.New(text, pools())
						if err != nil {
							t.Fatal(err)
						}
						return p
					}
					for seed := range s.Seeds {
						s.run(t, uint64(seed), fresh, n.question)
					}
				})
			}
			if n.between*n.behind*n.grow*n.masters == 0 {
				t.Errorf("%s is asked %d times between two batches, %d times about jobs behind others, %d about jobs that grow, %d about jobs with masters: this tests nothing",
					text, n.between, n.behind, n.grow, n.masters)
			}
			if known && wants == nil && len(n.verbs) < 2 {
				t.Errorf("%s says only %v: this tests nothing", text, n.verbs)
			}
			for _, v := range wants {
				if known && n.verbs[v] == 0 {
					t.Errorf("%s never says %v, but %v: this tests nothing", text, v, n.verbs)
				}
			}
			if known && (text == "rtmr" || text == "dc") && (n.exact == 0 || n.foreseen == 0 || n.tight == 0 || n.mastered == 0) {
				t.Errorf("%s: %d exact offers, %d finishes, %d offers that could be earlier, %d jobs with masters let in: this tests nothing", text, n.exact, n.foreseen, n.tight, n.mastered)
			}
			if !known && text == "rtmr" && n.verbs[sched.Sample] == 0 {
				t.Errorf("%s never samples, but %v: this tests nothing", text, n.verbs)
			}
		}
	}
}

// unkindest is the unkind world in which users and ApplicationMasters also end jobs, and nodes are decommissioned.
func unkindest(seeds int) Subject {
	s := unkind(seeds)
	s.New = func(_ *testing.T, seed uint64) drive.World {
		cfg := twinned(seed)
		cfg.Cancels, cfg.Quits, cfg.Retires = seed%4 == 3, seed%4 == 2, seed%2 == 1
		return adverse.New(cfg)
	}
	return s
}

// crowded is a simulator in which many jobs wait with deadlines near and far.
func crowded(seeds int) Subject {
	s := simulated(seeds)
	s.Name, s.Jobs = "sim, crowded", 25
	s.New = func(t *testing.T, seed uint64) drive.World {
		dice := rand.New(rand.NewPCG(seed, 7))
		var jobs []*workload.Job
		for i := range s.Jobs {
			j := *work()[0]
			j.ID, j.Arrive, j.Workflow = fmt.Sprint("w", i), units.Time(i)*units.Time(2*units.Second), nil
			j.Deadline = j.Arrive.Add(units.Duration(10+dice.IntN(400)) * units.Second)
			jobs = append(jobs, &j)
		}
		w, err := sim.New(sim.Config{Cluster: machines(), Workload: &workload.Workload{Jobs: jobs}, Seed: seed, Heartbeat: units.Duration(seed%2) * units.Second})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	return s
}
