package promise

import (
	"testing"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// desk is the scheduler with its book.
type desk struct {
	*policytest.Table
	s *scheduler
}

var usual = Config{Most: 10_000}

func newDesk(t *testing.T, c Config) *desk {
	t.Helper()
	s, recipe := newScheduler(c), compose.Recipe{Name: "promise"}
	s.admits = admit.NewAll(queues.Config{})
	s.admits.LetIn(s.letIn)
	for _, part := range parts(s, s.admits) {
		if err := recipe.Put(part, compose.Args{}); err != nil {
			t.Fatal(err)
		}
	}
	return &desk{policytest.NewTable(t, recipe), s}
}

// told is what a job is told.
func (d *desk) told(j sched.JobID) sched.Outlook { return d.Book.Job(j).Outlook }
