package promise

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A record is what is remembered of a job that has not ended.
type record struct {
	ID  string `json:"id"` // the job's own: its handle may be another one after a resync
	Seq int64  `json:"seq"`

	Class string      `json:"class"`
	Reads units.Bytes `json:"reads,omitempty"` // that its tasks read

	Level    finish.Risk `json:"level"`              // that what it is told leaves
	Asked    finish.Risk `json:"asked"`              // that its confidence leaves
	Least    finish.Risk `json:"least,omitempty"`    // a higher one that will do, 0 = none
	Let      bool        `json:"let,omitempty"`      // it was let in
	Promised finish.Risk `json:"promised,omitempty"` // that its promise leaves, 0 = it has none
	InTime   bool        `json:"in_time,omitempty"`  // it stands among those that can be in time
	Density  int64       `json:"density,omitempty"`  // of one that does not: work left over worth
	Bound    [2]bool     `json:"bound"`              // its long tasks may not hold all slots
	Owed     finish.Risk `json:"owed,omitempty"`     // by so much likelier promises behind it are broken
	OwedBy   units.Time  `json:"owed_by,omitempty"`  // when the last of these is done
	Spent    finish.Risk `json:"spent,omitempty"`    // what those add to its risk that came since it is above that
	Away     bool        `json:"away,omitempty"`     // it stands behind these
	Broken   units.Time  `json:"broken,omitempty"`   // its promise is: it stands as if due then, behind others
	Unsaid   bool        `json:"unsaid,omitempty"`   // a promise is decided on once all classes are known
	Strange  bool        `json:"strange,omitempty"`  // nothing is known of its class
	Due      units.Time  `json:"due"`                // that this is about
	Handed   bool        `json:"handed,omitempty"`   // a job that waits for it has handed it a deadline
	Until    units.Time  `json:"until"`              // its own, which it is told of

	Stale     bool           `json:"stale,omitempty"` // its own tasks say more than its laws do
	Laws      laws           `json:"laws"`
	Says      [2]float64     `json:"says"`  // seconds of a task, by its class's models
	Guess     [2]bool        `json:"guess"` // its law does not go by these
	Master    units.Duration `json:"master,omitempty"`
	Deviation *finish.Dist   `json:"deviation"`
	Own       [2]tally       `json:"own"`
	End       ending         `json:"ends,omitzero"`  // expected by the last look
	Over      units.Time     `json:"over,omitzero"`  // when the last of its maps that have ended did
	Takes     outlay         `json:"takes,omitzero"` // for who rents nodes

	First first `json:"first,omitzero"` // what was stated when it came
	Told  told  `json:"told,omitzero"`

	// what the last look at its running tasks found: how many, and the sum of the seconds that they are expected to
	// take
	Aged    [2]float64 `json:"aged,omitzero"` // seconds of a task, by how long the oldest runs, where none has ended
	Running [2]int     `json:"running"`
	Lasts   [2]float64 `json:"lasts"`

	awaited bool       // others wait for it
	owes    bool       // and one of these has a promise
	carries bool       // that can be kept
	lost    bool       // its own cannot, by the last look
	latest  units.Time // when it is to be done for these to be in time
	linked  bool       // these have been heard

	last [2]units.Time // when the last is expected to end

	// the pools of its stages, and how many of its containers these have, as of what was in service then
	pool   [2]int8
	slots  [2]int32
	served int32
}

// ending is when half of all jobs that stand so are done, and, of a job that others wait for, when 98 of 100 and 999 of
// 1,000 are: at the normal scores farScores. Units.Never: nothing is known yet.
type ending struct {
	At  units.Time    `json:"at,omitempty"`
	Far [2]units.Time `json:"tail,omitzero"`
}

var farScores = [2]float64{2, 3}

// moved tells whether it is so far from what was found before that it matters to who waits.
func (e *ending) moved(was *ending) bool {
	far := func(a, b units.Time) bool { return max(a, b).Sub(min(a, b)) > leastMove }
	return far(e.At, was.At) || far(e.Far[1], was.Far[1])
}

// tally is what the job's own tasks took, in parts of what its law says.
type tally struct {
	N   float64 `json:"n,omitempty"`
	Sum float64 `json:"sum,omitempty"`
}

// of returns the record of a job, nil if there is none.
func (s *scheduler) of(job *sched.Job) *record {
	if job == nil || int(job.ID) >= len(s.jobs) || s.jobs[job.ID].ID == "" {
		return nil
	}
	return &s.jobs[job.ID]
}

// lawsOf are a job's laws with all that a look does not need.
type lawsOf struct {
	estimate.Laws
	laws
}

// note opens the record of a job.
func (s *scheduler) note(v sched.View, job *sched.Job) *record {
	r := sched.Row(&s.jobs, job.ID)
	sched.Row(&s.runs, job.ID)
	*r = record{ID: job.Spec.ID, Seq: job.Seq, Class: job.Spec.Class, InTime: job.Due() != units.Never, Due: stated(job), Until: job.Deadline, End: ending{At: units.Never}}
	for i := range job.Spec.Stages {
		r.Reads += job.Spec.Stages[i].Input()
	}
	r.Asked, r.Least = s.levelsOf(job)
	r.Level = r.Asked
	s.unrun(job.ID)
	s.learn(v, job, r)
	at, _ := slices.BinarySearchFunc(s.line, job, s.against(v))
	s.line = slices.Insert(s.line, at, job.ID)
	return r
}

func (s *scheduler) against(v sched.View) func(sched.JobID, *sched.Job) int {
	return func(j sched.JobID, job *sched.Job) int { return byDue(v.Job(j), job) }
}

// learn takes the job's laws from what is known of its class now.
func (s *scheduler) learn(v sched.View, job *sched.Job, r *record) {
	l, known := s.estimates(v, job)
	of := lawsOf{Laws: l}
	for k, e := range []*estimate.Law{&of.Map, &of.Reduce} {
		r.Says[k], r.Guess[k] = units.Rounded(e.Typical*e.Own.Mean()*e.Shared.Mean()+e.Wait), !known
		if c := s.classes[r.Class]; known && c != nil {
			r.Guess[k] = c[k].Jobs.doubts(e)
		}
		if r.Guess[k] {
			r.narrow(e, k)
		}
		of.laws[k] = s.law(e, r.Guess[k])
		if of.laws[k].Mean == 0 { // a stage that the job does not have
			of.laws[k] = &law{Mean: 1e-3, Residual: residual{}}
		}
	}
	for k := range r.Own { // what was measured in parts of the former law
		if r.Own[k].N > 0 {
			r.Own[k].Sum = units.Rounded(r.Own[k].Sum * r.Laws[k].Mean / of.laws[k].Mean)
		}
	}
	r.Laws, r.Stale, r.Strange, r.Master = of.laws, false, !known, units.FromSeconds(units.Rounded(l.Master))
	r.Deviation = s.deviates(v, job, r, &of)
}

// forget closes the record of a job.
func (s *scheduler) forget(j sched.JobID) {
	if int(j) >= len(s.jobs) || s.jobs[j].ID == "" {
		return
	}
	if i := slices.Index(s.line, j); i >= 0 {
		s.line = slices.Delete(s.line, i, i+1)
	}
	s.jobs[j] = record{}
	s.unrun(j)
}

// levelsOf is the risk that the confidence of a job leaves: its own, or else that of its queue, or of the policy; and
// the highest that will do for it, 0 if no other does.
func (s *scheduler) levelsOf(job *sched.Job) (asked, least finish.Risk) {
	asked = s.Most
	if c := cmp.Or(job.Spec.Confidence, s.Queues.Confidence(job.Spec.Queue)); c > 0 {
		asked = finish.RiskOf(1 - c)
	}
	if c := job.Spec.Least; c > 0 {
		least = finish.RiskOf(1 - c)
	}
	if least > 0 && least <= asked {
		return least, 0
	}
	return asked, least
}

// levels are the risks that a promise may leave for which less than the asked confidence will do, the least first.
var levels = []finish.Risk{finish.Certain / 100, 3 * finish.Certain / 100, finish.Certain / 20, finish.Certain / 10, finish.Certain / 5, 3 * finish.Certain / 10, 2 * finish.Certain / 5}

// best is the least risk at which a deadline can be promised by a statement, of those that will do; 0 if it cannot.
func (r *record) best(st *statement, deadline float64) finish.Risk {
	fits := func(x finish.Risk) bool { return units.Rounded(st.promises(x)) <= units.Rounded(deadline) }
	if fits(r.Asked) {
		return r.Asked
	}
	for _, x := range levels {
		if x > r.Asked && x < r.Least && fits(x) {
			return x
		}
	}
	if r.Least > 0 && fits(r.Least) {
		return r.Least
	}
	return 0
}

// What a class's tasks took lately, in parts of what their laws said: of so many tasks at most, where so many count at
// 1 before any has ended.
const (
	mostLately  = 60
	firstLately = 6
	mostOwn     = 200
	mostAny     = 500
	mostTimes   = 4 // what its law says a task counts for at most, or what one in a thousand exceeds
)

// class is how the tasks of a class turn out lately, and the logarithms of that by the first task of each job.
type class [2]struct {
	lately
	Jobs    lately `json:"jobs"`
	Refused int    `json:"refused,omitempty"` // in a row
}

// mostRefused is how many jobs of a class are rejected in a row.
const mostRefused = 4

// classOf is that of a job's class.
func (s *scheduler) classOf(name string) *class {
	c := s.classes[name]
	if c == nil {
		c = &class{}
		s.classes[name] = c
	}
	return c
}

// took counts a task that has ended.
func (s *scheduler) took(job *sched.Job, r *record, k int, seconds float64) {
	if seconds <= 0 || r.Laws[k] == nil {
		return
	}
	if r.Own[k].N == 0 {
		x := math.Log(max(seconds, 1e-3))
		if k == 1 {
			x -= s.mapWork(job)
		}
		s.any[k].add(x, 1, mostAny)
	}
	l, t, took := r.Laws[k], &r.Own[k], seconds*s.pace+r.Laws[k].Wait
	ratio := units.Rounded(min(took/l.Mean, max(mostTimes, l.Most)))
	if !r.Strange {
		c := &s.classOf(job.Spec.Class)[k]
		if t.N == 0 && r.Says[k] > 0 {
			c.Jobs.add(units.Rounded(max(-doubtFar, min(doubtFar, math.Log(took/r.Says[k])))), 1, mostLately)
		}
		if !r.Guess[k] {
			// Tasks of one job share a factor, so the second of them says less of the class.
			share := l.Shared / max(l.Shared+l.Variance, 1e-9)
			c.add(ratio, units.Rounded(1/(1+float64(t.N*share))), mostLately)
		}
	}
	if t.N >= mostOwn {
		t.Sum -= t.Sum / t.N
		t.N--
	}
	t.N++
	t.Sum = units.Rounded(t.Sum + ratio)
}

// scale is what a task of the job takes now, in parts of what its law says.
func (s *scheduler) factor(r *record, k int) float64 {
	f := 1.0
	if !r.Guess[k] {
		if c := s.classes[r.Class]; c != nil {
			f = c[k].towards(firstLately)
		}
	} else if k == 1 && r.Strange && r.Own[1].N == 0 && r.Laws[0] != nil { // guessed by the maps
		f = s.factor(r, 0) * s.pace
	}
	if own, n := r.own(k); n > 0 {
		share := r.Laws[k].Shared / max(r.Laws[k].Shared+r.Laws[k].Variance/n, 1e-9)
		f += share * (own - f)
	}
	f = max(f, r.Aged[k]*s.pace/max(r.Laws[k].Mean, 1e-9))
	return max(f, 1e-3) / s.pace
}

// own is the mean of the job's tasks in parts of what its law says, those that run with what they are expected to
// take: those that have ended are the shorter ones.
func (r *record) own(k int) (mean, n float64) {
	t := &r.Own[k]
	if t.N == 0 {
		return 0, 0
	}
	n = t.N + float64(r.Running[k])
	return (t.Sum + r.Lasts[k]/r.Laws[k].Mean) / n, n
}

// shared is the variance of the factor that the job's tasks share, given those that have ended.
func (r *record) shared(k int) float64 {
	l := r.Laws[k]
	if _, n := r.own(k); n > 0 {
		return l.Shared * (1 - l.Shared/max(l.Shared+l.Variance/n, 1e-9))
	}
	return l.Shared
}

// task is what a task of the job takes on the average, in seconds.
func (s *scheduler) task(r *record, k int) float64 {
	return units.Rounded(r.Laws[k].Mean * s.factor(r, k))
}

// density is what is left of the job's work over its worth, in thousandths of a second.
func (s *scheduler) density(job *sched.Job, r *record) int64 {
	sum := 0.0
	for k := range r.Laws {
		sum += float64(s.task(r, k) * float64(job.Stages[sched.Map+sched.Stage(k)].Left()))
	}
	worth := job.Spec.Weight
	if worth <= 0 {
		worth = 1
	}
	return int64(math.Round(units.Rounded(min(sum/worth*1e3, 1e15))))
}
