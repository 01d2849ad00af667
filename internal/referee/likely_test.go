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

// Of verdicts with a probability the referee takes numbers from the journal. Where these contradict each
// other, or the budgets that it keeps by itself, it says so.
func TestAlteredChances(t *testing.T) {
	likely := regexp.MustCompile(`item admit id=\d+ job=(\d+) reason=likely:(\d+),(\d+),(\d+) evidence=0:(\d+):500000,0:(\d+):100000,0:0:(\d+)`)
	rise := regexp.MustCompile(`(evidence=0:\d+:500000,\S*,)([1-9]\d*):(\d+):(\d+)( )`)
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
			return strings.Replace(m[0], ",0:0:"+m[7], ",0:0:"+up(m[4], 1), 1)
		}},
		{"another deadline", likely, func(m []string) string { return strings.Replace(m[0], m[2], up(m[2], 1), 1) }},
		{"another confidence", likely, func(m []string) string {
			return strings.Replace(m[0], ","+m[4]+" ", ","+up(m[4], 1)+" ", 1)
		}},
		{"90 % done late, and a small risk", likely, func(m []string) string {
			return strings.Replace(m[0], "0:"+m[6]+":100000", "0:"+up(m[2], 2e6)+":100000", 1)
		}},
		{"half done late", likely, func(m []string) string {
			return strings.Replace(m[0], "0:"+m[5]+":500000", "0:"+up(m[2], 2e6)+":500000", 1)
		}},
		{"an offer before what was asked for", regexp.MustCompile(`(reason=behind:(\d+),\d+,\d+ evidence=0:)(\d+):`), func(m []string) string { return m[1] + m[2] + ":" }},
		{"a late quantile", likely, func(m []string) string { return strings.Replace(m[0], ","+m[3]+",", ","+up(m[2], 1e9)+",", 1) }},
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
		_, text := record(t, "rtmr(promise=90%)", seed)
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
