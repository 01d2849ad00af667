package trace

import (
	"bytes"
	"io"

	"github.com/slackline/slackline/units"
)

// swim reads the samples that come with SWIM, the Statistical Workload Injector for MapReduce
// (Chen, Ganapathi, Griffith and Katz, "The case for evaluating MapReduce performance using
// workload suites", MASCOTS 2011). A line is a job, its fields separated by tabs: name, submit time
// in s, seconds since the job before, bytes of map input, of shuffle and of reduce output. Some
// samples add the path of the input and may add that of the output. There is nothing on tasks and
// times.
type swim struct {
	lines
	job   Job
	order order
}

func openSWIM(in io.Reader, o Options) Reader { return &swim{lines: newLines(in, o)} }

// Next returns the job of the next line.
func (s *swim) Next() (*Job, error) {
	for {
		line, err := s.next()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := s.read(line); err == nil {
			return &s.job, nil
		} else if !s.skip(err) {
			return nil, err
		}
	}
}

func (s *swim) read(line []byte) *Error {
	var f [7][]byte
	n := 0
	for n < len(f) {
		field, rest, more := bytes.Cut(line, []byte{'\t'})
		f[n] = field
		n++
		if line = rest; !more {
			break
		}
	}
	if n < 6 {
		return s.errorf("", "it has %d fields separated by tabs, a job has 6 or more: name, submit time, gap, input, shuffle and output bytes", n)
	}
	j := Job{}
	var err *Error
	if j.ID, err = s.name("job", f[0]); err != nil {
		return err
	}
	at, err := s.seconds("submit time", f[1])
	if err != nil {
		return err
	}
	j.Submit = units.Time(at)
	for i, to := range []*units.Bytes{&j.Input, &j.Shuffle, &j.Output} {
		x, err := s.count([]string{"map input bytes", "shuffle bytes", "reduce output bytes"}[i], f[3+i])
		if err != nil {
			return err
		}
		*to = units.Bytes(x)
	}
	if n > 6 && len(f[6]) > 0 {
		if j.Path, err = s.name("input path", f[6]); err != nil {
			return err
		}
	}
	if err := s.admit(&s.order, &j, "submit time"); err != nil {
		return err
	}
	s.job = j
	return nil
}
