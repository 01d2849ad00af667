package page

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A file is there whole, or what was there before.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.html")
	write := func(text string, commit bool) {
		t.Helper()
		f, err := CreatePage(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if commit {
			err = f.Commit()
		}
		f.Discard()
		if err != nil {
			t.Fatal(err)
		}
	}
	write(firstLine+"1", false)
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("a file that was given up left %v, %v", list, err)
	}
	write(firstLine+"2", true)
	write(firstLine+"3", false)
	if got, err := os.ReadFile(name); err != nil || string(got) != firstLine+"2" {
		t.Errorf("%q, %v", got, err)
	}
	write(firstLine+"4", true)
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// What a killed process left goes, what is being written stays, and so does what only looks like it.
func TestFileSweeps(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.html")
	for _, base := range []string{".a.html.77-0.part", ".a.html.1234567-3.part", ".a.html.x-0.part", ".a.html.notes.part", ".b.html.77-0.part", ".a.html.1-1.parts"} {
		if err := os.WriteFile(filepath.Join(dir, base), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	first, err := CreatePage(name)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Discard()
	second, err := CreatePage(name)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Discard()
	var got []string
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		got = append(got, strings.Replace(e.Name(), strconv.Itoa(os.Getpid()), "PID", 1))
	}
	if want := ".a.html.1-1.parts .a.html.PID-0.part .a.html.PID-1.part .a.html.notes.part .a.html.x-0.part .b.html.77-0.part"; strings.Join(got, " ") != want {
		t.Errorf("%v\nwant %v", got, want)
	}
	if _, err := first.WriteString(firstLine); err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(); err != nil {
		t.Error(err)
	}
}

// What is wrong with a name is said at once, and nothing is made.
func TestBadNames(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "scenario.yaml")
	if err := os.WriteFile(other, []byte("<!doctype html> is not enough"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"":                               "the name of the file is empty",
		dir:                              "is a folder; name a file",
		filepath.Join(dir, "no", "a"):    "there is no folder",
		filepath.Join(other, "a"):        "cannot be written",
		other:                            "exists already and is not a page; name another file",
		os.DevNull:                       "is not a regular file",
		filepath.Join(dir, "a") + "\x00": "cannot be written",
	} {
		f, err := CreatePage(name)
		if err == nil {
			f.Discard()
			t.Errorf("%q is taken", name)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".part") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := CreateFile(os.DevNull); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a device was accepted as a file: %v", err)
	}
	if f, err := CreateFile(other); err != nil {
		t.Errorf("a file of another kind: %v", err)
	} else {
		f.Discard()
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
