package conform

import (
	"context"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// Items of every verb have a reason, and one that the step has declared, whether the book takes them or not.
func TestSecretReasons(t *testing.T) {
	needs := []sched.Verb{sched.SetTasks, sched.Speculate, sched.Kill, sched.Sleep, sched.Wake}
	for v := range sched.Verbs {
		for want, why := range map[string]sched.Reason{
			"":                               sched.Because(sched.Wakeup),
			"without a reason":               {},
			`"whim" without declaring it`:    sched.Because(whim),
			`"wake-up" without declaring it`: {Cause: &sched.Cause{Name: sched.Wakeup.Name}}, // it only looks like it
		} {
			done := false
			does := func(_ sched.View, p *sched.Plan) {
				if !done { // once, so that a run can end
					p.Add(sched.Item{Verb: v, Job: 99, Node: 99, At: 1, Reason: why})
				}
				done = true
			}
			entry := compose.Entry{Name: "secret", Kind: compose.KindSpeculate, Traits: compose.Traits{Needs: needs, Causes: []*sched.Cause{sched.Wakeup}},
				Step: func(compose.Args) (compose.Step, error) { return &secret{does: does}, nil }}
			p, err := catalog.Of(append(catalog.All(), entry), "fifo+secret", pools())
			if err != nil {
				t.Fatal(err)
			}
			err = drive.New(unkind(1).New(t, 1), p).Run(context.Background())
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v because of %v: %v, want %q", v, why.Cause, err, want)
			}
		}
	}
}

// coy is an admission whose answer its entry does not declare.
type coy struct {
	admit.All
	says sched.Answer
}

func (c coy) Ask(sched.View, *sched.Job) sched.Answer { return c.says }

// Answers too have a reason that is declared.
func TestSecretAnswers(t *testing.T) {
	for _, c := range []struct {
		want string
		says sched.Answer
	}{
		{"", sched.Answer{Verb: sched.Admit, Reason: sched.Because(sched.AdmitAll)}},
		{"", sched.Answer{Reason: sched.Because(sched.BehindOthers)}},
		{`gives the reason "behind-others" without declaring it`, sched.Answer{Verb: sched.Hold, Reason: sched.Because(sched.BehindOthers)}},
		{`gives the reason "whim" without declaring it`, sched.Answer{Verb: sched.Reject, Reason: sched.Because(whim)}},
		{`gives the reason "whim" without declaring it`, sched.Answer{Reason: sched.Because(whim)}},
		{"answers sample without a reason", sched.Answer{Verb: sched.Sample}},
		{"answers none without a reason", sched.Answer{}},
	} {
		entry := compose.Entry{Name: "coy", Kind: compose.KindAdmit, Traits: compose.Traits{Causes: []*sched.Cause{sched.AdmitAll}},
			Step: func(compose.Args) (compose.Step, error) { return coy{admit.NewAll(pools()), c.says}, nil }}
		p, err := catalog.Of(append(catalog.All(), entry), "fifo+coy", pools())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		func() {
			defer func() {
				if u, is := recover().(*sched.Undeclared); is {
					got = u.Error()
				}
			}()
			l := drive.New(unkind(1).New(t, 1), p)
			p.Ask(l.Ledger, 0, work()[0])
		}()
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.says, got, c.want)
		}
	}
}
