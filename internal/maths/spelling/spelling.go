// Package spelling finds what somebody meant who mistyped a name.
package spelling

import (
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
)

// Nearest returns the candidate with the fewest edits (insert, delete, replace, swap neighbours) to
// the name, "" if none is near: more than a third of the name would have to change. A part of a
// name is one edit away from it. One that differs in punctuation alone is nearer than all others. Of
// equally near ones it is the first in the order of the alphabet.
func Nearest(name string, candidates []string) string {
	best, least := "", max(1, (len(name)+2)/3)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		typed, right := strings.ToLower(name), strings.ToLower(c)
		d := edits(typed, right)
		if len(typed) > 1 && strings.Contains(right, typed) {
			d = min(d, 1)
		}
		if bare(typed) == bare(right) {
			return c
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// bare is a name without punctuation.
func bare(name string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("-_. ", c) {
			return -1
		}
		return c
	}, name)
}

// Meant is the end of a sentence about an unknown name: the nearest one, nothing if none is near.
func Meant(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return `; did you mean "` + n + `"?`
	}
	return ""
}

// Hint is the same, or all there are if none is near and they are few.
func Hint(name string, candidates []string) string {
	if meant := Meant(name, candidates); meant != "" || len(candidates) == 0 || len(candidates) > 16 {
		return meant
	}
	return "; there are: " + strings.Join(slices.Sorted(slices.Values(candidates)), ", ")
}

// Find returns the place of what has this name in a list, or -1 and the hint at what may have been meant.
func Find[T any](name string, list []T, of func(T) string) (at int, hint string) {
	names := each.Of(list, of)
	if at = slices.Index(names, name); at < 0 {
		hint = Hint(name, names)
	}
	return at, hint
}

// edits is the restricted Damerau–Levenshtein distance (optimal string alignment), in bytes.
func edits(a, b string) int {
	const long = 64 // nobody mistypes a longer name by a little
	if len(a) > long || len(b) > long {
		return long
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d = 1 + min(d, last[j], row[j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d = min(d, 1+before[j-2])
				}
			}
			row[j] = d
		}
	}
	return row[len(b)]
}
