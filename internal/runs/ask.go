package runs

import (
	"context"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// AnswerSchema names the JSON form of answers.
const AnswerSchema = "slackline/answer/v1"

// Answers say when jobs would be done if they were run together now. Nothing is run for it.
type Answers struct {
	Schema string    `json:"schema"`
	Asked  time.Time `json:"asked"`
	Policy string    `json:"policy"`
	Run    int64     `json:"run"`    // that was asked, with all that it has to do; 0: one of their own
	Jobs   []Answer  `json:"jobs"`   // in the order of the files
	Beside []Other   `json:"beside"` // runs on this machine now, which share its cores
	// what the policy would ask of clouds, and why: times are seconds of the run
	Requests []report.Request `json:"requests,omitempty"`

	Foreseen []Foresight `json:"-"` // by job, as the answers follow from it
}

// Other is a run that is under way. The answers do not count what it holds.
type Other struct {
	Run     int64    `json:"run"`
	Jobs    []string `json:"jobs"`
	Open    bool     `json:"open"`    // it takes jobs, so those that were asked about may be submitted to it
	Maps    int      `json:"maps"`    // that its jobs have to go
	Reduces int      `json:"reduces"` // likewise
}

// Answer is that about one job. What is not known is null.
type Answer struct {
	ID        string     `json:"id"`
	Class     string     `json:"class"`
	Submitted time.Time  `json:"submitted"`
	Deadline  *time.Time `json:"deadline"`
	// half of all such jobs are done by then, or it is expected to be; null: the policy would refuse it
	Done   *time.Time `json:"done"`
	By90   *time.Time `json:"by_90"`   // it is done by then in nine of ten cases
	BySure *time.Time `json:"by_sure"` // with the confidence
	// of a promise, as job, queue or policy ask for it; 0.99 under policies that promise nothing
	Confidence *float64   `json:"confidence"`
	Chance     *float64   `json:"chance"`     // of the deadline
	Promised   bool       `json:"promised"`   // the policy would promise it
	Unpromised string     `json:"no_promise"` // the name of the cause for which it would not; "" else
	Earliest   *time.Time `json:"earliest"`   // deadline that it would promise, where it would not promise this one
	Alone      *float64   `json:"alone_s"`    // what it takes with the machine to itself
	WaitsFor   []string   `json:"waits_for"`
	WaitsTill  *time.Time `json:"waits_until"`
	Shared     *time.Time `json:"done_if_shared"` // if the runs beside it keep the cores busy all the time
	Refused    string     `json:"refused"`        // why the policy would refuse it
	Cold       bool       `json:"cold"`           // only cold runs of its class are known
	New        bool       `json:"new"`            // nothing is known of its class
	Sample     *Sample    `json:"sample"`         // that was run of it for this answer
	Plan       *Cutting   `json:"plan"`           // how it is to be submitted to a cluster; null: as it says
}

// InTime tells whether the job is expected to meet its deadline; a job without one is. Nobody is given up by a guess.
func (a *Answer) InTime() bool {
	return a.Refused == "" && (a.Deadline == nil || a.New || a.Done == nil && a.Plan != nil || a.Done != nil && !a.Done.After(*a.Deadline))
}

// Ask says when the jobs would be done by a run of their own. An error says what is not known.
func (l *Local) Ask(ctx context.Context, policy string, seed uint64, known []*profile.Class) (*Answers, error) {
	cfg, err := l.sim(policy, seed, known, lab.ReadsConfidence(policy, lab.NoQueues))
	if err != nil {
		return nil, err
	}
	return l.ask(ctx, lab.Start(policy, lab.NoQueues), policy, cfg, known, l.now, 0)
}

// ask says so from where a run stands, whose time counts from the origin. It is run number own, if it has begun.
func (l *Local) ask(ctx context.Context, from lab.Stand, policy string, cfg sim.Config, known []*profile.Class, origin time.Time, own int64) (*Answers, error) {
	foreseen, err := l.foresee(ctx, from, cfg, known)
	if err != nil {
		return nil, err
	}
	all := &Answers{Schema: AnswerSchema, Asked: l.now, Policy: policy, Run: own, Beside: l.others(own), Requests: l.asked.List, Foreseen: foreseen}
	at := func(t units.Time) time.Time { return origin.Add(time.Duration(t)) }
	shared := make([]lab.Fate, len(l.Files))
	if n := units.Duration(len(all.Beside)); n > 0 {
		slow := each.Of(cfg.Workload.Jobs, func(j *workload.Job) *workload.Job {
			return retimed(j, func(_ *workload.StageSpec, _ int, t *workload.Task) {
				t.Work, t.Shuffle = t.Work*(n+1), t.Shuffle*(n+1)
			})
		})
		if shared, err = from.Foresee(ctx, cfg, slow); err != nil {
			return nil, err
		}
	}
	for i, f := range l.Files {
		spec, is := cfg.Workload.Jobs[i], &foreseen[i]
		a := Answer{ID: f.Name, Class: f.Class, Submitted: at(is.Arrived), WaitsFor: []string{}, Cold: is.Cold, New: is.New, Refused: is.Refused}
		if is.Arrived == units.Never {
			a.Submitted = at(spec.Arrive)
		}
		if by := dueOf(spec, cfg.Workload.Jobs); by != units.Never {
			a.Deadline = new(at(by.Add(-spec.Overdue)))
		}
		if l.samples != nil {
			a.Sample, a.Class = &l.samples[i], l.samples[i].class
		}
		a.tell(is)
		if a.Earliest != nil {
			if a.Earliest = nil; !is.New {
				whole := func(by units.Time) units.Time { // as people write it
					return units.Time(at(by).Add(time.Second - 1).Truncate(time.Second).Sub(origin))
				}
				if by := promisedBy(ctx, from, cfg, i, is, whole); by != units.Never {
					a.Earliest = new(at(by))
				}
			}
		}
		if end := shared[i].Ended; len(all.Beside) > 0 && end != units.Never && is.Known {
			a.Shared = new(at(end))
		}
		if !is.Known && a.Refused == "" {
			a.Refused = unfinished(foreseen, i, spec.After)
		}
		if len(is.After) > 0 {
			a.WaitsFor, a.WaitsTill = is.After, new(at(is.Arrived.Add(units.FromSeconds(is.Ready))))
		} else if len(is.Behind) > 0 && is.Began.Sub(is.Arrived) >= leastWait && !is.New {
			// A play may be later than what the policy says.
			a.WaitsFor, a.WaitsTill = is.Behind, new(at(min(is.Began, is.Arrived.Add(units.FromSeconds(is.Done)))))
		}
		all.Jobs = append(all.Jobs, a)
	}
	return all, nil
}

// dueOf is the deadline of a job, or that of its workflow if it has none and no other job of that waits for it.
func dueOf(j *workload.Job, all []*workload.Job) units.Time {
	if j.Deadline != units.Never || j.Workflow == nil || slices.ContainsFunc(all, func(o *workload.Job) bool { return slices.Contains(o.After, j.ID) }) {
		return j.Deadline
	}
	return j.Workflow.Deadline
}

// promisedBy is a deadline that the policy would promise the job, nearly the earliest: it is asked again with
// that, from the instant on by which it says that the job is done as surely as a promise has to be, or behind the
// deadline where that is owed to others; and then with sooner ones, as who is late may stand behind all others. It is
// asked for what will be said, which is rounded up.
func promisedBy(ctx context.Context, from lab.Stand, cfg sim.Config, i int, is *Foresight, round func(units.Time) units.Time) units.Time {
	jobs := slices.Clone(cfg.Workload.Jobs)
	promised := func(by units.Time) bool {
		j := *jobs[i]
		j.Deadline, j.Overdue = round(by), 0
		jobs[i] = &j
		fates, err := from.Foresee(ctx, cfg, jobs, j.ID)
		return err == nil && fates[i].Outlook.Word.Binds()
	}
	later := func(by units.Time, tries int) units.Time { return by.Add(by.Sub(is.Arrived) / 4 << max(0, tries-3)) }
	by, low := is.Outlook.By, jobs[i].Deadline
	if low == units.Never {
		low = is.Arrived
	}
	if by <= low {
		by = later(low, 0)
	}
	for tries := 0; !promised(by); tries++ {
		if tries == mostOffers || ctx.Err() != nil {
			return units.Never
		}
		low, by = by, later(by, tries)
	}
	for by.Sub(low) > by.Sub(is.Arrived)/20 {
		if middle := low.Add(by.Sub(low) / 2); promised(middle) {
			by = middle
		} else {
			low = middle
		}
	}
	return round(by)
}

// mostOffers is how often a policy is asked for a deadline that it would promise: a quarter later each time, and in
// the end up to a hundred times as late as it says.
const mostOffers = 8

// leastWait is how long a job waits at least for this to be told.
const leastWait = 100 * units.Millisecond

// tell says what is foreseen.
func (a *Answer) tell(f *Foresight) {
	if !f.Known {
		return
	}
	after := func(seconds float64) *time.Time {
		if seconds == 0 {
			return nil
		}
		return new(a.Submitted.Add(time.Duration(units.FromSeconds(seconds))))
	}
	a.Done, a.By90, a.BySure = new(a.Submitted.Add(time.Duration(units.FromSeconds(f.Done)))), after(f.Ninety), after(f.Sure)
	if f.Sure > 0 {
		a.Confidence = new(f.Level)
	}
	a.Promised = f.Outlook.Word.Binds()
	if a.Deadline == nil {
		return
	}
	if f.Chance > 0 {
		a.Chance = new(f.Chance)
	}
	if f.Says() && !a.Promised && f.Why != nil {
		a.Unpromised = f.Why.Name
	}
	if f.Says() && !a.Promised {
		a.Earliest = a.BySure
	}
}

// Alone adds to answers what each job takes by itself, if it waits for nothing and has no deadline.
func (l *Local) Alone(ctx context.Context, all *Answers, policy string, seed uint64, known []*profile.Class) error {
	cfg, err := l.sim(policy, seed, known, lab.ReadsConfidence(policy, lab.NoQueues))
	if err != nil {
		return err
	}
	for i, j := range cfg.Workload.Jobs {
		by := *j
		by.After, by.Arrive, by.Deadline, by.Soft, by.Overdue = nil, 0, units.Never, units.Never, 0
		fates, err := lab.Start(policy, lab.NoQueues).Foresee(ctx, cfg, []*workload.Job{&by})
		switch f := &fates[0]; {
		case f.Says():
			all.Jobs[i].Alone = new(f.Outlook.Half.Seconds())
		case err != nil:
			return err
		case f.Ended != units.Never:
			all.Jobs[i].Alone = new(f.Ended.Seconds())
		}
	}
	return nil
}

// others are the runs that are under way.
func (l *Local) others(own int64) []Other {
	list := []Other{}
	if l.Memory == nil {
		return list
	}
	alive, err := l.Memory.store.Alive()
	if err != nil || len(alive) == 0 {
		return list // nobody knows
	}
	jobs, _ := l.Memory.store.Jobs(store.JobFilter{States: []string{store.Waiting, store.Running}})
	for _, j := range jobs {
		if j.Run == own {
			continue
		}
		i := slices.IndexFunc(list, func(o Other) bool { return o.Run == j.Run })
		if i < 0 {
			i = len(list)
			list = append(list, Other{Run: j.Run, Open: slices.ContainsFunc(alive, func(r store.Run) bool { return r.ID == j.Run && r.Door != "" })})
		}
		o := &list[i]
		o.Jobs, o.Maps, o.Reduces = append(o.Jobs, j.Name), o.Maps+j.Maps.Tasks-j.Maps.Done, o.Reduces+j.Reduces.Tasks-j.Reduces.Done
	}
	return list
}
