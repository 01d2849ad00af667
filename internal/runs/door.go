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

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What other processes of this user ask of a run goes through the store: see package store. Nobody
// else may be able to write there, as a job file may run any command.

// The verbs of requests.
const (
	Submit = "submit" // what: a Submission
	Expect = "expect" // what: a Submission; when its jobs would be done
	Cancel = "cancel" // what: the number of a job, and its name
	Why    = "why"    // what: names of jobs, a line each; what they wait for, or where their time went
	Shut   = "shut"   // take no more jobs
	Mode   = "mode"   // who is to place work on a cluster; what: a sched.ControlVerb by its name
)

// Submission is job files for a run.
type Submission struct {
	Dir   string   `json:"dir"` // that their paths are relative to; it has to be that of the run
	Files []string `json:"files"`

	AsOf time.Time         `json:"as_of,omitzero"`
	Set  map[string]string `json:"set,omitempty"` // of whoever submits, the environment's too
}

// Reply is the answer of a run.
type Reply struct {
	Error string      `json:"error,omitempty"` // why it does not do what was asked; "" = it does
	Bad   bool        `json:"bad,omitempty"`   // a job file is wrong
	Jobs  []Submitted `json:"jobs,omitempty"`
	Notes []string    `json:"notes,omitempty"` // on the job files

	Answers  *Answers           `json:"answers,omitempty"`  // to Expect
	Waits    []*account.Wait    `json:"waits,omitempty"`    // to Why, of each job; null: it has ended, or there is none
	Accounts []*account.Account `json:"accounts,omitempty"` // of those that have ended; null: nobody kept it
	Began    time.Time          `json:"began,omitzero"`     // the instant from which its times count
}

// Submitted is a job that a run has taken.
type Submitted struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// askEvery is how often requests and answers are looked for.
const askEvery = 100 * time.Millisecond

// patience is how long a run may take to answer.
const patience = 30 * time.Second

// grace is how long the answer of a run that is at a request may take beyond that.
const grace = 5 * time.Second

// Ask asks something of a run that another process drives, and waits for the answer. The error is
// store.ErrGone if the run has ended. Whoever gives up withdraws the request: then it has no
// effect, unless the run is at it already.
func (m *Memory) Ask(ctx context.Context, run int64, verb, what string) (r Reply, err error) {
	id, err := m.store.Ask(run, verb, what)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.store.RemoveRequest(id)) }()
	t := time.NewTicker(askEvery / 2)
	defer t.Stop()
	why := ""
	var last <-chan time.Time
	late := time.After(patience)
	for done := ctx.Done(); ; {
		text, ok, err := m.store.Answer(id)
		switch {
		case err != nil:
			return r, err
		case ok:
			return r, json.Unmarshal([]byte(text), &r)
		}
		select {
		case <-t.C:
			continue
		case <-done:
			why, done, late = "interrupted", nil, nil
		case <-late:
			why, late = fmt.Sprintf("run %d has not answered for %v", run, patience), nil
		case <-last:
			return r, fmt.Errorf("%s while the run was handling the request; slackline jobs shows the outcome", why)
		}
		withdrawn, err := m.store.Withdraw(id)
		switch {
		case err != nil:
			return r, err
		case withdrawn:
			return r, fmt.Errorf("%s; the request is withdrawn", why)
		}
		last = time.After(grace)
	}
}

// serve does what is asked of the run until it ends. A store that cannot be read now may be later.
// Job files and their input may be slow to read, so that nobody waits for those of another.
func (k *Keeper) serve() {
	t := time.NewTicker(askEvery)
	defer t.Stop()
	inHand := make(map[int64]bool)
	for {
		select {
		case <-t.C:
		case <-k.ctx.Done():
			return
		}
		k.lock.Lock()
		begun := k.begun
		k.lock.Unlock()
		if !begun { // its clock does not run
			continue
		}
		asked, err := k.live.Asked()
		if err != nil {
			continue
		}
		still := make(map[int64]bool)
		for _, r := range asked {
			switch still[r.ID] = true; {
			case inHand[r.ID]:
			case r.Verb == Submit || r.Verb == Expect || r.Verb == Why || r.Verb == Mode: // which may take a while
				k.server.Go(func() { k.answer(r) })
			default:
				k.answer(r)
			}
		}
		inHand = still
	}
}

// answer does what is asked, and says so. If it cannot, whoever asks hears nothing, and says so.
func (k *Keeper) answer(r store.Request) {
	reply, err := k.grant(r)
	switch {
	case errors.Is(err, store.ErrGone): // which the store says by itself
		return
	case err != nil:
		reply.Error = err.Error()
	}
	if text, err := json.Marshal(reply); err == nil {
		_ = k.live.Answer(r.ID, string(text))
	}
}

// grant does what is asked.
func (k *Keeper) grant(r store.Request) (Reply, error) {
	switch {
	case r.Verb == Mode:
		return k.setMode(r)
	case r.Verb == Why:
		return k.waits(strings.Split(r.What, "\n"))
	case k.yarn != nil && r.Verb == Expect:
		return k.would(r.What)
	case k.yarn != nil:
		return Reply{}, errors.New("the job is one of a Hadoop cluster; yarn application -kill, with its name, ends it")
	}
	switch r.Verb {
	case Cancel:
		number, name, _ := strings.Cut(r.What, " ")
		k.lock.Lock()
		j := k.open[name]
		another := j == nil || fmt.Sprint(j.row.ID) != number
		k.lock.Unlock()
		if another { // it has ended, whatever has its name now
			return Reply{}, fmt.Errorf("job %s has ended", number)
		}
		if err := k.live.Take(r.ID, nil); err != nil {
			return Reply{}, err
		}
		return Reply{}, k.door.Ask(k.ctx, engine.Request{Cancel: name})
	case Shut:
		if !k.local.Open {
			return Reply{}, engine.ErrShut
		}
		if err := k.live.Take(r.ID, nil); err != nil {
			return Reply{}, err
		}
		return Reply{}, errors.Join(k.door.Ask(k.ctx, engine.Request{Shut: true}), k.live.Shut())
	case Submit, Expect:
		var s Submission
		if err := json.Unmarshal([]byte(r.What), &s); err != nil {
			return Reply{}, err
		}
		if !k.local.Open {
			return Reply{}, engine.ErrShut
		}
		if here := absolute("."); !SameDir(s.Dir, here) {
			return Reply{}, fmt.Errorf("it takes job files from %s, as their paths are relative to that; submit them there", here)
		}
		if r.Verb == Expect {
			return k.expect(s)
		}
		return k.submit(r.ID, s)
	}
	return Reply{}, fmt.Errorf("this run belongs to another build of slackline, which does not know %q", r.Verb)
}

// waits says what jobs wait for, and of those that have ended where their time went.
func (k *Keeper) waits(names []string) (Reply, error) {
	known, err := k.memory.Profiles()
	if err != nil {
		return Reply{}, err
	}
	k.lock.Lock()
	re, elsewhere := Reply{Began: k.base}, k.yarn != nil && k.mode != sched.TakeOver
	k.lock.Unlock()
	err = k.look(k.ctx, func() {
		re.Waits = account.Standing(k.loop.Ledger, units.Time(time.Since(re.Began)), func(class string) *profile.Class { return find(known, class) }, names...)
		for i, name := range names {
			re.Accounts = append(re.Accounts, nil)
			if k.cell.Books != nil && re.Waits[i] == nil {
				re.Accounts[i] = k.cell.Books.Named(name)
			}
		}
	})
	for _, w := range re.Waits {
		if elsewhere && w != nil && w.Cause != "" {
			*w = account.Wait{At: w.At, Cause: account.Stock, Stage: w.Stage, Tasks: w.Tasks, Queue: w.Queue}
		}
	}
	return re, err
}

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

// Drives notes which loop drives the run.
func (k *Keeper) Drives(l *drive.Loop) { k.loop = l }

// expect says when the jobs of files would be done if they came now: by the policy of the run, as it stands.
func (k *Keeper) expect(s Submission) (r Reply, err error) {
	now := time.Now()
	more, _, err := k.joining(s, now, func(*Local) error { return nil })
	if err != nil {
		return Reply{Bad: true}, err
	}
	known, err := k.taught(more)
	if err != nil {
		return r, err
	}
	cfg, err := more.sim(k.cell.Policy, k.cell.Seed, known, lab.ReadsConfidence(k.cell.Policy, lab.NoQueues))
	if err != nil {
		return Reply{Bad: true}, err
	}
	for _, j := range cfg.Workload.Jobs {
		j.Come(units.Duration(now.Sub(k.cell.Origin())))
	}
	var from lab.Stand
	var wrong error
	if err := k.look(k.ctx, func() { from, wrong = lab.StandOf(k.loop) }); err != nil || wrong != nil {
		return r, errors.Join(err, wrong)
	}
	more.Memory = k.local.Memory
	r.Answers, err = more.ask(k.ctx, from, k.cell.Policy, cfg, known, k.cell.Origin(), k.live.Run.ID)
	return r, err
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
	r.Answers = &Answers{Jobs: k.said(jobs)}
	return r, nil
}

// said is what the policy has said of jobs that have come: nothing of those whose input is still read, and of none
// if the run ends now.
func (k *Keeper) said(jobs []engine.Job) (all []Answer) {
	at := func(t units.Time) time.Time { return k.cell.Origin().Add(time.Duration(t)) }
	_ = k.look(k.ctx, func() {
		book := k.loop.Ledger
		for i := range jobs {
			j := book.Job(book.Find(jobs[i].Spec.ID))
			if j == nil {
				continue
			}
			a, f := Answer{ID: j.Spec.ID, Submitted: at(j.Arrived)}, Foresight{Fate: lab.Fate{Outlook: j.Outlook, Arrived: j.Arrived}}
			if j.Deadline != units.Never {
				a.Deadline = new(at(j.Deadline))
			}
			if f.said() {
				a.tell(&f)
				a.Earliest = nil
				all = append(all, a)
			}
		}
	})
	return all
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

// SameDir tells whether two paths name the same directory.
func SameDir(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
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

// before returns the newest job of the run with this name that others may wait for, nil if there is
// none. Of one that has not ended only the output is known for certain.
func (k *Keeper) before(name string) (*store.Job, error) {
	rows, err := k.local.Memory.store.Jobs(store.JobFilter{Run: k.live.Run.ID, Name: name, Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// of is the origin of jobs that were submitted to a run: a run of their own continues them, and
// is told which jobs they wait for besides.
func (k *Keeper) of(s Submission, more *Local, now time.Time) Command {
	o := k.local.Command
	args := slices.DeleteFunc(slices.Clone(o.Args[:slices.Index(o.Args, "--")]), OfVars)
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

// OfVars tells whether an argument of run is one of those that scenario.Vars.Args returns.
func OfVars(arg string) bool {
	return strings.HasPrefix(arg, "--as-of=") || strings.HasPrefix(arg, "--set=")
}

// Behind is the flag of run that names a job of another submission, and its output.
const Behind = "behind"

// Unserve ends that anything is asked of the run: its jobs have ended, or it is broken off.
func (k *Keeper) Unserve() {
	k.over(store.ErrGone)
	k.server.Wait()
}

// Lost are jobs of an open run that broke off before they, or any that were submitted with them,
// had begun: the store alone knows of them. Of those that were submitted together it is the first.
// From then on Local.Remains knows the jobs that were submitted too.
func (k *Keeper) Lost() (names []string) {
	if !k.local.Open {
		return nil
	}
	k.lock.Lock()
	k.local.Files = filesOf(maps.Values(k.open))
	k.lock.Unlock()
	var told []Command
	tell := func(command []byte) bool {
		var from Command
		if json.Unmarshal(command, &from) != nil || slices.ContainsFunc(told, from.Same) {
			return false
		}
		told = append(told, from)
		return true
	}
	for _, dir := range k.local.Remains("") {
		if left, err := outdir.Left(dir); err == nil {
			tell(left.Command)
		}
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, f := range k.local.Files {
		if j := k.open[f.Name]; j != nil && tell(j.row.Command) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Number is that of the run in the store, 0 if it is not kept. An error says why no other process
// can ask anything of it.
func (k *Keeper) Number() (int64, error) {
	if k.live == nil {
		return 0, errors.New("the run is no longer in the history")
	}
	return k.live.Run.ID, k.untrusted
}
