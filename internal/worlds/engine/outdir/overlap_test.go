package outdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// Two tasks that write files of one name are not both committed, whoever committed the first;
// another attempt of the same task may be.
func TestClash(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	write := func(c *Dir, n, attempt int) error {
		mustWrite(t, c.AttemptDir(of(true, n), attempt), "rejects", "x")
		return c.CommitTask(&Commit{Task: of(true, n), Parts: []task.Part{{Name: "rejects", Size: task.Unread}}}, attempt)
	}
	want := `output "` + out + `": reduce tasks 1 and 3 both wrote a file called "rejects", and one would overwrite the other; ` +
		`put the task's number in its name, as in "rejects-$mapreduce_task_partition"`
	c := at(out)
	setUp(t, c)
	must(t, write(c, 2, 0))
	if err := write(c, 0, 0); said(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	must(t, c.Withdraw(of(true, 2)))
	must(t, write(c, 2, 1))
	c.Release()
	next := at(out)
	var err error
	next.left, err = next.history()
	must(t, err)
	was := next.left.Of(of(true, 2))
	must(t, next.adopt(was))
	setUp(t, next)
	if err := write(next, 0, 1); said(err) != want {
		t.Errorf("behind a death: %v, want %s", err, want)
	}
	other := *was
	other.Task = of(true, 0)
	if err := next.adopt(&other); err == nil || !strings.Contains(err.Error(), "both wrote") {
		t.Errorf("a log that speaks of both: %v", err)
	}
}

// The commit of a job overwrites nothing but what is the same, and names what is in its way.
func TestCommitOverwritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		text string // "" = a directory
		same bool
	}{
		"part-r-00001": {"mine, longer", false}, "part-r-00000": {"parT", false}, "rejects-1": {"", false}, SuccessFile: {"mine", false},
		"rejects-0": {"side", true},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			committer := at(out)
			setUp(t, committer)
			for n, side := range []string{"rejects-0", "rejects-1"} {
				mustWrite(t, committer.AttemptDir(of(true, n), 0), task.PartName(true, n), "part")
				mustWrite(t, committer.AttemptDir(of(true, n), 0), side, "side")
				commit(t, committer, true, n, 0)
			}
			if c.text == "" {
				mustWrite(t, filepath.Join(out, name), "x", "mine")
			} else {
				mustWrite(t, out, name, c.text)
			}
			before, err := readLog(committer.logPath())
			must(t, err)
			commits := committer.commit()
			after, err := readLog(committer.logPath())
			if told := len(after) > len(before); err != nil || told != c.same {
				t.Errorf("that the commit began was told: %v, %v", told, err)
			}
			if c.same {
				must(t, commits)
				return
			}
			want := `output "` + out + `": ` + name + " exists already and was not written by this job, so it stays and the job is not committed; move it away and run the job again"
			if said(commits) != want {
				t.Errorf("%v, want %s", commits, want)
			}
			must(t, committer.Abort())
			leftBehind(t, out, name)
			if b, err := os.ReadFile(filepath.Join(out, name)); c.text != "" && string(b) != c.text {
				t.Errorf("it holds %q, %v", b, err)
			}
		})
	}
}

// A part in place that has changed is taken back with its task, which may then commit again; a file
// that was there before is not ours to take.
func TestWithdrawWhatWasMoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := at(out)
	setUp(t, c)
	mustWrite(t, c.AttemptDir(of(true, 0), 0), task.PartName(true, 0), "text")
	commit(t, c, true, 0, 0)
	mustWrite(t, out, task.PartName(true, 0), "mine")
	must(t, c.Withdraw(of(true, 0)))
	leftBehind(t, out, "_temporary", task.PartName(true, 0))
	mustWrite(t, c.AttemptDir(of(true, 0), 2), task.PartName(true, 0), "lost")
	commit(t, c, true, 0, 2)
	must(t, os.Remove(filepath.Join(out, "_temporary", "0", "task_r_000000", task.PartName(true, 0))))
	must(t, c.Withdraw(of(true, 0))) // it is not there, but no commit of the job has begun that could have moved it
	leftBehind(t, out, "_temporary", task.PartName(true, 0))
	must(t, os.Remove(filepath.Join(out, task.PartName(true, 0))))
	mustWrite(t, c.AttemptDir(of(true, 0), 1), task.PartName(true, 0), "text")
	commit(t, c, true, 0, 1)
	must(t, c.commit())
	mustWrite(t, out, task.PartName(true, 0), "tExt")
	must(t, c.Withdraw(of(true, 0)))
	leftBehind(t, out, SuccessFile, "_temporary")
}

// An output that may not be written to is refused before anything runs.
func TestOutputThatMayNotBeWritten(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("NOT CHECKED: to whom everything is allowed, or on a system that does not tell")
	}
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]bool{closed: false, filepath.Join(closed, "a", "b"): false, filepath.Join(dir, "a", "b"): true, dir: true} {
		if out == dir {
			out = t.TempDir()
		}
		if err := check(out); (err == nil) != want || err != nil && failure.Of(err) != failure.Permanent {
			t.Errorf("%s: %v", out, err)
		}
	}
}
