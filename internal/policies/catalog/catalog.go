// Package catalog is the one list of policies and parts that people can ask for by name, and the
// grammar in which they ask:
//
//	policy = term { "+" term }
//	term   = name [ "(" [ set { "," set } ] ")" ]
//	set    = key [ "=" value ]
//
// A key alone switches something on: "feasible" is "feasible=true".
//
// The first term may be a scheme; every other is a part, and takes the place of the scheme's part
// of that kind. Without a scheme, jobs stand by arrival, are all admitted, and are placed greedily,
// unless a part says otherwise:
//
//	edf-p
//	fair(preemption=true, fair_timeout=10m)
//	edf+serial+greedy(nonlocal=2)
//
// A scheme whose parts keep a promise together (rtmr, promise) stands alone, but for parts that it names, by
// themselves or as part of another scheme (promise+flow is promise+tradeoff), and parts that work as one (those of
// rds that admit and share) keep their places. A parameter that would do nothing beside the others is an error, as is
// one of a scheme's part whose place another has taken.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/need"
	"github.com/slackline/slackline/internal/policies/ondemand"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/internal/policies/preempt"
	"github.com/slackline/slackline/internal/policies/promise"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/policies/rds"
	"github.com/slackline/slackline/internal/policies/rtmr"
	"github.com/slackline/slackline/internal/policies/scale"
	"github.com/slackline/slackline/internal/policies/schemes"
	"github.com/slackline/slackline/internal/policies/slowstart"
	"github.com/slackline/slackline/internal/policies/speculate"
	"github.com/slackline/slackline/internal/policies/workflow"
)

// All returns every entry, schemes first.
func All() []compose.Entry { return slices.Clone(all) }

// To add a policy or part of one's own, write its package and add its line here.
var all = []compose.Entry{
	schemes.FIFO(),
	schemes.Fair(),
	schemes.Capacity(),
	schemes.EDFN(),
	schemes.EDFP(),
	schemes.DC(),
	rtmr.Entry(),
	promise.Entry(),
	rds.Entry(),
	ondemand.Entry(),
	workflow.DAWSEE(),
	workflow.Flow(),
	order.FIFOEntry(),
	order.FairEntry(),
	order.CapacityEntry(),
	order.EDFEntry(),
	ondemand.OrderEntry(),
	admit.AllEntry(),
	admit.LimitEntry(),
	admit.SerialEntry(),
	admit.ConstraintEntry(),
	placement.GreedyEntry(),
	placement.DelayEntry(),
	placement.MatchmakingEntry(),
	placement.EFHEntry(),
	placement.IdealEntry(),
	placement.WorthEntry(),
	preempt.FairEntry(),
	speculate.Entry(),
	slowstart.Entry(),
	scale.Entry(),
	scale.SlackEntry(),
	ondemand.RequestEntry(),
	need.Entry(),
	workflow.ATPEntry(),
	workflow.TradeOffEntry(),
	workflow.VDSEntry(),
	workflow.DEETSEntry(),
}

// New makes the policy that people have written. An error is one sentence that says where the text is wrong.
func New(text string, q queues.Config) (*compose.Policy, error) { return Of(all, text, q) }

// Of is New with a list of one's own.
func Of(entries []compose.Entry, text string, q queues.Config) (*compose.Policy, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	terms, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := compose.Recipe{Again: func() (*compose.Policy, error) { return Of(entries, text, q) }}
	if err := r.Put(schemes.FIFO(), compose.Args{Queues: q}); err != nil {
		return nil, err
	}
	seen := make(map[compose.Kind]string)
	var scheme compose.Args // of the first term
	whole := ""             // its name, if nothing else goes with it
	var beside []string     // but for these
	var joint []compose.Kind
	for i, t := range terms {
		e, err := find(entries, text, t)
		if err != nil {
			return nil, err
		}
		if e.Kind == compose.KindScheme && i > 0 {
			k := slices.IndexFunc(e.Parts, func(p compose.Entry) bool { return slices.Contains(beside, p.Name) })
			if k < 0 {
				return nil, t.errorf(text, "%q is a whole policy, which must come first", e.Name)
			}
			e = &e.Parts[k]
		}
		if other, twice := seen[e.Kind]; twice {
			return nil, t.errorf(text, "%q and %q are both of kind %q; leave one out", other, e.Name, string(e.Kind))
		}
		if whole != "" && !slices.Contains(beside, e.Name) {
			return nil, t.errorf(text, "%q needs all of its parts to promise deadlines; it cannot be combined with %q", whole, e.Name)
		}
		if slices.Contains(joint, e.Kind) {
			return nil, t.errorf(text, "%q divides the slots by parts of its own; it cannot be combined with %q, which is of kind %q",
				terms[0].name, e.Name, string(e.Kind))
		}
		if e.Whole {
			whole, beside = e.Name, e.Beside
		}
		joint = append(joint, e.Joint...)
		seen[e.Kind] = e.Name
		values, err := settle(e, text, t)
		if err != nil {
			return nil, err
		}
		args := compose.NewArgs(q, e.Params, values)
		if e.Kind == compose.KindScheme {
			scheme = args
		} else if err := idle(scheme, e); err != nil {
			return nil, terms[0].blame(text, err)
		}
		if err := r.Put(*e, args); err != nil {
			return nil, t.blame(text, err)
		}
		if i > 0 {
			r.Name += "+"
		}
		r.Name += print(e, values)
	}
	return compose.New(r)
}

// Part finds a part by its name alone, also one that is part of a scheme and of nothing else.
func Part(name string) (compose.Entry, bool) {
	entries := All()
	for _, e := range all {
		entries = append(entries, e.Parts...)
	}
	i := slices.IndexFunc(entries, func(e compose.Entry) bool { return e.Name == name && e.Kind != compose.KindScheme })
	if i < 0 {
		return compose.Entry{}, false
	}
	return entries[i], true
}

// Terms returns the entries that the terms of a text name.
func Terms(text string) ([]compose.Entry, error) {
	terms, err := parse(text)
	if err != nil {
		return nil, err
	}
	var list []compose.Entry
	for _, t := range terms {
		e, err := find(all, text, t)
		if err != nil {
			return nil, err
		}
		list = append(list, *e)
	}
	return list, nil
}

// idle finds a parameter of the scheme that has nothing to say any more, as a part takes the place
// of the one that reads it.
func idle(scheme compose.Args, part *compose.Entry) error {
	for _, p := range scheme.Params() {
		if p.Part == part.Kind && scheme.Set(p.Name) {
			return scheme.Misused(p.Name, "%s has no effect: %q replaces the %s part that reads it", p.Name, part.Name, string(p.Part))
		}
	}
	return nil
}

func find(entries []compose.Entry, text string, t term) (*compose.Entry, error) {
	at, hint := spelling.Find(t.name, entries, func(e compose.Entry) string { return e.Name })
	if at < 0 && hint == "" {
		hint = "; slackline policies lists them"
	}
	if at < 0 {
		return nil, t.errorf(text, "there is no policy or part %q%s", t.name, hint)
	}
	return &entries[at], nil
}

// settle returns the values of all parameters of an entry, as they are always written.
func settle(e *compose.Entry, text string, t term) (map[string]string, error) {
	values := make(map[string]string, len(e.Params))
	for i := range e.Params {
		p := &e.Params[i]
		v, err := p.Canonical(p.Default)
		if err != nil {
			return nil, fmt.Errorf("the catalogue is wrong: %s: %w", e.Name, err)
		}
		values[p.Name] = v
	}
	given := make(map[string]bool)
	for _, a := range t.args {
		i, hint := spelling.Find(a.key, e.Params, func(p compose.Param) string { return p.Name })
		switch {
		case len(e.Params) == 0:
			return nil, a.errorf(text, "%q has no parameters", e.Name)
		case i < 0 && e.Gone[a.key] != "":
			return nil, a.errorf(text, "%q has no parameter %q any more: %s", e.Name, a.key, e.Gone[a.key])
		case i < 0:
			if hint == "" {
				hint = "; there are: " + strings.Join(each.Of(e.Params, func(p compose.Param) string { return p.Name }), ", ")
			}
			return nil, a.errorf(text, "%q has no parameter %q%s", e.Name, a.key, hint)
		}
		if a.bare && e.Params[i].Type != compose.Switch {
			return nil, a.valueless(text)
		}
		if given[a.key] {
			return nil, a.errorf(text, "%s is set twice", a.key)
		}
		given[a.key] = true
		v, err := e.Params[i].Canonical(a.value)
		if err != nil {
			return nil, a.errorf(text, "%v", err)
		}
		values[a.key] = v
	}
	return values, nil
}

// print writes a term as it is always written: parameters in the order of the catalogue, without
// those at their defaults.
func print(e *compose.Entry, values map[string]string) string {
	s := e.Name
	open := false
	for i := range e.Params {
		p := &e.Params[i]
		if usual, err := p.Canonical(p.Default); err == nil && values[p.Name] == usual {
			continue
		}
		if open {
			s += ","
		} else {
			s += "("
		}
		open = true
		s += p.Name + "=" + values[p.Name]
	}
	if open {
		s += ")"
	}
	return s
}
