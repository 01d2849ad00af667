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

// Ask asks something of a run that another process drives, and waits for the answer. The error is
// store.ErrGone if the run has ended.
func (m *Memory) Ask(ctx context.Context, run int64, verb, what string) (r Reply, err error) {
	id, err := m.store.Ask(run, verb, what)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.store.Withdraw(id)) }()
	t := time.NewTicker(askEvery / 2)
	defer t.Stop()
	for until := time.Now().Add(patience); time.Now().Before(until); {
		text, ok, err := m.store.Answer(id)
		switch {
		case err != nil:
			return r, err
		case ok:
			return r, json.Unmarshal([]byte(text), &r)
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
	}
	return r, fmt.Errorf("run %d has not answered for %v; is its process stopped?", run, patience)
}

// serve does what is asked of the run until it ends. A store that cannot be read now may be later.
func (k *Keeper) serve() {
	t := time.NewTicker(askEvery)
	defer t.Stop()
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
		asked, _ := k.live.Asked()
		for _, r := range asked {
			reply, err := k.grant(r)
			if err != nil {
				reply.Error = err.Error()
			}
			if text, err := json.Marshal(reply); err == nil {
				_ = k.live.Answer(r.ID, string(text)) // else whoever asks hears nothing, and says so
			}
		}
	}
}

// grant does what is asked.
func (k *Keeper) grant(r store.Request) (Reply, error) {
	switch r.Verb {
	case Cancel:
		return Reply{}, k.door.Ask(k.ctx, engine.Request{Cancel: r.What})
	case Shut:
		if !k.local.Open {
			return Reply{}, engine.ErrShut
		}
		return Reply{}, errors.Join(k.door.Ask(k.ctx, engine.Request{Shut: true}), k.live.Shut())
	case Submit:
		var s Submission
		if err := json.Unmarshal([]byte(r.What), &s); err != nil {
			return Reply{}, err
		}
		return k.submit(s)
	}
	return Reply{}, fmt.Errorf("this run is one of another build of slackline: it knows no %q", r.Verb)
}

// submit lets the jobs of files into the run.
func (k *Keeper) submit(s Submission) (r Reply, err error) {
	if !k.local.Open {
		return r, engine.ErrShut
	}
	if here := absolute("."); !SameDir(s.Dir, here) {
		return r, fmt.Errorf("it takes job files from %s, as their paths are relative to that; submit them there", here)
	}
	now, origin := time.Now(), k.cell.Origin()
	more, err := k.local.joining(s.Files, now)
	if err != nil {
		return Reply{Bad: true}, err
	}
	since := units.Duration(now.Sub(origin))
	var jobs []engine.Job
	for _, equipped := range more.jobs {
		j := equipped.Job
		j.Began = now
		if j.Command, err = json.Marshal(k.local.Command.of(s.Files, more.Outputs(""))); err != nil {
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
	rows, err := k.add(more, now)
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

// of is the origin of jobs that were submitted to a run: a run of their own goes on with them.
func (o Command) of(files, outputs []string) Command {
	flags := o.Args[:slices.Index(o.Args, "--")+1]
	return Command{Dir: o.Dir, Args: slices.Concat(flags, files), Outputs: outputs}
}

// add begins to keep more jobs, before they arrive.
func (k *Keeper) add(more *Local, now time.Time) (rows []*store.Job, err error) {
	for i := range more.Files {
		row := more.row(i, "", now)
		rows = append(rows, &row)
	}
	if err := k.live.Add(rows); err != nil {
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

// Number is that of the run in the store, 0 if it is not kept. An error says why no other process
// can ask anything of it.
func (k *Keeper) Number() (int64, error) {
	if k.live == nil {
		return 0, errors.New("the run is not kept")
	}
	return k.live.Run.ID, k.untrusted
}
