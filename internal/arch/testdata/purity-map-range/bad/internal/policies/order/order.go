// Package order goes over maps in every way there is.
package order

import (
	"maps"
	"reflect"
	"slices"
)

type weights map[string]int

type pools struct{ of weights }

func tables() [1]map[int]int { return [1]map[int]int{} }

func sum[M ~map[K]V, K comparable, V int](m M) (n V) {
	for _, v := range m { // want purity-map-range
		n += v
	}
	return n
}

func walk(p *pools, m map[int]int) []int {
	for range p.of { // want purity-map-range
	}
	for range tables()[0] { // want purity-map-range
	}
	for k := range maps.Keys(m) { // want purity-map-range
		_ = k
	}
	for range maps.All(p.of) { // want purity-map-range
	}
	each := maps.Values[map[int]int] // want purity-map-range
	_ = each
	maps.DeleteFunc(m, func(k, v int) bool { return v > k }) // want purity-map-range
	reflect.ValueOf(m).MapRange()                            // want purity-map-range
	return slices.Collect(maps.Keys(m))                      // want purity-map-range
}
