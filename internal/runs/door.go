package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
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

// SameDir tells whether two paths name the same directory.
func SameDir(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
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
