package schedtest_test

import (
	"testing"

	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/catalog/testdata/laxity"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/schedtest"
)

// The policy of the example runs as it says: the short job ends first, though it came last.
func TestOwnPolicy(t *testing.T) {
	schedtest.Run(t, "testdata/own/*.txt", func(string) (sched.Policy, error) { return fewestFirst{}, nil })
}

// A policy that is written from ARCHITECTURE alone learns in a text scenario as it does in a simulation.
func TestPolicyThatLearns(t *testing.T) {
	schedtest.Run(t, "testdata/laxity/*.txt", func(text string) (sched.Policy, error) {
		return catalog.Of(append(catalog.All(), laxity.Order(), laxity.Admission()), text, queues.Config{})
	})
}
