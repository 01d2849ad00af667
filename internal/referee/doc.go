// Package referee decides recorded runs a second time. It reads nothing but the text of a journal
// and knows nothing but the rules as papers and descriptions state them: it imports no other
// package of the module, so that nothing it checks can be wrong in it in the same way. It is slow
// and plain on purpose.
//
//	read.go      the lines of a journal
//	book.go      what a scheduler may believe at an instant: jobs, tasks, nodes, attempts
//	attempts.go  attempts that start and end
//	wants.go     what a rule wants, booked while it is written
//	judge.go     round by round: what the policy should have wanted, beside what it wanted
//	world.go     what a plain simulation owes: when attempts end, stages become ready and nodes beat
//	policies.go  the one table from a policy's name to its rule
//	orders.go    who goes first: by-arrival, edf, fair-share; capacity.go: capacity-share; feasible.go: edf(feasible)
//	admit.go     who may run: all, limit, serial; constraint.go: Deadline Constraint
//	horizon.go   rds: its plan is believed, and held to the rules of a plan
//	place.go     what a node gets: greedy, delay, matchmaking; efh.go: efh, container by container, ideal, worth
//	rtmr.go      promises of deadlines; refusals.go: where a start is refused;
//	             reclaim.go: slots that fall due; masters.go: with ApplicationMasters;
//	             schedule.go: their vectors; estimate.go: what tasks cost by what is known of a class
//	promise.go   one order for all jobs, each with a statement
//	second.go    second attempts of slow tasks
//	preempt.go   what pools that starve are given
//	slowstart.go when reduces start
//	sleep.go     which nodes sleep
//	slack.go     which of them deadlines need
//	workflows.go how workflows are cut and when their jobs are due, which is believed; which class a task waits for
//
// # What is predicted
//
// Each verdict with the numbers that decided it; each start, down to the task and how far it is
// from its input; kills, second attempts, limits on slots, nodes put to sleep; in which rounds the
// policy is not asked, as all events only confirm. A round without a plan is one in which nothing
// was wanted. Of a plain world (Options.Plain) also the instant at which each attempt ends and each
// node beats, so that a node left idle shows. Where a prediction fails the difference is noted and
// the book goes on as the journal says, so that one difference does not bring others.
//
// Supplies wake a policy, and no rule that is known here reads them; of forecasts slack reads price and carbon.
//
// Refused in one sentence are journals of a world that binds late, as which task runs is not in their text, and such in
// which all is told again, or a stock scheduler places work: what a policy does then is held to the contract by package
// conform, and to the second simulator by package lab.
//
// What promise says of when jobs will be done is believed, and so is the optimum that rds finds; these are held to the
// rules that they have to keep. Whether such statements come true is tested over many runs elsewhere.
//
// Wishes to be woken are not judged: they cost nothing, and what a rule does when it wakes too late
// shows in what it wants then.
package referee
