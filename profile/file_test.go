package profile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// drawn learns some attempts.
func drawn(t *rapid.T, name string) *Class {
	c := New(name)
	for range rapid.IntRange(0, 20).Draw(t, "attempts") {
		stage := rapid.SampledFrom([]workload.Stage{workload.Map, workload.Reduce, workload.Master}).Draw(t, "stage")
		node := rapid.SampledFrom([]string{"", "local", "fast <&>"}).Draw(t, "node")
		c.Attempt(stage, node, units.Bytes(rapid.Int64Range(0, 1e15).Draw(t, "input")), units.Duration(rapid.Int64Range(-1e6, 1e16).Draw(t, "run")),
			units.Duration(rapid.Int64Range(-1e6, 1e16).Draw(t, "shuffle")))
		c.At(stage, node).Start.Add(rapid.Float64Range(0, 1e9).Draw(t, "start"))
		c.Runs++
		c.Predicted(rapid.Float64Range(0, 1e6).Draw(t, "ratio"))
		for _, e := range []*Estimate{&c.Ratio, &c.Output, &c.Memory} {
			e.Add(rapid.Float64Range(0, 1e12).Draw(t, "value"))
		}
	}
	return c
}

// What was learned comes out of a file as it went in, whatever it was.
func TestFilesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*Class
		for _, name := range []string{"a", "b \" ü", "c"}[:rapid.IntRange(0, 3).Draw(t, "classes")] {
			all = append(all, drawn(t, name))
		}
		text, err := Format(all)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("f", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(all) > 0 || len(back) > 0 {
			if d := cmp.Diff(all, back); d != "" {
				t.Fatal(d)
			}
		}
		again, err := Format(back)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%v\n%s\n%s", err, text, again)
		}
	})
}

// good is a file that can be read; each bad one is it with something replaced.
const good = `{
  "schema": "slackline/profiles/v2",
  "profiles": [
    {
      "name": "words",
      "runs": 2,
      "ratio": {"n": 2, "mean": 1.5, "m2": 0.5, "max": 2, "min": 1},
      "stages": [
        {
          "stage": "map",
          "node": "local",
          "task": {"n": 1, "mean": 1, "m2": 0, "max": 1, "min": 1},
          "per_byte": {"n": 0, "mean": 0, "m2": 0, "max": 0, "min": 0},
          "shuffle": {"n": 0, "mean": 0, "m2": 0, "max": 0, "min": 0},
          "share": 0.5,
          "spread": [{"at": 0, "n": 1}]
        }
      ]
    }
  ]
}
`

func TestBadFiles(t *testing.T) {
	if _, err := Parse("p.json", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{good, "", "p.json:1: the file ends too early"},
		{"  ]\n}\n", "", "p.json:20: the file ends too early"},
		{good, "hello", "p.json:1: this is not JSON: invalid character 'h' looking for beginning of value"},
		{`"runs": 2,`, `"runs": 2`, "p.json:7: this is not JSON: invalid character '\"' after object key:value pair"},
		{"profiles/v2", "profiles/v3", `p.json:2: schema: it is "slackline/profiles/v3", this build reads "slackline/profiles/v2"`},
		{`  "schema": "slackline/profiles/v2",`, "", `p.json:1: schema: it is "", this build reads "slackline/profiles/v2"`},
		{"  ]\n}\n", "  ]\n}\n{}", "p.json:22: there is more after the end of the profiles"},
		{`"name": "words"`, `"name": ""`, "p.json:5: profiles[0].name: the class has no name"},
		{`"runs": 2`, `"runs": -2`, "p.json:6: profiles[0].runs: it is negative"},
		{`"runs": 2`, `"runs": "two"`, "p.json:6: profiles.runs: a string is not allowed here"},
		{good, "[]", "p.json:1: this is not a file of profiles, which is an object: an array stands here"},
		{good, "\n\n7", "p.json:3: this is not a file of profiles, which is an object: a number stands here"},
		{`"runs": 2`, `"runs": []`, "p.json:6: profiles.runs: an array is not allowed here"},
		{`"runs": 2`, `"runs": true`, "p.json:6: profiles.runs: true or false is not allowed here"},
		{`"share": 0.5`, `"work": {"n": 1, "bytes": 0, "amount": 1, "largest": 0}`, "p.json:15: profiles[0].stages[0].work.bytes: it is not above 0"},
		{`"share": 0.5`, `"work": {"n": 1, "bytes": 2, "amount": -1, "largest": 2}`, "p.json:15: profiles[0].stages[0].work.amount: it is negative"},
		{`"share": 0.5`, `"work": {"n": 1, "bytes": 2, "amount": 1, "largest": 3}`, "p.json:15: profiles[0].stages[0].work.largest: it is not above 0, or more than the sum"},
		{`"runs": 2`, `"runs": 2, "emitted": {"n": 0, "bytes": 2}`, "p.json:6: profiles[0].emitted.n: it is 0, but there is a value"},
		{`"runs": 2`, `"runs": 2, "runs": 3`, "p.json:6: profiles[0].runs: the key is given twice"},
		{`"runs"`, `"rums"`, "p.json:6: profiles[0].rums: there is no such field"},
		{`"mean": 1.5`, `"mean": 2.5`, "p.json:7: profiles[0].ratio.mean: it is not between minimum and maximum"},
		{`"m2": 0.5`, `"m2": -0.5`, "p.json:7: profiles[0].ratio.m2: a sum of squares must not be negative"},
		{`"max": 2`, `"max": 1e300`, "p.json:7: profiles[0].ratio.max: it is 1e18 or more, which no time, size or ratio is"},
		{`"max": 2`, `"max": 0.5`, "p.json:7: profiles[0].ratio.max: it is below the minimum"},
		{`"min": 1}`, `"min": -1}`, "p.json:7: profiles[0].ratio.min: it is negative, which no time, size or ratio can be"},
		{`{"n": 2, "mean"`, `{"n": 0, "mean"`, "p.json:7: profiles[0].ratio.n: it is 0, but there is a value"},
		{`{"n": 2, "mean"`, `{"n": -2, "mean"`, "p.json:7: profiles[0].ratio.n: it is negative, or more than can be counted"},
		{`"share": 0.5`, `"share": 2`, "p.json:15: profiles[0].stages[0].share: it is not in 0 to 1"},
		{`"stage": "map"`, `"stage": "mop"`, `there is no stage "mop"`},
		{`[{"at": 0, "n": 1}]`, `[{"at": 0, "n": 2}]`, "p.json:16: profiles[0].stages[0].spread[0].n: it is below 1, or there are more values in the bins than were measured"},
		{`[{"at": 0, "n": 1}]`, `[{"at": 99999999, "n": 1}]`, "p.json:16: profiles[0].stages[0].spread[0].at: there is no such bin"},
		{`"runs": 2`, `"runs": 2, "errors": [{"at": 0, "n": 1}]`, "p.json:6: profiles[0].errors[0].n: it is below 1, or there are more values"},
		{`"profiles": [`, `"profiles": [null,`, "p.json:3: profiles[0]: there is no profile"},
		{good[strings.Index(good, "    {\n"):], `{"name": "a"}, {"name": "a"}]}`, `p.json:4: profiles[1].name: the class "a" is given twice`},
		{`"runs": 2`, `"runs": ` + strings.Repeat("[", 50) + strings.Repeat("]", 50), "brackets are nested too deeply"},
	} {
		_, err := Parse("p.json", []byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q for %.40q: %v\nwant %s", c.new, c.old, err, c.want)
		}
	}
}

// No file breaks the reader, and what it accepts can be written, read and used.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"schema": "slackline/profiles/v2", "profiles": [{"name": "a", "stages": [{"stage": "map", "task": {"n": 1}}]}]}`))
	learned := taughtBy(1, 3, 3, 5, 1e-7, 0.1, 0.1)
	Fit([]*Class{learned})
	text, err := Format([]*Class{learned})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, src []byte) {
		all, err := Parse("f", src)
		if err != nil {
			return
		}
		text, err := Format(all)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("f", text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, c := range all {
			for i := range c.Stages {
				c.Stages[i].Spread.Values(3)
			}
			c.Merge(c)
		}
		Fit(all)
		if text, err = Format(all); err != nil {
			t.Fatalf("the models of %s: %v", src, err)
		}
		if _, err := Parse("f", text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
