// Package compose makes a policy from parts.
//
// A Recipe names the parts; New assembles them into a sched.Policy whose decisions are made in fixed steps:
//
//  0. rank: if the order reads profiles and one was learned, all jobs are ranked anew.
//  1. admit: who may run. Jobs let in now can get work in the same plan.
//  2. place: what each node gets that can be served, in the order of jobs.
//  3. speculate: which slow tasks get a second attempt.
//  4. preempt: what is killed to make room.
//  5. scale: which nodes sleep and which wake.
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
//
// Parts for shares and plans will be steps here once there are such parts.
package compose

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/slackline/slackline/sched"
)

// Admission is the part that says which jobs may run.
type Admission interface {
	Admit(v sched.View, batch []sched.Event, p *sched.Plan)
}

// Placement is the part that says what a node gets.
type Placement interface {
	Place(v sched.View, batch []sched.Event, p *sched.Plan)
}

// Speculation is the part that copies slow tasks.
type Speculation interface {
	Speculate(v sched.View, batch []sched.Event, p *sched.Plan)
}

// Preemption is the part that picks victims.
type Preemption interface {
	Preempt(v sched.View, batch []sched.Event, p *sched.Plan)
}

// Scaling is the part that says which nodes are in service.
type Scaling interface {
	Scale(v sched.View, batch []sched.Event, p *sched.Plan)
}

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

// A part with memory implements json.Marshaler and json.Unmarshaler for it.

// Recipe is what a policy is made of.
type Recipe struct {
	Name      string // as people write it, with its parameters
	Order     sched.Order
	Admit     Admission
	Place     Placement
	Speculate Speculation // nil: no task has a second attempt
	Preempt   Preemption  // nil: nothing is killed
	Scale     Scaling     // nil: no node sleeps
}

// Policy is an assembled recipe. It implements sched.Policy and sched.Ranker.
type Policy struct{ r Recipe }

// New assembles a recipe, which must name an order, an admission and a placement.
func New(r Recipe) (*Policy, error) {
	if r.Order == nil || r.Admit == nil || r.Place == nil {
		return nil, fmt.Errorf("policy %q lacks an order, an admission or a placement", r.Name)
	}
	y := &Policy{r}
	for _, part := range y.parts() {
		if f, ok := part.part.(Follower); ok {
			if err := f.Follow(r.Order); err != nil {
				return nil, fmt.Errorf("policy %q: %w", r.Name, err)
			}
		}
	}
	return y, nil
}

// Name returns the policy as people write it.
func (y *Policy) Name() string { return y.r.Name }

// Order returns the order in which the ledger keeps jobs.
func (y *Policy) Order() sched.Order { return y.r.Order }

// Decide runs the parts.
func (y *Policy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if o, ok := y.r.Order.(Student); ok && o.Studies() && learned(batch) {
		p.Rank(0, sched.Because(sched.PlaceChanged))
	}
	y.r.Admit.Admit(v, batch, p) // first, so that a job can start in the batch that brings it
	y.r.Place.Place(v, batch, p) // then whatever is free goes out
	if y.r.Speculate != nil {
		y.r.Speculate.Speculate(v, batch, p) // copies of what is slow take what nobody else wanted
	}
	if y.r.Preempt != nil {
		y.r.Preempt.Preempt(v, batch, p) // then, for those whom that did not help
	}
	if y.r.Scale != nil {
		y.r.Scale.Scale(v, batch, p) // at last, by what still waits
	}
}

// learned tells whether a profile is news.
func learned(batch []sched.Event) bool {
	return slices.ContainsFunc(batch, func(e sched.Event) bool { return e.Kind == sched.ProfileLearned })
}

// Suits tells, in one sentence, what the policy needs and the world cannot do; nil if it can do all.
func (y *Policy) Suits(can *sched.Capabilities) error {
	for _, part := range y.parts() {
		needy, ok := part.part.(Needy)
		if !ok {
			continue
		}
		for _, verb := range needy.Needs() {
			if !can.Can(verb) {
				return fmt.Errorf("policy %q needs a world that can %v (for its %s part), and the world %q cannot", y.r.Name, verb, part.name, can.World)
			}
		}
	}
	return nil
}

// Studies tells whether a part of the policy reads profiles.
func (y *Policy) Studies() bool {
	for _, part := range y.parts() {
		if s, ok := part.part.(Student); ok && s.Studies() {
			return true
		}
	}
	return false
}

type named struct {
	name string
	part any
}

func (y *Policy) parts() []named {
	return []named{{"order", y.r.Order}, {"admit", y.r.Admit}, {"place", y.r.Place}, {"speculate", y.r.Speculate}, {"preempt", y.r.Preempt}, {"scale", y.r.Scale}}
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
	s := saved{Version: version, Policy: y.r.Name, Parts: map[string]json.RawMessage{}}
	for _, part := range y.parts() {
		m, ok := part.part.(json.Marshaler)
		if !ok {
			continue
		}
		text, err := m.MarshalJSON()
		if err != nil {
			return fmt.Errorf("policy %q: saving its %s part: %w", y.r.Name, part.name, err)
		}
		s.Parts[part.name] = text
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
	for _, part := range y.parts() {
		u, ok := part.part.(json.Unmarshaler)
		if !ok {
			continue
		}
		text, ok := s.Parts[part.name]
		if !ok {
			return fmt.Errorf("policy %q: the saved state lacks its %s part", y.r.Name, part.name)
		}
		if err := u.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("policy %q: the saved state of its %s part cannot be read: %w", y.r.Name, part.name, err)
		}
	}
	return nil
}
