package schedtest_test

import (
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/schedtest"
)

// The policy of the example runs as it says: the short job ends first, though it came last.
func TestOwnPolicy(t *testing.T) {
	schedtest.Run(t, "testdata/own/*.txt", func(string) (sched.Policy, error) { return fewestFirst{}, nil })
}
