package yarn

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/sched"
)

// Hosts that applications ask for, and that never were nodes, are forgotten with them.
func TestHostsAreForgotten(t *testing.T) {
	w, err := New(Config{Secret: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	for j := range 1000 {
		name := fmt.Sprint("application_", j)
		a := &app{id: w.jobs.give(name), name: name}
		a.stages[sched.Map].rows = []row{{prio: 20, place: anyPlace, count: 1}, {prio: 20, place: fmt.Sprint("host", j), count: 1}}
		w.demand(a, sched.Map, 0)
		w.jobs.drop(name)
		w.jobs.reuse()
	}
	if jobs, nodes := len(w.jobs.names), len(w.nodes.names); jobs != 1 || nodes != 0 {
		t.Errorf("%d names of jobs and %d of nodes are kept", jobs, nodes)
	}
}

// An item that comes again is not done again, however many others came between. An earlier world forgot it after
// 65,536, and counted to the first number that it was given.
func TestItemsAreDoneOnce(t *testing.T) {
	w, err := New(Config{Secret: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	enact := func(ids ...sched.ItemID) int {
		var p sched.Plan
		for _, id := range ids {
			p.Items = append(p.Items, sched.Item{ID: id, Verb: sched.Start, Job: 1, Count: 1})
		}
		w.refusals = nil
		if err := w.Enact(&p); err != nil {
			t.Fatal(err)
		}
		return len(w.refusals)
	}
	const first = 1 << 40 // as after a restart
	if n := enact(first, first+1, first); n != 2 {
		t.Errorf("two items and one again: %d were looked at", n)
	}
	for id := sched.ItemID(first + 2); id < first+70_000; id++ {
		enact(id)
	}
	if n := enact(first, first+70_000); n != 1 {
		t.Errorf("after 70,000 others an item that comes again was looked at")
	}
}
