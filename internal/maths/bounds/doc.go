// Package bounds says how long a MapReduce job takes at least, at most and on average when only the
// number, the mean and the longest time of its tasks are known, and how few slots meet a deadline
// (paper 004, section 2 and theorem 4.1). Numbers in, numbers out; times are in one unit, which the
// caller chooses. From what it says of single phases (Phase, TwoLower) equations 1 to 3 follow.
//
//	what                                                  paper 004            where
//	one phase on slots of its own, at least               section 2.1, [26]    Phase.Lower
//	the same, at most                                     prop. 2.1            Phase.Upper
//	two jobs that lend slots: the first and the last end  prop. 2.2            TwoLower
//	one of two jobs, at most                              prop. 2.3            Phase.UpperBeside
//	a job of a class with a share, at least               prop. 2.4            Phase.LowerShared
//	the same, at most                                     prop. 2.5            Phase.UpperShared
//	a whole job, at least                                 eq. 1                Job.Lower
//	a whole job, at most                                  eq. 2                Job.Upper
//	the mean of both                                      eq. 3                Job.Mean
//	completion by slots                                   eq. 4                Line.Time
//	slots of the cheapest machines for a deadline         eq. 22, 23, 29, 30   Line.Least, Need
//
// # Symbols
//
//	n, μ, λ            tasks, their mean and their longest time          Phase
//	k, α, h            slots, share of a class, its concurrent jobs      slots, share, jobs
//	A, B, C            map work, reduce work, the rest                   Line
//	s_M, s_R           map and reduce slots of a class                   Need.Maps, Need.Reduces times h
//	c_M, c_R           map and reduce slots of a machine                 Machine
//	D, E               deadline, C - D                                   deadline
//	γ                  machines for one concurrent job                   Need.Machines
//
// # Where the paper is corrected
//
//   - The upper bound of the typical shuffle divides by S_M; it has to be S_R (section 2.4).
//   - Propositions 2.2 and 2.3 do not hold under one and the same rule of lending. The first half of
//     proposition 2.2 needs that a job hands its slots over when it ends, and not before: where a slot
//     is lent as soon as its job has no task waiting, the other job may end before either bound. Its
//     second half holds always. Proposition 2.3 needs the opposite: each slot is lent as soon as its
//     job has no task waiting. Tests show an example of each. Both need a common start.
//   - Propositions 2.4 and 2.5 hold on slots of one's own. Where classes lend idle slots, jobs end
//     earlier than the lower bound says. Proposition 2.5, and so equations 2 and 3, need one slot or
//     more for each concurrent job (k α / h ≥ 1).
//
// # Where we differ
//
//   - A of equation 2 is negative where the work of the maps is less than twice the longest of them:
//     by that bound more slots make a job slower, though they do not. It is the same with B, and with
//     the mean where the work is less than the longest task. Equations 22 and 23 have no answer then.
//     Line.Least takes one slot for each job of such a phase, the fewest for which proposition 2.5
//     holds; Line.Limit tells what no number of slots gets below.
//   - By the upper bound Line.Least gives each job one map slot and one reduce slot at least, for the
//     same reason. By the mean it does not, as in the paper: with a loose deadline a job may be given
//     less than a slot. Line.Whole asks for it.
package bounds
