package trace

import (
	"bytes"
	"io"
	"strconv"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// swf reads the Standard Workload Format, version 2.2, of the Parallel Workloads Archive (Chapin et
// al., "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999). A
// line is a job of 18 fields separated by blanks, -1 where nothing is known; lines that begin with
// a semicolon are comments.
//
//	 1 job number     2 submit time in s    3 wait      4 run time in s         5 processors       6 CPU time
//	 7 memory, KB     8 asked processors    9 asked s  10 asked memory, KB     11 status          12 user
//	13 group         14 executable         15 queue    16 partition            17 preceding job   18 think time in s
//
// Processors become maps, each of the run time: the format knows no tasks, and Slackline starts no
// gangs. What was asked for counts where it is not known what was used. The executable is the
// class. A run time of 0 is one of less than half a second, as logs count whole ones, and is played
// as 0. Left out and counted are jobs that never ran (cancelled, status 5, without a run time; or on
// 0 processors), jobs of which nobody knows how long or on how many processors they ran, and parts
// of jobs that were swapped out (status 2 to 4), since the whole has a line of its own. Jobs that
// failed (status 0), or were cancelled while they ran, held their processors as long as any other:
// they are played, and counted. Of think times nothing is used.
//
// A log whose first job was submitted after 1973, as UNIX counts seconds, has absolute times. They
// count from the UnixStartTime of its heading, or from that job.
type swf struct {
	lines
	order
}

func openSWF(in io.Reader, o Options) form { return &swf{lines: newLines(in, o)} }

var swfFields = [18]string{"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue", "partition",
	"preceding job", "think time"}

// Next returns the job of the next line.
func (s *swf) Next() (*Job, error) {
	return s.nextJob(func() (*Job, error) {
		line, err := s.next()
		if line = bytes.TrimSpace(line); err != nil || len(line) == 0 {
			return nil, err
		}
		if line[0] == ';' {
			s.comment(line[1:])
			return nil, nil
		}
		return s.job(line)
	})
}

// comment looks for when the log begins.
func (s *swf) comment(text []byte) {
	key, value, _ := bytes.Cut(text, []byte{':'})
	if string(bytes.TrimSpace(key)) != "UnixStartTime" {
		return
	}
	if at, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err == nil && at > 0 && at < 9e9 {
		s.starts = units.Duration(at) * units.Second
	}
}

// job reads a line. It returns nil for one that is left out.
func (s *swf) job(line []byte) (*Job, error) {
	f := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(f) != len(swfFields) {
		return nil, s.errorf("", "it has %d fields separated by blanks, a job has %d", len(f), len(swfFields))
	}
	if c := f[10]; len(c) == 1 && c[0] >= '2' && c[0] <= '4' {
		s.kept.leaveOut(partOfJob, "", s.errorf(swfFields[10], "%s is a part of a job that was swapped out", c))
		return nil, nil
	}
	number := s.count(swfFields[0], f[0])
	j := &Job{ID: name("j", number), Input: Unknown, Shuffle: Unknown, Output: Unknown}
	if !s.absolute(&s.order, j, swfFields[1], f[1]) {
		return nil, orNil(s.wrong())
	}
	time, processors := s.first(f, 3, 3, s.span), s.first(f, 4, 4, s.count)
	if err := s.wrong(); err != nil {
		return nil, err
	}
	switch {
	case processors == 0:
		s.kept.leaveOut(neverRan, j.ID, s.errorf(swfFields[4], "job %d has none", number))
		return nil, nil
	case string(f[10]) == "5" && time <= 0:
		s.kept.leaveOut(neverRan, j.ID, s.errorf(swfFields[10], "job %d was cancelled before it ran", number))
		return nil, nil
	}
	time, processors = s.first(f, 3, 8, s.span), s.first(f, 4, 7, s.count)
	memory := s.first(f, 6, 9, s.count)
	j.User, j.Class, j.Queue = name("u", s.first(f, 11, 11, s.count)), name("app", s.first(f, 13, 13, s.count)), name("q", s.first(f, 14, 14, s.count))
	if before := s.first(f, 16, 16, s.count); before > 0 {
		j.After = []string{name("j", before)}
	}
	if processors > MaxTasks {
		s.failf(swfFields[4], "%d are more than %d", processors, MaxTasks)
	}
	if memory > 1<<40 {
		s.failf(swfFields[6], "%d KB are more than any node has", memory)
	}
	if err := s.wrong(); err != nil {
		return nil, err
	}
	switch {
	case time < 0:
		s.kept.leaveOut(unmeasured, j.ID, s.errorf(swfFields[3], "neither that of job %d nor the time it asked for is known", number))
		return nil, nil
	case processors < 1:
		s.kept.leaveOut(unmeasured, j.ID, s.errorf(swfFields[4], "neither those of job %d nor those it asked for are known", number))
		return nil, nil
	}
	needs := units.Vector{units.VCores: 1, units.Memory: max(0, memory) * int64(units.KB)}
	j.Stages = []Stage{{Kind: workload.Map, Needs: needs, Tasks: []Task{{Count: int(processors), Input: Unknown, Time: units.Duration(time)}}}}
	if err := s.admit(&s.order, j, swfFields[1]); err != nil {
		return nil, err
	}
	switch status := string(f[10]); {
	case status == "0" || status == "5":
		s.kept.fillIn(endedBadly, 1, s.errorf(swfFields[10], "that of job %d is %s", number, status))
	case status != "1" && !unknown(f[10]):
		s.kept.fillIn(unknownStatus, 1, s.errorf(swfFields[10], "that of job %d is %s", number, quoted(f[10])))
	}
	return j, nil
}

// first reads the one field, or if it is -1 the other. -1 if both are.
func (s *swf) first(f [][]byte, one, other int, read func(string, []byte) int64) int64 {
	for _, i := range []int{one, other} {
		if x := f[i]; !unknown(x) {
			return read(swfFields[i], x)
		}
	}
	return -1
}

func (s *swf) span(field string, text []byte) int64 { return int64(s.seconds(field, text)) }
