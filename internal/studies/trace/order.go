package trace

import (
	"cmp"
	"math"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Bounds on what a reader keeps, whatever stands in the file.
const (
	MaxTasks   = 10_000_000 // the most tasks that one job may come to
	MaxRuns    = 1 << 20    // the most tasks, or runs of alike ones, that a trace may list for one job
	Remembered = workload.Remembered
	maxHosts   = 64 // of a task's input
	maxLabels  = 64 // that a job asks for
)

// longest is the longest time that a task may take: 30 years, as for all times of a trace.
const longest = 1_000_000_000 * units.Second

// epoch is the time from which on a time counts from 1970: a trace that begins with such a time
// counts from it.
const epoch = 100_000_000 * units.Second // in 1973

// order holds the jobs of a trace to the order of their submission, and remembers the last ones.
type order struct {
	begun  bool
	zero   units.Duration // when the first job came, if that is a time since 1970
	before units.Time
}

// since returns the time of the trace that a time in ms is.
func (p *place) since(o *order, field string, ms int64) units.Time {
	if ms > 9e12 || ms < -9e12 {
		p.failf(field, "%d ms are more than 30 years from the start of the trace", ms)
		return 0
	}
	return p.counted(o, field, units.Duration(ms)*units.Millisecond)
}

// absolute reads when a job was submitted, in seconds, which may be those since 1970. It leaves out one of which
// that is not known.
func (p *place) absolute(o *order, j *Job, field string, text []byte) bool {
	if unknown(text) {
		return p.undated(j, field)
	}
	j.Submit = p.counted(o, field, p.secondsUpTo(field, text, 9e9))
	return true
}

// undated leaves out a job without a time of submission.
func (p *place) undated(j *Job, field string) bool {
	if p.bad == nil {
		p.kept.leaveOut(undated, j.ID, p.errorf(field, "job %q has none", j.ID))
	}
	return false
}

// counted is a time as it counts in the trace: since its begin, not since 1970.
func (p *place) counted(o *order, field string, at units.Duration) units.Time {
	if !o.begun {
		if o.zero = 0; at >= epoch {
			o.zero = at
		}
	}
	if at -= o.zero; at > longest || at < -longest {
		p.failf(field, "%v is more than 30 years from the start of the trace", at)
		return 0
	}
	return units.Time(at)
}

// admit is the last check of a job, whatever its format: it has a name of its own, comes in turn
// and is not too large.
func (p *place) admit(o *order, j *Job, field string) *Error {
	if err := p.wrong(); err != nil {
		return err
	}
	if p.kept.ids[sumOf(j.ID)] {
		return p.errorf("", "job %s was already listed", quoted([]byte(j.ID)))
	}
	if !p.o.Sort {
		if j.Submit < 0 {
			return p.errorf(field, "%v is before the start of the trace", units.Duration(j.Submit))
		}
		if o.begun && j.Submit < o.before {
			return p.errorf(field, "%v is before the %v of the job before; slackline workload import --sort puts a trace in order", units.Duration(j.Submit), units.Duration(o.before))
		}
	}
	if err := p.whole(j); err != nil {
		return err
	}
	o.begun, o.before, p.job = true, j.Submit, p.at
	p.kept.know(j.ID, true)
	return nil
}

// whole checks the stages of a job, or those that follow for it from the rule.
func (p *place) whole(j *Job) *Error {
	if len(j.Stages) == 0 {
		block := p.o.Block
		block = cmp.Or(block, defaultBlock)
		if _, err := mapsOf(j, block); err != nil {
			return p.errorf("", "%v", err)
		}
	}
	total, runs := 0, 0
	for i := range j.Stages {
		s := &j.Stages[i]
		switch {
		case s.Kind >= workload.Stages:
			return p.errorf("", "job %q has a stage %v, which does not exist", j.ID, s.Kind)
		case i > 0 && s.Kind <= j.Stages[i-1].Kind:
			return p.errorf("", "job %q: stage %v comes after stage %v", j.ID, s.Kind, j.Stages[i-1].Kind)
		case len(s.Tasks) == 0:
			return p.errorf("", "job %q: stage %v has no task", j.ID, s.Kind)
		}
		for t := range s.Tasks {
			n := s.Tasks[t].Count
			if n < 1 || n > MaxTasks-total {
				return p.errorf("", "job %q has more than %d tasks", j.ID, MaxTasks)
			}
			if t := &s.Tasks[t]; t.Time > longest || t.Shuf > longest {
				return p.errorf("", "job %q has a task of more than 30 years", j.ID)
			}
			total += n
		}
		runs += len(s.Tasks)
	}
	if runs > MaxRuns {
		return p.errorf("", "job %q lists more than %d tasks", j.ID, MaxRuns)
	}
	return nil
}

// between is the span from one time in ms to another, UnknownTime if one is not told or they are the wrong way round.
func between(from, to int64) units.Duration {
	if from < 0 || to < from {
		return UnknownTime
	}
	return units.Duration(min(to-from, int64(longest/units.Millisecond)+1)) * units.Millisecond
}

// sum adds sizes; Unknown if one is.
func sum(a, b units.Bytes) units.Bytes {
	switch {
	case a < 0 || b < 0:
		return Unknown
	case a > math.MaxInt64-b:
		return math.MaxInt64
	}
	return a + b
}
