package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// pipe runs slackline with standard input.
func (s *shell) pipe(in string, args ...string) result {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &stdout, &stderr
	_ = cmd.Run() // the exit code says how it went
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Mapper, sort and reducer in a row make what run makes of the same text.
func TestStream(t *testing.T) {
	const text = "the cat and the dog\nand the end\n\nof the\tline"
	for app, params := range map[string]string{"wordcount": "", "grep": "pattern=the", "sort": ""} {
		job := "app: " + app + "\ninput: in\noutput: out\n"
		var flags []string
		if params != "" {
			flags = []string{"--param", params}
			job += "params: {" + strings.Replace(params, "=", ": ", 1) + "}\n"
		}
		s := newShell(t, map[string]string{"in": text, "job.yaml": job})
		s.must(0, "run", "job.yaml")
		lines := text
		for _, role := range []string{"map", "combine", "reduce"} {
			r := s.pipe(lines, append([]string{"stream", role, app}, flags...)...)
			if r.code != 0 {
				t.Fatalf("%s %s: exit code %d\n%s", role, app, r.code, r.stderr)
			}
			all := slices.Collect(strings.Lines(r.stdout))
			slices.Sort(all)
			lines = strings.Join(all, "")
			if role == "reduce" {
				lines = r.stdout
			}
		}
		if want := s.read("out/part-r-00000"); lines != want {
			t.Errorf("%s: streamed %q, run %q", app, lines, want)
		}
	}
	s := newShell(t, nil)
	for want, args := range map[string][]string{
		`"shuffle" is not map, combine or reduce`:               {"shuffle", "wordcount"},
		`there is no application "wordcont"; did you mean`:      {"map", "wordcont"},
		`application wordcount has no parameter "a"`:            {"map", "wordcount", "--param", "a=b"},
		`--param "a": write it as NAME=VALUE`:                   {"map", "wordcount", "--param", "a"},
		"slackline stream takes a role (map, combine or reduce": {"map"},
	} {
		if r := s.pipe("", append([]string{"stream"}, args...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit code %d, %s", args, r.code, r.stderr)
		}
	}
	if r := s.pipe("a\t1\r\n", "stream", "reduce", "wordcount"); r.code != 1 || !strings.Contains(r.stderr, "carriage return") {
		t.Errorf("a count before CR LF: %+v", r)
	}
	if r := s.pipe("a\tone\n", "stream", "reduce", "wordcount"); r.code != 1 || !strings.Contains(r.stderr, `"one" is not a count`) {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
}
