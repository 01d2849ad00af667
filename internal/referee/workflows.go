package referee

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// planned is how workflows are cut, and by when their jobs are to be done (paper 001: atp and vds;
// tradeoff does both). The plan is believed as the journal has it, and held to the rules that it keeps
// whatever it is: only jobs of a workflow that came in this round, or of which a stage was cut or a job ended in it,
// are planned; a stage is cut within its bounds, before it has begun, and into another number; a job
// is due no sooner than those that it waits for, but by its own deadline.
type planned struct {
	cuts, dates bool
	items       []*line
}

func (w *planned) witness(items []*line) { w.items = items }

func (w *planned) decide(b *book, events []*line, p *wants) {
	came := map[string]bool{}
	for _, e := range events {
		if e.name == "job-arrived" || w.dates && (e.name == "job-amended" || e.name == "refused") || w.cuts && w.dates && e.name == "job-ended" {
			if j := b.jobs[e.int("job")]; j != nil && j.Workflow != nil {
				came[j.Workflow.ID] = true
			}
		}
	}
	dated := false
	for _, l := range w.items {
		if l.word != "item" || !(l.name == "set-tasks" && w.cuts || l.name == "set-deadline" && w.dates) {
			continue
		}
		bad := ""
		j := b.jobs[l.int("job")]
		cause, n := reasonOf(l)
		switch {
		case j == nil || j.Workflow == nil || len(j.Workflow.Jobs) == 0 || j.Workflow.Deadline == never || !came[j.Workflow.ID]:
			bad = "a job of a workflow with a deadline that comes now"
		case l.name == "set-tasks":
			s := j.stage[stageOf(l.get("stage"))]
			k := l.int("count")
			switch {
			case s == nil || k < s.Least || k-s.Least >= len(s.Works) || k == len(s.Tasks) || s.occupied > 0 || s.done > 0:
				bad = "another number of tasks, within bounds, of a stage that has not begun"
			case cause != "fewest-in-time" && cause != "fastest-split" || n[0] != int64(k) || n[1] != int64(len(s.Tasks)) || n[2] > max(1, j.Workflow.Deadline-b.now):
				bad = "its reason, with both numbers and the time that is left"
			}
			if bad == "" && l.get("refused") == "" {
				s.cutting = true
				b.dirty = true
				p.taken = append(p.taken, func() { s.cutting = false })
			}
		default:
			if at := l.num64("at"); cause != "virtual-deadline" && cause != "latest-finish" && cause != "earliest-finish" || n[0] != at || at <= b.now && at != n[0] {
				bad = "its reason, with the deadline"
			} else if l.get("refused") == "" {
				p.rankBy(j, at, "")
				p.acts, dated = p.acts[:len(p.acts)-min(1, len(p.acts))], true
			}
		}
		if bad != "" {
			p.want(l.name, bad, "")
			return
		}
		p.acts = append(p.acts, actsOf(l)...)
	}
	for _, j := range b.live {
		for _, name := range j.After {
			if before := b.names[name]; dated && j.Workflow != nil && came[j.Workflow.ID] && before != nil && before.Workflow != nil && before.state <= admitted && before.due() > j.due() && j.due() < j.Deadline {
				p.want("set-deadline", fmt.Sprintf("job=%d: no sooner than job %d, for which it waits", j.id, before.id), "")
				return
			}
		}
	}
}

// waitsFor is where tasks go under deets: a task waits for the class of nodes on which it costs least of those on
// which it is done by its job's virtual deadline; where it is too late for all, or with a timer for the cheapest, it
// goes to the fastest class that has room. By predict it waits for no class without room unless a task that runs there
// is to end in time. Without either, it waits for no class without room once it is too late for all with room; and of
// a job with more tasks than the classes that cost less can do in time, some go to the next.
type waitsFor struct{ timer, predict bool }

// A classKind is how a task does on a class of nodes.
type classKind struct {
	name  string
	takes int64
	costs int64
	room  vector // of nodes that serve
	slots int64  // for the container, of all nodes
}

// times is how often something fits into an amount.
func (v *vector) times(into *vector) int64 {
	n := int64(math.MaxInt64)
	for i, x := range v {
		if x > 0 {
			n = min(n, max(0, into[i])/x)
		}
	}
	return n
}

func (c *waitsFor) decide(b *book, events []*line, p *wants) {
	for _, n := range beaten(b, events) {
		for s := range stages {
			past := map[*job]bool{}
			for again := true; again; {
				again = false
				for _, j := range b.line(s) {
					if past[j] || !b.serves(n, j, s) {
						continue
					}
					name, why := c.choose(b, j, s, n.Class.Name)
					past[j] = name != "" && name != n.Class.Name || !p.start(j, s, n, why)
					again = true
					break
				}
			}
		}
	}
}

// work is what a task of the stage takes at speed 1, -1 if nobody knows. What was learned is of nodes with speeds of
// their own: the mean over all is so much longer than the work as these are slower, each as often as it was seen there.
func (b *book) work(j *job, s *stage) int64 {
	if i := len(s.Tasks) - s.Least; i >= 0 && i < len(s.Works) {
		return s.Works[i]
	}
	class := b.profiles[j.Class]
	if class == nil {
		return -1
	}
	usual, _, ok := class.task(s.kind)
	if !ok {
		return -1
	}
	speeds := map[string]float64{}
	for _, n := range b.nodes {
		if n != nil {
			speeds[n.Class.Name] = n.Class.Speed
		}
	}
	tasks, time := 0.0, 0.0
	for _, learned := range class.Stages {
		if speed := speeds[learned.Node]; speed > 0 && learned.Stage == stageNames[s.kind] {
			tasks += float64(learned.Task.N)
			time += float64(learned.Task.N) * s.slow(speed)
		}
	}
	if tasks == 0 {
		return span(usual)
	}
	return max(1, int64(rounded(float64(span(usual))*tasks/time)))
}

// slow is how long a second of the stage's work takes on nodes of a speed.
func (s *stage) slow(speed float64) float64 {
	share := s.CPUShare
	if share == 0 {
		share = 1
	}
	return share/speed + 1 - share
}

// on lists what so much work takes and costs on each class whose nodes can hold the stage's container.
func (b *book) on(s *stage, work int64) (list []*classKind) {
	powered := false
	for _, n := range b.nodes {
		if n == nil || !n.up || n.draining || !s.needs.fits(&n.Class.Capacity) {
			continue
		}
		i := slices.IndexFunc(list, func(k *classKind) bool { return k.name == n.Class.Name })
		if i < 0 {
			load, has := 0.0, &n.Class.Capacity
			if has[2] > 0 {
				load = float64(s.needs[2]) / float64(has[2])
			}
			if slots := has[0] + has[1]; slots > 0 {
				load = max(load, float64(s.needs[0]+s.needs[1])/float64(slots))
			}
			k := &classKind{name: n.Class.Name, takes: upwards(float64(work)*s.slow(n.Class.Speed)) + 1}
			watts := n.Class.Dynamic * min(1, load)
			powered = powered || watts > 0
			k.costs = int64(rounded(watts * float64(k.takes) / 1000))
			list, i = append(list, k), len(list)
		}
		list[i].slots += s.needs.times(&n.Class.Capacity)
		if n.serves() {
			list[i].room.add(&n.free, 1)
		}
	}
	for _, k := range list {
		if !powered {
			k.costs = int64(rounded(float64(k.takes) / 1000))
		}
	}
	return list
}

// choose names the class for which a task waits, "" for any, and why it starts there. On the class that is asked for it
// may start, too, if not all tasks can be done in time where they cost less.
func (c *waitsFor) choose(b *book, j *job, s int, asked string) (name, why string) {
	st := j.stage[s]
	work := b.work(j, st)
	if j.due() == never || len(j.Labels) > 0 || s == master || work < 0 {
		return "", "first-in-order"
	}
	at := j.due() - b.world.World.Heartbeat
	for i := range j.Stages {
		if later := &j.Stages[i]; later.kind > s && later.done < len(later.Tasks) {
			least := int64(0)
			for n, k := range b.on(later, max(0, b.work(j, later))) {
				if n == 0 || k.takes < least {
					least = k.takes
				}
			}
			at -= least
		}
	}
	on := b.on(st, work)
	slices.SortStableFunc(on, func(x, y *classKind) int { return cmp.Compare(x.costs, y.costs) })
	has := func(k *classKind) bool { return st.needs.fits(&k.room) }
	turns := int64(-1) // when a class with room is too late
	if !c.timer && !c.predict {
		for _, k := range on {
			if has(k) && b.now+k.takes <= at+b.world.World.Heartbeat {
				turns = max(turns, at-k.takes+min(1, b.world.World.Heartbeat))
			}
		}
	}
	var best, fast *classKind
	open := int64(st.open)
	for _, k := range on {
		if has(k) && (fast == nil || k.takes < fast.takes) {
			fast = k
		}
		switch {
		case open <= 0, b.now > at-k.takes,
			c.predict && !has(k) && c.ends(b, k.name) > at-k.takes,
			c.timer && k.costs > on[0].costs,
			turns >= 0 && b.now >= turns && !has(k):
			continue
		case best == nil || k.name == asked:
			best = k
		}
		if open -= c.holds(b, j, st, k, at); c.timer || c.predict || k.name == asked {
			open = 0
		}
	}
	switch {
	case best != nil:
		return best.name, "cheapest-in-time" + numbers(at-best.takes, j.due())
	case fast != nil:
		return fast.name, "first-done" + numbers(b.now+fast.takes, j.due())
	}
	return "", "first-in-order"
}

// holds is how many tasks of a stage may still begin on a class in time. All do where there is a slot for each.
func (c *waitsFor) holds(b *book, j *job, st *stage, k *classKind, at int64) (n int64) {
	if k.slots >= int64(len(st.Tasks)) {
		return int64(len(st.Tasks))
	}
	each := (at - b.now) / k.takes
	others, mine := k.slots, 0 // slots that the job is not known to hold
	for _, a := range b.attempts {
		if b.jobs[a.job] != j || a.stage != st.kind {
			continue
		}
		if mine++; b.nodes[a.node].Class.Name == k.name {
			others--
			n += max(0, min(at-b.now, at-a.started-k.takes)/k.takes)
		}
	}
	n += others * each
	return n - max(0, min(int64(st.occupied-mine), others-st.needs.times(&k.room))) // promised, and perhaps here
}

// ends is when the first task that runs on a class of nodes is to end.
func (c *waitsFor) ends(b *book, class string) int64 {
	first := int64(never)
	for _, a := range b.attempts {
		j := b.jobs[a.job]
		if j == nil || j.stage[a.stage] == nil || b.work(j, j.stage[a.stage]) < 0 {
			continue
		}
		for _, k := range b.on(j.stage[a.stage], b.work(j, j.stage[a.stage])) {
			if k.name == class && b.nodes[a.node].Class.Name == class {
				first = min(first, a.started+k.takes)
			}
		}
	}
	return first
}
