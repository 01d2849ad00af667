package report

import (
	"testing"

	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/units"
)

// What a job waited for others that came later is no error of what was expected of it when it came; what it waited for
// those that were there is, and so is what its own tasks took.
func TestOvertaken(t *testing.T) {
	waits := func(took units.Duration, held account.Other) *account.Account {
		held.Held = took
		return &account.Account{Parts: []account.Part{{Cause: account.Slots, Took: took, Jobs: []account.Other{held}}, {Cause: account.Work, Took: units.Second}}}
	}
	finished := 11.8
	for _, test := range []struct {
		name    string
		account *account.Account
		from    string
		who     string
	}{
		{"later jobs", waits(10*units.Second, account.Other{Job: "search"}), ByPolicy, "search"},
		{"earlier jobs", waits(10*units.Second, account.Other{Job: "search", First: true}), ByPolicy, ""},
		{"its own tasks", waits(10*units.Second, account.Other{Job: "it", Self: true}), ByPolicy, ""},
		{"for a while", waits(3*units.Second, account.Other{Job: "search"}), ByPolicy, ""},
		{"played with all jobs", waits(10*units.Second, account.Other{Job: "search"}), "simulations", ""},
		{"nobody knows", nil, ByPolicy, ""},
	} {
		j := &Job{Finished: &finished, Expected: &Expectation{Seconds: 1, From: test.from}, Account: test.account}
		if off, known := j.Off(); j.Overtaken() != test.who || known != (test.who == "") || known && units.Rounded(off) != units.Rounded(10.8) {
			t.Errorf("%s: overtaken by %q, off by %v, %v", test.name, j.Overtaken(), off, known)
		}
	}
}
