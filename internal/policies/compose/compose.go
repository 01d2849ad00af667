// Package compose makes a policy from parts.
//
// A Recipe names the parts; New assembles them into a sched.Policy. In each round the parts take
// their turns in the order of their kinds:
//
//  1. plan: what is to happen, ahead of time.
//  2. admit: who may run. Jobs let in now can get work in the same plan.
//  3. share: how much of the cluster each job may take.
//  4. place: what each node gets that can be served, in the order of jobs.
//  5. speculate: which slow tasks get a second attempt.
//  6. preempt: what is killed to make room.
//  7. scale: which nodes sleep and which wake.
//
// Before them, if the order reads profiles and one was learned, all jobs are ranked again. A part is
// passed over where the batch brings no event that it heeds (Traits).
//
// # Who wins
//
// Every item is checked and booked when a part adds it, so each part sees what the parts before it
// have done, and what an earlier part took, a later one cannot take again. Admission wins over
// placement: a job that is held or rejected gets nothing. Placement wins over speculation: what
// never ran goes before a copy. Both win over preemption: what a free slot has just cured is not
// cured by killing. Preemption frees, it does not place: freed slots go where the order says when
// their node is next served. The order outranks no part; it is what parts read. Scaling comes last
// and takes nothing from the others: it sees what waits after all that, and touches no node on
// which something runs or was just placed.
package compose

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Step is what a part does in a round: it reads the view and the batch, and adds items to the plan.
type Step interface {
	Decide(v sched.View, batch []sched.Event, p *sched.Plan)
}

// steps are the kinds of parts that take a turn, in that order. This list is all that a new kind
// has to be added to.
var steps = [...]Kind{KindPlan, KindAdmit, KindShare, KindPlace, KindSpeculate, KindPreempt, KindScale}

// Follower is a part that reads the policy's order. It is told when the policy is assembled, and
// may say that they do not fit. An order that reads profiles or supplies comes as one that nothing
// but the methods of sched.Order, and the line of jobs that wait, can be asked of.
type Follower interface {
	Follow(o sched.Order) error
}

// Gate is a part that keeps tasks from nodes, whichever part places them: those who ask what may start on a node
// (sched.View.First) get an answer without what it keeps away. Jobs are kept waiting for nodes to be saved, and those
// that are asleep wake when deadlines need them: who counts nodes in advance is told so (Sleepers).
type Gate interface {
	// Bars tells whether the node gets no task.
	Bars(n sched.NodeID) bool
	// Takes tells whether a task of the job's stage may go to the node.
	Takes(v sched.View, j *sched.Job, s sched.Stage, n *sched.Node) bool
}

// Sleepers is a part that is told when the policy is assembled that nodes are kept from work to be saved, and that
// those which sleep wake when they are needed.
type Sleepers interface{ CountSleepers() }

// Estimated is a part that goes by what another one knows of jobs, where there is one.
type Estimated interface{ By(estimate.Estimator) }

// Recipe is what a policy is made of.
type Recipe struct {
	Name  string // as people write it, with its parameters
	Order sched.Order
	// One of a kind at most; there must be one that admits and one that places.
	Steps map[Kind]Step
	Parts map[Kind]Entry // of these, and of the order
	// Makes the policy once more, with nothing in its memory; nil = it cannot be copied.
	Again func() (*Policy, error)
}

// Put makes the part that an entry lists, or all parts of a scheme, and gives each the place of its
// kind. a are the arguments of the entry, or of the scheme to which it belongs: what they do not
// name has its default.
func (r *Recipe) Put(e Entry, a Args) error {
	if r.Steps == nil {
		r.Steps, r.Parts = make(map[Kind]Step), make(map[Kind]Entry)
	}
	switch {
	case e.Fill != nil && e.Kind == KindScheme:
		return e.Fill(r, a)
	case e.Fill != nil:
		return e.Fill(r, a.of(e.Params))
	case e.Kind == KindScheme:
		for _, part := range e.Parts {
			if err := r.Put(part, a); err != nil {
				return err
			}
		}
		return nil
	}
	a = a.of(e.Params)
	var err error
	if e.Order != nil {
		r.Order, err = e.Order(a)
	} else {
		r.Steps[e.Kind], err = e.Step(a)
	}
	r.Parts[e.Kind] = e
	return err
}

// Policy is an assembled recipe.
type Policy struct {
	r     Recipe
	order sched.Order // at its desk
	parts []part      // the order first, then those that take turns
	desk  desk        // at which they read
	gate  Gate        // nil = none
	voids bool        // the batch voids what it remembers: it keeps nothing away
	gates desk        // at which it reads
	// profiles by class, as parts see them that read no cost models
	opened map[string]opened
	heeds  sched.Events
}

// part is a part of an assembled policy.
type part struct {
	Entry
	step   Step         // nil: it is the order
	turns  sched.Events // on which it has its turn
	untold sched.Events // which it does not hear of
	barred uint64       // verbs that it must not plan, a bit for each
	cause  *sched.Cause // the last one found among Causes
}

// New assembles a recipe, which must name an order, an admission and a placement.
func New(r Recipe) (*Policy, error) {
	if r.Order == nil || r.Steps[KindAdmit] == nil || r.Steps[KindPlace] == nil {
		return nil, fmt.Errorf("policy %q lacks an order, an admission or a placement", r.Name)
	}
	y := &Policy{r: r}
	y.add(KindOrder, nil)
	for _, kind := range steps {
		if step := r.Steps[kind]; step != nil {
			y.add(kind, step)
		}
	}
	if len(y.parts) != len(r.Steps)+1 {
		return nil, fmt.Errorf("policy %q has a part of a kind that takes no turn", r.Name)
	}
	order := &y.parts[0]
	y.order = &reading{Order: r.Order, desk: desk{policy: y, by: order}}
	followed := r.Order
	if order.Reads != (Reads{}) {
		followed = y.order
		if l, ok := r.Order.(liner); ok { // what follows the job alone reads nothing
			followed = struct {
				sched.Order
				liner
			}{y.order, l}
		}
	}
	for _, part := range y.parts {
		if part.neverWakes() {
			return nil, fmt.Errorf("policy %q: its %s part heeds only events that confirm what was planned, on which no policy "+
				"is asked; let it heed another one too, or any", r.Name, part.Kind)
		}
		m := y.memory(part)
		_, saves := m.(json.Marshaler)
		if _, ok := m.(Memory); saves && !ok {
			return nil, fmt.Errorf("policy %q: its %s part saves its memory, but lacks the other methods of compose.Memory", r.Name, part.Kind)
		}
	}
	for i := range y.parts {
		if g, ok := y.parts[i].step.(Gate); ok {
			y.gate, y.gates = g, desk{policy: y, by: &y.parts[i]}
		}
	}
	for _, part := range y.parts {
		if c, ok := part.step.(Sleepers); ok && y.gate != nil {
			c.CountSleepers()
		}
		if e, ok := part.step.(estimate.Estimator); ok {
			for _, kind := range steps {
				if by, ok := r.Steps[kind].(Estimated); ok {
					e.Asked()
					by.By(e)
				}
			}
		}
		if f, ok := part.step.(Follower); ok {
			if err := f.Follow(followed); err != nil {
				return nil, fmt.Errorf("policy %q: %w", r.Name, err)
			}
		}
	}
	return y, nil
}

// liner is an order that also ranks jobs which wait to be admitted, by nothing but their records.
type liner interface {
	Line(j *sched.Job) sched.Key
}

// add takes in a part.
func (y *Policy) add(kind Kind, step Step) {
	p := part{Entry: y.r.Parts[kind], step: step}
	p.Kind, p.barred = kind, special
	for _, v := range slices.Concat(p.Needs, p.Wants) {
		p.barred &^= 1 << v
	}
	if step == nil && p.Reads != (Reads{}) {
		p.Causes = append(slices.Clone(p.Causes), sched.PlaceChanged)
	}
	p.turns, p.untold = p.Turns(), p.Reads.untold()
	y.heeds |= p.turns
	y.parts = append(y.parts, p)
}

// Name returns the policy as people write it.
func (y *Policy) Name() string { return y.r.Name }

// Recipe returns what the policy was made of.
func (y *Policy) Recipe() Recipe { return y.r }

// Shuts tells whether a part keeps tasks from nodes, so that these sleep.
func (y *Policy) Shuts() bool { return y.gate != nil }

// Parts lists what the policy is made of: its order first, then the steps in their turn.
func (y *Policy) Parts() (list []Entry) {
	for i := range y.parts {
		list = append(list, y.parts[i].Entry)
	}
	return list
}

// About is what the parts say of themselves, together.
func (y *Policy) About() sched.About {
	a := sched.About{Order: y.order, Heeds: y.heeds}
	for i := range y.parts {
		a.Causes = append(a.Causes, y.parts[i].Causes...)
	}
	return a
}

// Decide runs the parts.
func (y *Policy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	var brings sched.Events
	for i := range batch {
		brings |= 1 << batch[i].Kind
	}
	if y.parts[0].turns&brings != 0 {
		p.Rank(0, sched.Because(sched.PlaceChanged))
	}
	y.desk = desk{View: v, policy: y}
	y.gates.View = v
	y.voids = brings&sched.EventsOf(sched.Resync, sched.Control) != 0
	for i := 1; i < len(y.parts); i++ {
		part := &y.parts[i]
		if part.turns&brings == 0 && part.turns != sched.AnyEvent {
			continue
		}
		y.desk.by = part
		from := len(p.Items)
		part.step.Decide(&y.desk, part.hears(y, batch, brings), p)
		part.answersFor(y, p.Items[from:])
	}
	y.desk, y.gates.View = desk{}, nil
}

// Asker is an admission that can say what it would decide about a job that arrived at the time of
// the view. It decides nothing. The record is that of a job which the book does not have
// (sched.Asked).
type Asker interface {
	Ask(v sched.View, job *sched.Job) sched.Answer
}

// Ask says what the policy would decide on a job that came at an instant (sched.Asker).
func (y *Policy) Ask(v sched.View, now units.Time, spec *workload.Job) sched.Answer {
	v = sched.At(v, now)
	for i := range y.parts {
		part := &y.parts[i]
		if a, ok := part.step.(Asker); ok {
			return part.answers(y, a.Ask(&desk{View: v, policy: y, by: part}, sched.Asked(v, spec)))
		}
	}
	return sched.Answer{Reason: sched.Because(sched.NotAsked)}
}

// Suits tells, in one sentence, what the policy needs and the world cannot do; nil if it can do all.
func (y *Policy) Suits(can *sched.Capabilities) error {
	for _, part := range y.parts {
		for _, verb := range part.Needs {
			if !can.Can(verb) {
				return fmt.Errorf("policy %q needs a world that can %v (for its %s part), and the world %q cannot", y.r.Name, verb, part.Kind, can.World)
			}
		}
	}
	return nil
}

// Forgoes lists, a sentence each, what parts of the policy would do and the world cannot.
func (y *Policy) Forgoes(can *sched.Capabilities) (list []string) {
	for _, part := range y.parts {
		for _, verb := range part.Wants {
			if !can.Can(verb) {
				list = append(list, fmt.Sprintf("policy %q: its part %s does without %v, which the world %q cannot", y.r.Name, part.Name, verb, can.World))
			}
		}
	}
	return list
}

// Studies tells whether a part of the policy reads profiles. A world whose jobs teach something
// then tells it what they have taught, class by class, when one of them has ended; others are
// spared the trouble.
func (y *Policy) Studies() bool {
	return slices.ContainsFunc(y.parts, func(p part) bool { return p.Reads.Profiles })
}

// StudiesModels tells whether a part reads the cost models of profiles.
func (y *Policy) StudiesModels() bool {
	return slices.ContainsFunc(y.parts, func(p part) bool { return p.Reads.Models })
}

// NeedsProfiles tells whether a part refuses jobs with deadlines while nothing is known of their class.
func (y *Policy) NeedsProfiles() bool {
	return slices.ContainsFunc(y.parts, func(p part) bool { return p.Reads.Needed })
}

// Clone copies the policy: it is made once more, and each part takes over what its like remembers.
func (y *Policy) Clone() (sched.Policy, error) {
	if y.r.Again == nil {
		return nil, fmt.Errorf("policy %q was not made from the catalogue, so it cannot be copied", y.r.Name)
	}
	c, err := y.r.Again()
	if err != nil {
		return nil, err
	}
	for i, part := range c.parts {
		if m, ok := c.memory(part).(Memory); ok {
			m.CopyFrom(y.memory(y.parts[i]))
		}
	}
	return c, nil
}

// version is that of the saved form.
const version = 1

// saved is the saved form: the state of each part that has one, by the part's name.
type saved struct {
	Version int                        `json:"version"`
	Policy  string                     `json:"policy"`
	Parts   map[string]json.RawMessage `json:"parts,omitempty"`
}

// memory is what may have some: a step, or the order.
func (y *Policy) memory(p part) any {
	var m any = p.step
	if p.step == nil {
		m = y.r.Order
	}
	if is, ok := m.(Plain); ok {
		return plain{is.Remembers()}
	}
	return m
}

// Save writes the state of all parts as one line of JSON. Equal states give equal bytes.
func (y *Policy) Save(w io.Writer) error {
	s := saved{Version: version, Policy: y.r.Name, Parts: map[string]json.RawMessage{}}
	for _, part := range y.parts {
		m, ok := y.memory(part).(Memory)
		if !ok {
			continue
		}
		text, err := m.MarshalJSON()
		if err != nil {
			return fmt.Errorf("policy %q: saving its %s part: %w", y.r.Name, part.Kind, err)
		}
		s.Parts[string(part.Kind)] = text
	}
	return json.NewEncoder(w).Encode(s)
}

// Load reads all of r, which must be what Save of a policy with the same name and parameters wrote.
func (y *Policy) Load(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("policy %q: its saved state cannot be read: %w", y.r.Name, err)
	}
	var s saved
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("policy %q: its saved state cannot be read: %w", y.r.Name, err)
	}
	if s.Version != version {
		return fmt.Errorf("policy %q: its saved state has version %d, this build reads version %d", y.r.Name, s.Version, version)
	}
	if s.Policy != y.r.Name {
		return fmt.Errorf("policy %q: the saved state is that of %q", y.r.Name, s.Policy)
	}
	for _, part := range y.parts {
		u, ok := y.memory(part).(Memory)
		if !ok {
			continue
		}
		text, ok := s.Parts[string(part.Kind)]
		if !ok {
			return fmt.Errorf("policy %q: the saved state lacks its %s part", y.r.Name, part.Kind)
		}
		if err := u.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("policy %q: the saved state of its %s part cannot be read: %w", y.r.Name, part.Kind, err)
		}
	}
	return nil
}
