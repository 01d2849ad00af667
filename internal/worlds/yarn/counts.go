package yarn

import (
	"fmt"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A promise needs the number of a job's tasks, which no submission has. What is best known counts:
//
//   - the splits that the client has made, and the number of reduces in its job.xml, where the plug-in can read them;
//   - else how many tasks jobs of the class had so far;
//   - and of the latter so many as the ApplicationMaster asks for, as soon as it asks.
//
// Where nothing of that is known the stages grow.

// basis is what the numbers of tasks of an application rest on.
type basis uint8

const (
	nothing  basis = iota // they are not known
	bySplits              // the files of its client
	byClass               // earlier jobs of its class
	byAsks                // its ApplicationMaster's first ask, and the class for what that leaves open
)

// count says how many tasks a MapReduce job has, as far as that is known. A job that is described again keeps
// what was known before.
func (w *World) count(a *app, j *workload.Job, f *wire.Files) {
	switch {
	case f != nil && len(f.Splits) > 0:
		a.counts = bySplits
		hosts := make([]cluster.NodeID, len(f.Hosts))
		for i, name := range f.Hosts {
			hosts[i] = w.nodes.find(name)
		}
		maps, lists := make([]workload.Task, len(f.Splits)), make([][]cluster.NodeID, len(f.Splits))
		for i, s := range f.Splits {
			maps[i].Input = units.Bytes(s.Bytes)
			var here []cluster.NodeID
			for _, h := range s.Hosts {
				if h >= 0 && int(h) < len(hosts) && hosts[h] != 0 {
					here = append(here, hosts[h])
				}
			}
			lists[i] = here
		}
		a.stages[sched.Map].hosts = workload.HostsOf(lists...)
		a.stages[sched.Map].tasks, a.stages[sched.Reduce].tasks = maps, make([]workload.Task, max(0, f.Reduces))
		a.mapOnly = f.Reduces <= 0
		j.SlowStart = min(max(f.SlowStart, 0), 1)
		for s, takes := range map[sched.Stage]map[string]int64{sched.Map: f.Map, sched.Reduce: f.Reduce} {
			c := cluster.Container{Name: s.String(), Needs: w.cfg.Slots.needs(s, w.vector(takes))}
			if a.stages[s].kinds == nil && len(takes) > 0 && c.Validate() == nil {
				a.stages[s].kinds = []cluster.Container{c}
			}
		}
	case a.counts == nothing && w.cfg.Usual != nil && j.Deadline != units.Never:
		maps, reduces := w.cfg.Usual(j.Class)
		if maps > 0 && !a.stages[sched.Map].ready {
			a.counts = byClass
			a.stages[sched.Map].tasks, a.stages[sched.Reduce].tasks = make([]workload.Task, maps), make([]workload.Task, reduces)
			a.mapOnly = reduces == 0
		}
	}
}

// recount takes in what an ApplicationMaster asks for of a job whose numbers of tasks its class has told. It asks
// for all its maps at once, as soon as it is up; later it may ask for more than were known, and never shows that
// there are fewer.
func (w *World) recount(a *app, s sched.Stage) {
	st := &a.stages[s]
	if a.counts != byClass && a.counts != byAsks {
		return
	}
	shown := int(st.done)
	for _, b := range w.boxes {
		if b.app == a && b.stage == s {
			shown++
		}
	}
	for _, r := range st.rows {
		if r.place == anyPlace && (r.prio == prioMap || r.prio == prioReduce) {
			shown += int(r.count)
		}
	}
	if shown == 0 {
		return
	}
	first := s == sched.Map && a.counts == byClass
	if first {
		a.counts = byAsks
	}
	if shown == len(st.tasks) || shown < len(st.tasks) && !first {
		return
	}
	st.tasks, st.hosts = make([]workload.Task, shown), workload.Hosts{}
	spec := *a.spec
	spec.Stages = nil
	for i := range a.spec.Stages {
		spec.Stages = append(spec.Stages, w.stageSpec(a, a.spec.Stages[i].Kind))
	}
	a.spec = &spec
	if !w.batches.whole {
		w.amended(a)
	}
}

// grounds says on what the numbers of tasks rest, for whoever reads why a job was refused.
func (a *app) grounds() string {
	maps, reduces := len(a.stages[sched.Map].tasks), len(a.stages[sched.Reduce].tasks)
	counted := fmt.Sprintf("%s and %s", units.Count(maps, "map"), units.Count(reduces, "reduce"))
	switch a.counts {
	case bySplits:
		return "; it has " + counted + ", counted from its splits"
	case byClass:
		return "; it is assumed to have " + counted + ", like earlier jobs of its class"
	case byAsks:
		return "; it has " + counted + ", by what it asks for and by its class"
	}
	return ""
}
