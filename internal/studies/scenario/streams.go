package scenario

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/studies/synth"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// streams makes the workload one that comes bit by bit, if there are streams: with the jobs that
// are listed, if any.
func (s *Scenario) streams(cfg *sim.Config, m *jobMaker) {
	d := s.src
	names := map[string]bool{}
	for _, j := range s.Workload.Jobs {
		names[j.ID] = true
	}
	var kinds []kind
	for i := range s.Workload.Streams {
		st, at := &s.Workload.Streams[i], fmt.Sprintf("workload.streams[%d]", i)
		job := m.job(&st.SimJob, at)
		if job == nil {
			return
		}
		switch {
		case names[st.ID]:
			d.Failf(at+".id", "another job or stream is named %q", st.ID)
		case (st.Arrivals != nil) == (st.Users > 0):
			d.Failf(at, "stream %q needs either arrivals or users: arrivals: {process: poisson, every: 30s}, or users: 10", st.ID)
		case st.Count == 0 && st.For == 0 && (st.Arrivals == nil || st.Arrivals.Process != "trace"):
			d.Failf(at, "stream %q has no end; give count, the number of jobs, or for, the time", st.ID)
		case len(st.After) > 0:
			d.Failf(at+".after", "jobs of a stream cannot have predecessors")
		case st.Deadline.Set && !st.Deadline.FromArrival:
			d.Failf(at+".deadline", "the deadline of a stream counts from each arrival; write it with a plus sign, such as +10m")
		case st.Soft.Set && !st.Soft.FromArrival:
			d.Failf(at+".soft_deadline", "the soft deadline of a stream counts from each arrival; write it with a plus sign, such as +10m")
		case st.Users == 0 && d.Has(at+".think"):
			d.Failf(at+".think", "only users think; give their number as users")
		}
		noWorkflow(d, at, &st.SimJob)
		s.ends(st, at, cfg)
		names[st.ID] = true
		kinds = append(kinds, kind{st, job, s.recorded(st, at)})
	}
	if len(kinds) == 0 || len(d.Errs) > 0 {
		return
	}
	list := cfg.Workload
	s.arrivals = func(seed uint64) workload.Source {
		var all sources
		if len(list.Jobs) > 0 {
			all = append(all, list.Source())
		}
		for _, k := range kinds {
			all = append(all, k.source(seed))
		}
		return all
	}
}

// ends checks that users submit only so many jobs: a job and the thought before it may take no time at all.
func (s *Scenario) ends(st *Stream, at string, cfg *sim.Config) {
	if st.Users == 0 || st.Count > 0 || st.For == 0 {
		return
	}
	fastest := 0.0
	for _, c := range cfg.Cluster.Classes {
		fastest = max(fastest, c.Speed)
	}
	each := float64(st.MapTime)/fastest + float64(st.Think.From+st.Think.To)/2
	if st.Reduces > 0 {
		each += float64(st.ReduceTime)/fastest + float64(st.ShuffleTime)
	}
	each += float64(cfg.Heartbeat) / float64(len(cfg.Cluster.Own())) // until some node beats again
	if m := s.Cluster.Masters; m != nil {
		each += float64(m.Start)
	}
	if jobs := float64(st.Users) * float64(st.For) / each; jobs > maxTasks {
		s.src.Failf(at, "stream %q would come to more than %d jobs: its users and jobs take hardly any time; give them some, or limit the jobs with count", st.ID, maxTasks)
	}
}

// recorded is the trace of a stream's arrivals, and checks what else they need.
func (s *Scenario) recorded(st *Stream, at string) trace.File {
	d, a := s.src, st.Arrivals
	switch {
	case a == nil:
		return trace.File{}
	case a.Process != "trace":
		if a.Every == 0 {
			d.Failf(at+".arrivals", "arrivals need every, the mean time between two, such as every: 30s")
		} else if float64(st.For) > float64(a.Every)*maxTasks {
			d.Failf(at+".arrivals.every", "one in %v for %v are more than %d jobs", a.Every, st.For, maxTasks)
		}
		if a.File != "" || a.Format != "" {
			d.Failf(at+".arrivals", "file and format are for process: trace")
		}
		return trace.File{}
	}
	format, err := trace.Find(a.Format)
	if err != nil {
		d.Failf(at+".arrivals.format", "%v", err)
	}
	if a.File == "" {
		d.Failf(at+".arrivals", "arrivals of a trace need its file, and the format in which it is written")
		return trace.File{}
	}
	file := trace.File{Path: s.beside(a.File), Format: format}
	if err := files.Check(file.Path); err != nil {
		d.Failf(at+".arrivals.file", "%v", err)
	}
	return file
}

// kind is a stream and the job that it repeats.
type kind struct {
	*Stream
	job   *workload.Job
	trace trace.File // of its arrivals
}

func (k kind) source(seed uint64) workload.Source {
	st := &stream{kind: k, end: units.Never, left: k.Count, key: draw.Of(seed, "stream").Job(k.ID)}
	st.due.Before = func(a, b *units.Time) bool { return *a < *b }
	if k.Count == 0 {
		st.left = 1 << 30
	}
	begin := units.Time(k.Arrive)
	if k.For > 0 {
		st.end = begin.Add(k.For.Duration())
	}
	if k.Users > 0 {
		for range k.Users {
			st.think(begin)
		}
		return st
	}
	if k.Arrivals.Process == "trace" {
		in, file, err := k.trace.Open()
		if err != nil {
			st.err = err
			return st
		}
		recorded := synth.Trace(in)
		st.open = func() units.Time {
			at := recorded.Next()
			if at == units.Never {
				file.Close()
				if err := recorded.Err(); !errors.Is(err, io.EOF) {
					st.err = err
				} else if n := st.made + 1; n < k.Count { // with the job that is handed out now
					st.err = fmt.Errorf("%s: it has %d arrivals, stream %q should have %d; make count smaller, or leave it out", k.trace.Path, n, k.ID, k.Count)
				}
				return at
			}
			return begin.Add(units.Duration(at))
		}
		st.due.Push(st.open())
		return st
	}
	process := k.Arrivals.process(st.key.Uint64())
	st.open = func() units.Time {
		at := process.Next()
		if at == units.Never {
			return at
		}
		return begin.Add(units.Duration(at))
	}
	st.due.Push(st.open())
	return st
}

// stream is the arrivals of a kind of jobs.
type stream struct {
	kind
	key   draw.Draw
	open  func() units.Time // the next arrival of an open stream
	due   heap.Heap[units.Time]
	end   units.Time // nothing comes at or behind it
	left  int        // jobs that may still come
	made  int
	draws uint64
	err   error // of the trace
}

// think enters the next submission of a user who begins to think.
func (s *stream) think(from units.Time) {
	s.draws++
	d, span := s.key.Number(s.draws), s.Think
	thought := units.Duration(d.Between(float64(span.From), float64(span.To)))
	if span.From == span.To {
		thought = units.Duration(d.Exponential(float64(span.From)))
	}
	s.due.Push(from.Add(thought))
}

// Due is when the next job comes.
func (s *stream) Due() units.Time {
	if s.err != nil {
		return 0 // at once, to tell
	}
	if s.left == 0 || len(s.due.List) == 0 || s.due.List[0] >= s.end {
		return units.Never
	}
	return s.due.List[0]
}

// Next makes the next job.
func (s *stream) Next() (*workload.Job, error) {
	if s.err != nil {
		return nil, s.err
	}
	at := s.due.Pop()
	if s.open != nil {
		s.due.Push(s.open())
	}
	s.left--
	s.made++
	j := *s.job
	j.ID = s.ID + "-" + strconv.Itoa(s.made)
	j.Arrive, j.Deadline, j.Soft = at, s.Deadline.Of(at, time.Time{}), s.Soft.Of(at, time.Time{})
	return &j, nil
}

// Ended lets the user think whose job has ended.
func (s *stream) Ended(_ *workload.Job, at units.Time) {
	if s.open == nil {
		s.think(at)
	}
}

// sources are several as one; of arrivals at one time the first source goes first.
type sources []workload.Source

func (s sources) first() workload.Source {
	first := s[0]
	for _, other := range s[1:] {
		if other.Due() < first.Due() {
			first = other
		}
	}
	return first
}

// Due is the earliest of all.
func (s sources) Due() units.Time { return s.first().Due() }

// Next takes it.
func (s sources) Next() (*workload.Job, error) { return s.first().Next() }

// Ended tells the stream that the job came from.
func (s sources) Ended(j *workload.Job, at units.Time) {
	for _, source := range s {
		switch st := source.(type) {
		case *stream:
			if st.owns(j) {
				st.Ended(j, at)
			}
		case sources:
			st.Ended(j, at)
		}
	}
}

// owns tells whether the job is one of the stream.
func (s *stream) owns(j *workload.Job) bool {
	n := len(s.ID)
	return len(j.ID) > n+1 && j.ID[:n] == s.ID && j.ID[n] == '-' && strings.Trim(j.ID[n+1:], "0123456789") == ""
}
