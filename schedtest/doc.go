// Package schedtest tests scheduling policies by text: a file holds a scenario and, as expected
// output, the journal of its run.
//
//	# What this shows, in a sentence.
//	policy edf+serial
//	seed 7
//	show job-arrived admit start job-ended
//	-- scenario.yaml --
//	name: …
//	-- journal --
//	0s  job-arrived job=1
//	0s  admit id=1 job=1 reason=admit-all
//	…
//	10m ended attempt=2 outcome=committed
//	30m done J2 map 45
//
// Lines above the first file are settings; all but policy may be left out.
//
//	policy TEXT         as on the command line
//	seed N              of everything random; 1
//	show KIND…          events (by kind) and plan items (by verb) that the journal shows; all of them
//	learns              the policy is told what jobs that have ended teach of their classes, as in a simulation
//	at TIME done J S    asks how many tasks of stage S of the job with id J have committed by then, that instant included
//	fails SUBSTRING     the run ends with an error that contains it
//
// The journal is written as package journal writes it, with the time in front and without the
// description of a job or node. When a policy is to decide differently from now on, `go test
// -update` writes the files again, and the difference shows in review what changed.
//
// A policy of one's own is tested by Run with a constructor of one's own. The example
// of Run is a whole one, with an order:
//
//	func TestMine(t *testing.T) {
//		schedtest.Run(t, "testdata/*.txt", func(text string) (sched.Policy, error) { return mine.New(), nil })
//	}
package schedtest
