package referee

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// rtmr is the Real-Time MapReduce scheduler (paper 003, chapter 5) with what package rtmr says of
// jobs without a promise.
type rtmr struct {
	feedback, sampling bool
	samples            int
	skew, masters      float64
	plan               schedule
	known              map[*job]bool // judged
	others             []*job        // without a promise: those that are measured, then by arrival
	measures           map[*job]*sampled
	slots              [2]int
}

// sampled is what was measured of a job of which nothing is known.
type sampled struct {
	wanted, from, done int
	began              int64 // the start of the first of its maps that run together
	longest, largest   int64
}

func (r *rtmr) decide(b *book, events []*line, p *wants) {
	r.resize(b)
	r.recount(b, events)
	r.rise(b)
	r.note(b, events, p)
	for _, e := range events {
		j := b.jobs[e.int("job")]
		switch e.name {
		case "job-amended":
			promised := j != nil && r.plan.find(j) >= 0
			if !r.amended(b, j) {
				continue
			}
			r.first(b, j, p)
			// What its promise withheld goes with it.
			if s := j.stage[reduceStage]; promised && s != nil && s.withheld && r.plan.find(j) < 0 && r.known[j] && j.state < rejected {
				p.withhold(j, reduceStage, false, "place-changed")
			}
			continue
		case "job-arrived", "stage-ready": // or its predecessors are done
		default:
			continue
		}
		r.first(b, j, p)
	}
	r.look(b, p)
	rising := r.rising()
	for _, n := range beaten(b, events) {
		r.serve(b, n, rising, p)
	}
	r.reclaim(b, p)
}

// first judges a job that nobody has judged.
func (r *rtmr) first(b *book, j *job, p *wants) {
	if j != nil && !r.known[j] && !j.waits && j.state < rejected {
		r.known[j] = true
		r.judge(b, j, p)
	}
}

// note takes in what has ended: tasks, the last maps of jobs, jobs.
func (r *rtmr) note(b *book, events []*line, p *wants) {
	for _, c := range r.plan.queue {
		if c.over || c.since < 0 {
			continue
		}
		c.mapEnds, c.maps0 = upTo(c.mapEnds, c.maps0, c.job.stage[mapStage], b.now)
		c.reEnds, c.reduces0 = upTo(c.reEnds, c.reduces0, c.job.stage[reduceStage], b.now)
		r.restrain(c.job, p)
	}
	for _, e := range events {
		if e.name != "job-ended" {
			continue
		}
		for _, c := range slices.Clone(r.plan.queue) {
			if c.over || c.job.state != finished || c.job.id != e.int("job") {
				continue
			}
			if e.get("outcome") == "committed" {
				threshold := c.mapT
				if c.maps == 0 {
					threshold = c.reduceT
				}
				r.plan.finish(c.job, b.now, threshold, r.feedback)
			} else {
				r.plan.remove(c.job, b.now)
			}
		}
	}
	r.others = slices.DeleteFunc(r.others, func(j *job) bool { return j.state == finished })
}

// restrain withholds a job's reduces while a map of it runs or is to run. With a slow start of 1
// the world does so, until maps are lost.
func (r *rtmr) restrain(j *job, p *wants) {
	m, s := j.stage[mapStage], j.stage[reduceStage]
	if m == nil || s == nil {
		return
	}
	switch over := m.open == 0 && m.occupied == 0; {
	case over && s.withheld:
		p.withhold(j, reduceStage, false, "maps-over")
	case !over && !s.withheld && (s.ready || j.SlowStart < 1):
		p.withhold(j, reduceStage, true, "maps-first")
	}
}

// upTo notes the ends of tasks that have been committed since. One whose result is lost runs again, and ends again.
func upTo(ends []int64, done int, s *stage, now int64) ([]int64, int) {
	if s == nil {
		return ends, 0
	}
	for ; done < s.done; done++ {
		ends = append(ends, now)
	}
	return ends, s.done
}

// reached tells whether the job has reached its reduce stage: its last map has been committed.
func reached(j *job) bool {
	m := j.stage[mapStage]
	return j.stage[reduceStage].ready && (m == nil || m.open == 0 && m.occupied == 0)
}

// resize counts the slots in service.
func (r *rtmr) resize(b *book) {
	now := [2]int{}
	for _, n := range b.nodes {
		if n != nil && n.up && !n.asleep && !n.draining {
			now[0] += int(n.Class.Capacity[0])
			now[1] += int(n.Class.Capacity[1])
		}
	}
	if now != r.slots {
		r.slots = now
		r.plan.resize(now[0], now[1], b.now)
	}
}

// judge is algorithm 5.1 with the questions before it.
func (r *rtmr) judge(b *book, j *job, p *wants) {
	if j.Deadline == never {
		r.lend(b, j, p, "no-deadline")
		return
	}
	for i := range j.Stages {
		s := &j.Stages[i]
		if s.kind == master && j.lives() != nobody || (s.kind == mapStage || s.kind == reduceStage) && len(s.Containers) == 0 {
			continue
		}
		p.verdict("reject", j, rejected, "", "not-slots"+numbers(int64(s.kind)))
		return
	}
	if len(j.Labels) > 0 {
		p.verdict("reject", j, rejected, "", "has-labels")
		return
	}
	if r.slotless(j, p) {
		return
	}
	t := b.timesOf(j, r.skew, worst)
	switch m := j.stage[mapStage]; {
	case t.known:
		r.test(b, j, t, 0, p)
	case r.sampling && m != nil && m.open > 0 && j.lives() != inSlot:
		x := &sampled{wanted: min(r.samples, m.open), from: m.done}
		r.measures[j] = x
		r.others = append(r.others, j)
		r.sort()
		why := "sampling" + numbers(int64(x.wanted))
		p.verdict("hold", j, held, "", why)
		r.bringUp(j, p)
		p.sample(j, mapStage, x.wanted, why)
	default:
		r.lend(b, j, p, "class-unknown")
	}
}

// slotless rejects a job for which no node has a slot.
func (r *rtmr) slotless(j *job, p *wants) bool {
	for _, k := range []int{mapStage, reduceStage} {
		if j.stage[k] != nil && r.slots[slotOf(k)] == 0 {
			p.verdict("reject", j, rejected, "", "no-slots"+numbers(int64(k)))
			return true
		}
	}
	if m := j.stage[mapStage]; j.lives() == inSlot && r.slots[0] < 2 {
		switch {
		case r.slots[0] == 0:
			p.verdict("reject", j, rejected, "", "no-slots"+numbers(mapStage))
			return true
		case m != nil && m.done < len(m.Tasks):
			p.verdict("reject", j, rejected, "", "too-few-slots"+numbers(2, 1, mapStage))
			return true
		}
	}
	return false
}

// test is algorithm 5.1 for a job whose tasks take so long; by is the size of the sample that says
// so, 0 if the class does.
func (r *rtmr) test(b *book, j *job, t times, by int, p *wants) {
	c := &claim{job: j, deadline: j.Deadline, since: -1}
	if s := j.stage[mapStage]; s != nil {
		c.maps, c.maps0 = len(s.Tasks)-s.done, s.done
	}
	if s := j.stage[reduceStage]; s != nil {
		c.reduces = len(s.Tasks) - s.done
	}
	if r.slotless(j, p) {
		return
	}
	late := b.world.World.Heartbeat
	c.mapT, c.reduceT = plus(t.oneMap, late), plus(t.oneReduce, late)
	if !r.count(b, c, plus(t.startup, late)) {
		p.verdict("reject", j, rejected, "", "no-master-room")
		return
	}
	finish, other, otherFinish := r.plan.test(c, r.plan.position(c), b.now)
	reject := func(why string) {
		if j.goesOn() {
			r.lend(b, j, p, "begun")
			return
		}
		told := ""
		if by > 0 {
			told = fmt.Sprintf(" measured=%d", by)
		}
		if offer := r.plan.offer(c, b.now); offer != 0 {
			told += fmt.Sprintf(" by=%d", offer)
		}
		p.verdict("reject", j, rejected, told, why)
	}
	free := vectors{make([]int64, r.slots[0]), make([]int64, r.slots[1])}
	aloneMaps, alone := free.take(c, b.now)
	switch {
	case alone == never:
		reject("unbounded")
		return
	case alone > c.deadline:
		reject("alone-late" + numbers(c.deadline-b.now, alone-b.now, aloneMaps-b.now))
		return
	case finish > c.deadline:
		reject("deadline" + numbers(c.deadline, finish))
		return
	case other != nil:
		reject("breaks-promise" + numbers(other.deadline, otherFinish) + fmt.Sprintf(" job %d", other.job.id))
		return
	case by > 0:
		p.verdict("admit", j, admitted, fmt.Sprintf(" word=expected measured=%d by=%d", by, finish), "estimated"+numbers(c.deadline))
	default:
		p.verdict("admit", j, admitted, atWorst(finish), "promised"+numbers(c.deadline))
	}
	r.join(b, c)
	r.restrain(j, p)
}

// join puts a claim in its place. A job all of whose maps run has started.
func (r *rtmr) join(b *book, c *claim) {
	if m := c.job.stage[mapStage]; m != nil && m.open == 0 && m.occupied > 0 {
		r.begin(c, b.now)
		return
	}
	r.plan.insert(c)
}

// begin puts a claim behind those that have started, as one that does now.
func (r *rtmr) begin(c *claim, now int64) {
	c.since = now
	r.plan.queue = slices.Insert(r.plan.queue, r.plan.started(), c)
}

// look judges jobs whose samples are complete: by the longest map, counted from the start of the
// first that ran beside it, for the largest input; a larger one takes longer in proportion, and a
// byte costs reduces what it costs maps, with a ratio of 1. Should the class become known
// meanwhile, that counts. When the deadline passes one map suffices.
func (r *rtmr) look(b *book, p *wants) {
	for _, j := range slices.Clone(r.others) {
		x := r.measures[j]
		if x == nil || j.state >= rejected {
			continue
		}
		r.bringUp(j, p)
		m := j.stage[mapStage]
		if done := m.done - x.from; done > x.done {
			x.done, x.longest = done, max(x.longest, b.now-x.began, 1)
		}
		idle, passed := m.occupied == 0, b.now >= j.Deadline
		t := b.timesOf(j, r.skew, worst)
		gone := func() {
			delete(r.measures, j)
			r.others = slices.DeleteFunc(r.others, func(o *job) bool { return o == j })
		}
		switch {
		case idle && t.known && !(x.longest > 0 && (x.done >= x.wanted || passed)):
			gone()
			r.test(b, j, t, 0, p)
		case x.longest > 0 && (x.done >= x.wanted || passed || idle && m.open == 0):
			gone()
			if t.known {
				r.test(b, j, t, 0, p)
				break
			}
			input, most := int64(0), int64(0)
			for _, task := range m.Tasks {
				input, most = input+task.Input, max(most, task.Input)
			}
			of := func(bytes float64) int64 {
				return int64(math.Round(float64(x.longest) * max(1, rounded(bytes/float64(x.largest)))))
			}
			t = times{oneMap: x.longest, oneReduce: x.longest}
			if s := j.stage[reduceStage]; x.largest > 0 {
				t.oneMap = of(float64(most))
				if s != nil {
					t.oneReduce = of(float64(input) / float64(len(s.Tasks)) * max(1, r.skew))
				}
			}
			r.test(b, j, t, min(x.done, x.wanted), p)
		case passed && idle:
			gone()
			if j.goesOn() {
				r.lend(b, j, p, "begun")
			} else {
				p.verdict("reject", j, rejected, "", "deadline-passed"+numbers(j.Deadline))
			}
		case idle && m.sample <= 0:
			p.sample(j, mapStage, x.wanted-x.done, "sampling"+numbers(int64(x.wanted-x.done)))
		}
	}
}

// sort keeps jobs that are measured before those without a promise, both by arrival.
func (r *rtmr) sort() {
	slices.SortFunc(r.others, func(x, y *job) int {
		a, b := r.measures[x] == nil, r.measures[y] == nil
		if a != b {
			if b {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.seq, y.seq)
	})
}

// amended tells whether a job is judged again: one that was judged and has not begun, and has another deadline or
// other numbers of tasks if it has a promise. Whoever runs
// without a promise, or is measured, runs on as it does.
func (r *rtmr) amended(b *book, j *job) bool {
	if j == nil || !r.known[j] || j.state >= rejected {
		return false
	}
	if i := r.plan.find(j); i >= 0 {
		c := r.plan.queue[i]
		same := j.Deadline == c.deadline
		if s := j.stage[mapStage]; s != nil {
			same = same && len(s.Tasks)-s.done == c.maps
		}
		if s := j.stage[reduceStage]; s != nil {
			same = same && len(s.Tasks)-s.done == c.reduces
		}
		if same || c.since >= 0 || j.begun() {
			return false
		}
		r.plan.remove(j, b.now)
	} else if j.begun() {
		return false
	}
	delete(r.measures, j)
	r.others = slices.DeleteFunc(r.others, func(o *job) bool { return o == j })
	delete(r.known, j)
	return true
}

// begun tells whether a task of the job runs, is promised or is done.
func (j *job) begun() bool {
	return j.occupied > 0 || slices.ContainsFunc(j.Stages, func(s stage) bool { return s.done > 0 })
}

// lend lets a job run on what no promise needs.
func (r *rtmr) lend(b *book, j *job, p *wants, why string) {
	p.verdict("admit", j, admitted, "", why)
	r.others = append(r.others, j)
	r.sort()
}

// serve fills a node: maps with a promise, reduces by algorithm 5.4, then what is left over.
func (r *rtmr) serve(b *book, n *node, rising bool, p *wants) {
	r.placeMasters(b, n, p)
	for again := true; again && !rising; {
		again = false
		for _, c := range r.plan.queue {
			if !c.over && b.serves(n, c.job, mapStage) {
				r.plan.start(c.job, b.now)
				again = p.start(c.job, mapStage, n, "first-in-order")
				break
			}
		}
	}
	for rising && r.keeping(b, n, p) {
	}
	for {
		j := r.reduce(b, n)
		if j == nil {
			break
		}
		r.plan.start(j, b.now)
		p.start(j, reduceStage, n, "first-in-order")
	}
	for s := master; s <= reduceStage; s++ {
		for again := true; again; {
			again = false
			for _, j := range r.others {
				if b.serves(n, j, s) {
					if s == master && r.crowded(b, j) {
						break
					}
					if x, st := r.measures[j], j.stage[s]; x != nil && s == mapStage {
						if st.occupied == 0 {
							x.began = b.now
						}
						t, _ := b.nearest(n, st)
						x.largest = max(x.largest, st.Tasks[t-1].Input)
					}
					again = p.start(j, s, n, "left-over")
					break
				}
			}
		}
	}
}

// reduce is algorithm 5.4, lines 6 to 21, with >= in line 10: the job whose reduce goes to the node.
func (r *rtmr) reduce(b *book, n *node) *job {
	free, reserved := r.free(b, reduceStage), 0
	for _, c := range r.plan.queue {
		if c.gone() {
			continue
		}
		if reserved >= free {
			return nil
		}
		s := c.job.stage[reduceStage]
		if s == nil || s.open == 0 {
			continue
		}
		if b.serves(n, c.job, reduceStage) {
			return c.job
		}
		if !reached(c.job) {
			reserved += s.open
		}
	}
	return nil
}
