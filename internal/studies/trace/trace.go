package trace

import (
	"fmt"
	"io"
	"slices"

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
	Labels   []string       // that a node must carry to run it

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
	// Account is what was left out and filled in so far.
	Account() Account
	// Line is where the job stands that Next returned last.
	Line() int64
}

// Format is a way to write traces.
type Format struct {
	Name string
	Doc  string

	// What it tells, in some records at least: how long tasks take, deadlines.
	Times, Deadlines bool

	open   func(in io.Reader, o Options) form
	strict bool // it is written for Slackline: a key or a job that is not known is a mistake
}

// Options say how to read.
type Options struct {
	File    string      // for errors
	Lenient bool        // skip and count what cannot be read instead of stopping there
	Sort    bool        // take jobs in any order of submission, hold them all in memory, and hand them out in order
	Failed  bool        // hand out jobs that failed or were killed as well
	Block   units.Bytes // input of a map, by which jobs without tasks may be too large; that of DefaultRule if 0

	// Why a job cannot run where the trace is played, so that it is left out; reading ends with an error without a
	// reason. nil: any can run.
	Fits        func(j *Job) (Reason, error)
	Interrupted func() error // asked now and then: why reading is to end, nil if it is not; nil: it never is
}

var formats = []Format{
	{Name: "swim", Doc: "SWIM samples: job, submit time in s, gap in s, map input, shuffle and reduce output in bytes, separated by tabs; then, in some, paths", open: openSWIM},
	{Name: "slackline", Doc: "Slackline's own: JSON lines, one for each job, after a heading", Times: true, Deadlines: true, strict: true, open: openNeutral},
	{Name: "jhist", Doc: "job histories of Hadoop MapReduce in JSON (.jhist), one or several in a row", Times: true, open: openJHist},
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

// File is a trace that can be read any number of times.
type File struct {
	Path    string
	Format  Format
	Options // but for the name
}

// Open begins to read. The caller closes.
func (f File) Open() (Reader, io.Closer, error) {
	in, err := files.Open(f.Path)
	if err != nil {
		return nil, nil, err
	}
	o := f.Options
	o.File = f.Path
	return f.Format.Open(in, o), in, nil
}
