package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/slackline/slackline/profile"
)

// Profiles returns what is known of the classes of these families, and of others what they lend; or all of all if none
// is named. They are sorted by class. The models are those of the last run that taught the class.
func (s *Store) Profiles(families ...string) (list []*profile.Class, err error) {
	if s.version < 1 {
		return nil, nil
	}
	q := &query{}
	q.text.WriteString("SELECT class, profile, NULL FROM profiles")
	if len(families) > 0 && s.version == len(migrations) {
		q.text.Reset()
		q.text.WriteString("SELECT class, CASE WHEN lent IS NULL")
		for _, f := range families {
			q.word = " OR "
			q.ofFamily(f)
		}
		q.text.WriteString(" THEN profile END, lent FROM profiles LEFT JOIN lent USING (class)")
	}
	q.text.WriteString(" ORDER BY class")
	err = s.each(q, func(rows *sql.Rows) error {
		var class string
		var text, lent []byte
		if err := rows.Scan(&class, &text, &lent); err != nil {
			return err
		}
		var p *profile.Class
		if text != nil {
			p, err = decode(class, text)
		} else if p, err = profile.Lender(class, lent); err != nil {
			err = fmt.Errorf("class %q: %w", class, err)
		}
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func decode(class string, text []byte) (*profile.Class, error) {
	p := profile.New(class)
	if err := json.Unmarshal(text, p); err != nil {
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
	var text []byte
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
	if err != nil {
		return err
	}
	return lend(tx, p)
}

// lendAll writes what classes lend that were taught by builds which did not.
func lendAll(tx *sql.Tx) error {
	rows, err := tx.Query("SELECT class, profile FROM profiles WHERE class NOT IN (SELECT class FROM lent)")
	if err != nil {
		return err
	}
	var list []*profile.Class
	err = scan(rows, func(rows *sql.Rows) error {
		var class string
		var text []byte
		if err := rows.Scan(&class, &text); err != nil {
			return err
		}
		if p, err := decode(class, text); err == nil { // else whoever reads it says so
			list = append(list, p)
		}
		return nil
	})
	return errors.Join(err, forEach(tx, list, lend))
}

func lend(tx *sql.Tx, p *profile.Class) error {
	_, err := tx.Exec("INSERT OR REPLACE INTO lent (class, lent) VALUES (?, ?)", p.Name, p.Lent())
	return err
}
