package rtmr

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// TestBounds compares the bounds, some of them of an earlier time, and the bound of the delay by a
// claim with the finishes in the literal queue. Then all jobs that wait get little slack, and the
// verdict must be that of the literal queue too.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			h.step()
		}
		jobs := h.l.queue(h.now, h.l.jobs)
		for i := range h.s.bounded {
			if m := &h.s.members[i]; m.phase == waiting && m.bound.at(h.now) < jobs[i].e {
				t.Fatalf("at %v job %d would finish at %v, the bound of %v is %v", h.now, m.Job, jobs[i].e, m.bound.asked, m.bound.finish)
			}
		}
		last := units.Time(0)
		for i := h.s.started; i < len(jobs); i++ {
			if jobs[i].e == units.Never {
				return
			}
			last = max(last+1, jobs[i].e.Add(h.duration("slack")*units.Duration(rapid.IntRange(0, 5).Draw(t, "times"))))
			h.s.members[i].Deadline, h.l.jobs[i].Deadline = last, last
		}
		h.s.seek(h.now, len(jobs)) // bounds for all
		for range 3 {
			c := h.claim()
			p := h.s.position(&c)
			h.s.seek(h.now, p)
			behind, _ := h.l.insert(c)
			behind = h.l.queue(h.now, behind)[p+1:]
			if d, ok := h.s.delay(h.now, &c, p); ok {
				for i := range behind {
					if before := jobs[p+i].e; behind[i].e > before.Add(d) {
						t.Fatalf("at %v the claim %+v moves job %d from %v to %v, by more than %v", h.now, c, behind[i].Job, before, behind[i].e, d)
					}
				}
			}
			if d := cmp.Diff(h.l.test(h.now, c), h.s.Test(h.now, c)); d != "" {
				t.Fatalf("Test(%v, %+v): the literal queue against the schedule:\n%s", h.now, c, d)
			}
		}
	})
}

// A job without maps may start its reduces at once, though all map slots are taken until 100: so a
// claim that goes before it delays it, beyond its slack of 2.
func TestBoundOfReducesAlone(t *testing.T) {
	s := NewSchedule(1, 1)
	s.Admit(0, Claim{Job: 1, Seq: 1, Deadline: 1000, Maps: 1, Map: 100})
	s.Start(0, 1)
	s.Admit(0, Claim{Job: 2, Seq: 2, Deadline: 12, Reduces: 1, Reduce: 10})
	s.seek(0, 2) // bounds for all
	c := Claim{Job: 3, Seq: 3, Deadline: 11, Reduces: 1, Reduce: 5}
	if v := s.Test(0, c); v.OK || v.Late != 2 || v.LateFinish != 15 || v.LateDeadline != 12 {
		t.Errorf("with a reduce of 5: %+v", v)
	}
	c.Reduce = 2
	if v := s.Test(0, c); !v.OK || v.Finish != 2 {
		t.Errorf("with a reduce of 2: %+v", v)
	}
}
