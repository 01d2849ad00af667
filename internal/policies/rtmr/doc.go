// Package rtmr is the Real-Time MapReduce scheduler of paper 003, chapter 5: it says of each job,
// when it comes, whether it will meet its deadline, and keeps that promise.
//
//	what                                                        paper 003      where
//	what a job asks for: learned worst costs of its tasks       eq. 4.2 to 4.4  claim.go; package estimate
//	admission controller: would it, and all others, be in time  alg. 5.1        admission.go, judge.go; Schedule.Test
//	map slots, and when the maps end                            alg. 5.2        schedule.go; package avail
//	reduce slots, and when the job ends                         alg. 5.3        schedule.go; package avail
//	who is in the way of a job that is refused                  ours            hold.go
//	the earliest deadline that would be accepted                ours            offer.go
//	Priority-Q                                                  section 5.2     order.go
//	dispatcher                                                  alg. 5.4        dispatch.go, service.go
//	feedback controller                                         alg. 5.5, 5.6   feedback.go; Schedule.Finish
//	jobs without a deadline                                     ours            besteffort.go, reclaim.go
//	jobs of unknown classes                                     ours            sample.go
//	ApplicationMasters                                          ours            master.go
//	records of jobs, and what outlives a resync                 ours            scheduler.go, save.go
//
// The equations are numbered 4.2 to 4.4 in chapter 5.
//
// # What is promised
//
// The deadline, and nothing earlier. A job that waits is overtaken by one that comes later with an
// earlier deadline, if the test finds that both are in time all the same: it may then end long
// after the finish that was estimated at its own admission. So that estimate, which reasons and
// reports show, is what is expected as things stand. Nobody overtakes a job that has started.
//
// # Symbols
//
//	A, D, M, R, δ      arrival, deadline (here an instant, A + D), maps, reduces, input   Claim, workload.Job
//	η                  highest ratio of intermediate data to input                         profile.Class.Ratio.Max
//	c_m^max, c_r^max   highest cost of a unit of data in a map, in a reduce                profile.Stage.PerByte.Max
//	ε̃^m, ε̃^r           worst time of a map, of a reduce                                    Claim.Map, Claim.Reduce
//	T^m, T^r           when each slot is free behind a job, at worst                       avail.Steps
//	V^m, V^r           when it really is                                                   nobody knows before
//	U^m, U^r           T^m and T^r with the real ends of the job                           Schedule.Finish
//	Ẽ^m, Ẽ^r           real ends of the job's tasks                                        record.Maps, record.Reduces
//	e^m, e             when the job's maps end, when it ends, at worst                     Verdict.MapsEnd, Verdict.Finish
//	ẽ                  when it really ends
//	ΔT, ⊗              threshold of the feedback: one map's worst time                     scheduler.ended
//	Ra                 free reduce slots of the cluster                                    scheduler.free
//
// # Where the paper is corrected
//
//   - Algorithm 5.4, line 10, has to read ≥. As printed (>) a slot goes out that an earlier job
//     needs, and admitted jobs miss their deadlines.
//   - A job that has started is never overtaken (second assumption of section 5.2), so a new job
//     before all that wait has the last started job as its predecessor, as lines 604 to 606 of the
//     text say. Taking nil, or the order of deadlines alone, breaks promises.
//   - "Current time" in algorithm 5.2 is the time of the question for jobs that wait, and the time
//     of its start for a job that has started.
//   - The difference of line 7 of algorithm 5.5 is taken with ≥, as printed there; the text says larger.
//
// Tests hold each of these to the theorem of section 5.2.2: as printed it fails, as corrected it does not.
//
// # Where we differ
//
//   - The input of a reduce is not known at admission: its largest share is taken as η·δ/R times the parameter skew.
//   - Where nodes are served at intervals, the interval is counted into the worst time of each
//     task, and a node is filled on one beat, without Hadoop's bounds of one map far from its input
//     and one reduce for each beat.
//   - Line 18 of algorithm 5.4 reserves the reduces that are still to start; those of a job that
//     lost map outputs may run already.
//   - A job without maps starts with its first reduce; whoever stood before it counts as started then as well.
//   - Only slots are promised, also where nodes say how much memory and how many vcores they have. A
//     job that asks for labels, or whose tasks take anything but one slot each, is rejected; an
//     ApplicationMaster may take a map slot, or memory and vcores and no slot.
//   - A master costs its job a start-up, and in a map slot that slot (master.go). One that dies before
//     it is up starts again, and its promise may break, as by any task that fails; one that dies later
//     costs nothing. No sample is measured of a job whose master takes a slot: that slot could not be
//     taken back once the job is promised another. It runs without a promise, and teaches the next of
//     its class.
//   - A job with a stage whose number of tasks is not final runs without a promise. Only its
//     ApplicationMaster can tell the number, and it has to run for that. When it is final the job is
//     judged. If it has begun it counts as started, with all tasks that are not done still to be
//     started; if it does not pass, or if its reduces hold slots while maps are to run, it runs on
//     without a promise.
//   - A job that waits for predecessors is judged when these are done. Jobs of one batch are judged
//     in the order of its events, and those whose samples are complete after them. A claim asks for
//     the tasks that are still to be done.
//   - Reduces are held back until the job's last map, and once the job has started again while a
//     map that was lost runs again.
//   - When nodes come or go, the vectors change their length and no promise is taken back. Slots of
//     nodes that drain are gone at once; the tasks of promised jobs that still run there count in the
//     vectors of those that remain, which is never too early. Real ends of jobs that had started before
//     slots went do not go into the vectors: they may be those of slots that went. A promise holds as
//     long as nodes last, no task or master fails and none takes longer than what was the worst so far,
//     a master's start-up, remote reads and slow nodes included; where it breaks, the feedback takes
//     notice when the job ends.
//   - What was promised to a job that has started does not change when it is amended. One that has
//     not started is judged again, and rejected if what it now asks for cannot be promised.
//   - Maps of a sample go before tasks without a promise, which are killed for them.
//   - As many tasks without a promise are killed as tasks with one, or of samples,
//     find no slot: the youngest of the job that came last first. Where nodes are served at
//     intervals, so are as many as jobs before the last of those reduces may yet need: their
//     reduces could become ready before the next beat and take the slots that are free. No sample
//     is killed for another.
//   - Hard deadlines are promised, soft ones are not looked at.
//
// # A start that the world refuses
//
// A job whose first start is refused, or void by a resync, has not started: no task of it runs, is promised a
// container or is done, its master outside of the slots apart. It keeps its place among those that have started, as
// others may have started behind it. Until the decision at which one of its tasks is on its way, its tasks start
// from now on, at each decision.
//
// # After a resync
//
// The vectors begin again, with all slots in service free from now on. Promises stand, first of all that is decided:
//
//   - Jobs with a promise that are still there keep deadline and claim, with as many tasks as they were promised
//     for, at their places: those that had started in their order, as if they started now, and the others as they
//     stand by deadline and arrival. So the schedule counts the worst case once more. The real ends of their tasks so far
//     are kept for the feedback. Each is let in again, with its finish as the schedule has it then.
//   - A master that is up costs nothing more; one that is not costs a whole start-up from now on.
//   - One that had started, claims maps, and of which no task runs or is done has a void start (above).
//   - What ran without a promise runs on without one, and so does what has begun and was not known: by their handles,
//     behind all promises.
//   - All else is judged as if it came now. Samples begin again; maps that run since before count from when
//     the job began. A job all of whose maps run when it gets its promise counts as started with that, before all
//     that wait.
//   - What was advice is forgotten.
//
// When the control changes, jobs that nobody has judged are judged, by their handles; what another policy has
// let in runs without a promise.
//
// # What it costs
//
// A node that beats costs O(log jobs) for each task, and O(jobs before the one that gets it) for a
// reduce. A job's arrival costs a walk over the vectors of the jobs behind its place; an end costs
// O(jobs that have started).
// Where jobs with a promise have masters a decision costs O(such jobs), as does each map while one
// starts up.
package rtmr
