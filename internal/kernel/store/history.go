package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
	"github.com/slackline/slackline/profile"
)

// mostJobs is how many jobs are kept with their attempts; a new run removes the oldest above it.
const mostJobs = 10_000

// The states of a job.
const (
	Waiting     = "waiting" // it has not arrived, or none of its tasks have started
	Running     = "running"
	Finished    = "finished"
	Failed      = "failed"
	Killed      = "killed"
	Refused     = "refused"
	Interrupted = "interrupted" // its process ended before it did
	Resumed     = "resumed"     // it was interrupted, and a later job continues it
	Discarded   = "discarded"   // it was interrupted, and what it had done is gone
)

// Rejected is what Refused was called by earlier builds. Their rows still say so, and so do people.
const Rejected = "rejected"

// States are all of them, in the order of a job's life.
var States = []string{Waiting, Running, Finished, Failed, Killed, Refused, Interrupted, Resumed, Discarded}

// Run is one run of some jobs by one policy, in one process.
type Run struct {
	ID     int64           `json:"id"`
	Name   string          `json:"name"` // of the set of jobs
	Policy string          `json:"policy"`
	Seed   uint64          `json:"seed"`
	PID    int             `json:"pid"`
	Began  time.Time       `json:"began"`
	Ended  *time.Time      `json:"ended"`            // null while it runs
	Door   string          `json:"-"`                // the directory that it takes job files from; "" = it takes none
	Report json.RawMessage `json:"report,omitempty"` // once it has ended
}

// Job is a job of a run. Seconds count from its submission.
type Job struct {
	ID  int64 `json:"id"`
	Run int64 `json:"run"`
	// of a job that continues an interrupted one: where it was submitted first
	First int64 `json:"first,omitempty"`
	// told to Begin: it continues the interrupted one of the same output, if there is one
	GoesOn   bool   `json:"-"`
	Name     string `json:"name"`
	Class    string `json:"class"`
	Workflow string `json:"workflow,omitempty"`
	Policy   string `json:"policy"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"` // why it failed, was killed or refused, or waits
	File     string `json:"file,omitempty"`   // the job file
	// of run, with which the job is resumed if it had not begun; as package runs writes it
	Command   json.RawMessage `json:"command,omitempty"`
	Output    string          `json:"output"`
	Submitted time.Time       `json:"submitted"`
	Started   *time.Time      `json:"started"` // the first attempt
	Ended     *time.Time      `json:"ended"`
	Deadline  *time.Time      `json:"deadline"`
	Promised  bool            `json:"promised"` // the policy promised the deadline
	Took      *float64        `json:"took_s"`
	Outlook   *Outlook        `json:"outlook,omitempty"`
	// the run was cold for its class, so that it took longer than it will
	Cold      bool             `json:"cold,omitempty"`
	Expected  *float64         `json:"expected_s"` // what was said before it ran; null: nothing was known
	Spread    *float64         `json:"spread_s"`   // standard deviation of that
	Maps      Tally            `json:"maps"`
	Reduces   Tally            `json:"reduces"`
	Attempts  int              `json:"attempts"`
	Failures  int              `json:"failures"`   // attempts that failed
	LocalMaps int              `json:"local_maps"` // committed on a node with their input
	Counters  map[string]int64 `json:"counters,omitempty"`
	// what held the processes of its attempts together, and bounded their memory
	Isolation string `json:"isolation,omitempty"`
}

// Outlook is when a job is expected to be done, as it was told last.
type Outlook struct {
	Told       time.Time `json:"told"`
	Half       time.Time `json:"p50,omitzero"` // zero: it was not told
	Ninety     time.Time `json:"p90,omitzero"`
	Sure       time.Time `json:"promised"` // with the confidence
	Confidence float64   `json:"confidence"`
	Why        string    `json:"why,omitempty"` // it moved
}

// Resumable tells whether the job was interrupted, and the store knows the command that continues it.
func (j *Job) Resumable() bool { return j.State == Interrupted && j.Command != nil }

// Tally counts the tasks of a stage.
type Tally struct {
	Tasks int `json:"tasks"`
	Done  int `json:"done"`
}

// Attempt is one try of a task that has ended.
type Attempt struct {
	Job      int64            `json:"job"`
	Stage    string           `json:"stage"`
	Task     int              `json:"task"` // from 1
	Try      int              `json:"try"`  // of this task, from 1
	Node     string           `json:"node"`
	Locality string           `json:"locality"`
	Began    time.Time        `json:"began"`
	Took     float64          `json:"took_s"`
	Shuffle  float64          `json:"shuffle_s"`
	Sort     float64          `json:"sort_s"`
	Outcome  string           `json:"outcome"`
	Reason   string           `json:"reason,omitempty"`
	Read     int64            `json:"bytes_read"`
	Written  int64            `json:"bytes_written"`
	Counters map[string]int64 `json:"counters,omitempty"`
	// what its program said on standard error, or the stack of its panic
	Output string `json:"output,omitempty"`
}

// Live is a run that this process writes. It holds a lock, so that others can tell whether the
// process still lives.
type Live struct {
	Run    Run
	Beside []Run // of other processes, as they ran when this one began
	store  *Store
	lock   *os.File
}

// lockOf is the file that the process of a run keeps locked.
func (s *Store) lockOf(run int64) string {
	return filepath.Join(filepath.Dir(s.path), "running", fmt.Sprint(run))
}

// Begin writes a run and its jobs, to which it gives numbers, and takes the lock of the run. Jobs
// of processes that are gone are written down as interrupted, and those of them whose output one of
// the new jobs writes as resumed or discarded.
func (s *Store) Begin(run Run, jobs []*Job) (*Live, error) {
	l := &Live{Run: run, store: s}
	err := s.write(func(tx *sql.Tx) (err error) {
		if l.Beside, err = s.bury(tx, run.Began); err != nil {
			return err
		}
		r := &l.Run
		made, err := tx.Exec("INSERT INTO runs (name, policy, seed, pid, began, door) VALUES (?, ?, ?, ?, ?, nullif(?, ''))",
			r.Name, r.Policy, int64(r.Seed), r.PID, r.Began.UnixNano(), r.Door)
		if err != nil {
			return err
		}
		if r.ID, err = made.LastInsertId(); err != nil {
			return err
		}
		if err := insert(tx, r, jobs); err != nil {
			return err
		}
		if n := len(jobs); n > 0 && jobs[n-1].ID > s.most {
			if err := prune(tx, jobs[n-1].ID-s.most); err != nil {
				return err
			}
		}
		// Before the commit: who sees the run finds its lock.
		if err := os.MkdirAll(filepath.Dir(s.lockOf(r.ID)), 0o700); err != nil {
			return err
		}
		l.lock, err = filelock.Take(s.lockOf(r.ID), 0o600)
		return err
	})
	if err != nil {
		l.unlock()
		return nil, s.explain(err)
	}
	return l, nil
}

// insert writes jobs of a run, to which it gives numbers.
func insert(tx *sql.Tx, r *Run, jobs []*Job) error {
	for _, j := range jobs {
		j.Run, j.Policy = r.ID, r.Policy
		detail, err := json.Marshal(j) // its number stands beside it
		if err != nil {
			return err
		}
		made, err := tx.Exec("INSERT INTO jobs (run, name, class, policy, state, submitted, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
			j.Run, j.Name, j.Class, j.Policy, j.State, j.Submitted.UnixNano(), string(detail))
		if err != nil {
			return err
		}
		if j.ID, err = made.LastInsertId(); err != nil {
			return err
		}
		if err := replace(tx, j); err != nil {
			return err
		}
	}
	return nil
}

// Add writes jobs that have come to the run, to which it gives numbers.
func (l *Live) Add(jobs []*Job) error {
	return l.store.explain(l.store.write(func(tx *sql.Tx) error {
		if err := insert(tx, &l.Run, jobs); err != nil {
			return err
		}
		if last := jobs[len(jobs)-1].ID; last > l.store.most {
			return prune(tx, last-l.store.most)
		}
		return nil
	}))
}

// prune removes the jobs up to a number, and the runs of which no job is left.
func prune(tx *sql.Tx, last int64) error {
	if _, err := tx.Exec("DELETE FROM jobs WHERE id <= ?", last); err != nil {
		return err
	}
	_, err := tx.Exec("DELETE FROM runs WHERE id < (SELECT min(run) FROM jobs)")
	return err
}

// bury ends the runs whose process is gone, and returns those that live.
func (s *Store) bury(tx *sql.Tx, now time.Time) (alive []Run, err error) {
	open, err := openRuns(tx)
	if err != nil {
		return nil, err
	}
	for _, r := range open {
		if filelock.Taken(s.lockOf(r.ID)) {
			alive = append(alive, r)
			continue
		}
		_ = os.Remove(s.lockOf(r.ID)) // else it stays: a small file
		if _, err := tx.Exec("UPDATE runs SET ended = ? WHERE id = ?", now.UnixNano(), r.ID); err != nil {
			return nil, err
		}
		_, err := tx.Exec("UPDATE jobs SET state = ? WHERE run = ? AND state IN (?, ?)", Interrupted, r.ID, Waiting, Running)
		if err != nil {
			return nil, err
		}
	}
	return alive, nil
}

// replace gives the interrupted jobs with the output of a new one their last state. A new one that
// continues them takes over from where the first of them was submitted.
func replace(tx *sql.Tx, j *Job) error {
	if !j.GoesOn {
		return retire(tx, j.Output, Discarded, fmt.Sprintf("job %d started again", j.ID))
	}
	var first sql.NullInt64
	err := tx.QueryRow("SELECT min(coalesce(json_extract(detail, '$.first'), id)) FROM jobs WHERE "+interruptedWith,
		j.Output).Scan(&first)
	if err != nil || !first.Valid {
		return err
	}
	j.First = first.Int64
	return errors.Join(putJob(tx, j), retire(tx, j.Output, Resumed, fmt.Sprintf("job %d resumed it", j.ID)))
}

// interruptedWith selects the interrupted jobs with an output. SQLite uses the index jobs_interrupted
// only where the state is part of the statement.
const interruptedWith = "state = '" + Interrupted + "' AND json_extract(detail, '$.output') = ?"

// retire gives the interrupted jobs with an output another state, and says why.
func retire(tx *sql.Tx, output, state, why string) error {
	_, err := tx.Exec("UPDATE jobs SET state = ?, detail = json_set(detail, '$.reason', ?) WHERE "+interruptedWith,
		state, why, output)
	return err
}

// Discard writes down that what interrupted jobs had done in these output directories is gone.
func (s *Store) Discard(now time.Time, outputs ...string) error {
	return s.explain(s.write(func(tx *sql.Tx) error {
		if _, err := s.bury(tx, now); err != nil {
			return err
		}
		for _, output := range outputs {
			if err := retire(tx, output, Discarded, "its work was thrown away"); err != nil {
				return err
			}
		}
		return nil
	}))
}

// querier is a database or a transaction.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
}

// openRuns are the runs that have not been ended, by a living process or not.
func openRuns(q querier) (list []Run, err error) {
	rows, err := q.Query("SELECT id, name, policy, seed, pid, began FROM runs WHERE ended IS NULL ORDER BY id")
	if err != nil {
		return nil, err
	}
	err = scan(rows, func(rows *sql.Rows) error {
		var r Run
		var seed, began int64
		err := rows.Scan(&r.ID, &r.Name, &r.Policy, &seed, &r.PID, &began)
		r.Seed, r.Began = uint64(seed), time.Unix(0, began)
		list = append(list, r)
		return err
	})
	return list, err
}

func putJob(tx *sql.Tx, j *Job) error {
	detail, err := json.Marshal(j)
	if err != nil {
		return err
	}
	_, err = tx.Exec("UPDATE jobs SET state = ?, submitted = ?, detail = ? WHERE id = ?", j.State, j.Submitted.UnixNano(), string(detail), j.ID)
	return err
}

// Change is what is written at a time.
type Change struct {
	Jobs     []*Job // as they stand now
	Attempts []*Attempt
	Taught   []*profile.Class // what is learned with it
	Report   json.RawMessage  // if not nil, the run has ended with this report
	Ended    time.Time        // then
}

// Save writes a change in one transaction.
func (l *Live) Save(c Change) error {
	return l.store.explain(l.store.write(func(tx *sql.Tx) error {
		if err := forEach(tx, c.Jobs, putJob); err != nil {
			return err
		}
		for _, a := range c.Attempts {
			detail := *a
			detail.Output = ""
			text, err := json.Marshal(&detail)
			if err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT OR REPLACE INTO attempts (job, stage, task, try, node, outcome, began, detail, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
				a.Job, a.Stage, a.Task, a.Try, a.Node, a.Outcome, a.Began.UnixNano(), string(text), a.Output); err != nil {
				return err
			}
		}
		if err := forEach(tx, c.Taught, learn); err != nil {
			return err
		}
		if c.Report == nil {
			return nil
		}
		_, err := tx.Exec("UPDATE runs SET ended = ?, report = ? WHERE id = ?", c.Ended.UnixNano(), string(c.Report), l.Run.ID)
		return err
	}))
}

// Close gives the lock back. A run without a report counts as interrupted from then on.
func (l *Live) Close() error { return l.unlock() }

func (l *Live) unlock() error {
	if l.lock == nil {
		return nil
	}
	name := l.lock.Name()
	err := errors.Join(l.lock.Close(), os.Remove(name))
	l.lock = nil
	return err
}
