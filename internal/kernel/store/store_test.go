package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func taught(class string, seconds ...int) *profile.Class {
	p := profile.New(class)
	p.Runs = 1
	for _, s := range seconds {
		p.Attempt(workload.Map, "local", units.MB, units.Duration(s)*units.Second, 0)
	}
	return p
}

func TestLearnMergesAsProfilesDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "a ? b.db")
	s := open(t, path)
	want := taught("words", 1, 2, 3)
	for _, p := range []*profile.Class{taught("words", 1, 2, 3), taught("words", 7), taught("grep", 5)} {
		if err := s.Learn(p); err != nil {
			t.Fatal(err)
		}
	}
	want.Merge(taught("words", 7))
	got, err := open(t, path).Profiles() // by another handle
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*profile.Class{taught("grep", 5), want}, got); d != "" {
		t.Error(d)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// Two handles learn at once, as two processes would: nothing is lost.
func TestTwoLearnAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	var all sync.WaitGroup
	for range 2 {
		s := open(t, path)
		all.Go(func() {
			for range 50 {
				if err := s.Learn(taught("words", 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := open(t, path).Profiles()
	if err != nil || len(got) != 1 || got[0].Runs != 100 || got[0].Any(workload.Map).Task.N != 100 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFilesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(dir, "newer.db")
	open(t, newer)
	db, err := sql.Open("sqlite", newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		write("text.db", strings.Repeat("no database ", 100)): "it is damaged, or not an SQLite file; move it away to start a new one",
		newer:                                    "a newer slackline wrote it: it has version 99, this build knows versions up to 7",
		filepath.Join(write("file", ""), "s.db"): "its folder cannot be made",
		dir:                                      "it cannot be opened; is it a file, in a folder that can be written to?",
	} {
		s, err := Open(path)
		if err == nil || !strings.HasPrefix(err.Error(), "store "+path+": "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v\nwant store %s: %s", err, path, want)
		}
		if err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is known of a class may be damaged by hand; that is one sentence, and the rest of the file stays as it is.
func TestDamagedProfile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	if _, err := s.db.Exec("INSERT INTO profiles VALUES ('words', '{')"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Profiles(); err == nil || !strings.Contains(err.Error(), `what it knows of class "words" cannot be read`) {
		t.Errorf("got %v", err)
	}
	if err := s.Learn(taught("words", 1)); err == nil {
		t.Error("it learned over what it could not read")
	}
}

// TestModelsAreOfTheLastRun: a run fits models to what was known and to what it did, and those are
// read back. A cold run fits none for warm ones.
func TestModelsAreOfTheLastRun(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	key := profile.Key{Stage: workload.Map}
	ran := func(fixed float64) *profile.Class {
		c := taught("words", 1)
		c.Adopt([]*profile.Model{{Key: key, Fixed: fixed}})
		return c
	}
	for _, c := range []*profile.Class{ran(1), ran(2), ran(3).AsCold(), ran(4).AsCold(), taught("sort", 1)} {
		if err := s.Learn(c); err != nil {
			t.Fatal(err)
		}
	}
	known, err := s.Profiles("words")
	if err != nil || len(known) != 2 || known[0].Name != "sort" || known[0].Runs != 0 {
		t.Fatalf("%d classes, %v", len(known), err)
	}
	known = known[1:]
	if m := known[0].Model(key.Stage, key.Node, key.Part); m == nil || m.Fixed != 2 {
		t.Errorf("the model is %+v, want that of the second run", m)
	}
	if m := known[0].Cold.Models; len(m) > 0 {
		t.Errorf("cold runs have a model of warm ones: %+v", m[0])
	}
	if all, err := s.Profiles(); err != nil || len(all) != 2 || all[0].Runs != 1 {
		t.Errorf("%d classes in all, %v", len(all), err)
	}
	// what a build before this has written lends nothing until the tables are brought to its version
	if _, err := s.db.Exec("DROP TABLE lent; PRAGMA user_version = 6"); err != nil {
		t.Fatal(err)
	}
	if err := s.migrate(); err != nil {
		t.Fatal(err)
	}
	if some, err := s.Profiles("none"); err != nil || len(some) != 2 || some[1].Runs != 0 || len(some[1].Models) != 1 || some[1].Models[0].Fixed != 2 {
		t.Errorf("what others lend: %+v, %v", some, err)
	}
}
