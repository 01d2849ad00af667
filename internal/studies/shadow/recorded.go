package shadow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Recorded collects the jobs of a run that finished, with what each of their tasks took, and the nodes
// that were ever up, as they were told of last. It is a sink of one run.
//
// A task takes as long as its attempt that committed did; a reduce counts from the last map on, as it
// may have waited for that. An ApplicationMaster takes what it needed until it first asked for
// anything. Tasks that failed are not played again.
type Recorded struct {
	follow.Single
	Left int // jobs that did not finish in the recording

	nodes    []*cluster.Node
	numbers  map[string]cluster.NodeID // of nodes, by name
	handles  map[sched.NodeID]cluster.NodeID
	racks    map[cluster.RackID]cluster.RackID
	jobs     []*workload.Job
	open     map[*follow.Job]*measured
	profiles []*profile.Class
}

// measured is what was measured of a job.
type measured struct {
	times    [workload.Stages][]units.Duration
	mapsDone units.Time
	master   units.Time     // start of the last ApplicationMaster, units.Never: none has started
	startUp  units.Duration // -1 = it has asked for nothing yet
}

// NewRecorded returns one that has seen nothing.
func NewRecorded() *Recorded {
	return &Recorded{numbers: map[string]cluster.NodeID{}, handles: map[sched.NodeID]cluster.NodeID{},
		racks: map[cluster.RackID]cluster.RackID{}, open: map[*follow.Job]*measured{}}
}

// Batch takes in what happened.
func (r *Recorded) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Host != nil && e.Host.Spec != nil {
				r.node(e.Node, e.Host.Spec)
			}
		case sched.ProfileLearned:
			if len(r.open)+len(r.jobs) == 0 && e.Detail != nil && e.Detail.Profile != nil {
				// it was known from the start
				r.profiles = append(r.profiles, e.Detail.Profile)
			}
		case sched.JobArrived:
			if e.Job != nil && !e.Again {
				r.open[e.Job] = &measured{master: units.Never, startUp: -1}
			}
		}
		m := r.open[e.Job]
		if m == nil {
			continue
		}
		switch e.Kind {
		case sched.Demand:
			m.up(e.At, e.Stage)
		case sched.Started:
			if e.Attempt == nil {
				continue
			}
			if m.up(e.Attempt.Began, e.Attempt.Stage); e.Attempt.Stage == sched.Master {
				m.master = e.Attempt.Began
			}
		case sched.Ended:
			if e.Attempt != nil && e.Outcome == sched.Committed {
				m.took(e.At, e.Attempt)
			}
		case sched.JobEnded:
			if e.Outcome == sched.Committed {
				r.jobs = append(r.jobs, r.job(e.Job, m))
			} else {
				r.Left++
			}
			delete(r.open, e.Job)
		}
	}
	return nil
}

// up notes that the job's ApplicationMaster, if it runs, has asked for something.
func (m *measured) up(at units.Time, s sched.Stage) {
	if s != sched.Master && m.master != units.Never && m.startUp < 0 {
		m.startUp = max(0, at.Sub(m.master))
	}
}

// took notes what a task took.
func (m *measured) took(at units.Time, a *follow.Attempt) {
	began, speed := a.Began, 1.0
	if a.On != nil {
		speed = a.On.Class.Speed
	}
	switch a.Stage {
	case sched.Master:
		return
	case sched.Map:
		m.mapsDone = max(m.mapsDone, at)
	case sched.Reduce:
		began = min(max(began, m.mapsDone), at)
	}
	m.times[a.Stage] = append(m.times[a.Stage], max(1, at.Sub(began).Scale(speed)))
}

// node notes what a node is.
func (r *Recorded) node(h sched.NodeID, spec *cluster.Node) {
	n, is := r.numbers[spec.Name]
	if !is {
		r.nodes = append(r.nodes, nil)
		n = cluster.NodeID(len(r.nodes))
		r.numbers[spec.Name] = n
	}
	rack := r.racks[spec.Rack]
	if rack == 0 {
		rack = cluster.RackID(len(r.racks) + 1)
		r.racks[spec.Rack] = rack
	}
	page := *spec
	page.Rack = rack
	r.nodes[n-1], r.handles[h] = &page, n
}

// job is a job as it can be played.
func (r *Recorded) job(j *follow.Job, m *measured) *workload.Job {
	job := *j.Spec
	job.Arrive, job.After, job.Promised, job.Stages = j.Arrived, nil, false, nil
	for i := range j.Spec.Stages {
		st := j.Spec.Stages[i]
		times := m.times[st.Kind]
		if st.Kind == sched.Master {
			times = []units.Duration{max(m.startUp, 0)}
		}
		told, hosts := st.Tasks, st.Hosts
		st.Tasks, st.Hosts, st.Done, st.Grows, st.MinTasks, st.MaxTasks = nil, workload.Hosts{}, nil, false, 0, 0
		for k, d := range times {
			t := workload.Task{Work: d}
			if k < len(told) {
				t.Input = told[k].Input
				var here []cluster.NodeID
				for _, h := range hosts.Of(k) {
					if n := r.handles[h]; n != 0 {
						here = append(here, n)
					}
				}
				st.Hosts.Set(k, here...)
			}
			st.Tasks = append(st.Tasks, t)
		}
		if len(st.Tasks) > 0 {
			job.Stages = append(job.Stages, st)
		}
	}
	return &job
}

// ErrNothing says that no job finished in the recording.
var ErrNothing = errors.New("no job finished in the recording, so there is nothing to simulate")

// Config is a simulation of what was recorded, on nodes that report at that interval.
func (r *Recorded) Config(heartbeat units.Duration) (sim.Config, error) {
	c := &cluster.Cluster{Racks: len(r.racks)}
	var told []*cluster.Class // as nodes were, each with one of c.Classes
	named := map[string]int{}
	for _, n := range r.nodes {
		i := slices.IndexFunc(told, n.Class.Same)
		if i < 0 {
			is := *n.Class
			i, told = len(told), append(told, n.Class)
			if named[is.Name]++; named[is.Name] > 1 { // nodes of one name were told of with other capacities
				is.Name = fmt.Sprintf("%s/%d", is.Name, named[is.Name])
			}
			c.Classes = append(c.Classes, &is)
		}
		n.Class = c.Classes[i]
		c.Nodes = append(c.Nodes, n)
	}
	jobs := slices.DeleteFunc(slices.Clone(r.jobs), func(j *workload.Job) bool { return !works(j) })
	if len(jobs) == 0 {
		return sim.Config{}, ErrNothing
	}
	for _, j := range jobs {
		for i := range j.Stages {
			box := j.Stages[i].Container(0)
			if !slices.ContainsFunc(c.Nodes, func(n *cluster.Node) bool { return n.Class.Capacity.Fits(&box.Needs) }) {
				return sim.Config{}, fmt.Errorf("no node has room for a %v of job %q, as slackline yarn serve counted; smaller slots (--slot, --masters) or none fit",
					j.Stages[i].Kind, j.ID)
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b *workload.Job) int { return int(min(max(a.Arrive.Sub(b.Arrive), -1), 1)) })
	return sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: jobs}, Profiles: r.profiles, Seed: 1, Heartbeat: heartbeat}, nil
}

// works tells whether a job has more than an ApplicationMaster.
func works(j *workload.Job) bool {
	return slices.ContainsFunc(j.Stages, func(st workload.StageSpec) bool { return st.Kind != sched.Master })
}
