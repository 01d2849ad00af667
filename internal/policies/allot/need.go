package allot

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// outline is what follows from a job, its class and the cluster, at any time.
type outline struct {
	why    sched.Reason // not to plan for it
	slots  [2]need      // one for each kind of tasks
	line   bounds.Line
	tight  bool    // the cluster has no room for some of its tasks
	shared bool    // its maps and reduces draw on one resource
	master float64 // part of the cluster that its ApplicationMaster takes
	all    float64 // seconds that it takes with all of the cluster
}

// outline draws it.
func (p *plan) outline(v sched.View, job *sched.Job, c *class) (o outline) {
	cluster := v.Capacity()
	var takes [2]units.Vector
	for i, s := range [2]sched.Stage{sched.Map, sched.Reduce} {
		if st := job.Spec.Stage(s); st != nil && (len(st.Tasks) > 0 || st.Grows) {
			takes[i] = st.Container(0).Needs
			o.slots[i] = need{1, fit(cluster, &takes[i])}
		}
	}
	if grows := job.Spec.Growing(); grows != nil {
		o.why = sched.Because(estimate.CountUnknown, int64(grows.Kind))
		return o
	}
	if job.Deadline == units.Never {
		o.why = sched.Because(estimate.NoDeadline)
		return o
	}
	if !c.learn(c.reads(v, job.Spec.Class), job.Spec) {
		o.why = sched.Because(Unplanned)
		return o
	}
	b := bounds.Job{Maps: job.Spec.Tasks(sched.Map), Map: c.takes[sched.Map], Reduces: job.Spec.Tasks(sched.Reduce), Reduce: c.takes[sched.Reduce]}
	line := b.Mean()
	if p.upper {
		line = b.Upper()
	}
	line.LeastMaps, line.LeastReduces = 0, 0
	for _, work := range [2]*float64{&line.A, &line.B} {
		if !p.upper { // more slots than one do not help
			line.C += min(0, *work)
		}
		*work = max(0, *work)
	}
	if job.Spec.Stage(sched.Master) != nil {
		line.C += c.takes[sched.Master].Max
	}
	maps, reduces := &o.slots[0], &o.slots[1]
	o.tight = b.Maps > 0 && maps.Of == 0 || b.Reduces > 0 && reduces.Of == 0
	o.shared, o.master = overlap(&takes[0], &takes[1]), master(cluster, job)
	if o.all = line.C + over(line.A, float64(maps.Of)) + over(line.B, float64(reduces.Of)); o.shared {
		line.LeastMaps, line.LeastReduces = maps.Slots, reduces.Slots
	}
	o.line = line
	return o
}

// needs are those of a job. A reason says why it cannot be planned for; one that would be late on
// the whole cluster also has late.
type needs struct {
	gamma int64
	slots [2]need
	takes units.Duration // by its slots
	late  units.Duration // what it takes with all of the cluster
	why   sched.Reason
}

// need is the least part of the cluster by which the job meets its deadline, counted from its
// start, or from now.
func (o *outline) need(v sched.View, job *sched.Job) (n needs) {
	if n.slots = o.slots; o.why.Cause != nil {
		n.why = o.why
		return n
	}
	m, r, line := &n.slots[0], &n.slots[1], &o.line
	ofMaps, ofReduces := float64(m.Of), float64(r.Of)
	part := 2.0 // too much
	rest := units.Rounded(job.Deadline.Sub(min(job.Started, v.Now())).Seconds() - line.C)
	if rest > 0 && !o.tight {
		if o.shared {
			least, _ := line.Least(rest+line.C, bounds.Machine{Maps: ofMaps, Reduces: ofReduces})
			m.Slots, r.Slots = least.Maps, least.Reduces
			part = over(m.Slots, ofMaps) + over(r.Slots, ofReduces)
		} else {
			part = (over(line.A, ofMaps) + over(line.B, ofReduces)) / rest
			m.Slots, r.Slots = max(m.Slots, part*ofMaps), max(r.Slots, part*ofReduces)
			part = max(over(m.Slots, ofMaps), over(r.Slots, ofReduces))
		}
		part += o.master
	}
	n.gamma = max(1, int64(units.Rounded(min(part, 2)*whole)))
	if n.gamma > whole {
		n.late = max(1, units.FromSeconds(units.Rounded(min(o.all, 1e9))))
		n.why = sched.Because(TooLate, int64(job.Deadline.Sub(v.Now())), int64(n.late))
		return n
	}
	n.takes = units.FromSeconds(units.Rounded(line.C + over(line.A, m.Slots) + over(line.B, r.Slots)))
	return n
}

// learn reads what the tasks of a class take, as they took it: the paper's profile. Costs by byte
// would plan for tasks whose time is not for their bytes as if it were. It is false if it does not
// tell enough of the job.
func (c *class) learn(k *profile.Class, job *workload.Job) bool {
	if k == nil {
		return false
	}
	if c.profile != k {
		c.profile = k
		for s := range sched.Reduce + 1 {
			var task, shuffle profile.Estimate
			for i := range k.Stages {
				if of := &k.Stages[i]; of.Stage == s && s == sched.Master {
					task.Merge(of.Start)
				} else if of.Stage == s {
					task.Merge(of.Task)
					shuffle.Merge(of.Shuffle)
				}
			}
			c.known[s] = task.N > 0
			c.takes[s] = bounds.Time{Mean: task.Mean + shuffle.Mean, Max: task.Max + shuffle.Max}
		}
	}
	return !slices.ContainsFunc(job.Stages, func(st workload.StageSpec) bool {
		return st.Kind > sched.Reduce || !c.known[st.Kind] || len(st.Tasks) == 0
	})
}

// reads is the profile of that name, which is looked up once for all jobs of the class: names are hashed.
func (c *class) reads(v sched.View, name string) *profile.Class {
	if !c.read || c.name != name {
		c.read, c.name, c.current = true, name, v.Profile(name)
	}
	return c.current
}

// over divides work by slots. Nothing to do takes no time, with no slots either.
func over(work, slots float64) float64 {
	if work == 0 {
		return 0
	}
	return work / slots
}

// fit is how many such containers the cluster has room for.
func fit(cluster, needs *units.Vector) int64 {
	most := int64(1 << 31)
	for d, x := range needs {
		if x > 0 {
			most = min(most, cluster[d]/x)
		}
	}
	return most
}

// overlap tells whether two kinds of containers draw on one resource.
func overlap(a, b *units.Vector) bool {
	for d := range a {
		if a[d] > 0 && b[d] > 0 {
			return true
		}
	}
	return false
}

// master is the part of the cluster that the ApplicationMaster of a job takes.
func master(cluster *units.Vector, job *sched.Job) (part float64) {
	st := job.Spec.Stage(sched.Master)
	if st == nil {
		return 0
	}
	for d, x := range st.Container(0).Needs {
		if x > 0 {
			part = max(part, float64(x)/float64(cluster[d]))
		}
	}
	return part
}
