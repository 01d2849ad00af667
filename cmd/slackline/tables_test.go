package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The examples of tables: two inputs of different formats, compressed output, a workflow, and a
// program of one's own on CSV.
func TestTables(t *testing.T) {
	t.Parallel()
	s := inRepository(t)
	s.write("a.md", "the cat and the dog\nthe end\n")
	s.write("b.md", "the cat\n")
	s.must(0, "run", "examples/tables/join.yaml")
	want := `part-r-00000
{"key":"1","value":{"left":{"id":"1","name":"Ann","motto":"one, two"},"right":{"user": "1", "page": "/home"}}}
{"key":"1","value":{"left":{"id":"1","name":"Ann","motto":"one, two"},"right":{"user": "1", "page": "/help"}}}
{"key":"2","value":{"left":{"id":"2","name":"Bob","motto":"says \"hi\"\non two lines"},"right":{"user": "2", "page": "/home"}}}
{"key":"2","value":{"left":{"id":"2","name":"Bob","motto":"says \"hi\"\non two lines"},"right":{"user": "2", "page": "/cart"}}}
{"key":"3","value":{"left":{"id":"3","name":"Cid","motto":""},"right":null}}
`
	if got := s.parts("out/joined"); got != want {
		t.Errorf("join:\n%s", got)
	}

	s.must(0, "run", "examples/tables/top.yaml")
	f, err := os.Open(s.path("out/top/part-r-00000"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 6 || strings.Join(rows[0], " ") != "word count" || strings.Join(rows[1], " ") != "the 4" || strings.Join(rows[2], " ") != "cat 2" || strings.Join(rows[3], " ") != "and 1" {
		t.Errorf("top: %q, %v", rows, err)
	}

	// What one job compresses the next one reads, with nothing said.
	s.must(0, "run", "examples/tables/index.yaml")
	s.write("again.yaml", "app: sort\ninput: out/index\noutput: out/sorted\n")
	s.must(0, "run", "again.yaml")
	if got := s.parts("out/sorted"); got != "part-r-00000\nand\ta.md:1\ncat\ta.md:1\tb.md:1\ndog\ta.md:1\nend\ta.md:1\nthe\ta.md:3\tb.md:1\n" {
		t.Errorf("index: %q", got)
	}
}

// Each of several inputs has a mapper command of its own; the commands find its name in their environment.
func TestInputsWithCommands(t *testing.T) {
	t.Parallel()
	need(t, "sh", "sed")
	s := inRepository(t)
	s.write("job.yaml", `map: "sh -c 'sed s/^/$slackline_input_name:/'"
inputs:
  - {path: examples/tables/users.csv, format: csv, map: "sed s/^/U:/"}
  - {path: examples/tables/visits.jsonl, name: v}
output: out/both
reduces: 0
`)
	s.must(0, "run", "job.yaml")
	got := s.parts("out/both")
	if strings.Count(got, `U:{"id":`) != 3 || strings.Count(got, `v:{"user": `) != 5 {
		t.Errorf("%s", got)
	}
}

// A large file that gzip packed is read by one task, which the run says; damage fails the attempt with file and place.
func TestPackedInput(t *testing.T) {
	s := newShell(t, nil)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 200_000 {
		if _, err := w.Write([]byte(strings.Repeat("ab", i*i%97) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s.write("in", packed.String())
	s.write("job.yaml", "name: j\napp: wordcount\ninput: in\noutput: out\ncompress: gzip\n")
	told := s.run("run", "job.yaml", "--block", "64KB").stderr
	if want := "one task reads all of in: gzip cannot be split"; !strings.Contains(told, want) {
		t.Errorf("%q is not told in\n%s", want, told)
	}
	if _, err := os.Stat(filepath.Join(s.path("out"), "part-r-00000.gz")); err != nil {
		t.Error(err)
	}
	s.write("in", packed.String()[:packed.Len()-10])
	s.write("job.yaml", "name: j\napp: wordcount\ninput: in\noutput: broken\n")
	r := s.run("run", "job.yaml")
	if want := `input "in": it ends at byte `; r.code != 1 || !strings.Contains(r.stdout+r.stderr, want) || !strings.Contains(r.stdout+r.stderr, "in the middle of its gzip data") {
		t.Errorf("%q is not told in\n%+v", want, r)
	}
}

// Contradictions with what only the application knows.
func TestFormatsOfApplications(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in": strings.Repeat("x", 200)})
	for key, want := range map[string]string{
		"input_format: csv":  "j.yaml:4:15: application terasort reads records of 100 bytes and no other format; leave input_format out",
		"output_format: csv": "j.yaml:4:16: application terasort writes records as they are, in no other format; leave output_format out",
	} {
		s.write("j.yaml", "app: terasort\ninput: in\noutput: out\n"+key+"\n")
		if r := s.run("run", "j.yaml"); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", key, r)
		}
	}
}
