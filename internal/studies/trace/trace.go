package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Job is what a trace says of a job. Unknown is written where it says nothing.
type Job struct {
	ID       string
	Class    string
	Queue    string
	User     string
	Submit   units.Time     // since the start of the trace
	Deadline units.Duration // after Submit; 0 = the trace tells none
	Priority int            // higher goes first
	After    []string       // IDs of jobs that had to finish first

	Input   units.Bytes // that the maps read
	Shuffle units.Bytes // that go from maps to reduces
	Output  units.Bytes // that the job writes
	Path    string      // of its input; jobs with the same share their blocks

	Stages []Stage // in order of their kinds; nil: what there is follows from the sizes by the rule

	Ran *Ran // how it ran, of which forms for traces say nothing; nil: only what is above is known
}

// Stage is what a trace says of a stage of a job: its tasks, as runs of such as are alike.
type Stage struct {
	Kind  workload.Stage
	Needs units.Vector // of a task; all 0 = the trace tells none
	Tasks []Task
}

// Unknown is the size that a trace does not tell.
const Unknown units.Bytes = -1

// UnknownTime is the time that a trace does not tell.
const UnknownTime units.Duration = -1

// Task is what a trace says of a task, or of several in a row that are alike.
type Task struct {
	Count int            // so many
	Input units.Bytes    // Unknown, or what each read
	Time  units.Duration // UnknownTime, or from its start to its end, less Shuf
	Shuf  units.Duration // reduce: fetching its input, behind the last map
	Hosts []string       // that held its input
}

// alike tells whether the tasks differ in number only.
func (t *Task) alike(u *Task) bool {
	return t.Input == u.Input && t.Time == u.Time && t.Shuf == u.Shuf && slices.Equal(t.Hosts, u.Hosts)
}

// Add adds tasks behind the others, to the last run if they are alike.
func (s *Stage) Add(t Task) {
	if n := len(s.Tasks); n > 0 && s.Tasks[n-1].alike(&t) {
		s.Tasks[n-1].Count += t.Count
		return
	}
	s.Tasks = append(s.Tasks, t)
}

// Count is the number of tasks.
func (s *Stage) Count() (n int) {
	for i := range s.Tasks {
		n += s.Tasks[i].Count
	}
	return n
}

// Stage returns the stage of that kind, nil if the trace tells of none.
func (j *Job) Stage(kind workload.Stage) *Stage {
	for i := range j.Stages {
		if j.Stages[i].Kind == kind {
			return &j.Stages[i]
		}
	}
	return nil
}

// Reader reads a trace job by job.
type Reader interface {
	// Next returns the next job, io.EOF behind the last one, or an *Error. It is good until the next call.
	Next() (*Job, error)
	// LeftOut is what the reader has left out so far: records that are no jobs, or no jobs that
	// ran, and if it is lenient those that cannot be read. Nothing is left out without a place
	// here.
	LeftOut() []LeftOut
	// Line is where the reader stands: at the job that Next returned last, or at what it read to know that it ends.
	Line() int64
}

// Format is a way to write traces.
type Format struct {
	Name string
	Doc  string

	// Omits tells whether some of its records are no jobs that could be played. A reader leaves
	// those out, lenient or not.
	Omits bool

	// What it tells, in some records at least: how long tasks take, deadlines.
	Times, Deadlines bool

	open  func(in io.Reader, o Options) Reader
	write func(out io.Writer) Writer // nil: it can only be read
}

// Open begins to read. A trace without a job that can be read is an error.
func (f Format) Open(in io.Reader, o Options) Reader {
	return &atLeastOne{Reader: f.open(in, o), file: o.File, line: 1}
}

type atLeastOne struct {
	Reader
	file string
	line int64 // its first
	any  bool
}

func (r *atLeastOne) Next() (*Job, error) {
	j, err := r.Reader.Next()
	if errors.Is(err, io.EOF) && !r.any {
		left := r.LeftOut()
		if len(left) == 0 {
			return nil, &Error{File: r.file, Line: r.line, Text: "there is no job in it"}
		}
		first := left[0].first
		text := fmt.Sprintf("; and none of its %d records can be read", left[0].Count)
		if len(left) > 1 || left[0].Why != unreadable {
			text = "; and none of its other records is a job that ran"
		}
		return nil, &Error{File: r.file, Line: first.Line, Field: first.Field, Text: first.Text + text}
	}
	r.any = r.any || err == nil
	return j, err
}

// Options say how to read.
type Options struct {
	File     string      // for errors
	Lenient  bool        // skip and count what cannot be read instead of stopping there
	Unsorted bool        // take jobs in any order of submission; their times may lie before those of the first
	Block    units.Bytes // input of a map, by which jobs without tasks may be too large; that of DefaultRule if 0
}

var formats = []Format{
	{Name: "swim", Doc: "SWIM samples: job, submit time in s, gap in s, map input, shuffle and reduce output in bytes, separated by tabs; then, in some, paths", open: openSWIM},
	{Name: "slackline", Doc: "Slackline's own: JSON lines, one for each job, after a heading", Times: true, Deadlines: true, open: openNeutral, write: newNeutralWriter},
	{Name: "sls", Doc: "Hadoop's Scheduler Load Simulator: JSON objects, one for each job with its tasks", Times: true, open: openSLS, write: newSLSWriter},
	{Name: "rumen", Doc: "Hadoop's Rumen (TraceBuilder): JSON objects, one for each job, with tasks and attempts", Times: true, open: openRumen},
	{Name: "jhist", Doc: "job histories of Hadoop MapReduce in JSON (.jhist), one or several in a row", Times: true, open: openJHist},
	{Name: "swf", Doc: "the Standard Workload Format 2.2 of the Parallel Workloads Archive", Omits: true, Times: true, open: openSWF},
	{Name: "google", Doc: "Google's cluster traces of 2019: collection_events and instance_events, JSON lines or CSV, sorted by collection", Omits: true, Times: true, open: openGoogle},
	{Name: "alibaba", Doc: "Alibaba's cluster trace of 2018: batch_task.csv, sorted by job", Times: true, open: openAlibaba},
}

// Formats lists all formats.
func Formats() []Format { return formats }

// Find returns the format of that name.
func Find(name string) (Format, error) {
	at, hint := spelling.Find(name, formats, func(f Format) string { return f.Name })
	if at < 0 {
		return Format{}, fmt.Errorf("there is no trace format %q%s", name, hint)
	}
	return formats[at], nil
}

// Create begins a trace in this form. Nothing is written to out until the writer has something to write.
func (f Format) Create(out io.Writer) (Writer, error) {
	if f.write == nil {
		var names []string
		for _, g := range formats {
			if g.write != nil {
				names = append(names, g.Name)
			}
		}
		return nil, fmt.Errorf("traces cannot be written as %s; they can be written as %s", f.Name, strings.Join(names, " and "))
	}
	return f.write(out), nil
}

// Writes tells whether traces can be written in this form.
func (f Format) Writes() bool { return f.write != nil }

// File is a trace that can be read any number of times.
type File struct {
	Path    string
	Format  Format
	Lenient bool
	Block   units.Bytes // as of Options
}

// Open begins to read. The caller closes.
func (f File) Open() (Reader, io.Closer, error) {
	in, err := files.Open(f.Path)
	if err != nil {
		return nil, nil, err
	}
	return f.Format.Open(in, Options{File: f.Path, Lenient: f.Lenient, Block: f.Block}), in, nil
}
