package allot

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// asks tells whether the job may still be let in.
func asks(job *sched.Job) bool {
	return job != nil && (job.Standing() == sched.Pending || job.Standing() == sched.HeldBack)
}

// plan is what each class gets.
type plan struct {
	upper     bool // deadlines are met by the upper bound, not by the mean
	holds     bool // jobs above the plan wait, and those too late for any plan run beside it; else they are refused
	described map[string]queues.Queue

	Classes []class `json:"classes"` // sorted by name
	Price   int64   `json:"price"`   // what the whole cluster has to earn, in thousandths

	memo    []found      // by job
	cluster units.Vector // as it was then
}

// found is what a job needs, as it was found. Its outline stands while what it follows from does.
// The needs of a job that has not started change with the time too, but one that was late by then
// is late ever after. So what a question has found, even one about a later instant, decides
// nothing.
type found struct {
	seq      int64
	spec     *workload.Job // another one if the job is amended
	profile  *profile.Class
	deadline units.Time
	from     units.Time // when its time began: at its start, or when it was looked at before that
	class    int        // where its class was
	needs
	outline outline
}

// class is a class of jobs with its part of the cluster.
type class struct {
	Name    string  `json:"name"`
	Gamma   int64   `json:"gamma"` // part of the cluster that one job takes, of whole; 0 = the class is not planned
	Need    [2]need `json:"need"`  // of one job: slots for maps and for reduces, of so many
	Penalty float64 `json:"penalty"`
	Most    int     `json:"most"`  // H_up of its queue
	High    int     `json:"high"`  // H_up
	Admit   int     `json:"admit"` // h
	Slots   [2]int  `json:"slots"`

	runs, there, loose int

	asks  bool       // Gamma and Need are those of jobs that ask, not of those that run
	held  int64      // part of the cluster that jobs that run need
	slots [2]float64 // what they need

	read    bool // current is what the book has for that name
	name    string
	current *profile.Class

	profile *profile.Class // that told what follows
	known   [sched.Reduce + 1]bool
	takes   [sched.Reduce + 1]bounds.Time // a task; a reduce with its shuffle, a master until its first task
}

// need is some slots of those that the cluster has.
type need struct {
	Slots float64 `json:"slots"`
	Of    int64   `json:"of"`
}

// whole is the cluster in the unit of its parts.
const whole = 1e9

// worth is what the whole cluster earns with jobs of the class, in thousandths.
func (c *class) worth() int64 {
	return int64(math.Round(min(units.Rounded(1000*whole*c.Penalty/float64(c.Gamma)), 1e15)))
}

// at finds a class; ok is false if it is not there, and i is where it would be.
func (p *plan) at(name string) (i int, ok bool) {
	return slices.BinarySearchFunc(p.Classes, name, func(c class, name string) int { return strings.Compare(c.Name, name) })
}

// class is that of a job which the plan has counted. A job too late to be planned for may have none.
func (p *plan) class(j *sched.Job) *class {
	if i, ok := p.at(of(j)); ok {
		return &p.Classes[i]
	}
	return &class{}
}

// most is how many jobs of a queue may run, 0 if there is no bound. None come to a queue that is closed.
func most(q *queues.Queue) int {
	if q.MaxRunning == nil {
		return 0
	}
	return *q.MaxRunning
}

// of is the class of a job.
func of(j *sched.Job) string { return cmp.Or(j.Spec.Class, queues.Default) }

// make plans for the jobs of the view, and for one more that is about to come, nil for none. O(jobs).
func (p *plan) make(v sched.View, more *sched.Job) {
	if p.cluster != *v.Capacity() {
		p.memo, p.cluster = p.memo[:0], *v.Capacity()
	}
	for i := range p.Classes {
		c := &p.Classes[i]
		c.runs, c.there, c.loose, c.Most = 0, 0, 0, 0
		c.asks, c.read, c.held, c.slots = false, false, 0, [2]float64{}
		if q, ok := p.described[c.Name]; ok {
			c.Most = most(&q)
		}
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if job := v.Job(j); asks(job) || job != nil && job.Standing() == sched.Admitted {
			p.count(v, job)
		}
	}
	if more != nil {
		p.count(v, more)
	}
	p.Classes = slices.DeleteFunc(p.Classes, func(c class) bool { return c.there+c.loose == 0 && (c.Most == 0 || c.Gamma == 0) })
	for i := range p.Classes {
		if c := &p.Classes[i]; c.there == 0 && c.Most == 0 {
			c.Gamma = 0 // none of its jobs can be planned for
		}
	}
	p.rank()
	p.share()
}

// recall finds the class of a job, which may be new, and what the job needs.
func (p *plan) recall(v sched.View, job *sched.Job) (*class, *needs) {
	for int(job.ID) >= len(p.memo) {
		p.memo = append(p.memo, found{})
	}
	m := &p.memo[job.ID]
	if name := of(job); m.class >= len(p.Classes) || p.Classes[m.class].Name != name {
		i, ok := p.at(name)
		if !ok {
			p.Classes = slices.Insert(p.Classes, i, class{Name: name})
		}
		m.class = i
	}
	c := &p.Classes[m.class]
	o := p.outlined(v, job, c)
	if from := min(job.Started, v.Now()); m.from != from && (m.late == 0 || m.from > from || job.Started != units.Never) {
		m.from, m.needs = from, o.need(v, job)
	}
	return c, &m.needs
}

// outlined is the outline of a job, which is drawn again where that has changed from which it
// follows. Its needs have to be found then.
func (p *plan) outlined(v sched.View, job *sched.Job, c *class) *outline {
	m, k := &p.memo[job.ID], c.reads(v, job.Spec.Class)
	if m.seq != job.Seq || m.spec != job.Spec || m.profile != k || m.deadline != job.Deadline {
		m.seq, m.spec, m.profile, m.deadline = job.Seq, job.Spec, k, job.Deadline
		m.outline, m.from = p.outline(v, job, c), units.Never
	}
	return &m.outline
}

// count takes a job in.
func (p *plan) count(v sched.View, job *sched.Job) {
	c, n := p.recall(v, job)
	if n.why.Cause != nil {
		if n.late == 0 || p.holds || job.Standing() == sched.Admitted {
			c.loose++
			for i := range n.slots {
				c.Need[i].Of = max(c.Need[i].Of, n.slots[i].Of)
			}
		}
		return
	}
	var q queues.Queue
	if len(p.described) > 0 {
		q = p.described[queues.Of(job.Spec)]
	}
	runs := job.Standing() == sched.Admitted
	if first := c.there == 0; first || !runs && !c.asks {
		if first {
			c.Penalty = 0
		}
		c.Gamma, c.Need, c.asks = 0, [2]need{}, !runs
	}
	c.there++
	c.Most = max(c.Most, most(&q))
	c.Penalty = max(c.Penalty, job.Spec.Weight*cmp.Or(q.Weight, 1))
	if runs {
		c.runs++
		c.held += n.gamma
		for i, s := range n.slots {
			c.slots[i] += s.Slots
		}
		if c.asks {
			return
		}
	}
	c.Gamma = max(c.Gamma, n.gamma)
	for i, s := range n.slots {
		c.Need[i] = need{max(c.Need[i].Slots, s.Slots), max(c.Need[i].Of, s.Of)}
	}
}

// rank gives each class its jobs: those that run, and then by what the cluster earns with them, as
// long as there is room.
func (p *plan) rank() {
	used := int64(0)
	var order []*class
	for i := range p.Classes {
		c := &p.Classes[i]
		c.Admit, c.High = c.runs, max(c.there, c.Most)
		if c.Gamma > 0 {
			used += c.held
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b *class) int { return cmp.Compare(b.worth(), a.worth()) })
	p.Price = 0
	for _, c := range order {
		for c.Admit < c.High && used+c.Gamma <= whole {
			c.Admit++
			used += c.Gamma
		}
		if c.Admit < c.High && p.Price == 0 {
			p.Price = c.worth()
		}
	}
}

// share turns jobs into slots.
func (p *plan) share() {
	used, loose := int64(0), int64(0)
	for i := range p.Classes {
		c := &p.Classes[i]
		used += c.held + c.Gamma*int64(c.Admit-c.runs)
		if c.Gamma == 0 {
			loose++
		}
	}
	scale := 1.0
	if used > whole || loose == 0 && used > 0 {
		scale = whole / float64(used)
	}
	rest := float64(max(0, whole-used)) / whole / float64(max(1, loose))
	for i := range p.Classes {
		c := &p.Classes[i]
		for s := range c.Slots {
			n := (c.slots[s] + c.Need[s].Slots*float64(c.Admit-c.runs)) * scale
			if c.Gamma == 0 {
				n = rest * float64(c.Need[s].Of)
			}
			c.Slots[s] = max(1, int(math.Ceil(units.Rounded(n-1e-6))))
		}
	}
}

// MarshalJSON saves the plan.
func (p *plan) MarshalJSON() ([]byte, error) {
	type saved plan
	return json.Marshal((*saved)(p))
}
