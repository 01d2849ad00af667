package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Part says how much of a trace is used, and how often.
type Part struct {
	First  units.Duration // what was submitted in so much time from its start; 0 = all of it
	Repeat int            // so often; 0 = 1
	Every  units.Duration // from one start to the next
}

// source is a trace as the arrivals of a run. It reads one job ahead.
type source struct {
	file  File
	part  Part
	rule  Rule
	seed  uint64
	in    Reader
	close io.Closer
	round int      // repetitions that are over
	ahead *Job     // nil: the trace is over, or err
	lines [2]int64 // where the job stands that Next returned last, and the one ahead
	any   bool     // some job was there
	due   units.Time
	err   error
}

// Source begins a trace as the arrivals of a run. A file that cannot be read is an error of Next.
func Source(f File, p Part, r Rule, seed uint64) workload.Source {
	s := &source{file: f, part: p, rule: r, seed: seed}
	if p.Repeat > 1 {
		if s.err = s.fits(); s.err != nil {
			return s
		}
	}
	s.open()
	s.read()
	return s
}

func (s *source) open() { s.in, s.close, s.err = s.file.Open() }

// fits tells whether the trace is over before it is to begin again: else its jobs would not come in order.
func (s *source) fits() error {
	in, file, err := s.file.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		j, err := in.Next()
		switch {
		case errors.Is(err, io.EOF), err == nil && s.part.First > 0 && j.Submit >= units.Time(s.part.First):
			return nil
		case err != nil:
			return err
		case j.Submit >= units.Time(s.part.Every):
			return &Error{File: s.file.Path, Line: 1, Text: fmt.Sprintf("it is still running at %v, but should repeat after %v; make every longer, or first shorter", j.Submit, s.part.Every)}
		}
	}
}

// read reads the job ahead. Behind the last one the trace begins again, if it is to.
func (s *source) read() {
	s.ahead = nil
	for s.err == nil {
		j, err := s.in.Next()
		if err == nil && (s.part.First == 0 || j.Submit < units.Time(s.part.First)) {
			s.ahead, s.due = j, j.Submit.Add(s.part.Every*units.Duration(s.round))
			s.lines[1], s.any = s.in.Line(), true
			return
		}
		s.close.Close()
		if err == nil && !s.any {
			s.err = &Error{File: s.file.Path, Line: s.in.Line(), Text: fmt.Sprintf("its first job comes at %v, so there is none in the first %v", j.Submit, s.part.First)}
			return
		}
		if err != nil && !errors.Is(err, io.EOF) {
			s.err = err
			return
		}
		if s.round++; s.round >= s.part.Repeat {
			s.err = io.EOF
			return
		}
		s.open()
	}
}

// Due is when the next job arrives; at once if an error comes next.
func (s *source) Due() units.Time {
	switch {
	case s.ahead != nil:
		return s.due
	case errors.Is(s.err, io.EOF):
		return units.Never
	}
	return 0
}

// Next unfolds the job that is due.
func (s *source) Next() (*workload.Job, error) {
	if s.ahead == nil {
		return nil, s.err
	}
	j := *s.ahead
	j.Submit = s.due
	if s.round > 0 {
		again := "#" + strconv.Itoa(s.round+1)
		j.ID += again
		j.After = slices.Clone(j.After)
		for i := range j.After {
			j.After[i] += again
		}
	}
	w, err := s.rule.Unfold(&j, s.seed)
	s.lines[0] = s.lines[1]
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Position(), err)
	}
	s.read()
	return w, nil
}

// Position is the file and the line of the job that Next returned last.
func (s *source) Position() string { return fmt.Sprintf("%s:%d", s.file.Path, s.lines[0]) }

// Fresh says that each job is unfolded for whoever takes it.
func (s *source) Fresh() bool { return true }

// Ended has nothing to do: a trace does not wait.
func (s *source) Ended(*workload.Job, units.Time) {}
