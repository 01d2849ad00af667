package need

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A line that is kept up to date while jobs come, end and get other deadlines is the line of all that are there, and
// tells the same of who may be late.
func TestLineIsKept(t *testing.T) {
	r, doubts := rand.New(rand.NewPCG(38, 2)), 0
	book, plan := ledger.New(sched.Capabilities{World: "desk", Bind: true, Power: true}, nil), &sched.Plan{}
	left := func(_ sched.View, j *sched.Job) (estimate.Left, bool) {
		return estimate.Left{Open: [2]int64{int64(j.Stages[sched.Map].Open)}, Mean: [2]int64{1000 * int64(1+j.Seq%7)}, Sure: 1000 * (j.Seq % 11)}, j.Seq%13 > 0
	}
	spec := func(id, maps int) *workload.Job {
		return &workload.Job{ID: fmt.Sprint("j", id), Class: "c", Weight: 1, Deadline: units.Time(100+r.IntN(2000)) * 1e9, Soft: units.Never,
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}}}
	}
	var kept line
	var jobs []int // maps, by handle less 1; 0 = it has ended
	for step := range 600 {
		var events []sched.Event
		if step == 0 {
			events = append(events, sched.Event{Kind: sched.Resync})
		}
		for range r.IntN(4) {
			if id := 1 + r.IntN(len(jobs)+1); id <= len(jobs) && jobs[id-1] > 0 && r.IntN(3) == 0 {
				jobs[id-1] = 0
				events = append(events, sched.Event{Kind: sched.JobEnded, Job: sched.JobID(id), Outcome: sched.Committed})
			} else if id <= len(jobs) && jobs[id-1] > 0 {
				events = append(events, sched.Event{Kind: sched.JobAmended, Job: sched.JobID(id), Detail: &sched.Detail{Job: spec(id, jobs[id-1])}})
			}
			jobs = append(jobs, 1+r.IntN(9))
			events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(len(jobs)), Detail: &sched.Detail{Job: spec(len(jobs), jobs[len(jobs)-1])}})
		}
		slices.SortStableFunc(events, func(a, b sched.Event) int { return int(a.Kind) - int(b.Kind) })
		book.Apply(units.Time(step)*1e9, int64(step+1), events)
		book.Begin(plan)
		var fresh line
		kept.look(book, left)
		fresh.look(book, left)
		if !slices.Equal(kept.all, fresh.all) {
			t.Fatalf("step %d: %v, want %v", step, kept.all, fresh.all)
		}
		for _, slots := range []int64{1, 3, 5, 8} {
			room := room{{slots: [kinds]int64{slots, 1}}}
			got, want := kept.doubted(room, book.Now()), fresh.doubted(room, book.Now())
			if got != want || !slices.Equal(kept.rows, fresh.rows) {
				t.Fatalf("step %d, %d slots: %d jobs are doubted, want %d of %d", step, slots, got, want, len(fresh.all))
			}
			if got > 0 && got < len(fresh.all) {
				doubts++
			}
		}
	}
	if len(kept.all) < 5*inRow || doubts < 20 {
		t.Errorf("only %d jobs, and %d times some of them were doubted", len(kept.all), doubts)
	}
}

// Where the world binds late a job has tasks that its ApplicationMaster has not asked for: as many nodes are rented for
// it as elsewhere, and at once.
func TestBeforeAnybodyAsks(t *testing.T) {
	wakes := [2]int{}
	for i, bind := range []bool{true, false} {
		book, plan := crowded(bind, 10, 20, 2500)
		book.Begin(plan)
		New(Config{Margin: 20}).Decide(book, []sched.Event{{Kind: sched.JobAmended, Job: 11}}, plan)
		wakes[i] = len(plan.Items)
	}
	if wakes[0] == 0 || wakes[1] != wakes[0] {
		t.Errorf("%d nodes are rented where tasks are bound early, %d where they are bound late", wakes[0], wakes[1])
	}
}

// Where a cloud refuses nodes, as many others are rented, and at once: of the next class if theirs has no more.
func TestRefusedNodesAreReplaced(t *testing.T) {
	for i, base := range []int{0, 30, 0, 30} {
		next := []string{"dear", "m"}[i/2]
		book, plan := crowded(true, 10, 20, 2500)
		dear := &cluster.Class{Name: "dear", Speed: 1, Capacity: units.Slots(8, 4), Most: 100, Price: 2, WakeTime: units.Minute}
		var events []sched.Event
		for n := range sched.NodeID(dear.Most) {
			events = append(events, sched.Event{Kind: sched.NodeChanged, Node: 1011 + n, State: sched.Offered, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("d", n), Rack: 1, Class: dear}}})
		}
		book.Apply(0, 2, events)
		need, asked, nodes := New(Config{Margin: 20, Base: base}), [2]map[string]int{{}, {}}, map[sched.NodeID]int{}
		for round, at := range []units.Time{0, units.Time(units.Second)} {
			book.Begin(plan)
			need.Decide(book, []sched.Event{{Kind: sched.JobAmended, Job: 11}}, plan)
			events = events[:0]
			for _, it := range plan.Items {
				asked[round][book.Class(book.Node(it.Node).Class).Spec.Name]++
				if nodes[it.Node]++; nodes[it.Node] > 1 {
					t.Errorf("base %d: node %d is asked for again", base, it.Node)
				}
				events = append(events, sched.Event{Kind: sched.NodeChanged, Node: it.Node, State: sched.Waking})
			}
			book.Apply(at, int64(3+2*round), events)
			for i := range events {
				events[i].State = sched.Offered
			}
			for h := sched.NodeID(11); h <= 1010 && next == "dear"; h++ { // and it has no others
				if book.Node(h).State == sched.Offered {
					events = append(events, sched.Event{Kind: sched.NodeDown, Node: h})
				}
			}
			book.Apply(at+units.Time(units.Second), int64(4+2*round), events)
		}
		if asked[0]["m"] == 0 || len(asked[0]) != 1 || asked[1][next] != asked[0]["m"] || len(asked[1]) != 1 {
			t.Errorf("base %d: asked for %v, and when these were refused for %v", base, asked[0], asked[1])
		}
	}
}
