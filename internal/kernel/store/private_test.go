//go:build unix

package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// onlyMine fails if others may look at a folder, or at anything that stands in it.
func onlyMine(t *testing.T, dir string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if n++; err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || n < 6 {
		t.Fatalf("%d files, %v", n, err)
	}
}

// What ran and what was said is this user's alone: the folder, the file, what SQLite keeps beside it, and the locks.
func TestOnlyMine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "slackline")
	s := open(t, filepath.Join(dir, "slackline.db"))
	live, err := s.Begin(Run{Name: "r", Policy: "p", Began: time.Now()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	onlyMine(t, dir)
}

// What an earlier build left open to others is closed when it is opened, with its folder if nothing else stands there.
func TestOnlyMineAgain(t *testing.T) {
	for _, beside := range []string{"", "notes.txt"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "slackline.db")
		live, err := open(t, path).Begin(Run{Name: "r", Policy: "p", Began: time.Now()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer live.Close()
		if beside != "" {
			if err := os.WriteFile(filepath.Join(dir, beside), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Base(path) == beside {
				return err
			}
			if d.IsDir() {
				return os.Chmod(path, 0o755)
			}
			return os.Chmod(path, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
		open(t, path)
		info, err := os.Stat(dir)
		if err != nil || (info.Mode().Perm() == 0o700) != (beside == "") {
			t.Errorf("beside %q: the folder has mode %v, %v", beside, info.Mode(), err)
		}
		if beside == "" {
			onlyMine(t, dir)
			continue
		}
		for _, name := range []string{"slackline.db", "slackline.db-wal", "slackline.db-shm", "running", "running/1"} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("beside %q: %s has mode %v, %v", beside, name, info.Mode(), err)
			}
		}
		if info, err := os.Stat(filepath.Join(dir, beside)); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v, %v", beside, info.Mode(), err)
		}
	}
}
