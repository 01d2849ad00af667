package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
)

func TestShare(t *testing.T) {
	for of, want := range map[int]int{1: 1, 8: 1, 11: 2, 29: 3, 30: 3, 300: 3, 301: 4, 1000: 10} {
		if got := share(of); got != want {
			t.Errorf("of %d maps %d are run, want %d", of, got, want)
		}
	}
}

// A chain is sampled as one: the second job reads what the sample of the first wrote. Two jobs of a class are told
// apart, and of the third, which has no reduces, some maps run. Nothing is left of it.
func TestSampled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in := t.TempDir()
	text := strings.Repeat("the quick brown fox jumps over the lazy dog\n", 2000)
	if err := os.WriteFile(filepath.Join(in, "text"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	jobs, err := scenario.ReadJobs("jobs.yaml", fmt.Appendf(nil, `
name: words
app: wordcount
input: %[1]q
output: %[2]q
reduces: 4
deadline: 1s
---
name: top
app: sort
after: [words]
input: %[2]q
output: %[3]q
reduces: 1
---
name: find
app: grep
params: {pattern: fox}
input: %[1]q
output: %[4]q
reduces: 0
---
name: other
app: grep
params: {pattern: nothing}
arrive: 10m
input: %[1]q
output: %[5]q
reduces: 0
`, filepath.Join(in, "text"), filepath.Join(in, "words"), filepath.Join(in, "top"), filepath.Join(in, "find"), filepath.Join(in, "other")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLocal(jobs, Machine{Nodes: 1, MapSlots: 2, ReduceSlots: 1, Block: 1000}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	of, known, err := l.Sampled(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(known) != 4 {
		t.Fatalf("%d classes are known, want one for each job", len(known))
	}
	whole := float64(len(text))
	written, read := find(known, "find").Output.Mean, find(known, "words").Emitted
	if got := find(known, "other").Output.Mean; written < 0.9 || got != 0 {
		t.Errorf("the greps write %v and %v of what they read", written, got)
	}
	if read.Bytes == 0 || read.Bytes > whole/20 {
		t.Errorf("the sample read %v bytes of %v", read.Bytes, whole)
	}
	for _, policy := range []string{"promise", "fifo"} {
		a, err := of.Ask(t.Context(), policy, 1, known)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct{ of, maps int }{{88, 3}, {0, 0}, {88, 3}, {88, 3}} {
			job := &a.Jobs[i]
			if job.Done == nil || job.New || job.Sample == nil || job.Sample.Of != want.of || job.Sample.Maps != want.maps || job.Sample.Took <= 0 {
				t.Errorf("%s: job %q: %+v, by %+v", policy, job.ID, job, job.Sample)
			}
			if job.Class != jobs[i].Class {
				t.Errorf("job %q is of class %q", job.ID, job.Class)
			}
		}
		if a.Jobs[0].Deadline == nil || a.Jobs[3].Submitted.Sub(a.Jobs[0].Submitted) != 10*time.Minute {
			t.Error("deadline or arrival is lost")
		}
	}
	for _, dir := range []string{os.Getenv("TMPDIR"), in} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 1 || dir != in && len(left) > 0 {
			t.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
}

// What is wrong with a job comes out.
func TestSampleFails(t *testing.T) {
	in := inputs(t, 100)
	jobs, err := scenario.ReadJobs("jobs.yaml", fmt.Appendf(nil, "name: bad\nmap: sh -c 'exit 3'\ninput: %q\noutput: %q\nreduces: 0\n", in, filepath.Join(t.TempDir(), "out")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLocal(jobs, Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = l.Sampled(t.Context(), 1); err == nil || !strings.Contains(err.Error(), `the sample of job "bad" failed: `) {
		t.Error(err)
	}
}
