package equip

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// Who starts a command for each of many small files is told of a better way, and nobody else is.
func TestManyCommandsAreHintedAt(t *testing.T) {
	dir := t.TempDir()
	for name, files := range map[string]int{"many": manyFiles + 1, "few": manyFiles} {
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
	want := `job "j": each of 101 files, of 11B on average, gets its own map command; one_command: true would start only one for each of `
	if got := notes(many); !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
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
	if err := os.Truncate(filepath.Join(dir, "many", "large"), 200<<20); err != nil {
		t.Fatal(err)
	}
	if got := notes(many); got != "" {
		t.Errorf("large files: %s", got)
	}
}

// The input of a job may be missing if, and only if, a job that it waits for is to write it.
func TestInputOfAnotherJob(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("some words\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[string]string{"after: [one]\n": "", "": "there is no such file or directory"} {
		text := "name: one\napp: wordcount\ninput: DIR/in\noutput: DIR/out\n---\nname: two\napp: sort\ninput: DIR/out\noutput: DIR/two\n" + after
		files, err := scenario.ReadJobs("j.yaml", []byte(strings.ReplaceAll(text, "DIR", dir)))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := Jobs(files, Options{Block: 32 * units.MB, Now: time.Now()})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", after, err, want)
		}
		if err == nil && (len(jobs[0].Splits) != 1 || jobs[1].Splits != nil) {
			t.Errorf("splits: %v, %v", jobs[0].Splits, jobs[1].Splits)
		}
	}
}
