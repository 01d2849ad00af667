// Package workflow runs workflows of jobs in time at little energy: into how many tasks to cut each
// job, by when it is to be done, and on which machines.
//
//	part      what it does                                                   source
//	atp       numbers of tasks, path by path                                 paper 001, algorithms 1 and 2
//	vds       virtual deadlines: MinD, then equal slack                      paper 001, section V-C
//	deets     a task waits for the cheapest machine that is in time          paper 001, section V-A
//	tradeoff  numbers of tasks and deadlines at once: the cheapest second    ours
//
//	dawsee = edf + all + atp + vds + deets, flow = edf + all + tradeoff + deets
//
//	stages.go    the stages of a workflow as the book has it, with what they take and cost on each class of nodes
//	plan.go      atp, vds and tradeoff; the mathematics is package mold
//	deets.go     which task on which node
//	entry.go     the lines of the catalogue
//
// What the paper leaves open, or prints otherwise:
//
//   - A map stage and a reduce stage are two jobs of a workflow (309). A job is due when its last stage is.
//   - What a task takes follows from the description of a moldable stage (workload.StageSpec.Works),
//     else from what is known of the class, else it is guessed by the others. If nothing is known of any, the
//     workflow is not planned: its jobs stand by its deadline.
//   - beta is taken off in atp alone (d'), vds has the deadline itself. It is 10 % if nobody asks for
//     another, as a plan that fills all the time with mean times drives work off the machines that cost
//     least (paper: by the load). tradeoff leaves that free where tasks would wait for nodes, and else what the spread
//     of times asks for. No more under load either: with up to 30 % more, by how much of the cheapest classes is taken,
//     bursts became longer (5.25 in place of 4.98 MJ a workflow at four times the load).
//   - A stage with more tasks than the cheapest class has slots may be on several at once (option).
//   - What jobs want at once of a class is not planned. But a plan of tradeoff that is late on idle nodes by a list
//     schedule gives way to the fastest splits, if these are not: of 500 workflows alone on few nodes that fifo has in
//     time 10 are late, and were 29. A plan that does not fit has but its longest path as fast as can be, as more tasks
//     beside it would take its nodes: of 60 of Alibaba's workflows alone with 1.1 times their longest path 1 is late as
//     with DAWSEE, and 5 were.
//   - Where a part beside it promises deadlines, tradeoff leaves half of the time free, and cuts no stage into longer
//     tasks than the other jobs with a promise have to spare. Of 360 scenarios with 6 workflows each promise+tradeoff promises
//     1,757 deadlines and breaks 4, promise 1,759 and 2. With two fifths and no bound of tasks 11 of 1,636 were broken, at
//     6 % less energy; as without promises 8 of 361.
//   - A plan that cannot be in time refuses nothing: its longest path is as fast as it can be, and jobs go by
//     the times at which they would be done.
//   - Waiting has three readings: cascade, in which the next cheapest class that is in time follows when the
//     cheapest no longer is; timer, the paper's words: then whatever is done first; and predict, in which a class
//     without room counts only if a task that runs there is known to end in time, whoever else waits for it.
//   - Where nodes are served at their heartbeats, a task waits one interval less, and vds and tradeoff leave each stage
//     that one and another until a node beats.
//   - Labels of jobs are not looked at: a job that has some is placed as it comes.
//   - Power of a task is that of its container on the class (cluster.Class.Rate). Where nodes have no
//     model of power, each second of a task costs the same.
//
// A plan is made when jobs of a workflow come, over those of its jobs that are there: after a resync
// that is what is left. Stages that have begun stay as they are. tradeoff looks again when a job ends or is
// another one than was thought, and plans again only workflows whose rest has moved: those of others stay as they
// are. Nothing is kept beside the book, so a copy decides the same.
package workflow
