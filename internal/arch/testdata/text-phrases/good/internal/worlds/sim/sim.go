// Package sim plays.
package sim

// Again does not matter.
const Again = 1
