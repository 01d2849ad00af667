// Package sim plays.
package sim

// Again is of no consequence. // want text-phrases
const Again = 1

// Late is a message.
var Late = "the job cannot be gone on with" // want text-phrases
