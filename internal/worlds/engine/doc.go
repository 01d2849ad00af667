// Package engine is the embedded MapReduce engine as a drive.World: real jobs over real files on
// this machine. Its "nodes" are workers with map and reduce slots, and blocks of the input lie on
// them by a seeded draw, so that placement and locality mean something to a policy; what an attempt
// does with bytes stands in package task.
//
// What stands where:
//
//	config.go    what a run is made of
//	engine.go    Next: from reports, requests, arrivals and alarms to one batch
//	door.go      what is asked of a run while it runs: jobs, cancels, other slots
//	submit.go    jobs that come: their checks, whom they wait for, what is remembered of them
//	pause.go     stopping before the end, by a signal or for want of room, so that another run can resume
//	jobs.go      arrival, slow start, the end of a job
//	mold.go      jobs that a policy has cut into another number of maps
//	settle.go    the output of a job that ends: committed or removed
//	resume.go    the output directory of a job (package outdir), and what can be taken over from an interrupted run
//	attempts.go  an attempt's goroutine, its end, retries and time-outs
//	nodes.go     workers that go down and come back, what stages want of them, and when they beat
//	rent.go      nodes that clouds offer: rented, drained, given back
//	skip.go      records that are passed over, as user code has failed at them
//	enact.go     what a plan's items do
//	outputs.go   map outputs, for the reduces that wait for them
//	reports.go   how goroutines talk to the loop
//
// # Who owns what
//
// All state belongs to the goroutine that calls Next and Enact. Attempts, commits, and whoever
// takes a node down leave reports, which Next takes in; outputs is the one structure that attempts
// and the loop share, under its own lock. Time is read from the configured stopwatch, once for each
// batch.
//
// # The life of an attempt
//
// It starts in Enact and ends with exactly one Ended event: when its goroutine reports, or, if it
// was told to stop and does not within the grace period, without it. Go cannot stop a goroutine, so
// user code that neither emits nor looks at mapreduce.Context.Done is left behind; nothing it still
// writes can become output, as only the loop commits.
//
// A failed task is tried again up to Config.MaxFailures times, as Hadoop does, unless it would fail
// in the same way again (failure.Of); attempts that were killed or lost with their node do not
// count. A reduce that cannot read a map output is not at fault either: it gives way, the map runs
// again, and the failure counts for the map. A task may have a second attempt, if the policy wants
// one and progress is told: the first that commits counts, the other is superseded.
//
// # The life of a job
//
// Jobs are there from the beginning (Config.Jobs) or come through a Source while the engine runs.
// Each gets a handle when it arrives, which is used again once its end was told. A run whose door
// is shut ends with its last job; another one waits.
//
// Its output directory is made with its first attempt and is there for good only with _SUCCESS in
// it. What has been committed is written to a log there before it counts, so that another process
// can resume from it, however this one ended: killed, stopped by its context, or out of room on the
// disk. JobEnded is sent when the output is committed, or, of a failed or killed job, when its last
// attempt has ended and its output directory is gone. A job that reads the output of a predecessor
// comes as it is guessed to be (Job.Guess), no sooner than those that it waits for, and is amended when that is
// there; without a guess, or where an interrupted run has left something of it, it arrives then.
//
// # Resuming
//
// New looks for what an interrupted run has left (resume.go), compares the facts, and takes over what
// is still there. A job then arrives with tasks that are done (workload.StageSpec.Done), and book and
// policies see nothing else of it. Failures before that do not count.
//
// The log of a job says when its run began. That instant is 0 for as long as its jobs live: the engine
// begins later than 0, tells jobs that were there with their age, and the policy plans by the true
// deadlines. A job that goes on (workload.Job.GoesOn) is not refused because time was lost: it is
// admitted as one that had begun, gets what no promise needs if its deadline cannot be promised any
// more, and is judged by the first promise.
//
// The logs of jobs that were submitted together go when all of them have ended: until then they say
// that these need not run again. Where several policies run the same jobs they stay until all have
// finished (Config.Keep); a run that resumes reads their parts (Complete), and takes their reports
// from the store. Of a job that had not begun there is no log: its row in the store has the command
// line, and when the run began.
//
// # Nodes of clouds
//
// Nodes behind the run's own ones are offered, and rented when a policy wakes them (package cloud).
// No block lies on them. One that is put to sleep takes nothing more, and is given back when nothing
// runs on it; it stays as long as a job that is there has map output on it. All are given back when
// the run ends or pauses; what a killed run leaves, the one that resumes it gives back.
//
// # Cost
//
// What waits is counted by kind of container, a job that ends tells those that follow it, and the next
// arrival comes from a heap, so 10,000 queued jobs cost an event no more than ten (BenchmarkQueue). The
// loop waits for no input: whoever brings a job has cut that into splits, and what another job has
// written is read in a goroutine.
package engine
