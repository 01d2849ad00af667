package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Cells that share the jobs of a trace report what each does alone; those that run share them, and
// nobody keeps them. So does a single cell, for which they are made on another processor.
func TestCellsShareTheirJobs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	dir := t.TempDir()
	var jobs strings.Builder
	for i := range 40 {
		fmt.Fprintf(&jobs, "job%d\t%d\t%d\t%d\t%d\t%d\n", i, i*20, 20, 1+i%7*300_000_000, i%3*50_000_000, 1000)
	}
	file := filepath.Join(dir, "s.yaml")
	text := "cluster: {nodes: 8, racks: 2, map_slots: 2, reduce_slots: 1, heartbeat: 3s, replicas: 3,\n" +
		"  failure_rate: 0.05}\n" +
		"profiles: rehearsed\nworkload: {trace: {format: swim, file: jobs.tsv}}\n"
	if err := os.WriteFile(filepath.Join(dir, "jobs.tsv"), []byte(jobs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cells := Cells(s, []string{"fifo", "fair", "rtmr", "edf-n"}, []uint64{1, 2})
	known, err := Run(context.Background(), cells[3]) // fair with seed 2, alone
	if err != nil {
		t.Fatal(err)
	}
	cells[3].Known = known
	kept := 0
	if _, err = Grid(context.Background(), cells, 1, nil, func() {
		if cells[0].common.shared != nil || cells[1].common.shared != nil {
			kept++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if kept != 6 {
		t.Errorf("jobs were kept after %d of 8 cells, want all but the last of each seed", kept)
	}
	runs, err := Grid(context.Background(), cells, 2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range cells {
		alone, err := Run(context.Background(), Cells(s, []string{cells[i].Policy}, []uint64{cells[i].Seed})[0])
		if err != nil {
			t.Fatal(err)
		}
		ahead, err := Grid(context.Background(), Cells(s, []string{cells[i].Policy}, []uint64{cells[i].Seed}), 1, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*report.Run{runs[i], alone, ahead[0]} {
			r.Summary.Time(1)
		}
		if d := cmp.Diff(alone, runs[i]) + cmp.Diff(alone, ahead[0]); d != "" {
			t.Errorf("%s: alone it differs: %s", cells[i].Position(), d)
		}
		if c := cells[i].common; c.shared != nil || c.left != 0 {
			t.Errorf("%s: %d cells are left, shared %v", cells[i].Position(), c.left, c.shared)
		}
	}
}

// Cells that have something in common run one after the other, and those that ran before are not waited for.
func TestTogether(t *testing.T) {
	a, b := &common{}, &common{left: 9}
	cells := []Cell{{common: a}, {common: b}, {}, {common: a, Known: &report.Run{}}, {common: b}, {common: a}}
	if d := cmp.Diff([]int{0, 3, 5, 1, 4, 2}, together(cells)); d != "" || a.left != 2 || b.left != 2 {
		t.Errorf("%s; left %d, %d", d, a.left, b.left)
	}
}
