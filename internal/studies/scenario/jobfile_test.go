package scenario

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/apps"
)

// Documents are jobs of one file; what is wrong in any of them is told at its own line.
func TestJobsOfOneFile(t *testing.T) {
	const two = "app: sort\ninput: x\noutput: y\n---\nname: second\nmap: cat\nkey_fields: 2\ninput: y\noutput: z\nafter: f-1\nlimits: {memory: 1GB, open_files: 64}\n"
	jobs, err := ReadJobs("f.yaml", []byte(two))
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	j := jobs[1]
	if jobs[0].Name != "f-1" || j.Name != "second" || j.Map != "cat" || j.KeyFields != 2 || !reflect.DeepEqual(j.After, Texts{"f-1"}) ||
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
		t.Error("a file of two jobs is taken for a scenario")
	}
	if _, err := ReadJob("f.yaml", []byte(two)); err == nil {
		t.Error("two documents are read as one")
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
