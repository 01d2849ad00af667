// Package catalog remembers things between calls.
package catalog

import (
	"slices"

	"github.com/slackline/slackline/units"
)

type entry struct{ uses int }

func (e *entry) use()    { e.uses++ }
func (e entry) get() int { return e.uses }

var (
	calls   int
	byName  = map[string]*entry{}
	list    []int
	grid    [4]int
	first   entry
	current *entry
	later   = func() { calls = 1 } // want purity-globals
)

func touch(name string, n int) []int {
	calls = n                // want purity-globals
	calls, n = n, calls      // want purity-globals
	calls++                  // want purity-globals
	calls += n               // want purity-globals
	units.Zero = n           // want purity-globals
	byName[name] = nil       // want purity-globals
	byName[name].uses = n    // want purity-globals
	delete(byName, name)     // want purity-globals
	clear(list)              // want purity-globals
	copy(list, list)         // want purity-globals
	list = append(list, n)   // want purity-globals
	list[0]--                // want purity-globals
	(*current).uses = n      // want purity-globals
	current.uses = n         // want purity-globals
	first.use()              // want purity-globals
	p := &first.uses         // want purity-globals
	slices.Sort(list)        // want purity-globals
	for calls = range list { // want purity-globals
		*p = n
	}
	for _, list[0] = range list { // want purity-globals
	}
	func() {
		calls = 0 // want purity-globals
	}()
	grid[:][1] = n // want purity-globals
	return list
}
