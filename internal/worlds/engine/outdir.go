package engine

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
)

// What a job keeps on disk: its output directory with the log and the lock (outdir.Committer), and
// its map output, which lies in there too or, if Config.Dir is set, in a folder of that which bears
// a hash of the output directory's name. So whoever knows the output directory finds all that an
// interrupted run has left.

// CheckOutputs says which of the jobs with these output directories cannot run, and why; -1 if all
// can. What interrupted runs left may be gone on with. A job that is finished may stand beside
// others that are not: a run of all of them was interrupted behind its end.
func CheckOutputs(dirs []string) (int, error) {
	finished, first := 0, -1
	for i, dir := range dirs {
		err := outdir.NewCommitter(dir).Check()
		switch {
		case errors.Is(err, outdir.ErrFinished):
			if finished++; first < 0 {
				first = i
			}
		case err != nil:
			return i, err
		}
	}
	if finished > 0 && finished == len(dirs) {
		return first, outdir.NewCommitter(dirs[first]).Check()
	}
	return -1, nil
}

// Finished tells whether the jobs with these output directories have all finished, and removes what
// their run has left beside them.
func Finished(dirs []string) bool {
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, outdir.SuccessFile)); err != nil {
			return false
		}
	}
	Forget(dirs)
	return true
}

// Forget removes what tells a later run that the jobs with these output directories have finished, of those that have.
func Forget(dirs []string) {
	for _, dir := range dirs {
		c := outdir.NewCommitter(dir)
		if state, err := c.State(); err == nil && state == outdir.Finished && outdir.Busy(c.LockPath()) == nil {
			_ = c.Forget() // where it cannot be removed it is of no harm
		}
	}
}

// Complete tells whether all jobs have finished in a run before this one, which has not forgotten
// them. An error says in what they differ from what they would be now, or that their output is not
// there as it was written.
func Complete(cfg Config) (bool, error) {
	for i := range cfg.Jobs {
		if state, err := outdir.NewCommitter(cfg.Jobs[i].Output).State(); err != nil || state != outdir.Finished {
			return false, err
		}
	}
	w := empty(cfg.withDefaults())
	for i := range w.cfg.Jobs {
		c := &w.cfg.Jobs[i]
		j := &job{cfg: c, committer: outdir.NewCommitter(c.Output)}
		if err := w.plan(j); err != nil {
			return false, err
		}
		if err := w.look(j); err != nil {
			return false, fmt.Errorf("job %q: %w", c.Spec.ID, err)
		}
	}
	return true, nil
}

// home is where the job's map output lies, of this process and of those before it.
func (w *World) home(j *job) string {
	if w.cfg.Dir == "" {
		return j.committer.Below("")
	}
	path, err := filepath.Abs(j.cfg.Output)
	if err != nil {
		path = j.cfg.Output
	}
	h := fnv.New64a()
	h.Write([]byte(path))
	return filepath.Join(w.cfg.Dir, fmt.Sprintf("slackline-%016x", h.Sum64()))
}

// local is where this process keeps the job's map output.
func (w *World) local(j *job) string {
	if w.cfg.Dir == "" {
		return j.committer.Local()
	}
	return filepath.Join(w.home(j), strconv.Itoa(j.life))
}

// setUp makes the output directory of a job, or takes over the one that an interrupted run left,
// before its first attempt.
func (w *World) setUp(j *job) error {
	if j.setUp {
		return nil
	}
	if j.lock == nil {
		if err := j.committer.SetUp(); err != nil {
			return err
		}
		lock, err := outdir.Take(j.committer.LockPath())
		if err != nil {
			return fmt.Errorf("output %q: %w", j.cfg.Output, err)
		}
		j.lock = lock
	}
	if err := w.openLog(j); err != nil {
		return err
	}
	j.setUp = true
	w.begun++
	return nil
}

// openLog opens the log of a job whose lock it has, sweeps what is of no use, and writes down what the job is.
func (w *World) openLog(j *job) error {
	for _, dir := range []string{j.committer.Below(""), w.home(j)} {
		names, _ := os.ReadDir(dir)
		for _, n := range names {
			if life, err := strconv.Atoi(n.Name()); err == nil {
				j.life = max(j.life, life+1)
			}
		}
	}
	j.committer.Begin(j.life)
	if j.log == nil {
		log, records, err := outdir.Open(j.committer.LogPath(), w.cfg.Sync)
		if err != nil {
			return fmt.Errorf("output %q: %w", j.cfg.Output, err)
		}
		seen := 0
		if j.past != nil {
			seen = j.past.records
		}
		if len(records) != seen && !w.cfg.Fresh {
			return errors.Join(fmt.Errorf("output %q: another process has just written there", j.cfg.Output), log.Close())
		}
		was, done := replay(records)
		for _, c := range done {
			if c.moving && c.Run == nil {
				err = errors.Join(err, j.committer.Disown(c.Reduce, c.Task-1, c.Dir, c.Parts))
			}
		}
		if err != nil {
			return errors.Join(err, log.Close())
		}
		j.log, j.described = log, j.past != nil && j.past.described
		j.committer.Made = j.committer.Made || was != nil && was.Made
	}
	if err := w.sweep(j); err != nil {
		return err
	}
	if j.described {
		return nil
	}
	if err := j.log.Clear(); err != nil { // only now, as it tells what may be swept
		return fmt.Errorf("output %q: %w", j.cfg.Output, err)
	}
	if err := j.note(entry{Job: w.describe(j)}); err != nil {
		return err
	}
	j.described = true
	return nil
}

// ours tells whether the output directory is still the one that this process began to write.
func (j *job) ours() bool { return j.lock != nil && j.lock.Holds(j.committer.LockPath()) }

// release gives up the log and the lock. What is on disk stays as it is.
func (j *job) release() {
	if j.log != nil {
		_ = j.log.Close()
		j.log = nil
	}
	if j.lock != nil {
		_ = j.lock.Release()
		j.lock = nil
	}
}

// abort removes all that the job has written, unless the directory is another's by now.
func (w *World) abort(j *job) error {
	var err error
	if j.ours() {
		err = j.committer.Abort()
	}
	j.release()
	return cmp.Or(err, w.removeLocal(j))
}

// removeLocal removes the job's map output if it lies outside of its output directory.
func (w *World) removeLocal(j *job) error {
	if w.cfg.Dir == "" {
		return nil
	}
	if err := fault.DeleteAll(w.home(j)); err != nil {
		return fmt.Errorf("engine: the workers' files cannot be removed: %w", err)
	}
	return nil
}

// damagedError says that a job cannot be committed yet.
type damagedError struct{ tasks []outdir.Damage }

// Error is the error as one sentence.
func (e *damagedError) Error() string {
	return fmt.Sprintf("%d committed tasks have changed, first %v", len(e.tasks), e.tasks[0].Err)
}

// verify checks that parts are as they were written. What cannot be read may be readable a moment later.
func (w *World) verify(j *job) error {
	var bad []outdir.Damage
	err := w.again(func() (err error) {
		if bad, err = j.committer.Verify(); err == nil && len(bad) > 0 {
			err = worst(bad)
		}
		return err
	})
	if len(bad) > 0 && task.FailureOf(err) != task.NoRoom {
		return &damagedError{bad}
	}
	return err
}

// worst is the error that counts of several: parts that could not even be opened, for want of room, are not damaged.
func worst(bad []outdir.Damage) error {
	for _, d := range bad {
		if task.FailureOf(d.Err) == task.NoRoom {
			return d.Err
		}
	}
	return bad[0].Err
}

// commit makes the job's output complete. What fails may go well a moment later, so it tries as
// often as a task may fail if it may go well at all.
func (w *World) commit(j *job) (err error) {
	if !j.ours() {
		return j.gone()
	}
	if err := w.verify(j); err != nil {
		return err
	}
	for range max(1, w.cfg.MaxFailures) {
		if !j.ours() {
			err = j.gone()
			break
		}
		if err = j.committer.CommitJob(func() error { return j.note(entry{Moving: true}) }); err == nil || task.FailureOf(err) != task.Transient {
			break
		}
	}
	if err == nil {
		j.release()
		_ = w.removeLocal(j) // the output is complete whatever becomes of that; see forget
	}
	return err
}

func (j *job) gone() error {
	return fmt.Errorf("output %q: the directory was removed or replaced while the job ran", j.cfg.Output)
}

// settle deals with the output of a job that ends, once nothing runs of it.
func (w *World) settle(j *job) {
	if j.ending == sched.NoOutcome || j.settling || slices.ContainsFunc(w.attempts, func(a *attempt) bool { return a != nil && a.job == j }) {
		return
	}
	j.settling = true
	if !j.setUp && (j.lock == nil || j.past != nil) {
		j.release()
		w.settled(j, nil)
		return
	}
	do := w.abort
	if j.ending == sched.Committed {
		do = w.commit
	}
	w.settling.Go(func() {
		w.await(&j.running) // goroutines that were left behind must not write into what is being removed
		j.executor().Close()
		w.reports.post(report{job: j, err: do(j)})
	})
}

// settled tells the end of a job.
func (w *World) settled(j *job, err error) {
	var changed *damagedError
	if errors.As(err, &changed) {
		w.undo(j, changed.tasks)
		return
	}
	if err != nil && w.noRoom(j, err) { // the run pauses, and the job is as if it had not come to its end
		j.ending, j.why, j.settling = sched.NoOutcome, "", false
		return
	}
	if err != nil {
		if j.ending == sched.Committed { // half a commit is no output
			err = errors.Join(err, w.abort(j))
		}
		j.ending, j.why = sched.Failed, err.Error()
	}
	j.over = true
	if j.setUp {
		w.begun--
	}
	w.emit(sched.Event{Kind: sched.JobEnded, Job: j.id, Outcome: j.ending, Text: j.why, Detail: j.account()})
	w.depart(j)
}

// forget removes the last traces of jobs that are committed, when all that came with them have
// ended. Until then, and as long as another of them can be gone on with, they tell a later run that
// these jobs need not run again; where they cannot be removed they are of no harm.
func (w *World) forget() {
	for _, b := range w.over {
		interrupted := func(j *job) bool { state, _ := j.committer.State(); return state == outdir.Interrupted }
		if w.cfg.Keep || slices.ContainsFunc(b.jobs, interrupted) {
			continue
		}
		for _, j := range b.jobs {
			if j.ending == sched.Committed {
				for try := 0; errors.Join(w.removeLocal(j), j.committer.Forget()) != nil && try < w.cfg.MaxFailures; try++ {
				}
			}
		}
	}
	w.over = nil
}

// die ends a process that a test has declared dead: it stops, workers end with it, and the disk stays as it is.
func (w *World) die() error {
	for _, a := range w.attempts {
		if a != nil {
			a.cancel(fault.ErrDead)
		}
	}
	w.running.Wait()
	w.settling.Wait()
	for j := range w.all() {
		j.executor().Close()
		j.release()
	}
	return fault.ErrDead
}
