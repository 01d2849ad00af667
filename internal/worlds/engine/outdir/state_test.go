package outdir

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip("NOT CHECKED:", err)
	}
}

// Only what Slackline left counts as an interrupted run, and no link in its place is followed.
func TestState(t *testing.T) {
	precious := filepath.Join(t.TempDir(), "precious")
	mustWrite(t, precious, "keep.txt", "p")
	for name, c := range map[string]struct {
		make func(out string)
		want State
		says string
	}{
		"nothing":         {func(string) {}, Free, ""},
		"an empty folder": {func(out string) { must(t, os.Mkdir(out, 0o777)) }, Free, ""},
		"it died at once": {func(out string) { must(t, os.MkdirAll(filepath.Join(out, "_temporary"), 0o777)) }, Interrupted, ""},
		"a log":           {func(out string) { mustWrite(t, filepath.Join(out, "_temporary"), "log", "") }, Interrupted, ""},
		"a lock":          {func(out string) { mustWrite(t, filepath.Join(out, "_temporary"), "lock", "") }, Interrupted, ""},
		"a lock beside what the user has": {func(out string) {
			mustWrite(t, filepath.Join(out, "_temporary"), "lock", "")
			mustWrite(t, out, "notes.txt", "mine")
		}, Interrupted, ""},
		"finished": {func(out string) {
			mustWrite(t, filepath.Join(out, "_temporary"), "log", "")
			mustWrite(t, out, SuccessFile, "")
		}, Finished, ""},
		"finished and forgotten": {func(out string) { mustWrite(t, out, SuccessFile, "") }, Taken, ""},
		"another tool's":         {func(out string) { mustWrite(t, filepath.Join(out, "_temporary", "0"), "x", "") }, Taken, ""},
		"an empty one beside what the user has": {func(out string) {
			must(t, os.MkdirAll(filepath.Join(out, "_temporary"), 0o777))
			mustWrite(t, out, "notes.txt", "mine")
		}, Taken, ""},
		"a file":              {func(out string) { mustWrite(t, out, "_temporary", "x") }, Taken, ""},
		"a folder called log": {func(out string) { mustWrite(t, filepath.Join(out, "_temporary", "log"), "x", "") }, Taken, ""},
		"a link": {func(out string) {
			must(t, os.Mkdir(out, 0o777))
			symlink(t, precious, filepath.Join(out, "_temporary"))
		}, Taken, "_temporary in it is a link, and links are not followed there"},
		"a link to nowhere": {func(out string) {
			must(t, os.Mkdir(out, 0o777))
			symlink(t, "nowhere", filepath.Join(out, "_temporary"))
		}, Taken, "_temporary in it is a link, and links are not followed there"},
		"the log is a link": {func(out string) {
			mustWrite(t, filepath.Join(out, "_temporary"), "lock", "")
			symlink(t, filepath.Join(precious, "keep.txt"), filepath.Join(out, "_temporary", "log"))
		}, Taken, "_temporary/log in it is a link, and links are not followed there"},
		"the lock is a link": {func(out string) {
			must(t, os.MkdirAll(filepath.Join(out, "_temporary"), 0o777))
			symlink(t, filepath.Join(precious, "keep.txt"), filepath.Join(out, "_temporary", "lock"))
		}, Taken, "_temporary/lock in it is a link, and links are not followed there"},
		"the folder of a process is a link": {func(out string) {
			mustWrite(t, filepath.Join(out, "_temporary"), "lock", "")
			symlink(t, precious, filepath.Join(out, "_temporary", "0"))
		}, Taken, "_temporary/0 in it is a link, and links are not followed there"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			c.make(out)
			want := ""
			if c.says != "" {
				want = `output "` + out + `": ` + c.says
			}
			state, err := at(out).State()
			if got := said(err); state != c.want || got != want {
				t.Errorf("%v, %s; want %v, %s", state, got, c.want, want)
			}
			d := at(out)
			defer d.Release()
			if err := d.SetUp(nobody); (err == nil) != (c.want == Free || c.want == Interrupted) {
				t.Errorf("SetUp says %v", err)
			}
			leftBehind(t, precious, "keep.txt")
		})
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A job that does not finish takes away what Slackline wrote and nothing else, whatever that is
// called.
func TestAbortLeavesWhatIsNotOurs(t *testing.T) {
	all := func(out string, c *Dir) {
		mustWrite(t, c.AttemptDir(of(true, 0), 0), task.PartName(true, 0), "first")
		mustWrite(t, c.AttemptDir(of(true, 0), 0), "rejects-0", "side")
		mustWrite(t, c.AttemptDir(of(true, 1), 0), task.PartName(true, 1), "second")
		commit(t, c, true, 0, 0)
		commit(t, c, true, 1, 0)
		mustWrite(t, filepath.Join(out, "_temporary"), "lock", "")
	}
	t.Run("the user's files", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		c := at(out)
		setUp(t, c)
		all(out, c)
		theirs := []string{"notes.txt", "part-r-00000", "part-r-00001", "part-r-00077", "part-m-00012.gz", "rejects-0", SuccessFile}
		for _, name := range theirs {
			mustWrite(t, out, name, "mine")
		}
		outside := t.TempDir()
		mustWrite(t, outside, "keep.txt", "p")
		symlink(t, outside, filepath.Join(out, "part-r-00007"))
		symlink(t, outside, filepath.Join(out, "_temporary", "0", "there"))
		must(t, c.Abort())
		leftBehind(t, out, slices.Sorted(slices.Values(append(theirs, "part-r-00007")))...)
		leftBehind(t, outside, "keep.txt")
	})
	for name, found := range map[string]bool{"a folder that was there": true, "a folder of ours": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			if found {
				must(t, os.Mkdir(out, 0o777))
			}
			c := at(out)
			setUp(t, c)
			setUp(t, c) // once more, as after an error, forgets nothing
			all(out, c)
			must(t, c.commit()) // as if it had failed at its very end
			must(t, c.Abort())
			if found {
				leftBehind(t, out)
			} else {
				leftBehind(t, dir)
			}
		})
	}
}

// What a log claims is taken over only if it lies in the output directory, without a link on the
// way.
func TestAdoptFollowsNoLinks(t *testing.T) {
	outside := t.TempDir()
	mustWrite(t, outside, "part-r-00000", "x")
	for name, c := range map[string]struct {
		dir  string
		name string
		make func(out string)
		says string
	}{
		"as it was": {"0/task_r_000000", "part-r-00000", func(out string) {
			mustWrite(t, filepath.Join(out, "_temporary", "0", "task_r_000000"), "part-r-00000", "x")
		}, ""},
		"moved by a commit": {"0/task_r_000000", "part-r-00000", func(out string) { mustWrite(t, out, "part-r-00000", "x") }, ""},
		"another byte": {"0/task_r_000000", "part-r-00000", func(out string) {
			mustWrite(t, filepath.Join(out, "_temporary", "0", "task_r_000000"), "part-r-00000", "y")
		}, "part-r-00000: the checksum does not match"},
		"nothing": {"0/task_r_000000", "part-r-00000", func(string) {}, "no such file"},
		"a link to a directory outside": {"0/task_r_000000", "part-r-00000", func(out string) {
			must(t, os.MkdirAll(filepath.Join(out, "_temporary", "0"), 0o777))
			symlink(t, outside, filepath.Join(out, "_temporary", "0", "task_r_000000"))
		}, "no longer a directory"},
		"a link to a directory inside": {"0/task_r_000000", "part-r-00000", func(out string) {
			mustWrite(t, filepath.Join(out, "sub"), "part-r-00000", "x")
			must(t, os.MkdirAll(filepath.Join(out, "_temporary", "0"), 0o777))
			symlink(t, filepath.Join("..", "..", "sub"), filepath.Join(out, "_temporary", "0", "task_r_000000"))
		}, "no longer a directory"},
		"a link to a file": {"0/task_r_000000", "part-r-00000", func(out string) {
			must(t, os.MkdirAll(filepath.Join(out, "_temporary", "0", "task_r_000000"), 0o777))
			symlink(t, filepath.Join(outside, "part-r-00000"), filepath.Join(out, "_temporary", "0", "task_r_000000", "part-r-00000"))
		}, "not a plain file"},
		"a moved part is a link": {"0/task_r_000000", "part-r-00000", func(out string) {
			must(t, os.MkdirAll(out, 0o777))
			symlink(t, filepath.Join(outside, "part-r-00000"), filepath.Join(out, "part-r-00000"))
		}, "not a plain file"},
		"a place outside": {"../..", "part-r-00000", func(out string) {
			mustWrite(t, filepath.Dir(out), "part-r-00000", "x")
		}, "is outside of"},
		"a place beside": {"../sub", "part-r-00000", func(out string) {
			mustWrite(t, filepath.Join(out, "sub"), "part-r-00000", "x")
		}, "is outside of"},
		"a name that leads out": {"0/task_r_000000", "../../../part-r-00000", func(out string) {
			mustWrite(t, filepath.Dir(out), "part-r-00000", "x")
		}, "not a file name"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "deep", "out")
			must(t, os.MkdirAll(filepath.Join(out, "_temporary"), 0o777))
			c.make(out)
			p := task.Part{Name: c.name, Size: 1, Sum: crc32.Checksum([]byte("x"), castagnoli)}
			committer := at(out)
			err := committer.adopt(&Commit{Task: of(true, 0), Dir: c.dir, Parts: []task.Part{p}})
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if taken := committer.find(of(true, 0)) >= 0; taken != (c.says == "") {
				t.Errorf("it was taken over: %v", taken)
			}
			leftBehind(t, outside, "part-r-00000")
		})
	}
}

// Pruning keeps what it is to keep, and the way there, and removes links without a look at what
// they lead to.
func TestPrune(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	mustWrite(t, outside, "keep.txt", "p")
	for _, path := range []string{"a/b/keep", "a/b/drop", "a/drop", "ab/keep", "c/d/drop", "e/drop"} {
		mustWrite(t, filepath.Join(dir, filepath.Dir(path)), filepath.Base(path), "x")
	}
	symlink(t, outside, filepath.Join(dir, "link"))
	symlink(t, outside, filepath.Join(dir, "way"))
	root, err := fault.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	must(t, prune(root, ".", map[string]bool{filepath.Join(dir, "a/b/keep"): true, filepath.Join(dir, "ab"): true, filepath.Join(dir, "way", "keep.txt"): true}))
	var left []string
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			left = append(left, filepath.ToSlash(name))
		}
		return err
	}))
	if diff := cmp.Diff([]string{"a/b/keep", "ab/keep"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	leftBehind(t, outside, "keep.txt")
}

// A part that has changed since its task was committed is found, wherever it lies by then, and the
// others are not blamed for it.
func TestVerify(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := at(out)
	setUp(t, c)
	for n := range 9 {
		mustWrite(t, c.AttemptDir(of(true, n), 1), task.PartName(true, n), strings.Repeat("text", 100*n))
		commit(t, c, true, n, 1)
	}
	found := func(want ...int) {
		t.Helper()
		bad, err := c.damaged()
		must(t, err)
		var got []int
		for _, d := range bad {
			got = append(got, d.Number-1)
			if !d.Reduce || d.Err == nil {
				t.Errorf("%+v", d)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("damaged (-want +got):\n%s", diff)
		}
	}
	place := func(n int) string {
		return filepath.Join(out, "_temporary", "0", "task_r_00000"+string(rune('0'+n)), task.PartName(true, n))
	}
	found()
	b, err := os.ReadFile(place(4))
	must(t, err)
	b[17] ^= 2
	must(t, os.WriteFile(place(4), b, 0o666))
	must(t, os.Truncate(place(5), 100))
	must(t, os.Remove(place(6)))
	must(t, os.Rename(place(7), filepath.Join(out, task.PartName(true, 7))))
	found(4, 5, 6)
	for _, n := range []int{4, 5, 6} {
		must(t, c.Withdraw(of(true, n)))
	}
	found()
	must(t, c.Withdraw(of(true, 4))) // it is withdrawn already
	mustWrite(t, c.AttemptDir(of(true, 4), 2), task.PartName(true, 4), "again")
	commit(t, c, true, 4, 2)
	found()
	must(t, c.commit())
	c.Forget()
	leftBehind(t, out, SuccessFile, "part-r-00000", "part-r-00001", "part-r-00002", "part-r-00003", "part-r-00004", "part-r-00007", "part-r-00008")
}

// Before _SUCCESS is there, all that it speaks of is on the disk: parts, the log that tells of their
// moving, their names, and that of the directory and the folder above it, which are new. With SyncAll
// the parts of each task are, and the log, before its commit returns. Without, nothing waits for the
// disk.
func TestCommitSyncs(t *testing.T) {
	defer fault.Use(nil)
	for _, sync := range []Sync{SyncOutput, SyncAll, SyncNothing} {
		above := t.TempDir()
		out := filepath.Join(above, "new", "out")
		c := at(out)
		c.opt.Sync = sync
		setUp(t, c)
		mustWrite(t, c.AttemptDir(of(true, 0), 0), task.PartName(true, 0), "first")
		var did []string
		fault.Use(&fault.Schedule{Counts: func(op fault.Op, path string) bool {
			if op == fault.Sync || op == fault.Rename || op == fault.Create {
				name, _ := filepath.Rel(out, path)
				did = append(did, op.String()+" "+filepath.ToSlash(name))
			}
			return true
		}})
		commit(t, c, true, 0, 0)
		must(t, c.Commit())
		fault.Use(nil)
		want := []string{"rename _temporary/0/_temporary/attempt_r_000000_0",
			"all: sync _temporary/0/task_r_000000", "all: sync _temporary/0", "all: sync _temporary/log",
			"sync _temporary/0/task_r_000000/part-r-00000", "all: sync _temporary/log", "sync _temporary/log",
			"rename _temporary/0/task_r_000000/part-r-00000", "create _temporary/_SUCCESS", "sync _temporary/_SUCCESS",
			"sync .", "sync ..", "sync ../..", "rename _temporary/_SUCCESS", "sync ."}
		want = slices.DeleteFunc(want, func(s string) bool {
			return sync == SyncNothing && strings.Contains(s, "sync") || sync != SyncAll && strings.HasPrefix(s, "all: ")
		})
		for i := range want {
			want[i] = strings.TrimPrefix(want[i], "all: ")
		}
		if diff := cmp.Diff(want, did); diff != "" {
			t.Errorf("sync %v (-want +got):\n%s", sync, diff)
		}
		text, err := os.ReadFile(filepath.Join(out, SuccessFile))
		if want := "slackline output 1\n8a3ea150 5 part-r-00000\nend 1\n"; err != nil || string(text) != want {
			t.Errorf("%q, want %q (%v)", text, want, err)
		}
	}
}

// A part that cannot be brought to the disk is lost, even if it could be the next time: the system
// may have dropped it. Its task runs again.
func TestPartsThatDoNotReachTheDisk(t *testing.T) {
	defer fault.Use(nil)
	out := filepath.Join(t.TempDir(), "out")
	c := at(out)
	c.opt.Tries = 4
	setUp(t, c)
	for n := range 2 {
		mustWrite(t, c.AttemptDir(of(true, n), 0), task.PartName(true, n), "text")
		commit(t, c, true, n, 0)
	}
	fault.Use(&fault.Schedule{Fail: 1, Most: 1, Grant: func(what string) bool {
		return strings.HasPrefix(what, "failed: sync") && strings.Contains(what, "part-r-00001")
	}})
	err := c.Commit()
	fault.Use(nil)
	damaged, ok := errors.AsType[*DamagedError](err)
	if !ok || len(damaged.Tasks) != 1 || damaged.Tasks[0].Task != of(true, 1) {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(out, SuccessFile)); err == nil {
		t.Error("there is a _SUCCESS")
	}
	must(t, c.Withdraw(of(true, 1)))
	mustWrite(t, c.AttemptDir(of(true, 1), 1), task.PartName(true, 1), "text")
	commit(t, c, true, 1, 1)
	must(t, c.Commit())
}

// The log of a job that has finished goes last of all that its run kept, whatever stops that, and what
// is left without one is removed by whoever comes next.
func TestLogGoesLast(t *testing.T) {
	defer fault.Use(nil)
	finished := func() (string, *Dir) {
		out := filepath.Join(t.TempDir(), "out")
		c := at(out)
		setUp(t, c)
		mustWrite(t, c.AttemptDir(of(true, 0), 0), task.PartName(true, 0), "text")
		commit(t, c, true, 0, 0)
		must(t, c.Commit())
		mustWrite(t, filepath.Join(out, temporary, "0", "local", "x"), "run-0", "rest")
		mustWrite(t, filepath.Join(out, temporary, "zz"), "y", "rest")
		return out, c
	}
	for after := range 5 {
		out, c := finished()
		fault.Use(&fault.Schedule{DieAll: true, After: after, Counts: func(op fault.Op, _ string) bool { return op == fault.Remove }})
		c.Forget()
		fault.Use(nil)
		names, _ := os.ReadDir(filepath.Join(out, temporary))
		_, err := os.Stat(filepath.Join(out, temporary, logName))
		if len(names) > 0 && err != nil {
			t.Errorf("after %d removals the log is gone, and there are %v", after, names)
		}
		if state, err := at(out).State(); err != nil || state != Finished && len(names) > 0 {
			t.Errorf("after %d removals: %v, %v", after, state, err)
		}
	}
	for name, harm := range map[string]func(out string) error{
		"a lock": func(out string) error { return os.Remove(filepath.Join(out, temporary, logName)) },
		"no lock": func(out string) error {
			return errors.Join(os.Remove(filepath.Join(out, temporary, logName)), os.Remove(lockPath(out)))
		},
		"an old one": func(out string) error {
			return errors.Join(os.Remove(filepath.Join(out, temporary, logName)), os.Truncate(filepath.Join(out, SuccessFile), 0))
		},
		"nothing": func(out string) error {
			return errors.Join(os.RemoveAll(filepath.Join(out, temporary)), os.Mkdir(filepath.Join(out, temporary), 0o777), os.Truncate(filepath.Join(out, SuccessFile), 0))
		},
	} {
		for _, by := range []string{"run", "discard"} {
			out, _ := finished()
			must(t, harm(out))
			if by == "run" {
				if _, err := Check([]string{out}); err == nil || !strings.Contains(err.Error(), "it exists already") {
					t.Errorf("%s: %v", name, err)
				}
			} else if d, err := Discard(out, false); err != nil || !d.Ended {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
			leftBehind(t, out, SuccessFile, "part-r-00000")
		}
	}
	// Another program's folder stays.
	out, _ := finished()
	must(t, errors.Join(os.Remove(filepath.Join(out, temporary, logName)), os.Remove(lockPath(out)), os.Truncate(filepath.Join(out, SuccessFile), 0)))
	_, _ = Check([]string{out})
	leftBehind(t, filepath.Join(out, temporary), "0", "zz")
}

// A task that was withdrawn, or committed by a process that could not tell so, is committed over
// what is left of that.
func TestCommitOverRemains(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := at(out)
	setUp(t, c)
	mustWrite(t, filepath.Join(out, "_temporary", "0", "task_r_000000"), task.PartName(true, 0), "an old one")
	mustWrite(t, filepath.Join(out, "_temporary", "0", "task_r_000000"), "more", "x")
	mustWrite(t, c.AttemptDir(of(true, 0), 1), task.PartName(true, 0), "new")
	mustWrite(t, c.AttemptDir(of(true, 0), 2), task.PartName(true, 0), "slow")
	commit(t, c, true, 0, 1)
	must(t, c.Drop(of(true, 0), 2))
	leftBehind(t, filepath.Join(out, "_temporary", "0", "_temporary"))
	leftBehind(t, filepath.Join(out, "_temporary", "0", "task_r_000000"), task.PartName(true, 0))
	must(t, c.commit())
	// A part in place that has another length is not the one that was moved.
	must(t, os.WriteFile(filepath.Join(out, task.PartName(true, 0)), []byte("other"), 0o666))
	if err := c.commit(); err == nil {
		t.Error("a part that is not the one that was moved counts as it")
	}
}

// Sweeping leaves parts where they are that the commit of a process before had moved already, takes
// those that it had moved and that count no more, and leaves those that it cannot have moved.
func TestSweepKeepsWhatWasMoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	mustWrite(t, filepath.Join(out, "_temporary"), "lock", "")
	for _, n := range []int{1, 3} {
		mustWrite(t, filepath.Join(out, "_temporary", "0", "task_"+of(true, n).name()), task.PartName(true, n), "x")
	}
	for _, n := range []int{0, 2, 3, 4} {
		mustWrite(t, out, task.PartName(true, n), "x")
	}
	part := func(n int) *Commit {
		return &Commit{Task: of(true, n), Dir: filepath.Join("0", "task_"+of(true, n).name()),
			Parts: []task.Part{{Name: task.PartName(true, n), Size: 1, Sum: crc32.Checksum([]byte("x"), castagnoli)}}}
	}
	entries := []entry{{Job: nobody()}}
	for n := range 4 { // the log does not speak of the last
		entries = append(entries, entry{Done: part(n)})
	}
	entries = append(entries,
		entry{Done: &Commit{Task: of(true, 9), Dir: filepath.Join("..", ".."), Parts: []task.Part{{Name: task.PartName(true, 4)}}}},
		entry{Done: &Commit{Task: of(true, 10), Dir: "0", Parts: []task.Part{{Name: filepath.Join("_temporary", "lock")}}}},
		entry{Moving: true})
	c := at(out)
	log, _, err := openLog(c.logPath(), false)
	must(t, err)
	for _, e := range entries {
		must(t, log.append(e))
	}
	must(t, log.close())
	c.left, err = c.history()
	must(t, err)
	for n := range 2 {
		must(t, c.adopt(c.left.Of(of(true, n))))
	}
	setUp(t, c)
	if c.life != 1 {
		t.Errorf("it counts %d processes before it", c.life)
	}
	leftBehind(t, out, "_temporary", task.PartName(true, 0), task.PartName(true, 3), task.PartName(true, 4))
	leftBehind(t, filepath.Join(out, "_temporary"), "0", "lock", "log")
	leftBehind(t, filepath.Join(out, "_temporary", "0"), "task_r_000001")
	must(t, c.commit())
	c.Forget()
	leftBehind(t, out, SuccessFile, task.PartName(true, 0), task.PartName(true, 1), task.PartName(true, 3), task.PartName(true, 4))
}

// What the engine has written is known from the writing, also where a command's own file stands
// beside it and is read when it is committed: a byte that changed on its way to the disk is found.
func TestVerifyBesideWhatACommandWrote(t *testing.T) {
	c := at(filepath.Join(t.TempDir(), "out"))
	setUp(t, c)
	dir := c.AttemptDir(of(true, 0), 0)
	mustWrite(t, dir, task.PartName(true, 0), "tExt")
	mustWrite(t, dir, "side", "whatever")
	wrote := task.Part{Name: task.PartName(true, 0), Size: 4, Sum: crc32.Checksum([]byte("text"), castagnoli)}
	done := &Commit{Task: of(true, 0), Parts: []task.Part{wrote, {Name: "side", Size: task.Unread}}}
	must(t, c.CommitTask(done, 0))
	parts := done.Parts
	if want := []task.Part{wrote, {Name: "side", Size: 8, Sum: crc32.Checksum([]byte("whatever"), castagnoli)}}; !slices.Equal(parts, want) {
		t.Errorf("%v, want %v", parts, want)
	}
	bad, err := c.damaged()
	if err != nil || len(bad) != 1 || !strings.Contains(bad[0].Err.Error(), wrote.Name) {
		t.Errorf("%v, %v", bad, err)
	}
}

// Map output that counts outlives a sweep, and what is lost goes with the next one.
func TestSweepKeepsMapOutput(t *testing.T) {
	d := New(filepath.Join(t.TempDir(), "out"), Options{})
	setUp(t, d)
	folder := func(n int) string { return filepath.Join(d.Local(), "node", task.PartName(false, n)) }
	for n := range 3 {
		mustWrite(t, folder(n), "run", "x")
	}
	for n := range 2 {
		must(t, d.CommitTask(&Commit{Task: of(false, n), Run: &task.Output{Path: filepath.Join(folder(n), "run")}}, 0))
	}
	must(t, d.sweep())
	leftBehind(t, filepath.Dir(folder(0)), task.PartName(false, 0), task.PartName(false, 1))
	d.Lose(1)
	must(t, d.sweep())
	leftBehind(t, filepath.Dir(folder(0)), task.PartName(false, 1))
	must(t, d.Abort())
	if _, err := os.Stat(d.path); err == nil {
		t.Errorf("an aborted job left its map output in %s", d.path)
	}
}

// Jobs that have finished may stand beside others that have not, as a run of all of them was
// interrupted behind their end; if all have, nothing is to run.
func TestCheckOfFinished(t *testing.T) {
	dir := t.TempDir()
	done := func(name string) string {
		out := filepath.Join(dir, name)
		mustWrite(t, filepath.Join(out, "_temporary"), "log", "")
		mustWrite(t, out, SuccessFile, "")
		return out
	}
	a, b, open, user := done("a"), done("b"), filepath.Join(dir, "open"), filepath.Join(dir, "user")
	mustWrite(t, user, "notes.txt", "mine")
	for _, c := range []struct {
		outputs []string
		bad     int
	}{{[]string{open}, -1}, {[]string{a, open, b}, -1}, {[]string{a, b}, 0}, {[]string{a}, 0}, {[]string{a, open, user}, 2}, {nil, -1}} {
		bad, err := Check(c.outputs)
		if bad != c.bad || (err == nil) != (bad < 0) || err != nil && err.Error() != `output "`+c.outputs[bad]+`": it exists already` {
			t.Errorf("%v: %d, %v; want %d", c.outputs, bad, err, c.bad)
		}
	}
	if !AllSucceeded([]string{a, b}) || AllSucceeded([]string{a, open}) || AllSucceeded(nil) || !HasFinished(a) || HasFinished(user) || HasFinished(open) {
		t.Error("what has finished is not told")
	}
	Forget([]string{a, open, user})
	leftBehind(t, a, SuccessFile)
	leftBehind(t, user, "notes.txt")
	if HasFinished(a) || !HasFinished(b) {
		t.Error("what was forgotten is known, or what was not is unknown")
	}
}

// What a job has finished runs again once it is reopened; whoever has it open may not be disturbed.
// It is intact as long as all parts are what its log says, and no other part stands beside them.
func TestIntactAndReopen(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	d := at(out)
	must(t, d.SetUp(nobody))
	mustWrite(t, d.AttemptDir(of(true, 0), 0), task.PartName(true, 0), "text")
	commit(t, d, true, 0, 0)
	must(t, d.Commit())
	part := filepath.Join(out, task.PartName(true, 0))
	must(t, Intact(out))
	for what, change := range map[string][2]string{
		"its files have changed": {part, "tExt"}, "part-r-00007 is not from that job": {filepath.Join(out, "part-r-00007"), "mine"},
	} {
		must(t, os.WriteFile(change[0], []byte(change[1]), 0o666))
		if err := Intact(out); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
		must(t, os.Remove(change[0]))
		must(t, os.WriteFile(part, []byte("text"), 0o666))
	}
	lock, err := Take(out)
	must(t, err)
	if err := Reopen(out); err == nil || !HasFinished(out) {
		t.Errorf("a job is reopened under the lock of another: %v", err)
	}
	must(t, lock.Release())
	must(t, Reopen(out))
	if state, err := d.State(); err != nil || state != Interrupted {
		t.Errorf("%v, %v", state, err)
	}
}

// A directory in which another process has worked since this one looked is not taken over, unless what it
// left is to be thrown away.
func TestAnotherProcessInBetween(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "out")
		d := New(out, Options{Fresh: fresh})
		left, err := d.Look(nobody())
		if left != nil || err != nil {
			t.Fatal(left, err)
		}
		other := at(out)
		must(t, other.SetUp(nobody))
		other.Release()
		want := `output "` + out + `": another process has just written there`
		if err := d.SetUp(nobody); fresh && err != nil || !fresh && said(err) != want {
			t.Errorf("fresh %v: %v", fresh, err)
		}
		d.Release()
	}
}
