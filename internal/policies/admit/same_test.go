package admit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// rule is an admission that reads the order.
type rule interface {
	compose.Admission
	Follow(sched.Order) error
}

// moody is an order whose keys change with what is done of a job, also while it waits.
type moody struct{ sched.Flat }

func (moody) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	return sched.Key{-int64(j.Stages[sched.Map].Done), -j.Seq}
}

// stream makes up what happens to jobs and nodes: any of it, in batches.
type stream struct {
	*rapid.T
	jobs  map[sched.JobID]string // ids of those not ended
	nodes map[sched.NodeID]bool  // up or down
	made  int
	gone  []sched.JobID // ended in this batch, so that their handles are not free yet
}

func (s *stream) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(s.T, what) }

func (s *stream) handles() (list []sched.JobID) {
	for j := range s.jobs {
		list = append(list, j)
	}
	slices.Sort(list)
	return list
}

// job describes one.
func (s *stream) job(id string) *workload.Job {
	j := &workload.Job{ID: id, Weight: 1, Soft: units.Never, Deadline: units.Time(s.pick("deadline", 4) + 1), Priority: s.pick("priority", 3),
		Queue: []string{"a", "b", "x", "p.y", "stranger", ""}[s.pick("queue", 6)], User: []string{"", "ann", "bob", "eve"}[s.pick("user", 4)]}
	if n := s.pick("master", 4); n > 0 {
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1),
			Containers: []cluster.Container{{Name: "master", Needs: units.Vector{units.VCores: 1, units.Memory: int64(n) * int64(4*units.GB)}}}})
	}
	j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, 4)})
	if list := s.handles(); len(list) > 0 && s.pick("after", 4) == 0 {
		j.After = []string{s.jobs[list[s.pick("of", len(list))]]}
	}
	return j
}

func (s *stream) arrive() sched.Event {
	j := sched.JobID(1)
	for s.jobs[j] != "" || slices.Contains(s.gone, j) {
		j++
	}
	s.made++
	spec := s.job(fmt.Sprint("j", s.made))
	s.jobs[j] = spec.ID
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: spec}}
}

func (s *stream) node() sched.Event {
	n := sched.NodeID(1 + s.pick("node", 4))
	d := &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Rack: 1, Class: &cluster.Class{Name: "c", Speed: 1,
		Capacity: units.Vector{units.VCores: 40, units.Memory: int64(20+20*s.pick("size", 3)) * int64(units.GB)}}}}
	kind := sched.NodeUp
	if s.nodes[n] {
		kind = []sched.EventKind{sched.NodeChanged, sched.NodeDown}[s.pick("fate", 2)]
	}
	s.nodes[n] = kind != sched.NodeDown
	if kind == sched.NodeDown {
		d = nil
	}
	return sched.Event{Kind: kind, Node: n, Detail: d}
}

// batch makes up what happens at one time.
func (s *stream) batch() (list []sched.Event) {
	s.gone = s.gone[:0]
	touched := map[sched.NodeID]bool{}
	for range s.pick("events", 7) {
		what := s.pick("what", 30)
		switch hs := s.handles(); {
		case what < 13:
			list = append(list, s.arrive())
		case what < 16:
			if e := s.node(); !touched[e.Node] {
				touched[e.Node] = true
				list = append(list, e)
			} else {
				s.nodes[e.Node] = !s.nodes[e.Node] || e.Kind == sched.NodeChanged
			}
		case what == 16:
			list = append(list, sched.Event{Kind: sched.Control, Control: sched.TakeOver})
		case len(hs) == 0:
		default:
			j := hs[s.pick("job", len(hs))]
			switch {
			case what < 22:
				delete(s.jobs, j)
				s.gone = append(s.gone, j)
				list = append(list, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: []sched.Outcome{sched.Committed, sched.Failed}[s.pick("outcome", 2)]})
			case what < 25:
				list = append(list, sched.Event{Kind: sched.JobAmended, Job: j, Detail: &sched.Detail{Job: s.job(s.jobs[j])}})
			case what == 25:
				list = append(list, sched.Event{Kind: sched.JobCancelled, Job: j})
			case what == 26:
				list = append(list, sched.Event{Kind: sched.StageReady, Job: j, Stage: []sched.Stage{sched.Master, sched.Map}[s.pick("stage", 2)]})
			case what == 27:
				list = append(list, sched.Event{Kind: sched.OutputLost, Job: j, Stage: sched.Map, Task: 1})
			default:
				list = append(list, sched.Event{Kind: sched.Started, Job: j, Stage: sched.Map, Task: 1, Attempt: sched.AttemptID(j), Node: 1},
					sched.Event{Kind: sched.Ended, Attempt: sched.AttemptID(j), Outcome: sched.Committed})
			}
		}
	}
	if s.pick("resync", 25) == 0 {
		return s.resync()
	}
	slices.SortStableFunc(list, func(a, b sched.Event) int { return int(a.Kind) - int(b.Kind) })
	return list
}

// resync tells all of it anew, under other handles.
func (s *stream) resync() []sched.Event {
	n := len(s.jobs)
	s.jobs, s.nodes, s.gone = map[sched.JobID]string{}, map[sched.NodeID]bool{}, nil
	list := []sched.Event{{Kind: sched.Resync}}
	if e := s.node(); true {
		list = append(list, e)
	}
	for range n {
		e := s.arrive()
		if st := e.Detail.Job.Stages; s.pick("done", 3) == 0 {
			st[len(st)-1].Done = []int32{1}
		}
		list = append(list, e)
	}
	return list
}

// A Limit that remembers decides, item by item and for the same reasons, as one that counts and sorts all jobs each time, whatever
// happens, and also if it is saved, thrown away and loaded, which means that another one begins.
func TestMemoryChangesNoDecision(t *testing.T) {
	admitted, held := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := &stream{T: t, jobs: map[sched.JobID]string{}, nodes: map[sched.NodeID]bool{}}
		bound := func(what string) int { return max(0, s.pick(what, 7)-2) }
		c := queues.Config{MaxRunning: bound("in all"), MaxRunningPerUser: bound("user"), MaxRunningPerQueue: bound("each"), MaxMasterShare: float64(10 * s.pick("share", 8)),
			Queues: []queues.Queue{{Name: "a", MaxRunning: bound("a"), Weight: 3, Capacity: 50, MaxMasterShare: float64(20 * s.pick("own", 3))}, {Name: "b", Capacity: 20},
				{Name: "p", MaxRunning: bound("p"), Capacity: 30, Queues: []queues.Queue{{Name: "x", Capacity: 50, Weight: 0.5}, {Name: "y", Capacity: 50, MaxRunning: 1}}}}}
		if s.pick("unbound", 4) == 0 {
			c.MaxRunning, c.MaxRunningPerUser, c.MaxRunningPerQueue = 0, 0, 0
		}
		o := []sched.Order{order.FIFO{}, order.EDF{}, order.NewFair(order.FairConfig{Queues: c}), order.NewFair(order.FairConfig{Queues: c, ByUser: true}),
			order.NewCapacity(order.CapacityConfig{Queues: c}), moody{}, nil}[s.pick("order", 7)]
		all := s.pick("all", 3) == 0
		fresh := func() rule {
			if all {
				return NewAll(c)
			}
			return NewLimit(c)
		}
		rules := [2]rule{fresh(), newPlainLimit(c)}
		if all {
			rules[1] = newPlainAll(c)
		}
		var books [2]*ledger.Ledger
		for i := range books {
			books[i] = ledger.New(sched.Capabilities{Bind: true}, o)
			if o != nil {
				if err := rules[i].Follow(o); err != nil {
					t.Fatal(err)
				}
			}
		}
		for round := range int64(40) {
			batch := s.batch()
			var plans [2]sched.Plan
			for i := range books {
				events := books[i].Apply(units.Time(round/2), round+1, slices.Clone(batch))
				books[i].Begin(&plans[i])
				rules[i].Admit(books[i], events, &plans[i])
				books[i].Check(&plans[i])
			}
			if d := cmp.Diff(plans[1].Items, plans[0].Items); d != "" {
				t.Fatalf("round %d: - counted anew, + remembered\n%s", round, d)
			}
			for i := range plans[0].Items {
				if plans[0].Items[i].Verb == sched.Admit {
					admitted++
				} else {
					held++
				}
			}
			if s.pick("load", 10) == 0 {
				if rules[0] = fresh(); o != nil {
					_ = rules[0].Follow(o)
				}
			}
		}
	})
	if admitted == 0 || held == 0 {
		t.Errorf("%d admitted, %d held: this tests nothing", admitted, held)
	}
}
