package outdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/success"
)

// A disk knows what a loss of power leaves for sure: bytes of files that were synced, and names in folders
// that were. Whatever else was done may be there afterwards, or not, in any order.
type disk struct {
	bytes []fs.FileInfo
	names map[string][]string
}

func (d *disk) sync(path string) {
	path, _ = filepath.Abs(path)
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		d.bytes = append(d.bytes, info)
		return
	}
	entries, _ := os.ReadDir(path)
	d.names[path] = nil
	for _, e := range entries {
		d.names[path] = append(d.names[path], e.Name())
	}
}

// has tells whether the bytes of a file are there, and its name.
func (d *disk) has(path string) bool {
	info, err := os.Stat(path)
	return err == nil && slices.Contains(d.names[filepath.Dir(path)], filepath.Base(path)) &&
		(info.IsDir() || slices.ContainsFunc(d.bytes, func(b fs.FileInfo) bool {
			return os.SameFile(b, info) && b.Size() == info.Size() && b.ModTime().Equal(info.ModTime())
		}))
}

// lost is the first file that a _SUCCESS speaks of, where a loss of power might leave that one and not the file.
func (d *disk) lost(out string) string {
	parts, _ := success.Read(out)
	for _, p := range parts {
		if path := filepath.Join(out, p.Name); !d.has(path) {
			return path
		}
	}
	return ""
}

// Whenever the power goes, a _SUCCESS that is there afterwards speaks of files that are there as well, and
// whole; and when a job has ended, it is. So it is where one output replaces another.
func TestPowerCut(t *testing.T) {
	defer fault.Use(nil)
	above := t.TempDir()
	out := filepath.Join(above, "new", "out")
	d := &disk{names: map[string][]string{}}
	syncs := 0
	for _, text := range []string{"old", "the new", "newer still"} {
		fault.Use(&fault.Schedule{Counts: func(op fault.Op, path string) bool {
			if lost := d.lost(out); lost != "" {
				t.Errorf("%s: before %v of %s %s might be lost, and _SUCCESS not", text, op, path, lost)
			}
			if op == fault.Sync {
				d.sync(path)
				syncs++
			}
			return true
		}})
		_, err := writes(out, text, 3, nil)
		fault.Use(nil)
		if err != nil || !holds(out, text, 3) {
			t.Fatal(err)
		}
		for _, path := range []string{filepath.Join(out, success.Name), out, filepath.Dir(out)} {
			if lost := d.lost(out); lost != "" || !d.has(path) {
				t.Errorf("%s: behind the end %s or %q might be lost", text, path, lost)
			}
		}
	}
	if syncs < 20 {
		t.Errorf("only %d syncs were seen", syncs)
	}
}
