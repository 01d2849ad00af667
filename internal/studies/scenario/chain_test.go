package scenario

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// chained reads jobs that are written as NAME: INPUT > OUTPUT, one a line.
func chained(t *testing.T, text string) []*Job {
	t.Helper()
	var docs []string
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		in, out, _ := strings.Cut(rest, " > ")
		docs = append(docs, fmt.Sprintf("name: %s\napp: wordcount\ninput: [%s]\noutput: %s\n", name, in, out))
	}
	jobs, err := ReadJobs("j.yaml", []byte(strings.Join(docs, "---\n")))
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// Jobs wait for those whose output they read, however they name it, and in whatever order they stand.
func TestChain(t *testing.T) {
	jobs := chained(t, `report: "out/by*", lookup > out/report
		bykey: out/clean/part-r-00000 > out/bykey
		byname: out/clean > out/byname
		clean: raw > out/clean
		all: out > all
		apart: outer > apart`)
	if _, err := Submit(jobs, time.Now()); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"report": {"bykey", "byname"}, "bykey": {"clean"}, "byname": {"clean"}, "clean": nil, "all": {"report", "bykey", "byname", "clean"}, "apart": nil}
	for _, j := range jobs {
		if !slices.Equal(j.After, want[j.Name]) {
			t.Errorf("%s waits for %v, want %v", j.Name, j.After, want[j.Name])
		}
	}
	if _, err := Submit(jobs, time.Now()); err != nil || len(jobs[0].After) != 2 {
		t.Errorf("a second time: %v, %v", jobs[0].After, err)
	}
}

// Links on the way to input and output hide neither who writes what is read nor that a job reads its own.
func TestChainFollowsLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("real/in", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": "real", "lin": "real/in"} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("NOT CHECKED: this system makes no links: ", err)
		}
	}
	jobs := chained(t, `b: link/a > out/b
		c: "link/*" > out/c
		d: real/a > out/d
		e: "*/a" > out/e
		a: raw > real/a
		l: raw > link/l
		f: real/l/part-r-00000 > out/f`)
	if _, err := Submit(jobs, time.Now()); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"b": {"a"}, "c": {"a", "l"}, "d": {"a"}, "e": {"a"}, "f": {"l"}}
	for _, j := range jobs {
		if !slices.Equal(j.After, want[j.Name]) {
			t.Errorf("%s waits for %v, want %v", j.Name, j.After, want[j.Name])
		}
	}
	for text, want := range map[string]string{
		"a: lin > real/in/out":          `output "real/in/out" lies in its own input "lin", so`,
		"a: real/in > lin/out":          `output "lin/out" lies in its own input "real/in", so`,
		"a: real/in > lin":              `output "lin" is its own input`,
		"a: x > link/o\n b: y > real/o": `output "real/o" is that of job "a" as well`,
	} {
		if _, err := Submit(chained(t, text), time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Jobs wait for those that write their side files.
func TestChainBySideFiles(t *testing.T) {
	jobs, err := ReadJobs("j.yaml", []byte("name: b\nmap: cat\ninput: x\nfiles: [out/a/part-r-00000#list, own.txt]\noutput: out/b\n---\nname: a\napp: wordcount\ninput: x\noutput: out/a\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Submit(jobs, time.Now()); err != nil || !slices.Equal(jobs[0].After, []string{"a"}) || jobs[1].After != nil {
		t.Errorf("%v, %v, %v", jobs[0].After, jobs[1].After, err)
	}
	jobs[1].Input = []string{"out/b"}
	if _, err := Submit(jobs, time.Now()); err == nil || !strings.Contains(err.Error(), `"b" reads what "a" writes`) {
		t.Error(err)
	}
}

// A job that would read its own output, or wait for itself by what it reads, is refused with the place.
func TestChainRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a: full > full/out":                                   `j.yaml:4:9: output "full/out" lies in its own input "full", so the next run would read what this one wrote; name a directory outside of what the job reads`,
		"a: full/* > full/out":                                 `j.yaml:4:9: output "full/out" lies in its own input "full/*", so`,
		"a: full > full":                                       `j.yaml:4:9: output "full" is its own input`,
		"a: out/raw > out":                                     `j.yaml:4:9: output "out" contains its own input "out/raw"`,
		"a: x, ./full/../full > full/deep/er":                  `j.yaml:4:9: output "full/deep/er" lies in its own input`,
		"a: full > full/_out":                                  "",
		"a: full/*.log > full/out":                             "",
		"a: x > out/a\n b: out/a > out/b":                      "",
		"a: out/b > out/a\n b: out/a > out/b":                  `j.yaml:3:9: job "a" waits for itself: "a" after "b" after "a"; "a" reads what "b" writes; "b" reads what "a" writes`,
		"a: out/c > out/a\nb: out/a > out/b\nc: out/b > out/c": `"a" after "c" after "b" after "a"`,
		strings.Repeat("n", 100) + ": x > y":                   "",
	} {
		_, err := Submit(chained(t, text), time.Now())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	_, err := ReadJobs("j.yaml", []byte("name: "+strings.Repeat("n", 101)+"\napp: wordcount\ninput: x\noutput: y\n"))
	if err == nil || err.Error() != "j.yaml:1:7: the name of the job has 101 characters, it must have at most 100" {
		t.Error(err)
	}
}
