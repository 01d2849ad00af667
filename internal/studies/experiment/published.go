package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Published is something that a paper says, with its place.
type Published struct {
	Source string   `json:"source"`          // paper, table or figure
	Where  string   `json:"where"`           // section of its text
	Says   string   `json:"says"`            // in words
	Value  *float64 `json:"value,omitempty"` // null: the text has no number
	Count  string   `json:"count,omitempty"` // the number as a count, where that is known
	Runs   int      `json:"runs,omitempty"`  // of which the number is the average; 1 if left out
}

// Published reads what was published, by key.
func (e *Experiment) Published() (map[string]Published, error) {
	text, err := e.read("published.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // all claims are ours
	}
	if err != nil {
		return nil, err
	}
	all := map[string]Published{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: published.json: %w", e.Name, err)
	}
	return all, nil
}
