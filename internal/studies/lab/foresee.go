package lab

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What becomes of jobs is foreseen here and nowhere else: the policy that runs, or a copy of what runs with all that it
// knows, is shown that they come, and what it says then is the answer. The simulator plays on from there, for when
// they start and for whom they wait; and for when they are done, where the policy says nothing of that.

// Fate is what a policy says of a job when it comes, and what becomes of the job in a play.
type Fate struct {
	ID      string
	Outlook sched.Outlook // what the job was told; zero: nothing
	Refused string        // why it would be refused; "": it would not be
	Why     *sched.Cause  // of what it was told
	Arrived units.Time    // units.Never: it did not
	Began   units.Time    // its first attempt; units.Never: none did
	Behind  []string      // jobs that had begun by then and held slots since it came
	Ended   units.Time    // units.Never: it did not, or did not commit
	Over    bool          // it is known what became of it
}

// Says tells whether the policy says when the job will be done as it will run: by when half of all such jobs are.
func (f *Fate) Says() bool {
	return f.Refused == "" && f.Outlook.Half != 0 && f.Outlook.Half != units.Never
}

// Stand is where a run stands, to be played on from there.
type Stand struct {
	loop   *drive.Loop // nil: it has not begun
	policy func() (sched.Policy, error)
	asked  *report.Requests // what plays ask of clouds; nil: nobody wants to know
}

// Asking is the same, and notes what its plays ask of clouds.
func (s Stand) Asking(to *report.Requests) Stand {
	s.asked = to
	return s
}

// Start is where a run by a policy begins.
func Start(policy string, q Queues) Stand { return startOf(&Cell{Policy: policy, Queues: q}) }

// startOf is where a cell begins. Its policy is looked up once and copied for each play, as plays are many.
func startOf(c *Cell) Stand {
	var first *compose.Policy
	return Stand{policy: func() (_ sched.Policy, err error) {
		if first == nil {
			if first, err = c.policy(); err != nil {
				return nil, err
			}
		}
		return first.Clone()
	}}
}

// StandOf copies a run between two of its steps. Whoever drives it goes on as if nothing had been.
func StandOf(l *drive.Loop) (Stand, error) {
	copied, err := l.Fork(func(*ledger.Ledger) (drive.World, error) { return still{}, nil })
	return Stand{loop: copied}, err
}

// still is a world in which nothing happens.
type still struct{ drive.World }

// WakeAt is never heard.
func (still) WakeAt(units.Time) {}

// Began tells whether the run has: then its time counts.
func (s Stand) Began() bool { return s.loop != nil && s.loop.Round > 0 }

// Now is the time of the run.
func (s Stand) Now() units.Time {
	if !s.Began() {
		return 0
	}
	return s.loop.Ledger.Now()
}

// Foresee has these jobs come, each at its time, and no others, and plays until it is known what becomes of those of
// these names, of all if there are none. The configuration says of a run that has begun only what the book does not.
// An error says why the play could not go on; what was foreseen until then is returned beside it.
func (s Stand) Foresee(ctx context.Context, cfg sim.Config, jobs []*workload.Job, ids ...string) ([]Fate, error) {
	next := &workload.Workload{}
	f := &fates{asked: s.asked}
	for _, j := range jobs {
		come := new(workload.Job)
		*come = *j
		come.After = slices.DeleteFunc(slices.Clone(j.After), func(id string) bool { // those have ended
			return !(s.Began() && s.loop.Ledger.Find(id) != 0) && !slices.ContainsFunc(jobs, func(o *workload.Job) bool { return o.ID == id })
		})
		if s.Began() {
			come.Arrive = max(come.Arrive, s.Now().Add(1)) // what comes then or before, the book knows
		}
		next.Jobs = append(next.Jobs, come)
		f.list = append(f.list, Fate{ID: j.ID, Arrived: units.Never, Began: units.Never, Ended: units.Never})
		f.wanted = append(f.wanted, len(ids) == 0 || slices.Contains(ids, j.ID))
	}
	cfg.Workload, cfg.Source = nil, next.Source
	l, err := s.play(cfg, f)
	if err != nil && s.Began() {
		return s.Ask(next.Jobs, err)
	}
	for err == nil && !f.over() {
		err = l.Step(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return f.list, err
}

// play begins the play.
func (s Stand) play(cfg sim.Config, f *fates) (*drive.Loop, error) {
	if s.Began() {
		return s.loop.Fork(func(book *ledger.Ledger) (drive.World, error) {
			f.book = book
			return sim.From(cfg, book)
		}, f)
	}
	policy, err := s.policy()
	if err != nil {
		return nil, err
	}
	w, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	l := drive.New(w, policy, f)
	f.book = l.Ledger
	return l, nil
}

// Ask asks the policy alone, job by job, as it is not known how the run goes on: of a class that runs for the first
// time, for example, nobody knows what its tasks take. If it says nothing, why is the error.
func (s Stand) Ask(jobs []*workload.Job, why error) ([]Fate, error) {
	list := make([]Fate, len(jobs))
	asked, _ := s.loop.Policy.(sched.Asker)
	for i, j := range jobs {
		list[i] = Fate{ID: j.ID, Arrived: j.Arrive, Began: units.Never, Ended: units.Never, Over: true}
		if asked == nil {
			continue
		}
		if a := asked.Ask(s.loop.Ledger, j.Arrive, j); a.Verb == sched.Reject {
			list[i].Refused = a.Reason.String()
		} else if list[i].Outlook, list[i].Why = a.Outlook, a.Reason.Cause; list[i].Says() {
			why = nil
		}
	}
	return list, why
}

// fates is the sink that notes what becomes of jobs.
type fates struct {
	list   []Fate
	wanted []bool
	book   *ledger.Ledger
	asked  *report.Requests
	at     []int // by handle: which of the list, plus 1
}

// over tells whether it is known of all that are wanted.
func (f *fates) over() bool {
	for i, wanted := range f.wanted {
		if wanted && !f.list[i].Over {
			return false
		}
	}
	return true
}

// of is the fate of a job, nil if nobody asked for it.
func (f *fates) of(job sched.JobID) *Fate {
	if job < 0 || int(job) >= len(f.at) || f.at[job] == 0 {
		return nil
	}
	return &f.list[f.at[job]-1]
}

// Batch notes when jobs come, start and end.
func (f *fates) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		e := &events[i]
		when := at.Add(-e.Age)
		if e.Kind == sched.JobArrived {
			*sched.Row(&f.at, e.Job) = slices.IndexFunc(f.list, func(o Fate) bool { return o.ID == e.Detail.Job.ID && o.Arrived == units.Never }) + 1
		}
		mine := f.of(e.Job)
		if mine == nil {
			continue
		}
		switch e.Kind {
		case sched.JobArrived:
			mine.Arrived, mine.Behind = when, f.begun(e.Job, nil)
		case sched.Started:
			if mine.Began == units.Never {
				mine.Began, mine.Behind = when, f.ahead(mine, e.Job)
			}
		case sched.JobEnded:
			if mine.Over = true; e.Outcome == sched.Committed {
				mine.Ended = when
			}
			f.at[e.Job] = 0
		}
	}
	return nil
}

// begun adds the names of the jobs in the book that have, but for one.
func (f *fates) begun(but sched.JobID, names []string) []string {
	for h := sched.JobID(1); h <= f.book.Jobs(); h++ {
		if j := f.book.Job(h); j != nil && h != but && j.Begun() && !slices.Contains(names, j.Spec.ID) {
			names = append(names, j.Spec.ID)
		}
	}
	return names
}

// ahead are the jobs that held slots between the arrival of one, which has begun now, and now.
func (f *fates) ahead(mine *Fate, job sched.JobID) []string {
	names := f.begun(job, mine.Behind)
	for i := range f.list {
		if o := &f.list[i]; o.Over && o.Began != units.Never && o.Ended > mine.Arrived && !slices.Contains(names, o.ID) {
			names = append(names, o.ID)
		}
	}
	return names
}

// why says why an item was planned.
func (f *fates) why(p *sched.Plan, it *sched.Item) string {
	return p.Why(it, func(h sched.JobID) *workload.Job {
		if j := f.book.Job(h); j != nil {
			return j.Spec
		}
		return nil
	})
}

// Plan notes what jobs are told when they come, and what is asked of clouds.
func (f *fates) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if n := f.book.Node(it.Node); f.asked != nil && n != nil {
			f.asked.Add(at, it, f.book.Class(n.Class).Spec, func() string { return f.why(p, it) })
		}
		if it.Verb != sched.Admit && it.Verb != sched.Reject || it.Refused != sched.OK {
			continue
		}
		mine := f.of(it.Job)
		if mine == nil || mine.Outlook != (sched.Outlook{}) {
			continue
		}
		if mine.Outlook, mine.Why = it.Outlook, it.Reason.Cause; it.Verb == sched.Reject {
			mine.Over, mine.Refused = true, f.why(p, it)
		}
	}
	return nil
}
