package outdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/fault"
)

type line struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

func numbers(t *testing.T, records []json.RawMessage) (list []int) {
	t.Helper()
	for _, r := range records {
		var l line
		if err := json.Unmarshal(r, &l); err != nil {
			t.Fatal(err)
		}
		list = append(list, l.N)
	}
	return list
}

func write(t *testing.T, path string, from, to int) {
	t.Helper()
	l, _, err := openLog(path, from%2 == 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := from; n < to; n++ {
		if err := l.append(line{n, "text\nof more than one line"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
}

// However much of the last lines is torn off, those before are read, and what is appended then is
// read as well.
func TestTornTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, 0, 4)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		left := bytes.Count(whole[:cut+1], []byte{'\n'}) // a line that lacks its end alone gets one
		write(t, path, 7, 9)
		records, err := readLog(path)
		want := []int{0, 1, 2, 3}[:left]
		if got := numbers(t, records); err != nil || fmt.Sprint(got) != fmt.Sprint(append(want, 7, 8)) {
			t.Fatalf("cut at %d: %v, %v; want %v", cut, got, err, want)
		}
	}
}

// A flipped bit costs the line that it is in, and none beside it but where it makes two lines one.
func TestFlippedBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, 0, 4)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(whole) {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		got := numbers(t, parse(b))
		if len(got) < 2 || len(got) == 4 && bit%8 != 5 { // that bit turns a into A, which is the same digit
			t.Fatalf("bit %d: %v", bit, got)
		}
		for i, n := range got {
			if n > 3 || i > 0 && n <= got[i-1] {
				t.Fatalf("bit %d: %v", bit, got)
			}
		}
	}
}

func TestClear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, 0, 3)
	l, records, err := openLog(path, false)
	if err != nil || len(records) != 3 {
		t.Fatal(records, err)
	}
	if err := errors.Join(l.clear(), l.append(line{N: 9}), l.close()); err != nil {
		t.Fatal(err)
	}
	if records, err = readLog(path); err != nil || fmt.Sprint(numbers(t, records)) != "[9]" {
		t.Error(records, err)
	}
}

// With sync each record is synced before Append returns, and a record that could not be is not told
// as written; without, nothing is synced.
func TestSync(t *testing.T) {
	defer fault.Use(nil)
	for _, sync := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "log")
		l, _, err := openLog(path, sync)
		if err != nil {
			t.Fatal(err)
		}
		var order []fault.Op
		fault.Use(&fault.Schedule{Counts: func(op fault.Op, _ string) bool { order = append(order, op); return true }})
		if err := errors.Join(l.append(line{N: 1}), l.append(line{N: 2})); err != nil {
			t.Fatal(err)
		}
		want := []fault.Op{fault.Write, fault.Write}
		if sync {
			want = []fault.Op{fault.Write, fault.Sync, fault.Write, fault.Sync}
		}
		if !slices.Equal(order, want) {
			t.Errorf("sync %v: %v, want %v", sync, order, want)
		}
		fault.Use(&fault.Schedule{Fail: 1, Most: 100, Grant: func(what string) bool { return strings.HasPrefix(what, "failed: sync") }})
		if err := l.append(line{N: 3}); (err != nil) != sync {
			t.Errorf("sync %v: a sync that fails: %v", sync, err)
		}
		fault.Use(nil)
		if err := errors.Join(l.append(line{N: 4}), l.close()); err != nil {
			t.Fatal(err)
		}
		records, err := readLog(path)
		if got := fmt.Sprint(numbers(t, records)); err != nil || sync && got != "[1 2 4]" || !sync && got != "[1 2 3 4]" {
			t.Errorf("sync %v: %s, %v", sync, got, err)
		}
	}
}

// A lock that is a link is not taken: what it leads to would be overwritten.
func TestLockIsNoLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "keep.txt"), []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"lock": "keep.txt", "other": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("NOT CHECKED:", err)
		}
		if _, err := takeLock(filepath.Join(dir, name)); err == nil {
			t.Errorf("a link to %s is locked", to)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "keep.txt")); err != nil || string(b) != "precious" {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("the lock was made where the link leads")
	}
}

// holding is set in the environment of a process that is to take a lock and wait.
const holding = "SLACKLINE_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(holding); path != "" {
		_, err := takeLock(path)
		fmt.Println(err)
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// While a process lives that has the lock, others hear who it is; when it is killed, the lock is
// free.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := lockPath(dir)
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holding+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := out.Read(b); err != nil || string(b) != "<nil>" {
		t.Fatalf("the other process: %s, %v", b, err)
	}
	want := fmt.Sprintf("process %d is writing there", cmd.Process.Pid)
	if _, err := takeLock(path); err == nil || err.Error() != want {
		t.Errorf("Take: %v, want %s", err, want)
	}
	if err := Busy(dir); err == nil || err.Error() != says(dir, errors.New(want)).Error() {
		t.Errorf("Busy: %v, want %s", err, want)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := Busy(dir); err != nil {
		t.Errorf("the lock of a dead process: %v", err)
	}
	l, err := takeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(text)) != fmt.Sprint(os.Getpid()) {
		t.Errorf("the lock names %s, %v", text, err)
	}
	if !l.holds() {
		t.Error("the lock does not hold")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if l.holds() {
		t.Error("the lock holds though its file is gone")
	}
	again, err := takeLock(path)
	if err != nil || l.holds() || !again.holds() {
		t.Errorf("another file at its place: %v", err)
	}
	if err := errors.Join(l.Release(), again.Release()); err != nil {
		t.Error(err)
	}
}

// Whatever stands in a log, reading it ends, and what it yields is what was written.
func FuzzParse(f *testing.F) {
	f.Add([]byte("00000000 {}\n"))
	f.Add([]byte("a3d4a1a6 {\"n\":1}\nxx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, r := range parse(text) {
			if !json.Valid(r) || bytes.ContainsRune(r, '\n') {
				t.Errorf("%q", r)
			}
		}
	})
}
