package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A world that begins from the book of one that binds late binds late as well, so that the book,
// and what was promised by it, stand: it says by Demand how many tasks are open and where, chooses
// the tasks of a start itself, and keeps to itself which they are.

// asking is a stage of which the book may have to be told what is open.
type asking struct {
	job   int32
	stage sched.Stage
}

// tellDemand says what stages ask for whose open tasks are others than the book takes them to be,
// O(tasks) for each; and, in the beginning, of stages that grow, that what is known of them by now
// is all.
func (w *World) tellDemand() {
	for _, h := range w.grew {
		if j := &w.jobs[h]; j.Here && !j.Ends {
			w.emit(sched.Event{Kind: sched.JobAmended, Job: sched.JobID(h), Detail: &sched.Detail{Job: j.Spec}})
		}
	}
	w.grew = w.grew[:0]
	for _, a := range w.asks {
		j := &w.jobs[a.job]
		if !j.Here || j.Ends {
			continue
		}
		s := j.stage(a.stage)
		if s == nil || !s.Ready || s.asked == s.Open {
			continue
		}
		s.asked = s.Open
		w.emit(sched.Event{Kind: sched.Demand, Job: sched.JobID(a.job), Stage: a.stage, Count: s.Open, Item: w.last,
			Detail: &sched.Detail{Demand: w.rows(s)}})
	}
	w.asks = w.asks[:0]
}

// rows says where a stage wants its containers: each open task on the nodes that hold its input, in
// their racks, and once anywhere. Rows of one place add up.
func (w *World) rows(s *stage) (rows []sched.LocationDemand) {
	for t := range s.tasks {
		if s.tasks[t].State != truth.Open {
			continue
		}
		hosts := s.Spec.Hosts.Of(t)
		for i, h := range hosts {
			rows = append(rows, sched.LocationDemand{Node: h, Count: 1})
			rack := w.cfg.Cluster.Nodes[h-1].Rack
			if !slices.ContainsFunc(hosts[:i], func(o sched.NodeID) bool { return w.cfg.Cluster.Nodes[o-1].Rack == rack }) {
				rows = append(rows, sched.LocationDemand{Rack: rack, Count: 1})
			}
		}
	}
	if len(rows) > 0 {
		rows = append(rows, sched.LocationDemand{Count: s.Open})
	}
	return rows
}

// enactLate chooses the tasks of starts, and does the items one by one.
func (w *World) enactLate(p *sched.Plan) {
	for i := range p.Items {
		it := p.Items[i]
		w.last = max(w.last, it.ID)
		one := *p
		if it.Verb == sched.Start && !it.Held && it.Refused == sched.OK {
			one.Bound = w.bind(&it)
			it.Tasks = sched.Span{To: int32(len(one.Bound))}
		}
		one.Items = []sched.Item{it}
		truth.Enact(hands{w}, &w.seen, &one)
	}
}

// bind chooses as many tasks as an item starts, those that are nearest to its node first. If fewer
// are open it names one that is not any more, which is refused as stale.
func (w *World) bind(it *sched.Item) (bound []sched.Bound) {
	if it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].Here || it.Node < 1 || int(it.Node) >= len(w.nodes) {
		return make([]sched.Bound, it.Count)
	}
	s := w.jobs[it.Job].stage(it.Stage)
	if s == nil || len(s.tasks) == 0 {
		return make([]sched.Bound, it.Count)
	}
	for _, locality := range []sched.Locality{sched.NodeLocal, sched.Anywhere, sched.RackLocal, sched.Remote} {
		for t := range s.tasks {
			if int32(len(bound)) < it.Count && s.tasks[t].State == truth.Open && w.distance(s, int32(t+1), it.Node) == locality {
				bound = append(bound, sched.Bound{Task: sched.TaskID(t + 1), Locality: locality})
			}
		}
	}
	taken := sched.Bound{Task: 1}
	if len(bound) > 0 {
		taken = bound[0]
	}
	for int32(len(bound)) < it.Count {
		bound = append(bound, taken)
	}
	return bound
}

// distance is how near a task's input is to a node.
func (w *World) distance(s *stage, task int32, n sched.NodeID) sched.Locality {
	nodes, hosts := w.cfg.Cluster.Nodes, s.Spec.Hosts.Of(int(task-1))
	switch {
	case len(hosts) == 0:
		return sched.Anywhere
	case slices.Contains(hosts, n):
		return sched.NodeLocal
	case slices.ContainsFunc(hosts, func(h sched.NodeID) bool { return nodes[h-1].Rack == nodes[n-1].Rack }):
		return sched.RackLocal
	}
	return sched.Remote
}

// bindAll gives each attempt that runs a task: the one that the book knows; else one that is not
// done, first those with input on the node to the attempts that were started for it, then those in
// the rack. An attempt more than there are tasks left is a second one; where no task is left at all
// it gets 0. So does a second ApplicationMaster, which would last as long as its job: whoever is given one too many
// gives it back.
func (w *World) bindAll(run []*sched.Attempt) ([]int32, error) {
	tasks, lives, taken := make([]int32, len(run)), map[*truth.Task]int{}, map[*stage]int32{}
	for _, far := range []sched.Locality{sched.NoLocality, sched.NodeLocal, sched.RackLocal, sched.Remote} {
		for i, a := range run {
			s := w.jobs[a.Job].stage(a.Stage)
			switch {
			case s == nil:
				return nil, fmt.Errorf("simulation: an attempt runs of the stage %v of job %q, which has no such stage", a.Stage, w.jobs[a.Job].Spec.ID)
			case int(a.Container) >= len(s.kinds):
				return nil, fmt.Errorf("simulation: job %q: an attempt of its stage %v runs in container %d, which it does not list", w.jobs[a.Job].Spec.ID, a.Stage, a.Container)
			case tasks[i] != 0:
				continue
			case far == sched.NoLocality:
				if a.Task >= 1 && int(a.Task) <= len(s.tasks) {
					tasks[i] = int32(a.Task)
				}
			case far == sched.Remote || a.Locality == far:
				for t := int32(1); t <= int32(len(s.tasks)) && tasks[i] == 0 && taken[s] < s.Open; t++ {
					tk := &s.tasks[t-1]
					if tk.State == truth.Open && lives[tk] == 0 && (far == sched.Remote || w.distance(s, t, a.Node) <= far) {
						tasks[i] = t
					}
				}
				if tasks[i] == 0 && far == sched.Remote && a.Stage != sched.Master {
					tasks[i] = leastAt(s, lives)
				}
			}
			if tasks[i] != 0 {
				tk := &s.tasks[tasks[i]-1]
				if lives[tk]++; lives[tk] == 1 {
					taken[s]++
				}
			}
		}
	}
	return tasks, nil
}

// leastAt is the task with the fewest attempts among those with any, 0 if there is none.
func leastAt(s *stage, lives map[*truth.Task]int) (best int32) {
	for t := range s.tasks {
		n := lives[&s.tasks[t]]
		if n > 0 && (best == 0 || n < lives[&s.tasks[best-1]]) {
			best = int32(t + 1)
		}
	}
	return best
}

// catchUp settles which tasks are done, and ends or brings on what the book's world would have by
// and by: jobs that are cancelled, or have nothing left to do, stages that may start.
func (w *World) catchUp(book *ledger.Ledger) {
	for h := range w.jobs {
		j := &w.jobs[h]
		if !j.Here {
			continue
		}
		for i := range j.stages {
			s, left := &j.stages[i], j.stages[i].Done
			for t := range s.tasks {
				if left > 0 && s.tasks[t].State == truth.Open {
					s.tasks[t].State = truth.Done
					left--
				}
			}
		}
		record := book.Job(sched.JobID(h))
		if record.Spec.Growing() != nil {
			w.grew = append(w.grew, int32(h))
		}
		last := &j.stages[len(j.stages)-1]
		switch {
		case record.Cancelled:
			w.endJob(int32(h), sched.Killed, "it was cancelled")
			continue
		case last.Done == int32(len(last.tasks)):
			w.endJob(int32(h), sched.Committed, "")
			continue
		}
		if !j.stages[0].Ready && record.State != sched.Waiting {
			w.release(int32(h))
		}
		w.readyStages(int32(h))
	}
}

// completed is the description of a job with all tasks that are known of, each with its work, and
// for stages whose work is a guess by the class's profile what a task took at most.
func completed(book *ledger.Ledger, record *sched.Job) (*workload.Job, [sched.Stages]units.Duration, error) {
	spec, guessed := *record.Spec, [sched.Stages]units.Duration{}
	known := book.Profile(spec.Class)
	spec.Stages = slices.Clone(spec.Stages)
	same := true
	for i := range spec.Stages {
		st := &spec.Stages[i]
		tally := &record.Stages[st.Kind]
		if n := max(1, int(tally.Total)); !book.World().Bind && (n > len(st.Tasks) || st.Grows || len(st.Done) > 0) {
			st.Tasks = append(slices.Clone(st.Tasks), make([]workload.Task, max(0, n-len(st.Tasks)))...)
			st.Grows, st.Done, same = false, nil, false
		}
		unknown := func(t workload.Task) bool { return t.Work == 0 && t.Shuffle == 0 }
		if !slices.ContainsFunc(st.Tasks, unknown) {
			continue
		}
		run, shuffle := expected(known, st.Kind)
		if run.N == 0 {
			return nil, guessed, fmt.Errorf("simulation: job %q: what its tasks of the stage %v take is not known: they have no work, and nothing was learned of class %q",
				spec.ID, st.Kind, spec.Class)
		}
		st.Tasks, same = slices.Clone(st.Tasks), false
		for t := range st.Tasks {
			if tk := &st.Tasks[t]; unknown(*tk) {
				tk.Work, tk.Shuffle = max(1, units.FromSeconds(run.Mean)), units.FromSeconds(shuffle.Mean)
			}
		}
		guessed[st.Kind] = max(1, units.FromSeconds(run.Max))
	}
	if same {
		return record.Spec, guessed, nil
	}
	return &spec, guessed, nil
}

// expected is what a class's tasks of a stage take, without their shuffle, and that. Of an
// ApplicationMaster it is the start-up.
func expected(c *profile.Class, s sched.Stage) (run, shuffle profile.Estimate) {
	if c == nil {
		return run, shuffle
	}
	k := c.Any(s)
	if s == sched.Master {
		return cmp.Or(k.Start, k.Task), shuffle
	}
	return k.Task, k.Shuffle
}
