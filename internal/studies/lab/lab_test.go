package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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
		runs, err := Grid(t.Context(), cells, workers, nil, nil)
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
		cells[i].World = func(context.Context) (drive.World, error) {
			begun++
			return nil, fmt.Errorf("cell %d", i)
		}
	}
	if _, err := Grid(t.Context(), cells, 1, nil, nil); err == nil || err.Error() != pools+": pools by fifo with seed 1: cell 0" || begun != 1 {
		t.Errorf("%v, %d cells begun", err, begun)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Grid(ctx, grid(t, "fifo"), 2, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// No cell begins where one of a later turn has a policy that its world cannot run.
func TestGridChecksFirst(t *testing.T) {
	cells := grid(t, "fifo", "fifo+speculate")
	for i := range cells {
		cells[i].World = func(context.Context) (drive.World, error) {
			t.Error("a cell has begun")
			return nil, errors.New("it has begun")
		}
	}
	if _, err := Grid(t.Context(), cells, 2, nil, nil); err == nil || !strings.HasPrefix(err.Error(), pools+`: pools by fifo+speculate with seed 1: policy "fifo+speculate" needs a world that can speculate`) {
		t.Error(err)
	}
}
