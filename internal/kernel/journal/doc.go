// Package journal is the flight recorder of a run: everything the ledger took in and everything the
// policy wanted, as text that people can read and compare, from which the run can be decided again.
//
//	1 journal {"version":3,"scenario":"two-jobs",…} #9d3f11c2
//	2 round 1 at=0 events=2 #…
//	3 event node-up node=1 detail={"node":{…}} #…
//	4 event heartbeat node=1 #…
//	5 plan items=1 #…
//	6 item admit id=1 job=1 reason=admit-all #…
//	7 end rounds=1 #…
//
// Each line has its number, a word, fields that are not zero, and the CRC-32C of all before the
// mark. Times are nanoseconds since the start of the run. A round without a plan line did not wake
// the policy. The end line tells a finished run from one that was cut off.
//
// While a policy watches, what it advises to do is written when it is new. The line of a plan says how many
// items only repeat advice (repeated=2); they, and the refusals that follow from them, have no lines.
//
//	format.go  events and items as text; also what text scenarios expect
//	number.go  numbers as text, fast
//	parse.go   and back
//	writer.go  the sink
//	advice.go  what a policy that watches has advised already
//	reader.go  lines, their numbers and sums
//	replay.go  the run decided again
//	play.go    another run on what the world said
package journal
