package referee_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/referee"
)

// That all of a verdict's times are sooner, or later, which contradicts nothing else in it, shows as jobs are
// played: where nobody stands before the job it does so both ways, elsewhere if it is far too soon.
func TestPlayedChances(t *testing.T) {
	if !testing.Short() && !fuller() {
		t.Skip("in the gate")
	}
	verdict := regexp.MustCompile(`item admit id=\d+ job=\d+ word=promised confidence=\S+ by=(\d+) half=(\d+) ninety=(\d+) reason=likely:(\d+) evidence`)
	round := regexp.MustCompile(`round \d+ at=(\d+)`)
	all, masters, failure := regexp.MustCompile(""), regexp.MustCompile(`"kind":"master"`), regexp.MustCompile(`event node-down`)
	games := map[uint64][]byte{}
	fair := func(seed uint64) []byte { // what is played in it, or nil where nothing is, or something is wrong
		text, known := games[seed]
		if !known {
			_, text = record(t, "promise(level=90%)", seed)
			if rep, err := referee.Judge(text, referee.Options{Plain: true}); err != nil {
				t.Fatal(err)
			} else if rep.Played == 0 || rep.Count > 0 {
				text = nil
			}
			games[seed] = text
		}
		return text
	}
	for _, c := range []struct {
		by   float64
		says string
		from *regexp.Regexp // before that all is as it was
	}{
		{0.4, "sooner", all}, {0.7, "a little sooner", all}, {1.7, "later", all},
		{0.4, "sooner, with masters", masters}, {0.7, "a little sooner, with masters", masters},
		{0.15, "far sooner after a failure", failure},
	} {
		seen, tried := 0, 0
		for seed := uint64(1); seed <= 200 && tried < 20; seed++ {
			text := fair(seed)
			from := c.from.FindIndex(text)
			if from == nil {
				continue
			}
			altered := string(text)
			for _, at := range verdict.FindAllStringSubmatchIndex(altered, -1) {
				if at[0] < from[0] {
					continue
				}
				rounds := round.FindAllStringSubmatch(altered[:at[0]], -1)
				now, _ := strconv.ParseFloat(rounds[len(rounds)-1][1], 64)
				other := func(i int) string {
					was, _ := strconv.ParseFloat(altered[at[2*i]:at[2*i+1]], 64)
					return fmt.Sprintf("%0*d", at[2*i+1]-at[2*i], int64(now+c.by*(was-now)))
				}
				deadline, _ := strconv.ParseInt(altered[at[8]:at[9]], 10, 64)
				if last, _ := strconv.ParseInt(other(1), 10, 64); last > deadline {
					continue // what it says of the deadline is another thing then
				}
				altered = altered[:at[2]] + other(1) + altered[at[3]:at[4]] + other(2) + altered[at[5]:at[6]] + other(3) + altered[at[7]:]
			}
			if altered == string(text) {
				continue
			}
			tried++
			if rep, err := referee.Judge([]byte(altered), referee.Options{Plain: true}); err != nil {
				t.Fatal(err)
			} else if rep.Count > 0 {
				seen++
			}
		}
		t.Logf("%s: %d of %d games noticed", c.says, seen, tried)
		if 10*seen < 7*tried || tried < 20 {
			t.Errorf("%s: noticed in %d of %d games", c.says, seen, tried)
		}
	}
}

// Of verdicts with a probability the referee takes numbers from the journal. Where these contradict each
// other, or the budgets that it keeps by itself, it says so.
func TestAlteredChances(t *testing.T) {
	likely := regexp.MustCompile(`item admit id=\d+ job=\d+ word=promised confidence=(\S+) by=(\d+) half=(\d+) ninety=(\d+) reason=likely:(\d+) evidence=0:0:(\d+)`)
	rise := regexp.MustCompile(`(reason=likely:\d+ evidence=0:0:\d+,(?:\S*,)?)([1-9]\d*):(\d+):(\d+)( )`)
	behind := regexp.MustCompile(`reason=behind:(\d+),(\d+),(\d+) evidence=`)
	bears := regexp.MustCompile(`reason=behind:(\d+),(\d+),(\d+) because-job`)
	up := func(s string, by int64) string {
		n, _ := strconv.ParseInt(s, 10, 64)
		return fmt.Sprint(n + by)
	}
	alterations := []struct {
		name string
		of   *regexp.Regexp
		to   func(m []string) string
	}{
		{"a risk above the promise", likely, func(m []string) string {
			return strings.TrimSuffix(m[0], m[6]) + "100001"
		}},
		{"another deadline", likely, func(m []string) string { return strings.Replace(m[0], ":"+m[5], ":"+up(m[5], 1), 1) }},
		{"another confidence", likely, func(m []string) string {
			return strings.Replace(m[0], "confidence="+m[1], "confidence=910000", 1)
		}},
		{"a finish in the worst case", likely, func(m []string) string { return strings.Replace(m[0], " confidence="+m[1], "", 1) }},
		{"90 % done late, and a small risk", likely, func(m []string) string {
			return strings.Replace(m[0], "ninety="+m[4], "ninety="+up(m[5], 2e6), 1)
		}},
		{"half done late", likely, func(m []string) string {
			return strings.Replace(m[0], "half="+m[3], "half="+up(m[5], 2e6), 1)
		}},
		{"an offer before what was asked for", regexp.MustCompile(`(reason=behind:(\d+),\d+,\d+ evidence=0:)(\d+):`), func(m []string) string { return m[1] + m[2] + ":" }},
		{"a late quantile", likely, func(m []string) string { return strings.Replace(m[0], "by="+m[2], "by="+up(m[5], 1e9), 1) }},
		{"an overdrawn budget", rise, func(m []string) string { return m[1] + m[2] + ":" + m[3] + ":" + up(m[3], 100_001) + m[5] }},
		{"a rise of nobody", rise, func(m []string) string { return m[1] + "9999:" + m[3] + ":" + m[4] + m[5] }},
		{"a refusal at a small risk", behind, func(m []string) string { return "reason=behind:" + m[1] + "," + m[2] + ",5 evidence=" }},
		{"a refusal for a budget that has more", bears, func(m []string) string {
			return "reason=behind:" + m[1] + "," + up(m[2], -1) + "," + m[3] + " because-job"
		}},
		{"other work left", regexp.MustCompile(`(reason=behind:\S+ evidence=0:\d+:\d+),0:\d+:\d+`), func(m []string) string { return m[1] + ",0:0:0" }},
	}
	seen := make([]int, len(alterations))
	for seed := uint64(1); seed <= 200 && slices.Min(seen) == 0; seed++ {
		_, text := record(t, "promise(level=90%)", seed)
		for i, a := range alterations {
			if seen[i] == 3 {
				continue
			}
			at := a.of.FindStringSubmatchIndex(string(text))
			if at == nil {
				continue
			}
			altered := string(text[:at[0]]) + a.to(a.of.FindStringSubmatch(string(text))) + string(text[at[1]:])
			rep, err := referee.Judge([]byte(altered), referee.Options{Plain: true})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Count > 0 {
				seen[i]++
			} else if a.name != "other work left" { // which changes nothing where nobody waits beside it
				t.Errorf("seed %d: %s is not noticed", seed, a.name)
			}
		}
	}
	for i, a := range alterations {
		if seen[i] == 0 {
			t.Errorf("%s was not tried", a.name)
		}
	}
}
