// Package each makes lists of others.
package each

// Of lists what a function says of each element of a list, in the same order.
func Of[T, U any](list []T, say func(T) U) []U {
	said := make([]U, len(list))
	for i, x := range list {
		said[i] = say(x)
	}
	return said
}
