package slowstart_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const second = units.Time(units.Second)

// A job of four maps and some reduces, of which three maps end at 9 s and one runs on. Its class takes
// 10 s for a map, and 20 s to fetch what a reduce reads: 15 s of that lie there before the last map
// ends. So the reduces may start at once, where nothing else stands against it.
func TestWhenReducesStart(t *testing.T) {
	for _, c := range []struct {
		name    string
		reduces int
		other   string // a job beside it: reduces of it wait, or maps, or its two reduces have started early
		shared  bool   // reduces take memory in place of slots
		shuffle int    // seconds, 20 unless said
		unknown bool
		amended bool // it is told after a while that reduces are to wait for all maps
		want    bool
	}{
		{name: "alone", reduces: 3, want: true},
		{name: "as many as there are slots", reduces: 4},
		{name: "little to fetch", reduces: 3, shuffle: 1},
		{name: "an unknown class", reduces: 3, unknown: true},
		{name: "of an unknown class, amended", reduces: 3, unknown: true, amended: true},
		{name: "reduces wait that need no map", reduces: 1, other: "reduces"},
		{name: "maps wait elsewhere", reduces: 3, other: "maps", want: true},
		{name: "others have started early", reduces: 1, other: "early", want: true},
		{name: "others that started early leave one slot", reduces: 2, other: "early"},
		{name: "in memory", reduces: 3, shared: true, want: true},
		{name: "in memory, and maps wait elsewhere", reduces: 3, other: "maps", shared: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := catalog.New("fifo+slowstart", queues.Config{})
			if err != nil {
				t.Fatal(err)
			}
			book := ledger.New(sched.Capabilities{World: "w", Bind: true}, p.About().Order)
			var plan sched.Plan
			now, round := units.Time(0), int64(0)
			tell := func(events ...sched.Event) {
				round++
				slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
				all := book.Apply(now, round, events)
				book.Begin(&plan)
				p.Decide(book, all, &plan)
				book.Check(&plan)
			}
			room := units.Slots(8, 4)
			room[units.Memory] = 4 << 30
			job := func(id string, maps, reduces int) *sched.Detail {
				spec := &workload.Job{ID: id, Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Never, SlowStart: 0.05,
					Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)}}}
				if c.shared {
					spec.Stages[1].Containers = []cluster.Container{{Name: "r", Needs: units.Vector{units.Memory: 1 << 30}}}
				}
				return &sched.Detail{Job: spec}
			}
			known := profile.New("c")
			known.Attempt(workload.Map, "n", 0, 10*units.Second, 0)
			known.Attempt(workload.Reduce, "n", 0, units.Second, units.Duration(cmp.Or(c.shuffle, 20))*units.Second)
			if c.unknown {
				known.Name = "another"
			}
			begun := func(a sched.AttemptID, j sched.JobID, task sched.TaskID) sched.Event {
				return sched.Event{Kind: sched.Started, Attempt: a, Job: j, Stage: sched.Map, Task: task, Node: 1}
			}
			done := func(a sched.AttemptID) sched.Event {
				return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed}
			}
			tell(sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: &cluster.Class{Name: "n", Speed: 1, Capacity: room}}}},
				sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: known}}, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: job("a", 4, c.reduces)})
			tell(sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Map}, sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Reduce})
			if !book.Job(1).Stages[sched.Reduce].Withheld {
				t.Fatal("the reduces of a job that has just come are not withheld")
			}
			tell(begun(1, 1, 1), begun(2, 1, 2), begun(3, 1, 3), begun(4, 1, 4))
			if c.other == "early" {
				tell(sched.Event{Kind: sched.JobArrived, Job: 2, Detail: job("b", 4, 2)})
				tell(sched.Event{Kind: sched.StageReady, Job: 2, Stage: sched.Map}, sched.Event{Kind: sched.StageReady, Job: 2, Stage: sched.Reduce})
				tell(begun(5, 2, 1), begun(6, 2, 2), begun(7, 2, 3), begun(8, 2, 4))
				now = 9 * second
				tell(done(5), done(6), done(7))
				if book.Job(2).Stages[sched.Reduce].Withheld {
					t.Fatal("the other job's reduces may not start")
				}
			} else if c.other != "" {
				tell(sched.Event{Kind: sched.JobArrived, Job: 2, Detail: job("b", 1, 1)})
				tell(sched.Event{Kind: sched.StageReady, Job: 2, Stage: sched.Map}, sched.Event{Kind: sched.StageReady, Job: 2, Stage: sched.Reduce})
			}
			if c.other == "reduces" {
				tell(begun(5, 2, 1))
				tell(done(5))
			}
			if c.amended {
				d := job("a", 4, c.reduces)
				d.Job.SlowStart = 1
				tell(sched.Event{Kind: sched.JobAmended, Job: 1, Detail: d})
			}
			now = 9 * second
			tell(done(1), done(2), done(3))
			if got := !book.Job(1).Stages[sched.Reduce].Withheld; got != c.want {
				t.Errorf("the reduces may start: %v", got)
			}
			if c.name == "alone" { // its last map fails, and has to wait for a slot
				tell(sched.Event{Kind: sched.Ended, Attempt: 4, Outcome: sched.Failed})
				if !book.Job(1).Stages[sched.Reduce].Withheld {
					t.Error("no map runs, and its reduces may start")
				}
				return
			}
			now = 10 * second
			tell(done(4))
			if book.Job(1).Stages[sched.Reduce].Withheld {
				t.Error("the maps have ended, and the reduces are withheld")
			}
		})
	}
}
