package sched

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// Ratio sorts as the exact ratio does, but for differences below its resolution.
func TestRatioSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Int64Range(0, 1<<43-1), rapid.Int64Range(0, 20)) // small ones, so that ratios are often equal
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
	unique("reason", int(Unbounded)+1, func(i int) string { return Code(i).String() })
	unique("refusal", int(Unchanged-UnknownJob)+1, func(i int) string { return (UnknownJob + Code(i)).String() })
	unique("control", int(Controls), func(i int) string { return ControlVerb(i).String() })
	for c := FirstInOrder; c <= TooFewSlots; c++ {
		if c == Custom {
			continue // its text is the item's
		}
		if s := Because(c, 1, 2, 3).String(); s == "" || s == c.String() {
			t.Errorf("reason %v has no sentence", c)
		}
	}
	for c := UnknownJob; c <= Unchanged; c++ {
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

// The sentences that people read.
func TestReasonsAsSentences(t *testing.T) {
	s := int64(units.Second)
	for want, r := range map[string]Reason{
		"":        {},
		"custom":  Because(Custom),
		"unknown": {Code: 40},
		"first in the order with work for this node":                                                                                Because(FirstInOrder, 3),
		"this policy admits every job":                                                                                              Because(AdmitAll),
		"its turn: 2 of at most 5 jobs run":                                                                                         Because(SlotOfOrder, 2, 5),
		"waits: 5 jobs run, the limit is 5":                                                                                         Because(OverLimit, 5, 5),
		"a pool has had 1 slot of its minimum share of 4 for 30.0 s":                                                                Because(MinShare, 1, 4, 30*s),
		"a pool has had 1 slot, below half of its fair share of 9, for 60.0 s":                                                      Because(FairShare, 1, 9, 60*s),
		"would finish at 2:00 min, 30.0 s after its deadline":                                                                       Because(Deadline, 90*s, 120*s),
		"would never finish; its deadline is at 90.0 s":                                                                             Because(Deadline, 90*s, int64(units.Never)),
		"accepted: expected to finish by 60.0 s as things stand, promised by its deadline at 90.0 s":                                Because(Promised, 90*s, 60*s),
		"is expected to finish by 60.0 s, deadline at 90.0 s: an estimate from a sample of 3 maps, not a worst case":                Because(Estimated, 90*s, 60*s, 3),
		"would make job 7 miss its deadline, which is promised: that would finish at 2:00 min, 30.0 s after its deadline":           {Code: BreaksPromise, Job: 7, A: 90 * s, B: 120 * s},
		"is expected to finish by 60.0 s, deadline at 90.0 s: an estimate from a sample of 1 map, not a worst case":                 Because(Estimated, 90*s, 60*s, 1),
		"it needs 1 map slot at 1.0 s, and 0 are free then":                                                                         Because(MapSlotsTaken, 1, -2, s),
		"it needs 2 reduce slots at 1.0 s, and 1 is free then":                                                                      Because(ReduceSlotsTaken, 2, 1, s),
		"waits: 1 job runs, the limit is 1":                                                                                         Because(OverLimit, 1, 1),
		"a slot falls due that was left over: 1 task with a promise or of a sample waits, others hold 1 slot":                       Because(SlotDue, 1, 1),
		"nothing has run on it since 7.0 s, and 1 node is awake":                                                                    Because(NodeIdle, 7*s, 1),
		"1 task waits for which no node that is awake has room":                                                                     Because(NoRoomAwake, 1),
		"the job already occupies the 1 slot it was given":                                                                          Because(AtLimit, 1),
		"its deadline at 9.0 s has passed":                                                                                          Because(DeadlinePassed, 9*s),
		"its master stage takes more or other than one slot for each task, and slots are all that can be promised":                  Because(NotSlots, int64(Master)),
		"it needs reduce slots, and no node has one":                                                                                Because(NoSlots, int64(Reduce)),
		"it needs stage6 slots, and no node has one":                                                                                Because(NoSlots, 99),
		"nothing is known of what its class costs: 3 of its maps are measured first":                                                Because(Sampling, 3),
		"jobs without a promise hold all map slots, and how long is not known; deadline at 90.0 s":                                  Because(AllLent, 90*s, int64(Map)),
		"a slot falls due that was left over: 3 tasks with a promise or of a sample wait, others hold 5 slots":                      Because(SlotDue, 3, 5),
		"alone on this cluster it takes 4:12 min at worst (its maps 60.0 s, its reduces 3:12 min), and its deadline is in 3:00 min": Because(AloneLate, 180*s, 252*s, 60*s),
		"alone on this cluster it takes 4:12 min on average, and its deadline is in 3:00 min":                                       Because(AloneLateMean, 180*s, 252*s, 252*s),
		"alone on this cluster it takes 4:12 min at worst, and its deadline is 90 ms before that":                                   Because(AloneLate, 252*s-s*9/100, 252*s, 0),
		"alone on this cluster it takes 9.0 s at worst, and its deadline has passed":                                                Because(AloneLate, -s, 9*s, 0),
		"it needs 3 reduce slots at once, and the cluster has 2":                                                                    Because(TooFewSlots, 3, 2, int64(Reduce)),
		"a slot that no promise needs":                                                                                              Because(LeftOver),
		"its reduces wait for its last map":                                                                                         Because(MapsFirst),
		"what is known of its class sets no time by which it would finish, so no deadline can be promised":                          Because(Unbounded),
		"its last map has ended":                            Because(MapsOver),
		"asked to be woken at 7.0 s":                        Because(Wakeup, 7*s),
		"the job already occupies the 6 slots it was given": Because(AtLimit, 6),
		"there is no such job":                              Because(UnknownJob),
		"there is no such node":                             Because(UnknownNode),
		"there is no such attempt, or it has ended":         Because(UnknownAttempt),
		"the job may not run yet":                           Because(NotAdmitted),
		"the stage may not start yet":                       Because(NotReady),
		"the stage is withheld":                             Because(Withheld),
		"no open task is that near":                         Because(NoTask),
		"the node has no room for the container":            Because(NoRoom),
		"the node is down, asleep or draining":              Because(NodeAway),
		"the node lacks a label that the job asks for":      Because(WrongLabels),
		"this world cannot do that":                         Because(CannotDo),
		"another item of its group was refused":             Because(GroupBroken),
		"its time to live has passed":                       Because(Expired),
		"it is too late for that":                           Because(TooLate),
		"the world has moved on":                            Because(Stale),
		"the item makes no sense":                           Because(BadItem),
		"the world lost it":                                 Because(Gone),
	} {
		if got := r.String(); got != want {
			t.Errorf("%v reads %q, want %q", r.Code, got, want)
		}
	}
	if diff := cmp.Diff(Reason{Code: MinShare, A: 1, B: 2, C: 3}, Because(MinShare, 1, 2, 3, 4)); diff != "" {
		t.Error(diff)
	}
}

// A plan knows what has been the case, and who reads it what jobs are called.
func TestWhy(t *testing.T) {
	s := int64(units.Second)
	var p Plan
	p.Reset(nil)
	p.Admit(1, p.Because(Because(AdmitAll), Evidence{Job: 9}))
	late := p.Because(Because(Deadline, 90*s, 120*s, int64(Map)), Evidence{Job: 7, At: 80e9, Amount: 40}, Evidence{Job: 8, At: 85e9, Amount: 1})
	p.Reject(2, 130e9, late)
	p.Reject(3, 0, Reason{Code: BreaksPromise, Job: 7, A: 90 * s, B: 120 * s})
	p.Add(Item{Verb: Reject, Job: 4, At: 1, Text: "no", Reason: late})
	p.Add(Item{Verb: Reject, Job: 5, Reason: Reason{Code: Deadline, Evidence: Span{5, 99}}})
	spec := func(j JobID) *workload.Job {
		return &workload.Job{ID: fmt.Sprintf("j%d", j), Arrive: units.Time(j-1) * 1e9}
	}
	for i, want := range []string{"this policy admits every job",
		"would finish at 2:00 min, 30.0 s after its deadline; j7 holds 40 map slots until 80.0 s; j8 holds 1 map slot until 85.0 s; the earliest deadline that would be accepted is 2:10 min (2:09 min after its submission)",
		"would make j7 miss its deadline, which is promised: that would finish at 2:00 min, 30.0 s after its deadline", "no", "would finish at 0 s, 0 s after its deadline"} {
		if got := p.Why(&p.Items[i], spec); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	inexact := Item{Verb: Reject, Job: 1, At: 130 * 1e9, Value: 1, Reason: Because(DeadlinePassed, 1e9)}
	if got, want := p.Why(&inexact, nil), "its deadline at 1.0 s has passed; a deadline of 2:10 min would be accepted, an earlier one perhaps as well"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// What would be accepted is rounded up: who asks for that gets it.
	sampled := Item{Verb: Reject, Job: 3, Count: 3, At: 14_087_000_001, Reason: Because(Deadline, 7*s+6_174_339_694, 14_087_000_001)}
	if got, want := p.Why(&sampled, spec), "by an estimate from a sample of 3 maps: would finish at 14.1 s, 913 ms after its deadline; the earliest deadline that would be accepted is 14.1 s (12.1 s after its submission)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := p.Why(&p.Items[2], nil), "would make job 7 miss its deadline, which is promised: that would finish at 2:00 min, 30.0 s after its deadline"; got != want {
		t.Error(got)
	}
	// Three of those who hold slots are named; one that has finished, and what runs without a promise, have no name.
	many := p.Because(Because(ReduceSlotsTaken, 9, -1, 60*s), Evidence{Job: 7, At: 80e9, Amount: 4}, Evidence{Job: 0, At: 85e9, Amount: 3}, Evidence{Job: -2, At: 90e9, Amount: 1}, Evidence{8, 95e9, 2}, Evidence{9, 95e9, 1})
	p.Reject(6, 0, many)
	if got, want := p.Why(&p.Items[len(p.Items)-1], spec), "it needs 9 reduce slots at 60.0 s, and 0 are free then; j7 holds 4 reduce slots until 80.0 s at the latest; "+
		"what was promised to jobs that have finished holds 3 reduce slots until 85.0 s at the latest; what runs without a promise holds 1 reduce slot until 90.0 s at the latest; 2 more jobs hold 3 reduce slots"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
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
		if all := (&Capabilities{Bind: true, Kill: true, Speculate: true, Mold: true, Power: true}).Can(v); all != (v != CapHeadroom) {
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

// What is measured is told with three digits or so, and what never comes as that.
func TestReasonsRound(t *testing.T) {
	for finish, want := range map[int64]string{1747319641: "1.7 s", 3999999: "4 ms", 199_235_085_856: "3:19 min", int64(units.Never): "never"} {
		if got, say := Because(Promised, int64(units.Never), finish).String(), "accepted: expected to finish by "+want+" as things stand, promised by its deadline at never"; got != say {
			t.Errorf("%q, want %q", got, say)
		}
	}
}

// Reasons that speak of the book, not of what a policy reckons.
func TestReasonsOfTheBook(t *testing.T) {
	for want, r := range map[string]Reason{
		"how many reduce tasks it has is not known yet, and its deadline is not tested before": Because(CountUnknown, int64(Reduce)),
		"the stock scheduler places work now":                                                  Because(Yielded),
		"the scheduler only watches":                                                           Because(Watched),
		"it stands so already":                                                                 Because(Unchanged),
		"it had begun before the scheduler took over":                                          Because(Begun),
		"what its place in the order follows has changed":                                      Because(PlaceChanged),
	} {
		if got := r.String(); got != want {
			t.Errorf("%v reads %q, want %q", r.Code, got, want)
		}
	}
}
