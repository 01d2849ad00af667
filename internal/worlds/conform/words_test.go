package conform

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/slackline/slackline/sched"
)

// Every word of the contract is sent and answered while the suite runs: one that is not has no place
// in it. Events, controls, supplies, outcomes and codes count over all worlds together, verbs in each world
// that can do them. A part of the suite says nothing about that.
//
// The race detector learns nothing from worlds of one goroutine, and takes ten times as long: it
// watches the engine alone.
func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run").Value; raced && run.String() == "" {
		_ = run.Set("^TestEngine$")
	}
	code := m.Run()
	if whole := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == ""; whole && code == 0 {
		for _, what := range said.missing() {
			fmt.Fprintln(os.Stderr, "--- FAIL: "+what)
			code = 1
		}
	}
	os.Exit(code)
}

// A kill is answered by the end of an attempt that it was aimed at, with the outcome that it asked for.
func TestKillsAreAnswered(t *testing.T) {
	for _, test := range []struct {
		end  sched.Event
		does bool
	}{
		{sched.Event{Kind: sched.Ended, Attempt: 7, Outcome: sched.Preempted}, true},
		{sched.Event{Kind: sched.Ended, Attempt: 6, Outcome: sched.Preempted}, false},
		{sched.Event{Kind: sched.Ended, Attempt: 7, Outcome: sched.Committed}, false},
		{sched.Event{Kind: sched.Ended, Attempt: 7, Outcome: sched.Killed}, false},
	} {
		can := sched.Capabilities{World: "of this test", Kill: true}
		l := newListener(can, nil, nil)
		p := sched.Plan{Items: []sched.Item{{ID: 1, Verb: sched.Kill, Outcome: sched.Preempted, Attempts: sched.Span{From: 0, To: 1}}}, Victims: []sched.AttemptID{7}}
		if err := errors.Join(l.Plan(1, 0, &p), l.Batch(2, 0, []sched.Event{test.end})); err != nil {
			t.Fatal(err)
		}
		if u := said.verbs[order{can.World, sched.Kill}]; u.answered != test.does {
			t.Errorf("%v of attempt %d: answered is %v", test.end.Outcome, test.end.Attempt, u.answered)
		}
		maps.DeleteFunc(said.verbs, func(o order, _ *use) bool { return o.world == can.World })
	}
}
