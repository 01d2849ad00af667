package truth_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// model is a world as package sched describes it, kept as lists that are gone through for each
// question. What is under test keeps counts.
type model struct {
	here, ends, admitted [5]bool         // jobs 1 to 4
	ready, withheld      [5][2]bool      // of their maps and reduces
	limit, sample        [5][2]int32     //
	done                 map[taskOf]bool //
	runs                 []run           // attempts
	up                   [4]bool         // nodes 1 to 3
	seen                 map[sched.ItemID]bool
	begun                int // attempts so far
}

type taskOf struct {
	job, stage, task int
}

type run struct {
	taskOf
	attempt, node int
}

const tasks, slots = 4, 2

var (
	stages = [2]sched.Stage{sched.Map, sched.Reduce}
	labels = [5][]string{3: {"fast"}}
	names  = [4][]string{2: {"fast"}}
)

// mayStart is why one attempt of the task may not start, in the order in which a world asks.
func (m *model) mayStart(it *sched.Item, task int) sched.Code {
	j, s, n := int(it.Job), slices.Index(stages[:], it.Stage), int(it.Node)
	if j < 1 || j > 4 || !m.here[j] || m.ends[j] {
		return sched.UnknownJob
	}
	if n < 1 || n > 3 {
		return sched.UnknownNode
	}
	if s < 0 || it.Container > 0 || task < 1 || task > tasks {
		return sched.BadItem
	}
	running, busy, ofStage := 0, 0, 0
	for _, r := range m.runs {
		if r.job == j && r.stage == s {
			ofStage++
		}
		if r.taskOf == (taskOf{j, s, task}) {
			running++
		}
		if r.node == n && r.stage == s {
			busy++
		}
	}
	first := it.Verb == sched.Start
	switch isDone := m.done[taskOf{j, s, task}]; {
	case !m.up[n]:
		return sched.NodeAway
	case !m.admitted[j] && m.sample[j][s] <= 0:
		return sched.NotAdmitted
	case !m.ready[j][s]:
		return sched.NotReady
	case m.withheld[j][s]:
		return sched.Withheld
	case m.limit[j][s] >= 0 && ofStage >= int(m.limit[j][s]):
		return sched.AtLimit
	case isDone, first && running > 0, !first && running != 1:
		return sched.Stale
	case len(labels[j]) > 0 && len(names[n]) == 0:
		return sched.WrongLabels
	case busy >= slots:
		return sched.NoRoom
	}
	return sched.OK
}

// world is the smallest that truth can serve.
type world struct {
	jobs   [5]truth.Job
	stages [5][2]truth.Stage
	tasks  [5][2][tasks]truth.Task
	nodes  [4]truth.Node
	runs   map[int]run
	can    sched.Capabilities
	told   []string
	next   int
}

func (w *world) Can() sched.Capabilities { return w.can }
func (w *world) Emit(e sched.Event) {
	w.say("%v %d task %d attempt %d: %v", e.Kind, e.Item, e.Task, e.Attempt, e.Why)
}
func (w *world) say(format string, a ...any) {
	w.told = append(w.told, fmt.Sprintf(format, a...))
}

func (w *world) Find(it *sched.Item, task sched.TaskID) (j *truth.Job, s *truth.Stage, t *truth.Task, n *truth.Node) {
	j, s, n = &truth.Job{}, &truth.Stage{}, &truth.Node{}
	if it.Job > 0 && it.Job < 5 {
		j = &w.jobs[it.Job]
		if k := slices.Index(stages[:], it.Stage); k >= 0 {
			if s = &w.stages[it.Job][k]; task > 0 && task <= tasks {
				t = &w.tasks[it.Job][k][task-1]
			}
		}
	}
	if it.Node > 0 && it.Node < 4 {
		n = &w.nodes[it.Node]
	}
	return j, s, t, n
}

func (w *world) Start(it *sched.Item, b sched.Bound) sched.Code {
	j, s, t, n := w.Find(it, b.Task)
	if why := truth.Startable(it, j, s, t, n); why != sched.OK {
		return why
	}
	k := slices.Index(stages[:], it.Stage)
	s.Begin(t)
	c := s.Spec.Container(0)
	n.Free.Sub(&c.Needs)
	w.next++
	w.runs[w.next] = run{taskOf{int(it.Job), k, int(b.Task)}, w.next, int(it.Node)}
	w.say("start %d task %d", it.ID, b.Task)
	return sched.OK
}

func (w *world) Kill(a sched.AttemptID, o sched.Outcome) bool {
	if _, there := w.runs[int(a)]; !there {
		return false
	}
	w.end(int(a), o)
	w.say("kill %d as %v", a, o)
	return true
}

func (w *world) end(a int, o sched.Outcome) {
	r := w.runs[a]
	delete(w.runs, a)
	s := &w.stages[r.job][r.stage]
	s.End(&w.tasks[r.job][r.stage][r.task-1], o)
	c := s.Spec.Container(0)
	w.nodes[r.node].Free.Add(&c.Needs)
}

func (w *world) Reject(j sched.JobID, why string) { w.say("reject %d: %s", j, why) }
func (w *world) Changed(it *sched.Item)           { w.say("changed by %d", it.ID) }

// What a plan does is what package sched says of its items, whatever came before, and what is kept
// as numbers is what can be counted.
func TestEnactIsWhatTheContractSays(t *testing.T) {
	refusals, verbs := map[sched.Code]int{}, map[sched.Verb]int{}
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 1))
		m := &model{done: map[taskOf]bool{}, seen: map[sched.ItemID]bool{}}
		w := &world{runs: map[int]run{}, can: sched.Capabilities{Kill: true, Bind: true, Speculate: seed%3 > 0, Power: seed%2 > 0}}
		class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(slots, slots)}
		for n := 1; n < 4; n++ {
			w.nodes[n] = truth.Node{Spec: &cluster.Node{Name: fmt.Sprint(n), Rack: 1, Class: class, Labels: names[n]}, Free: class.Capacity}
			m.up[n] = true
		}
		for j := 1; j < 5; j++ {
			w.jobs[j].Spec = &workload.Job{ID: fmt.Sprint("j", j), Labels: labels[j]}
			for k := range stages {
				w.jobs[j].Spec.Stages = append(w.jobs[j].Spec.Stages, workload.StageSpec{Kind: stages[k], Tasks: make([]workload.Task, tasks)})
				w.stages[j][k] = truth.NewStage(&w.jobs[j].Spec.Stages[k])
				m.limit[j][k] = -1
			}
		}
		var seen drive.Seen
		for step := range 400 {
			w.told = nil
			if dice.IntN(3) == 0 {
				happen(dice, m, w)
			} else {
				it, p := draw(dice, sched.ItemID(step/2+1), m)
				want := m.enact(it, p, w.can, refusals)
				verbs[it.Verb]++
				truth.Enact(w, &seen, p)
				if d := cmp.Diff(want, w.told); d != "" {
					t.Fatalf("seed %d, step %d, %v %+v: -want +got\n%s", seed, step, it.Verb, *it, d)
				}
			}
			m.count(t, w, fmt.Sprintf("seed %d, step %d", seed, step))
		}
	}
	for _, why := range []sched.Code{sched.UnknownJob, sched.UnknownNode, sched.UnknownAttempt, sched.BadItem, sched.NodeAway, sched.NotAdmitted,
		sched.NotReady, sched.Withheld, sched.AtLimit, sched.Stale, sched.WrongLabels, sched.NoRoom, sched.CannotDo, sched.OK} {
		if refusals[why] == 0 {
			t.Errorf("nothing was ever %v: this tests too little", why)
		}
	}
}

// An item so old that nobody can tell whether it came before is answered: as its plan waits for that.
func TestForgottenItems(t *testing.T) {
	w, seen := &world{can: sched.Capabilities{Bind: true}}, drive.Seen{}
	for id := sched.ItemID(2); id < 1<<17; id += 2 {
		truth.Enact(w, &seen, &sched.Plan{Items: []sched.Item{{ID: id, Verb: sched.WakeMe}}})
	}
	if len(w.told) > 0 {
		t.Fatalf("items that come for the first time, in order: %v", w.told)
	}
	truth.Enact(w, &seen, &sched.Plan{Items: []sched.Item{{ID: 1, Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 2}}})
	if len(w.told) != 1 || !strings.Contains(fmt.Sprint(w.told), fmt.Sprint(sched.Stale)) {
		t.Errorf("an old start is answered by %v", w.told)
	}
}

// happen lets the world change by itself: both sides are told.
func happen(dice *rand.Rand, m *model, w *world) {
	j, k, n := 1+dice.IntN(4), dice.IntN(2), 1+dice.IntN(3)
	switch dice.IntN(6) {
	case 0:
		m.here[j] = true
		w.jobs[j].Here = true
	case 1:
		m.ends[j] = dice.IntN(4) == 0
		w.jobs[j].Ends = m.ends[j]
	case 2:
		m.ready[j][k] = true
		w.stages[j][k].Ready = true
	case 3:
		m.up[n] = dice.IntN(4) > 0
		w.nodes[n].Away = !m.up[n]
	case 4: // a committed task is lost
		task := taskOf{j, k, 1 + dice.IntN(tasks)}
		if m.done[task] {
			delete(m.done, task)
			w.stages[j][k].Reopen(&w.tasks[j][k][task.task-1])
		}
	default:
		if len(m.runs) > 0 {
			i := dice.IntN(len(m.runs))
			r, o := m.runs[i], []sched.Outcome{sched.Committed, sched.Failed, sched.Lost}[dice.IntN(3)]
			if m.done[r.taskOf] {
				o = sched.Superseded
			}
			m.runs = slices.Delete(m.runs, i, i+1)
			w.end(r.attempt, o)
			if o == sched.Committed {
				m.done[r.taskOf] = true
			}
		}
	}
}

// draw makes a plan of one item, often a sensible one.
func draw(dice *rand.Rand, id sched.ItemID, m *model) (*sched.Item, *sched.Plan) {
	verbs := []sched.Verb{sched.Start, sched.Start, sched.Start, sched.Start, sched.Speculate, sched.Speculate, sched.Kill, sched.Admit, sched.Hold, sched.Reject, sched.Sample,
		sched.Withhold, sched.Release, sched.SetSlots, sched.Sleep, sched.Wake, sched.Rank, sched.SetTasks}
	p := &sched.Plan{Items: []sched.Item{{ID: id, Verb: verbs[dice.IntN(len(verbs))], Job: sched.JobID(dice.IntN(6)), Stage: stages[dice.IntN(2)],
		Node: sched.NodeID(dice.IntN(5)), Count: int32(dice.IntN(3)), Held: dice.IntN(20) == 0}}}
	it := &p.Items[0]
	if it.Verb == sched.Reject {
		it.Count = 0 // it would say of how many samples
	}
	switch dice.IntN(20) {
	case 0:
		it.Container = 1
	case 1:
		it.Stage = sched.Master
	case 2:
		it.Refused = sched.NoTask
	}
	for range 1 + dice.IntN(2) {
		p.Bound = append(p.Bound, sched.Bound{Task: sched.TaskID(dice.IntN(tasks + 2))})
		p.Victims = append(p.Victims, sched.AttemptID(dice.IntN(40)))
		if len(m.runs) > 0 && dice.IntN(2) == 0 {
			p.Victims[len(p.Victims)-1] = sched.AttemptID(m.runs[dice.IntN(len(m.runs))].attempt)
		}
	}
	to := int32(len(p.Bound)) + int32(dice.IntN(8)/7)
	it.Tasks, it.Attempts = sched.Span{To: to}, sched.Span{To: to}
	if len(m.runs) > 0 && it.Verb == sched.Speculate && dice.IntN(4) > 0 { // of a task that runs
		r := m.runs[dice.IntN(len(m.runs))]
		it.Job, it.Stage, it.Container, it.Tasks.To = sched.JobID(r.job), stages[r.stage], 0, 1
		p.Bound = []sched.Bound{{Task: sched.TaskID(r.task)}}
	}
	return it, p
}

// enact does the same by the letter, and returns what has to be told.
func (m *model) enact(it *sched.Item, p *sched.Plan, can sched.Capabilities, refusals map[sched.Code]int) (told []string) {
	refuse := func(task sched.TaskID, a sched.AttemptID, why sched.Code) {
		refusals[why]++
		told = append(told, fmt.Sprintf("refused %d task %d attempt %d: %v", it.ID, task, a, why))
	}
	if it.Held || m.seen[it.ID] {
		return nil
	}
	if m.seen[it.ID] = true; it.Refused != sched.OK {
		return nil
	}
	j, n, k := int(it.Job), int(it.Node), slices.Index(stages[:], it.Stage)
	there := j >= 1 && j <= 4 && m.here[j]
	bad := int(it.Tasks.To) > len(p.Bound)
	changed := func() { told = append(told, fmt.Sprintf("changed by %d", it.ID)) }
	switch it.Verb {
	case sched.Rank:
	case sched.SetTasks:
		refuse(0, 0, sched.CannotDo)
	case sched.Start, sched.Speculate:
		switch {
		case it.Verb == sched.Speculate && !can.Speculate:
			refuse(0, 0, sched.CannotDo)
			return told
		case bad, it.Verb == sched.Speculate && len(p.Bound) > 1:
			refuse(0, 0, sched.BadItem)
			return told
		}
		for _, b := range p.Bound {
			if why := m.mayStart(it, int(b.Task)); why != sched.OK {
				refuse(b.Task, 0, why)
				continue
			}
			refusals[sched.OK]++
			told = append(told, fmt.Sprintf("start %d task %d", it.ID, b.Task))
			m.begun++
			m.runs = append(m.runs, run{taskOf{j, k, int(b.Task)}, m.begun, n})
			if m.sample[j][k] > 0 {
				m.sample[j][k]--
			}
		}
	case sched.Kill:
		if bad {
			refuse(0, 0, sched.BadItem)
			return told
		}
		for _, a := range p.Victims {
			i := slices.IndexFunc(m.runs, func(r run) bool { return r.attempt == int(a) })
			if i < 0 {
				refuse(0, a, sched.UnknownAttempt)
				continue
			}
			m.runs = slices.Delete(m.runs, i, i+1)
			told = append(told, fmt.Sprintf("kill %d as killed", a))
		}
	case sched.Sleep, sched.Wake:
		switch {
		case !can.Power:
			refuse(0, 0, sched.CannotDo)
		case n < 1 || n > 3:
			refuse(0, 0, sched.UnknownNode)
		default:
			changed()
		}
	default:
		ofJob := it.Verb == sched.Admit || it.Verb == sched.Hold || it.Verb == sched.Reject
		switch {
		case !there:
			refuse(0, 0, sched.UnknownJob)
		case !ofJob && k < 0:
			refuse(0, 0, sched.BadItem)
		case it.Verb == sched.Reject:
			told = append(told, fmt.Sprintf("reject %d: rejected: %s", j, it.Reason.String()))
		case ofJob && m.admitted[j] == (it.Verb == sched.Admit) && m.sample[j][0] <= 0 && m.sample[j][1] <= 0:
		default:
			switch it.Verb {
			case sched.Admit, sched.Hold:
				m.admitted[j] = it.Verb == sched.Admit
				m.sample[j] = [2]int32{} // the verdict ends the sample
			case sched.Sample:
				m.sample[j][k] = it.Count
			case sched.SetSlots:
				m.limit[j][k] = it.Count
			default:
				m.withheld[j][k] = it.Verb == sched.Withhold
			}
			changed()
		}
	}
	return told
}

// count compares what is kept with what the lists say.
func (m *model) count(t *testing.T, w *world, at string) {
	t.Helper()
	for j := 1; j < 5; j++ {
		for k := range stages {
			open, busy, done := int32(0), int32(0), int32(0)
			for task := 1; task <= tasks; task++ {
				is, live := taskOf{j, k, task}, uint8(0)
				for _, r := range m.runs {
					if r.taskOf == is {
						live++
					}
				}
				busy += int32(live)
				switch {
				case m.done[is]:
					done++
				case live == 0:
					open++
				}
				if got := w.tasks[j][k][task-1].Live; got != live {
					t.Fatalf("%s: %d attempts of task %v, want %d", at, got, is, live)
				}
			}
			s := &w.stages[j][k]
			waits := m.here[j] && !m.ends[j] && m.ready[j][k] && !m.withheld[j][k] && open > 0 && (m.limit[j][k] < 0 || busy < m.limit[j][k]) &&
				(m.admitted[j] || m.sample[j][k] > 0)
			if s.Open != open || s.Busy != busy || s.Done != done || s.Waits(&w.jobs[j]) != waits {
				t.Fatalf("%s: job %d, %v: %d open, %d busy, %d done, waits %v; want %d, %d, %d, %v", at, j, stages[k], s.Open, s.Busy, s.Done,
					s.Waits(&w.jobs[j]), open, busy, done, waits)
			}
		}
	}
}
