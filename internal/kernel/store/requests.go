package store

import (
	"database/sql"
	"errors"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// Whoever can write to the store can ask something of an active run: the process of the run
// looks for requests in the store, and writes its answers there. That is the same on all systems,
// needs no port and no socket, and nothing is left behind by a process that dies.

// Request is what another process asks of a run.
type Request struct {
	ID   int64
	Verb string
	What string // as the verb wants it
}

// ErrGone says that the process of a run does not live any more.
var ErrGone = errors.New("the run has ended")

// Alive returns the runs whose process lives, the oldest first.
func (s *Store) Alive() (list []Run, err error) {
	if s.version < 5 {
		return nil, nil
	}
	open, err := openRuns(s.db)
	if err != nil {
		return nil, s.explain(err)
	}
	for _, r := range open {
		if !filelock.Taken(s.lockOf(r.ID)) {
			continue
		}
		if err := s.db.QueryRow("SELECT coalesce(door, '') FROM runs WHERE id = ?", r.ID).Scan(&r.Door); err != nil {
			return nil, s.explain(err)
		}
		list = append(list, r)
	}
	return list, nil
}

// Ask puts a request to a run. ErrGone is in the error if nobody is there to answer.
func (s *Store) Ask(run int64, verb, what string) (id int64, err error) {
	if !filelock.Taken(s.lockOf(run)) {
		return 0, ErrGone
	}
	made, err := s.db.Exec("INSERT INTO requests (run, verb, what) VALUES (?, ?, ?)", run, verb, what)
	if err == nil {
		id, err = made.LastInsertId()
	}
	return id, s.explain(err)
}

// Answer returns the answer to a request, if there is one by now. ErrGone is in the error if there
// will be none.
func (s *Store) Answer(id int64) (answer string, ok bool, err error) {
	var run int64
	if err := s.db.QueryRow("SELECT run FROM requests WHERE id = ?", id).Scan(&run); err != nil {
		return "", false, s.explain(err)
	}
	alive := filelock.Taken(s.lockOf(run)) // before the question: the last thing that it does may be to answer
	var text sql.NullString
	err = s.db.QueryRow("SELECT answer FROM requests WHERE id = ?", id).Scan(&text)
	if err == nil && text.String == "" && !alive {
		return "", false, ErrGone
	}
	return text.String, text.String != "", s.explain(err)
}

// Withdraw takes back a request, unless the run has taken it up.
func (s *Store) Withdraw(id int64) (withdrawn bool, err error) {
	withdrawn, err = changed(s.db.Exec("DELETE FROM requests WHERE id = ? AND answer IS NULL", id))
	return withdrawn, s.explain(err)
}

// changed tells whether a statement has changed anything.
func changed(done sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// RemoveRequest removes a request, and with it the answer.
func (s *Store) RemoveRequest(id int64) error {
	_, err := s.db.Exec("DELETE FROM requests WHERE id = ?", id)
	return s.explain(err)
}

// Asked returns the requests that the run has neither taken up nor answered, in the order in which they came.
func (l *Live) Asked() (list []Request, err error) {
	q := &query{}
	q.text.WriteString("SELECT id, verb, what FROM requests")
	q.where("answer IS NULL")
	q.where("run = ?", l.Run.ID)
	q.text.WriteString(" ORDER BY id")
	err = l.store.each(q, func(rows *sql.Rows) error {
		var r Request
		err := rows.Scan(&r.ID, &r.Verb, &r.What)
		list = append(list, r)
		return err
	})
	return list, err
}

// Answer answers a request. One that was withdrawn needs none.
func (l *Live) Answer(id int64, text string) error {
	_, err := l.store.db.Exec("UPDATE requests SET answer = ? WHERE id = ?", text, id)
	return l.store.explain(err)
}

// ErrWithdrawn says that whoever asked has given up.
var ErrWithdrawn = errors.New("the request was withdrawn")

// Take takes up a request, which cannot be withdrawn any more: its answer is empty until there is
// one. At once it writes the jobs that come with it, to which it gives numbers.
func (l *Live) Take(id int64, jobs []*Job) error {
	return l.store.explain(l.store.write(func(tx *sql.Tx) error {
		taken, err := changed(tx.Exec("UPDATE requests SET answer = '' WHERE id = ? AND answer IS NULL", id))
		switch {
		case err != nil:
			return err
		case !taken:
			return ErrWithdrawn
		}
		return insert(tx, &l.Run, jobs)
	}))
}

// Drop takes back jobs that were added and not let in.
func (l *Live) Drop(jobs []*Job) error {
	return atOnce(l.store, jobs, func(tx *sql.Tx, j *Job) error {
		_, err := tx.Exec("DELETE FROM jobs WHERE id = ?", j.ID)
		return err
	})
}

// Shut writes down that the run takes no more job files.
func (l *Live) Shut() error {
	_, err := l.store.db.Exec("UPDATE runs SET door = NULL WHERE id = ?", l.Run.ID)
	return l.store.explain(err)
}
