// Package dumb is a second simulator, for tests: what package sim computes cleverly, done as dumb
// as possible from what sim documents. It has no event queue, no indexes, no counters and no
// generations. Whenever it wants to know something it looks at everything there is: the next
// instant is the least of all times at which anything may happen, the tasks that are open are
// counted, a node's map outputs are looked for in all jobs. So it takes time that grows with the
// square of a scenario, and may be wrong in other places than sim is.
//
// What the two agree on is the model (sim's doc.go), the names of the keyed draws, and the order
// of what happens at one instant: by class, then in the order in which it was timed.
//
// It has no run that begins from the book of a world that binds late. Stages that grow, asks beyond
// tasks, and a stock scheduler that starts work of its own are played by package adverse alone. That
// is held to the truth by a follower, which compares what it says with what was asked of it
// (honest_test.go), by the automaton of real recordings, by adverse.Life for sinks, and by the oracle
// of the book.
//
//	world.go   what there is, what happens next, who beats
//	nodes.go   nodes that come and go
//	work.go    jobs, stages and attempts
//	enact.go   what a plan's items do
//	draws.go   task times, failures, places of blocks
package dumb
