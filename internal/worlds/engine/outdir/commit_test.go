package outdir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/worlds/engine/task"
)

func mustWrite(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, c *Committer, reduce bool, n, attempt int) {
	t.Helper()
	if _, _, err := c.CommitTask(reduce, n, attempt, nil); err != nil {
		t.Fatal(err)
	}
}

// untold is the beginning of a commit that nobody writes down.
func untold() error { return nil }

// Two attempts of a task write; the one that is committed counts, the other leaves no trace.
func TestCommit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "deep", "out")
	c := NewCommitter(out)
	must(t, c.Check())
	must(t, c.SetUp())
	mustWrite(t, c.AttemptDir(true, 0, 0), task.PartName(true, 0), "first")
	mustWrite(t, c.AttemptDir(true, 0, 1), task.PartName(true, 0), "second")
	mustWrite(t, c.AttemptDir(true, 1, 0), task.PartName(true, 1), "other")
	commit(t, c, true, 0, 1)
	commit(t, c, true, 1, 0)
	if _, _, err := c.CommitTask(true, 0, 0, nil); err == nil {
		t.Error("a task is committed twice")
	}
	if _, err := os.Stat(filepath.Join(out, SuccessFile)); err == nil {
		t.Error("there is a _SUCCESS before the job is committed")
	}
	must(t, c.CommitJob(untold))
	must(t, c.CommitJob(untold)) // once more changes nothing
	must(t, c.Forget())
	leftBehind(t, out, SuccessFile, "part-r-00000", "part-r-00001")
	parts, err := readParts(out)
	must(t, err)
	if diff := cmp.Diff(map[string]string{"part-r-00000": "second", "part-r-00001": "other"}, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestOutputThatExistsIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"directory": dir, "file": filepath.Join(dir, "file")} {
		t.Run(name, func(t *testing.T) {
			mustWrite(t, dir, "file", "precious")
			want := `output "` + path + `": it exists already`
			if err := NewCommitter(path).Check(); err == nil || err.Error() != want {
				t.Errorf("Check says %v, want %s", err, want)
			}
			if err := NewCommitter(path).SetUp(); err == nil || err.Error() != want {
				t.Errorf("SetUp says %v, want %s", err, want)
			}
			leftBehind(t, dir, "file")
		})
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	c := NewCommitter(filepath.Join(dir, "out"))
	must(t, c.SetUp())
	mustWrite(t, c.AttemptDir(false, 0, 0), task.PartName(false, 0), "half")
	must(t, c.Abort())
	leftBehind(t, dir)
}

// Committing a task whose attempt wrote nothing is an error, not an empty part.
func TestCommitOfNothing(t *testing.T) {
	c := NewCommitter(filepath.Join(t.TempDir(), "out"))
	must(t, c.SetUp())
	if _, _, err := c.CommitTask(true, 0, 0, nil); err == nil {
		t.Error("a task without output is committed")
	}
}

// An output that is given up leaves no folder behind that was not there before, and takes none that
// another job writes in.
func TestAbortTakesItsFoldersAway(t *testing.T) {
	dir := t.TempDir()
	one, two := NewCommitter(filepath.Join(dir, "deep", "er", "one")), NewCommitter(filepath.Join(dir, "deep", "two"))
	must(t, one.SetUp())
	must(t, two.SetUp())
	must(t, one.Abort())
	leftBehind(t, filepath.Join(dir, "deep"), "two")
	must(t, two.Abort())
	leftBehind(t, dir, "deep") // the first made it, and could not remove it while the second was there
	again := NewCommitter(filepath.Join(dir, "new", "one"))
	must(t, again.SetUp())
	must(t, again.Abort())
	leftBehind(t, dir, "deep")
}

// readParts reads an output directory of a job that has finished.
func readParts(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	parts := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		parts[e.Name()] = string(b)
	}
	if _, success := parts[SuccessFile]; !success {
		return nil, fmt.Errorf("there is no %s", SuccessFile)
	}
	delete(parts, SuccessFile)
	return parts, nil
}

func leftBehind(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if strings.Join(have, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v, want %v", dir, have, want)
	}
}
