package rtmr

import (
	"testing"

	"github.com/slackline/slackline/internal/worlds/sim"
)

// A task without a promise that goes on while its node is out of service, and when it is back,
// stands in the schedule where it is lent again: behind a job that has started meanwhile. Its real
// end must not stand for that of the job.
func TestLentAgain(t *testing.T) {
	s := stream{Nodes: 2, Maps: 2, Reduces: 1, Steps: []sim.SizeStep{{At: 4 * second}, {At: 5 * second, Nodes: 1}}, Jobs: []streamJob{
		{Maps: []int{1, 1, 1, 1, 1}, Map: 1, Reduces: []int{3, 1, 1, 1}, Reduce: 3, Known: true, SlowStart: 1},
		{Arrive: 3, Within: 4, Map: 1, Reduces: []int{1, 1, 1}, Reduce: 2, Known: true, SlowStart: 1},
		{Arrive: 5, Within: 1, Map: 1, Reduces: []int{1}, Reduce: 1, Known: true, SlowStart: 1},
	}}
	patient := usual
	patient.FIFO, patient.Preempt = true, false
	if k, err := s.play(patient, nil); err != nil || k.broken > 0 || k.promises != 1 || k.refusals != 1 {
		t.Errorf("%d promises, %d refusals, %v; %v", k.promises, k.refusals, k.says, err)
	}
}
