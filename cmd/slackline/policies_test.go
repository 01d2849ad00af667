package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/catalog"
)

// Every entry tells all of itself within 80 columns: each reason has a name of its own, says more than that, and says what its numbers mean.
func TestEntriesTellAllOfThemselves(t *testing.T) {
	name, sentences := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), map[string]string{}
	entries := catalog.All()
	for i := range entries {
		var b bytes.Buffer
		if err := tellEntry(&b, &entries[i], 80); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimRight(l, "\n"))); n > 80 {
				t.Errorf("%s: %d columns: %s", entries[i].Name, n, l)
			}
		}
		for _, c := range entries[i].All().Causes {
			if said, known := sentences[c.Name]; known && said != c.Text+strings.Join(c.Numbers, ",") {
				t.Errorf("%s: two causes are called %q", entries[i].Name, c.Name)
			}
			sentences[c.Name] = c.Text + strings.Join(c.Numbers, ",")
			if !name.MatchString(c.Name) || (c.Text == "") == (c.Say == nil) || (c.Say == nil) != (len(c.Numbers) == 0) || c.Say != nil && c.Example == [3]int64{} {
				t.Errorf("%s: the cause %q has no sentence, or two, or does not say what its numbers mean, or gives no example", entries[i].Name, c.Name)
			}
		}
	}
}

func TestPoliciesTellsOne(t *testing.T) {
	s := newShell(t, nil)
	out := s.must(0, "policies", "rtmr")
	for _, want := range []string{"rtmr (scheme)", "source   paper 003", "needs    kill (its part rtmr reclaimer)", "reads    profiles", "  no-slots ", "heeds    any event"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	var info policyInfo
	if err := json.Unmarshal([]byte(s.must(0, "policies", "limit", "-o", "json")), &info); err != nil || len(info.Reasons) != 3 || info.Reasons[1].Example != "waits: 5 jobs run, the limit is 5" || len(info.Heeds) < 5 {
		t.Errorf("%+v, %v", info, err)
	}
	if r := s.run("policies", "rtmrr"); r.code != 2 || !strings.Contains(r.stderr, `there is no policy or part "rtmrr"; did you mean "rtmr"?`) {
		t.Error(r.code, r.stderr)
	}
}
