package sched_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/preempt"
	"github.com/slackline/slackline/internal/policies/promise"
	"github.com/slackline/slackline/internal/policies/rtmr"
	"github.com/slackline/slackline/internal/policies/scale"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The sentences that people read.
func TestReasonsAsSentences(t *testing.T) {
	s := int64(units.Second)
	for want, r := range map[string]sched.Reason{
		"": {},
		"how many reduce tasks it has is not known yet: it runs without a promise":                              sched.Because(estimate.CountUnknown, int64(sched.Reduce)),
		"it had begun before the scheduler took over":                                                           sched.Because(sched.Begun),
		"what its place in the order depends on has changed":                                                    sched.Because(sched.PlaceChanged),
		"first in the order with work for this node":                                                            sched.Because(sched.FirstInOrder, 3),
		"this policy admits every job":                                                                          sched.Because(sched.AdmitAll),
		"its turn: 2 of at most 5 jobs are running":                                                             sched.Because(admit.SlotOfOrder, 2, 5),
		"waits: 5 jobs run, the limit is 5":                                                                     sched.Because(admit.OverLimit, 5, 5),
		"a pool has had 1 slot of its minimum share of 4 for 30.0 s":                                            sched.Because(preempt.MinShare, 1, 4, 30*s),
		"a pool has had 1 slot, below half of its fair share of 9, for 1:00 min":                                sched.Because(preempt.FairShare, 1, 9, 60*s),
		"would finish at 2:00 min, 30.0 s after its deadline":                                                   sched.Because(rtmr.Late, 90*s, 120*s),
		"would never finish; its deadline is at 1:30 min":                                                       sched.Because(rtmr.Late, 90*s, int64(units.Never)),
		"would make job 7 miss its promised deadline: that would finish at 2:00 min, 30.0 s after its deadline": {Cause: rtmr.BreaksPromise, Job: 7, A: 90 * s, B: 120 * s},
		"it needs 1 map slot at 1.0 s, and 0 are free then":                                                     sched.Because(admit.MapSlotsTaken, 1, -2, s),
		"it needs 2 reduce slots at 1.0 s, and 1 is free then":                                                  sched.Because(admit.ReduceSlotsTaken, 2, 1, s),
		"waits: 1 job runs, the limit is 1":                                                                     sched.Because(admit.OverLimit, 1, 1),
		"a lent slot falls due: 1 task with a promise or of a sample waits, others hold 1 slot":                 sched.Because(rtmr.SlotDue, 1, 1),
		"nothing has run on it since 7.0 s, and 1 node is awake":                                                sched.Because(scale.NodeIdle, 7*s, 1),
		"1 task waits for which no node that is awake has room":                                                 sched.Because(scale.NoRoomAwake, 1),
		"its deadline at 9.0 s has passed":                                                                      sched.Because(rtmr.DeadlinePassed, 9*s),
		"its master stage takes something other than one slot for each task, and only slots can be promised":    sched.Because(estimate.NotSlots, int64(sched.Master)),
		"it needs reduce slots, but no node has one":                                                            sched.Because(estimate.NoSlots, int64(sched.Reduce)),
		"it needs stage6 slots, but no node has one":                                                            sched.Because(estimate.NoSlots, 99),
		"there is no profile of its class: 3 of its maps are measured first":                                    sched.Because(rtmr.Sampling, 3),
		"a lent slot falls due: 3 tasks with a promise or of a sample wait, others hold 5 slots":                sched.Because(rtmr.SlotDue, 3, 5),
		"alone on this cluster it takes 4:12 min at worst (its maps 1:00 min, its reduces 3:12 min), and its deadline is in 3:00 min, 1:12 min before that": sched.Because(estimate.AloneLate, 180*s, 252*s, 60*s),
		"alone on this cluster it takes 4:12 min on average, and its deadline is in 3:00 min, 1:12 min before that":                                         sched.Because(estimate.AloneLateMean, 180*s, 252*s, 252*s),
		"alone on this cluster it takes 4:12 min at worst, and its deadline is in 4:12 min, 90 ms before that":                                              sched.Because(estimate.AloneLate, 252*s-s*9/100, 252*s, 0),
		"alone on this cluster it takes 9.0 s at worst, and its deadline has passed":                                                                        sched.Because(estimate.AloneLate, -s, 9*s, 0),
		"it needs 3 reduce slots at once, but the cluster has 2":                                                                                            sched.Because(estimate.TooFewSlots, 3, 2, int64(sched.Reduce)),
		"a slot that no promise needs":                                                 sched.Because(rtmr.LeftOver),
		"its reduces wait for its last map":                                            sched.Because(estimate.MapsFirst),
		"the profile of its class gives no worst case, so no deadline can be promised": sched.Because(estimate.Unbounded),
		"its last map has ended":                                                       sched.Because(estimate.MapsOver),
		"asked to be woken at 7.0 s":                                                   sched.Because(sched.Wakeup, 7*s),
	} {
		if got := r.String(); got != want {
			t.Errorf("%v reads %q, want %q", r.Cause, got, want)
		}
	}
	if diff := cmp.Diff(sched.Reason{Cause: preempt.MinShare, A: 1, B: 2, C: 3}, sched.Because(preempt.MinShare, 1, 2, 3, 4)); diff != "" {
		t.Error(diff)
	}
}

// A plan knows what has been the case, and who reads it what jobs are called.
func TestWhy(t *testing.T) {
	s := int64(units.Second)
	var p sched.Plan
	p.Reset(nil)
	p.Admit(1, sched.Outlook{}, p.Because(sched.Because(sched.AdmitAll), sched.Evidence{Job: 9}))
	late := p.Because(sched.Because(rtmr.Late, 90*s, 120*s, int64(sched.Map)), sched.Evidence{Job: 7, At: 80e9, Amount: 40}, sched.Evidence{Job: 8, At: 85e9, Amount: 1})
	p.Reject(2, sched.Offer(130e9, true), late)
	p.Reject(3, sched.Outlook{}, sched.Reason{Cause: rtmr.BreaksPromise, Job: 7, A: 90 * s, B: 120 * s})
	p.Add(sched.Item{Verb: sched.Reject, Job: 5, Reason: sched.Reason{Cause: rtmr.Late, B: 1, Evidence: sched.Span{5, 99}}})
	spec := func(j sched.JobID) *workload.Job {
		return &workload.Job{ID: fmt.Sprintf("j%d", j), Arrive: units.Time(j-1) * 1e9}
	}
	for i, want := range []string{"this policy admits every job",
		"would finish at 2:00 min, 30.0 s after its deadline; j7 holds 40 map slots until 1:20 min; j8 holds 1 map slot until 1:25 min; the earliest deadline that would be accepted is 2:10 min (2:09 min after its submission)",
		"would make j7 miss its promised deadline: that would finish at 2:00 min, 30.0 s after its deadline", "would finish at 0 s, 0 s after its deadline"} {
		if got := p.Why(&p.Items[i], spec); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	inexact := sched.Item{Verb: sched.Reject, Job: 1, Outlook: sched.Offer(130e9, false), Reason: sched.Because(rtmr.DeadlinePassed, 1e9)}
	if got, want := p.Why(&inexact, nil), "its deadline at 1.0 s has passed; a deadline of 2:10 min would be accepted, an earlier one perhaps as well"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// What would be accepted is rounded up: who asks for that gets it.
	sampled := sched.Item{Verb: sched.Reject, Job: 3, Outlook: sched.Outlook{Word: sched.NoEarlier, Measured: 3, By: 14_087_000_001}, Reason: sched.Because(rtmr.Late, 7*s+6_174_339_694, 14_087_000_001)}
	if got, want := p.Why(&sampled, spec), "by an estimate from a sample of 3 maps: would finish at 14.1 s, 913 ms after its deadline; the earliest deadline that would be accepted is 14.1 s (12.1 s after its submission)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := p.Why(&p.Items[2], nil), "would make job 7 miss its promised deadline: that would finish at 2:00 min, 30.0 s after its deadline"; got != want {
		t.Error(got)
	}
	// Three of those who hold slots are named; one that has finished, and what runs without a promise, have no name.
	many := p.Because(sched.Because(admit.ReduceSlotsTaken, 9, -1, 60*s), sched.Evidence{Job: 7, At: 80e9, Amount: 4}, sched.Evidence{Job: 0, At: 85e9, Amount: 3}, sched.Evidence{Job: -2, At: 90e9, Amount: 1}, sched.Evidence{sched.Others, 2, 3})
	p.Reject(6, sched.Outlook{}, many)
	if got, want := p.Why(&p.Items[len(p.Items)-1], spec), "it needs 9 reduce slots at 1:00 min, and 0 are free then; j7 holds 4 reduce slots until 1:20 min at the latest; "+
		"what was promised to jobs that have finished holds 3 reduce slots until 1:25 min at the latest; what runs without a promise holds 1 reduce slot until 1:30 min at the latest; 2 more jobs hold 3 reduce slots"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// What is measured is told with three digits or so, and what never comes as that.
func TestReasonsRound(t *testing.T) {
	for finish, want := range map[int64]string{1747319641: "1.7 s", 3999999: "4 ms", 199_235_085_856: "3:19 min", int64(units.Never): "never"} {
		if got, say := sched.Because(rtmr.Late, 0, finish).String(), "would finish at "+want; !strings.HasPrefix(got, say) && want != "never" {
			t.Errorf("%q, want %q", got, say)
		}
	}
}

// A sentence names what the job is told.
func TestOutlooksAsSentences(t *testing.T) {
	s := int64(units.Second)
	by, half := units.Time(60*s), units.Time(50*s)
	for want, it := range map[string]sched.Item{
		"accepted: promised by its deadline at 1:30 min":                                                 {Reason: sched.Because(estimate.Promised, 90*s)},
		"accepted: expected to finish by 1:00 min as things stand, promised by its deadline at 1:30 min": {Outlook: sched.Outlook{By: by}, Reason: sched.Because(estimate.Promised, 90*s)},
		"is expected to finish by 1:00 min, deadline at 1:30 min: an estimate from a sample of 3 maps, not a worst case": {
			Outlook: sched.Outlook{By: by, Measured: 3}, Reason: sched.Because(rtmr.Estimated, 90*s)},
		"is expected to finish by 1:00 min, deadline at 1:30 min: an estimate from a sample of 1 map, not a worst case": {
			Outlook: sched.Outlook{By: by, Measured: 1}, Reason: sched.Because(rtmr.Estimated, 90*s)},
		"accepted: promised by its deadline at 1:30 min with 99 %; as things stand it is done by 1:00 min with 99 %, by 50.0 s with 50 %, by 55.0 s with 90 %": {
			Outlook: sched.Outlook{By: by, Confidence: 990_000, Half: half, Ninety: units.Time(55 * s)}, Reason: sched.Because(estimate.Likely, 90*s)},
		"now done by 1:00 min with 90 %, by 50.0 s with 50 %, 5.0 s later: the tasks before its own are slower than expected": {
			Outlook: sched.Outlook{By: by, Confidence: 900_000, Half: half, Ninety: by}, Reason: sched.Because(promise.AheadMoved, 5*s)},
		"would be done by 2:00 min with 95 %, and its deadline is at 1:30 min: it would meet that with 83 %": {
			Outlook: sched.Outlook{Confidence: 950_000}, Reason: sched.Because(promise.Unlikely, 90*s, 120*s, 170_000)},
	} {
		if got := new(sched.Plan).Why(&it, nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A cause that nobody declares is told by its name, with its numbers as they are.
func TestUnknownCauses(t *testing.T) {
	declared := []*sched.Cause{sched.AdmitAll, admit.OverLimit}
	for want, r := range map[string]sched.Reason{
		"waits: 5 jobs run, the limit is 5": sched.Because(sched.CauseNamed("over-limit", declared), 5, 5),
		"from-mars (1, 0, 3)":               sched.Because(sched.CauseNamed("from-mars", declared), 1, 0, 3),
		"from-venus":                        sched.Because(sched.CauseNamed("from-venus", nil)),
	} {
		if got := r.String(); got != want {
			t.Errorf("%v reads %q, want %q", r.Cause, got, want)
		}
	}
}

// A cause of another program may say anything: what is not understood stays as it is, and nothing is lost.
func TestSentencesOfStrangers(t *testing.T) {
	numbers := []sched.Number{sched.Count.Named("n", "so many", 3), sched.Shift.Named("late", "by so much", -5e9), sched.Resource.Named("r", "memory", 0), sched.Count.Named("four", "never told", 0)}
	for text, want := range map[string]string{
		"{n} {n?slot|slots}": "3 slots", "[n?yes [late?later|{late} sooner]|no]": "yes 5.0 s sooner", "{n-n} {n-late}": "0 5000000003",
		"{what}": "{what}", "{n": "3", "[n?{n": "3", "}": "}", "[what?a|b]": "b", "[n]": "", "{four}": "{four}", "{job} by {by}": "job 7 by 0 s", "{at} {others}": "{at} {others}",
		"{r}": "3B", "{confidence} {half}{ninety}{measured}": "0 % 0 s0 s0",
	} {
		r := sched.Reason{Cause: &sched.Cause{Name: "x", Text: text, Numbers: numbers}, Job: 7, A: 3, B: -5e9, C: int64(units.Memory)}
		if got := r.String(); got != want {
			t.Errorf("%q reads %q, want %q", text, got, want)
		}
	}
}

func FuzzSentence(f *testing.F) {
	f.Add("[n?{n} {n?slot|slots}|none] until {by}{job}", int64(3), int64(-1))
	f.Fuzz(func(t *testing.T, text string, n, m int64) {
		for unit := sched.Count; unit <= sched.Resource; unit++ {
			numbers := []sched.Number{unit.Named("n", "", 0), unit.Named("m", "", 0)}
			var p sched.Plan
			p.Reset(nil)
			p.Admit(1, sched.Outlook{}, p.Because(sched.Reason{Cause: &sched.Cause{Name: "x", Text: text, Numbers: numbers, Each: []sched.Piece{{Text: text, Unit: unit}}}, A: n, B: m, C: n},
				sched.Evidence{Job: sched.JobID(m), At: units.Time(n), Amount: m}, sched.Evidence{Job: sched.Others}))
			p.Why(&p.Items[0], nil)
		}
	})
}
