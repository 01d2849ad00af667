package admit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Two nodes have two map slots and one reduce slot each. A runs, which was let in for a map slot
// until 50 s and both reduce slots from there to 60 s. In seconds, for jobs that come at 0 and
// whose maps and reduces take 10 s (reduce10: all maps' output shared among the reduces):
//
//	3 maps, no reduces     on the three slots left they end at 10, the earliest deadline; for one of 30 a single slot will do
//	2 maps, 2 reduces      on three slots maps are fluid and end at 6 2/3; for a deadline of 20 they get two, and end at 10
//	8 maps, 2 reduces      reduces of 40 s: maps end at 26 2/3, and at that instant the slots are free. For a deadline of 90 they would
//	                       start at 50, when they are not; for one of 100 maps get two slots and end at 40, and so the job at 80
//	2 maps, 3 reduces      there are not so many slots
func TestAskConstraint(t *testing.T) {
	world, err := sim.New(sim.Config{Cluster: cluster.Uniform(2, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}),
		Workload: &workload.Workload{Jobs: []*workload.Job{timed("a", "reduce10", 0, 60, 2, 2)}}, Profiles: classes()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New("dc", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l := drive.New(world, p)
	if err := l.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		deadline, maps, reduces int
		want                    string
	}{
		{10, 3, 0, "admit, ends at 10s, earliest 10s"},
		{30, 3, 0, "admit, ends at 30s, earliest 10s"},
		{9, 3, 0, "reject, earliest 10s"},
		{20, 2, 2, "admit, ends at 20s, earliest 16.666666667s"},
		{90, 8, 2, "reject, earliest 1m6.666666667s"},
		{100, 8, 2, "admit, ends at 1m20s, earliest 1m6.666666667s"},
		{500, 2, 3, "reject, earliest 0s"},
	} {
		job := timed("asked", "reduce10", 0, c.deadline, c.maps, c.reduces)
		job.Virtual = units.Time(units.Second) // no promise counts with it
		a := p.Ask(l.Ledger, 0, job)
		got := a.Verb.String()
		if a.Outlook.Foreseen() {
			got += fmt.Sprint(", ends at ", units.Duration(a.Outlook.By))
		}
		got += fmt.Sprint(", earliest ", units.Duration(a.Offer.By))
		if got != c.want || (a.Offer.Word == sched.NoEarlier) != (a.Offer.By != 0) || a.Outlook.Foreseen() != (a.Verb == sched.Admit) {
			t.Errorf("%d maps and %d reduces by %d s: %s, %v; want %s", c.maps, c.reduces, c.deadline, got, a.Offer.Word, c.want)
		}
	}
}
