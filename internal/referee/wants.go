package referee

import (
	"fmt"
	"slices"
	"strings"
)

// A wants is what a rule wants, booked as it is written.
type wants struct {
	*book
	acts  []act
	taken []func()
	says  func(j *job, why string) (told, because string) // what who is let in is told, nil = as the rule says
}

// undo takes all back, so that the book goes on as the journal says.
func (p *wants) undo() {
	for i := len(p.taken) - 1; i >= 0; i-- {
		p.taken[i]()
	}
	p.taken = nil
	p.dirty = true
}

func (p *wants) want(verb, what, why string) {
	p.acts = append(p.acts, act{verb, what, why})
}

// start gives the node the nearest task of the job's stage.
func (p *wants) start(j *job, s int, n *node, why string) bool {
	t, near := p.nearest(n, j.stage[s])
	return p.startTask(j, s, t, near, n, why)
}

// startTask gives it that one, which lies so near.
func (p *wants) startTask(j *job, s, t, near int, n *node, why string) bool {
	if t == 0 || !p.runs(j, j.stage[s]) || !j.stage[s].needs.fits(&n.free) {
		return false
	}
	x := bound{j.id, s, t, n.id, near}
	p.take(x)
	p.taken = append(p.taken, func() { p.untake(x) })
	p.want("start", x.String(), why)
	return true
}

// unpromised are the reasons for which a job is let in without a promise.
var unpromised = []string{"beyond-plan", "class-unknown", "count-unknown", "no-deadline", "unplanned"}

// atWorst is what a job is told that is done by then at worst.
func atWorst(by int64) string { return fmt.Sprintf(" word=promised confidence=1000000 by=%d", by) }

// verdict changes where a job stands. told is what it is told of its finish, as the journal has it.
func (p *wants) verdict(verb string, j *job, state int, told, why string) {
	name, _, _ := strings.Cut(why, ":")
	if name, _, _ = strings.Cut(name, " "); verb == "admit" && slices.Contains(unpromised, name) {
		told = " word=unpromised"
	}
	if p.says != nil && verb == "admit" {
		told, why = p.says(j, why)
	}
	was, samples := j.state, [stages]int{}
	for i := range j.Stages {
		samples[i] = j.Stages[i].sample
	}
	p.decide(j, state)
	p.taken = append(p.taken, func() {
		j.state = was
		for i := range j.Stages {
			j.Stages[i].sample = samples[i]
		}
	})
	p.want(verb, fmt.Sprintf("job=%d", j.id)+told, why)
}

// withhold keeps the tasks of a stage back, or lets them go.
func (p *wants) withhold(j *job, s int, on bool, why string) {
	st := j.stage[s]
	was := st.withheld
	st.withheld = on
	p.dirty = true
	p.taken = append(p.taken, func() { st.withheld = was })
	verb := "release"
	if on {
		verb = "withhold"
	}
	p.want(verb, fmt.Sprintf("job=%d stage=%s", j.id, stageNames[s]), why)
}

// setSlots bounds the slots of a stage.
func (p *wants) setSlots(j *job, s, count int, why string) {
	st := j.stage[s]
	was := st.limit
	st.limit = count
	p.dirty = true
	p.taken = append(p.taken, func() { st.limit = was })
	p.want("set-slots", fmt.Sprintf("job=%d stage=%s count=%d", j.id, stageNames[s], count), why)
}

// rankBy has orders read another deadline of a job than its own.
func (p *wants) rankBy(j *job, at int64, why string) {
	was := j.virtual
	j.virtual = at
	p.dirty = true
	p.taken = append(p.taken, func() { j.virtual = was })
	what := fmt.Sprintf("job=%d", j.id)
	if at != 0 { // else its own
		what += fmt.Sprintf(" at=%d", at)
	}
	p.want("set-deadline", what, why)
}

// sample lets some tasks of a job run that is not admitted.
func (p *wants) sample(j *job, s, count int, why string) {
	st := j.stage[s]
	was := st.sample
	st.sample = count
	p.dirty = true
	p.taken = append(p.taken, func() { st.sample = was })
	p.want("sample", fmt.Sprintf("job=%d%s count=%d", j.id, inStage(s), count), why)
}

// inStage is the stage of an item as a journal has it, which does not name the first.
func inStage(s int) string {
	if s == master {
		return ""
	}
	return " stage=" + stageNames[s]
}

// beaten returns the nodes that beat in these events, in their order.
func beaten(b *book, events []*line) (list []*node) {
	for _, e := range events {
		if e.name == "heartbeat" {
			if n := b.node(e.int("node")); n != nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// kill ends attempts, one by one.
func (p *wants) kill(j *job, s int, ids []int, outcome, why string) {
	for _, id := range ids {
		a := p.attempts[id]
		a.dying = true
		p.taken = append(p.taken, func() { a.dying = false })
		p.want("kill", fmt.Sprintf("job=%d%s outcome=%s attempts=%d", j.id, inStage(s), outcome, id), why)
	}
}

// second gives the node a second attempt of a task.
func (p *wants) second(j *job, s *stage, task int, n *node, why string) {
	near := remote
	switch hosts := s.Tasks[task-1].Hosts; {
	case len(hosts) == 0:
		near = anywhere
	case slices.Contains(hosts, n.id):
		near = nodeLocal
	case slices.ContainsFunc(hosts, func(h int) bool { return p.node(h) != nil && p.node(h).Rack == n.Rack }):
		near = rackLocal
	}
	x := bound{j.id, s.kind, task, n.id, near}
	p.take(x)
	p.taken = append(p.taken, func() { p.untake(x) })
	p.want("speculate", fmt.Sprintf("job=%d%s task=%d node=%d count=1 tasks=%d:%s", j.id, inStage(s.kind), task, n.id, task, localityNames[near]), why)
}

// power puts a node to sleep, or wakes it.
func (p *wants) power(verb string, n *node, why string) {
	was := *n
	n.asks(verb, p.now)
	p.taken = append(p.taken, func() { *n = was })
	p.want(verb, fmt.Sprintf("node=%d", n.id), why)
}
