// Package promise promises deadlines with a probability: ours, beside the worst case of package rtmr.
// A job's finish is a distribution (package finish) of what its class's cost models say, around what is
// expected of all jobs before it as the book has them at its verdict.
//
//	what                                             where
//	the law of a job's finish, and what others risk  odds.go, likely.go
//	what is expected of the queue                    forecast.go, line.go, rows.go, runs.go
//	what later jobs may cost a promise               package finish, Budget
//	jobs without a promise                           hope.go
//	what moves while jobs wait and run               outlook.go
//	failures of nodes                                failures.go
//	who gets slots, samples, masters                 package reserve
//
// What the jobs before one may be off by counts as its own delay, also where slots are free for it now. So on
// few slots, and with wide cost models, fewer promises are made than could be kept. How long a task still runs
// is told by its own factor, not by the one that its job shares.
package promise
