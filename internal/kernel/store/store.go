// Package store keeps what runs taught, between runs: a SQLite file in the user's data directory. Several processes may use
// it at once; what one learns is merged with what another learned meanwhile.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite" // SQLite in Go: no C compiler on a user's machine

	"github.com/slackline/slackline/profile"
)

// migrations are the steps from each version of the tables to the next. A file's version is its user_version.
var migrations = []string{
	`CREATE TABLE profiles (class TEXT PRIMARY KEY, profile TEXT NOT NULL) STRICT`,
}

// Store is an open file.
type Store struct {
	path string
	db   *sql.DB
}

// Open opens the file, and makes it and its folder if need be. An error names the file and says what is wrong with it.
func Open(path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("store %s: its folder cannot be made: %w", path, err)
	}
	name := url.URL{Path: filepath.ToSlash(path)} // a name may have a "?"
	// A writer waits for another up to five seconds, and takes its lock at once so that it never has to give way.
	db, err := sql.Open("sqlite", "file:"+name.EscapedPath()+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{path, db}
	if err := s.migrate(); err != nil {
		return nil, errors.Join(s.explain(err), db.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.explain(s.db.Close()) }

// errNewer says that a newer build wrote the file.
var errNewer = errors.New("newer")

func (s *Store) migrate() error {
	return s.write(func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("it has version %d, this build knows versions up to %d: %w", version, len(migrations), errNewer)
		}
		for ; version < len(migrations); version++ {
			if _, err := tx.Exec(migrations[version]); err != nil {
				return err
			}
			if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version+1)); err != nil {
				return err
			}
		}
		return nil
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
		what = "it is damaged, or no SQLite file; move it away to begin a new one"
	case full:
		what = "the disk is full"
	case cantOpen:
		what = "it cannot be opened; is it a file, in a folder that can be written to?"
	}
	return fmt.Errorf("store %s: %s", s.path, what)
}

// Profiles returns all that is known, sorted by class.
func (s *Store) Profiles() ([]*profile.Class, error) {
	rows, err := s.db.Query("SELECT class, profile FROM profiles ORDER BY class")
	if err != nil {
		return nil, s.explain(err)
	}
	var list []*profile.Class
	for rows.Next() {
		var class, text string
		if err := rows.Scan(&class, &text); err != nil {
			return nil, errors.Join(s.explain(err), rows.Close())
		}
		p, err := decode(class, text)
		if err != nil {
			return nil, errors.Join(s.explain(err), rows.Close())
		}
		list = append(list, p)
	}
	return list, s.explain(errors.Join(rows.Err(), rows.Close()))
}

func decode(class, text string) (*profile.Class, error) {
	p := profile.New(class)
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("what it knows of class %q cannot be read: %w", class, err)
	}
	return p, nil
}

// Learn merges what a run taught of a class into what is known of it, in one transaction.
func (s *Store) Learn(taught *profile.Class) error {
	return s.explain(s.write(func(tx *sql.Tx) error {
		known := profile.New(taught.Name)
		var text string
		switch err := tx.QueryRow("SELECT profile FROM profiles WHERE class = ?", taught.Name).Scan(&text); {
		case err == nil:
			if known, err = decode(taught.Name, text); err != nil {
				return err
			}
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		known.Merge(taught)
		merged, err := json.Marshal(known)
		if err != nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO profiles (class, profile) VALUES (?, ?) ON CONFLICT (class) DO UPDATE SET profile = excluded.profile",
			taught.Name, string(merged))
		return err
	}))
}
