package trace

import (
	"bytes"
	"io"
)

// swim reads the samples that come with SWIM, the Statistical Workload Injector for MapReduce
// (Chen, Ganapathi, Griffith and Katz, "The case for evaluating MapReduce performance using
// workload suites", MASCOTS 2011). A line is a job, its fields separated by tabs: name, submit time
// in s (of UNIX, too: such count from the first job), seconds since the job before, bytes of map
// input, of shuffle and of reduce output. Some samples add the path of the input and may add that
// of the output. There is nothing on tasks and times.
type swim struct {
	lines
	job   Job
	order order
}

func openSWIM(in io.Reader, o Options) form { return &swim{lines: newLines(in, o)} }

// Next returns the job of the next line.
func (s *swim) Next() (*Job, error) {
	return s.nextJob(func() (*Job, error) {
		line, err := s.next()
		if err != nil || len(bytes.TrimSpace(line)) == 0 {
			return nil, err
		}
		return s.read(line)
	})
}

func (s *swim) read(line []byte) (*Job, error) {
	f := bytes.SplitN(line, []byte{'\t'}, 8)
	if len(f) < 6 {
		return nil, s.errorf("", "it has %d fields separated by tabs, a job has 6 or more: name, submit time, gap, input, shuffle and output bytes", len(f))
	}
	s.job = Job{ID: s.name("job", f[0]), Input: s.size("map input bytes", f[3]), Shuffle: s.size("shuffle bytes", f[4]),
		Output: s.size("reduce output bytes", f[5])}
	if !s.absolute(&s.order, &s.job, "submit time", f[1]) {
		return nil, orNil(s.wrong())
	}
	if len(f) > 6 && len(f[6]) > 0 {
		s.job.Path = s.name("input path", f[6])
	}
	return &s.job, orNil(s.admit(&s.order, &s.job, "submit time"))
}
