package profile

import (
	"fmt"
	"slices"
	"testing"
)

// Of more classes than a set holds those go that were told longest ago, as a list says that is
// searched from end to end.
func TestSet(t *testing.T) {
	var s Set
	var list []string // oldest first
	tell := func(n int) {
		name := fmt.Sprint("c", n)
		s.Put(New(name))
		list = append(slices.DeleteFunc(list, func(o string) bool { return o == name }), name)
		if len(list) > MostClasses {
			list = list[1:]
		}
	}
	for n := range MostClasses + 1000 {
		tell(n)
		if n%50 == 0 { // these are told again and again
			tell(n / 100)
			tell(7)
		}
	}
	copied := s.Clone()
	copied.Put(New("of the copy"))
	var names []string
	for _, c := range s.Told() {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, list) {
		t.Fatalf("%d classes are known, %d was expected, or in another order", len(names), len(list))
	}
	if s.Of("c7") == nil || s.Of("c9") != nil && !slices.Contains(list, "c9") || s.Of("of the copy") != nil || copied.Of("of the copy") == nil {
		t.Error("who was told again has gone, or who was not is there, or a copy changes the original")
	}
	if len(s.order) > 2*MostClasses+64 {
		t.Errorf("%d tellings are kept", len(s.order))
	}
}
