package catalog

import (
	"slices"
	"sort"

	"github.com/slackline/slackline/units"
)

type shelf struct {
	name  string
	items []int
	first *entry
}

var (
	four    = make([]int, 4)
	shelves = map[string]shelf{}
	rows    [4][]int
	chain       = []*entry{{}}
	anyhow  any = four
	wipe        = func() {
		t := four
		t[0] = 1 // want purity-globals
	}
)

func alias() {
	t := four
	t[0] = 1 // want purity-globals
	var u, v = 0, four
	v[u]++ // want purity-globals
	w := t[1:]
	w[0] = 1                       // want purity-globals
	clear(w)                       // want purity-globals
	slices.Sort(t)                 // want purity-globals
	sort.Sort(sort.IntSlice(four)) // want purity-globals
	x := append(four[:2], 1)
	copy(x, []int{1}) // want purity-globals
	y := sort.IntSlice(four)
	y[0], u = 1, 2 // want purity-globals
	z, _ := anyhow.([]int)
	z[0] = 1 // want purity-globals
	if m := shelves; m != nil {
		delete(m, "a") // want purity-globals
	}
	s, ok := shelves["a"]
	s.name = "b"     // a copy
	s.items[0] = 1   // want purity-globals
	s.first.uses = 1 // want purity-globals
	if ok {
		p := &s.items[0] // want purity-globals
		*p = 1
	}
	r := rows
	r[0] = nil  // a copy
	r[0][0] = 1 // want purity-globals
	for _, e := range chain {
		e.uses++ // want purity-globals
	}
	e := chain[0]
	func() {
		*e = entry{} // want purity-globals
	}()
	var late []int
	late = units.Table
	late[0] = 1 // want purity-globals
	grown := four
	for range 3 {
		grown = append(grown, 1)
		grown[len(grown)-1] = 2 // want purity-globals
	}
	var before []int
	for range 2 {
		later := before // an alias the second time
		if later != nil {
			later[0] = 1 // want purity-globals
		}
		before = four
	}
}
