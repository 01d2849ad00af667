// Package synth says what a workload looks like, and makes workloads that look alike.
//
//	trace.Reader ─ Measure ─▶ Stats ─ Plot ─▶ SVG
//	             └ Fit ─▶ Model (a small JSON file) ─ Generate ─▶ trace.Reader
//
//	stats.go      jobs, tasks, bytes, gaps between arrivals, quantiles of sizes, burstiness, load by hour of the day
//	sketch.go     quantiles of any number of values in bounded memory
//	plot.go       the same as pictures
//	arrivals.go   processes of arrivals: constant, Poisson, bursty, by the hour, from a trace
//	model.go      what is kept of a workload: numbers only, no name, path or user
//	fit.go        how it is found: rates by hour and bursts (bursts.go), quantiles of each quantity, and which go together
//	generate.go   jobs from a model
//
// A model lets people share a workload without sharing their data. What survives of a job is in
// which of sixteen parts of each quantity it lay, together with all jobs alike in this; of a
// quantity, quantiles to three digits, its least and its greatest value among them.
package synth
