// Package catalog is filled once and read ever after.
package catalog

import (
	"errors"
	"slices"
)

type entry struct{ uses int }

func (e *entry) use()    { e.uses++ }
func (e entry) get() int { return e.uses }

var errUnknown = errors.New("unknown")

var list = []string{"fifo", "fair"}

var index = func() map[string]int {
	m := map[string]int{}
	for i, n := range list {
		m[n] = i
	}
	return m
}()

var squares [16]int

var first = entry{uses: 1}

var shared = &first

func init() {
	for i := range squares {
		squares[i] = i * i
	}
}

func sum(of []int) int { return len(of) }

func find(name string) (int, error) {
	i, ok := index[name]
	if !ok {
		return 0, errUnknown
	}
	first := first // a copy
	first.use()
	e := &entry{uses: squares[i]}
	e.use()
	names := slices.Clone(list)
	names[0] = name
	slices.Sort(names)
	calls := shared.get()
	calls++
	return calls + e.uses + sum(squares[:]), nil
}
