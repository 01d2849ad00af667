package main

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
)

// After two runs a class has cost models, and scores of the first by the second; after a jump this is said. What is
// exported has all of it.
func TestModelsAreShown(t *testing.T) {
	s := newShell(t, map[string]string{"in.txt": strings.Repeat("some line of text\n", 1000),
		"job.yaml": "name: j\napp: wordcount\ninput: in.txt\noutput: out\n"})
	s.warm(2, "run", "job.yaml", "--block", "2kB", "-q")
	shown := s.must(0, "profile", "show", "wordcount")
	for _, want := range []string{"\ncost models: ", "\nrun ", "map on local", "later shuffle", "reduce on local", "\nemitted ", "\nscores: "} {
		if !strings.Contains(shown, want) {
			t.Errorf("there is no %q:\n%s", want, shown)
		}
	}
	classes, err := profile.Parse("exported", []byte(s.must(0, "profile", "export", "wordcount")))
	if err != nil || len(classes[0].Samples) == 0 || classes[0].Model(sched.Map, "local", profile.Run) == nil {
		t.Errorf("%v, %+v", err, classes)
	}
	c, g := classes[0], profile.Gather{}
	c.Name, c.Cold = "jumped", nil
	for i := range 30 {
		took := 1.0 + float64(i%3)/100
		if i >= 24 {
			took *= 3
		}
		g.Add(profile.Key{Stage: sched.Map, Node: "other"}, 1e6, -1, took)
		c.Learn(&g, nil)
	}
	text, err := profile.Format(classes)
	if err != nil {
		t.Fatal(err)
	}
	s.write("jumped.json", string(text))
	s.must(0, "profile", "import", "jumped.json")
	if shown, want := s.must(0, "profile", "show", "jumped"), "The last 6 jobs took 3 times what those before did (run of map on other)"; !strings.Contains(shown, want) {
		t.Errorf("it does not say %q:\n%s", want, shown)
	}
}
