package ledger

import (
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// growing is a stage of which so many tasks are known.
func growing(st workload.StageSpec) workload.StageSpec {
	st.Grows = true
	return st
}

// An ApplicationMaster asks for its reduces little by little, and nobody said how many there will be.
func TestGrowingStages(t *testing.T) {
	d := open(t, sched.Capabilities{Kill: true}, nil)
	d.told(nodeUp(1, 1, 9, 9), jobOf(1, "j", maps(1), growing(reduces(0))))
	d.decide(admit(1))
	ask := func(n int32, upTo sched.ItemID) []sched.Event {
		return d.told(sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Reduce, Count: n, Item: upTo})
	}
	tally := func(total, open, occupied, done int32) {
		t.Helper()
		got := d.Job(1).Stages[sched.Reduce]
		if got.Total != total || got.Open != open || got.Occupied != occupied || got.Done != done {
			t.Errorf("total, open, occupied, done: %d, %d, %d, %d, want %d, %d, %d, %d", got.Total, got.Open, got.Occupied, got.Done, total, open, occupied, done)
		}
	}
	tally(0, 0, 0, 0)
	d.is("notes", kinds(ask(1, 0), sched.Discrepancy), 0)
	tally(1, 1, 0, 0)
	it := d.one(start(1, sched.Reduce, 1, 1))
	d.told(started(1, it, 0))
	tally(1, 0, 1, 0)
	d.told(amended("j", "", maps(1), growing(reduces(8))))
	tally(8, 0, 1, 0)
	d.is("notes", kinds(ask(7, it.ID), sched.Discrepancy), 0)
	tally(8, 7, 1, 0)
	d.is("first", d.First(1, sched.Reduce, 0), sched.JobID(1))
	ask(9, it.ID) // two more than anybody said
	tally(10, 9, 1, 0)
	d.told(ended(1, sched.Committed))
	ask(0, it.ID) // a dip, while work remains
	tally(10, 0, 0, 1)
	again(d)

	// Now the number is final: what is asked for beyond it are further attempts.
	d.told(amended("j", "", maps(1), reduces(11)))
	tally(11, 0, 0, 1)
	d.is("notes", kinds(ask(14, it.ID), sched.Discrepancy), 0)
	tally(11, 14, 0, 1)
	d.told(amended("j", "", maps(1), reduces(9)))
	tally(9, 14, 0, 1)
	it = d.one(start(1, sched.Reduce, 1, 9))
	d.told(amended("j", "", maps(1), reduces(8))) // fewer than are done and under way
	tally(8, 5, 9, 1)
	d.told(amended("j", "", maps(1), growing(reduces(20))))
	tally(20, 5, 9, 1)

	// While it grows, an amendment that knows of fewer tasks, such as one of a deadline, takes none back.
	d = open(t, sched.Capabilities{Kill: true}, nil)
	d.told(jobOf(1, "j", maps(1), growing(reduces(0))))
	ask(8, 0)
	ask(2, 0)
	tally(8, 2, 0, 0)
	d.told(amended("j", "", maps(1), growing(reduces(0))))
	tally(8, 2, 0, 0)
	d.told(amended("j", "", maps(1), growing(reduces(9))))
	tally(9, 2, 0, 0)
	d.told(amended("j", "", maps(1), reduces(3))) // final
	tally(3, 2, 0, 0)

	// What is done is known of, though nothing is asked for.
	d = open(t, sched.Capabilities{Kill: true}, nil)
	told := jobOf(1, "j", maps(1), growing(reduces(1)))
	told.Detail.Job.Stages[1].Done = []int32{1, 2, 4}
	d.told(sched.Event{Kind: sched.Resync}, told)
	tally(3, 0, 0, 3)

	// Nor can there be fewer than there are.
	d = open(t, sched.Capabilities{Kill: true}, nil)
	d.told(nodeUp(1, 1, 9, 9), jobOf(1, "j", maps(1), growing(reduces(2))))
	d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Reduce, Node: 1}, sched.Event{Kind: sched.Started, Attempt: 2, Job: 1, Stage: sched.Reduce, Node: 1},
		sched.Event{Kind: sched.Started, Attempt: 3, Job: 1, Stage: sched.Reduce, Node: 1})
	tally(3, 0, 3, 0)
	d.told(amended("j", "", maps(1), reduces(1)))
	tally(3, 0, 3, 0)

	// Where tasks are bound here all must be known, and what has begun stays.
	d = open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 9), jobOf(1, "j", growing(maps(2))))
	d.decide(admit(1))
	d.one(start(1, sched.Map, 1, 1))
	d.told(amended("j", "", maps(5)))
	d.is("total", d.Job(1).Stages[sched.Map].Total, int32(2))
}

// However asks, amendments, starts and ends come, the book's counts are those of a world that keeps lists.
func TestGrowthAgainstALedgerOfLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
		l := New(sched.Capabilities{Kill: true}, nil)
		var promised []sched.ItemID // items of one container each, not answered
		var running []sched.AttemptID
		done, known, grows, asked, upTo := 0, pick("known", 4), true, 0, sched.ItemID(0)
		wants := 0 // open containers before a batch
		spec := jobOf(1, "j", growing(maps(known)))
		events, next := []sched.Event{nodeUp(1, 1, 50, 0), spec}, sched.AttemptID(1)
		var plan sched.Plan
		for round := range int64(rapid.IntRange(1, 40).Draw(t, "batches")) {
			ask := false
			switch pick("event", 6) {
			case 0:
				asked, upTo, ask = pick("asked", 8), sched.ItemID(pick("counted", int(l.lastItem)+1)), true
				events = append(events, demand(int32(asked), upTo))
			case 1:
				st := maps(pick("tasks", 12))
				st.Grows = pick("final", 3) > 0
				if len(st.Tasks) == 0 {
					st.Grows = true
				}
				was := known
				known = max(len(st.Tasks), done)
				if st.Grows || grows {
					known = max(known, done+len(promised)+len(running))
				}
				if st.Grows && grows { // the number only rises until it is final
					known = max(known, was)
				}
				if st.Grows {
					known = max(known, done+len(promised)+len(running)+max(wants, 0))
				}
				grows = st.Grows
				events = append(events, amended("j", "", st))
			case 2:
				if len(promised) > 0 {
					events = append(events, sched.Event{Kind: sched.Started, Attempt: next, Job: 1, Stage: sched.Map, Node: 1, Item: promised[0]})
					promised, running = promised[1:], append(running, next)
					next++
				}
			case 3:
				if len(running) > 0 {
					o := []sched.Outcome{sched.Committed, sched.Failed}[pick("outcome", 2)]
					if o == sched.Committed {
						done++
					}
					events = append(events, ended(running[0], o))
					running = running[1:]
				}
			}
			l.Apply(units.Time(round+1), round+1, events)
			events = events[:0]
			open := int(l.Job(1).Stages[sched.Map].Open)
			if ask { // less what was promised since
				late := 0
				for _, it := range promised {
					if it > upTo {
						late++
					}
				}
				if open != asked-late {
					t.Fatalf("%d open of %d asked for, %d promised since", open, asked, late)
				}
				if grows {
					known = max(known, done+len(promised)+len(running)+max(open, 0))
				}
			}
			if got := l.Job(1).Stages[sched.Map]; int(got.Total) != known || int(got.Done) != done || int(got.Occupied) != len(promised)+len(running) {
				t.Fatalf("%+v, want a total of %d, %d done, %d and %d occupied", got, known, done, len(promised), len(running))
			}
			l.Begin(&plan)
			plan.Admit(1, sched.Outlook{}, sched.Reason{})
			for range pick("starts", 3) {
				if it := start(1, sched.Map, 1, 1); plan.Add(it) {
					promised = append(promised, plan.Items[len(plan.Items)-1].ID)
				}
			}
			l.Check(&plan)
			wants = int(l.Job(1).Stages[sched.Map].Open)
		}
	})
}

// A node that comes back is empty: what ran on it is not under way when the demand of that batch asks for
// it again, nor does an amendment find that its stage has begun.
func TestGrowthWithoutWhatWasLost(t *testing.T) {
	for _, then := range []sched.Event{demand(2, 0), amended("j", "", growing(maps(2)))} {
		d := open(t, sched.Capabilities{Kill: true}, nil)
		d.told(nodeUp(1, 1, 9, 9), jobOf(1, "j", growing(maps(0))))
		d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1})
		d.is("total", d.Job(1).Stages[sched.Map].Total, int32(1))
		d.told(nodeUp(1, 1, 9, 9), then)
		d.is("total", d.Job(1).Stages[sched.Map].Total, int32(2))
	}
	// Nor does a start that nobody planned count it, unless its end is told after all.
	for then, total := range map[sched.Outcome]int32{sched.Lost: 1, sched.Committed: 2} {
		d := open(t, sched.Capabilities{Kill: true}, nil)
		d.told(nodeUp(1, 1, 9, 9), jobOf(1, "j", growing(maps(0))))
		d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1})
		d.told(nodeUp(1, 1, 9, 9), sched.Event{Kind: sched.Started, Attempt: 2, Job: 1, Stage: sched.Map, Node: 1}, ended(1, then))
		d.is("total, "+then.String(), d.Job(1).Stages[sched.Map].Total, total)
	}
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 9), jobOf(1, "j", maps(1)))
	d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Task: 1, Node: 1})
	d.told(nodeUp(1, 1, 9, 9), amended("j", "", maps(3)))
	d.is("total, bound", d.Job(1).Stages[sched.Map].Total, int32(3))
}
