package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// Every entry tells all of itself within 80 columns, and so does each part that it lists.
func TestEntriesTellAllOfThemselves(t *testing.T) {
	for _, e := range catalog.All() {
		for _, text := range append([]string{e.Name}, names(e.Parts)...) {
			info, err := about(text)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := info.tell(&b, 80); err != nil {
				t.Fatal(err)
			}
			for l := range strings.Lines(b.String()) {
				if n := len([]rune(strings.TrimRight(l, "\n"))); n > 80 {
					t.Errorf("%s: %d columns: %s", text, n, l)
				}
			}
		}
	}
}

func names(parts []compose.Entry) (list []string) {
	for _, part := range parts {
		list = append(list, part.Name)
	}
	return list
}

// Each reason has a name of its own, says more than that, and says what its numbers mean.
func TestCausesAreWhole(t *testing.T) {
	name, sentences := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), map[string]string{}
	for _, e := range catalog.All() {
		for _, part := range append(e.Parts, e) {
			for _, c := range part.Causes {
				if said, known := sentences[c.Name]; known && said != fmt.Sprint(c.Text, c.Numbers) {
					t.Errorf("%s: two causes are called %q", part.Name, c.Name)
				}
				sentences[c.Name] = fmt.Sprint(c.Text, c.Numbers)
				if !name.MatchString(c.Name) || c.Text == "" || len(c.Numbers) > 3 || slices.ContainsFunc(c.Numbers, func(n sched.Number) bool { return n.Name == "" || n.Is == "" }) {
					t.Errorf("%s: the cause %q has no sentence, or does not say what its numbers mean", part.Name, c.Name)
				}
				// What a sentence does not understand stays as it is.
				if like := (sched.Reason{Cause: c, A: 1, B: 2, C: 3}).String(); strings.ContainsAny(like, "{}[]|?") {
					t.Errorf("%s: the cause %q reads %q", part.Name, c.Name, like)
				}
			}
		}
	}
}

func TestPoliciesTellsOne(t *testing.T) {
	s := newShell(t, nil)
	for text, wants := range map[string][]string{
		"rtmr":            {"rtmr (scheme)", "source   paper 003", "needs    kill (its part rtmr reclaimer)", "reads    profiles", "  no-slots ", "heeds    any\n"},
		"rtmr dispatcher": {"rtmr dispatcher (place)", "heeds    resync, control, heartbeat\n"},
		// What a policy needs and heeds is told as its parameters make it.
		"fair":                          {"parts    fair-share, limit, greedy\n", "needs    nothing special", "heeds    resync, control, "},
		"fair(preemption=true)":         {"needs    kill (its part preempt)", "heeds    any\n", "  min-share "},
		"fair( preemption=true )+delay": {"fair(preemption=true)+delay (policy)", "parts    fair-share, limit, delay, preempt\n", "  preemption ", "  rack "},
		"greedy":                        {"greedy (place)", "heeds    resync, control, heartbeat\n", "  first-in-order "},
		"greedy(nonlocal=0)":            {"greedy(nonlocal=0) (policy)", "parts    by-arrival, all, greedy\n", "  admit-all "},
		"promise":                       {"reads    profiles, cost models\n", "heeds    resync, control, "},
		"rds":                           {"reads    profiles\n"},
		"constraint":                    {"reads    profiles, the profile of each job with a deadline\n"},
		"edf":                           {"heeds    none: "},
		"sleep":                         {"needs    sleep, wake\n"},
		"speculate":                     {"needs    speculate\n"},
	} {
		out := s.must(0, "policies", text)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: lacks %q:\n%s", text, want, out)
			}
		}
	}
	if out := s.must(0, "policies", "fair+delay"); strings.Count(out, "  first-in-order ") != 1 {
		t.Errorf("a reason is told twice:\n%s", out)
	}
	tells := func(text string) (info policyInfo) {
		if err := json.Unmarshal([]byte(s.must(0, "policies", text, "-o", "json")), &info); err != nil {
			t.Fatal(err)
		}
		return info
	}
	if info := tells("limit"); len(info.Reasons) != 5 || info.Reasons[1].Example != "waits: 5 jobs run, the limit is 5" || len(info.Heeds) < 5 {
		t.Errorf("%+v", info)
	}
	if info := tells("promise"); info.Heeds[0] != "resync" {
		t.Errorf("heeds %q", info.Heeds)
	}
	if any, none := tells("rtmr").Heeds, tells("edf").Heeds; len(any) != 1 || any[0] != "any" || none == nil || len(none) != 0 {
		t.Errorf("any event is %q, none %q", any, none)
	}
	for text, want := range map[string]string{
		"rtmrr":      `there is no policy or part "rtmrr"; did you mean "rtmr"?`,
		"fair(x=1)":  `"fair" has no parameter "x"`,
		"rtmr+delay": `"delay"`,
		"fair+":      `found the end of the text where`,
	} {
		if r := s.run("policies", text); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Error(r.code, r.stderr)
		}
	}
}
