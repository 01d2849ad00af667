// Package trace reads workloads that others have recorded, and makes jobs of them.
//
//	file ─ Format.Open ─▶ Reader ─ Next ─▶ Job (what the trace says) ─ Rule.Unfold ─▶ workload.Job ─ Source ─▶ a world
//
//	trace.go   what a trace says of a job, and the list of formats
//	rule.go    what is taken where a trace says nothing: number of tasks, their times, deadlines
//	source.go  a trace as the arrivals of a run
//	record.go  lines and their fields, and errors that name both
//	swim.go    Facebook's and Cloudera's samples in the form of SWIM, with and without input paths
//
// Readers stream: they hold one job at a time, however long the trace. What is wrong with a record is an *Error with its line and
// field; a lenient reader skips and counts such records. No record may be longer than MaxRecord.
package trace
