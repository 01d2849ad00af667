// Package cluster describes the machines: racks, classes of nodes, nodes, containers and the blocks
// of data on them.
//
// These are facts, not state: what is free on a node at the moment stands in the ledger and is
// shown by sched.View.
package cluster
