package fault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func work(dir string) (errs []error) {
	path := filepath.Join(dir, "run-0")
	f, err := CreateFile(path)
	errs = append(errs, MakeDirs(filepath.Join(dir, "d")), err)
	if f != nil {
		_, err = f.Write(bytes.Repeat([]byte("abcdefgh"), 100))
		errs = append(errs, err, f.Sync(), f.Close())
	}
	f, err = OpenFile(path)
	errs = append(errs, err)
	if f != nil {
		_, err = f.Read(make([]byte, 10))
		_, err2 := f.ReadAt(make([]byte, 10), 5)
		errs = append(errs, err, err2, f.Close())
	}
	return append(errs, Delete(path), DeleteAll(filepath.Join(dir, "d")), SyncDir(dir))
}

// Without a schedule all is as in package os.
func TestOff(t *testing.T) {
	if err := errors.Join(work(t.TempDir())...); err != nil || Dead() {
		t.Error(err)
	}
}

// Equal seeds strike at equal places, whatever the directory is called; other seeds and other lives elsewhere.
func TestReplay(t *testing.T) {
	defer Use(nil)
	struck := func(seed uint64, life int) []string {
		s := &Schedule{Seed: seed, Life: life, Root: t.TempDir(), Fail: 0.2, Flip: 0.5, Most: 100}
		Use(s)
		for range 10 {
			work(s.Root)
		}
		return s.Struck()
	}
	one := struck(1, 0)
	if len(one) < 10 || !slices.Equal(one, struck(1, 0)) {
		t.Errorf("a schedule played again is another one: %v", one)
	}
	if slices.Equal(one, struck(2, 0)) || slices.Equal(one, struck(1, 1)) {
		t.Error("another schedule strikes at the same places")
	}
}

// A write that finds the disk full has written half; no more than Most operations fail.
func TestFullDisk(t *testing.T) {
	defer Use(nil)
	path := filepath.Join(t.TempDir(), "f")
	f, err := CreateFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &Schedule{Full: 1, Most: 1}
	Use(s)
	n, err := f.Write([]byte("12345678"))
	if n != 4 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d, %v", n, err)
	}
	if _, err = f.Write([]byte("abc")); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "1234abc" {
		t.Errorf("%q", b)
	}
}

// A flip changes one bit of what reaches the disk and none of what the caller holds.
func TestFlip(t *testing.T) {
	defer Use(nil)
	Use(&Schedule{Flip: 1, Most: 1})
	path := filepath.Join(t.TempDir(), "run-1")
	f, err := CreateFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 64)
	if _, err := f.Write(b); err != nil || !bytes.Equal(b, make([]byte, 64)) {
		t.Error(err, b)
	}
	got, _ := os.ReadFile(path)
	ones := 0
	for _, c := range got {
		for ; c > 0; c &= c - 1 {
			ones++
		}
	}
	if ones != 1 || len(got) != 64 {
		t.Errorf("%d bits of %d bytes", ones, len(got))
	}
}

// Once a process is dead nothing more reaches the disk, and nothing is tidied up.
func TestDeath(t *testing.T) {
	for after := range 30 {
		func() {
			defer Use(nil)
			s := &Schedule{Root: t.TempDir(), DieAll: true, After: after}
			Use(s)
			work(s.Root)
			if after < 10 != Dead() {
				t.Fatalf("dead after %d operations: %v", after, Dead())
			}
			if !Dead() {
				return
			}
			before, _ := filepath.Glob(filepath.Join(s.Root, "*"))
			for _, err := range work(s.Root) {
				if err != nil && !errors.Is(err, ErrDead) {
					t.Errorf("a dead process says %v", err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(s.Root, "*")); !slices.Equal(before, left) {
				t.Errorf("a dead process has changed %v to %v", before, left)
			}
		}()
	}
}

// Nothing breaks without a grant, and what a death does is up to the process.
func TestGrant(t *testing.T) {
	defer Use(nil)
	var asked []string
	grants, exits := 2, 0
	s := &Schedule{Root: t.TempDir(), Fail: 1, Flip: 1, Most: 100, Grant: func(what string) bool {
		asked = append(asked, what)
		return len(asked) <= grants
	}, Exit: func() { exits++ }}
	Use(s)
	work(s.Root)
	if len(asked) <= grants || !slices.Equal(s.Struck(), asked[:grants]) {
		t.Errorf("struck %v, asked %v", s.Struck(), asked)
	}
	s.Die, grants = 1, 0
	work(s.Root)
	if exits != 0 || s.Died() {
		t.Error("it died without a grant")
	}
	s.DieAll, grants = true, len(asked)+1
	work(s.Root)
	if exits != 1 || !s.Died() {
		t.Errorf("%d exits", exits)
	}
}

// BenchmarkWrite compares a File with an os.File, for blocks of the size that the engine writes.
func BenchmarkWrite(b *testing.B) {
	block := make([]byte, 128<<10)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	b.Run("os", func(b *testing.B) {
		for range b.N {
			_, _ = null.Write(block)
		}
	})
	b.Run("fault", func(b *testing.B) {
		f := &File{null}
		for range b.N {
			_, _ = f.Write(block)
		}
	})
}
