//go:build !unix

package process

import "math"

// OpenFiles is how many files this process may have open at once; a great number where there is no bound.
func OpenFiles() int { return math.MaxInt32 }
