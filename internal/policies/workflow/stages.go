package workflow

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// kind is how a task of a stage does on a class of nodes.
type kind struct {
	class sched.ClassID
	slots int64   // containers that its nodes can hold
	nodes int64   // of them
	slow  float64 // time for each second of work
	watts float64
}

// kinds are the classes with nodes that are there and can hold the stage's first container.
func kinds(v sched.View, job *sched.Job, st *workload.StageSpec) (list []kind) {
	container, powered := st.Container(0), false
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		k := v.Class(c)
		if k == nil || k.Spec == nil {
			continue
		}
		nodes := int64(k.Nodes[sched.Waking] + k.Nodes[sched.Asleep] + k.Nodes[sched.Awake])
		each := k.Spec.Capacity.Times(&container.Needs)
		if nodes == 0 || each <= 0 {
			continue
		}
		r := k.Rate(job.Spec, st.Kind, 0)
		list = append(list, kind{c, nodes * each, nodes, slow(st, r.Speed), float64(r.Watts)})
		powered = powered || r.Watts > 0
	}
	for i := range list {
		if !powered {
			list[i].watts = 1
		}
	}
	return list
}

// slow is what each second of a stage's work takes at a speed.
func slow(st *workload.StageSpec, speed float64) float64 { return st.Share()/speed + 1 - st.Share() }

// takes is what so much work takes on the kind; worlds round up once more.
func (k *kind) takes(work units.Duration) units.Duration {
	return units.Duration(math.Ceil(units.RoundedUp(float64(work)*k.slow))) + 1
}

// costs is what a task that takes so long draws, in microjoules.
func (k *kind) costs(took units.Duration) int64 {
	return int64(units.Rounded(k.watts * float64(took) / 1000))
}

// place is a kind, with what a task takes and costs there.
type place struct {
	kind
	took units.Duration
	cost int64
}

// places are the kinds for tasks of so much work, those first where one costs least.
func places(kinds []kind, work units.Duration) []place {
	list := each.Of(kinds, func(k kind) place { took := k.takes(work); return place{k, took, k.costs(took)} })
	slices.SortStableFunc(list, func(a, b place) int { return cmp.Compare(a.cost, b.cost) })
	return list
}

// does is how many tasks can be done there, one after the other in each slot, in so much time.
func (p *place) does(in units.Duration) int64 { return p.slots * int64(in/p.took) }

// option is so many tasks on the places at once: done as soon as they can be, and as many of them as are by then where
// they cost least.
func option(on []place, tasks int) mold.Option {
	rate := 0.0
	for i := range on {
		rate += float64(on[i].slots) / float64(on[i].took)
	}
	// as if parts of a task could be done
	o := mold.Option{Tasks: int32(tasks), Time: units.Duration(units.Rounded(float64(tasks) / rate))}
	if len(on) == 1 {
		o.Class = int32(on[0].class)
	}
	for {
		left, next := int64(tasks), units.Duration(math.MaxInt64)
		o.Cost = 0
		for i := range on {
			n := min(left, on[i].does(o.Time))
			left, o.Cost = left-n, o.Cost+n*on[i].cost
			next = min(next, o.Time+on[i].took-o.Time%on[i].took)
		}
		if left == 0 {
			return o
		}
		o.Time = next
	}
}

// work is what one task of a stage takes at speed 1 if there are so many.
func work(v sched.View, job *sched.Job, st *workload.StageSpec, tasks int) (units.Duration, bool) {
	if i := tasks - st.MinTasks; i >= 0 && i < len(st.Works) {
		return st.Works[i], true
	}
	c := v.Profile(job.Spec.Class)
	if c == nil {
		return 0, false
	}
	took, _, known := estimate.Task(c, st.Kind)
	// of one that may be cut otherwise, by what each is to read
	if k := c.Any(st.Kind); st.MaxTasks > 0 && k.PerByte.N > 0 {
		read := float64(job.Spec.Stage(sched.Map).Input())
		if st.Kind == sched.Reduce {
			read = c.Between(read)
		}
		took, known = units.FromSeconds(units.Rounded(k.Expect(read/float64(tasks)))), true
	}
	n, slower := int64(0), 0.0 // than at speed 1: as the classes of nodes are on which it was measured
	for i := range c.Stages {
		for id := sched.ClassID(1); id <= v.Classes(); id++ {
			if s, k := &c.Stages[i], v.Class(id); s.Stage == st.Kind && k != nil && k.Spec != nil && k.Spec.Name == s.Node {
				n += s.Task.N
				slower += float64(s.Task.N) * slow(st, k.Rate(job.Spec, st.Kind, 0).Speed)
			}
		}
	}
	if n > 0 {
		took = max(1, units.Duration(units.Rounded(float64(took)*float64(n)/slower)))
	}
	return took, known
}

// stage is a stage of a workflow that is not over.
type stage struct {
	job   *sched.Job
	spec  *workload.StageSpec
	kinds []kind
	after []int          // of the stages
	last  bool           // of its job
	free  bool           // it may be cut otherwise
	guess units.Duration // what a task takes, if nobody knows
	// all its tasks run, and take so much longer as far as is known
	rest units.Duration
	runs bool
}

// stages lists those of a workflow as the book has it, each behind those that it waits for. What nobody knows of some
// is guessed: each task takes as long as those of the others do on average. Nil: of none it is known, or one fits
// nowhere.
func stages(v sched.View, f *workload.Workflow) (list []stage) {
	ends := make(map[string]int, len(f.Jobs)) // of each job, the last stage that is not over
	sum, of := 0.0, 0
	for _, id := range f.Jobs {
		job := v.Job(v.Find(id))
		if job == nil || job.Spec.Workflow == nil || job.Standing() > sched.Admitted {
			continue
		}
		var after []int
		for _, p := range job.Spec.After {
			if end, there := ends[p]; there {
				after = append(after, end)
			}
		}
		began, untouched := len(list), true
		for i := range job.Spec.Stages {
			st := &job.Spec.Stages[i]
			t := &job.Stages[st.Kind]
			untouched = untouched && t.Occupied == 0 && t.Done == 0 // maps write for the reduces that there are
			if st.Kind == sched.Master || t.Left() == 0 {
				continue
			}
			s := stage{job: job, spec: st, kinds: kinds(v, job, st), after: after,
				free: st.MaxTasks > st.MinTasks && v.World().Can(sched.SetTasks) && untouched}
			w, known := work(v, job, st, len(st.Tasks))
			if len(s.kinds) == 0 {
				return nil
			}
			if s.free = s.free && known; !known {
				s.guess = 1
			} else {
				sum, of = sum+float64(w)*float64(len(st.Tasks)), of+len(st.Tasks)
			}
			s.runs = t.Open <= 0 && t.Running > 0 && t.Running == t.Occupied
			list = append(list, s)
			after = []int{len(list) - 1}
		}
		if len(list) > began {
			list[len(list)-1].last = true
			ends[id] = len(list) - 1
		}
	}
	bound := slices.ContainsFunc(list, func(s stage) bool { return s.job.Outlook.Word.Binds() })
	for i := range list {
		s := &list[i]
		// who has a promise has it for the tasks that there are, also of those that it waits for
		s.free = s.free && !bound
		switch {
		case of == 0:
			return nil
		case s.guess > 0:
			s.guess = max(1, units.Duration(units.Rounded(sum/float64(of))))
		}
		if s.runs {
			s.rest = s.running(v)
		}
	}
	return list
}

// work is what one of so many tasks takes at speed 1.
func (s *stage) work(v sched.View, tasks int) units.Duration {
	w, known := work(v, s.job, s.spec, tasks)
	if !known {
		return s.guess
	}
	return w
}

// running is how much longer the tasks that run take.
func (s *stage) running(v sched.View) (rest units.Duration) {
	w := s.work(v, len(s.spec.Tasks))
	for id := v.Youngest(s.job.ID, s.spec.Kind, 0); id != 0; id = v.Youngest(s.job.ID, s.spec.Kind, id) {
		a := v.Attempt(id)
		for i := range s.kinds {
			if k := &s.kinds[i]; k.class == v.Node(a.Node).Class {
				rest = max(rest, a.Started.Add(k.takes(w)).Sub(v.Now()))
			}
		}
	}
	return rest
}

// counts are the numbers of tasks that the stage may have.
func (s *stage) counts() (from, to int) {
	if n := len(s.spec.Tasks); !s.free {
		return n, n
	}
	return s.spec.MinTasks, s.spec.MaxTasks
}

// onMean is the stage on a machine like the mean of all, in each number of tasks (algorithm 1, lines 1 to 4).
func (s *stage) onMean(v sched.View) mold.Job {
	slots, nodes := int64(0), int64(0)
	for i := range s.kinds {
		slots, nodes = slots+s.kinds[i].slots, nodes+s.kinds[i].nodes
	}
	var all []mold.Option
	from, to := s.counts()
	for n := from; n <= to && (n == from || int64(n) <= slots); n++ {
		w := s.work(v, n)
		var took, cost float64
		for i := range s.kinds {
			k := &s.kinds[i]
			t := k.takes(w)
			took += float64(t) * float64(k.nodes)
			cost += float64(k.costs(t)) * float64(k.nodes)
		}
		waves := (int64(n)-1)/slots + 1
		all = append(all, mold.Option{Tasks: int32(n), Time: units.Duration(units.Rounded(took/float64(nodes))) * units.Duration(waves), Cost: int64(n) * int64(units.Rounded(cost/float64(nodes)))})
	}
	return mold.Job{Options: mold.Front(all), Serial: all[0].Time, After: s.after}
}

// byKind is the stage as it is cut, or in each number of tasks that it may have, on each kind of machine; with more
// tasks than the cheapest has slots also on the two cheapest together, the three cheapest and so on.
func (s *stage) byKind(v sched.View, from, to int) mold.Job {
	if s.runs {
		return mold.Job{Options: []mold.Option{{Tasks: int32(len(s.spec.Tasks)), Time: s.rest}}, After: s.after}
	}
	var all []mold.Option
	slots := int64(0)
	for i := range s.kinds {
		slots += s.kinds[i].slots
	}
	for n := from; n <= to; n++ {
		if n > from && n != len(s.spec.Tasks) && int64(n) > slots {
			continue
		}
		w := s.work(v, n)
		on := places(s.kinds, w)
		for i := range on {
			if n == from || n == len(s.spec.Tasks) || int64(n) <= on[i].slots {
				all = append(all, option(on[i:i+1], n))
			}
			if i > 0 && int64(n) > on[0].slots {
				all = append(all, option(on[:i+1], n))
			}
		}
	}
	for i := range all { // until a node beats, and what deets leaves for that
		all[i].Time += v.World().Served() + v.World().Heartbeat
	}
	return mold.Job{Options: mold.Front(all), After: s.after}
}
