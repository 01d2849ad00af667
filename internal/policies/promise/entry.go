package promise

import (
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/internal/policies/slowstart"
	"github.com/slackline/slackline/sched"
)

// Entry lists the scheme. It goes with no other part: each of its own keeps a part of the promise.
func Entry() compose.Entry {
	return compose.Entry{
		Name:  "promise",
		Kind:  compose.KindScheme,
		Whole: true,
		// nodes more, none less that a job needs; jobs cut before they are told anything
		Beside: []string{"need", "slack", "tradeoff"},
		Doc:    "says of each job when it will be done, and promises deadlines that will be met with a probability",
		Cite:   "docs/probability.md",
		Parts:  parts(nil, admit.All{}),
		Params: append([]compose.Param{
			{Name: "level", Type: compose.Chance, Default: "99%", Doc: "how likely a promise is to be kept, unless the job or its queue says; rtmr promises for the worst case"},
			{Name: "refused", Type: compose.Choice, Default: "run", Choices: []string{"run", "reject"}, Doc: "what cannot be promised: run it without a promise, or reject it"},
		}, compose.Of(compose.KindAdmit, admit.MasterParams("10"))...),
		Gone: map[string]string{
			"unknown": "a job of an unknown class runs in its place, and is told a wide statement",
			"sample":  "a job of an unknown class runs in its place, and its first tasks say what the others take",
			"skew":    "what reduces took says how uneven their shares are",
		},
		Fill: fill,
	}
}

func fill(r *compose.Recipe, a compose.Args) error {
	c, err := admit.MastersOf(a)
	if err != nil {
		return err
	}
	s := newScheduler(Config{Most: finish.RiskOf(1 - a.Chance("level")), Reject: a.Choice("refused") == "reject", Queues: a.Queues})
	s.admits = admit.NewAll(c)
	s.admits.LetIn(s.letIn)
	for _, part := range parts(s, s.admits) {
		if err := r.Put(part, compose.Args{Queues: a.Queues}); err != nil {
			return err
		}
	}
	return nil
}

// parts lists the elements.
func parts(s *scheduler, _ admit.All) []compose.Entry {
	late := slowstart.Entry()
	return []compose.Entry{
		{Name: "promise order", Kind: compose.KindOrder, Doc: "by deadline among the jobs that can be in time and make nobody late; then the others, by least work left",
			Order: func(compose.Args) (sched.Order, error) { return order{scheduler: s}, nil }},
		{Name: "promise admission", Kind: compose.KindAdmit, Doc: "states when each job will be done, and promises deadlines",
			Step: func(compose.Args) (compose.Step, error) { return admission{s}, nil },
			Traits: compose.Traits{
				Reads: compose.Reads{Profiles: true, Models: true},
				Heeds: sched.AnyEvent &^ sched.EventsOf(sched.Granted, sched.Started, sched.Progress),
				Causes: []*sched.Cause{estimate.NoDeadline, estimate.CountUnknown, estimate.Likely, PromisedNow, PromisedWith, Unlikely, Orphan, Behind, Owed, SlotsMoved, InputMoved, TasksMoved, WidthMoved, AheadMoved,
					OutOfTime, PromiseLost, InTimeAgain, BehindIt, LongTasks, sched.PlaceChanged, sched.Wakeup, sched.AdmitAll, sched.Begun, admit.MasterShare},
			}},
		late,
		placement.GreedyEntry(),
	}
}
