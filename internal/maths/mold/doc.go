// Package mold plans workflows of moldable jobs: into how many tasks to cut each, and by when each is to be done,
// so that all are by the deadline at little energy. Numbers in, numbers out; times count from when the workflow
// comes, and nothing is rounded, as all are whole.
//
//	option.go    what a number of tasks takes and costs; those that no other beats
//	paths.go     jobs that wait for each other: earliest and latest times, longest paths
//	pipeline.go  one path by a time, at most 1 + ε times as dear as need be
//	atp.go       adaptive task partitioning: path by path
//	vds.go       virtual deadlines: MinD and equal slack, and the latest ones
//	tradeoff.go  the cheapest second on the longest path, over the whole workflow
//
// Source of atp.go, vds.go and pipeline.go: paper 001, algorithms 1 and 2 and section V-C, with what
// independent implementations found: line 3 of algorithm 2 is the case in which even the fastest split
// does not fit (its sign is misread); a job without mapped successors that ends no workflow may finish
// at any time; in line 13 the second test is of jobs before the last; jobs behind one that is divided
// off come back as later paths; the solver leaves time over, which goes to whoever saves most by it.
// tradeoff.go is ours.
//
// A false of VPM does not mean that there is no plan: that is so only if the longest path of the
// fastest options is too long (Least).
//
// A plan of 100 jobs takes 0.3 to 1.5 ms, of 1,000 some 30 ms. Of 10,000 it takes 0.5 s by tradeoff.go, 1 s by vds.go,
// or 2 to 2.6 s where dependencies go anywhere, and 2 s by algorithm 1.
package mold
