// Package reserve keeps slots for jobs with a promise, and lends the others: what policies share that
// promise deadlines. Which deadlines these promise, and in which order jobs with a promise stand, is
// theirs (Promiser).
//
//	what                                                    where
//	what a job asks for                                     estimate.go; package estimate
//	who is judged, let in without a promise, or measured    judge.go, sample.go
//	records of jobs, and what outlives a resync             scheduler.go
//	dispatcher (paper 003, algorithm 5.4)                   dispatch.go, service.go
//	jobs without a promise, and what is taken back of them  besteffort.go, reclaim.go
//	ApplicationMasters                                      master.go
//
// What package rtmr says of these in its comment, and why, holds for all.
package reserve
