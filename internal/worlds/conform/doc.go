// Package conform is the suite that every world passes: one set of promises, checked from outside
// on the events that a world sends, under policies that are friendly and under one that is not.
//
//   - precedence: no job starts before its predecessors have committed or before it is admitted, no
//     stage before it is ready (watch.go)
//   - room: what starts on a node never makes it take more than it has; nothing starts on one that
//     is down, drained, or lacks a label
//   - ends: every attempt ends exactly once, and a task commits once more than its output was lost
//   - again: a task that was killed, failed or was lost runs again, and every job that may end does
//   - refusals: a plan full of nonsense, or aimed at what must not be, is refused item by item, and
//     the run still ends (policies.go)
//   - its own checks: it keeps all this too when plans come that no book has checked, and does no
//     item twice; one that binds tasks starts nothing that is withheld or beyond a bound (meddle.go)
//   - words: each event, outcome and code is sent while the suite runs, and each verb is seen to be done, by
//     the event that answers it or by its effect (words.go, effects.go)
//   - order: every job stands where the order's key puts it, recomputed at the end of each batch (suite.go)
//   - facts: what a resync tells again keeps its time, in the book too; a job that was let in and
//     has begun is let in again at once (past.go)
//   - voids: after a resync, and after a take-over, a part of a policy remembers what the suite's list says
//     that it does, and nothing else (voids_test.go)
//   - yield: while a stock scheduler places work nothing of a plan starts or is killed, and the
//     book expects what it starts (watch.go)
//   - watching: nothing that is planned is done, and verdicts are advice (watch.go); a policy that
//     has watched decides as a fresh one (advice_test.go)
//   - memory: to save and load book and policy between any two batches changes nothing (suite.go)
//   - questions: after each batch admissions are asked about a job, which then comes to a copy of book and
//     policy, where that is what becomes of it (ask_test.go)
//   - copies: between any two batches book and policy are copied, and one of the two goes on into a
//     catastrophe, of which the other knows nothing
//   - output: what the world wrote equals a naive reference, where it writes anything
package conform
