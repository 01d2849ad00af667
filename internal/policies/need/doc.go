// Package need asks a cloud for nodes before deadlines are missed, and gives them back: ours, beside the
// requests of paper 002 in package ondemand. It goes with any order that serves deadlines.
//
//	what jobs still take, by deadline                     line.go
//	what nodes there are                                  survey.go
//	when jobs are done at the latest, and could be done   bounds.go, play.go
//	how many nodes of which class                         ask.go
//	who is given back                                     back.go
//	what is said with each request                        causes.go
//
// All is in whole milliseconds, by means. Where a part of the policy knows the laws of jobs (estimate.Estimator, as
// package promise does), these are its means, and a job has to be expected so much sooner than its deadline as a
// promise asks, or, where no number of nodes gives that, for an even chance. Else they are those of the job's own tasks
// as they end, joined with those of its class, and longer by the margin, as half of what is planned to the second is
// late. A job of which nothing is known is not counted.
//
//   - Latest (upper bound of the need): whole tasks on whole slots, the maps of all jobs by deadline, and their reduces
//     as maps end. Most often that need not be played: that slots are busy before the last task of a job starts
//     (Graham's bound), or are enough for all at once, tells that all are in time, most often of many jobs together.
//     Who stands behind the last one that may be late is not looked at. What runs owes the rest of its mean. Nodes that
//     boot count from when they come.
//   - Soonest (lower bound): the same work as a fluid, and each job by itself, first its maps and then its reduces.
//     What runs owes nothing.
//   - Asked for is the least number of nodes, of the class with which fewest jobs are late and which costs least
//     then, with which no more jobs are late at the latest than with all that can be had. Where the lower bound is the
//     same number, it is proven to be the least.
//   - A job that would be late alone on all nodes that can be had is left out and told: nothing is rented for it.
//   - A node is given back when it has been idle for as long as it boots, a minute at least, and no job is late without
//     it: none while a promise is less sure than it was when it was given, nor one without which it would be. One that is
//     charged by a step longer than that stays until the last seconds of a step. One on which something runs is
//     kept: so no node drains, and none has to be taken back. A node that the world says is needed, as it has the
//     last copy of a block or of a map output, is asked again after as long.
//
// Limits: nodes count as equally fast; labels are not looked at; where nodes have vcores and no slots each stage is
// counted as if the other took nothing, so that the need may be stated too low. Reduces that were started early hold
// slots while they wait, which no bound counts: slowstart avoids it. Arrivals are not predicted: base keeps nodes warm.
package need
