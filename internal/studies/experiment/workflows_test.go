package experiment

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
)

// Random workflows are the same for a seed, as large as the paper says, without circles; what is played of them takes
// no less than the linear bound, and flow is nearer to that than dawsee.
func TestRandomWorkflows(t *testing.T) {
	c := &computed{Hours: 0.5, Factor: 0.1, Size: 15, Machines: 32, Load: 1, Slope: 0.011, bounds: new(sync.Map)}
	list := c.drawWorkflows(3)
	if !reflect.DeepEqual(list, c.drawWorkflows(3)) || reflect.DeepEqual(list, c.drawWorkflows(4)) {
		t.Error("a seed draws other workflows each time, or each seed the same")
	}
	for _, w := range list {
		edges := 0
		for i, j := range w.jobs {
			edges += len(j.after)
			if slices.ContainsFunc(j.after, func(b int) bool { return b >= i }) || j.most < 30 || j.most > 120 || j.slope < 0.009 || j.slope > 0.013 ||
				j.serial < 0.6e12/2.4e9 || j.serial > 21.6e12/2.4e9 {
				t.Errorf("job %d: %+v", i, j)
			}
		}
		if n := len(w.jobs); n < 12 || n > 18 || edges != n*3/2 {
			t.Errorf("%d jobs, %d edges", n, edges)
		}
	}
	var above [3]float64
	for i, policy := range []string{"flow", "dawsee", bawmee} {
		got, err := workflows(policy)(context.Background(), c, 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		above[i] = got["above the bound"]
		// dawsee plans by mean times over all machines, on each of which a job's CPU works another part of the time
		if got["missed"] != 0 || got["energy of a workflow"] <= 0 || above[i] < 0 || above[i] > []float64{0.02, 0.25, 0.25}[i] {
			t.Errorf("%s: %v", policy, got)
		}
	}
	if above[0] > above[1] {
		t.Errorf("flow is %v above the bound, dawsee %v", above[0], above[1])
	}
}
