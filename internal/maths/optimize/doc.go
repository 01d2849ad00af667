// Package optimize decides at least cost, with a proof. Numbers in, numbers out.
//
// Capacity is problem P2 of paper 004: how many machines to reserve, how many to rent on demand, and
// how many concurrent jobs of each class to admit, so that all that are admitted meet their deadlines.
//
//	what                                              paper 004                 where
//	jobs, their needs and deadlines                   eq. 6, 22, 23, 29, 30     Demand; package bounds
//	the problem                                       P2, eq. 24 to 28          Capacity
//	what a plan costs                                 eq. 5                     Plan.Cost
//	the same without what rejecting all would cost    objective of P2           Plan.Objective
//	its optimum, by rank                              theorem 4.3, eq. 31 to 41 Capacity.Solve
//	its optimum in whole machines and jobs            section 5.3               Capacity.SolveWhole
//	prices                                            ν, μ_r of eq. 31, 33      CapacityPrice, LimitPrice
//	proof                                             dual of P2                Plan.LowerBound
//
// Linear is any problem with a linear cost. It is the same without ranking.
//
//	what                                              where
//	bounded variables, phase 1, duals, no cycles      simplex.go; Linear.Solve
//	from one optimum to the next after a change       dual.go
//	whole numbers                                     mixed.go; Linear.Mixed
//	proof                                             Linear.Bound
//
// Quadratic is a convex quadratic problem of blocks that share a few rows: the receding horizon of paper 000
// (eq. 3), in which a block is a job and a shared row the capacity of a step. Its variables and rows have upper
// bounds above 0, and nothing else, so there is always a point.
//
//	what                                              where
//	the problem                                       quadratic.go
//	primal-dual interior point                        interior.go
//	one factor a block, one for the shared rows       interiorsolve.go
//	scaling, result                                   interiorload.go
//
// # Symbols
//
//	δ, ρ, r̄            price on demand, price reserved, machines that can be reserved      Capacity
//	γ                  machines that a concurrent job needs                                 Class.Gamma
//	p, H_low, H_up     penalty, fewest and most concurrent jobs                             Class
//	h, r, d            jobs admitted, machines reserved, machines on demand                 Plan
//
// # Rank
//
// A job is worth p/γ for each machine that it takes. Classes are admitted by falling worth: all
// that are worth δ or more, then those worth ρ or more until r̄ is spent. At most one class, the
// split class, is admitted in part.
//
// # Whole machines and jobs
//
// The search starts from that plan, rounded down, and looks at classes from the split class
// outward: those before it may lose jobs, those behind it may gain some. A state is a need of
// machines and the penalties for what is rejected. One that takes no less than another and rejects
// no less is dropped, and so is one that cannot lead to a cheaper plan, as all classes still to
// come are worth at least (or at most) what the next one is. A class that cannot change by a single
// job without a loss is skipped. When no state is left the best plan is the optimum. After a
// million states the search ends with what it has found, and LowerBound tells how far off it may
// be. That happens with many classes of one worth.
//
// # Where we differ
//
//   - Where a machine on demand costs less than a reserved one, none is reserved (the paper has ρ < δ).
//   - At equal cost more jobs are admitted (classes worth exactly δ or ρ).
//   - Prices of a plan in whole numbers are those of the problem without that restriction.
//   - A need that is above a whole number of machines by rounding alone is that number (by one part
//     in ten thousand million of all machines).
package optimize
