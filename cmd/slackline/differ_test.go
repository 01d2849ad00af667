package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A differ is what .ci/differ stored of an application: random cases, and what DuckDB, Python and
// GNU tools make of them. In jobs and in what is expected HERE/ and HERE- stand for the folder and
// for the names of a case. Bytes are written as characters of the same number.
type differ struct {
	Block string
	Cases []struct {
		Job   string
		Files map[string]string
		Out   string
		Unit  string // what output is made of: lines, json, counts before a TAB, records of 100 bytes
		Exact bool   // the order counts
		Want  []string
	}
}

// Every application and every example that writes something equals what others make of the same
// random input. The long tier has more cases (make differ).
func TestDiffer(t *testing.T) {
	if testing.Short() {
		t.Skip("all cases are played where -short is not asked for")
	}
	t.Parallel()
	files, err := filepath.Glob("testdata/differ/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	shell := []string{"sh", "tr", "cut", "uniq", "sed", "awk", "head"}
	needs := map[string][]string{"python": {"python3"}, "awk": {"awk"}, "combine-alone": {"awk"}, "streaming-join": {"awk"}, "shell": shell, "shell-top": shell,
		"streamed-words": {"sh", "cat", "sort"}, "stream-words": {"sh", "cat", "sort"}}
	bin := t.TempDir()
	need(t, "go")
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./examples/words", "./examples/rawwords", "./.ci/differ/combiner")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "slackline")); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			need(t, needs[name]...)
			var d differ
			text, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(text, &d)
			}
			if err != nil {
				t.Fatal(err)
			}
			s := newShell(t, nil)
			if err := os.CopyFS(s.path("examples"), os.DirFS("../../examples")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(bin, s.path("bin")); err != nil {
				t.Fatal(err)
			}
			var jobs []string
			for i, c := range d.Cases {
				here := fmt.Sprintf("c%d", i)
				for name, text := range c.Files {
					s.write(here+"/in/"+name, latin1(text))
				}
				jobs = append(jobs, strings.NewReplacer("HERE/", here+"/", "HERE-", here+"-").Replace(c.Job))
			}
			s.write("jobs.yaml", strings.Join(jobs, "---\n"))
			s.must(0, "run", "jobs.yaml", "-q", "--block", d.Block, "--nodes", "2")
			for i, c := range d.Cases {
				here := fmt.Sprintf("c%d/", i)
				got := s.units(here+c.Out, c.Unit)
				want := make([]string, len(c.Want))
				for i, w := range c.Want {
					if c.Unit == "json" {
						want[i] = canonical(t, w)
					} else {
						want[i] = strings.ReplaceAll(latin1(w), "HERE/", here)
					}
				}
				if !c.Exact {
					slices.Sort(got)
					slices.Sort(want)
				}
				if !slices.Equal(got, want) {
					t.Errorf("case %d: got %d units, want %d:\n%q\n%q\n%s", i, len(got), len(want), got, want, c.Job)
				}
			}
		})
	}
}

// latin1 makes bytes of characters.
func latin1(text string) string {
	var b []byte
	for _, c := range text {
		b = append(b, byte(c))
	}
	return string(b)
}

// units reads what the parts of an output are made of.
func (s *shell) units(dir, unit string) (units []string) {
	s.t.Helper()
	s.read(dir + "/_SUCCESS")
	names, err := filepath.Glob(s.path(dir + "/part-*"))
	if err != nil || len(names) == 0 {
		s.t.Fatalf("%s: no parts (%v)", dir, err)
	}
	for _, name := range names {
		text, err := unpacked(name)
		if err != nil {
			s.t.Fatal(err)
		}
		if unit == "records" {
			for record := range slices.Chunk(text, 100) {
				units = append(units, string(record))
			}
			continue
		}
		for line := range bytes.Lines(text) {
			line = bytes.TrimSuffix(line, []byte{'\n'})
			switch unit {
			case "counts":
				line, _, _ = bytes.Cut(line, []byte{'\t'})
			case "json":
				line = []byte(canonical(s.t, string(line)))
			}
			units = append(units, string(line))
		}
	}
	return units
}

// canonical is a record in one way of writing JSON, with {"number": "1e0"} for a number, as .ci/differ writes it.
func canonical(t *testing.T, line string) string {
	t.Helper()
	var record any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&record); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	text, err := json.Marshal(numbered(record))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func numbered(value any) any {
	switch v := value.(type) {
	case json.Number:
		return map[string]any{"number": string(v)}
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbered(v[k])
		}
	}
	return value
}

func unpacked(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if filepath.Ext(name) == ".gz" {
		r, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	return io.ReadAll(f)
}
