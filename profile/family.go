package profile

import (
	"fmt"
	"strings"
)

// A class is of a family, the application, if its name has these parts: the family, a few letters of what tells it
// apart, and a sum of that in eight digits.
const (
	ofFamily  = "~"
	sumDigits = 8
)

// Family is the family of a class: jobs of one application whose parameters or formats differ. A class of no family
// is one of its own.
func Family(class string) string {
	at := strings.LastIndex(class, ofFamily)
	if dash := len(class) - sumDigits - 1; at <= 0 || dash <= at || class[dash] != '-' || strings.Trim(class[dash+1:], "0123456789abcdef") != "" {
		return class
	}
	return class[:at]
}

// Member names a class of a family.
func Member(family, letters string, sum uint32) string {
	return fmt.Sprintf("%s%s-%0*x", Members(family), letters, sumDigits, sum)
}

// Members is what the names of the classes of a family begin with.
func Members(family string) string { return family + ofFamily }

// Near finds what is known of a class, or else of that of its family which most jobs taught: a guess. It is nil if
// nothing is.
func Near(known []*Class, name string) (is *Class) {
	jobs := func(c *Class) int64 {
		if c.Cold != nil {
			return c.Runs + c.Cold.Runs
		}
		return c.Runs
	}
	for _, c := range known {
		switch {
		case c.Name == name:
			return c
		case Family(c.Name) == Family(name) && (is == nil || jobs(c) > jobs(is)):
			is = c
		}
	}
	return is
}
