package referee_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// number adds to the number of a field in a line that matches.
func number(pattern, key string, by int64) func(*rand.Rand, []string) ([]string, int) {
	return func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, pattern)
		if i < 0 {
			return nil, 0
		}
		var n int64
		fmt.Sscan(word(lines[i], key), &n)
		altered := slices.Clone(lines)
		altered[i] = strings.Replace(lines[i], fmt.Sprintf(" %s=%d", key, n), fmt.Sprintf(" %s=%d", key, n+by), 1)
		return altered, i + 1
	}
}

// inRound says that the referee may notice from the begin of the round on: what a plan should not have said is noted at
// its end.
func inRound(list []alteration) []alteration {
	for i, a := range list {
		list[i].alter = func(r *rand.Rand, lines []string) ([]string, int) {
			altered, at := a.alter(r, lines)
			if altered == nil {
				return nil, 0
			}
			from, _ := round(altered, at-1)
			return altered, from + 1
		}
	}
	return list
}

// What states, where jobs are let in whatever they are told, and where they are refused.
const (
	stating   = "promise(level=95%)"
	rejecting = "promise(level=95%,refused=reject)"
	first     = `^\d+ item admit .*half=.*`
)

// statements are alterations of what promise says, and does.
var statements = inRound([]alteration{
	{"a job that came later goes first, as before one by deadline", stating, func(r *rand.Rand, lines []string) ([]string, int) { return later(r, lines, "map") }},
	{"a start is left out", stating, func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ item start `)
		if i < 0 {
			return nil, 0
		}
		from, _ := round(lines, i)
		return without(lines, i), from + 1
	}},
	{"a job goes behind that is there", stating, replace(`(item rank .*)reason=back-in-time:`, "${1}reason=behind-others-in-time:")},
	{"a job goes behind by another deadline", stating, one(`item rank .*reason=behind-others-in-time:(\d+)`)},
	{"a job is due later than who waits for it", stating, replace(`(item set-deadline .*)at=(\d+) reason=behind-it:\d+`, "${1}at=90000${2} reason=behind-it:90000${2}")},
	{"a job is due by another deadline than it is told", stating, one(`item set-deadline .*reason=behind-it:(\d+)`)},
	{"a job is told nothing", stating, replace(`(item admit id=\d+ job=\d+) .*half=.*`, "${1} reason=admit-all")},
	{"a job is not let in", stating, missing(`^\d+ item admit `)},
	{"a deadline is promised that is too near", stating, number(`^\d+ item admit .*word=promised .*reason=likely`, "by", 1e16)},
	{"a promise is of another deadline", stating, one(`item admit .*reason=likely:(\d+)`)},
	{"a promise is called none", stating, replace(`word=promised (.*reason=likely)`, "word=unpromised ${1}")},
	{"what is no promise is called one", stating, replace(`(item admit .*)word=unpromised (.*reason=behind)`, "${1}word=promised ${2}")},
	{"a promise is not made", stating, replace(`(item admit .*)word=promised (.*chance=)(\d+) reason=likely:(\d+)`, "${1}word=unpromised ${2}${3} reason=behind:${4}")},
	{"a confidence is half", stating, replace(`(item (?:admit|foretell) .*)confidence=9`, "${1}confidence=4")},
	{"half are done behind the others", stating, number(first, "half", 1e16)},
	{"half are done before now", stating, number(first, "half", -1e16)},
	{"nine of ten are done behind all", stating, number(first, "ninety", 1e16)},
	{"a deadline is far less likely", stating, replace(`(item admit .*chance=)9\d{5}( reason=likely)`, "${1}500000${2}")},
	{"nothing is said of a deadline", stating, replace(`(item admit .*) chance=\d+ reason=likely`, "${1} reason=likely")},
	{"a move is told that is none", stating, func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ item foretell .*half=.*`)
		if i < 0 {
			return nil, 0
		}
		return slices.Insert(slices.Clone(lines), i+1, lines[i]), i + 1
	}},
	{"a move is told as another", stating, one(`item foretell .*reason=[a-z]+-moved:(\d+)`)},
	{"a later word is another", stating, replace(`(item foretell .*)word=promised`, "${1}word=unpromised")},
	{"a job is told more that nobody has let in", stating, replace(`(item foretell id=\d+) job=\d+`, "${1} job=999")},
	{"a task is killed", stating, func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ item start id=\d+ job=\d+ stage=map `)
		if i < 0 {
			return nil, 0
		}
		kill := fmt.Sprintf("0 item kill id=99999 job=%s stage=map outcome=preempted reason=slot-due attempts=99999", word(lines[i], "job"))
		return slices.Insert(slices.Clone(lines), i+1, kill), i + 1
	}},
	{"reduces do not wait", stating, missing(`^\d+ item withhold .*reason=maps-first`)},
	{"a job is refused that is let in", stating, replace(`item admit (id=\d+ job=\d+) .* reason=behind:(\d+),(\d+),(\d+)`, "item reject ${1} by=999999999999999 reason=unlikely:${2},${3},${4}")},
	{"a job is let in that is refused", rejecting, replace(`item reject (id=\d+ job=\d+) .*reason=unlikely:`, "item admit ${1} word=unpromised reason=behind:")},
	{"an offer is nearer than what is refused", rejecting, replace(`(item reject .*) by=\d+ `, "${1} by=1 ")},
})
