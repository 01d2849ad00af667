package need

import (
	"cmp"
	"slices"
)

// A bench is slots by when they are free next, as many of one time together, the first ones at the front.
type bench []seat

type seat struct{ free, slots int64 }

// bench is the slots of a kind with what runs on them, which it sorts: O(slots) where it has been sorted before.
func (r room) bench(k int, runs []int64) bench {
	slices.Sort(runs)
	runs = runs[:min(len(runs), int(r[0].slots[k]))] // nodes may have gone
	b := make(bench, 0, len(runs)+len(r))
	for _, left := range runs {
		b = append(b, seat{left, 1})
	}
	for i, g := range r {
		n := g.slots[k]
		if i == 0 {
			n -= int64(len(runs))
		}
		if n > 0 {
			at, _ := b.from(g.ready)
			b = slices.Insert(b, at, seat{g.ready, n})
		}
	}
	return b
}

// from finds the slots that are free at an instant, or the first after it.
func (b bench) from(t int64) (at int, found bool) {
	return slices.BinarySearchFunc(b, t, func(x seat, t int64) int { return cmp.Compare(x.free, t) })
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
		at, found := s.from(end)
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

// play tells when each job is done if whole tasks are given to slots, maps by deadline and reduces as the maps of their
// job end, and how many are late (job.counts). It ends when these are more than most.
func (r room) play(l *load, most int) (done []int64, late int) {
	jobs, maps, reduces := l.jobs, r.bench(0, l.runs[0]), r.bench(1, l.runs[1])
	done, order := make([]int64, len(jobs)), make([]int, 0, len(jobs))
	over := func(i int) bool {
		if done[i] > jobs[i].due {
			late += jobs[i].counts()
		}
		return late > most
	}
	for i := range jobs {
		j := &jobs[i]
		done[i] = j.lasts(0)
		if j.open[0] > 0 {
			done[i] = max(done[i], maps.take(j.open[0], j.mean[0], 0))
		}
		if j.open[1] > 0 && done[i] < never {
			order = append(order, i)
		} else if done[i] = max(done[i], j.lasts(1)); over(i) {
			return done, late
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(done[x], done[y]) })
	for _, i := range order {
		j := &jobs[i]
		if done[i] = max(reduces.take(j.open[1], j.mean[1], done[i]), j.lasts(1)); over(i) {
			break
		}
	}
	return done, late
}

// late counts the jobs that are late in whichever of the two schedules has fewer, until they are more than most; those
// behind the last one that is late at the latest are in time, and are not played.
func (r room) late(l *load, most int) (n, last int) {
	w := l.waits()
	for i := range l.jobs {
		if p := l.jobs[i].part(); w.after(r, &p) > l.jobs[i].due {
			n, last = n+l.jobs[i].counts(), i+1
		}
	}
	if n > 0 {
		_, played := r.play(&load{l.jobs[:last], l.runs}, min(most, n))
		n = min(n, played)
	}
	return n, last
}
