package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slackline/slackline/units"
)

// form is what reads the records of one format.
type form interface {
	Next() (*Job, error)
	Line() int64
	account() *account
}

// Open begins to read. A trace without a job that can be played is an error.
func (f Format) Open(in io.Reader, o Options) Reader {
	return &reader{form: f.open(in, o), o: o, line: 1, after: after{strict: f.strict && !o.Lenient}}
}

// reader reads a trace as its form does, and does what is the same for all forms: it leaves out what cannot run,
// sorts, finds whom jobs wait for, and counts what they do not tell.
type reader struct {
	form
	o     Options
	line  int64 // the first of the file, 0 of what is none
	after after
	any   bool
	read  int      // records
	sort  []placed // jobs still to be handed out, if they are sorted
	at    int64    // line of the job handed out last
}

type placed struct {
	job  *Job
	line int64
}

// Account is what was left out and filled in so far.
func (r *reader) Account() Account { return r.account().told() }

// Line is where the job stands that Next returned last.
func (r *reader) Line() int64 { return r.at }

// Next returns the next job that can be played.
func (r *reader) Next() (*Job, error) {
	j, err := r.next()
	if errors.Is(err, io.EOF) && !r.any {
		return nil, r.nothing()
	}
	if err != nil {
		return nil, err
	}
	if err := r.after.resolve(r, j); err != nil {
		return nil, err
	}
	r.account().lacks(j, func() string { return r.errorf("", "job %q", j.ID).Error() })
	r.any = true
	return j, nil
}

// next returns the job that comes next, in the file or by time.
func (r *reader) next() (*Job, error) {
	if !r.o.Sort {
		return r.fitting()
	}
	if r.after.place == nil {
		if err := r.sorted(); err != nil {
			return nil, err
		}
	}
	if len(r.sort) == 0 {
		return nil, io.EOF
	}
	first := r.sort[0]
	r.sort, r.at = r.sort[1:], first.line
	return first.job, nil
}

// fitting returns the next job of the file that can run.
func (r *reader) fitting() (*Job, error) {
	for {
		if r.read++; r.read%1000 == 0 && r.o.Interrupted != nil {
			if err := r.o.Interrupted(); err != nil {
				return nil, err
			}
		}
		j, err := r.form.Next()
		if err != nil {
			return nil, err
		}
		r.at = r.form.Line()
		if r.o.Fits == nil {
			return j, nil
		}
		why, err := r.o.Fits(j)
		switch bad := r.errorf("", "%v", err); {
		case err == nil:
			return j, nil
		case why == Reason{}:
			return nil, bad
		default:
			r.account().leaveOut(why, j.ID, bad)
		}
	}
}

// sorted reads all jobs and sorts them. Where the first job of the file is not the first submitted, times count from
// that one.
func (r *reader) sorted() error {
	for {
		j, err := r.fitting()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		own := *j
		r.sort = append(r.sort, placed{&own, r.at})
	}
	slices.SortStableFunc(r.sort, func(a, b placed) int { return cmp.Compare(a.job.Submit, b.job.Submit) })
	r.after.place = make(map[string]int, len(r.sort))
	for i, p := range r.sort {
		r.after.place[p.job.ID] = i
	}
	if len(r.sort) > 0 {
		if start := r.sort[0].job.Submit; start < 0 {
			for i := range r.sort {
				r.sort[i].job.Submit -= start
			}
		}
	}
	return nil
}

func (r *reader) errorf(field, format string, args ...any) *Error {
	return &Error{File: r.o.File, Line: r.at, Field: field, Text: fmt.Sprintf(format, args...)}
}

// nothing is the error of a trace of which nothing can be played.
func (r *reader) nothing() *Error {
	a := r.account()
	if a.first == nil {
		return &Error{File: r.o.File, Line: r.line, Text: "there is no job in it"}
	}
	text := fmt.Sprintf("; and none of its %s can be read", units.Count(a.told().Left(), "record"))
	if one := a.told().Left() == 1; one && a.LeftOut[0].Reason == unreadable.word {
		text = ""
	} else if one {
		text = "; there is no other job in it"
	} else if len(a.LeftOut) > 1 || a.LeftOut[0].Reason != unreadable.word {
		text = "; and none of its other records is a job that can be played"
	}
	return &Error{File: r.o.File, Line: a.first.Line, Field: a.first.Field, Text: a.first.Text + text}
}
