// Package scenario knows the files that people write: job files, which `run` submits, scenario
// files, which `simulate` and `compare` play in virtual time, and files for `capacity`.
//
// The Go structs Job, Scenario and Capacity are the description of the formats; package config
// reads them by their tags. What tags cannot say is checked here, such as keys that contradict each
// other: such an error names both.
//
//	source ─ config ─▶ Job, Scenario ─ check what tags cannot say ─▶ workload, cluster, sim.Config
//
// # Times
//
// In a scenario every time counts from the start of the run, as `arrive` does; a deadline written
// with a plus sign (`+10m`) counts from the job's own arrival. In a job file a deadline counts from
// the job's submission, or is an absolute time with its zone (RFC 3339).
package scenario
