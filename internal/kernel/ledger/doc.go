// Package ledger is the scheduler's book: what it believes of jobs, nodes, queues and attempts.
//
// The world owns the truth and the ledger follows: Apply takes in any event, even one that does not
// fit (it then makes a Discrepancy event for the journal). Only Propose and Check refuse, and only
// items of plans, each with a code.
//
// The ledger keeps four indexes, so that a decision costs no more than a logarithm in jobs and nodes:
//
//   - ranking (ranking.go, order.go): the jobs with work that may start, in the policy's order, as
//     a tree of queues. Keys are asked for again when an event or an item touched a job, and then
//     only along its path to the root.
//   - open tasks (open.go, places.go): for each job and stage, which of its tasks are open, by bit, and
//     once a node has asked its tasks by node and by rack, with cursors before which none is open. Finding
//     a task is O(1), and O(1) amortised for tasks passed over. Where the world binds late there are
//     counts instead (demand.go).
//   - local work (local.go): for each node and stage, the jobs with input there, in the policy's
//     order, brought up to date when a policy asks. It is kept only once one has.
//   - attempts (attempts.go): for each job and stage, the attempts from the youngest to the oldest.
//
// Nothing on the way of a decision allocates.
package ledger
