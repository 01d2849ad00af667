package need

import (
	"cmp"
	"math"
	"slices"
)

// never is later than all that counts, in milliseconds.
const never = math.MaxInt64 / 4

// kinds are maps and reduces.
const kinds = 2

// A group is slots that serve from a time on, in milliseconds from now.
type group struct {
	ready int64
	slots [kinds]int64
}

// A room is all slots, those that serve first at the front.
type room []group

// with is the room with so many nodes more that serve from then on, or less, if below 0.
func (r room) with(nodes int64, slots [kinds]int64, ready int64) room {
	at, found := slices.BinarySearchFunc(r, ready, func(g group, t int64) int { return cmp.Compare(g.ready, t) })
	all := make(room, 0, len(r)+1)
	all = append(append(all, r[:at]...), group{ready: ready})
	rest := r[at:]
	if found {
		all[at], rest = rest[0], rest[1:]
	}
	for k := range slots {
		all[at].slots[k] += nodes * slots[k]
	}
	return append(all, rest...)
}

// by is the slot time that there is until then.
func (r room) by(k int, t int64) (sum int64) {
	for _, g := range r {
		sum += g.slots[k] * max(0, t-g.ready)
	}
	return sum
}

// until is when there has been so much slot time.
func (r room) until(k int, work int64) int64 {
	slots, at, done := int64(0), int64(0), int64(0)
	for _, g := range r {
		if more := slots * (g.ready - at); done+more >= work {
			break
		} else {
			done += more
		}
		at, slots = g.ready, slots+g.slots[k]
	}
	switch {
	case work <= 0:
		return 0
	case slots <= 0:
		return never
	}
	return at + (work-done+slots-1)/slots
}

// from is when there are so many slots, never if there are not.
func (r room) from(k int, tasks int64) int64 {
	slots := int64(0)
	for _, g := range r {
		if slots += g.slots[k]; slots >= tasks {
			return g.ready
		}
	}
	return never
}

// A job is what is left of one, in the order of deadlines.
type job struct {
	due     int64          // in milliseconds from now
	open    [kinds]int64   // tasks to be started
	mean    [kinds]int64   // what one of them takes
	running [kinds][]int64 // what each of those that run still takes

	sure     int64 // by how much sooner that is than its deadline
	promised bool
}

// broken is as how many late jobs one counts that was promised its deadline.
const broken = 1 << 20

// counts is what it counts for if it is late.
func (j *job) counts() int {
	if j.promised {
		return broken
	}
	return 1
}

// lasts is how long the last of a job's running tasks still takes.
func (j *job) lasts(k int) (last int64) {
	for _, left := range j.running[k] {
		last = max(last, left)
	}
	return last
}

// A part is what is left of a job, or of some that follow each other, as wait.after counts it.
type part struct {
	work, tasks [kinds]int64 // to be started
	longest     [kinds]int64 // of these tasks
	lasts       [kinds]int64 // of those that run
}

func (j *job) part() (p part) {
	for k := range kinds {
		if p.tasks[k] = j.open[k]; j.open[k] > 0 {
			p.work[k], p.longest[k] = j.open[k]*j.mean[k], j.mean[k]
		}
		p.lasts[k] = j.lasts(k)
	}
	return p
}

func (p *part) add(o part) {
	for k := range kinds {
		p.work[k] += o.work[k]
		p.tasks[k] += o.tasks[k]
		p.longest[k], p.lasts[k] = max(p.longest[k], o.longest[k]), max(p.lasts[k], o.lasts[k])
	}
}

// A load is jobs by deadline, and what each task that runs still takes, also of others.
type load struct {
	jobs []job
	runs [kinds][]int64
}

// A wait is the work and the tasks that go before a job.
type wait struct {
	work, tasks [kinds]int64
	reduced     int64 // slot time of reduces until the last so far is done, with what stays empty before
}

// waits is what runs.
func (l *load) waits() (w wait) {
	for k := range kinds {
		w.tasks[k] = int64(len(l.runs[k]))
		for _, left := range l.runs[k] {
			w.work[k] += left
		}
	}
	w.reduced = w.work[1]
	return w
}

// after is when a part is done at the latest behind the others, which it joins, without a look at single slots. It
// grows with all that a part has, so that each of several jobs is done by then if they count as one.
func (w *wait) after(r room, p *part) (done int64) {
	mapped := p.lasts[0]
	if p.tasks[0] > 0 {
		w.work[0] += p.work[0]
		w.tasks[0] += p.tasks[0]
		mapped = max(mapped, min(max(r.from(0, 1), r.until(0, w.work[0]-p.longest[0])), r.from(0, w.tasks[0]))+p.longest[0])
	}
	done = max(mapped, p.lasts[1])
	if p.tasks[1] > 0 && mapped < never {
		w.reduced = max(w.reduced, r.by(1, mapped)) + p.work[1]
		w.tasks[1] += p.tasks[1]
		done = max(done, max(mapped, min(max(r.from(1, 1), r.until(1, w.reduced-p.longest[1])), r.from(1, w.tasks[1])))+p.longest[1])
	}
	return done
}

// alone is when the job could be done had it all slots.
func (r room) alone(j *job) int64 {
	mapped := int64(0)
	if j.open[0] > 0 {
		mapped = max(r.until(0, j.open[0]*j.mean[0]), r.from(0, 1)+j.mean[0])
	}
	if j.open[1] == 0 || mapped >= never {
		return mapped
	}
	return max(r.until(1, r.by(1, mapped)+j.open[1]*j.mean[1]), max(mapped, r.from(1, 1))+j.mean[1])
}

// start is by when all maps of the job have to be done.
func (j *job) start() int64 {
	if j.open[1] > 0 {
		return j.due - j.mean[1]
	}
	return j.due
}

// byStart lists jobs by when their maps have to be done.
func byStart(jobs []job) []*job {
	line := make([]*job, len(jobs))
	for i := range jobs {
		line[i] = &jobs[i]
	}
	slices.SortFunc(line, func(a, b *job) int { return cmp.Compare(a.start(), b.start()) })
	return line
}

// enough tells whether all jobs could be in time, as far as a fluid tells: maps by when the job's reduces have to
// begin, for which the jobs are listed byStart, and reduces by its deadline. O(jobs).
func (r room) enough(jobs []job, starts []*job) bool {
	var work [kinds]int64
	for i, j := range starts {
		if work[0] += j.open[0] * j.mean[0]; j.open[0] > 0 && work[0] > r.by(0, j.start()) {
			return false
		}
		j = &jobs[i]
		if work[1] += j.open[1] * j.mean[1]; j.open[1] > 0 && work[1] > r.by(1, j.due) || r.alone(j) > j.due {
			return false
		}
	}
	return true
}
