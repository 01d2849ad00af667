package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slackline/slackline/internal/studies/synth"
)

// exampleTraces are the files of examples/traces.
func exampleTraces(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	found, err := filepath.Glob("../../examples/traces/*")
	if err != nil || len(found) == 0 {
		t.Fatal("no traces", err)
	}
	for _, file := range found {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(file)] = string(src)
	}
	return files
}

// Every form can be imported, described, and played by a scenario; what was imported is the same workload.
func TestWorkloadForms(t *testing.T) {
	t.Parallel()
	s := newShell(t, exampleTraces(t))
	for format, file := range map[string]string{"swim": "swim.tsv", "slackline": "small.jsonl", "jhist": "words.jhist", "alibaba": "alibaba.csv"} {
		t.Run(format, func(t *testing.T) {
			s.t = t
			s.must(0, "workload", "import", "--format", format, "--sort", file, "--to", "own-"+format+".jsonl")
			var was, is synth.Stats
			if format != "alibaba" {
				if err := json.Unmarshal([]byte(s.must(0, "workload", "stats", "--format", format, file, "-o", "json")), &was); err != nil {
					t.Fatal(err)
				}
			}
			if err := json.Unmarshal([]byte(s.must(0, "workload", "stats", "own-"+format+".jsonl", "-o", "json")), &is); err != nil {
				t.Fatal(err)
			}
			// the jobs of alibaba are not in order
			if d := cmp.Diff(was, is, cmpopts.IgnoreUnexported(synth.Stats{}), cmpopts.IgnoreFields(synth.Stats{}, "Account")); d != "" && format != "alibaba" {
				t.Fatal(d)
			}
			s.write(format+".yaml", "cluster: {nodes: 20, map_slots: 4, reduce_slots: 2}\nworkload: {trace: {format: slackline, file: own-"+format+".jsonl}}\n")
			var report struct {
				Runs []struct {
					Summary struct {
						Jobs, Finished int
					}
				}
			}
			if err := json.Unmarshal([]byte(s.must(0, "simulate", format+".yaml", "-o", "json")), &report); err != nil {
				t.Fatal(err)
			}
			if got := report.Runs[0].Summary; got.Jobs != is.Jobs {
				t.Fatalf("%+v of %d jobs", got, is.Jobs)
			}
		})
	}
}

func TestWorkloadBadInput(t *testing.T) {
	s := newShell(t, exampleTraces(t))
	s.write("bad.tsv", "a\t1\t1\t1\t1\t1\nb\tx\t1\t1\t1\t1\nc\t2\t1\t-2\t1\t1\n")
	s.write("empty", "")
	before := s.files()
	for args, want := range map[string]string{
		"stats nosuch":                            `nosuch: there is no such file`,
		"stats .":                                 `. is a folder; name a file`,
		"stats":                                   `slackline workload stats takes a trace, not 0 arguments`,
		"stats --format swin swim.tsv":            `--format: there is no trace format "swin"; did you mean "swim"?`,
		"stats swim.tsv":                          `swim.tsv:1: the file does not begin with {"slackline_trace":1}`,
		"stats --format swim empty":               `empty:1: there is no job in it`,
		"stats --format swim bad.tsv":             `bad.tsv:2: submit time: "x" is not a time in seconds`,
		"import swim.tsv":                         `--format is needed: the format of swim.tsv, one of swim, slackline, jhist, alibaba`,
		"import --format swim bad.tsv --to x":     `bad.tsv:2: submit time: "x" is not a time in seconds`,
		"import --format alibaba alibaba.csv":     `start_time: 2m is before the 5m of the job before; slackline workload import --sort puts a trace in order`,
		"import --format swim swim.tsv --to no/x": `no/x cannot be written: there is no folder no`,
		"statz": `unknown command "statz"; did you mean "stats"?`,
	} {
		r := s.run(append([]string{"workload"}, strings.Fields(args)...)...)
		if r.code != 2 || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "goroutine") {
			t.Errorf("slackline workload %s: exit code %d\nstderr %s\nwant   %s", args, r.code, r.stderr, want)
		}
	}
	if d := cmp.Diff(before, s.files()); d != "" {
		t.Errorf("bad input left something behind: %s", d)
	}
	r := s.run("workload", "import", "--format", "swim", "--lenient", "bad.tsv")
	if want := "warning: left out of the trace: records that cannot be read (2), the first: bad.tsv:2: submit time: \"x\" is not a time in seconds\n" +
		"filled in: jobs whose tasks are not listed; they follow from the rule (1), the first: bad.tsv:1: job \"a\"\n"; r.code != 0 || r.stderr != want || strings.Count(r.stdout, "\n") != 2 {
		t.Errorf("lenient: %+v", r)
	}
}

// Whoever reads a trace refuses the same records: a job of too many maps, and one whose ID has been
// there. A lenient reader leaves them out.
func TestWorkloadRecordsRefusedByAll(t *testing.T) {
	s := newShell(t, nil)
	const good = "z\t5\t5\t1\t1\t1\n"
	for name, line := range map[string]string{"large": "a\t9\t9\t9000000000000000000\t0\t1\n", "twice": "z\t9\t9\t1\t1\t1\n"} {
		s.write(name+".tsv", good+line)
		for _, lenient := range []bool{false, true} {
			s.write("s.yaml", fmt.Sprintf("cluster: {nodes: 2}\nworkload: {trace: {format: swim, file: %s.tsv, lenient: %v}}\n", name, lenient))
			for _, command := range []string{"workload import --overwrite --to x.jsonl", "workload stats", "simulate"} {
				args := append(strings.Fields(command), "s.yaml")
				if command != "simulate" {
					args[len(args)-1] = name + ".tsv"
					args = append(args, "--format", "swim")
					if lenient {
						args = append(args, "--lenient")
					}
				}
				r := s.run(args...)
				told := strings.Contains(r.stderr, name+".tsv:2: job ") && (!lenient || strings.Contains(r.stderr, "left out"))
				if !told || (r.code == 0) != lenient || !lenient && r.code != 2 {
					t.Errorf("slackline %s: %d: %s", strings.Join(args, " "), r.code, r.stderr)
				}
			}
		}
	}
}
