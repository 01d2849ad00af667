package ledger

import (
	"encoding/json"
	"fmt"
	"io"
	gomaps "maps"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// version is that of the saved form.
const version = 9

// saved is the book as Save writes it. The rankings are not in it: they follow from the records, and
// from the keys that the order would not give now.
type saved struct {
	Version  int                             `json:"version"`
	Origin   string                          `json:"origin,omitempty"` // what 0 of all times stands for
	Now      units.Time                      `json:"now"`
	Round    int64                           `json:"round"`
	Jobs     []savedJob                      `json:"jobs"`
	Nodes    []savedNode                     `json:"nodes"`
	Classes  []*cluster.Class                `json:"classes"`
	Queues   []savedQueue                    `json:"queues"`
	Attempts []sched.Attempt                 `json:"attempts"` // of each job's stage from the oldest to the youngest
	Profiles map[string]*profile.Class       `json:"profiles"`
	Taught   []string                        `json:"taught,omitempty"` // their names, those told longest ago first
	Supplies [sched.Supplies]*sched.Supply   `json:"supplies"`
	Expected [sched.Supplies]*sched.Forecast `json:"expected"`
	Arrivals int64                           `json:"arrivals"`
	LastItem sched.ItemID                    `json:"last_item"`
	Grants   []grant                         `json:"grants"`
	Held     []sched.Item                    `json:"held"`
	Wake     units.Time                      `json:"wake"`
	Rankable units.Time                      `json:"rankable"`
	Yielded  bool                            `json:"yielded"`
	Watching bool                            `json:"watching"`
	Beating  []sched.NodeID                  `json:"beating"`
	Closing  []sched.JobID                   `json:"closing"`
	Refusals []sched.Event                   `json:"refusals"`
	Stale    []staleKey                      `json:"stale,omitempty"` // while all jobs wait to be ranked again
	Bounds   [3]int                          `json:"bounds"`          // handles of jobs, nodes, attempts seen
}

type savedJob struct {
	Job     sched.Job      `json:"job"`
	Decided sched.JobState `json:"decided"`
	Stages  []*tasks       `json:"stages"` // in the order of the job's stages
}

type savedNode struct {
	Node     sched.Node   `json:"node"`
	Capacity units.Vector `json:"capacity"`
	Asked    sched.ItemID `json:"asked"`
}

// savedQueue is a queue; one without a parent, behind the root, is a free handle.
type savedQueue struct {
	Parent sched.QueueID `json:"parent"`
	Name   string        `json:"name"`
	Seq    int64         `json:"seq"`
}

// Save writes the whole book between two plans, so that a Load into a new book of the same world
// and order answers alike from then on. Equal books give equal bytes.
func (l *Ledger) Save(w io.Writer) error {
	s := saved{Version: version, Origin: l.can.Origin, Now: l.now, Round: l.round, Profiles: map[string]*profile.Class{}, Supplies: l.supplies, Expected: l.expected,
		Arrivals: l.arrivals, LastItem: l.lastItem, Held: l.held, Wake: l.wake, Rankable: l.rankable, Yielded: l.yielded, Watching: l.watching, Beating: l.beating, Closing: l.closing,
		Refusals: l.refusals, Bounds: [3]int{len(l.jobs), len(l.nodes), len(l.attempts)}}
	for _, c := range l.profiles.Told() {
		s.Profiles[c.Name], s.Taught = c, append(s.Taught, c.Name)
	}
	for i := range l.classes[1:] {
		s.Classes = append(s.Classes, l.classes[i+1].Spec)
	}
	for i := range l.queues[1:] {
		q := &l.queues[i+1]
		s.Queues = append(s.Queues, savedQueue{q.Parent, q.Name, q.Seq})
	}
	for i := range l.nodes {
		if nb := &l.nodes[i]; nb.Spec != nil {
			s.Nodes = append(s.Nodes, savedNode{nb.Node, nb.Capacity, nb.asked})
		}
	}
	for i := range l.jobs {
		b := &l.jobs[i]
		if b.State == sched.NoJob {
			continue
		}
		j := savedJob{Job: b.Job, Decided: b.Decided}
		for k := range b.Spec.Stages {
			j.Stages = append(j.Stages, b.tasks[b.Spec.Stages[k].Kind])
		}
		s.Jobs = append(s.Jobs, j)
		for st := range sched.Stages {
			from := len(s.Attempts)
			for a := b.heads[st]; a != 0; a = l.attempts[a].older {
				s.Attempts = append(s.Attempts, l.attempts[a].Attempt)
			}
			slices.Reverse(s.Attempts[from:])
		}
	}
	for i := range l.grants.n {
		if g := l.grants.at(i); g.Left > 0 {
			s.Grants = append(s.Grants, *g)
		}
	}
	l.misranked(nil, func(k staleKey) bool {
		s.Stale = append(s.Stale, k)
		return true
	})
	return json.NewEncoder(w).Encode(&s)
}

// Load replaces the book by what Save wrote. On an error the book is empty. causes are those that
// the policy declares: of one that is not among them an item that waits keeps the name and the
// numbers.
func (l *Ledger) Load(r io.Reader, causes ...*sched.Cause) error {
	l.clear()
	var s saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return fmt.Errorf("the saved book cannot be read: %w", err)
	}
	if s.Version != version {
		return fmt.Errorf("the saved book has version %d, this build reads version %d; the build that saved it reads it", s.Version, version)
	}
	if s.Origin != l.can.Origin {
		return fmt.Errorf("the saved book counts time from %q, this world from %q", s.Origin, l.can.Origin)
	}
	if err := s.check(l.can.Bind); err != nil {
		return err
	}
	l.now, l.round, l.arrivals, l.lastItem, l.wake, l.rankable = s.Now, s.Round, s.Arrivals, s.LastItem, s.Wake, s.Rankable
	l.yielded, l.watching = s.Yielded, s.Watching
	l.held, l.beating, l.closing, l.refusals = s.Held, s.Beating, s.Closing, s.Refusals
	l.supplies, l.expected = s.Supplies, s.Expected
	for i := range l.held {
		if why := &l.held[i].Reason; why.Cause != nil {
			why.Cause = sched.CauseNamed(why.Cause.Name, causes)
		}
	}
	l.profiles = profile.Set{}
	// who is not among those taught comes first
	for _, name := range append(slices.Sorted(gomaps.Keys(s.Profiles)), s.Taught...) {
		if c := s.Profiles[name]; c != nil {
			l.profiles.Put(c)
		}
	}
	l.jobs, l.nodes = make([]jobBook, s.Bounds[0]), make([]nodeBook, s.Bounds[1])
	l.attempts = make([]attemptBook, s.Bounds[2])
	l.loadQueues(s.Queues)
	for _, c := range s.Classes {
		l.classes = append(l.classes, sched.Class{Spec: c})
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		l.nodes[n.Node.ID] = nodeBook{Node: n.Node, Capacity: n.Capacity, asked: n.Asked}
		l.describe(&l.nodes[n.Node.ID], n.Node.Spec)
		l.capacity.Add(&n.Capacity)
		l.enroll(&l.nodes[n.Node.ID], 1)
	}
	for i, c := range s.Classes { // as they were told last, not as their last node is
		l.classes[i+1].Spec = c
	}
	for i := range s.Jobs {
		if why := &s.Jobs[i].Job.Why; why.Cause != nil {
			why.Cause = sched.CauseNamed(why.Cause.Name, causes)
		}
		l.loadJob(&s.Jobs[i])
	}
	for i := range s.Attempts {
		l.loadAttempt(&s.Attempts[i])
	}
	for q := range l.queues[1:] {
		if qb := &l.queues[q+1]; qb.ID > sched.Root && qb.Jobs == 0 {
			l.vacant = append(l.vacant, qb.ID)
		}
	}
	for _, g := range s.Grants {
		l.grants.put(g)
		for b := l.job(g.Job); g.Left > 0; g.Left-- {
			l.bookQueues(b, g.Stage, l.need(b, g.Stage, g.Container), 1)
		}
	}
	is := l.order
	if len(s.Stale) > 0 {
		l.order = &recalled{is, s.Stale}
	}
	for i := range l.jobs {
		if b := l.job(sched.JobID(i)); b != nil {
			l.rekey(b, allStages)
		}
	}
	l.order = is
	return nil
}

// check reports handles that point nowhere, and stages that lack what a world that binds tasks needs, so
// that a damaged file is an error and not a crash.
func (s *saved) check(bind bool) error {
	for _, b := range s.Bounds {
		if b < 1 || b > 1<<24 {
			return fmt.Errorf("the saved book is damaged: %d handles", b)
		}
	}
	bad := func(what string, id, bound int) error {
		return fmt.Errorf("the saved book is damaged: %s %d of %d", what, id, bound-1)
	}
	if i := slices.Index(s.Classes, nil); i >= 0 {
		return bad("class", i+1, len(s.Classes)+1)
	}
	known := make([]bool, s.Bounds[0])
	for i := range s.Jobs {
		j := &s.Jobs[i]
		id := int(j.Job.ID)
		if id < 1 || id >= s.Bounds[0] || j.Job.Spec == nil || len(j.Stages) != len(j.Job.Spec.Stages) ||
			!s.queue(j.Job.Queue) || j.Job.State == sched.NoJob {
			return bad("job", id, s.Bounds[0])
		}
		for k, t := range j.Stages {
			if st := &j.Job.Spec.Stages[k]; t == nil || st.Kind >= sched.Stages || !t.whole(st, bind) {
				return bad("a stage of job", id, s.Bounds[0])
			}
		}
		known[id] = true
	}
	job := func(j sched.JobID) bool { return j >= 1 && int(j) < len(known) && known[j] }
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Node.ID < 1 || int(n.Node.ID) >= s.Bounds[1] || n.Node.Spec == nil || n.Node.Spec.Class == nil ||
			n.Node.Spec.Rack < 0 || n.Node.Spec.Rack > 1<<20 {
			return bad("node", int(n.Node.ID), s.Bounds[1])
		}
	}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.ID < 1 || int(a.ID) >= s.Bounds[2] || !job(a.Job) || a.Stage >= sched.Stages {
			return bad("attempt", int(a.ID), s.Bounds[2])
		}
	}
	for i := range s.Grants {
		if g := &s.Grants[i]; !job(g.Job) || g.Stage >= sched.Stages || g.Node < 1 || int(g.Node) >= s.Bounds[1] || g.Left > 1<<24 {
			return bad("a grant of job", int(g.Job), s.Bounds[0])
		}
	}
	for _, n := range s.Beating {
		if n < 1 || int(n) >= s.Bounds[1] {
			return bad("beating node", int(n), s.Bounds[1])
		}
	}
	for _, j := range s.Closing {
		if !job(j) {
			return bad("closing job", int(j), s.Bounds[0])
		}
	}
	for i := range s.Queues {
		q := sched.QueueID(i + 1)
		for steps := 0; i > 0 && q != sched.Root && s.Queues[i].Parent != 0; steps++ {
			if q = s.Queues[q-1].Parent; !s.queue(q) || steps > len(s.Queues) {
				return bad("queue", i+1, len(s.Queues)+1)
			}
		}
	}
	for k := range sched.Supplies {
		supply, f := s.Supplies[k], s.Expected[k]
		if supply != nil && k.Check(supply.Amount) != nil || f != nil && f.Check(k) != nil {
			return fmt.Errorf("the saved book is damaged: the supply of %v", k)
		}
	}
	if len(s.Queues) == 0 {
		return fmt.Errorf("the saved book is damaged: it has no root queue")
	}
	return nil
}

// queue tells whether the handle is that of a queue.
func (s *saved) queue(q sched.QueueID) bool {
	return q == sched.Root && len(s.Queues) > 0 || q > sched.Root && int(q) <= len(s.Queues) && s.Queues[q-1].Parent != 0
}

// whole tells whether the list of a stage has the length that its description asks for.
func (t *tasks) whole(st *workload.StageSpec, bind bool) bool {
	n := len(st.Tasks)
	if len(t.List) == 0 {
		return !bind
	}
	return len(t.List) == n+1 && t.All >= 1 && int(t.All) <= n+1 && t.Home >= 1 && int(t.Home) <= n+1
}

func (l *Ledger) loadQueues(list []savedQueue) {
	l.queues = make([]queueBook, len(list)+1)
	for i, q := range slices.Backward(list) {
		id := sched.QueueID(i + 1)
		qb := &l.queues[id]
		switch {
		case id == sched.Root:
			qb.ID = id
			continue
		case q.Parent == 0:
			l.freeQueues = append(l.freeQueues, id)
			continue
		}
		qb.ID, qb.Name, qb.Seq, qb.Parent = id, q.Name, q.Seq, q.Parent
		for up := q.Parent; up != 0; up = list[up-1].Parent {
			qb.Depth++
		}
		parent := &l.queues[q.Parent]
		if parent.children == nil {
			parent.children = make(map[string]sched.QueueID)
		}
		parent.children[q.Name] = id
	}
}

func (l *Ledger) loadJob(s *savedJob) {
	b := &l.jobs[s.Job.ID]
	*b = jobBook{Job: s.Job, Decided: s.Decided}
	for k, t := range s.Stages {
		t.Spec = &b.Spec.Stages[k]
		b.tasks[t.Spec.Kind] = t
		t.openAll()
		for id := 1; id < len(t.List); id++ {
			if t.List[id].State != taskOpen {
				t.take(sched.TaskID(id))
			}
		}
	}
	if b.State == sched.Finished {
		return // it is counted nowhere any more
	}
	l.setNeeds(b)
	l.ids[b.Spec.ID] = b.ID
	l.countJob(b, 1)
	state := b.State
	b.State = sched.NoJob
	l.setState(b, state, b.Advice)
}

func (l *Ledger) loadAttempt(a *sched.Attempt) {
	b := &l.jobs[a.Job]
	ab := &l.attempts[a.ID]
	*ab = attemptBook{Attempt: *a}
	l.link(b, ab)
	l.bookQueues(b, a.Stage, l.need(b, a.Stage, a.Container), 1)
}
