package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const firstLine = "a page\n"

var page = Kind{What: "page", Begins: firstLine}

// clean forgets what other tests have opened and made.
func clean(t *testing.T) string {
	forget := func() { desk.in, desk.out, desk.overwrite = nil, nil, false }
	forget()
	t.Cleanup(forget)
	return t.TempDir()
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", name, got, err, want)
	}
}

// only tells what a folder has.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the folder has %v, %v, want %v", got, err, want)
	}
}

// whole makes a file, whole or given up.
func whole(name string, kind Kind, text string, commit bool) error {
	f, err := Create(name, kind)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err = f.WriteString(text); err == nil && commit {
		err = f.Commit()
	}
	return err
}

func refuses(t *testing.T, name string, kind Kind, want string) {
	t.Helper()
	for _, err := range []error{Free(name, kind), whole(name, kind, firstLine, true)} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".part") {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// A file is there whole, or what was there before.
func TestWhole(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "a.html")
	for _, step := range []struct {
		text   string
		commit bool
		want   string
	}{{"1", false, ""}, {"2", true, "2"}, {"3", false, "2"}, {"4", true, "4"}} {
		if err := whole(name, page, firstLine+step.text, step.commit); err != nil {
			t.Fatal(err)
		}
		if step.want == "" {
			only(t, dir)
			continue
		}
		only(t, dir, "a.html")
		holds(t, name, firstLine+step.want)
	}
}

// A file that replaces another has its rights.
func TestRights(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "a")
	put(t, name, firstLine)
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := whole(name, page, firstLine+"2", true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What a killed process left goes, what is being written stays, and so does what only looks like it.
func TestSweep(t *testing.T) {
	dir := clean(t)
	for _, base := range []string{".a.html.77-0.part", ".a.html.1234567-3.part", ".a.html.x-0.part", ".a.html.notes.part", ".b.html.77-0.part", ".a.html.1-1.parts"} {
		put(t, filepath.Join(dir, base), "half")
	}
	f, err := Create(filepath.Join(dir, "a.html"), page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".a.html.77-0.part")); err == nil {
		t.Error("what a killed process left is still there")
	}
	sweepAll(dir, ".a.html.") // as another process would
	if _, err := os.Stat(f.file.Name()); err != nil {
		t.Error(err)
	}
	f.Discard()
	only(t, dir, ".a.html.1-1.parts", ".a.html.notes.part", ".a.html.x-0.part", ".b.html.77-0.part")
}

// What is wrong with a name is said at once, and nothing is made.
func TestBadNames(t *testing.T) {
	dir := clean(t)
	other := filepath.Join(dir, "scenario.yaml")
	put(t, other, "a page is more than that")
	for name, want := range map[string]string{
		"":    "the name of the file is empty",
		dir:   "is a folder; name a file",
		other: "exists already and is not a page; name another file, or replace it with --overwrite",
	} {
		refuses(t, name, page, want)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "no", "a"):    "there is no folder",
		filepath.Join(other, "a"):        "cannot be written",
		filepath.Join(dir, "a") + "\x00": "cannot be written",
	} {
		if err := whole(name, page, firstLine, true); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".part") {
			t.Errorf("%q: %v", name, err)
		}
	}
	refuses(t, other, Kind{What: "plot"}, "exists already; name another file")
	only(t, dir, "scenario.yaml")
}

// A stranger's file is replaced only if the user says so, an empty one as well.
func TestOverwrite(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "notes.txt")
	put(t, name, "mine\n")
	refuses(t, name, Kind{What: "trace"}, "exists already")
	holds(t, name, "mine\n")
	Overwrite(true)
	if err := whole(name, Kind{What: "trace"}, "new\n", true); err != nil {
		t.Error(err)
	}
	holds(t, name, "new\n")
	Overwrite(false)
	put(t, name, "")
	if err := whole(name, Kind{What: "trace"}, "new\n", true); err != nil {
		t.Error(err)
	}
}

// An input is never replaced, whatever it is called and whatever the user says.
func TestInputStays(t *testing.T) {
	dir := clean(t)
	in := filepath.Join(dir, "t.tsv")
	put(t, in, firstLine+"x\n")
	soft, hard, odd := filepath.Join(dir, "soft"), filepath.Join(dir, "hard"), dir+string(filepath.Separator)+"."+string(filepath.Separator)+"t.tsv"
	if err := os.Symlink(in, soft); err != nil {
		t.Skip("NOT CHECKED: this system makes no links")
	}
	if err := os.Link(in, hard); err != nil {
		t.Skip("NOT CHECKED: this system makes no links")
	}
	text, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	Overwrite(true)
	for _, name := range []string{in, soft, hard, odd} {
		refuses(t, name, page, "is what the command reads; name another file")
		refuses(t, name, Kind{What: "journal", Begins: firstLine, Grows: true}, "is what the command reads")
	}
	holds(t, in, firstLine+"x\n")

	// read behind the back of what is being written
	late := filepath.Join(dir, "late")
	f, err := Create(late, page)
	if err != nil {
		t.Fatal(err)
	}
	put(t, late, firstLine)
	info, err := os.Stat(late)
	if err != nil {
		t.Fatal(err)
	}
	Reads(late, info)
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), "is what the command reads") {
		t.Errorf("%v", err)
	}
	holds(t, late, firstLine)
	only(t, dir, "hard", "late", "soft", "t.tsv")
}

// Two outputs of a command do not share a name; one of a kind may follow another.
func TestTwoOutputs(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "a")
	f, err := Create(name, page)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, filepath.Join(dir, ".", "a"), Kind{What: "plot"}, "the command would write a page and a plot there; give each its own file")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	Overwrite(true)
	refuses(t, name, Kind{What: "plot"}, "the command would write a page and a plot there")
	if err := whole(name, page, firstLine, true); err != nil {
		t.Error(err)
	}
	// a name that is given up is free again, one that was promised is not
	b := filepath.Join(dir, "b")
	if err := whole(b, page, "", false); err != nil {
		t.Error(err)
	}
	if err := Free(b, Kind{What: "plot"}); err != nil {
		t.Error(err)
	}
	refuses(t, b, page, "the command would write a plot and a page there")
}

// A file that grows has its name, and what was written, from the start; what it replaces stays
// under its other names.
func TestGrows(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "a.journal")
	kind := Kind{What: "journal", Begins: firstLine, Grows: true}
	put(t, name, firstLine+"old")
	if err := os.Link(name, filepath.Join(dir, "kept")); err != nil {
		t.Skip("NOT CHECKED: this system makes no links")
	}
	if err := Free(name, kind); err != nil {
		t.Fatal(err)
	}
	f, err := Create(name, kind)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(firstLine + "new"); err != nil {
		t.Fatal(err)
	}
	holds(t, name, firstLine+"new")
	f.Discard()
	holds(t, name, firstLine+"new")
	holds(t, filepath.Join(dir, "kept"), firstLine+"old")
}

// Devices are written to, and stay; what they cannot take is said.
func TestDevices(t *testing.T) {
	clean(t)
	if err := whole(os.DevNull, page, firstLine, true); err != nil {
		t.Error(err)
	}
	if err := whole(os.DevNull, Kind{What: "plot"}, "x", true); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := whole("/dev/full", page, firstLine, true); err == nil || !strings.Contains(err.Error(), "/dev/full cannot be written: no space left") {
			t.Errorf("%v", err)
		}
	}
}

// The number of an input that was removed may be that of a new file, which the command does not read.
func TestCreateWhereAnInputWas(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "t.tsv")
	put(t, name, "rows\n")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	Reads(name, info)
	Overwrite(true)
	next := filepath.Join(dir, "next")
	if err := os.Rename(name, next); err != nil { // the same number, as after a removal
		t.Fatal(err)
	}
	refuses(t, next, page, "is what the command reads") // it was only renamed
	if err := os.Chtimes(next, time.Time{}, info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := whole(next, page, firstLine, true); err != nil {
		t.Error(err)
	}
}

// A file that comes as standard input is an input of the command, as one that is named is.
func TestCreateRefusesStandardInput(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "t.tsv")
	put(t, name, "rows\n")
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := Read("standard input", in); err != nil {
		t.Fatal(err)
	}
	Overwrite(true)
	want := name + ", which is standard input, is what the command reads; name another file"
	if err := whole(name, page, firstLine, true); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	holds(t, name, "rows\n")
}

// Links are followed as far as a name leads, also on the way to what is not there yet.
func TestResolved(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Mkdir("real", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Skip("NOT CHECKED: this system makes no links: ", err)
	}
	for name, want := range map[string]string{
		"link": "real", "link/a": "real/a", "link/a/b/c": "real/a/b/c", "x": "x", "x/y": "x/y", "./link/*/b": "real/*/b",
		filepath.Join(dir, "link", "a"): filepath.Join(dir, "real", "a"), "/": "/", "/nowhere/at/all": "/nowhere/at/all",
	} {
		if got := Resolved(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A link that leads nowhere is not replaced by what is made, whether others may be or not.
func TestLinkToNowhere(t *testing.T) {
	t.Chdir(clean(t))
	if err := os.Symlink("nowhere", "link"); err != nil {
		t.Skip("NOT CHECKED: this system makes no links: ", err)
	}
	for _, may := range []bool{false, true} {
		Overwrite(may)
		for _, kind := range []Kind{page, {What: "journal", Grows: true}} {
			if _, err := Create("link", kind); err == nil || err.Error() != "link is a link to nowhere, which is not there; name another file" {
				t.Errorf("%s: %v", kind.What, err)
			}
		}
	}
	if to, err := os.Readlink("link"); err != nil || to != "nowhere" {
		t.Error(to, err)
	}
}

// A name that is kept for what something else makes is no file's, by links neither.
func TestReserve(t *testing.T) {
	t.Chdir(clean(t))
	if err := os.Mkdir("real", 0o777); err != nil {
		t.Fatal(err)
	}
	name := "real/out"
	if os.Symlink("real", "link") == nil {
		name = "link/out"
	}
	for range 2 {
		if err := Reserve(name, "job's output"); err != nil {
			t.Fatal(err)
		}
	}
	want := "real/out: the command would write a job's output and a page there; give each its own file"
	if err := whole("real/out", page, firstLine, true); err == nil || filepath.ToSlash(err.Error()) != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := Free("real/out", page); err == nil {
		t.Error("it is free")
	}
}
