// Package rds is the policy of paper 000: slots for each job and stage by receding horizon control, in a
// cluster whose capacity changes.
//
//	what                                         paper 000               where
//	penalty per interval, weights, horizon       eq. 3                   horizon.go: control, look, pose
//	capacity                                     eq. 2                   horizon.go: pose, a shared row for each step
//	reference y_ref: all work / intervals        section 3.1, 6.6        reference.go: refer
//	soft and hard bound, δ                       eq. 4                   reference.go: bounds, decay
//	performance model, n_y and n_u lags          eq. 5 to 8              performance.go, package fuzzy
//	off-line training on stored runs             sections 3.2.1, 5.2     performance.go: train; profile.Course
//	self-learning                                eq. 9, 10               performance.go: measure; fuzzy.Learner
//	resource predictor                           eq. 16, table 2         predictor.go, package forecast
//	waiting and running queue, fast path         section 4.3             controller.go: Admission
//	control adjustment                           algorithm 1             adjust.go: adjust, order.go
//	priorities ω                                 section 5.3             reference.go: weight · 2^priority
//
// # The interval
//
// The first interval begins with the first job, and another one at once when no job runs and one
// waits. At its beginning jobs are measured, models learn, capacity is foreseen and equation 3 is
// solved; its plan holds when the solver is done. Within it only algorithm 1 works: when a job or a
// node comes or goes, a stage becomes ready, and every 15 s, slots that a job cannot use go to others.
// A bound kills nothing. The capacity that forecasts are made from is that at equal distances in time
// since the first plan.
//
// # After a resync
//
// What is known by name stays: models of classes, forecasters, when intervals begin, and of each job its
// plan and its progress. So the interval goes on, and no sample is lost. Bounds, admissions and ranks are asked
// of the book again, at once and not when the solver is done, and so is the wake-up. A resync that ends a time
// of watching begins all again. A take-over changes nothing: jobs that came meanwhile were met as they came.
//
// # What the paper leaves open, and what we take
//
//   - Units. Progress is measured in what the interval owes, slots in all slots of their kind, so P and
//     Q, of which the paper gives numbers alone, weigh parts of the cluster. W is 1.
//   - y is the part of a job's work that is done, each task at the mean time of its stage.
//   - δ needs a finish: that with the slots which the job has or, if that is sooner, at the pace of its
//     reference. It is frozen with the firing strengths, as the problem is not convex otherwise.
//   - A job with a single deadline has it as t_soft; t_hard is twice that (hard). Where there are two,
//     y_ref and δ go by t_soft, and who is on the fast path by t_hard.
//   - Who is on the fast path goes before the plan, by deadline, with all slots that it can use, until the next
//     interval begins: from then on it is planned as others are. A job that came with a later deadline never is on it.
//   - A reduce that starts while maps of its job wait holds a slot for nothing, so reduces have no slots
//     until all maps have begun.
//   - Algorithm 1 begins at no slots, with Δu the slots of the plan, and goes on until all slots are given that
//     somebody can use (line 11). Where fast jobs or lost nodes leave less than was planned, the largest plans give
//     first. Jobs that the plan has nothing for have a Δu of 0.
//   - Three lags have three rows for each coefficient after twelve intervals. Until then the last value is
//     repeated. Equation 16 has n lags, section 5.2 three; neither says how it starts.
//   - With Hc < Hp the slots of the last step that is controlled stay to the end, so that they are bounded by the
//     least capacity from there on.
//   - n_y and n_u are 1 (ny, nu). The size of a job is the logarithm of its tasks. What a model says is held to
//     what progress can be. A new class starts from the class whose jobs are most like its own.
//   - Stored runs tell in which step of time a stage did how many tasks with how many seconds of slots, not at
//     which speed nodes were. A sample begins each quarter of an interval; there are two for each coefficient of a rule.
//   - Reduces get slots from the step on at which its maps could be done. From the step at which they end if the
//     job does what it owes was tried: where slots are short, more jobs are then late by their hard bounds.
//   - A job without a deadline, and one that is worth nothing any more, runs on slots that the plan
//     leaves.
//
// # Where we differ
//
//   - Map and reduce slots are apart in Hadoop 1, so each kind has its row of equation 2.
//   - What is learned on line are consequents, by the usual exponential forgetting; see package fuzzy about
//     equation 10.
//   - The terminal cost of equations 11 and 12 stands in no sum of equation 3, and not in ours. So its cost need
//     not fall by what an interval costs, which section 3.3 takes for granted.
//   - Of what section 6.6 leaves to later work, a deadline for each phase changed nothing, and to end long tasks
//     whose slots the plan has given to others cost more than it gained (results/reproduce-2026-11-26-150700.txt):
//     there is neither. Nor are there forecasts that the world tells, which saved less than 0.01 of a deadline.
//   - Tasks of other stages than map and reduce, and ApplicationMasters, get no bound.
//
// A decision is O(jobs · hc³) at the beginning of an interval, and O(jobs · log jobs) between.
package rds
