// Package order goes over sorted keys.
package order

import (
	"maps"
	"slices"
)

type weights map[string]int

func walk(of weights, list []int, table [4]int, at *[4]int) (n int) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		n += of[name]
	}
	for _, v := range slices.Sorted((maps.Values[weights])(of)) {
		n += v
	}
	for _, v := range list {
		n += v
	}
	for i := range table {
		n += at[i]
	}
	for range at {
		n++
	}
	for i := range n {
		n -= i
	}
	for _, r := range "text" {
		n += int(r)
	}
	return n + len(maps.Clone(of))
}

func total[S ~[]int](s S) (n int) {
	for _, v := range s {
		n += v
	}
	return n
}
