package catalog

import (
	"maps"
	"slices"
)

type shelf struct {
	name  string
	items []int
}

var (
	four    = make([]int, 4)
	shelves = map[string]shelf{}
	rows    [4]shelf
)

func init() {
	t := four
	t[0] = 1
}

// Reading through another name is fine, and so is writing what was copied.
func alias(n int) int {
	t := four
	n += t[0]
	t = nil
	own := append([]int(nil), four...)
	own[0] = 1
	clipped := append(four[:2:2], n)
	clipped[0] = 1
	m := maps.Clone(shelves)
	m["a"] = shelf{}
	s := shelves["a"]
	s.name = "b"
	s.items = slices.Clone(s.items)
	r := rows
	r[0].name = "c"
	clear(r[:])
	for i, row := range rows {
		row.name = "d"
		i++
		n += i
	}
	first := four[0]
	first++
	copy(own, t)
	return first + len(clipped) + cap(t)
}
