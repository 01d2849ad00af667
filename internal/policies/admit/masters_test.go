package admit

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// plant is a hall in a cluster of so much.
type plant struct {
	*hall
	capacity units.Vector
}

func (p plant) Capacity() *units.Vector { return &p.capacity }

// mastered makes a plant of 100 GB and 100 vcores, whose jobs have masters of 4 GB and 1 vcore, but
// those called "bare".
func mastered(t *testing.T, texts ...string) plant {
	p := plant{jobs(t, texts...), units.Vector{units.VCores: 100, units.Memory: int64(100 * units.GB)}}
	for _, j := range p.jobs {
		if j == nil || j.Spec.User == "bare" {
			continue
		}
		j.Spec.Stages = []workload.StageSpec{{Kind: workload.Master, Tasks: make([]workload.Task, 1),
			Containers: []cluster.Container{{Name: "master", Needs: units.Vector{units.VCores: 1, units.Memory: int64(4 * units.GB)}}}}}
	}
	return p
}

func TestMasters(t *testing.T) {
	two := []queues.Queue{{Name: "a", Capacity: 75, Weight: 3}, {Name: "b", Capacity: 25, Weight: 1}}
	tree := []queues.Queue{{Name: "p", Capacity: 40, Queues: []queues.Queue{{Name: "x", Capacity: 50}, {Name: "y", Capacity: 50}}}, {Name: "q", Capacity: 60}}
	capacity := func(qs []queues.Queue) sched.Order {
		return order.NewCapacity(order.CapacityConfig{Queues: queues.Config{Queues: qs}})
	}
	fair := func(qs []queues.Queue) sched.Order {
		return order.NewFair(order.FairConfig{Queues: queues.Config{Queues: qs}})
	}
	for _, c := range []struct {
		why    string
		config queues.Config
		order  sched.Order
		jobs   string
		want   string
	}{
		{"A tenth of 100 GB holds two masters of 4 GB.", queues.Config{}, order.FIFO{}, "a a a", "1 in, 2 in, 3 held"},
		{"One may always run.", queues.Config{MaxMasterShare: 1}, order.FIFO{}, "a a", "1 in, 2 held"},
		{"Who runs counts, and who has no master does not.", queues.Config{}, order.FIFO{}, "a:runs a:runs a a/bare a/bare:held", "3 held, 4 in, 5 in"},
		{"Who is held is not told again.", queues.Config{}, order.FIFO{}, "a:runs a:runs a:held", ""},
		{"A queue may say less than the others, which do not wait for it,", queues.Config{MaxMasterShare: 50, Queues: []queues.Queue{{Name: "a", MaxMasterShare: 4}, {Name: "b"}}}, order.FIFO{}, "a a b b", "1 in, 2 held, 3 in, 4 in"},
		{"and more.", queues.Config{Queues: []queues.Queue{{Name: "a", MaxMasterShare: 12}, {Name: "b"}}}, order.FIFO{}, "a a a b", "1 in, 2 in, 3 in, 4 held"},
		{"Queues without a guarantee have no first of their own under fifo.", queues.Config{}, order.FIFO{}, "a b c", "1 in, 2 in, 3 held"},
		{"Under capacity it is a tenth of the guaranteed part, and each queue may have one.", queues.Config{Queues: two, MaxMasterShare: 20}, capacity(two), "a a a a b b", "1 in, 2 in, 3 in, 4 held, 5 in, 6 held"},
		{"A guarantee is of the parent's.", queues.Config{Queues: tree, MaxMasterShare: 41}, capacity(tree), "x x x p.y p.y p.y", "1 in, 2 in, 3 held, 4 in, 5 in, 6 held"},
		{"Under fair it is by the weights of pools with jobs: both here,", queues.Config{Queues: two, MaxMasterShare: 32}, fair(two), "a a a a a a a b b b", "1 in, 2 in, 3 in, 4 in, 5 in, 6 in, 7 held, 8 in, 9 in, 10 held"},
		{"one here.", queues.Config{Queues: two, MaxMasterShare: 32}, fair(two), "b b b b b b b b b", "1 in, 2 in, 3 in, 4 in, 5 in, 6 in, 7 in, 8 in, 9 held"},
		{"The first of each queue goes up to half of the cluster.", queues.Config{}, fair(nil), "a b c d e f g h i j k l m n", "1 in, 2 in, 3 in, 4 in, 5 in, 6 in, 7 in, 8 in, 9 in, 10 in, 11 in, 12 in, 13 held, 14 held"},
	} {
		texts := strings.Fields(c.jobs)
		for i, s := range texts {
			if place, state, has := strings.Cut(s, ":"); has {
				texts[i] = place + " " + state
			} else {
				texts[i] = place + " pending"
			}
		}
		for _, part := range []interface {
			compose.Step
			Follow(sched.Order) error
		}{NewLimit(c.config), NewAll(c.config)} {
			if err := part.Follow(c.order); err != nil {
				t.Fatal(err)
			}
			v := mastered(t, texts...)
			batch := []sched.Event{{Kind: sched.Resync}}
			if got := sorted(verdicts(part, v, batch...)); got != c.want {
				t.Errorf("%s\n%T got %s\n     want %s", c.why, part, got, c.want)
			}
		}
	}
}

// sorted puts verdicts into the order of jobs: All lets in first who has no master, again and again
// as there is no book.
func sorted(verdicts string) string {
	list := strings.Split(verdicts, ", ")
	number := func(s string) int {
		n, _ := strconv.Atoi(strings.Fields(s + " -")[0])
		return n
	}
	slices.SortFunc(list, func(a, b string) int { return number(a) - number(b) })
	return strings.Join(slices.Compact(list), ", ")
}

// Another resource may be the scarce one, and the reason says which.
func TestMasterReasons(t *testing.T) {
	for want, capacity := range map[string]units.Vector{
		"waits: masters use 8GB of 10GB allowed":          {units.VCores: 1000, units.Memory: int64(100 * units.GB)},
		"waits: masters use 2 vcores of 2 vcores allowed": {units.VCores: 20, units.Memory: int64(1000 * units.GB)},
	} {
		v := mastered(t, "a pending", "a pending", "a pending")
		v.capacity = capacity
		var p sched.Plan
		NewAll(queues.Config{}).Decide(v, arrived(1, 2, 3), &p)
		if n := len(p.Items); n != 3 || p.Items[2].Verb != sched.Hold || p.Items[2].Reason.String() != want {
			t.Errorf("%v, want %s", p.Items, want)
		}
	}
}

// Who waits for a master gets in when one has ended, when its predecessors are done and when nodes
// come; All looks at no job else.
func TestMastersLetIn(t *testing.T) {
	a := NewAll(queues.Config{MaxMasterShare: 4})
	v := mastered(t, "a runs", "a held", "a waiting", "a/bare waiting")
	if got := verdicts(a, v, arrived(3, 4)...); got != "4 in" {
		t.Errorf("a job with a master that waits for its predecessors: %q", got)
	}
	v.jobs[0].State = sched.Finished
	for kind := sched.NoEvent; kind < sched.EventKinds; kind++ {
		got := verdicts(a, v, sched.Event{Kind: kind, Job: 1})
		look := map[sched.EventKind]bool{sched.JobEnded: true, sched.JobAmended: true, sched.StageReady: true, sched.NodeUp: true, sched.NodeChanged: true}[kind]
		if kind == sched.Resync || kind == sched.Control {
			continue // which look at all of them
		}
		if (got == "2 in") != look {
			t.Errorf("after %v: %q", kind, got)
		}
	}
	v.jobs[0], v.jobs[1].State, v.jobs[2].State = nil, sched.Rejected, sched.Pending
	if got := verdicts(a, v, sched.Event{Kind: sched.StageReady, Job: 3, Stage: sched.Master}); got != "3 in" {
		t.Errorf("when its predecessors are done: %q", got)
	}
	if got := verdicts(a, v, sched.Event{Kind: sched.StageReady, Job: 3, Stage: sched.Map}); got != "" {
		t.Errorf("when its maps may start: %q", got)
	}
}
