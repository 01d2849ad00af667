package referee

import (
	"cmp"
	"math"
	"slices"
)

// feasible is EDF among the jobs that could still be in time with the whole cluster; the others
// stand behind them by least work left. Of a class without a profile a job could be in time until
// its deadline, and stands behind the late ones that are known, by tasks left. Jobs without a
// deadline come last.
//
// The clock by which this is judged stands still between two looks, which are a second apart at
// least. There is one at a beat, or the end of an attempt, when a job that could be in time has come
// to its end, and when something has happened that may bring that nearer.
type feasible struct {
	flat
	b        *book
	now      int64
	next     int64 // before then nothing changes, as far as was known at the last look
	looked   bool
	capacity vector
}

// nearer are the events after which a job may be late sooner than was known.
var nearer = []string{"job-arrived", "job-amended", "stage-ready", "output-lost", "demand",
	"node-up", "node-down", "node-changed", "profile-learned"}

func (o *feasible) decide(b *book, events []*line, p *wants) {
	o.b = b
	turn := false
	for _, e := range events {
		near := slices.Contains(nearer, e.name)
		turn = turn || near || e.name == "heartbeat" || e.name == "ended"
		if near || e.name == "ended" && e.get("outcome") != "committed" {
			o.next = 0
		}
	}
	if !turn {
		return
	}
	if b.now < o.next || o.looked && b.now < o.now+1e9 {
		return
	}
	o.now, o.next, o.looked, o.capacity = b.now, never, b.now > 0, b.capacity
	for _, j := range b.live {
		if till := o.till(j); j.due() != never && j.state != rejected && b.now <= till {
			o.next = min(o.next, till+1)
		}
	}
	b.dirty = true
}

// look is asked before jobs are compared.
func (o *feasible) look(b *book) { o.b = b }

// task is the mean and the shortest time of a task, in seconds.
func (p *profile) task(kind int) (mean, least float64, ok bool) {
	n := 0.0
	for _, s := range p.Stages {
		t := s.Task
		if kind == master {
			t = s.Start
		}
		if s.Stage != stageNames[kind] || t.N == 0 {
			continue
		}
		if n == 0 || t.Min+s.Shuffle.Min < least {
			least = t.Min + s.Shuffle.Min
		}
		n += float64(t.N)
		mean += float64(t.N) * (t.Mean + s.Shuffle.Mean)
	}
	if n == 0 {
		return 0, 0, false
	}
	return mean / n, least, true
}

// rounded keeps 32 bits of a number, which takes away what the order of a sum adds.
func rounded(x float64) float64 {
	part, power := math.Frexp(x)
	return math.Ldexp(math.Round(part*(1<<32)), power-32)
}

// span makes whole nanoseconds of a time in seconds, upwards.
func span(seconds float64) int64 { return above(rounded(seconds)) }

// till is the last instant from which the job could be in time with all that there is.
func (o *feasible) till(j *job) int64 {
	p := o.b.profiles[j.Class]
	if p == nil {
		return j.due()
	}
	alone := int64(0)
	for kind, s := range j.stage {
		if s == nil || s.open <= 0 {
			continue
		}
		mean, least, _ := p.task(kind)
		slots := int64(math.MaxInt64)
		for d, need := range s.needs {
			if need > 0 {
				slots = min(slots, o.capacity[d]/need)
			}
		}
		if slots == math.MaxInt64 {
			slots = 0
		}
		alone = plus(alone, max(span(least), span(mean)*int64(s.open)/max(1, slots)))
	}
	return j.due() - alone
}

// place is where a job stands: the smaller of the first numbers that differ.
func (o *feasible) place(j *job) [3]int64 {
	switch {
	case j.due() == never:
		return [3]int64{3, 0, j.arrived}
	case o.now <= o.till(j):
		return [3]int64{0, j.due(), j.arrived}
	}
	p, work, tasks, known := o.b.profiles[j.Class], int64(0), int64(0), true
	for kind, s := range j.stage {
		if s == nil || len(s.Tasks) == s.done {
			continue
		}
		left := int64(len(s.Tasks) - s.done)
		tasks += left
		if p == nil {
			continue
		}
		mean, _, ok := p.task(kind)
		known = known && (ok || kind == master)
		work = plus(work, span(mean)*left)
	}
	if p == nil || !known {
		return [3]int64{2, tasks, j.arrived}
	}
	return [3]int64{1, work, j.arrived}
}

func (o *feasible) compare(x *job, _ int, y *job, _ int) int {
	a, b := o.place(x), o.place(y)
	return slices.Compare(a[:], b[:])
}

// shares says that a task which starts may change its job's place: it takes no time any more.
func (*feasible) shares() bool { return true }

// line ranks jobs that wait to be let in by their deadlines.
func (*feasible) line(x, y *job) int { return cmp.Compare(x.due(), y.due()) }
