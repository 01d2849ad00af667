package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// OfCluster is the name of each run that schedules a Hadoop cluster.
const OfCluster = "yarn"

// heedWithin is how long a cluster may take to say that another mode is in force.
const heedWithin = 5 * time.Second

// KeepCluster begins to keep what the jobs of a Hadoop cluster do under a policy, as those of a run on this
// machine are kept. Of a job that an earlier process left there the new row continues the old one.
func KeepCluster(m *Memory, policy string, books *account.Accountant, w *yarn.World) (*Keeper, error) {
	k := newKeeper(lab.Cell{Policy: policy, Origin: w.Origin, Books: books})
	k.yarn, k.look = w, w.Look
	if err := k.begin(m, store.Run{Name: OfCluster, Seed: 1}, nil); err != nil {
		return nil, err
	}
	return k, nil
}

// would says what the policy says of applications that came now, each alone, and how it would have those of workflows
// cut. It is asked in their form, as their client would leave it.
func (k *Keeper) would(what string) (r Reply, err error) {
	var list []*Asked
	if err := json.Unmarshal([]byte(what), &list); err != nil {
		return r, err
	}
	var jobs []*workload.Job
	var from lab.Stand
	var known []bool
	var wrong error
	models, err := k.memory.Profiles()
	if err != nil {
		return r, err
	}
	if err := k.look(k.ctx, func() {
		if k.loop == nil {
			wrong = errors.New("no cluster has attached yet")
			return
		}
		for i, x := range list {
			x.guess(list[:i], jobs, models)
			j, bad := k.yarn.Would(x.Application)
			x.shape(j, find(models, j.Class))
			jobs, known, wrong = append(jobs, j), append(known, k.loop.Ledger.Profile(j.Class) != nil), errors.Join(wrong, bad)
		}
		if wrong == nil {
			from, wrong = lab.StandOf(k.loop)
		}
	}); err != nil || wrong != nil {
		return r, errors.Join(err, wrong)
	}
	plan, err := k.planned(from, list, jobs)
	if err != nil {
		return r, err
	}
	fates, _ := from.Ask(jobs, nil)
	r.Answers = &Answers{Schema: AnswerSchema, Asked: time.Now(), Policy: k.cell.Policy, Run: k.live.Run.ID, Beside: []Other{}}
	for i, j := range jobs {
		f := &Foresight{Fate: fates[i], New: !known[i]}
		switch by := f.Outlook.By; {
		case f.said() || f.Refused != "" || by == 0 || by == units.Never:
		default: // it says only by when at worst
			f.Known, f.Done = true, by.Sub(f.Arrived).Seconds()
		}
		a := Answer{ID: list[i].Application.Name, Class: j.Class, Submitted: k.wall(j.Arrive), WaitsFor: []string{}, New: f.New, Refused: f.Refused, Plan: plan[i]}
		if j.Deadline != units.Never {
			a.Deadline = new(k.wall(j.Deadline))
		}
		a.tell(f)
		r.Answers.Jobs = append(r.Answers.Jobs, a)
	}
	return r, nil
}

// Users of a cluster read in YARN what their jobs wait for: those of so many jobs that have not begun, as it was so
// long before at most.
const (
	mostTold  = 20
	tellEvery = 5 * units.Second
)

// tell has them read it. It is for the goroutine of the loop.
func (k *Keeper) tell(at units.Time) {
	if k.mode != sched.TakeOver || k.loop == nil || at < k.told.Add(tellEvery) {
		return
	}
	k.told = at
	var names []string
	for _, j := range k.here {
		if j != nil && j.row.State == store.Waiting && len(names) < mostTold {
			names = append(names, j.row.Name)
		}
	}
	for i, w := range account.Standing(k.loop.Ledger, at, k.loop.Ledger.Profile, names...) {
		if w != nil && w.Cause != "" {
			k.yarn.Tell(names[i], w.Words(func(t units.Time) string { return k.wall(t).Local().Format(time.DateTime) }))
		}
	}
}

// setMode asks the cluster for another mode, and waits until the cluster says that it is in force.
func (k *Keeper) setMode(r store.Request) (Reply, error) {
	if k.yarn == nil {
		return Reply{}, errors.New("it runs jobs of this machine, and schedules no cluster")
	}
	want := sched.TakeOver
	for ; want.String() != r.What; want++ {
		if want == sched.Controls {
			return Reply{}, fmt.Errorf("it is one of another build of slackline: it knows no mode %q", r.What)
		}
	}
	if err := k.live.Take(r.ID, nil); err != nil {
		return Reply{}, err
	}
	k.yarn.Ask(want)
	t := time.NewTicker(askEvery / 2)
	defer t.Stop()
	for late := time.After(heedWithin); ; {
		k.lock.Lock()
		is := k.mode == want
		k.lock.Unlock()
		if is {
			return Reply{}, nil
		}
		select {
		case <-t.C:
		case <-late:
			return Reply{}, fmt.Errorf("the cluster has not said so within %v; it is asked again each time it attaches", heedWithin)
		case <-k.ctx.Done():
			return Reply{}, context.Cause(k.ctx)
		}
	}
}

// meet begins to keep a job of a cluster. Its name stands for its output, which nobody knows: by it a row finds the
// row that it continues.
func (k *Keeper) meet(spec *workload.Job) {
	j := &keptJob{work: report.Work{Counters: map[string]int64{}}, row: store.Job{Name: spec.ID, Class: spec.Class,
		State: store.Waiting, Output: spec.ID, GoesOn: true, Promised: spec.Promised}}
	if spec.Workflow != nil {
		j.row.Workflow = spec.Workflow.ID
	}
	k.open[spec.ID] = j
	k.fresh = append(k.fresh, j)
}

// Leave ends the keeping of a cluster, whose jobs go on without it, and keeps what was taught. An error says why
// that is not kept. There is no report, and run is nil, where something broke it off.
func (k *Keeper) Leave(run *report.Run, taught []*profile.Class) error {
	k.interrupt("Slackline stopped; the cluster keeps running the job")
	if run == nil {
		return k.finish(store.Change{Taught: taught})
	}
	return k.Finish(run, nil, taught)
}

// expect notes what was said of a job when it was promised its deadline: when it is done.
func (j *keptJob) expect(at, arrived units.Time) {
	if j.row.Expected == nil {
		j.row.Expected = new(at.Sub(arrived).Seconds())
	}
}
