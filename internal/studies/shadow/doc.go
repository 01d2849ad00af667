// Package shadow sets what a policy advised while it only watched a cluster beside what the cluster's
// own scheduler did.
//
//	agreement.go  start by start: what ran, and what was advised for that node then
//	recorded.go   the recorded jobs and nodes, as a workload that the simulator can play
package shadow
