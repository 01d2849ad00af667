package profile

import (
	"cmp"
	"maps"
	"slices"
)

// MostClasses is how many classes a Set knows. Where each job has a class of its own they would
// grow with the jobs that ever were.
const MostClasses = 1 << 14

// Set is what is known of job classes, of no more than MostClasses: beyond that the one goes that
// was told longest ago. The zero Set knows none.
type Set struct {
	classes map[string]told
	order   []telling // oldest first; those of classes that were told again since are out of date
	n       int64     // tellings so far
}

type told struct {
	class *Class
	n     int64
}

type telling struct {
	name string
	n    int64
}

// Put tells what is known of a class from now on. O(1), on the long run.
func (s *Set) Put(c *Class) {
	if s.classes == nil {
		s.classes = make(map[string]told)
	}
	s.n++
	s.classes[c.Name] = told{c, s.n}
	s.order = append(s.order, telling{c.Name, s.n})
	for len(s.classes) > MostClasses {
		if s.holds(s.order[0]) {
			delete(s.classes, s.order[0].name)
		}
		s.order = s.order[1:]
	}
	if len(s.order) > 2*len(s.classes)+64 {
		s.order = slices.DeleteFunc(slices.Clone(s.order), func(t telling) bool { return !s.holds(t) })
	}
}

// holds tells whether this was the last that was told of the class.
func (s *Set) holds(t telling) bool { return s.classes[t.name].n == t.n }

// Of returns what is known of a class, nil if nothing is.
func (s *Set) Of(name string) *Class { return s.classes[name].class }

// Told returns all classes in the order in which they were told last, the oldest first.
func (s *Set) Told() []*Class {
	all := make([]*Class, 0, len(s.classes))
	for _, t := range s.order {
		if s.holds(t) {
			all = append(all, s.classes[t.name].class)
		}
	}
	return all
}

// Classes returns all classes, sorted by name.
func (s *Set) Classes() []*Class {
	return slices.SortedFunc(slices.Values(s.Told()), func(a, b *Class) int { return cmp.Compare(a.Name, b.Name) })
}

// Clone returns a copy that shares the classes.
func (s *Set) Clone() Set {
	return Set{classes: maps.Clone(s.classes), order: slices.Clone(s.order), n: s.n}
}
