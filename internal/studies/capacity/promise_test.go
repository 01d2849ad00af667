package capacity

import (
	"context"
	"math"
	"testing"

	"github.com/slackline/slackline/internal/policies/queues"
)

// All who ask submit jobs to the machines of the plan, also those whom the plan rejects. Under capacity-plan
// that costs what the plan promises, within 5 %: who was in time is not rejected, and machines cost what they
// cost. Queues foresee the jobs that ask, and the class that must be admitted is worth most. Jobs take less
// than planned, as phases lend each other room, so the plan is on the safe side: fair has all in time.
func TestPlanKeepsItsPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("one cell after another, where -short is not asked for")
	}
	cost := func(policy string) (sum float64, refused []int) {
		c := example(t)
		r, plan := Plan(c), Plan(c)
		penalties := []float64{0, c.Classes[1].Penalty, c.Classes[2].Penalty} // etl has to be admitted
		c.Classes[0].Penalty = 9
		r.Played = &Played{}
		var q queues.Config
		for i := range r.Classes {
			k := &r.Classes[i]
			k.Admitted = k.AtMost
			r.Played.Classes = append(r.Played.Classes, PlayedClass{Name: k.Name})
			at := queues.Queue{Name: k.Name, Weight: k.Machines, UserLimitFactor: -1, Capacity: math.Floor(1e4*k.Machines/plan.Reserved) / 100}
			if policy == "capacity-plan" {
				at = queues.Queue{Name: k.Name, MaxRunning: new(int(k.AtMost))}
			}
			q.Queues = append(q.Queues, at)
		}
		err := r.playShared(context.Background(), c, plan.Reserved, q, play{policy, 1, 10})
		if err != nil {
			t.Fatal(err)
		}
		sum = plan.Machines
		for i, k := range r.Played.Classes {
			// A user is served for as long as a job takes with the thinking before it, and is not while
			// thinking before one that is refused.
			think := plan.Classes[i].Mean / 10
			busy := k.sum + float64(k.Jobs)*think
			inTime := float64(k.InTime.K) / float64(k.InTime.N) * busy / (busy + float64(k.Refused)*think)
			sum += penalties[i] * plan.Classes[i].AtMost * (1 - inTime)
			refused = append(refused, k.Refused)
		}
		return sum, refused
	}
	promised := Plan(example(t)).Cost
	planned, refused := cost("capacity-plan")
	fair, _ := cost("fair")
	capacity, _ := cost("capacity")
	rigid, _ := cost("capacity(elastic=false)")
	t.Logf("promised %.2f; capacity-plan %.2f, refused %v; fair %.2f, capacity %.2f, without lending %.2f", promised, planned, refused, fair, capacity, rigid)
	if math.Abs(planned-promised) > 0.05*promised || refused[0]+refused[2] > 0 || refused[1] == 0 {
		t.Errorf("the plan promises a cost of %.2f, it is %.2f; refused %v", promised, planned, refused)
	}
	if rigid <= planned {
		t.Errorf("without lending and admission it costs %.2f, under the plan %.2f", rigid, planned)
	}
}
