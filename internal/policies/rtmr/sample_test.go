package rtmr

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The time of a map of a sample counts from the start of the first that runs, not of the last: node
// 1 starts its map at 0s and node 2 another at 1.5s, and the first ends at 10s. So the longest is
// 10s, 13s with the beat, and two maps that are left on two nodes end at 23s at worst.
func TestSampleBegan(t *testing.T) {
	s := stream{Nodes: 2, Maps: 1, Reduces: 1, Heartbeat: 3 * units.Second, Jobs: []streamJob{{Within: 100, Maps: []int{10, 2, 1, 1}, Map: 10}}}
	var said starts
	k, err := s.play(Config{Feedback: true, Sample: 2, Skew: 1}, nil, &said)
	if err != nil || k.refusals > 0 {
		t.Fatalf("%d refusals; %v", k.refusals, err)
	}
	i := slices.IndexFunc(said.lines, func(l string) bool { return strings.Contains(l, "admit") })
	if want := "10s admit id=6 job=1 word=expected measured=2 by=23000000000 reason=estimated:100000000000"; i < 0 || said.lines[i] != want {
		t.Errorf("%s\nwant %s", strings.Join(said.lines, "\n"), want)
	}
}

// By a sample one task has a law whose deviation is three quarters of its mean: that of a lognormal with that variance.
func TestTheLawOfASample(t *testing.T) {
	l := newScheduler(usual).guessLikely(&sched.Job{Spec: &workload.Job{}}, &sample{Longest: 10 * units.Second})
	job := finish.Job{Maps: finish.Tasks{N: 1, Typical: l.Map.Typical, Own: &l.Map.Own, Shared: &l.Map.Shared}}
	d := job.Finish()
	deviation := math.Sqrt(math.Log(1 + 0.75*0.75))
	for _, z := range []float64{0, 1, 2} {
		want := math.Erfc(z/math.Sqrt2) / 2
		if got := d.Above(10*math.Exp(z*deviation), 0); math.Abs(got/want-1) > 0.15 {
			t.Errorf("more than %.1f s with %.4f, want %.4f", 10*math.Exp(z*deviation), got, want)
		}
	}
}
