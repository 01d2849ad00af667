//go:build !race

package conform

// raced tells whether the race detector watches.
const raced = false
