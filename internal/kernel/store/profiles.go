package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/slackline/slackline/profile"
)

// Profiles returns what is known of these classes, or of all if none is named, sorted by class. The
// models are those of the last run that taught the class.
func (s *Store) Profiles(classes ...string) (list []*profile.Class, err error) {
	if s.version < 1 {
		return nil, nil
	}
	q := &query{}
	q.text.WriteString("SELECT class, profile FROM profiles")
	q.among("class", classes)
	q.text.WriteString(" ORDER BY class")
	err = s.each(q, func(rows *sql.Rows) error {
		var class, text string
		if err := rows.Scan(&class, &text); err != nil {
			return err
		}
		p, err := decode(class, text)
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func decode(class, text string) (*profile.Class, error) {
	p := profile.New(class)
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("what it knows of class %q cannot be read: %w", class, err)
	}
	return p, nil
}

// Learn merges what runs taught into what is known, all in one transaction.
func (s *Store) Learn(taught ...*profile.Class) error {
	return atOnce(s, taught, learn)
}

// Replace puts what is given in place of what is known of the same classes, all in one transaction.
func (s *Store) Replace(classes ...*profile.Class) error {
	return atOnce(s, classes, put)
}

// Forget removes what is known of these classes, all in one transaction.
func (s *Store) Forget(classes ...string) error {
	return atOnce(s, classes, func(tx *sql.Tx, class string) error {
		_, err := tx.Exec("DELETE FROM profiles WHERE class = ?", class)
		return err
	})
}

func learn(tx *sql.Tx, taught *profile.Class) error {
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
	known.Adopt(taught.Models) // which were fitted to what is known as well
	if taught.Cold != nil {
		known.Cold.Models = nil // those of the run are of warm ones too
	}
	return put(tx, known)
}

func put(tx *sql.Tx, p *profile.Class) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO profiles (class, profile) VALUES (?, ?) ON CONFLICT (class) DO UPDATE SET profile = excluded.profile", p.Name, string(text))
	return err
}
