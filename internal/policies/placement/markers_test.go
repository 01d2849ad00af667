package placement_test

import (
	"testing"

	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// queued is a view of a world that beats, and of jobs of which the first is admitted and the second is not.
type queued struct{ sched.View }

func (queued) World() *sched.Capabilities { return &sched.Capabilities{Heartbeat: 3 * units.Second} }
func (queued) Job(j sched.JobID) *sched.Job {
	return &sched.Job{ID: j, State: map[sched.JobID]sched.JobState{1: sched.Admitted, 2: sched.HeldBack}[j], Spec: &workload.Job{}}
}

// Nodes 1 and 2 are marked. A job that comes takes all markers away (paper 003, algorithm 2), a
// node that comes its own (lines 1 to 3), a resync all: nobody knows what has come meanwhile.
func TestMarkersGo(t *testing.T) {
	admit := sched.Item{Verb: sched.Admit, Job: 1}
	for _, c := range []struct {
		when  string
		event sched.Event
		item  sched.Item
		want  string
	}{
		{"nothing happens", sched.Event{Kind: sched.Tick}, sched.Item{}, "[1,2]"},
		{"a node comes back", sched.Event{Kind: sched.NodeUp, Node: 1}, sched.Item{}, "[2]"},
		{"a node comes that nobody knew", sched.Event{Kind: sched.NodeUp, Node: 9}, sched.Item{}, "[1,2]"},
		{"a job is admitted", sched.Event{Kind: sched.JobArrived, Job: 1}, admit, "[]"},
		{"a job is held", sched.Event{Kind: sched.JobArrived, Job: 2}, sched.Item{Verb: sched.Hold, Job: 2}, "[1,2]"},
		{"the maps of an admitted job may start", sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Map}, sched.Item{}, "[]"},
		{"its reduces may", sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Reduce}, sched.Item{}, "[1,2]"},
		{"the maps of a job may that is held", sched.Event{Kind: sched.StageReady, Job: 2, Stage: sched.Map}, sched.Item{}, "[1,2]"},
		{"the book is void", sched.Event{Kind: sched.Resync}, sched.Item{}, "[]"},
	} {
		m := placement.NewMatchmaking(1)
		if err := m.UnmarshalJSON([]byte("[1,2]")); err != nil {
			t.Fatal(err)
		}
		var p sched.Plan
		p.Reset(takesAll{})
		if c.item.Verb != sched.NoVerb {
			p.Add(c.item)
		}
		m.Decide(queued{}, []sched.Event{c.event}, &p)
		if got, err := m.MarshalJSON(); err != nil || string(got) != c.want {
			t.Errorf("when %s, nodes %s are marked, want %s; %v", c.when, got, c.want, err)
		}
	}
}

// takesAll is a book that refuses nothing.
type takesAll struct{}

func (takesAll) Propose(*sched.Plan, *sched.Item) sched.Code { return sched.OK }
