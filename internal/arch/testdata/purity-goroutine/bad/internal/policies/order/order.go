// Package order does two things at a time.
package order

import "iter"

func both(f, g func(), s iter.Seq[int]) {
	go f() // want purity-goroutine
	g()
	next, stop := iter.Pull(s) // want purity-goroutine
	defer stop()
	next()
}
