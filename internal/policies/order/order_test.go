package order

import (
	"cmp"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

func spec(queue, user string) *sched.Job {
	return &sched.Job{Spec: &workload.Job{Queue: queue, User: user, Weight: 1}}
}

func TestPaths(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{{Name: "prod", Capacity: 50}, {Name: "dev", Capacity: 50,
		Queues: []queues.Queue{{Name: "ui", Capacity: 100}}}}}
	capacity, fair := NewCapacity(CapacityConfig{Queues: q}), NewFair(FairConfig{Queues: q, Users: true})
	for _, c := range []struct {
		queue, user    string
		capacity, fair []string
	}{
		{"prod", "u", []string{"prod", "u"}, []string{"prod", "u"}},
		{"ui", "", []string{"dev", "ui", "-"}, []string{"ui", "-"}},
		{"dev.ui", "u", []string{"dev", "ui", "u"}, []string{"ui", "u"}},
		{"root.dev.ui", "u", []string{"dev", "ui", "u"}, []string{"ui", "u"}},
		{"", "u", []string{"default", "u"}, []string{"default", "u"}},
		// no user gets into a queue that is called like him
		{"dev", "ui", []string{"dev.", "ui"}, []string{"dev", "ui"}},
	} {
		if got := capacity.Path(spec(c.queue, c.user)); !slices.Equal(got, c.capacity) {
			t.Errorf("capacity: %q of %q stands in %q, want %q", c.queue, c.user, got, c.capacity)
		}
		if got := fair.Path(spec(c.queue, c.user)); !slices.Equal(got, c.fair) {
			t.Errorf("fair: %q of %q stands in %q, want %q", c.queue, c.user, got, c.fair)
		}
	}
}

// By user, a pool has one user, so there is nobody to share with inside it.
func TestPathsByUser(t *testing.T) {
	for _, users := range []bool{false, true} {
		if got := NewFair(FairConfig{ByUser: true, Users: users}).Path(spec("q", "ann")); !slices.Equal(got, []string{"ann"}) {
			t.Errorf("users=%v: ann's job stands in %q", users, got)
		}
	}
}

// Of two pools of one parent the fair order says what the three rules say, computed here in the plain way.
func TestFairComparesAsHadoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type side struct{ weight, min, has, open int }
		draw := func(name string) side {
			n := rapid.IntRange(0, 40)
			return side{rapid.IntRange(1, 9).Draw(t, name+" weight"), n.Draw(t, name+" min"), n.Draw(t, name+" has"), n.Draw(t, name+" open")}
		}
		a, b := draw("a"), draw("b")
		f := NewFair(FairConfig{Queues: queues.Config{Queues: []queues.Queue{
			{Name: "a", Weight: float64(a.weight), MinMaps: a.min}, {Name: "b", Weight: float64(b.weight), MinMaps: b.min}}}})
		key := func(name string, s side) sched.Key {
			q := &sched.Queue{ID: 2, Parent: sched.Root, Name: name, Depth: 1}
			q.Stages[sched.Map] = sched.QueueTally{Open: int32(s.open), Occupied: int32(s.has)}
			return f.QueueKey(nil, q, sched.Map)
		}
		owed := func(s side) int { return min(s.min, s.has+s.open) }
		needy := func(s side) bool { return s.has < owed(s) }
		var first int // the sign: below 0 says a
		switch {
		case needy(a) != needy(b):
			first = 1
			if needy(a) {
				first = -1
			}
		case needy(a):
			first = a.has*owed(b) - b.has*owed(a)
		default:
			first = a.has*b.weight - b.has*a.weight
		}
		ka, kb := key("a", a), key("b", b)
		if first < 0 && !ka.Less(kb) || first > 0 && !kb.Less(ka) || first == 0 && ka != kb {
			t.Fatalf("%+v %v and %+v %v: the rules say %d", a, ka, b, kb, first)
		}
	})
}

// Flat orders sort as a stable sort by their fields does.
func TestFlatOrdersSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []*sched.Job
		for i := range rapid.IntRange(2, 12).Draw(t, "jobs") {
			j := spec("", "")
			j.Seq, j.Arrived = int64(i+1), units.Time(i/2)
			j.Spec.Priority = rapid.IntRange(-2, 2).Draw(t, "priority")
			j.Deadline = units.Time(rapid.Int64Range(1, 4).Draw(t, "deadline"))
			if rapid.Bool().Draw(t, "none") {
				j.Deadline = units.Never
			}
			if rapid.Bool().Draw(t, "virtual") {
				j.Virtual = units.Time(rapid.Int64Range(1, 4).Draw(t, "earlier"))
			}
			jobs = append(jobs, j)
		}
		check := func(name string, o sched.Order, less func(a, b *sched.Job) int) {
			want, got := slices.Clone(jobs), slices.Clone(jobs)
			slices.SortStableFunc(want, less)
			slices.SortStableFunc(got, func(a, b *sched.Job) int {
				ka, kb := o.JobKey(nil, a, sched.Map), o.JobKey(nil, b, sched.Map)
				if ka.Less(kb) {
					return -1
				} else if kb.Less(ka) {
					return 1
				}
				return 0
			})
			if !slices.Equal(want, got) {
				t.Fatalf("%s sorts otherwise", name)
			}
		}
		check("edf", EDF{}, func(a, b *sched.Job) int {
			by := func(j *sched.Job) units.Time { return cmp.Or(j.Virtual, j.Deadline) }
			return cmp.Compare(by(a), by(b))
		})
		check("fifo", FIFO{}, func(a, b *sched.Job) int { return b.Spec.Priority - a.Spec.Priority })
	})
}
