package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The version is the newest one that the changelog describes, and both ways of asking say it.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$`).FindSubmatch(text)
	if newest == nil || string(newest[1]) != release {
		t.Errorf("the newest version in CHANGELOG.md is %s, and this one is %s", newest, release)
	}
	s := newShell(t, nil)
	for _, ask := range []string{"version", "--version"} {
		if out := s.must(0, ask); !strings.HasPrefix(out, "slackline "+release+" ") {
			t.Errorf("%s: %q", ask, out)
		}
	}
}
