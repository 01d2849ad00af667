package need

import (
	"cmp"
	"slices"
)

// A bench is slots by when they are free next, as many of one time together, the first ones at the front.
type bench []seat

type seat struct{ free, slots int64 }

// bench is the slots of a kind with what runs on them.
func (r room) bench(k int, jobs []job) (b bench) {
	here := int64(0)
	for i := range jobs {
		for _, left := range jobs[i].running[k] {
			if here < r[0].slots[k] {
				b = append(b, seat{left, 1})
				here++
			}
		}
	}
	for i, g := range r {
		n := g.slots[k]
		if i == 0 {
			n -= here
		}
		if n > 0 {
			b = append(b, seat{g.ready, n})
		}
	}
	slices.SortFunc(b, func(x, y seat) int { return cmp.Compare(x.free, y.free) })
	return b
}

// take gives tasks that are alike to the slots that are free first, none before the release, and returns when
// the last is done. O(slots of different times), as full rounds are given at once.
func (b *bench) take(tasks, mean, release int64) (done int64) {
	s, all := *b, int64(0)
	for _, x := range s {
		all += x.slots
	}
	if all == 0 {
		return never
	}
	done = release
	for tasks > 0 {
		if rounds := tasks/all - 1; rounds > 0 && max(s[len(s)-1].free, release)-max(s[0].free, release) <= mean {
			for i := range s {
				s[i].free = max(s[i].free, release) + rounds*mean
			}
			tasks -= rounds * all
			continue
		}
		n, end := min(s[0].slots, tasks), max(s[0].free, release)+mean
		if s[0].slots -= n; s[0].slots == 0 {
			s = s[1:]
		}
		at, found := slices.BinarySearchFunc(s, end, func(x seat, t int64) int { return cmp.Compare(x.free, t) })
		if found {
			s[at].slots += n
		} else {
			s = slices.Insert(s, at, seat{end, n})
		}
		tasks -= n
		done = max(done, end)
	}
	*b = s
	return done
}

// play tells when each job is done if whole tasks are given to slots: maps by deadline, and reduces as the maps
// of their job end. It ends when say returns false.
func (r room) play(jobs []job, say func(i int, done int64) bool) {
	maps, reduces := r.bench(0, jobs), r.bench(1, jobs)
	done, order := make([]int64, len(jobs)), make([]int, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		order[i] = i
		done[i] = j.lasts(0)
		if j.open[0] > 0 {
			done[i] = max(done[i], maps.take(j.open[0], j.mean[0], 0))
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(done[x], done[y]) })
	for _, i := range order {
		j := &jobs[i]
		if j.open[1] > 0 && done[i] < never {
			done[i] = reduces.take(j.open[1], j.mean[1], done[i])
		}
		done[i] = max(done[i], j.lasts(1))
	}
	for i := range jobs {
		if !say(i, done[i]) {
			return
		}
	}
}

// late counts the jobs that are late in whichever of the two schedules has fewer.
func (r room) late(jobs []job) int {
	count := func(when func([]job, func(int, int64) bool)) (n int) {
		when(jobs, func(i int, done int64) bool {
			if done > jobs[i].due {
				n++
			}
			return true
		})
		return n
	}
	n := count(r.latest)
	if n > 0 {
		n = min(n, count(r.play))
	}
	return n
}
