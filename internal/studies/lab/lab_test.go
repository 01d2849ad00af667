package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

const pools = "../../../examples/pools.yaml"

func grid(t *testing.T, policies ...string) []Cell {
	t.Helper()
	src, err := os.ReadFile(pools)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read(pools, src)
	if err != nil {
		t.Fatal(err)
	}
	return Cells(s, policies, s.Seeds[:3])
}

// A grid reports the same on any number of workers, in its own order.
func TestGrid(t *testing.T) {
	var first []*report.Run
	for _, workers := range []int{1, 2, 7} {
		cells := grid(t, "fifo", "fair", "edf-p")
		runs, err := Grid(t.Context(), cells, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range runs {
			if r.Policy != cells[i].Policy || r.Seed != cells[i].Seed {
				t.Errorf("%d workers: run %d is %s, seed %d", workers, i, r.Policy, r.Seed)
			}
			r.Summary.Time(0)
			r.Summary.EventsPerSec = 0
		}
		if first == nil {
			first = runs
		}
		if diff := cmp.Diff(first, runs); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
	if cmp.Diff(first[0].Jobs, first[1].Jobs) == "" {
		t.Error("another seed changes nothing")
	}
}

// The first error in the order of the grid is returned, and what has not begun does not begin.
func TestGridError(t *testing.T) {
	cells := grid(t, "fifo", "fair")
	begun := 0
	for i := range cells {
		cells[i].World = func() (drive.World, error) {
			begun++
			return nil, fmt.Errorf("cell %d", i)
		}
	}
	if _, err := Grid(t.Context(), cells, 1, nil); err == nil || err.Error() != "cell 0" || begun != 1 {
		t.Errorf("%v, %d cells begun", err, begun)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Grid(ctx, grid(t, "fifo"), 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestThisMachine(t *testing.T) {
	for cores, want := range map[int][2]int{1: {1, 1}, 2: {2, 1}, 3: {2, 2}, 8: {2, 4}, 64: {2, 32}} {
		if m := ThisMachine(cores); m.Nodes != want[0] || m.MapSlots != want[1] || m.Nodes*m.MapSlots < cores || m.Cluster().Validate() != nil {
			t.Errorf("%d cores: %v", cores, m)
		}
	}
}
