// Package scale holds the rules by which the number of nodes in service follows the work.
package scale

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Sleep puts nodes to sleep on which nothing has run for a while, and wakes them for work that finds no room.
//
//   - A node sleeps when nothing has run on it for Idle, no waiting task would go there, and Keep
//     others stay awake; of several, the last ones first.
//   - When tasks wait that may start and the nodes that are awake, or on their way up, have no room
//     for all of them, as many more are woken as these tasks fill, the first ones first: each job's
//     tasks in the order of jobs, with the containers that they ask for.
//
// After a resync it remembers nothing, looks at once and asks for a new Tick; since when nodes are idle
// and which of them sleep the world tells again. At a take-over it looks at once too, and its Tick stands.
//
// It looks when work may have come or nodes changed, and when its Tick comes: a node is put to
// sleep to the instant. How long one takes to wake is the world's affair; until it is up it counts
// as room that is to come, so that nobody else is woken for the same work. It does not ask which
// data lies on a node: the world refuses to let one sleep that has the last copy of anything needed.
type Sleep struct {
	c Config
	saved

	rooms []room // reused
}

// Config says when nodes sleep.
type Config struct {
	Idle units.Duration // so long nothing must have run, at least 1 s
	Keep int            // nodes that stay awake
}

// room is what one node could still take.
type room struct {
	node   *sched.Node
	free   units.Vector
	asleep bool // and nobody has asked it to wake
	wanted bool // a waiting task would go there
}

// NewSleep returns the part.
func NewSleep(c Config) *Sleep {
	c.Idle = max(c.Idle, units.Second)
	return &Sleep{c: c}
}

// Decide adds to the plan who sleeps and who wakes. O(events), and O(nodes) with each look; O(jobs
// · nodes) if nodes sleep or are to.
func (s *Sleep) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if !v.World().Can(sched.Sleep) {
		return
	}
	look, ticked := false, false
	for i := range batch {
		look, ticked = s.notice(&batch[i]) || look, ticked || batch[i].Kind == sched.Tick
	}
	if !s.Wake.Rings(v.Now(), ticked, p) && !look {
		return
	}
	awake, sleepers, due := s.survey(v)
	if (sleepers || due) && s.fit(v, p) == 0 && due {
		awake = s.rest(v, p, awake)
	}
	s.Wake.Set(s.next(v.Now(), awake), p)
}

// notice takes in an event, and tells whether it may change who is needed.
func (s *Sleep) notice(e *sched.Event) bool {
	if e.Kind == sched.Resync {
		s.Wake = 0
	}
	return sleepChanges.Has(e.Kind) || e.Kind == sched.Ended && e.Outcome != sched.Committed // its task is open again
}

var sleepChanges = slackChanges | sched.EventsOf(sched.StageReady, sched.Demand)

// survey lists the nodes that work or could. It returns how many are awake or on their way up,
// whether any sleeps, and whether one has been idle for long enough.
func (s *Sleep) survey(v sched.View) (awake int, sleepers, due bool) {
	s.rooms = s.rooms[:0]
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		nd := v.Node(n)
		if nd == nil || !nd.State.There() || nd.State == sched.Draining {
			continue
		}
		r := room{node: nd, free: nd.Free, asleep: nd.State == sched.Asleep}
		if r.asleep {
			sleepers = true
		} else {
			awake++
			due = due || s.idle(nd) && v.Now().Sub(nd.Since) >= s.c.Idle
		}
		s.rooms = append(s.rooms, r)
	}
	return awake, sleepers, due && awake > s.c.Keep
}

func (s *Sleep) idle(nd *sched.Node) bool { return nd.Occupied == 0 && nd.State == sched.Awake }

// fit gives the tasks that wait to the nodes that are awake, wakes others for the rest, and returns
// how many are left even so.
func (s *Sleep) fit(v sched.View, p *sched.Plan) (left int64) {
	for st := range sched.Stages {
		for j := v.Waiting(st, 0); j != 0; j = v.Waiting(st, j) {
			job := v.Job(j)
			t := &job.Stages[st]
			wait := int64(t.Open)
			if t.Limit >= 0 {
				wait = min(wait, int64(t.Limit-t.Occupied))
			}
			wait = s.fill(job, st, wait, func(r *room) bool { return !r.asleep })
			wait = s.fill(job, st, wait, func(r *room) bool {
				if !r.asleep {
					return false
				}
				r.asleep = !p.Add(sched.Item{Verb: sched.Wake, Node: r.node.ID, Reason: sched.Because(NoRoomAwake, wait)})
				return !r.asleep
			})
			left += wait
		}
	}
	return left
}

// fill gives so many tasks to the nodes that may have them, and returns how many are left. It asks
// only for nodes with room.
func (s *Sleep) fill(job *sched.Job, st sched.Stage, wait int64, may func(*room) bool) int64 {
	spec := job.Spec.Stage(st)
	for i := range s.rooms {
		r := &s.rooms[i]
		if wait <= 0 {
			return 0
		}
		if !r.node.Suits(job.Spec) {
			continue
		}
		for _, c := range spec.Kinds() {
			n := min(wait, r.free.Times(&c.Needs))
			if n <= 0 {
				continue
			}
			if !may(r) {
				break
			}
			r.wanted = true
			for d := range c.Needs {
				r.free[d] -= n * c.Needs[d]
			}
			wait -= n
		}
	}
	return wait
}

// rest puts to sleep whom nobody needs, and returns how many are awake then.
func (s *Sleep) rest(v sched.View, p *sched.Plan, awake int) int {
	for i := len(s.rooms) - 1; i >= 0 && awake > s.c.Keep; i-- {
		r := &s.rooms[i]
		if r.asleep || r.wanted || !s.idle(r.node) || v.Now().Sub(r.node.Since) < s.c.Idle {
			continue
		}
		if p.Add(sched.Item{Verb: sched.Sleep, Node: r.node.ID, Reason: sched.Because(NodeIdle, int64(r.node.Since), int64(awake))}) {
			awake--
		}
	}
	return awake
}

// next is when a node may be due next, Never if none can be: the first of those that are idle, or one
// that becomes so from now on.
func (s *Sleep) next(now units.Time, awake int) units.Time {
	if awake <= s.c.Keep {
		return units.Never
	}
	next := now.Add(s.c.Idle)
	for i := range s.rooms {
		if nd := s.rooms[i].node; s.idle(nd) && nd.Since.Add(s.c.Idle) > now {
			next = min(next, nd.Since.Add(s.c.Idle))
		}
	}
	return next
}

// saved is the state.
type saved struct {
	Wake compose.Alarm `json:"wake"`
}

// Remembers is what outlives a round.
func (s *Sleep) Remembers() any { return &s.saved }

// Why nodes sleep and wake.
var (
	// NodeIdle lets a node sleep.
	NodeIdle = &sched.Cause{Name: "node-idle", Text: "nothing has run on it since {since}, and {awake} {awake?node is|nodes are} awake",
		Numbers: []sched.Number{sched.Clock.Named("since", "since when nothing has run on it", 60e9), sched.Count.Named("awake", "awake nodes before it sleeps", 3)}}
	// NoRoomAwake wakes one.
	NoRoomAwake = &sched.Cause{Name: "no-room-awake", Text: "{tasks} {tasks?task waits|tasks wait} for which no node that is awake has room",
		Numbers: []sched.Number{sched.Count.Named("tasks", "tasks that wait", 7)}}
)

// Entry lists the part.
func Entry() compose.Entry {
	return compose.Entry{
		Name:   "sleep",
		Kind:   compose.KindScale,
		Doc:    "nodes on which nothing runs sleep, and wake for work that finds no room",
		Cite:   "Slackline; compare Leverich and Kozyrakis 2009 (nodes of a Hadoop cluster in standby)",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Sleep, sched.Wake}, Causes: []*sched.Cause{NodeIdle, NoRoomAwake, sched.Wakeup}},
		Params: []compose.Param{
			{Name: "idle", Type: compose.Span, Default: "5m", Doc: "a node sleeps when nothing has run on it for this long; below 1s counts as 1s"},
			{Name: "keep", Type: compose.Count, Default: "1", Unit: "nodes", Doc: "at least this many stay awake"},
		},
		Step: func(a compose.Args) (compose.Step, error) {
			return NewSleep(Config{Idle: a.Span("idle"), Keep: a.Count("keep")}), nil
		},
	}
}
