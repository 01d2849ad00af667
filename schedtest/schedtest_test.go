package schedtest

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// never admits and starts nothing.
type never struct{}

func (never) Decide(sched.View, []sched.Event, *sched.Plan) {}
func (never) Save(io.Writer) error                          { return nil }
func (never) Load(io.Reader) error                          { return nil }
func (never) About() sched.About                            { return sched.About{} }

func TestScenarios(t *testing.T) {
	Run(t, "testdata/table1-*.txt", nil)
	Run(t, "testdata/[^t]*.txt", func(text string) (sched.Policy, error) {
		if text == "never" {
			return never{}, nil
		}
		return catalog.New(text, queues.Config{Queues: []queues.Queue{{Name: "prod", MinMaps: 2}, {Name: "batch"}}})
	})
}

// A file whose journal is not that of the run fails, and so does one that cannot be read.
func TestDifferencesAreSeen(t *testing.T) {
	src, err := os.ReadFile("testdata/table1-fifo.txt")
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(src)
	got, err := play("f", a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(a.Files[1].Data) || !strings.Contains(string(got), "30m job-ended job=1 outcome=committed") {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]string{
		"policy fifo\nseed x\n":      "f:2: seed is \"x\", it must be a whole number",
		"policy fifo\nsed 1\n":       "f:2: there is no setting \"sed\"",
		"seed 1\n":                   "f: no policy is named",
		"policy fifo\nat x done a b": "f:2: ",
		"policy fifo\nat 1s a b":     "f:2: it must be \"at TIME done JOB STAGE\"",
		"policy fifi\n":              "policy \"fifi\", character 1: there is no policy or part \"fifi\"; did you mean \"fifo\"?",
		"policy fifo\nfails x\n":     "it should fail with \"x\"",
	} {
		a.Comment = []byte(text)
		if _, err := play("f", a, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if files, err := filepath.Glob("testdata/*.txt"); err != nil || len(files) < 10 {
		t.Errorf("%d files: %v", len(files), err)
	}
}
