// Package promise says of each job when it will be done and how likely it is in time, and promises the deadlines that
// are likely enough: ours, beside the worst case of package rtmr.
//
//	what                                            where
//	what tasks take, also of an unknown class       laws.go
//	what is remembered of a job; what it learns     jobs.go
//	who runs since when                             runs.go
//	the cluster played forward                      look.go, play.go
//	tasks that have outlived all that is known      strays.go
//	later jobs that overtake                        arrivals.go
//	jobs that wait for others                       chain.go
//	when a job is done, as a distribution           statement.go
//	what the last statements were off by            errors.go
//	how often deadlines of such chances are met     chances.go
//	who can be in time, and who goes behind         look.go (triage)
//	what a job is told when it comes                admission.go
//	what it would be told, and a deadline for it     asked.go
//	what moves while it waits and runs              tell.go
//	long tasks leave some slots                     share.go
//	failures of nodes                               failures.go
//
// The order is EDF among the jobs that can be in time, and by density (work left over weight) among the others. Who
// goes behind is chosen as by Moore and Hodgson (Management Science 15, 1968), with the statement in place of a sure
// time: a job with less than an even chance is late, a promise already where it has one chance in ten to be, and of
// those before it that takes most for its own chance which has no promise goes. Who is late by itself stays until it
// is that, as a chance that costs nobody anything is worth its place, or until it is small for what it takes. Nobody
// is killed.
// Reduces start late (package slowstart), and nodes are filled greedily (package placement).
//
// A statement is a distribution around the expected finish of a play in which each task takes its mean. What others are
// off by adds a normal time, no wider than the time for which the job waits. The cost of a look is that of a play:
// O((jobs + running tasks) log slots), at arrivals and once in a second, or in an eighth of a task, or less often where
// jobs are many.
package promise
