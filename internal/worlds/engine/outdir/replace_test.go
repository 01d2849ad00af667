package outdir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/success"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// writes plays a process that writes parts of this text, instead of what Replaceable allows to replace, and goes on
// from what one before it has left. It says how many of the parts that one had committed.
func writes(out, text string, reduces int, end func(*Dir)) (kept int, err error) {
	d := New(out, Options{Replace: true})
	defer d.Release()
	left, err := d.Look(nobody())
	if err != nil {
		return 0, err
	}
	for i := range reduces {
		if left == nil || left.Of(of(true, i)) == nil {
			continue
		}
		if _, err := d.Restore(left.Of(of(true, i)), reduces); err == nil {
			kept++
		}
	}
	if err := d.SetUp(nobody); err != nil {
		return kept, err
	}
	for i := range reduces {
		if d.find(of(true, i)) >= 0 {
			continue
		}
		dir := d.AttemptDir(of(true, i), 0)
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, task.PartName(true, i)), []byte(text), 0o666), d.CommitTask(&Commit{Task: of(true, i)}, 0)); err != nil {
			return kept, err
		}
	}
	if end != nil {
		end(d)
		return kept, nil
	}
	if err := d.Commit(); err != nil {
		return kept, err
	}
	d.Keep() // as of a run of which another job has failed: the log stays
	return kept, nil
}

// holds tells whether there is a finished output of parts of this text, and no other part.
func holds(out, text string, reduces int) bool {
	parts, err := success.Read(out)
	there, _ := filepath.Glob(filepath.Join(out, "part-*"))
	if err != nil || len(parts) != reduces || len(there) != reduces {
		return false
	}
	for _, p := range parts {
		if b, err := os.ReadFile(filepath.Join(out, p.Name)); err != nil || string(b) != text {
			return false
		}
	}
	return true
}

// Wherever a process dies that replaces an output, the old one is there and whole, or all of the new one is
// committed; the next process ends with the new one.
func TestReplaceLosesNeither(t *testing.T) {
	defer fault.Use(nil)
	for after := 0; ; after++ {
		out := filepath.Join(t.TempDir(), "out")
		if _, err := writes(out, "old", 3, nil); err != nil || !holds(out, "old", 3) {
			t.Fatal(err)
		}
		if after%2 > 0 {
			Forget([]string{out})
		}
		s := &fault.Schedule{Root: out, DieAll: true, After: after}
		fault.Use(s)
		_, err := writes(out, "the new", 2, nil)
		fault.Use(nil)
		if !s.Died() {
			if err != nil || !holds(out, "the new", 2) || !HasFinished(out) || after < 10 {
				t.Fatalf("undisturbed, %d operations: %v", after, err)
			}
			return
		}
		old, done := holds(out, "old", 3), holds(out, "the new", 2)
		kept, err := writes(out, "the new", 2, nil)
		if !old && !done && kept < 2 || err != nil || !holds(out, "the new", 2) || !HasFinished(out) {
			t.Errorf("%v: the old output whole: %v, the new one: %v, parts of it committed: %d, then %v", s.Struck(), old, done, kept, err)
		}
	}
}

// A job that fails, or is discarded, leaves the output that it would have replaced.
func TestReplaceFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if _, err := writes(out, "old", 3, nil); err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(*Dir){
		"fails":        func(d *Dir) { must(t, d.Abort()) },
		"is discarded": func(d *Dir) { d.Release(); _, err := Discard(out, false); must(t, err) },
		"commits over a file of somebody else's": func(d *Dir) {
			mustWrite(t, out, "part-r-00003", "mine")
			if err := d.Commit(); err == nil {
				t.Error("it wrote over it")
			}
			must(t, errors.Join(d.Abort(), os.Remove(filepath.Join(out, "part-r-00003"))))
		},
	} {
		if _, err := writes(out, "the new", 4, end); err != nil {
			t.Fatal(name, err)
		}
		if left, _ := os.ReadDir(out); !holds(out, "old", 3) || len(left) != 4 {
			t.Errorf("%s: %v", name, left)
		}
	}
}

// A commit that fails when the old output has begun to go leaves what is to be committed, and goes on later.
func TestReplaceFailsAtLast(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if _, err := writes(out, "old", 3, nil); err != nil {
		t.Fatal(err)
	}
	fails := func(d *Dir) {
		moved := func(op fault.Op, path string) bool { return op == fault.Rename }
		defer fault.Use(nil)
		fault.Use(&fault.Schedule{Root: out, DieAll: true, Counts: moved})
		err := d.Commit()
		fault.Use(nil)
		if err == nil {
			t.Error("nothing failed")
		}
		must(t, d.Abort())
	}
	if _, err := writes(out, "the new", 2, fails); err != nil {
		t.Fatal(err)
	}
	if kept, err := writes(out, "the new", 2, nil); kept != 2 || err != nil || !holds(out, "the new", 2) {
		t.Errorf("%d parts were left: %v", kept, err)
	}
}

// A power cut between the log and the folder that it lay in leaves a _temporary beside a finished output: it is
// cleared away where the output is replaced, as where it is resumed or discarded.
func TestReplaceableClearsWhatIsLeft(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for name, text := range map[string]string{
		"part-r-00000": "a\t1\n", "_temporary/1/part-m-00000": "x",
		SuccessFile: string(success.Text([]success.Part{{Name: "part-r-00000", Size: 4}})),
	} {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if whole, err := Replaceable(out); !whole || err != nil {
		t.Fatal(whole, err)
	}
	if _, err := os.Lstat(filepath.Join(out, "_temporary")); !os.IsNotExist(err) {
		t.Error("_temporary is left: ", err)
	}
}

// What somebody else has put below _temporary of a finished output stays, and is named, whether the output is to be
// replaced or not.
func TestForeignBelowTemporary(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	mustWrite(t, out, "part-r-00000", "a\t1\n")
	mustWrite(t, out, SuccessFile, string(success.Text([]success.Part{{Name: "part-r-00000", Size: 4}})))
	mustWrite(t, filepath.Join(out, "_temporary"), "foreign", "hi")
	mustWrite(t, filepath.Join(out, "_temporary"), "lock", "")
	_, err := Check([]string{out})
	_, replaceable := Replaceable(out)
	for _, err := range []error{err, replaceable} {
		if err == nil || !strings.Contains(err.Error(), "_temporary/foreign in it is not from the job that wrote it") {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(out, "_temporary", "foreign")); err != nil || string(text) != "hi" {
		t.Error(string(text), err)
	}
}
