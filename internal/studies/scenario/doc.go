// Package scenario reads the two kinds of files that people write: job files, which `run` submits, and scenario files, which
// `simulate` and `compare` play in virtual time. It is the one place that reads YAML.
//
// The Go structs Job and Scenario are the description of the format: their json tags are the keys, their doc tags the help, and
// their need, min, above, max and enum tags the rules, their def tags what holds without them. The decoder and the JSON Schema are
// both made from them, so they cannot disagree.
//
//	source ─ parse ─▶ syntax tree ─ decode by the struct ─▶ Job, Scenario ─ check what tags cannot say ─▶ workload, cluster, sim.Config
//
// Reading is strict. Every error is one sentence with file, line and column, what was wrong and what would be right: an unknown
// key names the nearest one, a size or a span without a unit gets an example, a contradiction names both sides. All errors of a file
// are reported together, in the order of the file.
//
// # Times
//
// In a scenario every time counts from the start of the run, as `arrive` does; a deadline written with a plus sign (`+10m`) counts
// from the job's own arrival. In a job file a deadline counts from the job's submission, or is an absolute time with its zone
// (RFC 3339).
package scenario
