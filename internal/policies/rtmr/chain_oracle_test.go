package rtmr

import (
	stdcmp "cmp"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// A literalVector is the paper's: an entry for each slot, sorted after each task. Of each entry it
// knows whether the job at hand had it.
type literalVector []literalSlot

type literalSlot struct {
	at   units.Time
	mine bool
}

func (v literalVector) sort() {
	slices.SortStableFunc(v, func(a, b literalSlot) int {
		switch {
		case a.at != b.at:
			return int(a.at - b.at)
		case a.mine == b.mine:
			return 0
		case b.mine:
			return -1
		}
		return 1
	})
}

// calculate is algorithm 5.2, and 5.3 without its first line, word by word.
func (v literalVector) calculate(n int, current units.Time, each units.Duration) (literalVector, units.Time) {
	t := slices.Clone(v)
	for i := range t {
		t[i].mine = false
	}
	t.sort()
	e := current
	for range n {
		if len(t) == 0 {
			return t, units.Never
		}
		t[0].at = max(t[0].at, current)
		t[0].at = t[0].at.Add(each)
		t[0].mine = true
		e = t[0].at
		t.sort()
	}
	return t, e
}

// update is algorithm 5.6, lines 7 to 11.
func (v literalVector) update(ends []units.Time) literalVector {
	u := slices.Clone(v)
	for _, e := range ends {
		if len(u) > 0 {
			u[0].at = e
			u.sort()
		}
	}
	return u
}

// raise is what becomes of the slots of a job that went after its start.
func (v literalVector) raise(n int, at units.Time) literalVector {
	u := slices.Clone(v)
	for i := range min(n, len(u)) {
		u[i].at = max(u[i].at, at)
	}
	u.sort()
	return u
}

// resize adds slots or drops the latest.
func (v literalVector) resize(n int, at units.Time) literalVector {
	u := slices.Clone(v)
	for len(u) < n {
		u = append(u, literalSlot{at: at})
	}
	u.sort()
	return u[:n]
}

// A literalJob keeps both vectors after it.
type literalJob struct {
	Claim
	phase         string
	idle          bool // it has started, and none of its tasks has
	since, up     units.Time
	maps, reduces []units.Time
	tm, tr        literalVector
	mapsEnd, e    units.Time
}

// A literal is the priority queue of algorithm 5.1 with whole vectors, all of them calculated again for each question.
type literal struct {
	tm, tr literalVector
	jobs   []literalJob
	taken  []units.Time // when slots were taken away
}

func (l *literal) waits(j literalJob) bool { return j.phase == "waiting" }

// queue calculates the vectors of jobs in the given order.
func (l *literal) queue(now units.Time, jobs []literalJob) []literalJob {
	tm, tr := l.tm, l.tr
	jobs = slices.Clone(jobs)
	for i := range jobs {
		j := &jobs[i]
		from := j.since
		if l.waits(*j) || j.idle {
			from = now
		}
		switch j.phase {
		case "waiting", "started", "finished":
			j.calculate(tm, tr, from)
		case "corrected":
			j.tm, j.tr = tm.update(j.maps), tr.update(j.reduces)
		case "gone":
			n := j.Maps
			if j.Slot {
				n++
			}
			j.tm, j.tr = tm.raise(n, from), tr.raise(j.Reduces, from)
		}
		tm, tr = j.tm, j.tr
	}
	return jobs
}

// calculate is algorithms 5.2 and 5.3 for a job with a master, which starts up first. One in a slot
// takes the first there is, until the job ends.
func (j *literalJob) calculate(tm, tr literalVector, current units.Time) {
	if current < j.Ready {
		current = j.Ready
	}
	rest, has := tm, j.Slot && len(tm) > 0
	switch {
	case has:
		rest = slices.Clone(tm)
		rest.sort()
		current = max(current, rest[0].at).Add(j.Startup)
		rest = rest[1:]
	case j.Slot:
		current = units.Never
	}
	j.up = current
	j.tm, j.mapsEnd = rest.calculate(j.Maps, current, j.Map)
	j.tr, j.e = tr.calculate(j.Reduces, j.mapsEnd, j.Reduce)
	if has {
		j.tm = append(j.tm, literalSlot{j.e, true})
		j.tm.sort()
	}
}

// insert returns the queue with the claim, and its place.
func (l *literal) insert(c Claim) ([]literalJob, int) {
	at := 0
	for i, j := range l.jobs {
		ahead := j.Deadline < c.Deadline || j.Deadline == c.Deadline && j.Seq < c.Seq
		if !l.waits(j) || ahead {
			at = i + 1
		}
	}
	return slices.Insert(slices.Clone(l.jobs), at, literalJob{Claim: c, phase: "waiting"}), at
}

func (l *literal) test(now units.Time, c Claim) Verdict {
	jobs, at := l.insert(c)
	jobs = l.queue(now, jobs)
	v := Verdict{OK: true, MapsEnd: jobs[at].mapsEnd, Finish: jobs[at].e}
	for i, j := range jobs[at:] {
		if j.e > j.Deadline {
			v.OK, v.Late, v.LateFinish, v.LateDeadline = false, j.Job, j.e, j.Deadline
			if i == 0 {
				v.Late = 0
				tm, tr := slices.Repeat(literalVector{{at: now}}, len(l.tm)), slices.Repeat(literalVector{{at: now}}, len(l.tr))
				alone := literalJob{Claim: c}
				alone.calculate(tm, tr, now)
				v.Alone = Alone{alone.mapsEnd, alone.e}
				if v.Alone.Finish <= c.Deadline {
					if v.Hold = l.hold(now, jobs[:at], jobs[at]); v.Hold == (Hold{}) {
						v.Hold = l.most(now, jobs[:at], v)
					}
				}
			}
			break
		}
	}
	return v
}

func (l *literal) hold(now units.Time, ahead []literalJob, c literalJob) Hold {
	if c.e == units.Never {
		return Hold{}
	}
	stage, begin := sched.Map, c.mapsEnd-units.Time(c.Map)
	switch earliest := max(now, c.Ready); {
	case c.Reduces > 0 && c.e-units.Time(c.Reduce) > c.mapsEnd:
		stage, begin = sched.Reduce, c.e-units.Time(c.Reduce)
	case c.Slot && (c.Maps == 0 || begin <= c.up): // its master waits, and begins so long before its maps may
		if begin = c.up - units.Time(c.Startup); begin <= earliest {
			return Hold{}
		}
	case c.Maps == 0 || begin <= earliest:
		return Hold{}
	}
	for _, j := range slices.Backward(ahead) {
		if j.phase == "corrected" || j.phase == "gone" {
			continue
		}
		h, v, hit := Hold{Job: j.Job, Stage: stage}, j.tm, false
		if stage == sched.Reduce {
			v = j.tr
		}
		for _, s := range v {
			if s.mine && s.at >= begin {
				h.Slots++
				h.Until = max(h.Until, s.at)
				hit = hit || s.at == begin
			}
		}
		if hit {
			if j.phase == "finished" {
				h.Job = 0
			}
			return h
		}
	}
	return Hold{}
}

// most is who holds most of the slots beyond the time when the job's first tasks want them.
func (l *literal) most(now units.Time, ahead []literalJob, v Verdict) Hold {
	if v.Finish == units.Never {
		return Hold{}
	}
	type holder struct {
		Hold
		time float64
	}
	var all []holder
	add := func(j sched.JobID, tm, tr literalVector, every bool) {
		h, slots, from := holder{Hold: Hold{Job: j, Stage: sched.Map}}, tm, now
		if v.MapsEnd == v.Alone.MapsEnd {
			h.Stage, slots, from = sched.Reduce, tr, v.MapsEnd
		}
		for _, s := range slots {
			if (s.mine || every) && s.at > from {
				h.Slots++
				h.Until = max(h.Until, s.at)
				h.time += float64(s.at - from)
			}
		}
		if h.Slots > 0 {
			all = append(all, h)
		}
	}
	add(0, l.tm, l.tr, true)
	for _, j := range ahead {
		switch j.phase {
		case "finished":
			add(0, j.tm, j.tr, false)
		case "waiting", "started":
			add(j.Job, j.tm, j.tr, false)
		}
	}
	slices.Reverse(all) // of equals the last
	if len(all) == 0 {
		return Hold{}
	}
	// Beside a slot that is never free, a microsecond is nothing: such times are equal once rounded.
	return slices.MaxFunc(all, func(a, b holder) int { return stdcmp.Compare(units.Rounded(a.time), units.Rounded(b.time)) }).Hold
}

func (l *literal) find(id sched.JobID) int {
	return slices.IndexFunc(l.jobs, func(j literalJob) bool { return j.Job == id })
}

func (l *literal) start(now units.Time, id sched.JobID) {
	i := l.find(id)
	j := l.jobs[i]
	if !l.waits(j) {
		return
	}
	j.phase, j.since = "started", now
	l.jobs = slices.Delete(l.jobs, i, i+1)
	k := 0
	for k < len(l.jobs) && !l.waits(l.jobs[k]) {
		k++
	}
	l.jobs = slices.Insert(l.jobs, k, j)
}

// finish is algorithm 5.5.
func (l *literal) finish(now units.Time, id sched.JobID, maps, reduces []units.Time, threshold units.Duration, feedback bool) bool {
	l.start(now, id)
	i := l.find(id)
	e := l.queue(now, l.jobs)[i].e
	j := &l.jobs[i]
	if j.idle {
		j.idle, j.since = false, now
	}
	j.phase = "finished"
	real := slices.Max(slices.Concat([]units.Time{0}, maps, reduces))
	off := e - real
	if off < 0 {
		off = -off
	}
	if feedback && (off >= units.Time(threshold) || real > j.Deadline || e == units.Never) {
		if slices.ContainsFunc(l.taken, func(t units.Time) bool { return t >= j.since }) {
			j.phase, j.since = "gone", now
			return true
		}
		j.phase, j.maps, j.reduces = "corrected", slices.Sorted(slices.Values(maps)), slices.Sorted(slices.Values(reduces))
		return true
	}
	return false
}

func (l *literal) remove(now units.Time, id sched.JobID) {
	i := l.find(id)
	if l.waits(l.jobs[i]) {
		l.jobs = slices.Delete(l.jobs, i, i+1)
		return
	}
	l.jobs[i].phase, l.jobs[i].idle, l.jobs[i].since = "gone", false, now
}

// settle makes the head of the queue part of the first vectors, as far as it is over.
func (l *literal) settle(now units.Time) {
	for len(l.jobs) > 0 && !l.waits(l.jobs[0]) && l.jobs[0].phase != "started" {
		alone := literal{tm: l.tm, tr: l.tr}
		j := alone.queue(now, l.jobs[:1])[0]
		l.tm, l.tr = j.tm, j.tr
		l.jobs = l.jobs[1:]
	}
}

// A history plays the same random events on a schedule and on the literal queue.
type history struct {
	*rapid.T
	now  units.Time
	span int
	next int
	s    *Schedule
	l    literal
}

func newHistory(t *rapid.T) *history {
	h := &history{T: t, span: rapid.SampledFrom([]int{2, 5, 50, 1e6}).Draw(t, "span")}
	maps, reduces := rapid.IntRange(0, 12).Draw(t, "map slots"), rapid.IntRange(0, 6).Draw(t, "reduce slots")
	h.s = NewSchedule(maps, reduces)
	h.s.stride = rapid.IntRange(1, 4).Draw(t, "stride")
	h.l.tm, h.l.tr = make(literalVector, maps), make(literalVector, reduces)
	return h
}

func (h *history) duration(name string) units.Duration {
	return units.Duration(rapid.IntRange(0, h.span).Draw(h.T, name))
}

func (h *history) claim() Claim {
	h.next++
	c := Claim{Job: sched.JobID(h.next), Seq: int64(h.next + rapid.IntRange(-3, 0).Draw(h.T, "sooner")*1000), Arrived: h.now, Deadline: h.now.Add(h.duration("time") * units.Duration(rapid.IntRange(1, 20).Draw(h.T, "times"))),
		Maps: rapid.IntRange(0, 20).Draw(h.T, "maps"), Reduces: rapid.IntRange(0, 8).Draw(h.T, "reduces"),
		Map: h.duration("map"), Reduce: h.duration("reduce")}
	switch rapid.SampledFrom([]string{"none", "outside", "in a slot"}).Draw(h.T, "master") {
	case "outside":
		c.Startup = h.duration("startup")
		c.Ready = h.now.Add(c.Startup)
	case "in a slot":
		c.Startup, c.Slot = h.duration("startup"), true
	}
	return c
}

// job draws one that is in the schedule and not over, 0 if there is none.
func (h *history) job() sched.JobID {
	var ids []sched.JobID
	for _, j := range h.l.jobs {
		if j.phase == "waiting" || j.phase == "started" {
			ids = append(ids, j.Job)
		}
	}
	if len(ids) == 0 {
		return 0
	}
	return rapid.SampledFrom(ids).Draw(h.T, "job")
}

func (h *history) ends(name string, most int) []units.Time {
	ends := make([]units.Time, rapid.IntRange(0, most).Draw(h.T, name))
	for i := range ends {
		ends[i] = max(0, h.now-units.Time(h.duration("ago")))
	}
	return ends
}

// step plays one event.
func (h *history) step() {
	h.now += units.Time(h.duration("later")) * units.Time(rapid.IntRange(0, 1).Draw(h.T, "or at once"))
	switch event := rapid.SampledFrom([]string{"admit", "admit", "admit", "test", "start", "start", "finish", "remove", "resize", "save", "up", "again", "restart", "begin"}).Draw(h.T, "event"); event {
	case "admit", "test":
		c := h.claim()
		got, want := h.s.Test(h.now, c), h.l.test(h.now, c)
		if d := cmp.Diff(want, got); d != "" {
			h.Fatalf("Test(%v, %+v): the literal queue against the schedule:\n%s", h.now, c, d)
		}
		if event == "admit" { // whatever the verdict: late jobs must be counted right too
			h.s.Admit(h.now, c)
			h.l.jobs, _ = h.l.insert(c)
		}
	case "save":
		text, err := json.Marshal(h.s)
		if err != nil {
			h.Fatal(err)
		}
		stride := h.s.stride
		h.s = &Schedule{}
		if err := json.Unmarshal(text, h.s); err != nil {
			h.Fatal(err)
		}
		h.s.stride = stride
		if again, _ := json.Marshal(h.s); string(again) != string(text) {
			h.Fatalf("saved %s, read and saved again %s", text, again)
		}
	case "resize":
		maps, reduces := rapid.IntRange(0, 12).Draw(h.T, "maps"), rapid.IntRange(0, 6).Draw(h.T, "reduces")
		h.s.Resize(h.now, maps, reduces)
		if maps < len(h.l.tm) || reduces < len(h.l.tr) {
			h.l.taken = append(h.l.taken, h.now)
			for i := range h.l.jobs {
				if j := &h.l.jobs[i]; j.phase == "corrected" {
					j.phase, j.since = "gone", h.now
				}
			}
		}
		h.l.tm, h.l.tr = h.l.tm.resize(maps, h.now), h.l.tr.resize(reduces, h.now)
	default:
		j := h.job()
		if j == 0 {
			return
		}
		switch event {
		case "start":
			h.s.Start(h.now, j)
			h.l.start(h.now, j)
		case "remove":
			h.s.Remove(h.now, j)
			h.l.remove(h.now, j)
		case "up":
			k := &h.l.jobs[h.l.find(j)]
			if k.idle { // a master that is up has started
				return
			}
			if h.s.Up(h.now, j); !k.Slot {
				k.Ready = min(k.Ready, h.now)
			} else if took := h.now - max(k.since, k.Ready); took >= 0 && units.Duration(took) < k.Startup {
				k.Startup = units.Duration(took)
			}
		case "restart":
			h.s.Restart(j)
			k := &h.l.jobs[h.l.find(j)]
			k.idle = k.phase == "started"
		case "begin":
			h.s.Begin(h.now, j)
			if k := &h.l.jobs[h.l.find(j)]; k.phase == "started" {
				k.idle, k.since = false, h.now
			}
		case "again":
			h.s.Again(h.now, j)
			k := &h.l.jobs[h.l.find(j)]
			if k.Ready = h.now; !k.Slot {
				k.Ready += units.Time(k.Startup)
			}
		case "finish":
			maps, reduces := h.ends("map ends", 20), append(h.ends("reduce ends", 8), h.now)
			threshold, feedback := h.duration("threshold"), rapid.Bool().Draw(h.T, "feedback")
			if got, want := h.s.Finish(h.now, j, maps, reduces, threshold, feedback), h.l.finish(h.now, j, maps, reduces, threshold, feedback); got != want {
				h.Fatalf("Finish of job %d says %v, the literal queue %v", j, got, want)
			}
		}
		h.l.settle(h.now)
	}
}

// check compares the estimates of all jobs.
func (h *history) check() {
	for _, j := range h.l.queue(h.now, h.l.jobs) {
		if j.phase != "waiting" && j.phase != "started" {
			continue
		}
		if mapsEnd, e, ok := h.s.Estimate(h.now, j.Job); !ok || mapsEnd != j.mapsEnd || e != j.e {
			h.Fatalf("at %v job %d would end its maps at %v and finish at %v (%v), the literal queue says %v and %v", h.now, j.Job, mapsEnd, e, ok, j.mapsEnd, j.e)
		}
	}
}

// TestLiteral plays random histories on the schedule and on algorithms 5.1 to 5.3, 5.5 and 5.6 as they are printed.
func TestLiteral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			h.step()
			if rapid.IntRange(0, 3).Draw(t, "check") == 0 {
				h.check()
			}
		}
	})
}

// TestOffer tries every deadline up to the offer, and the offer itself.
func TestOffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.span = min(h.span, 5)
		for range rapid.IntRange(1, 25).Draw(t, "events") {
			h.step()
		}
		c := h.claim()
		offer := h.s.Offer(h.now, c)
		bound := min(offer, h.now+units.Time(200*h.span))
		for d := units.Time(0); d < bound; d++ {
			c.Deadline = d
			if v := h.l.test(h.now, c); v.OK {
				t.Fatalf("the offer is %v, %v would be accepted: %+v", offer, d, v)
			}
		}
		if c.Deadline = offer; offer != units.Never && !h.l.test(h.now, c).OK {
			t.Fatalf("the offer %v is refused", offer)
		}
		most := rapid.IntRange(0, 30).Draw(t, "most")
		at, exact := h.s.OfferWithin(h.now, c, most)
		if c.Deadline = at; at < offer || exact && at != offer || at != units.Never && !h.l.test(h.now, c).OK {
			t.Fatalf("the offer is %v; within %d estimates it is %v (exact: %v)", offer, most, at, exact)
		}
	})
}
