package report

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Nodes are charged from when they are asked for until they are given back or lost, or until the makespan, and
// begun steps in full.
func TestBill(t *testing.T) {
	hour := &cluster.Class{Name: "by the hour", Most: 3, Price: 2, Billing: units.Hour}
	// An hour from 2 h on costs 4.
	spot := &cluster.Class{Name: "to the instant", Most: 3, Price: 1, Prices: []float64{1, 1, 4}}
	own := &cluster.Class{Name: "own"}
	minute := func(n int) units.Time { return units.Time(n) * units.Time(units.Minute) }
	var l leases
	for _, x := range []struct {
		at    int
		node  sched.NodeID
		class *cluster.Class
		state sched.NodeState
	}{
		{0, 1, own, sched.Awake}, {0, 2, hour, sched.Offered}, {0, 3, hour, sched.Offered}, {0, 4, spot, sched.Offered}, {0, 5, spot, sched.Offered},
		{10, 2, hour, sched.Waking}, {12, 2, hour, sched.Awake}, {70, 2, hour, sched.Draining}, {71, 2, hour, sched.Offered}, // 61 min
		{80, 2, hour, sched.Waking}, {140, 2, hour, sched.Offered}, // a step, to the instant
		{20, 4, spot, sched.Waking}, {35, 4, spot, sched.Down}, // it was lost
		{170, 5, spot, sched.Waking},                                // until the makespan
		{190, 3, hour, sched.Waking}, {200, 3, hour, sched.Offered}, // behind it
	} {
		l.turn(minute(x.at), x.node, x.class, x.state)
		if x.node == 2 && x.state == sched.Awake { // a quarter of its work is the one's, the rest the other's
			a := &follow.Attempt{Node: 2, Began: minute(12), Job: &follow.Job{Number: 7}}
			l.ended(a, minute(22))
			a.Job = &follow.Job{Number: 8}
			l.ended(a, minute(42))
			l.ended(&follow.Attempt{Node: 1, Job: a.Job}, minute(42))
		}
	}
	got, of := l.bill(minute(180))
	if len(of) != 2 || units.Rounded(of[7]) != 1 || units.Rounded(of[8]) != 3 { // two hours at 2
		t.Errorf("jobs cost %v", of)
	}
	want := []Rent{{"by the hour", 2, 1, 121.0 / 60, 3, 6}, {"to the instant", 2, 1, 25.0 / 60, 25.0 / 60, (15 + 4*10.0) / 60}}
	if len(got) != 2 || !alike(got[0], want[0]) || !alike(got[1], want[1]) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if bill, _ := (&leases{}).bill(minute(9)); bill != nil {
		t.Error("a bill where nothing is offered")
	}
	var b strings.Builder
	writeBills(&b, []*Run{{Policy: "p", Bill: want}, {Policy: "p", Bill: want}})
	for _, part := range []string{"by the hour", "2.02", "3.00", "6.00"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, &b)
		}
	}
}

func alike(a, b Rent) bool {
	near := func(x, y float64) bool { return units.Rounded(x) == units.Rounded(y) }
	return a.Class == b.Class && a.Rented == b.Rented && a.Most == b.Most && near(a.Hours, b.Hours) && near(a.Charged, b.Charged) && near(a.Cost, b.Cost)
}
