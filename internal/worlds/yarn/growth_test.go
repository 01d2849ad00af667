package yarn

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/worlds/yarn/wire"
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

// An item is forgotten once all of it is answered: by containers, by a refusal, or by a grant of a part and the
// containers of that.
func TestAnsweredItemsAreForgotten(t *testing.T) {
	w, err := New(Config{Secret: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	w.event(&wire.Event{What: &wire.Event_NodeUp{NodeUp: &wire.Node{Name: "n", Resources: map[string]int64{"memory-mb": 4096}}}})
	w.event(&wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: "a", Type: "MAPREDUCE"}}})
	allocated := 0
	container := func(item int64) {
		allocated++
		w.container(&wire.Container{Id: fmt.Sprint("c", allocated), Application: "a", Node: "n", Priority: 20, Item: item})
	}
	for item := sched.ItemID(1); item <= 4; item++ {
		w.open[item] = &order{left: 3}
	}
	for range 3 {
		container(1)
	}
	w.answer(&wire.Answer{Item: 2, Refused: 3})
	container(3)
	w.answer(&wire.Answer{Item: 3, Refused: 2})
	w.answer(&wire.Answer{Item: 4, Granted: 1})
	if len(w.open) != 1 || w.open[4] == nil || w.open[4].left != 1 {
		t.Errorf("%d items are open", len(w.open))
	}
	container(4)
	if len(w.open) != 0 {
		t.Errorf("%d items are open at the end", len(w.open))
	}
}

// What containers of a stage take is known over a full state, which has no asks any more.
func TestKindsAreKept(t *testing.T) {
	w, err := New(Config{Secret: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	full := func() {
		w.snapshot(&wire.Snapshot{Next: 1, TimeMs: 1000, Applications: []*wire.Application{{Id: "a", Type: "MAPREDUCE"}}}, "life")
	}
	kinds := func() string { return fmt.Sprint(w.apps[w.jobs.find("a")].spec.Stage(sched.Map).Containers) }
	full()
	a := w.apps[w.jobs.find("a")]
	for _, mb := range []int64{512, 2048} {
		w.kind(a, sched.Map, map[string]int64{"memory-mb": mb})
	}
	was := kinds()
	if full(); kinds() != was {
		t.Errorf("%s, and before the full state %s", kinds(), was)
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
