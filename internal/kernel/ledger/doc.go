// Package ledger is the scheduler's book: what it believes of jobs, nodes, queues and attempts.
//
// The world owns the truth and the ledger follows: Apply takes in any event, even one that does not fit (it then makes a
// Discrepancy event for the journal). Only Propose and Check refuse, and only items of plans, each with a code.
//
// The ledger keeps three indexes, so that a decision costs no more than a logarithm in jobs and nodes:
//
//   - ranking (ranking.go, order.go): the jobs with work that may start, in the policy's order, as a tree of queues. Keys
//     are asked for again when an event or an item touched a job, and then only along its path to the root.
//   - open tasks (open.go): for each job and stage, lists of open tasks by node, by rack and in all, cleaned lazily: a task
//     that was taken through one list is dropped from the others when their turn comes. Taking a task is O(1) amortised.
//   - attempts (attempts.go): for each job and stage, the attempts from the youngest to the oldest.
//
// Nothing on the way of a decision allocates.
package ledger
