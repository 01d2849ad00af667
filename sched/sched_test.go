package sched

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Ratio sorts as the exact ratio does, but for differences below its resolution.
func TestRatioSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<40)
		d := rapid.Int64Range(1, 1<<20)
		a, b, c, e := n.Draw(t, "a"), d.Draw(t, "b"), n.Draw(t, "c"), d.Draw(t, "d")
		exact := big.NewRat(a, b).Cmp(big.NewRat(c, e))
		x, y := Ratio(a, b), Ratio(c, e)
		if exact < 0 && x > y || exact > 0 && x < y || exact == 0 && x != y {
			t.Fatalf("%d/%d is %d, %d/%d is %d", a, b, x, c, e, y)
		}
	})
	if Ratio(3, 0) != Ratio(3, 1) {
		t.Error("a share of nothing")
	}
}

func TestKeysAreInLine(t *testing.T) {
	key := rapid.Custom(func(t *rapid.T) Key {
		return Key{rapid.Int64Range(0, 2).Draw(t, "0"), rapid.Int64Range(0, 2).Draw(t, "1"), rapid.Int64Range(0, 2).Draw(t, "2")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := key.Draw(t, "a"), key.Draw(t, "b"), key.Draw(t, "c")
		if a.Less(a) || a.Less(b) && b.Less(a) || a != b && !a.Less(b) && !b.Less(a) || a.Less(b) && b.Less(c) && !a.Less(c) {
			t.Fatalf("%v %v %v", a, b, c)
		}
	})
}

// Everything has a name of its own, and every reason a sentence.
func TestNames(t *testing.T) {
	unique := func(what string, n int, name func(i int) string) {
		seen := map[string]bool{}
		for i := range n {
			if s := name(i); s == "" || s == "unknown" || seen[s] {
				t.Errorf("%s %d is called %q", what, i, s)
			} else {
				seen[s] = true
			}
		}
		if name(n) != "unknown" {
			t.Errorf("%s %d has the name %q", what, n, name(n))
		}
	}
	unique("event", int(EventKinds), func(i int) string { return EventKind(i).String() })
	unique("verb", int(Verbs), func(i int) string { return Verb(i).String() })
	unique("locality", int(Remote)+1, func(i int) string { return Locality(i).String() })
	unique("outcome", int(Lost)+1, func(i int) string { return Outcome(i).String() })
	unique("state", int(Finished)+1, func(i int) string { return JobState(i).String() })
	unique("reason", int(Custom)+1, func(i int) string { return Code(i).String() })
	unique("refusal", int(Gone-UnknownJob)+1, func(i int) string { return (UnknownJob + Code(i)).String() })
	unique("rule", int(FewestLocalFirst)+1, func(i int) string { return BindRule(i).String() })
	for c := FirstInOrder; c < Custom; c++ {
		if s := Because(c, 1, 2, 3).String(); s == "" || s == c.String() {
			t.Errorf("reason %v has no sentence", c)
		}
	}
	for c := UnknownJob; c <= Gone; c++ {
		if s := Because(c, 1).String(); s == "" || s == c.String() {
			t.Errorf("refusal %v has no sentence", c)
		}
	}
}

type stingy struct{ asked int }

func (s *stingy) Propose(_ *Plan, it *Item) Code {
	s.asked++
	if it.Verb == Hold {
		return TooLate
	}
	return OK
}

// A plan without a book takes everything; with one it asks for each item, and keeps those refused with the reason.
func TestPlans(t *testing.T) {
	var p Plan
	if !p.Hold(1, Reason{}) || !p.Start(1, Map, 2, 3, Remote, Reason{}) || len(p.Items) != 2 {
		t.Errorf("%+v", p.Items)
	}
	book := &stingy{}
	p.Reset(book)
	if len(p.Items) != 0 || !p.Admit(1, Because(AdmitAll)) || p.Hold(2, Reason{}) || !p.Preempt(3, Reduce, 2, Reason{}) || !p.WakeMe(7, Reason{}) || !p.Reject(4, 9, Reason{}) {
		t.Errorf("%+v", p.Items)
	}
	if book.asked != 5 || len(p.Items) != 5 || p.Items[1].Refused != TooLate || p.Items[0].Refused != OK || p.Items[2].Outcome != Preempted || p.Items[4].At != 9 {
		t.Errorf("asked %d: %+v", book.asked, p.Items)
	}
}
