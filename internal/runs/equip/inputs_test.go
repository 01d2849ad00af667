package equip

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/units"
)

// Who starts a command for each of many small files is told of a better way, and nobody else is.
func TestManyCommandsAreHintedAt(t *testing.T) {
	dir := t.TempDir()
	for name, files := range map[string]int{"many": 9, "few": 8} {
		for i := range files {
			path := filepath.Join(dir, name, fmt.Sprint(i))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("some words\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "many", "large"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	notes := func(job string) string {
		t.Helper()
		files, err := scenario.ReadJobs("j.yaml", []byte(strings.ReplaceAll(job, "DIR", dir)+"name: j\noutput: "+dir+"/out\n"))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := Jobs(files, Options{Block: 32 * units.MB, Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(Notes(jobs), "\n")
	}
	const many = "map: sh -c cat\ninput: [DIR/many/]\n"
	want := `job "j": its map command is started for each of 9 files, of 11B on average, up to 9 times in one map; with one_command: true it is started once for each map (here 1), if it can read the files as one`
	if got := notes(many); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for what, job := range map[string]string{
		"one command":   many + "one_command: true\n",
		"few files":     "map: sh -c cat\ninput: [DIR/few/]\n",
		"built-in code": "app: wordcount\ninput: [DIR/many/]\n",
	} {
		if got := notes(job); got != "" {
			t.Errorf("%s: %s", what, got)
		}
	}
	large := filepath.Join(dir, "many", "large")
	if err := os.WriteFile(large, bytes.Repeat([]byte("some words\n"), 100), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 200<<20); err != nil {
		t.Fatal(err)
	}
	if got := notes(many); got != "" {
		t.Errorf("large files: %s", got)
	}
}

// The input of a job may be missing if, and only if, another job of the run is to write it, which need
// not be named under after.
func TestInputOfAnotherJob(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("some words\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, more, want string }{
		{"out", "", ""}, {"out", "after: [one]\n", ""}, {"out/part-*", "", ""}, {"o*", "", ""}, {"out/deeper/x", "", ""},
		{"outer", "", `input "DIR/outer": there is no such file or directory`},
	} {
		text := "name: one\napp: wordcount\ninput: DIR/in\noutput: DIR/out\n---\nname: two\napp: sort\ninput: DIR/" + c.path + "\noutput: DIR/two\n" + c.more
		files, err := scenario.ReadJobs("j.yaml", []byte(strings.ReplaceAll(text, "DIR", dir)))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := Jobs(files, Options{Block: 32 * units.MB, Now: time.Now()})
		if want := strings.ReplaceAll(c.want, "DIR", dir); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil && (len(jobs[0].Splits) != 1 || jobs[1].Splits != nil || !slices.Equal(jobs[1].Spec.After, []string{"one"})) {
			t.Errorf("%+v: splits: %v, %v; it waits for %v", c, jobs[0].Splits, jobs[1].Splits, jobs[1].Spec.After)
		}
	}
}

// Input in which there is nothing is told, path by path; what a name hides does not count.
func TestEmptyInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"full/a": "x\n", "none/_hidden": "x\n", "none/.too": "x\n", "zero/a": "", "zero/b": "",
		"done/_SUCCESS": "slackline output 1\n00000000 2 part-r-00000\nend 1\n", "done/part-r-00000": "x\n", "done/part-r-00001": "old\n",
		"pickle/a": "\x80\x04\x95\x00", "pickle/b": "\x80\x04\x95\x00"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for in, want := range map[string][]string{
		"[DIR/full]": nil, "[DIR/full, DIR/full/a]": nil, "[DIR/full, DIR/zero]": nil, "DIR/f*": nil,
		"[DIR/none, DIR/full]": {`there is no file in its input "DIR/none" (those whose names begin with _ or . are not read)`},
		"[DIR/full, DIR/none]": {`there is no file in its input "DIR/none" (those whose names begin with _ or . are not read)`},
		"DIR/pickle": {"bytes that no text has are taken as text in DIR/pickle/a, DIR/pickle/b: " +
			"write its rows as CSV or JSON lines; input_format: whole takes the bytes as they are"},
		"DIR/done": {"what the job there did not write is read as well: DIR/done/part-r-00001: " +
			"_SUCCESS beside it does not name it; remove what is not meant to be read"},
		"DIR/zero": {"its input is empty: 2 files of 0 bytes"},
	} {
		f, err := scenario.ReadJob("j.yaml", []byte(strings.ReplaceAll("app: wordcount\ninput: "+in+"\noutput: DIR/out\n", "DIR", dir)))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		if _, err := Jobs([]*scenario.Job{f}, Options{Block: 100, Now: time.Unix(1, 0), Warn: func(text string) { told = append(told, strings.ReplaceAll(text, dir, "DIR")) }}); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i] = `warning: job "j": ` + want[i]
		}
		if !slices.Equal(told, want) {
			t.Errorf("%s: %q, want %q", in, told, want)
		}
	}
}

// Each of several inputs of CSV is read as its own keys say, and as those of the job where it says nothing.
func TestCSVByInput(t *testing.T) {
	files, err := scenario.ReadJobs("j.yaml", []byte("name: j\nmap: cat\noutput: o\ncsv: {delimiter: ';', no_header: true}\ninputs:\n"+
		"  - {path: a, format: csv}\n  - {path: b, format: csv, csv: {delimiter: '|'}}\n  - {path: c, format: csv, csv: {no_header: false}}\n  - {path: d}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []format.Spec
	for _, s := range sources(files[0]) {
		if s.Format != nil {
			got = append(got, *s.Format)
		}
	}
	want := []format.Spec{{Name: "csv", Delimiter: ";", NoHeader: true}, {Name: "csv", Delimiter: "|", NoHeader: true}, {Name: "csv", Delimiter: ";"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A heading that is one column by the delimiter that the job names, and more by another, is told before the run.
func TestDelimiterThatSeparatesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ csv, heading, other string }{
		{"", "a,b", ""}, {"", "a", ""}, {"", "a;b", ";"}, {"", "a|b", "|"}, {`csv: {delimiter: ";"}`, "a;b", ""}, {`csv: {delimiter: ";"}`, "a,b", ","},
	} {
		path := filepath.Join(dir, "f.csv")
		if err := os.WriteFile(path, []byte(c.heading+"\n"+c.heading+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := scenario.ReadJob("j.yaml", []byte("name: j\nmap: cat\ninput_format: csv\ninput: "+path+"\noutput: "+dir+"/out\n"+c.csv+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("its header is one column, %q; write csv: {delimiter: %q} if that separates them", c.heading, c.other)
		if _, err = Jobs([]*scenario.Job{f}, Options{Now: time.Unix(1, 0)}); (err == nil) != (c.other == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A first row that does not stand below its header is told before the run, with the cure, unless bad
// records may be skipped.
func TestFirstRow(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ text, key, want string }{
		{"a,b\n1,2\n", "", ""},
		{"a,b\n", "", ""},
		{"a,b\n\n1,2\n3\n", "", ""}, // a later one is told by the task that reads it
		{"a,b\n1,5,2,5\n", "", "record 1, line 2: it has 4 fields, but the header has 2; a field with a comma in it stands in quotes, and decimals have points"},
		{"a,b\r\n\r\n1\r\n", "", "record 1, line 3: it has 1 field, but the header has 2; a value that is missing is an empty field"},
		{"a;b\n1,5\n", `csv: {delimiter: ";"}`, "record 1, line 2: it has 1 field, but the header has 2"},
		{"a,b\n1,5,2,5\n", "skip_bad_records: 1", ""},
	} {
		path := filepath.Join(dir, "f.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		job := "name: j\nmap: cat\n"
		if strings.HasPrefix(c.key, "skip") { // which commands cannot
			job = "name: j\napp: wordcount\n"
		}
		f, err := scenario.ReadJob("j.yaml", []byte(job+"input_format: csv\ninput: "+path+"\noutput: "+dir+"/out\n"+c.key+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Jobs([]*scenario.Job{f}, Options{Now: time.Unix(1, 0)}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %s: %v", c.text, c.key, err)
		}
	}
}

// Where no block is named, input is cut by the slots.
func TestCutBySlots(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "large")
	if err := os.WriteFile(path, []byte("some words\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(64*units.MB)); err != nil {
		t.Fatal(err)
	}
	for slots, want := range map[int]int{1: 4, 2: 8, 4: 16, 64: 16} {
		files, err := scenario.ReadJobs("j.yaml", []byte("app: wordcount\ninput: ["+path+"]\nname: j\noutput: "+dir+"/out\n"))
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := Jobs(files, Options{Maps: slots, Now: time.Now()}); err != nil || len(jobs[0].Splits) != want {
			t.Errorf("%d slots: %v, %d splits, want %d", slots, err, len(jobs[0].Splits), want)
		}
	}
}
