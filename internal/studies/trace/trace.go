package trace

import (
	"fmt"
	"io"
	"os"

	"github.com/slackline/slackline/internal/maths/near"
	"github.com/slackline/slackline/units"
)

// Job is what a trace says of a job. Unknown is written where it says nothing.
type Job struct {
	ID     string
	Class  string
	Queue  string
	User   string
	Submit units.Time // since the start of the trace

	Input   units.Bytes // that the maps read
	Shuffle units.Bytes // that go from maps to reduces
	Output  units.Bytes // that the job writes
	Path    string      // of its input; jobs with the same share their blocks

	Maps, Reduces []Task // task by task; nil where the trace has none
}

// Unknown is the size that a trace does not tell.
const Unknown units.Bytes = -1

// Task is what a trace says of a task.
type Task struct {
	Input units.Bytes    // Unknown, or what it read
	Time  units.Duration // from its start to its end, less Shuffle
	Shuf  units.Duration // reduce: fetching its input
	Hosts []string       // that held its input
}

// Reader reads a trace job by job.
type Reader interface {
	// Next returns the next job, io.EOF behind the last one, or an *Error. It is good until the next call.
	Next() (*Job, error)
	// Skipped is how many records a lenient reader has left out, and the first reason.
	Skipped() (int, *Error)
}

// Format is a way to write traces.
type Format struct {
	Name string
	Doc  string
	Open func(in io.Reader, o Options) Reader
}

// Options say how to read.
type Options struct {
	File    string // for errors
	Lenient bool   // skip and count what cannot be read instead of stopping there
}

var formats = []Format{
	{Name: "swim", Doc: "SWIM samples: job, submit time in s, gap in s, map input, shuffle and reduce output in bytes, separated by tabs; then, in some, paths", Open: openSWIM},
}

// Formats lists all formats.
func Formats() []Format { return formats }

// Find returns the format of that name.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("there is no trace format %q%s", name, near.Hint(name, names))
}

// File is a trace that can be read any number of times.
type File struct {
	Path    string
	Format  Format
	Lenient bool
}

// Open begins to read. The caller closes.
func (f File) Open() (Reader, io.Closer, error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return nil, nil, err
	}
	return f.Format.Open(in, Options{File: f.Path, Lenient: f.Lenient}), in, nil
}
