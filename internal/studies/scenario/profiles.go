package scenario

import (
	"errors"
	"fmt"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/profile"
)

// Rehearsed is the word that stands for what a run by fifo with the same seed, whose tasks take the
// same times, teaches.
const Rehearsed = "rehearsed"

// Rehearses tells whether the profiles that are known from the start come of a rehearsal.
func (s *Scenario) Rehearses() bool { return s.Profiles == Rehearsed }

// ProfileFile is the file with what is known of classes from the start, "" if there is none.
func (s *Scenario) ProfileFile() string {
	if s.Profiles == "" || s.Rehearses() {
		return ""
	}
	return s.beside(s.Profiles)
}

// ParseProfiles reads a file of profiles. To a field that is unknown it says the nearest.
func ParseProfiles(file string, text []byte) ([]*profile.Class, error) {
	classes, err := profile.Parse(file, text)
	if odd, ok := errors.AsType[*profile.UnknownField](err); ok {
		err = fmt.Errorf("%w%s", err, spelling.Meant(odd.Name, odd.Known))
	}
	return classes, err
}

// known reads that file: what all runs taught, cold ones as well, as policies plan by the worst.
func (s *Scenario) known() []*profile.Class {
	file := s.ProfileFile()
	if file == "" {
		return nil
	}
	text, err := files.ReadAll(file)
	if err != nil {
		s.src.Failf("profiles", "the profiles cannot be read: %v; name a file from slackline profile export, or write %s", err, Rehearsed)
		return nil
	}
	classes, err := ParseProfiles(file, text)
	if err != nil {
		s.src.Failf("profiles", "%v", err)
	}
	for i, c := range classes {
		classes[i] = c.Whole()
	}
	profile.Fit(classes)
	return classes
}
