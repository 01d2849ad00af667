package rds

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Jobs that the plan gives nothing run where slots are left that nobody else can use, by deadline, on the slots of
// their first stage. The last that still finds one runs on fewer than it could use. By hand, on 4 map and 2 reduce
// slots, of which a planned job can use so many.
func TestLeave(t *testing.T) {
	type waiting struct {
		maps, reduces int
		deadline      units.Time // in seconds, 0 = none
		needs         int64      // slots of a task
		spare         bool
	}
	for name, c := range map[string]struct {
		uses  int32 // slots that the planned job can use
		waits []waiting
	}{
		"two are left: the first takes one, the next the last": {2, []waiting{{maps: 1, spare: true}, {maps: 3, spare: true}, {maps: 1}}},
		"one with all that is left leaves nothing":             {2, []waiting{{maps: 2, spare: true}, {maps: 1}}},
		"none is left":                           {4, []waiting{{maps: 1}, {maps: 9}}},
		"the earlier deadline first":             {3, []waiting{{maps: 1}, {maps: 1, deadline: 9000}, {maps: 1, deadline: 8000, spare: true}}},
		"who comes first, of equal deadlines":    {3, []waiting{{maps: 1, deadline: 9000, spare: true}, {maps: 1, deadline: 9000}}},
		"reduces alone have slots of their own":  {4, []waiting{{reduces: 1, spare: true}, {reduces: 5, spare: true}, {reduces: 1}, {maps: 1}}},
		"maps go first where there are both":     {4, []waiting{{maps: 1, reduces: 1}, {reduces: 2, spare: true}}},
		"of two slots for a map one is too few":  {3, []waiting{{maps: 1, needs: 2}, {maps: 1, spare: true}}},
		"two slots for a map":                    {1, []waiting{{maps: 1, needs: 2, spare: true}, {maps: 1, spare: true}, {maps: 1}}},
		"a task that fits nowhere waits for one": {0, []waiting{{maps: 1, needs: 5}, {maps: 1, spare: true}}},
		"a task that needs what is not there":    {0, []waiting{{maps: 1, needs: -1}, {maps: 1, spare: true}}},
		"nobody waits":                           {2, nil},
	} {
		d := newDesk(t, settings{hard: 200})
		planned := d.comesWith("p", 4, 0, nil)
		planned.State = sched.Admitted
		var jobs []*sched.Job
		for _, w := range c.waits {
			jobs = append(jobs, d.comesWith("w", w.maps, w.reduces, func(j *workload.Job) {
				if j.Deadline = units.Never; w.deadline > 0 {
					j.Deadline = w.deadline * 1e9
				}
				if w.maps == 0 {
					j.Stages = j.Stages[1:]
				} else if w.reduces == 0 {
					j.Stages = j.Stages[:1]
				}
				if w.needs > 0 {
					j.Stages[0].Containers = []cluster.Container{{Needs: units.Vector{units.MapSlots: w.needs}}}
				} else if w.needs < 0 { // what the cluster has none of
					j.Stages[0].Containers = []cluster.Container{{Needs: units.Vector{units.VCores: 1}}}
				}
			}))
		}
		planned = d.book.Job(planned.ID) // where it stands now
		tally := &planned.Stages[sched.Map]
		tally.Done, tally.Open = 4-c.uses, c.uses
		for _, m := range d.c.Members {
			m.Plan, m.Spare, m.Fast = [2]int64{}, true, false
		}
		d.c.find(planned.ID).Plan[0] = 4000
		d.c.leave(d.book)
		if d.c.find(planned.ID).Spare {
			t.Errorf("%s: what is planned runs on what is left", name)
		}
		for i, w := range c.waits {
			if got := d.c.find(jobs[i].ID).Spare; got != w.spare {
				t.Errorf("%s: job %d runs: %v, want %v", name, i, got, w.spare)
			}
		}
	}
}

// Who is on the fast path, or has slots by the plan, needs no leave; what they can use nobody else has.
func TestLeaveKnowsWhoRuns(t *testing.T) {
	for name, run := range map[string]func(m *member){
		"fast":    func(m *member) { m.Fast = true },
		"planned": func(m *member) { m.Plan[0] = 1000 },
	} {
		for maps, left := range map[int]bool{1: true, 4: false} {
			d := newDesk(t, settings{hard: 200, fast: true})
			first, other := d.comesWith("a", maps, 0, nil), d.comesWith("b", 1, 0, nil)
			for _, m := range d.c.Members {
				m.Plan, m.Spare, m.Fast = [2]int64{}, false, false
			}
			run(d.c.find(first.ID))
			d.c.leave(d.book)
			if d.c.find(first.ID).Spare || d.c.find(other.ID).Spare != left {
				t.Errorf("%s, %d maps: %v %v", name, maps, d.c.find(first.ID).Spare, d.c.find(other.ID).Spare)
			}
		}
	}
}
