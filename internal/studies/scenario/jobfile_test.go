package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/config"
)

// Documents are jobs of one file; what is wrong in any of them is told at its own line.
func TestJobsOfOneFile(t *testing.T) {
	const two = "app: sort\ninput: x\noutput: y\n---\nname: second\nmap: cat\nkey_fields: 2\ninput: y\noutput: z\nafter: f-1\nlimits: {memory: 1GB, open_files: 64}\n"
	jobs, err := ReadJobs("f.yaml", []byte(two))
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	j := jobs[1]
	if jobs[0].Name != "f-1" || j.Name != "second" || j.Map.CPU != "cat" || j.KeyFields != 2 || !reflect.DeepEqual(j.After, config.Texts{"f-1"}) ||
		j.Limits.Memory != 1<<30 || j.Limits.Files != 64 || j.Class != "second" {
		t.Errorf("%+v\n%+v", jobs[0], j)
	}
	if err := j.Errorf("map", "bad"); err.Error() != "f.yaml:6:6: bad" {
		t.Error(err)
	}
	_, err = ReadJobs("f.yaml", []byte("app: sort\ninput: x\noutput: y\nmore: 1\n---\napp: sort\ninput: x\n"))
	if want := "f.yaml:4:1: unknown key \"more\"\nf.yaml:6:1: the key \"output\" is missing: directory for the result; it must not exist"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if !IsJob([]byte(two)) {
		t.Error("a file of two jobs is read as a scenario")
	}
	if _, err := ReadJob("f.yaml", []byte(two)); err == nil {
		t.Error("two documents are read as one")
	}
}

// Paths mean what they mean to a shell, or are refused with their place: none names a folder "hdfs:" or "~" by mistake.
func TestPathsOfJobs(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	t.Setenv("USERPROFILE", "/home/ann")
	job := func(input, output, files string) (*Job, error) {
		return ReadJob("f.yaml", []byte("map: cat\ninput: "+input+"\noutput: "+output+"\nfiles: "+files+"\n"))
	}
	for path, want := range map[string]string{"~": "/home/ann", "~/x": "/home/ann/x", "$HOME/x": "/home/ann/x", "${HOME}": "/home/ann", "./~/x": "./~/x", "x~": "x~",
		"C:/x": "C:/x", "a/b://c": "a/b://c", "$HOME/*.txt#n": "/home/ann/*.txt#n", "$$X": "$X", "x/${HOME}": "x//home/ann"} {
		j, err := job("[y, '"+path+"']", "'"+path+"'", "'"+path+"'")
		if err != nil || j.Input[1] != want || j.Output != want || j.Files[0] != want {
			t.Errorf("%s: %+v, %v", path, j, err)
		}
	}
	for path, want := range map[string]string{
		"hdfs://nn/y": `"hdfs://nn/y" is an address, and jobs run on this machine`, "s3://b/k": `"s3://b/k" is an address`, "s3a:/b": `"s3a:/b" is an address`,
		"file:///x": `"file:///x" is an address; write the path alone, without file:`, "~bob/x": `"~bob/x": only ~ at the start`, "$HOMER": `"$HOMER": write ${HOMER} for the variable, or $$HOMER for a dollar`,
		"$DATA/x": `"$DATA/x": write ${DATA} for the variable`, "a$HOME": `"a$HOME": write ${HOME}`,
	} {
		for place, args := range map[string][3]string{
			"f.yaml:2:13: input[1]: ": {"[in, '" + path + "']", "out", "x"}, "f.yaml:2:8: input: ": {path, "out", "x"},
			"f.yaml:3:9: output: ": {"in", path, "x"}, "f.yaml:4:8: files: ": {"in", "out", path},
		} {
			if _, err := job(args[0], args[1], args[2]); err == nil || !strings.HasPrefix(err.Error(), place+want) {
				t.Errorf("%v, want %s%s", err, place, want)
			}
		}
	}
	_, err := ReadJob("f.yaml", []byte("map: cat\noutput: o\ninputs:\n- {path: [x, 's3://y/z']}\n"))
	if want := `f.yaml:4:14: inputs[0].path[1]: "s3://y/z" is an address`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// No job writes into the output of another, however the two are written.
func TestOutputsLieApart(t *testing.T) {
	for outputs, want := range map[[2]string]string{
		{"out/q", "out/q/x"}:  `f.yaml:9:9: output "out/q/x" of job "b" is inside output "out/q" of job "a"; give each job its own directory`,
		{"out/q/x", "./out/"}: `f.yaml:9:9: output "./out/" of job "b" contains output "out/q/x" of job "a"; give each`,
		{"out/q", "out//q/"}:  `f.yaml:9:9: output "out//q/" is that of job "a" as well; give each job its own`,
		{"out/q", "out/qq"}:   "",
		{"out/q", "out/..q"}:  "",
		{"..q", "..q/x"}:      `is inside output "..q"`,
	} {
		jobs, err := ReadJobs("f.yaml", []byte("name: a\napp: sort\ninput: x\noutput: "+outputs[0]+"\n---\nname: b\napp: sort\ninput: x\noutput: "+outputs[1]+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Submit(jobs, time.Unix(1, 0)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", outputs, err, want)
		}
	}
}

// Of many jobs each is held against all others, whoever of them came first, and none of them twice.
func TestManyOutputsLieApart(t *testing.T) {
	read := func(name int, output string) *Job {
		j, err := ReadJob("f.yaml", fmt.Appendf(nil, "name: j%d\napp: sort\ninput: x\noutput: %s\n", name, output))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	var many []*Job
	for i := range 2000 {
		many = append(many, read(i, fmt.Sprintf("out/%d/%d", i%40, i)))
	}
	if _, err := Submit(many, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for last, want := range map[string]string{
		"out/3/1003/x": `inside output "out/3/1003" of job "j1003"`,
		"out/7":        `contains output "out/7/7" of job "j7"`,
		"out/1999/..":  `contains output "out/0/0" of job "j0"`,
		"out/2/./42":   `is that of job "j42" as well`,
	} {
		if _, err := Submit(append(many[:2000:2000], read(2000, last)), time.Unix(1, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", last, err, want)
		}
		if _, err := Submit([]*Job{read(2000, last)}, time.Unix(1, 0), many...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, beside them: %v, want %s", last, err, want)
		}
	}
}

// Without reduces only those applications run whose maps make a result.
func TestReducesOfApplications(t *testing.T) {
	mapOnly := []string{"grep", "loadgen", "teragen"}
	for _, app := range apps.All() {
		_, err := ReadJob("f.yaml", []byte("app: "+app.Name+"\ninput: x\noutput: y\nreduces: 0\n"))
		if may := slices.Contains(mapOnly, app.Name); may != (err == nil) {
			t.Errorf("%s without reduces: %v", app.Name, err)
		}
		if _, err := ReadJob("f.yaml", []byte("app: "+app.Name+"\ninput: x\noutput: y\nreduces: 1\n")); err != nil {
			t.Errorf("%s with a reduce: %v", app.Name, err)
		}
	}
}

func TestSkipBadRecords(t *testing.T) {
	j, err := ReadJob("f.yaml", []byte("app: a\ninput: x\noutput: o\nskip_bad_records: 7\n"))
	if err != nil || j.SkipBad != 7 {
		t.Errorf("%+v, %v", j, err)
	}
	for keys, want := range map[string]string{
		"app: a\nskip_bad_records: -1":   "f.yaml:2:19: skip_bad_records is -1",
		"map: cat\nskip_bad_records: 10": "f.yaml:2:19: skip_bad_records and map contradict each other: a command reads ahead",
	} {
		if _, err := ReadJob("f.yaml", []byte(keys+"\ninput: x\noutput: o\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", keys, err, want)
		}
	}
}
