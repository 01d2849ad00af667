// Package cluster is where the next package's map comes from.
package cluster

type byName map[string]int

type index = byName

type rack struct{ nodes index }

func names(r *rack) (out []string) {
	for n := range r.nodes { // want purity-map-range
		out = append(out, n)
	}
	return out
}
