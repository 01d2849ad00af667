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

func commit(t *testing.T, c *Dir, reduce bool, n, attempt int) {
	t.Helper()
	must(t, c.CommitTask(&Commit{Task: of(reduce, n)}, attempt))
}

// of names a task by its number from 0, as directories do.
func of(reduce bool, n int) Task { return Task{reduce, n + 1} }

func nobody() *Description { return &Description{} }

func setUp(t *testing.T, d *Dir) {
	t.Helper()
	must(t, d.SetUp(nobody))
	t.Cleanup(d.Release)
}

func check(out string) error {
	_, err := Check([]string{out})
	return err
}

// Two attempts of a task write; the one that is committed counts, the other leaves no trace.
func TestCommit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "deep", "out")
	c := at(out)
	must(t, check(out))
	setUp(t, c)
	mustWrite(t, c.AttemptDir(of(true, 0), 0), task.PartName(true, 0), "first")
	mustWrite(t, c.AttemptDir(of(true, 0), 1), task.PartName(true, 0), "second")
	mustWrite(t, c.AttemptDir(of(true, 1), 0), task.PartName(true, 1), "other")
	commit(t, c, true, 0, 1)
	commit(t, c, true, 1, 0)
	if err := c.CommitTask(&Commit{Task: of(true, 0)}, 0); err == nil {
		t.Error("a task is committed twice")
	}
	if _, err := os.Stat(filepath.Join(out, SuccessFile)); err == nil {
		t.Error("there is a _SUCCESS before the job is committed")
	}
	must(t, c.commit())
	must(t, c.commit()) // once more changes nothing
	c.Forget()
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
			if err := check(path); err == nil || err.Error() != want {
				t.Errorf("Check says %v, want %s", err, want)
			}
			if err := at(path).SetUp(nobody); err == nil || err.Error() != want {
				t.Errorf("SetUp says %v, want %s", err, want)
			}
			leftBehind(t, dir, "file")
		})
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	c := at(filepath.Join(dir, "out"))
	setUp(t, c)
	mustWrite(t, c.AttemptDir(of(false, 0), 0), task.PartName(false, 0), "half")
	must(t, c.Abort())
	leftBehind(t, dir)
}

// Committing a task whose attempt wrote nothing is an error, not an empty part.
func TestCommitOfNothing(t *testing.T) {
	c := at(filepath.Join(t.TempDir(), "out"))
	setUp(t, c)
	if err := c.CommitTask(&Commit{Task: of(true, 0)}, 0); err == nil {
		t.Error("a task without output is committed")
	}
}

// An output that is given up leaves no folder behind that was not there before, and takes none that
// another job writes in.
func TestAbortTakesItsFoldersAway(t *testing.T) {
	dir := t.TempDir()
	one, two := at(filepath.Join(dir, "deep", "er", "one")), at(filepath.Join(dir, "deep", "two"))
	setUp(t, one)
	setUp(t, two)
	must(t, one.Abort())
	leftBehind(t, filepath.Join(dir, "deep"), "two")
	must(t, two.Abort())
	leftBehind(t, dir, "deep") // the first made it, and could not remove it while the second was there
	again := at(filepath.Join(dir, "new", "one"))
	setUp(t, again)
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
