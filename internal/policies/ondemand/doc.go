// Package ondemand is the On-demand scheduler as printed (paper 002): jobs by their demand for
// resources, and requests to a cloud when what is there is not enough for all deadlines.
//
//	eq. 1        progress of a job                        Progress
//	eq. 2, 3     progress of a map, of a reduce           TaskProgress
//	eq. 4, 5     that of all maps, of all reduces         Average
//	eq. 6        progress of the shuffle                  Shuffle
//	eq. 7, 9     speed of a unit of resource              Speed
//	eq. 8, 10    units that a job needs besides           More
//	eq. 11       demand, by which jobs stand              Demand
//	eq. 12       whether what is there is enough          Short
//
// A unit of resource is what a task takes: a slot, or where nodes have no slots a vcore.
//
// What the paper leaves open, or where it cannot be followed:
//
//   - Eq. 10 divides by p, by m·t1 and by t2 - t1. Where p is 0 the speed is seeded from the means of
//     the job's class. A job of which nothing is known needs any number of units and stands first, and
//     so does one whose deadline has passed: eq. 10 would have it ahead of its time.
//   - m·t1 is the integral of m where m changed: the time of the tasks that have committed, and of those that
//     run. Attempts that failed count neither there nor as progress.
//   - The mean of tasks is that of the job's own, and before the first has ended that of its class.
//     A running task is short of 1 by a 1024th at least.
//   - A job without reduces has the progress of its maps: the weights are for jobs that have all three parts.
//   - Eq. 12 leaves a job out for which eq. 10 has no number.
//   - Of eq. 12 the paper says that it should "require resource". Asked for is the largest deficit over the
//     time until its deadline, in whole nodes of the first class that has some left. Nodes that boot count as if
//     they were there, or each look would ask again. Nothing is given back: the paper does not say when.
//   - Jobs without a deadline come last. Looks are a second apart.
//
// What is known of these equations, by exhaustive search and independent simulation, so that nothing else
// builds on them:
//
//   - Eq. 12 is neither sufficient nor necessary: it leaves out units held by jobs of later deadlines, and it is
//     fluid. The tests have an instance of each.
//   - It asks without regard to how long nodes boot. Package need divides by the time that is left when they serve.
//   - The order by eq. 11 helps nobody: requests with FIFO do as well, and without requests on a day of real
//     jobs it has several times the misses of EDF. See experiments/002-deadlines.
//   - Eq. 1 is off by a third of what is left, half way through a job.
package ondemand
