package rds

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/fuzzy"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// settings are the parameters.
type settings struct {
	interval, solver          units.Duration
	hp, hc                    int
	outputLags, inputLags     int     // n_y and n_u
	mapPenalty, reducePenalty float64 // P and Q
	hard                      int64   // t_hard in hundredths of t_soft, of jobs with a single deadline
	fast                      bool
	masters                   admit.Share // that the queues say, 0 = the usual one
	beliefs                   Beliefs
}

// What the paper leaves open, and what we take.
const (
	activate   = 15 * units.Second // how often slots that a job no longer needs go to others
	guess      = 60 * units.Second // how long a task is assumed to take while no class is known
	masters    = admit.Share(0.1)  // the most of the cluster that ApplicationMasters may take
	mostRules  = 4                 // of a performance model
	forgetting = 0.98              // weight of a sample of a job's progress relative to the next one
)

// controller is what the parts of the policy share.
type controller struct {
	set settings
	state

	trainer     fuzzy.Trainer
	solverState optimize.Interior
	problem     optimize.Quadratic
	place       [rows]int // of the first shared row of each kind, -1 = nobody needs it
	outlooks    []*outlook
	room        []outlook // of these
	floats      []float64 // of these and of the problem, of which so many are
	used        int
	queue       []grant
	sorted      []*grant
	round       []*grant
	budget      [rows]int64
	steps       []forecast.Step
	asked       *performance // the class that was looked for last, nil = none
	of          []*member    // by handle
	changed     bool         // something happened on which bounds may be others
	// aside is where questions are played, nil = nothing was asked yet. They copy all members, so a copy
	// has them in one piece, which the next question uses again.
	aside  *controller
	copies []member
}

// state is what of it is saved, and copied.
type state struct {
	Next     units.Time `json:"next"`     // when the next interval begins, 0 = there is none as there is no job
	Due      units.Time `json:"due"`      // when the solver is done with the plan, 0 = at once
	Activate units.Time `json:"activate"` // when slots that nobody needs are handed on
	Woken    units.Time `json:"wake"`     // for when a wake-up was asked for
	Members  []*member  `json:"members"`  // jobs, by arrival
	// Slots and Speed are forecasters of the slots of maps and reduces that there are, and of the speed of nodes.
	Slots   *forecast.AR   `json:"slots"`
	Speed   *forecast.AR   `json:"speed"`
	Total   [rows]int64    `json:"total"`   // what there is of each kind of slots, and
	Pace    float64        `json:"pace"`    // how fast its nodes are, 0 = nobody has looked yet
	Level   [2]float64     `json:"level"`   // slots and speed as they are
	Observe units.Time     `json:"observe"` // when the forecasters take them next, units.Never before the first plan
	Classes []*performance `json:"classes"` // by name
	Watches bool           `json:"watches,omitempty"`
	// Held says that something was planned for when the solver is done.
	Held bool `json:"held,omitempty"`
	// Intervals counts them.
	Intervals int64       `json:"intervals"`
	Prices    [rows]int64 `json:"prices"` // of a slot of each kind, in millionths of the penalty
}

// member is a job that asks for slots.
type member struct {
	ID  string      `json:"id"`
	Job sched.JobID `json:"job"`
	// Fast jobs are on the fast path: when they came their deadline lay before the next interval, which has not
	// begun.
	Fast bool `json:"fast,omitempty"`
	// First says that the order knows of that.
	First bool `json:"first,omitempty"`
	// Let jobs are asked to be let in when the solver is done.
	Let bool `json:"let,omitempty"`
	// Crowded jobs wait for room for their ApplicationMasters. They have no slots until then: those whose masters
	// have the room need slots to give it back.
	Crowded bool `json:"crowded,omitempty"`
	// Spare jobs run on slots that the plan leaves.
	Spare bool `json:"spare,omitempty"`
	// rests says that the book holds the job back as the plan has no slots for it, and that no master has to wait
	// for room. It is looked at again when that is otherwise; there may be thousands such jobs.
	rests bool
	// Plan is what the optimizer has given for maps and reduces, in thousandths of slots.
	Plan [2]int64 `json:"plan"`
	// Bound is what was asked of the book last, -1 = nothing yet.
	Bound [2]int32 `json:"bound"`
	// Owed is the part of all its work that the present interval owes, Foreseen the part that its slots
	// are expected to do; in millionths.
	Owed     int64 `json:"owed"`
	Foreseen int64 `json:"foreseen"`
	// Whole says that it ran when the interval began, so that its progress is a sample.
	Whole bool `json:"whole"`
	// Done and Held are its tasks and slots then, Past the progress and the slots of each stage in the intervals
	// before, the last one first.
	Done [2]int32                `json:"done"`
	Held [2]int32                `json:"held"`
	Past [2][2][mostLags]float64 `json:"past"`
}

// asked tells whether the job is to run by the plan or by what it leaves.
func (m *member) asked() bool { return m.Plan != [2]int64{} || m.Spare }

// planned are the stages that get slots.
var planned = [2]sched.Stage{sched.Map, sched.Reduce}

// asks tells whether the job may still be let in.
func asks(job *sched.Job) bool {
	return job != nil && (job.Standing() == sched.Pending || job.Standing() == sched.HeldBack)
}

// find returns the member of a job, nil if there is none.
func (c *controller) find(j sched.JobID) *member {
	if int(j) < len(c.of) {
		return c.of[j]
	}
	return nil
}

// index notes which member each job is, when there are others. O(jobs).
func (c *controller) index() {
	clear(c.of)
	for _, m := range c.Members {
		*sched.Row(&c.of, m.Job) = m
	}
}

// meet takes in jobs that came, and forgets those that are gone. O(jobs).
func (c *controller) meet(v sched.View, brings sched.Events) {
	if brings.Has(sched.Resync) {
		// Handles may be others, and what was asked of the book is void.
		c.Members = slices.DeleteFunc(c.Members, func(m *member) bool {
			m.Job = v.Find(m.ID)
			m.Bound, m.Let, m.First = [2]int32{-1, -1}, false, false
			return m.Job == 0
		})
		c.Due, c.Woken, c.Held = 0, 0, false
	} else if brings&comings == 0 {
		return
	}
	c.changed = true
	if brings.Has(sched.JobAmended) {
		for _, m := range c.Members {
			m.Fast = m.Fast && c.short(v.Job(m.Job))
		}
	}
	if brings&^(1<<sched.StageReady)&(comings|1<<sched.Resync) == 0 {
		return // no job has come or gone
	}
	c.Members = slices.DeleteFunc(c.Members, func(m *member) bool {
		job := v.Job(m.Job)
		return job == nil || job.Standing() > sched.Admitted || job.Spec.ID != m.ID
	})
	c.index() // whose handles may be others' by now
	before := len(c.Members)
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if c.find(j) != nil {
			continue
		}
		if job := v.Job(j); asks(job) || job != nil && job.Standing() == sched.Admitted {
			c.Members = append(c.Members, &member{ID: job.Spec.ID, Job: j, Bound: [2]int32{-1, -1}, Fast: asks(job) && c.short(job)})
		}
	}
	if len(c.Members) == before && !brings.Has(sched.Resync) {
		return
	}
	c.index()
	slices.SortFunc(c.Members, func(a, b *member) int { return cmp.Compare(v.Job(a.Job).Seq, v.Job(b.Job).Seq) })
}

// Admission moves jobs from the waiting queue to the running one (paper 000, section 4.3).
type Admission struct{ *controller }

// Decide plans if an interval begins, and lets in whom the plan or the fast path has slots for.
func (a Admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	c := a.controller
	c.changed = false
	var brings sched.Events
	for i := range batch {
		brings |= 1 << batch[i].Kind
	}
	if brings&heeded == 0 {
		return
	}
	c.watch(batch)
	if c.Pace == 0 || brings&capacities != 0 {
		c.Total, c.Pace = available(v)
	}
	c.observe(v)
	c.meet(v, brings)
	if brings.Has(sched.ProfileLearned) {
		for i := range batch {
			if batch[i].Kind == sched.ProfileLearned {
				c.taught(v, batch[i].Detail.Profile)
			}
		}
	}
	c.changed = c.changed || brings&losses != 0
	again := brings.Has(sched.Resync)
	if len(c.Members) == 0 {
		c.Next, c.Due, c.Activate, c.Woken = 0, 0, 0, 0
		return
	}
	c.begin(v, again)
	told := brings&(1<<sched.Resync|1<<sched.Control|1<<sched.JobAmended) != 0
	for _, m := range c.Members {
		job := v.Job(m.Job)
		begun := job != nil && job.Begun() // by a stock scheduler that is watched
		if told || begun || !m.rests || m.Fast || m.asked() {
			c.verdict(v, m, again, p)
		}
	}
	c.rank(v, p)
	c.wake(v.Now(), brings, p)
}

// wake asks to be woken for what comes first. The book knows one time, and forgets it when it says so.
func (c *controller) wake(now units.Time, brings sched.Events, p *sched.Plan) {
	if brings.Has(sched.Tick) {
		c.Woken = 0
	}
	first := units.Never
	for _, at := range [...]units.Time{c.Next, c.Due, c.Activate} {
		if at > now {
			first = min(first, at)
		}
	}
	if first != c.Woken && first != units.Never {
		p.WakeMe(first, sched.Because(sched.Wakeup, int64(first)))
		c.Woken = first
	}
}

// begin plans if an interval begins. again says that the book is new.
func (c *controller) begin(v sched.View, again bool) {
	now := v.Now()
	if c.Activate <= now {
		c.changed = true
		c.Activate = now.Add(activate)
	}
	if c.Due > 0 && c.Due <= now {
		c.Due, c.changed = 0, true
	}
	idle := !slices.ContainsFunc(c.Members, func(m *member) bool {
		return v.Job(m.Job).Standing() == sched.Admitted || m.asked()
	})
	if begins := c.Next <= now || idle && c.waits(v); c.Due == 0 && begins && !(again && c.Next > now) {
		c.Held = false
		c.Next = now.Add(c.set.interval)
		c.prune()
		c.measure(v)
		c.control(v)
		c.leave(v)
		c.changed = true
		if c.set.solver > 0 && !again {
			c.Due = now.Add(c.set.solver)
		}
	}
}

// watch forgets what was learned while the policy only watched: what it had asked for was not done.
func (c *controller) watch(batch []sched.Event) {
	if batch[0].Kind != sched.Resync {
		return
	}
	if c.Watches {
		c.forget()
	}
	c.Watches = slices.ContainsFunc(batch, func(e sched.Event) bool { return e.Kind == sched.Control && e.Control == sched.Watch })
}

// waits tells whether a job that is not on the fast path waits.
func (c *controller) waits(v sched.View) bool {
	return slices.ContainsFunc(c.Members, func(m *member) bool { return asks(v.Job(m.Job)) && !m.Fast })
}

// verdict lets a job in, or makes it wait.
func (c *controller) verdict(v sched.View, m *member, again bool, p *sched.Plan) {
	job := v.Job(m.Job)
	if !asks(job) {
		return
	}
	begun := job.Begun() || job.Spec.GoesOn()
	held := job.Standing() == sched.HeldBack
	full, crowded := cmp.Or(c.set.masters, masters).Crowded(v, job)
	if m.Crowded != crowded {
		m.Crowded, c.changed = crowded, true
	}
	admitted := sched.Item{Verb: sched.Admit, Job: m.Job}
	switch {
	case begun:
		admitted.Reason = sched.Because(sched.Begun)
	case crowded:
		if !held {
			p.Hold(m.Job, full)
		}
		return
	case m.Fast:
		admitted.Reason = c.onPath(job, FastPath)
	case m.asked():
		admitted.Reason = c.admission(v, m)
		if !again && c.Due > v.Now() {
			admitted.At, c.Held = c.Due, true
		}
	default:
		m.rests = held && job.Spec.Stage(sched.Master) == nil
		if !held {
			p.Hold(m.Job, sched.Because(NextInterval, int64(c.Next)))
		}
		return
	}
	if admitted.At > 0 && m.Let {
		return // it is asked for already
	}
	if p.Add(admitted) {
		m.Let, c.changed = admitted.At > 0, c.changed || admitted.At == 0
	}
}

// MarshalJSON saves what the parts share.
func (a Admission) MarshalJSON() ([]byte, error) { return a.save() }

// UnmarshalJSON reads it.
func (a Admission) UnmarshalJSON(text []byte) error { return a.load(text) }

// CopyFrom takes it over.
func (a Admission) CopyFrom(other any) { a.copyFrom(other.(Admission).controller) }
