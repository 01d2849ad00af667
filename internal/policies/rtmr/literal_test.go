package rtmr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// literalDispatcher is algorithm 5.4 word by word, with line 10 corrected. It finds all that it
// needs by looking at everything: the queue by sorting, Ra by adding up the nodes. Its lines are
// repeated while they assign something, as a node is filled on one beat.
type literalDispatcher struct {
	*scheduler
	printed bool // line 10 with >
	alone   bool // a job that has started is overtaken like any other
}

func (d literalDispatcher) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if batch[i].Kind != sched.Heartbeat {
			continue
		}
		n := v.Node(batch[i].Node)
		d.masterTasks(v, n, p)
		for d.mapTask(v, n, p) {
		}
		for d.reduceTask(v, n, p) {
		}
		d.rest(v, n, p)
	}
}

// priorityQ is the queue, from the records alone.
func (d literalDispatcher) priorityQ(v sched.View) (q []*sched.Job) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if r := d.of(j); r != nil && r.Standing == promised && v.Job(j) != nil && v.Job(j).State == sched.Admitted {
			q = append(q, v.Job(j))
		}
	}
	slices.SortFunc(q, func(a, b *sched.Job) int {
		ra, rb := d.of(a.ID), d.of(b.ID)
		started := func(r *record) int { return min(1, int(r.Rank)) }
		if c := cmp.Compare(started(rb), started(ra)); c != 0 && !d.alone {
			return c
		}
		if ra.Rank != rb.Rank && !d.alone {
			return cmp.Compare(ra.Rank, rb.Rank)
		}
		if c := cmp.Compare(a.Deadline, b.Deadline); c != 0 {
			return c
		}
		return cmp.Compare(a.Seq, b.Seq)
	})
	return q
}

// masterTasks are masters outside of the slots: they stand before all else, in room that is not kept
// for those of other jobs.
func (d literalDispatcher) masterTasks(v sched.View, n *sched.Node, p *sched.Plan) {
	for _, j := range d.priorityQ(v) {
		st := j.Spec.Stage(sched.Master)
		if st == nil || len(st.Containers) == 0 || j.Stages[sched.Master].Open == 0 {
			continue
		}
		free := n.Free[units.Memory]
		for _, other := range d.priorityQ(v) {
			if other != j && d.of(other.ID).Room == n.ID {
				free -= other.Spec.Stage(sched.Master).Containers[0].Needs[units.Memory]
			}
		}
		if free >= st.Containers[0].Needs[units.Memory] && p.Start(j.ID, sched.Master, n.ID, 1, sched.Anywhere, sched.Because(sched.FirstInOrder)) {
			d.of(j.ID).begins()
		}
	}
}

// mapTask is lines 4 and 5. With masters lines 6 to 21 hold for map slots too: a job reaches its map
// stage when its master is up.
func (d literalDispatcher) mapTask(v sched.View, n *sched.Node, p *sched.Plan) bool {
	ra := int64(0)
	for i := sched.NodeID(1); i <= v.Nodes(); i++ {
		ra += v.Node(i).Free[units.MapSlots]
	}
	inSlot := func(j *sched.Job) bool {
		st := j.Spec.Stage(sched.Master)
		return st != nil && len(st.Containers) == 0
	}
	for _, j := range d.others { // what is lent is available
		if ra += int64(v.Job(j).Stages[sched.Map].Occupied); inSlot(v.Job(j)) {
			ra += int64(v.Job(j).Stages[sched.Master].Occupied)
		}
	}
	if n.Free[units.MapSlots] <= 0 {
		return false
	}
	reservedSlot := int64(0)
	for _, j := range d.priorityQ(v) {
		if reservedSlot >= ra {
			break
		}
		t := &j.Stages[sched.Map]
		switch reachedMapStage := j.Stages[sched.Master].Total == 0 || t.Ready; {
		case inSlot(j) && j.Stages[sched.Master].Open > 0:
			if !d.start(v, j.ID, sched.Master, n.ID, p) {
				return false
			}
			d.of(j.ID).begins()
			return true
		case reachedMapStage && t.Open > 0:
			return d.goes(v, j.ID, sched.Map, n.ID, p)
		case !reachedMapStage:
			reservedSlot += int64(t.Total)
		}
	}
	return false
}

// reduceTask is lines 6 to 21.
func (d literalDispatcher) reduceTask(v sched.View, n *sched.Node, p *sched.Plan) bool {
	ra := int64(0) // 3: the number of available reduce slots in the cluster
	for i := sched.NodeID(1); i <= v.Nodes(); i++ {
		ra += v.Node(i).Free[units.ReduceSlots]
	}
	for _, j := range d.others { // what is lent is available
		ra += int64(v.Job(j).Stages[sched.Reduce].Occupied)
	}
	if r := n.Free[units.ReduceSlots]; r > 0 { // 6
		reservedSlot := int64(0)           // 8
		for _, j := range d.priorityQ(v) { // 9
			if reservedSlot > ra || reservedSlot == ra && !d.printed { // 10
				break // 11
			}
			t := &j.Stages[sched.Reduce]
			reachedReduceStage := j.Stages[sched.Map].Done == j.Stages[sched.Map].Total && t.Ready
			if reachedReduceStage && t.Open > 0 { // 13, 14
				return d.goes(v, j.ID, sched.Reduce, n.ID, p) // 15, 16
			} else if !reachedReduceStage { // 17
				reservedSlot += int64(t.Total) // 18
			}
		}
	}
	return false
}

// goes starts the nearest task of a job. Where jobs that have started are overtaken, those before it
// have not started by that.
func (d literalDispatcher) goes(v sched.View, j sched.JobID, stage sched.Stage, n sched.NodeID, p *sched.Plan) bool {
	r := d.of(j)
	if !d.alone || r.Rank > 0 {
		return d.start(v, j, stage, n, p)
	}
	drop(&d.queue, j)
	r.Rank = 1
	d.active = append(d.active, j)
	d.enqueue(j)
	d.plan.Start(v.Now(), j)
	return p.Start(j, stage, n, 1, v.Nearest(n, j, stage), sched.Because(sched.FirstInOrder))
}

// starts is a sink that notes what starts where.
type starts struct {
	lines []string
	line  []byte
}

func (s *starts) Batch(int64, units.Time, []sched.Event) error { return nil }

func (s *starts) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; it.Refused == sched.OK && it.Verb != sched.WakeMe {
			s.line = journal.AppendItem(s.line[:0], p, it)
			s.lines = append(s.lines, fmt.Sprintf("%v %s", at, s.line))
		}
	}
	return nil
}

// The dispatcher decides as the pseudo-code does.
func TestDispatcherAgainstPseudoCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := streams(true, 9, 0, 3*units.Second)
		if rapid.Bool().Draw(t, "masters") {
			gen = mastered(gen, noMaster, outside, inMapSlot)
		}
		s := gen.Draw(t, "stream")
		var ours, theirs starts
		if _, err := play(s, usual, nil, &ours); err != nil {
			t.Fatal(err)
		}
		if _, err := play(s, usual, dispatching(func(s *scheduler) compose.Step { return literalDispatcher{scheduler: s} }), &theirs); err != nil {
			t.Fatal(err)
		}
		for i := range min(len(ours.lines), len(theirs.lines)) {
			if ours.lines[i] != theirs.lines[i] {
				t.Fatalf("%s\nthe pseudo-code: %s\n%v", ours.lines[i], theirs.lines[i], s)
			}
		}
		if len(ours.lines) != len(theirs.lines) {
			t.Fatalf("%d items, the pseudo-code has %d\n%v", len(ours.lines), len(theirs.lines), s)
		}
	})
}

// The example of the reading guide for line 10: one of two map slots each, and J2's map ends first.
// As printed J2's reduce of 100 s takes the only reduce slot when J1 needs it at 10; corrected it
// waits for J1's.
func TestLine10(t *testing.T) {
	s := stream{Nodes: 1, Maps: 2, Reduces: 1, Jobs: []streamJob{
		{Within: 20, Maps: []int{10}, Map: 10, Reduces: []int{10}, Reduce: 10, Known: true},
		{Within: 200, Maps: []int{1}, Map: 1, Reduces: []int{100}, Reduce: 100, Known: true},
	}}
	k, err := play(s, usual, nil)
	if err != nil || k.promises != 2 || k.broken != 0 {
		t.Errorf("%d promises, %v; %v", k.promises, k.says, err)
	}
	k, err = play(s, usual, printed)
	if want := "j1 ended committed at 1m51s, was expected by 20s, its deadline is 20s"; err != nil || k.promises != 2 || strings.Join(k.says, "") != want {
		t.Errorf("%d promises, %v; %v", k.promises, k.says, err)
	}
}

// The example of the reading guide for the predecessor: J1's map of 100 s holds the only map slot
// when J2 comes, which has to wait for it, so J2 is refused. Whoever forgets J1, because J2 would
// stand before all that wait, or stands J2 before it, admits J2 and breaks the promise.
func TestPredecessor(t *testing.T) {
	s := stream{Nodes: 1, Maps: 1, Reduces: 1, Jobs: []streamJob{
		{Within: 1000, Maps: []int{100}, Map: 100, Reduces: []int{1}, Reduce: 1, Known: true, SlowStart: 1},
		{Arrive: 1, Within: 20, Maps: []int{10}, Map: 10, Reduces: []int{1}, Reduce: 1, Known: true, SlowStart: 1},
	}}
	var said starts
	k, err := play(s, usual, nil, &said)
	if err != nil || k.promises != 1 || k.refusals != 1 || k.broken != 0 {
		t.Errorf("%d promises, %d refusals, %v; %v", k.promises, k.refusals, k.says, err)
	}
	i := slices.IndexFunc(said.lines, func(l string) bool { return strings.Contains(l, "reject") })
	want := "1s reject id=3 job=2 word=no-earlier by=111000000000 reason=deadline:21000000000,111000000000,1 evidence=1:100000000000:1"
	if i < 0 || said.lines[i] != want {
		t.Errorf("%v\nwant %s", said.lines, want)
	}
	for name, bend := range map[string]func(*scheduler, *compose.Recipe){
		"nil predecessor": judged(forgetful),
		"deadlines alone": alone,
	} {
		if k, err := play(s, usual, bend); err != nil || k.promises != 2 || k.broken != 1 {
			t.Errorf("%s: %d promises, %v; %v", name, k.promises, k.says, err)
		}
	}
}
