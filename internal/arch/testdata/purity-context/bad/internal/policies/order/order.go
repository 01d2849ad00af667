// Package order could be told to hurry.
package order

import "context" // want purity-context

func decide(context.Context) {}
