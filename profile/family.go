package profile

import "strings"

// ofFamily stands between the name of a family of classes and what tells its members apart.
const ofFamily = "~"

// Family is the family of a class: jobs of one application whose parameters or formats differ. A class of no family
// is one of its own.
func Family(class string) string {
	family, _, _ := strings.Cut(class, ofFamily)
	return family
}

// Member names a class of a family.
func Member(family, which string) string { return family + ofFamily + which }

// Near finds what is known of a class, or else of that of its family which most jobs taught: a guess. It is nil if
// nothing is.
func Near(known []*Class, name string) (is *Class) {
	for _, c := range known {
		switch {
		case c.Name == name:
			return c
		case Family(c.Name) == Family(name) && (is == nil || c.Runs > is.Runs):
			is = c
		}
	}
	return is
}
