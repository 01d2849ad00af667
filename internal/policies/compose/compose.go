// Package compose makes a policy from parts.
//
// A Recipe names the parts; New assembles them into a sched.Policy. In each round the parts take their turns in the order of their
// kinds:
//
//  1. plan: what is to happen, ahead of time.
//  2. admit: who may run. Jobs let in now can get work in the same plan.
//  3. share: how much of the cluster each job may take.
//  4. place: what each node gets that can be served, in the order of jobs.
//  5. speculate: which slow tasks get a second attempt.
//  6. preempt: what is killed to make room.
//  7. scale: which nodes sleep and which wake.
//
// Before them, if the order reads profiles and one was learned, all jobs are ranked anew.
//
// # Who wins
//
// Every item is checked and booked when a part adds it, so each part sees what the parts before it have done, and what an earlier
// part took, a later one cannot take again. Admission wins over placement: a job that is held or rejected gets nothing.
// Placement wins over speculation: what never ran goes before a copy. Both win over preemption: what a free slot has just cured is not
// cured by killing. Preemption frees, it does not place:
// freed slots go where the order says when their node is next served. The order outranks no part; it is what parts read.
// Scaling comes last and takes nothing from the others: it sees what waits after all that, and touches no node on which something
// runs or was just placed.
package compose

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Step is what a part does in a round: it reads the view and the batch, and adds items to the plan.
type Step interface {
	Decide(v sched.View, batch []sched.Event, p *sched.Plan)
}

// Memory is what a part, or an order, implements that remembers something. What it takes from the view when it is asked first need
// not be in it.
type Memory interface {
	json.Marshaler
	json.Unmarshaler
	// CopyFrom takes over what another one of its type and parameters remembers. They share nothing that changes.
	CopyFrom(other any)
}

// steps are the kinds of parts that take a turn, in that order. This list is all that a new kind has to be added to.
var steps = [...]Kind{KindPlan, KindAdmit, KindShare, KindPlace, KindSpeculate, KindPreempt, KindScale}

// Needy is a part that works only in a world that understands certain verbs.
type Needy interface {
	Needs() []sched.Verb
}

// Student is a part that reads profiles (sched.View.Profile). A world whose jobs teach something then tells it what they have taught,
// class by class, when one of them has ended; others are spared the trouble. If the order is one, all jobs are ranked anew then.
type Student interface {
	Studies() bool
}

// Follower is a part that reads the policy's order. It is told when the policy is assembled, and may say that they do not fit.
type Follower interface {
	Follow(o sched.Order) error
}

// Recipe is what a policy is made of.
type Recipe struct {
	Name  string // as people write it, with its parameters
	Order sched.Order
	Steps map[Kind]Step           // one of a kind at most; there must be one that admits and one that places
	Again func() (*Policy, error) // makes the policy once more, with nothing in its memory; nil = it cannot be copied
}

// Put makes a step that of its kind, in place of what was there. nil takes it away.
func (r *Recipe) Put(kind Kind, s Step) {
	if r.Steps == nil {
		r.Steps = make(map[Kind]Step)
	}
	if r.Steps[kind] = s; s == nil {
		delete(r.Steps, kind)
	}
}

// Policy is an assembled recipe. It implements sched.Policy and sched.Ranker.
type Policy struct {
	name  string
	order sched.Order
	parts []part // that take turns, in order
	again func() (*Policy, error)
}

// part is a part of an assembled policy.
type part struct {
	kind Kind
	step Step
}

// New assembles a recipe, which must name an order, an admission and a placement.
func New(r Recipe) (*Policy, error) {
	if r.Order == nil || r.Steps[KindAdmit] == nil || r.Steps[KindPlace] == nil {
		return nil, fmt.Errorf("policy %q lacks an order, an admission or a placement", r.Name)
	}
	y := &Policy{name: r.Name, order: r.Order, again: r.Again}
	for _, kind := range steps {
		if step := r.Steps[kind]; step != nil {
			y.parts = append(y.parts, part{kind, step})
		}
	}
	if len(y.parts) != len(r.Steps) {
		return nil, fmt.Errorf("policy %q has a part of a kind that takes no turn", r.Name)
	}
	for _, m := range y.members() {
		_, saves := m.part.(json.Marshaler)
		if _, ok := m.part.(Memory); saves && !ok {
			return nil, fmt.Errorf("policy %q: its %s part saves what it remembers, and lacks the other methods of compose.Memory", r.Name, m.kind)
		}
	}
	for _, part := range y.parts {
		if f, ok := part.step.(Follower); ok {
			if err := f.Follow(r.Order); err != nil {
				return nil, fmt.Errorf("policy %q: %w", r.Name, err)
			}
		}
	}
	return y, nil
}

// Name returns the policy as people write it.
func (y *Policy) Name() string { return y.name }

// Order returns the order in which the ledger keeps jobs.
func (y *Policy) Order() sched.Order { return y.order }

// Decide runs the parts.
func (y *Policy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if o, ok := y.order.(Student); ok && o.Studies() && learned(batch) {
		p.Rank(0, sched.Because(sched.PlaceChanged))
	}
	for i := range y.parts {
		y.parts[i].step.Decide(v, batch, p)
	}
}

// learned tells whether a profile is news.
func learned(batch []sched.Event) bool {
	return slices.ContainsFunc(batch, func(e sched.Event) bool { return e.Kind == sched.ProfileLearned })
}

// Asker is an admission that can say what it would decide upon a job that came now, and decides nothing. The page is that of a job which the
// book does not have (sched.Asked).
type Asker interface {
	Ask(v sched.View, job *sched.Job) sched.Answer
}

// Ask says what the policy would decide upon a job that came now (sched.Asker).
func (y *Policy) Ask(v sched.View, spec *workload.Job) sched.Answer {
	for i := range y.parts {
		if a, ok := y.parts[i].step.(Asker); ok {
			return a.Ask(v, sched.Asked(v, spec))
		}
	}
	return sched.Answer{}
}

// Suits tells, in one sentence, what the policy needs and the world cannot do; nil if it can do all.
func (y *Policy) Suits(can *sched.Capabilities) error {
	for _, part := range y.members() {
		needy, ok := part.part.(Needy)
		if !ok {
			continue
		}
		for _, verb := range needy.Needs() {
			if !can.Can(verb) {
				return fmt.Errorf("policy %q needs a world that can %v (for its %s part), and the world %q cannot", y.name, verb, part.kind, can.World)
			}
		}
	}
	return nil
}

// Studies tells whether a part of the policy reads profiles.
func (y *Policy) Studies() bool {
	for _, part := range y.members() {
		if s, ok := part.part.(Student); ok && s.Studies() {
			return true
		}
	}
	return false
}

// member is a part, or the order, under the name of its kind.
type member struct {
	kind Kind
	part any
}

// members lists the order and the parts.
func (y *Policy) members() []member {
	list := []member{{KindOrder, y.order}}
	for _, p := range y.parts {
		list = append(list, member{p.kind, p.step})
	}
	return list
}

// Clone copies the policy: it is made once more, and each part takes over what its like remembers.
func (y *Policy) Clone() (sched.Policy, error) {
	if y.again == nil {
		return nil, fmt.Errorf("policy %q was not made from the catalogue, and cannot be copied", y.name)
	}
	c, err := y.again()
	if err != nil {
		return nil, err
	}
	mine := y.members()
	for i, its := range c.members() {
		if m, ok := its.part.(Memory); ok {
			m.CopyFrom(mine[i].part)
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

// Save writes the state of all parts as one line of JSON. Equal states give equal bytes.
func (y *Policy) Save(w io.Writer) error {
	s := saved{Version: version, Policy: y.name, Parts: map[string]json.RawMessage{}}
	for _, part := range y.members() {
		m, ok := part.part.(Memory)
		if !ok {
			continue
		}
		text, err := m.MarshalJSON()
		if err != nil {
			return fmt.Errorf("policy %q: saving its %s part: %w", y.name, part.kind, err)
		}
		s.Parts[string(part.kind)] = text
	}
	return json.NewEncoder(w).Encode(s)
}

// Load reads all of r, which must be what Save of a policy with the same name and parameters wrote.
func (y *Policy) Load(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("policy %q: its saved state cannot be read: %w", y.name, err)
	}
	var s saved
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("policy %q: its saved state cannot be read: %w", y.name, err)
	}
	if s.Version != version {
		return fmt.Errorf("policy %q: its saved state has version %d, this build reads version %d", y.name, s.Version, version)
	}
	if s.Policy != y.name {
		return fmt.Errorf("policy %q: the saved state is that of %q", y.name, s.Policy)
	}
	for _, part := range y.members() {
		u, ok := part.part.(Memory)
		if !ok {
			continue
		}
		text, ok := s.Parts[string(part.kind)]
		if !ok {
			return fmt.Errorf("policy %q: the saved state lacks its %s part", y.name, part.kind)
		}
		if err := u.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("policy %q: the saved state of its %s part cannot be read: %w", y.name, part.kind, err)
		}
	}
	return nil
}
