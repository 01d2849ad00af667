package runs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A cluster that is known: two nodes of two containers, one of which the ApplicationMaster takes. Its tasks begin two
// seconds after their room is free. Its jobs' times are those that the runs before say, within the interval as often
// as it says.
func TestClusterValidation(t *testing.T) {
	const rounds, launch, master = 60, 2.0, 9.0
	gb := func(n int64) units.Vector { return units.Vector{units.Memory: n * int64(units.GB), units.VCores: n} }
	told := trace.Cluster{Beat: 10 * units.Millisecond}
	for _, host := range []string{"n1", "n2"} {
		told.Nodes = append(told.Nodes, trace.ClusterNode{Host: host, Rack: "/r", Has: gb(2)})
	}
	v := NewClusterValidation(told, lab.Queues{MaxMasterShare: 100}, "capacity", 1)
	d := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		// By hand: whose room is free first runs the next map; the ApplicationMaster has half of a node.
		up := master * math.Exp(0.3*d.NormFloat64())
		free, ran := []float64{up, up, up}, &trace.Ran{Submitted: int64(round) * 1e6, Committed: true, Needs: gb(1)}
		ran.Began, ran.Master = 3*units.Second, units.FromSeconds(up-3+launch)
		stage := trace.Stage{Kind: workload.Map, Needs: gb(1)}
		shared := 0.1 * d.NormFloat64()
		for range 12 {
			at := slices.Index(free, slices.Min(free))
			start := free[at] + launch
			end := start + 20*math.Exp(shared+0.2*d.NormFloat64())
			free[at] = end
			ran.Tasks = append(ran.Tasks, trace.RanTask{Kind: workload.Map, Host: []string{"n1", "n2", "n2"}[at], Start: units.FromSeconds(start), End: units.FromSeconds(end),
				Input: 1000, Output: 10, Records: 5})
			stage.Tasks = append(stage.Tasks, trace.Task{Count: 1, Input: 1000, Time: units.FromSeconds(end - start)})
		}
		slices.SortFunc(ran.Tasks, func(a, b trace.RanTask) int { return int(a.End - b.End) })
		job := &trace.Job{ID: fmt.Sprint("job_", round), Class: "c", Queue: "default", Input: 12000, Shuffle: trace.Unknown, Ran: ran, Stages: []trace.Stage{stage}}
		if err := v.Take(t.Context(), "alone", []*scenario.Job{{Name: "c"}}, []*trace.Job{job}, round >= 10); err != nil {
			t.Fatal(err)
		}
	}
	a := v.Sum(rounds - 10)
	p := a.Jobs[0]
	t.Logf("bias %+.3f, %d of %d inside", a.Bias, p.Inside, p.Told)
	if math.Abs(a.Bias) > 0.03 || p.Inside < 40 || p.Told != 50 || p.ID != "c, alone" {
		t.Errorf("%+v", p)
	}
	if below := len(slices.DeleteFunc(slices.Clone(p.Places), func(x float64) bool { return x > 0.5 })); below < 15 || below > 35 {
		t.Errorf("%d of 50 are before the middle: %.2f", below, p.Places)
	}
}
