// Package allot is the policy capacity-plan: the answer of paper 004 (problem P2, section 4) put
// into force on the cluster that there is. Each class of jobs has slots of its own, as many as meet
// its deadlines, and as many of its jobs are let in as the cluster can carry.
//
//	what                                              paper 004                   where
//	what a job takes by its slots                     eq. 1 to 4                  need; package bounds, times from the profile of its class
//	the least of the cluster that meets its deadline  eq. 22, 23, 29, 30          need
//	jobs of each class, by rank                       theorem 4.3, eq. 33         plan.rank
//	slots of each class                               s_M, s_R                    plan.share, Order.Open
//	who is let in                                     h                           Admission
//
// # The plan
//
// Machines are those that are up: they are paid for, so a reserved one costs nothing more and none
// can be had on demand. What is left of P2 is one row: a job of class i takes the part γ_i of the
// cluster, and Σ γ_i h_i is at most 1. Between H_low, the jobs that run, and H_up, those that are
// there or max_running of their queue if that is more, classes get their jobs by rank of p/γ, what
// the cluster earns with them; p is the weight of their jobs times that of their queue. The price
// is the rank of the first class that has to go without a job. Whole jobs are given by rank: one
// that does not fit is passed over for one of a lower rank that does.
//
// Deadlines count from the start of a job, or from now before that. Its times are those of the
// tasks of its class, mean and longest, whatever they read, as in the paper; a reduce is taken with
// its fetching, and the first wave is like the others. Jobs of a class may differ: each that runs
// holds what it needs itself, and each that asks counts as the neediest of those that ask.
//
// The plan is made again whenever a job comes or goes, a profile or the cluster changes. A class
// without jobs keeps its place while its queue says max_running.
//
// # Slots
//
// Where map and reduce slots are apart, a job takes the same part γ of both: γ = (A/S_M + B/S_R) /
// (D - C). Where both kinds of containers draw on the same resources, as on YARN, the cluster is
// the machine of equations 29 and 30, and γ = s_M/S_M + s_R/S_R. Each job has a slot of each kind
// at least, without which the bounds do not hold, and an ApplicationMaster takes its part besides.
// What the plan leaves goes to the classes in proportion, but to jobs without a deadline first, or
// of which nothing is known; a class without any slots by that has one. Slots are rounded up to
// whole ones.
//
// # Where we differ
//
//   - Where A or B is negative, as with a single task, more slots do not make a job slower: by the mean it
//     takes what that says of one slot; by the upper bound A is 0, as the mean of one job's few tasks may be
//     anything up to the longest.
//   - The whole problem is not solved to the optimum in whole jobs: rank is kept, so that a price says who is refused.
//   - A job that had begun, or is resumed, is let in whatever the plan says.
//   - A resync makes the plan again, with all verdicts still to be given: what is known of classes stays, and jobs
//     that run are among those that ask.
package allot
