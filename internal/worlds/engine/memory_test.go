package engine_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/units"
)

// The bytes of the output depend neither on the workers, nor on the blocks, nor on the memory, nor
// on whether it is synced.
func TestSameBytesWhateverTheMachine(t *testing.T) {
	dir := t.TempDir()
	words, _ := text(t, 4000)
	rows := filepath.Join(dir, "rows")
	if err := os.WriteFile(rows, []byte("0 1500\n1500 1500\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(dir, "records")
	play(t, "teragen", engine.Config{Cluster: workers(1, 1, 1)}, rows, records, 0)
	machines := map[string]engine.Config{
		"one worker":       {Cluster: workers(1, 1, 1)},
		"two, small block": {Cluster: workers(2, 1, 1), Block: 10 * units.KB, Memory: 64 * units.MB},
		"four, synced":     {Cluster: workers(4, 1, 1), Block: 33 * units.KB, Memory: units.GB, Sync: outdir.SyncAll},
		"no memory":        {Cluster: workers(2, 2, 1), Block: 50 * units.KB, Buffer: units.KB},
		"little memory":    {Cluster: workers(2, 1, 2), Block: 25 * units.KB, Buffer: 8 * units.KB},
	}
	for app, in := range map[string]string{"wordcount": words, "sort": words, "terasort": records} {
		var want map[string]string
		for name, cfg := range machines {
			got := play(t, app, cfg, in, filepath.Join(t.TempDir(), "out"), 3)
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) != 3 {
				t.Errorf("%s, %s (-another machine +this one):\n%s", app, name, diff)
			}
		}
	}
}

// play runs an application and returns a digest of each part.
func play(t *testing.T, app string, cfg engine.Config, in, out string, reduces int) map[string]string {
	t.Helper()
	p, err := apps.New(app, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Seed = 1
	cfg.Jobs = []engine.Job{{Spec: spec(app), Program: p, Input: []string{in}, Output: out, Reduces: reduces}}
	if _, e := run(t, cfg, conform.Friendly{}); e.jobs[app] != "committed" {
		t.Fatalf("%s: %s", app, e.jobs[app])
	}
	parts := map[string]string{}
	files, err := filepath.Glob(filepath.Join(out, "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		parts[filepath.Base(f)] = fmt.Sprintf("%d bytes, %x", len(b), sha256.Sum256(b))
	}
	return parts
}

func TestMemoryTooSmall(t *testing.T) {
	_, err := engine.New(engine.Config{Cluster: workers(1, 1, 1), Clock: stopwatch(), Memory: units.MB})
	if err == nil || !strings.Contains(err.Error(), "memory of 1MB is below 32MB") {
		t.Errorf("it says %v", err)
	}
}
