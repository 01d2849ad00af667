// Package order does one thing after the other.
package order

import "iter"

func both(f, g func(), s iter.Seq[int]) {
	f()
	g()
	for range s {
	}
}
