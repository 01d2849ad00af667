package equip

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// What no attempt could be given is told before anything runs.
func TestCommandsRefuse(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"in.txt", "big.py", "x/a", "y/a"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for more, want := range map[string]string{
		"files: [in.txt#a, big.py#a]\n":                             `"in.txt#a" and "big.py#a" would both be "a"`,
		"files: [x/a, y/a]\n":                                       `"x/a" and "y/a" would both be "a"`,
		"env: {\"A=B\": x}\n":                                       `"A=B" cannot be a variable`,
		"reduces: 2\nconf: {my.own: 1, mapreduce.job.reduces: 7}\n": "f.yaml:5:42: conf and reduces contradict each other: commands get mapreduce.job.reduces from reduces; leave it out of conf",
		"conf: {mapred.reduce.tasks: 5}\n":                          "conf: mapred.reduce.tasks has no effect here; leave it out: write reduces",
		"conf: {mapreduce.task.timeout: 5}\n":                       "conf: mapreduce.task.timeout has no effect here; leave it out: write timeout",
		"conf: {textinputformat.record.delimiter: x}\n":             "conf: textinputformat.record.delimiter has no effect here; leave it out: lines end at LF, CR LF or CR",
		"conf: {stream.reduce.output.field.separator: x}\n":         "conf: stream.reduce.output.field.separator has no effect here; leave it out, or write stream_reduce_output_field_separator under env if a command reads it",
		"conf: {fs.defaultFS: x}\n":                                 "conf: fs.defaultFS has no effect here; leave it out: paths are those of this machine",
		"conf: {key.value.separator.in.input.line: x}\n":            "conf: key.value.separator.in.input.line has no effect here; leave it out: write input_format",
		"conf: {tmpfiles: x}\n":                                     "conf: tmpfiles has no effect here; leave it out: write files",
		"conf: {io.sort.factor: 9}\n":                               "conf: io.sort.factor has no effect here; leave it out, or write io_sort_factor under env if a command reads it",
		"conf: {job.end.notification.url: x}\n":                     "conf: job.end.notification.url has no effect here; leave it out, or write",
		"conf: {hadoop.tmp.dir: x}\n":                               "conf: hadoop.tmp.dir has no effect here; leave it out, or write",
		"conf:\n  mapreduce_job_name: x\n":                          "f.yaml:5:23: conf and name contradict each other",
		"env: {mapreduce_task_partition: 99}\n":                     "f.yaml:4:33: env: Slackline sets mapreduce_task_partition for each command; leave it out of env",
	} {
		f, err := scenario.ReadJob("f.yaml", []byte("map: cat\ninput: in.txt\noutput: out\n"+more))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Jobs([]*scenario.Job{f}, Options{Block: 100, Now: time.Unix(1, 0)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "f.yaml:") {
			t.Errorf("%s: %v, want %s", more, err, want)
		}
	}
}

// A word of a command that is a file here, and that its job does not list, is told of once for each command; the
// command may mean something else by it, so the job runs.
func TestFilesThatAreNotListed(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"in.txt", "a.txt", "b.txt"} {
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := scenario.ReadJob("f.yaml", []byte("name: n\nmap: sh a.txt b.txt c.txt\ninput: in.txt\noutput: out\nfiles: [b.txt]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	if _, err := Jobs([]*scenario.Job{f}, Options{Block: 100, Now: time.Unix(1, 0), Warn: func(text string) { told = append(told, text) }}); err != nil {
		t.Skip("NOT CHECKED:", err) // no sh
	}
	want := `warning: job "n": a command names a.txt, which is here and not listed under files, so the command will not find it; add files: [a.txt]`
	if len(told) != 1 || told[0] != want {
		t.Errorf("%q, want %q", told, want)
	}
}
