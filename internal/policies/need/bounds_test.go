package need

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The least number of nodes of one map and one reduce slot each, which boot, beside some that are there, by
// trying all orders of whole tasks: the jobs' maps on the map slots, then their reduces. Tasks of a job are
// alike, and each goes where a slot is free first, so that no better schedule is left out.
type oracle struct {
	jobs []job
	have int
	boot int64
}

func (o *oracle) feasible(nodes int) bool {
	ready := make([]int64, o.have+nodes)
	for i := o.have; i < len(ready); i++ {
		ready[i] = o.boot
	}
	found := false
	orders(count(o.jobs, 0), func(maps []int) bool {
		mapped := o.list(0, maps, ready, make([]int64, len(o.jobs)))
		orders(count(o.jobs, 1), func(reduces []int) bool {
			done := o.list(1, reduces, ready, mapped)
			found = true
			for i, j := range o.jobs {
				found = found && max(done[i], mapped[i]) <= j.due
			}
			return !found
		})
		return !found
	})
	return found
}

// list gives the tasks to the slots that are free first, none before its job's release.
func (o *oracle) list(k int, order []int, ready, release []int64) []int64 {
	free, done := slices.Clone(ready), slices.Clone(release)
	for _, i := range order {
		if len(free) == 0 {
			done[i] = never
			continue
		}
		slot := slices.Index(free, slices.Min(free))
		free[slot] = max(free[slot], release[i]) + o.jobs[i].mean[k]
		done[i] = max(done[i], free[slot])
	}
	return done
}

func count(jobs []job, k int) (n []int) {
	for _, j := range jobs {
		n = append(n, int(j.open[k]))
	}
	return n
}

// orders calls f with each order of so many tasks of each job, until it returns false.
func orders(left []int, f func([]int) bool) {
	var order []int
	var next func() bool
	next = func() bool {
		last := true
		for i := range left {
			if left[i] == 0 {
				continue
			}
			last = false
			left[i]--
			order = append(order, i)
			if !next() {
				return false
			}
			order = order[:len(order)-1]
			left[i]++
		}
		return !last || f(order)
	}
	next()
}

// Lower bound ≤ exact need ≤ upper bound, and most often they are one number.
func TestBoundsAgainstExhaustiveSearch(t *testing.T) {
	const most = 6
	slots := [kinds]int64{1, 1}
	needed, proven, wide, searched := 0, 0, 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 38))
		o := oracle{have: r.IntN(3), boot: int64(r.IntN(4))}
		for range 1 + r.IntN(3) {
			j := job{due: 3 + int64(r.IntN(14)), open: [kinds]int64{1 + int64(r.IntN(3)), int64(r.IntN(3))}}
			j.mean = [kinds]int64{1 + int64(r.IntN(3)), 1 + int64(r.IntN(3))}
			o.jobs = append(o.jobs, j)
		}
		slices.SortFunc(o.jobs, func(a, b job) int { return cmp.Compare(a.due, b.due) })
		have := room{{slots: [kinds]int64{int64(o.have), int64(o.have)}}}
		lower, upper, exact := -1, -1, -1
		for n := most; n >= 0; n-- {
			all := have.with(int64(n), slots, o.boot)
			feasible := o.feasible(n)
			searched++
			if feasible {
				exact = n
			}
			if all.enough(o.jobs, byStart(o.jobs)) {
				lower = n
			} else if feasible {
				t.Fatalf("seed %d: %d nodes are enough, and the lower bound says they are not: %+v", seed, n, o)
			}
			if late, _ := all.late(&load{jobs: o.jobs}, 0); late == 0 {
				upper = n
				if !feasible {
					t.Fatalf("seed %d: %d nodes are not enough, and the upper bound says they are: %+v", seed, n, o)
				}
			}
		}
		if exact <= 0 {
			continue
		}
		needed++
		switch {
		case upper < 0:
			wide++
		case lower == upper:
			proven++
		case upper > exact+2:
			wide++
		}
	}
	t.Logf("%d instances that need nodes and can be helped, %d plays: in %d both bounds are one number, in %d the upper is off by more than two", needed, searched, proven, wide)
	if needed < 250 || proven*3 < needed {
		t.Errorf("of %d instances %d are proven", needed, proven)
	}
}

func TestBounds(t *testing.T) {
	one := [kinds]int64{1, 1}
	for _, c := range []struct {
		why         string
		have        room
		boot        int64
		jobs        []job
		least, asks int // nodes, -1 = no number is enough
	}{
		{"six maps of 1 in 6, and nodes that boot for 4: 3, not 1", room{{}}, 4, []job{{due: 6, open: [kinds]int64{6, 0}, mean: [kinds]int64{1, 0}}}, 3, 3},
		{"three maps of 2 in 3 on two slots: a fluid fits, whole tasks do not", room{{slots: [kinds]int64{2, 2}}}, 0,
			[]job{{due: 3, open: [kinds]int64{3, 0}, mean: [kinds]int64{2, 0}}}, 0, 1},
		{"nothing is needed where enough is there", room{{slots: [kinds]int64{9, 9}}}, 4, []job{{due: 6, open: [kinds]int64{6, 2}, mean: [kinds]int64{2, 3}}}, 0, 0},
		{"nodes that boot count from when they come", room{{}, {3, [kinds]int64{3, 3}}}, 9, []job{{due: 5, open: [kinds]int64{6, 0}, mean: [kinds]int64{1, 0}}}, 0, 0},
		{"and not before", room{{}, {3, [kinds]int64{3, 3}}}, 1, []job{{due: 5, open: [kinds]int64{8, 0}, mean: [kinds]int64{1, 0}}}, 1, 1},
		{"a deadline within the boot time is beyond help", room{{}}, 4, []job{{due: 4, open: [kinds]int64{1, 0}, mean: [kinds]int64{1, 0}}}, -1, -1},
		{"maps and reduces follow each other", room{{}}, 0, []job{{due: 20, open: [kinds]int64{10, 10}, mean: [kinds]int64{5, 5}}}, 5, 5},
	} {
		number := func(ok func(r room) bool) int {
			for n := range 20 {
				if ok(c.have.with(int64(n), one, c.boot)) {
					return n
				}
			}
			return -1
		}
		least, asks := number(func(r room) bool { return r.enough(c.jobs, byStart(c.jobs)) }), number(func(r room) bool {
			late, _ := r.late(&load{jobs: c.jobs}, 0)
			return late == 0
		})
		if got, want := fmt.Sprint(least, asks), fmt.Sprint(c.least, c.asks); got != want {
			t.Errorf("%s: %s, want %s", c.why, got, want)
		}
	}
}

// BenchmarkLate is what a look costs with 10,000 jobs, where all are in time, and where whole tasks have to be played.
func BenchmarkLate(b *testing.B) {
	for _, c := range []struct {
		name  string
		slots int64
	}{{"in time", 100_000}, {"late", 2_000}} {
		jobs, r := make([]job, 10_000), rand.New(rand.NewPCG(1, 1))
		for i := range jobs {
			jobs[i] = job{due: 60_000 + int64(i)*100, open: [kinds]int64{1 + int64(r.IntN(20)), 1}, mean: [kinds]int64{int64(5000 + r.IntN(20_000)), 10_000}}
		}
		room := room{{slots: [kinds]int64{c.slots, c.slots}}}
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				room.late(&load{jobs: jobs}, len(jobs))
			}
		})
	}
}
