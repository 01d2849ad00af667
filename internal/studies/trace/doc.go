// Package trace reads workloads that others have recorded, makes jobs of them, and writes them in
// Slackline's own form.
//
//	file ─ Format.Open ─▶ Reader ─ Next ─▶ Job (what the trace says) ─ Rule.Unfold ─▶ workload.Job ─ Source ─▶ a world
//	                                        └─ Writer (NewWriter) ─▶ file
//
//	trace.go      what a trace says of a job, and the list of formats
//	rule.go       what is taken where a trace says nothing: number of tasks, their times; deadlines.go: deadlines
//	source.go     a trace as the arrivals of a run
//	open.go       what is done with the jobs of any trace: what fits nowhere, sorting; after.go: whom they wait for
//	account.go    what was left out and filled in, and the list of reasons; ended.go: jobs and attempts of Hadoop that did not end well
//	record.go     lines and their fields, and the first error of each record; json.go: records in JSON
//	order.go      what holds for the jobs of any trace: in order of submission, each once, none too large
//	neutral.go    Slackline's own form, which says all that a Job does
//	swim.go       Facebook's and Cloudera's samples in the form of SWIM, with and without input paths
//	jhist.go      job histories of Hadoop; jobhistory.go: the same from its server, ran.go: what profiles learn from
//	alibaba.go    Alibaba's cluster trace of 2018
//
// Each format's file says what of it is used, and in which order its records must come. Readers
// stream: they hold one job at a time, however long the trace, the IDs of the last Remembered ones
// and eight bytes of each other. What is wrong with a record is an *Error with its line and field;
// a lenient reader skips and counts such records. No record may be longer than MaxRecord, no job
// larger than MaxTasks.
package trace
