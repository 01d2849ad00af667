// Package workload describes what is to be done: jobs, their stages and tasks.
//
// A job is what arrives; it never changes afterwards (an amendment is a new Job value under the
// same ID). Progress stands in the ledger. What a task costs is written here for worlds that
// simulate; a policy does not look at it but at profiles, which hold what a real scheduler could
// know.
package workload
