// Package store keeps, between runs, what ran and what it taught: a SQLite file in the user's data
// directory. Several processes may use it at once; what one learns is merged with what another
// learned meanwhile.
//
//	store.go     opening, versions of the tables, errors in one sentence
//	profiles.go  what is known of classes of jobs
//	history.go   runs, jobs and attempts as they are written
//	query.go     the same as they are asked for
//	requests.go  what other processes ask of a run, and its answers
//	private.go   for this user alone
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite" // SQLite in Go: no C compiler on a user's machine
)

// migrations are the steps from each version of the tables to the next. A file's version is its user_version.
var migrations = []string{
	`CREATE TABLE profiles (class TEXT PRIMARY KEY, profile TEXT NOT NULL) STRICT`,
	// Times are nanoseconds since 1970. Numbers of runs and jobs are never given twice.
	`CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, policy TEXT NOT NULL, seed INTEGER NOT NULL,
		pid INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER, report TEXT) STRICT;
	CREATE INDEX runs_by_name ON runs (name, policy, id);
	CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
		name TEXT NOT NULL, class TEXT NOT NULL, policy TEXT NOT NULL, state TEXT NOT NULL, submitted INTEGER NOT NULL, detail TEXT NOT NULL) STRICT;
	CREATE INDEX jobs_by_name ON jobs (name, id);
	CREATE INDEX jobs_by_run ON jobs (run);
	CREATE TABLE attempts (job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, stage TEXT NOT NULL, task INTEGER NOT NULL, try INTEGER NOT NULL,
		node TEXT NOT NULL, outcome TEXT NOT NULL, began INTEGER NOT NULL, detail TEXT NOT NULL, output TEXT NOT NULL,
		PRIMARY KEY (job, stage, task, try)) STRICT, WITHOUT ROWID`,
	// Each run that begins looks for those that have not ended: without this, through all there ever were.
	`CREATE INDEX runs_open ON runs (id) WHERE ended IS NULL`,
	// Earlier builds left a job interrupted for ever, also where a later one resumed it.
	`UPDATE jobs SET state = 'resumed' WHERE state = 'interrupted' AND EXISTS (SELECT 1 FROM jobs AS later WHERE later.id > jobs.id
		AND json_extract(later.detail, '$.output') = json_extract(jobs.detail, '$.output'))`,
	// The door of a run is the directory that it takes job files from; it is NULL once it takes none.
	`ALTER TABLE runs ADD COLUMN door TEXT;
	CREATE TABLE requests (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
		verb TEXT NOT NULL, what TEXT NOT NULL, answer TEXT) STRICT;
	CREATE INDEX requests_open ON requests (run) WHERE answer IS NULL`,
	// Each job that begins looks for interrupted ones with its output.
	`CREATE INDEX jobs_interrupted ON jobs (json_extract(detail, '$.output')) WHERE state = 'interrupted'`,
	// Each run fits models, for which it reads what all classes lend.
	`CREATE TABLE lent (class TEXT PRIMARY KEY REFERENCES profiles (class) ON DELETE CASCADE, lent BLOB NOT NULL) STRICT`,
}

// Store is an open file.
type Store struct {
	path    string
	db      *sql.DB
	version int   // of the tables; only one that is read only may have an old one
	most    int64 // jobs that are kept
}

// Open opens the file, and makes it and its folder if need be. An error names the file and says
// what is wrong with it.
func Open(path string) (*Store, error) {
	if err := makePrivate(path); err != nil {
		return nil, fmt.Errorf("store %s: its folder cannot be made: %w", path, err)
	}
	// A writer waits for another up to five seconds, and takes its lock at once so that it never
	// has to give way. What is committed survives the end of the process at any moment; of the last
	// commits before a loss of power some may be gone.
	return connect(path, "_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)",
		(*Store).migrate)
}

// OpenReadOnly opens a file to be read only: for whoever only asks, or where nothing can be written.
// It makes nothing. Where there is no file the store is empty, as one of version 0.
func OpenReadOnly(path string) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &Store{path: path}, nil
	} else if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	s, err := connect(path, "mode=ro&_pragma=busy_timeout(5000)", (*Store).check)
	// SQLite keeps who reads in a file beside, which may not be possible here; then nobody can
	// write either
	if err != nil {
		s, err = connect(path, "immutable=1", (*Store).check)
	}
	return s, err
}

func connect(path, options string, begin func(*Store) error) (*Store, error) {
	name := url.URL{Path: filepath.ToSlash(path)} // a name may have a "?"
	db, err := sql.Open("sqlite", "file:"+name.EscapedPath()+"?"+options)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db, most: mostJobs}
	if err := begin(s); err != nil {
		return nil, errors.Join(s.explain(err), db.Close())
	}
	return s, nil
}

// Absent tells whether there is no file: nothing has been kept.
func (s *Store) Absent() bool { return s.db == nil }

// Close closes the file.
func (s *Store) Close() error {
	if s.Absent() {
		return nil
	}
	return s.explain(s.db.Close())
}

// errNewer says that a newer build wrote the file.
var errNewer = errors.New("newer")

// patience is how long one waits for another process.
const patience = 5 * time.Second

func isBusy(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && lite.Code()&0xff == busy
}

// check reads the version of the tables. SQLite does not wait for another process that makes the
// file just now and sets its mode.
func (s *Store) check() error {
	err := s.db.QueryRow("PRAGMA user_version").Scan(&s.version)
	for waited := time.Duration(0); isBusy(err) && waited < patience; waited += patience / 500 {
		time.Sleep(patience / 500)
		err = s.db.QueryRow("PRAGMA user_version").Scan(&s.version)
	}
	return errors.Join(err, s.tooNew())
}

func (s *Store) tooNew() error {
	if s.version > len(migrations) {
		return fmt.Errorf("it has version %d, this build knows versions up to %d: %w", s.version, len(migrations), errNewer)
	}
	return nil
}

// migrate brings the tables to the version of this build.
func (s *Store) migrate() error {
	if err := s.check(); err != nil || s.version == len(migrations) {
		return err
	}
	return s.write(func(tx *sql.Tx) error { // another process may have done it meanwhile
		if err := tx.QueryRow("PRAGMA user_version").Scan(&s.version); err != nil {
			return err
		}
		if err := s.tooNew(); err != nil {
			return err
		}
		for ; s.version < len(migrations); s.version++ {
			if _, err := tx.Exec(migrations[s.version]); err != nil {
				return err
			}
			if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", s.version+1)); err != nil {
				return err
			}
		}
		return lendAll(tx)
	})
}

// write does it in one transaction.
func (s *Store) write(do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// atOnce does something with each of a list, in one transaction.
func atOnce[T any](s *Store, list []T, do func(*sql.Tx, T) error) error {
	return s.explain(s.write(func(tx *sql.Tx) error { return forEach(tx, list, do) }))
}

func forEach[T any](tx *sql.Tx, list []T, do func(*sql.Tx, T) error) error {
	for _, x := range list {
		if err := do(tx, x); err != nil {
			return err
		}
	}
	return nil
}

// The result codes of SQLite that users can do something about (sqlite.org/rescode.html).
const (
	busy     = 5
	readOnly = 8
	corrupt  = 11
	full     = 13
	cantOpen = 14
	notADB   = 26
)

// explain turns an error into one sentence that names the file.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errNewer) {
		return fmt.Errorf("store %s: a newer slackline wrote it: %v; use that one, or another file", s.path, err)
	}
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	what := lite.Error()
	switch lite.Code() & 0xff {
	case busy:
		what = "another process has kept it locked for five seconds"
	case readOnly:
		what = "it cannot be written to"
	case corrupt, notADB:
		what = "it is damaged, or not an SQLite file; move it away to start a new one"
	case full:
		what = "the disk is full"
	case cantOpen:
		what = "it cannot be opened; is it a file, in a folder that can be written to?"
	}
	return fmt.Errorf("store %s: %s", s.path, what)
}
