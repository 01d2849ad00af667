package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/units"
)

// What other processes of this user ask of a run goes through the store: see package store. Nobody
// else may be able to write there, as a job file may run any command.

// The verbs of requests.
const (
	Submit = "submit" // what: a Submission
	Cancel = "cancel" // what: the name of a job
	Shut   = "shut"   // take no more jobs
)

// Submission is job files for a run.
type Submission struct {
	Dir   string   `json:"dir"` // that their paths are relative to; it has to be that of the run
	Files []string `json:"files"`
}

// Reply is the answer of a run.
type Reply struct {
	Error string      `json:"error,omitempty"` // why it does not do what was asked; "" = it does
	Bad   bool        `json:"bad,omitempty"`   // a job file is wrong
	Jobs  []Submitted `json:"jobs,omitempty"`
	Notes []string    `json:"notes,omitempty"` // on the job files
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
// store.ErrGone if the run has ended. Whoever gives up withdraws the request: then nothing of it is
// done, unless the run is at it already.
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
			return r, fmt.Errorf("%s while it was at the request; slackline jobs shows what became of it", why)
		}
		withdrawn, err := m.store.Withdraw(id)
		switch {
		case err != nil:
			return r, err
		case withdrawn:
			return r, fmt.Errorf("%s; the request is withdrawn, and nothing of it is done", why)
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
			case r.Verb == Submit:
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
	switch r.Verb {
	case Cancel:
		if err := k.live.Take(r.ID, nil); err != nil {
			return Reply{}, err
		}
		return Reply{}, k.door.Ask(k.ctx, engine.Request{Cancel: r.What})
	case Shut:
		if !k.local.Open {
			return Reply{}, engine.ErrShut
		}
		if err := k.live.Take(r.ID, nil); err != nil {
			return Reply{}, err
		}
		return Reply{}, errors.Join(k.door.Ask(k.ctx, engine.Request{Shut: true}), k.live.Shut())
	case Submit:
		var s Submission
		if err := json.Unmarshal([]byte(r.What), &s); err != nil {
			return Reply{}, err
		}
		return k.submit(r.ID, s)
	}
	return Reply{}, fmt.Errorf("this run is one of another build of slackline: it knows no %q", r.Verb)
}

// submit lets the jobs of files into the run. Where others came while they were read, they are
// checked again beside those.
func (k *Keeper) submit(request int64, s Submission) (r Reply, err error) {
	if !k.local.Open {
		return r, engine.ErrShut
	}
	if here := absolute("."); !SameDir(s.Dir, here) {
		return r, fmt.Errorf("it takes job files from %s, as their paths are relative to that; submit them there", here)
	}
	for {
		k.joins.Lock()
		there := slices.Clone(k.local.Files)
		k.joins.Unlock()
		now := time.Now()
		more, err := k.joining(s.Files, there, now)
		switch {
		case k.ctx.Err() != nil:
			return r, context.Cause(k.ctx)
		case err != nil:
			return Reply{Bad: true}, err
		}
		k.joins.Lock()
		if slices.Equal(there, k.local.Files) {
			defer k.joins.Unlock()
			return k.join(request, s.Files, more, now)
		}
		k.joins.Unlock()
	}
}

// joining reads job files that are to join the run. It ends with the run, whatever it reads.
func (k *Keeper) joining(files []string, there []*scenario.Job, now time.Time) (more *Local, err error) {
	l := &Local{Machine: k.local.Machine, Files: there}
	read := make(chan struct{})
	var found *Local
	var wrong error
	go func() {
		defer close(read)
		found, wrong = l.joining(files, now)
	}()
	select {
	case <-read:
		return found, wrong
	case <-k.ctx.Done():
		return nil, context.Cause(k.ctx)
	}
}

// join lets jobs into the run, unless whoever asked for it has given up.
func (k *Keeper) join(request int64, files []string, more *Local, now time.Time) (r Reply, err error) {
	since := units.Duration(now.Sub(k.cell.Origin()))
	var jobs []engine.Job
	for _, equipped := range more.jobs {
		j := equipped.Job
		j.Began = now
		if j.Command, err = json.Marshal(k.local.of(files, more)); err != nil {
			return r, err
		}
		j.Spec.Arrive = j.Spec.Arrive.Add(since)
		for _, at := range []*units.Time{&j.Spec.Deadline, &j.Spec.Soft} {
			if *at != units.Never {
				*at = at.Add(since)
			}
		}
		jobs = append(jobs, j)
	}
	rows, err := k.add(request, more, now)
	if err == nil {
		err = k.door.Ask(k.ctx, engine.Request{Submit: jobs})
	}
	if err != nil {
		return r, errors.Join(err, k.drop(more, rows))
	}
	for _, row := range rows {
		r.Jobs = append(r.Jobs, Submitted{row.ID, row.Name})
	}
	r.Notes = slices.Concat(more.Notes(), more.Warnings)
	return r, nil
}

// SameDir tells whether two paths name the same directory.
func SameDir(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// joining reads job files that are to join the run.
func (l *Local) joining(files []string, now time.Time) (*Local, error) {
	var jobs []*scenario.Job
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		more, err := scenario.ReadJobs(file, src)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, more...)
	}
	for _, f := range jobs {
		if slices.Contains(l.JobNames(), f.Name) {
			return nil, f.Errorf("name", "the run has had a job %q already; give this one another name", f.Name)
		}
	}
	more, err := newLocal(jobs, l.Machine, now, l.Files)
	if err != nil {
		return nil, err
	}
	for i, dir := range more.outputs("") {
		_, err := outdir.Check(dir)
		if left, wrong := outdir.Left(dir); err == nil && (wrong != nil || left.Command != nil) {
			err = errors.Join(wrong, fmt.Errorf("an interrupted run left %q; slackline resume continues it", dir))
		}
		if err != nil {
			return nil, more.Files[i].Errorf("output", "%v", err)
		}
	}
	return more, nil
}

// of is the origin of jobs that were submitted to a run: a run of their own goes on with them, and
// is told which jobs they wait for besides.
func (l *Local) of(files []string, more *Local) Command {
	o := l.Command
	args := slices.Clone(o.Args[:slices.Index(o.Args, "--")])
	for _, f := range more.Files {
		for _, before := range f.After {
			if i := l.file(before); i >= 0 {
				args = append(args, "--"+Behind+"="+before+"="+l.output(i, ""))
			}
		}
	}
	return Command{Dir: o.Dir, Args: slices.Concat(args, []string{"--"}, files), Outputs: more.Outputs("")}
}

// Behind is the flag of run that names a job of another submission, and its output.
const Behind = "behind"

// add begins to keep more jobs, before they arrive.
func (k *Keeper) add(request int64, more *Local, now time.Time) (rows []*store.Job, err error) {
	for i := range more.Files {
		row := more.row(i, "", now)
		rows = append(rows, &row)
	}
	if err := k.live.Take(request, rows); err != nil {
		return nil, err
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	l := k.local
	l.Files, l.jobs = append(l.Files, more.Files...), append(l.jobs, more.jobs...)
	for _, row := range rows {
		k.jobs = append(k.jobs, keptJob{row: *row, work: report.Work{Counters: map[string]int64{}}})
		k.dirty, k.expected = append(k.dirty, false), append(k.expected, nil)
	}
	return rows, nil
}

// drop forgets the jobs that were added last, as they were not let in.
func (k *Keeper) drop(more *Local, rows []*store.Job) error {
	if rows == nil {
		return nil
	}
	k.lock.Lock()
	l := k.local
	n := len(l.Files) - len(more.Files)
	l.Files, l.jobs = l.Files[:n], l.jobs[:n]
	k.jobs, k.dirty, k.expected = k.jobs[:n], k.dirty[:n], k.expected[:n]
	k.lock.Unlock()
	return k.live.Drop(rows)
}

// Unserve ends that anything is asked of the run: its jobs have ended, or it is broken off.
func (k *Keeper) Unserve() {
	k.over(store.ErrGone)
	k.server.Wait()
}

// Lost are the jobs of an open run that broke off which have not ended, and which nothing on disk
// goes on with: neither they nor any that were submitted with them had begun.
func (k *Keeper) Lost() (names []string) {
	if !k.local.Open {
		return nil
	}
	kept := make(map[string]bool) // by output
	for _, dir := range k.local.Remains("") {
		var from Command
		if left, err := outdir.Left(dir); err == nil && json.Unmarshal(left.Command, &from) == nil {
			for _, output := range from.Outputs {
				kept[output] = true
			}
		}
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	for i := range k.jobs {
		if row := &k.jobs[i].row; row.Ended == nil && !kept[row.Output] {
			names = append(names, row.Name)
		}
	}
	return names
}

// Number is that of the run in the store, 0 if it is not kept. An error says why no other process
// can ask anything of it.
func (k *Keeper) Number() (int64, error) {
	if k.live == nil {
		return 0, errors.New("the run is not kept")
	}
	return k.live.Run.ID, k.untrusted
}
