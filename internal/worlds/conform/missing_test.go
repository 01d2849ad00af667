package conform

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
)

// A word that nobody has sent, asked for or answered is missed, and no other.
func TestMissingWords(t *testing.T) {
	all := func() *words {
		w := &words{events: map[sched.EventKind]bool{}, controls: map[sched.ControlVerb]bool{}, supplies: map[sched.SupplyKind]bool{},
			outcomes: map[sched.Outcome]bool{}, refused: map[sched.Code]bool{}, verbs: map[order]*use{}}
		for k := range sched.EventKinds {
			w.events[k] = true
		}
		for c := range sched.Controls {
			w.controls[c] = true
		}
		for k := range sched.Supplies {
			w.supplies[k] = true
		}
		for o := range sched.Lost + 1 {
			w.outcomes[o] = true
		}
		for c := range sched.Code(100) {
			w.refused[c] = true
		}
		for v := range sched.Verbs {
			w.verbs[order{"w", v}] = &use{asked: true, answered: true}
		}
		return w
	}
	misses := func(want string, without func(w *words)) {
		t.Helper()
		w := all()
		without(w)
		var wants []string
		if want != "" {
			wants = []string{want}
		}
		if got := w.missing(); !slices.Equal(got, wants) {
			t.Errorf("%q, want %q", got, wants)
		}
	}
	misses("", func(*words) {})
	for k := sched.Resync; k < sched.EventKinds; k++ {
		misses("no world has sent the event "+k.String(), func(w *words) { delete(w.events, k) })
	}
	for c := sched.TakeOver; c < sched.Controls; c++ {
		misses("no world has sent the control "+c.String(), func(w *words) { delete(w.controls, c) })
	}
	for k := sched.NoSupply + 1; k < sched.Supplies; k++ {
		misses("no world has told of the supply "+k.String(), func(w *words) { delete(w.supplies, k) })
	}
	for o := sched.Committed; o <= sched.Lost; o++ {
		misses("no attempt has ended as "+o.String(), func(w *words) { delete(w.outcomes, o) })
	}
	for v := sched.Admit; v < sched.Verbs; v++ {
		o := order{"w", v}
		misses("no world can do "+v.String(), func(w *words) { delete(w.verbs, o) })
		misses("in the world w no plan has asked for "+v.String(), func(w *words) { w.verbs[o] = &use{} })
		misses("in the world w nothing shows that "+v.String()+" was done", func(w *words) { w.verbs[o] = &use{asked: true} })
	}
	for c := sched.UnknownJob; c < sched.Unchanged; c++ {
		misses("nothing was refused as "+c.String(), func(w *words) { delete(w.refused, c) })
	}
}
