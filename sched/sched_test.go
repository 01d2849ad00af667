package sched

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Ratio sorts as the exact ratio does, but for differences below its resolution.
func TestRatioSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// small ones, so that ratios are often equal
		n := rapid.OneOf(rapid.Int64Range(0, 1<<43-1), rapid.Int64Range(0, 20))
		d := rapid.OneOf(rapid.Int64Range(1, math.MaxInt64), rapid.Int64Range(1, 20))
		a, b, c, e := n.Draw(t, "a"), d.Draw(t, "b"), n.Draw(t, "c"), d.Draw(t, "d")
		exact := big.NewRat(a, b).Cmp(big.NewRat(c, e))
		x, y := Ratio(a, b), Ratio(c, e)
		if gap := new(big.Rat).Sub(big.NewRat(a, b), big.NewRat(c, e)); gap.Abs(gap).Cmp(big.NewRat(1, 1<<20)) >= 0 && x == y {
			t.Fatalf("%d/%d and %d/%d are far apart, and both %d", a, b, c, e, x)
		}
		if x < 0 || y < 0 || exact < 0 && x > y || exact > 0 && x < y || exact == 0 && x != y {
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
	unique("refusal", int(codes-UnknownJob), func(i int) string { return (UnknownJob + Code(i)).String() })
	unique("control", int(Controls), func(i int) string { return ControlVerb(i).String() })
	for c := UnknownJob; c < codes; c++ {
		if s := c.Sentence(); s == "" || s == c.String() {
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
	if len(p.Items) != 0 || !p.Admit(1, Outlook{}, Because(AdmitAll)) || p.Hold(2, Reason{}) || !p.Preempt(3, Reduce, 2, Reason{}) || !p.WakeMe(7, Reason{}) || !p.Reject(4, Offer(9, true), Reason{}) {
		t.Errorf("%+v", p.Items)
	}
	if book.asked != 5 || len(p.Items) != 5 || p.Items[1].Refused != TooLate || p.Items[0].Refused != OK || p.Items[2].Outcome != Preempted || p.Items[4].Outlook.By != 9 {
		t.Errorf("asked %d: %+v", book.asked, p.Items)
	}
}

// What a world lacks, and only that, it cannot do.
func TestWhatWorldsCanDo(t *testing.T) {
	needs := map[Verb]Capabilities{Kill: {Kill: true}, Speculate: {Speculate: true}, SetTasks: {Mold: true}, Sleep: {Power: true}, Wake: {Power: true}}
	for v := range Verbs {
		with, special := needs[v]
		if least := (&Capabilities{}).Can(v); least == special {
			t.Errorf("%v in a world that can do nothing: %v", v, least)
		}
		if special && !with.Can(v) {
			t.Errorf("%v with %+v is impossible", v, with)
		}
		if all := (&Capabilities{Bind: true, Kill: true, Speculate: true, Mold: true, Power: true}).Can(v); !all {
			t.Errorf("%v in a world that binds and can do all: %v", v, all)
		}
	}
	for k := range EventKinds {
		if want := slices.Contains([]EventKind{Granted, Started, Progress, Discrepancy}, k); k.Confirms() != want {
			t.Errorf("%v confirms: %v", k, !want)
		}
	}
}

// The book writes on the item in the plan, not on a copy; Reset lets go of the book and of all arenas.
func TestTheBookSeesTheItem(t *testing.T) {
	var p Plan
	p.Reset(binder{})
	if !p.Start(1, Map, 2, 1, Remote, Because(FirstInOrder)) || !p.Items[0].Held || p.Items[0].Tasks.Len() != 1 || p.Bound[p.Items[0].Tasks.From] != (Bound{7, NodeLocal}) {
		t.Errorf("%+v", p)
	}
	if want := (Item{Verb: Start, Job: 1, Stage: Map, Node: 2, Count: 1, Locality: Remote, Reason: Because(FirstInOrder), Held: true, Tasks: Span{0, 1}}); p.Items[0] != want {
		t.Errorf("%+v, want %+v", p.Items[0], want)
	}
	p.Evidence, p.Victims = append(p.Evidence, Evidence{}), append(p.Victims, 1)
	if p.Reset(nil); len(p.Items)+len(p.Bound)+len(p.Evidence)+len(p.Victims) != 0 {
		t.Errorf("%+v", p)
	}
	if !p.Hold(1, Reason{}) || p.Items[0].Held {
		t.Errorf("%+v", p.Items)
	}
	var f Flat
	if f.Path(nil) != nil || f.QueueKey(nil, nil, Map) != (Key{}) || !f.Open(nil, nil, Map) {
		t.Error("a flat order has queues")
	}
}

type binder struct{}

func (binder) Propose(p *Plan, it *Item) Code {
	it.Held, it.Tasks = true, Span{int32(len(p.Bound)), int32(len(p.Bound)) + 1}
	p.Bound = append(p.Bound, Bound{7, NodeLocal})
	return OK
}

// A plan that takes at most so many items stops whoever adds more, and lets other panics through.
func TestAtMost(t *testing.T) {
	var p Plan
	went := 0
	p.AtMost(2, func() {
		for {
			p.WakeMe(9, Reason{})
			went++
		}
	})
	if len(p.Items) != 2 || went != 2 {
		t.Errorf("%d items, %d added", len(p.Items), went)
	}
	if !p.WakeMe(9, Reason{}) || len(p.Items) != 3 {
		t.Error("the bound outlives what it was for")
	}
}

// What is left of a stage is what it has not done, and no less than is asked for.
func TestLeft(t *testing.T) {
	for want, tally := range map[int32]Tally{0: {Total: 3, Done: 4}, 1: {Total: 3, Done: 3, Open: 1}, 2: {Total: 3, Done: 1, Open: -1, Occupied: 2}, 5: {Total: 3, Open: 5}} {
		if got := tally.Left(); got != want {
			t.Errorf("of %+v are left %d, want %d", tally, got, want)
		}
	}
}
