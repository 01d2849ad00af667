package profile

import "strings"

// ofFamily stands between the name of a family of classes and what tells its members apart.
const ofFamily = "~"

// Family is the family of a class: jobs of one application whose parameters differ. What all of its jobs have taught
// together is kept by the family's name, and goes for a class until a job of it has ended. It is "" where a class is
// of none.
func Family(class string) string {
	family, _, is := strings.Cut(class, ofFamily)
	if !is {
		return ""
	}
	return family
}

// Member names a class of a family.
func Member(family, which string) string { return family + ofFamily + which }

// WithFamilies adds to what was taught of classes that it was of their families, too.
func WithFamilies(taught []*Class) []*Class {
	all := taught[:len(taught):len(taught)]
	for _, c := range taught {
		if family := Family(c.Name); family != "" {
			of := *c
			of.Name = family
			all = append(all, &of)
		}
	}
	return all
}

// For returns what is known of a class, or else of its family; nil if nothing is.
func (s *Set) For(name string) *Class {
	if c := s.Of(name); c != nil {
		return c
	}
	return s.Of(Family(name))
}
