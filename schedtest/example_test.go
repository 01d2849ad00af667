package schedtest_test

import (
	"io"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/schedtest"
)

// fewestFirst is a whole policy with an order of its own: the job with the fewest tasks left goes first.
type fewestFirst struct{}

// Decide admits every job, and gives a node that beats tasks of the first jobs in the order while it has room.
func (fewestFirst) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived:
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
		case sched.Heartbeat:
			for s := range sched.Stages {
				after := sched.JobID(0)
				for j := v.First(e.Node, s, after); j != 0; j = v.First(e.Node, s, after) {
					if !p.Start(j, s, e.Node, 1, sched.Remote, sched.Because(sched.FirstInOrder)) {
						after = j
					}
				}
			}
		}
	}
}

// Save has nothing to write: the policy remembers nothing between two calls of Decide.
func (fewestFirst) Save(io.Writer) error { return nil }

// Load has nothing to read.
func (fewestFirst) Load(io.Reader) error { return nil }

// About names the order. Without it jobs would stand in order of arrival.
func (fewestFirst) About() sched.About { return sched.About{Order: byTasksLeft{}} }

// byTasksLeft is the order: one key for each job, and no queues.
type byTasksLeft struct{ sched.Flat }

// JobKey is smallest for the job with the fewest tasks left.
func (byTasksLeft) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	left := int64(0)
	for _, t := range j.Stages {
		left += int64(t.Total - t.Done)
	}
	return sched.Key{left}
}

// A policy with an order of its own, in a module of its own: it implements
// sched.Policy, and is tested by the journals that files of testdata expect. `go test -update`
// writes them.
func ExampleRun() {
	var t *testing.T // of the test that calls it

	schedtest.Run(t, "testdata/own/*.txt", func(string) (sched.Policy, error) { return fewestFirst{}, nil })
}
