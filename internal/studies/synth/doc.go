// Package synth says what a workload looks like, and makes arrivals.
//
//	stats.go      jobs, tasks, bytes, gaps between arrivals, quantiles of sizes, burstiness, load by hour of the day
//	sketch.go     quantiles of any number of values in bounded memory
//	arrivals.go   processes of arrivals: constant, Poisson, bursty, from a trace
package synth
