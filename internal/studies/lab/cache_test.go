package lab

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/studies/report"
)

// A report comes back as it was kept,, not at all once a byte of it is another or it stands in place of another.
func TestCache(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cell := Cell{Scenario: "s <&>", Policy: "fifo", Seed: 7, Key: "k"}
	run := report.NewBuilder("sim", cell.Scenario, cell.Policy, cell.Seed).Run()
	run.Summary.InTime, run.Stuck = 3, "it is stuck"
	if cache.Find(&cell) != nil {
		t.Error("something is known already")
	}
	if err := cache.Keep(&cell, run); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run, cache.Find(&cell)); d != "" {
		t.Error(d)
	}
	whole, err := os.ReadFile(cache.file(&cell))
	if err != nil {
		t.Fatal(err)
	}
	write := func(c *Cell, text []byte) {
		t.Helper()
		if err := cache.Keep(c, run); err != nil { // for the folder
			t.Fatal(err)
		}
		if err := os.WriteFile(cache.file(c), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range whole {
		altered := bytes.Clone(whole)
		altered[i] ^= 1
		if write(&cell, altered); cache.Find(&cell) != nil {
			t.Errorf("it is believed with another byte %d", i)
		}
	}
	if write(&cell, bytes.Replace(whole, []byte(`"in_time":3`), []byte(`"in_time":777`), 1)); cache.Find(&cell) != nil {
		t.Error("it is believed with another number")
	}
	other := cell
	other.Key = "another scenario of that name"
	if write(&other, whole); cache.Find(&other) != nil {
		t.Error("it is believed in place of another")
	}
}
