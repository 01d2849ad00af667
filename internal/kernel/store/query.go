package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
	"github.com/slackline/slackline/profile"
)

// JobFilter chooses jobs; what is zero chooses all.
type JobFilter struct {
	ID     int64
	Run    int64
	First  int64 // that this one resumes
	Name   string
	Output string
	Class  string // of which, or of whose family, they are
	Policy string
	States []string
	Since  time.Time // submitted then or later
	Limit  int
}

// AttemptFilter chooses attempts of a job; what is zero chooses all.
type AttemptFilter struct {
	Stage    string
	Task     int
	Node     string
	Outcomes []string
	Limit    int
}

// query gathers conditions.
type query struct {
	text strings.Builder
	args []any
	word string // before the next condition
}

func (q *query) where(condition string, args ...any) {
	q.word = cmp.Or(q.word, " WHERE ")
	q.text.WriteString(q.word + condition)
	q.word = " AND "
	q.args = append(q.args, args...)
}

// is adds that a column has this value, if there is one.
func is[T comparable](q *query, column string, value T) {
	var none T
	if value != none {
		q.where(column+" = ?", value)
	}
}

// among adds that a column has one of these values, if there are any.
func (q *query) among(column string, values []string) {
	if len(values) == 0 {
		return
	}
	var args []any
	for _, v := range values {
		args = append(args, v)
	}
	q.where(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// ofFamily adds that the class is this one, or of this family.
func (q *query) ofFamily(family string) {
	of := profile.Members(family)
	q.where("(class = ? OR class >= ? AND class < ?)", family, of, of+"\U0010ffff")
}

// Jobs returns the jobs that the filter chooses, the newest first.
func (s *Store) Jobs(f JobFilter) (jobs []*Job, err error) {
	if s.version < 2 {
		return nil, nil
	}
	dead, err := s.dead()
	if err != nil {
		return nil, s.explain(err)
	}
	q := &query{}
	// Jobs of a process that is gone do not run, though nobody could write that down. Builds before
	// this kept a promise in the report of the run alone.
	fmt.Fprintf(&q.text, `SELECT id, run, state, detail, json_extract(detail, '$.promised') IS NULL AND json_extract(detail, '$.deadline') IS NOT NULL
		AND EXISTS (SELECT 1 FROM runs, json_each(runs.report, '$.jobs') AS told WHERE runs.id = job.run
			AND json_extract(told.value, '$.id') = job.name AND json_extract(told.value, '$.promised_s') IS NOT NULL)
		FROM (SELECT id, run, name, class, policy, submitted, detail, CASE WHEN state IN ('%s', '%s') AND run IN (%s) THEN '%s'
			WHEN state = '%s' THEN '%s' ELSE state END AS state FROM jobs) AS job`, Waiting, Running, dead, Interrupted, Rejected, Refused)
	is(q, "id", f.ID)
	is(q, "run", f.Run)
	is(q, "json_extract(detail, '$.first')", f.First)
	is(q, "name", f.Name)
	is(q, "json_extract(detail, '$.output')", f.Output)
	if f.Class != "" {
		q.ofFamily(f.Class)
	}
	is(q, "policy", f.Policy)
	q.among("state", f.States)
	if !f.Since.IsZero() {
		q.where("submitted >= ?", nanos(f.Since))
	}
	q.text.WriteString(" ORDER BY id DESC")
	if f.Limit > 0 {
		q.text.WriteString(" LIMIT " + strconv.Itoa(f.Limit))
	}
	err = s.each(q, func(rows *sql.Rows) error {
		var id, run int64
		var state, detail string
		var promised bool
		if err := rows.Scan(&id, &run, &state, &detail, &promised); err != nil {
			return err
		}
		j := &Job{}
		if err := json.Unmarshal([]byte(detail), j); err != nil {
			return fmt.Errorf("what it knows of job %d cannot be read: %w", id, err)
		}
		j.ID, j.Run, j.State, j.Promised = id, run, state, j.Promised || promised
		jobs = append(jobs, j)
		return nil
	})
	return jobs, err
}

// nanos counts from 1970, also for times that are too far away to be counted so.
func nanos(t time.Time) int64 {
	switch year := t.Year(); {
	case year > 2261:
		return math.MaxInt64
	case year < 1678:
		return math.MinInt64
	}
	return t.UnixNano()
}

// dead lists the runs whose process is gone, for a query.
func (s *Store) dead() (string, error) {
	open, err := openRuns(s.db)
	var list []string
	for _, r := range open {
		if !filelock.Taken(s.lockOf(r.ID)) {
			list = append(list, strconv.FormatInt(r.ID, 10))
		}
	}
	return strings.Join(list, ", "), err
}

// JobNames are the names of all jobs, each once, those of the newest first.
func (s *Store) JobNames() (names []string, err error) {
	if s.version < 2 {
		return nil, nil
	}
	q := &query{}
	q.text.WriteString("SELECT name FROM jobs GROUP BY name ORDER BY max(id) DESC")
	err = s.each(q, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	})
	return names, err
}

// Attempts returns the attempts of a job that the filter chooses, in the order in which they began,
// each with its output.
func (s *Store) Attempts(job int64, f AttemptFilter) (list []*Attempt, err error) {
	if s.version < 2 {
		return nil, nil
	}
	q := &query{}
	q.text.WriteString("SELECT detail, output FROM attempts")
	q.where("job = ?", job)
	is(q, "stage", f.Stage)
	is(q, "task", f.Task)
	is(q, "node", f.Node)
	q.among("outcome", f.Outcomes)
	q.text.WriteString(" ORDER BY began, stage, task, try")
	if f.Limit > 0 {
		q.text.WriteString(" LIMIT " + strconv.Itoa(f.Limit))
	}
	err = s.each(q, func(rows *sql.Rows) error {
		var detail, output string
		if err := rows.Scan(&detail, &output); err != nil {
			return err
		}
		a := &Attempt{}
		if err := json.Unmarshal([]byte(detail), a); err != nil {
			return fmt.Errorf("what it knows of an attempt of job %d cannot be read: %w", job, err)
		}
		a.Output = output
		list = append(list, a)
		return nil
	})
	return list, err
}

// Run returns a run; sql.ErrNoRows is in the error if there is none.
func (s *Store) Run(id int64) (*Run, error) {
	if s.version < 2 {
		return nil, s.explain(sql.ErrNoRows)
	}
	r := &Run{ID: id}
	var seed, began int64
	var ended *int64
	var report *string
	err := s.db.QueryRow("SELECT name, policy, seed, pid, began, ended, report FROM runs WHERE id = ?", id).
		Scan(&r.Name, &r.Policy, &seed, &r.PID, &began, &ended, &report)
	if err != nil {
		return nil, s.explain(err)
	}
	r.Seed, r.Began = uint64(seed), time.Unix(0, began)
	if ended != nil {
		r.Ended = new(time.Unix(0, *ended))
	}
	if report != nil {
		r.Report = json.RawMessage(*report)
	}
	return r, nil
}

// Last returns the report of the last run of that name by that policy which ended, nil if there is none.
func (s *Store) Last(name, policy string) (json.RawMessage, error) {
	if s.version < 2 {
		return nil, nil
	}
	var report string
	err := s.db.QueryRow("SELECT report FROM runs WHERE name = ? AND policy = ? AND report IS NOT NULL ORDER BY id DESC LIMIT 1", name, policy).Scan(&report)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return json.RawMessage(report), s.explain(err)
}

// each calls do for every row of a query.
func (s *Store) each(q *query, do func(*sql.Rows) error) error {
	rows, err := s.db.Query(q.text.String(), q.args...)
	if err != nil {
		return s.explain(err)
	}
	return s.explain(scan(rows, do))
}

func scan(rows *sql.Rows, do func(*sql.Rows) error) (err error) {
	for err == nil && rows.Next() {
		err = do(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}
