package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// How jobs join a run that another process drives: their files are read beside those that are there, and the policy is
// asked about them or has them.

// submit lets the jobs of files into the run. Where others came while they were read, they are
// checked again beside those.
func (k *Keeper) submit(request int64, s Submission) (r Reply, err error) {
	for {
		now := time.Now()
		more, came, err := k.joining(s, now, k.mayWrite)
		switch {
		case k.ctx.Err() != nil:
			return r, context.Cause(k.ctx)
		case err != nil:
			return Reply{Bad: true}, err
		}
		k.joins.Lock()
		if came == k.came {
			defer k.joins.Unlock()
			return k.join(request, s, more, now)
		}
		k.joins.Unlock()
	}
}

// beside are those of the jobs that have not ended which have to do with jobs that are to join them: that they
// wait for or read from, or share a name or an output directory with, in the order in which they came. It tells
// how often jobs were submitted, too.
func (k *Keeper) beside(jobs []*scenario.Job) (files []*scenario.Job, came int) {
	k.joins.Lock()
	defer k.joins.Unlock()
	k.lock.Lock()
	defer k.lock.Unlock()
	found := make(map[*keptJob]bool)
	for _, f := range jobs {
		for _, name := range append(f.After[:len(f.After):len(f.After)], f.Name) {
			if j := k.open[name]; j != nil {
				found[j] = true
			}
		}
		for _, path := range append(f.Input[:len(f.Input):len(f.Input)], f.Output) {
			if at := strings.IndexAny(path, "*?["); at >= 0 {
				path = filepath.Dir(path[:at] + "x")
			}
			k.outputs.beside(absolute(path), found)
		}
	}
	return filesOf(maps.Keys(found)), k.came
}

// taught is what earlier runs have taught of classes, and this one of those that it was the first to run. It notes how
// much jobs read that are there already, too, for guesses of what they write.
func (k *Keeper) taught(more *Local) ([]*profile.Class, error) {
	known, err := k.local.Memory.Profiles()
	if err != nil {
		return nil, err
	}
	more.reading = make(map[string]int64, len(more.there))
	err = k.look(k.ctx, func() {
		book := k.loop.Ledger
		for _, f := range slices.Concat(more.Files, more.there) {
			if c := book.Profile(f.Class); c != nil && find(known, f.Class) == nil {
				known = append(known, c)
			}
		}
		for _, f := range more.there {
			if j := book.Job(book.Find(f.Name)); j != nil {
				more.reading[f.Name] = int64(j.Spec.Stage(sched.Map).Input())
			}
		}
	})
	return known, err
}

// filesOf are the files of jobs, in the order in which they came.
func filesOf(jobs iter.Seq[*keptJob]) []*scenario.Job {
	sorted := slices.SortedFunc(jobs, func(a, b *keptJob) int { return cmp.Compare(a.row.ID, b.row.ID) })
	return each.Of(sorted, func(j *keptJob) *scenario.Job { return j.file })
}

// joining reads job files that are to join the run. It ends with the run, whatever it reads.
func (k *Keeper) joining(s Submission, now time.Time, check func(*Local) error) (more *Local, came int, err error) {
	read := make(chan struct{})
	var found *Local
	var before int
	var wrong error
	go func() {
		defer close(read)
		if found, before, wrong = k.equip(s, now); wrong == nil {
			wrong = check(found)
		}
	}()
	select {
	case <-read:
		return found, before, wrong
	case <-k.ctx.Done():
		return nil, 0, context.Cause(k.ctx)
	}
}

// join lets jobs into the run, unless whoever asked for it has given up.
func (k *Keeper) join(request int64, s Submission, more *Local, now time.Time) (r Reply, err error) {
	since := units.Duration(now.Sub(k.cell.Origin()))
	from := k.of(s, more, now)
	command, err := json.Marshal(from)
	if err != nil {
		return r, err
	}
	var jobs []engine.Job
	var kept []*keptJob
	var rows []*store.Job
	for i, equipped := range more.jobs {
		j := equipped.Job
		j.Began, j.Command = now, command
		j.Spec.Come(since)
		jobs = append(jobs, j)
		keep, err := more.keep(i, "", from, now)
		if err != nil {
			return r, err
		}
		kept, rows = append(kept, keep), append(rows, &keep.row)
	}
	known, err := k.taught(more)
	if err != nil {
		return r, err
	}
	more.expect(jobs, known)
	if err := k.live.Take(request, rows); err != nil {
		return r, err
	}
	k.lock.Lock()
	for _, j := range kept {
		k.add(j)
	}
	k.came++
	k.lock.Unlock()
	if err := k.door.Ask(k.ctx, engine.Request{Submit: jobs}); err != nil {
		return r, errors.Join(err, k.drop(kept, rows))
	}
	r.Jobs = each.Of(rows, func(row *store.Job) Submitted { return Submitted{row.ID, row.Name} })
	r.Notes = slices.Concat(more.Notes(), more.Warnings)
	r.Answers = &Answers{Jobs: k.said(jobs, kept)}
	return r, nil
}

// said is what the policy has said of jobs that have come: nothing of those whose input is still read, and of none
// if the run ends now.
func (k *Keeper) said(jobs []engine.Job, kept []*keptJob) (all []Answer) {
	for until := time.Now().Add(verdictWithin); k.undecided(jobs, kept) && time.Now().Before(until) && k.ctx.Err() == nil; {
		time.Sleep(5 * time.Millisecond)
	}
	at := func(t units.Time) time.Time { return k.cell.Origin().Add(time.Duration(t)) }
	_ = k.look(k.ctx, func() {
		book := k.loop.Ledger
		for i := range jobs {
			j := book.Job(book.Find(jobs[i].Spec.ID))
			k.lock.Lock()
			why := kept[i].refused
			k.lock.Unlock()
			switch {
			case why != "":
				all = append(all, Answer{ID: jobs[i].Spec.ID, Refused: why})
				continue
			case j == nil:
				continue
			}
			a, f := Answer{ID: j.Spec.ID, Submitted: at(j.Arrived), New: book.Profile(j.Spec.Class) == nil}, Foresight{Fate: lab.Fate{Outlook: j.Outlook, Why: j.Why.Cause, Arrived: j.Arrived}}
			if j.Deadline != units.Never {
				a.Deadline = new(at(j.Deadline.Add(-j.Spec.Overdue)))
			}
			if f.said() {
				a.tell(&f)
				a.Earliest = nil
				for _, id := range j.Spec.After {
					if o := book.Job(book.Find(id)); o != nil && o.Standing() <= sched.Admitted && o.Outlook.Half > 0 {
						a.WaitsFor = append(a.WaitsFor, id)
						f.Ready = max(f.Ready, o.Outlook.Half.Sub(j.Arrived).Seconds())
						// as it was told last, and that may be past
						a.WaitsTill = new(at(min(max(j.Arrived.Add(units.FromSeconds(f.Ready)), book.Now()), j.Outlook.Half)))
					}
				}
				all = append(all, a)
			}
		}
	})
	return all
}

// verdictWithin is how long a policy that is asked between two steps of the run may take for its verdicts.
const verdictWithin = 2 * time.Second

// undecided tells whether the policy has still to see one of these jobs, whose input is there.
func (k *Keeper) undecided(jobs []engine.Job, kept []*keptJob) (is bool) {
	_ = k.look(k.ctx, func() {
		k.lock.Lock()
		defer k.lock.Unlock()
		for i := range jobs {
			seen := k.loop.Ledger.Find(jobs[i].Spec.ID) != 0 || kept[i].refused != "" || kept[i].row.Ended != nil
			is = is || jobs[i].Splits != nil && !seen
		}
	})
	return is
}

// drop forgets the jobs that came last, as they were not let in.
func (k *Keeper) drop(kept []*keptJob, rows []*store.Job) error {
	k.lock.Lock()
	k.jobs = k.jobs[:len(k.jobs)-len(kept)]
	for _, j := range kept {
		k.forget(j)
		k.input -= j.input
	}
	k.lock.Unlock()
	return k.live.Drop(rows)
}

// equip reads job files that are to join the run.
func (k *Keeper) equip(s Submission, now time.Time) (more *Local, came int, err error) {
	vars := &scenario.Vars{AsOf: s.AsOf, Now: now, Set: s.Set}
	jobs, err := vars.ReadAll(s.Files, os.ReadFile)
	if err != nil {
		return nil, 0, err
	}
	there, came := k.beside(jobs)
	more, err = k.equipBeside(jobs, there, now)
	return more, came, err
}

// equipBeside equips jobs that are to join these.
func (k *Keeper) equipBeside(jobs, there []*scenario.Job, now time.Time) (*Local, error) {
	names := make(map[string]bool, len(there)+len(jobs))
	for _, f := range there {
		names[f.Name] = true
	}
	for _, f := range jobs {
		if names[f.Name] {
			return nil, f.Errorf("name", "the run has a job %q already; wait for its end, or give this one another name", f.Name)
		}
	}
	for _, f := range jobs {
		names[f.Name] = true
	}
	for _, f := range jobs {
		for _, name := range f.After {
			if names[name] {
				continue
			}
			before, err := k.before(name)
			switch {
			case err != nil:
				return nil, err
			case before == nil: // of which its check says so
				continue
			case before.State == store.Failed || before.State == store.Killed || before.State == store.Refused:
				return nil, f.Errorf("after", "job %q, for which it waits, has not finished: it is %s", name, before.State)
			}
			there, names[name] = append(there, &scenario.Job{Name: name, Output: before.Output}), true
		}
	}
	return NewLocal(jobs, k.local.Machine, now, there...)
}

// mayWrite checks the outputs of jobs that are to join the run.
func (k *Keeper) mayWrite(more *Local) error {
	for i, dir := range more.outputs("") {
		_, err := outdir.Check([]string{dir})
		if left, wrong := outdir.Left(dir); err == nil && (wrong != nil || left.Command != nil) {
			err = errors.Join(wrong, fmt.Errorf("an interrupted run left %q; slackline resume continues it", dir))
		}
		if err != nil {
			return more.Files[i].Errorf("output", "%v", err)
		}
	}
	return nil
}

// before returns the newest job of the run with this name that others may wait for, nil if there is none: what the
// store has of it may lag behind. Of one that has not ended only the output is known for certain.
func (k *Keeper) before(name string) (*store.Job, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, j := range slices.Backward(k.jobs) {
		if j.row.Name == name {
			row := j.row
			if j.refused != "" {
				row.State = store.Refused
			}
			return &row, nil
		}
	}
	rows, err := k.local.Memory.store.Jobs(store.JobFilter{Run: k.live.Run.ID, Name: name, Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// of is the origin of jobs that were submitted to a run: a run of their own continues them, with the policy and the
// block of this one, whatever their files say, and is told which jobs they wait for besides.
func (k *Keeper) of(s Submission, more *Local, now time.Time) Command {
	o := k.local.Command
	args, block := slices.Clone(o.Args[:slices.Index(o.Args, "--")]), "default"
	args = slices.DeleteFunc(args, func(arg string) bool {
		return OfVars(arg) || strings.HasPrefix(arg, "--policy=") || strings.HasPrefix(arg, "--block=")
	})
	if b := k.local.Machine.Block; b > 0 {
		block = fmt.Sprintf("%dB", b)
	}
	args = append(args, "--policy="+k.cell.Policy, "--block="+block)
	args = append(args, (&scenario.Vars{AsOf: s.AsOf, Set: s.Set}).Args()...)
	own := make(map[string]bool, len(more.Files))
	for _, f := range more.Files {
		own[f.Name] = true
	}
	for _, f := range more.Files {
		for _, name := range f.After {
			if own[name] {
				continue
			}
			if before, err := k.before(name); err == nil && before != nil {
				args = append(args, "--"+Behind+"="+name+"="+before.Output)
			}
		}
	}
	return Command{Dir: o.Dir, Args: slices.Concat(args, []string{"--"}, s.Files)}
}
