package streaming

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// stderr listens to what a command says beside its output.
type stderr struct {
	alive func()
	said  *task.Said
	words process.Words

	lock   sync.Mutex
	counts map[mapreduce.CounterName]int64
	status string
}

func (s *stderr) listen(r io.Reader) {
	s.words.Listen(r, func(line string) bool {
		if s.report(line) {
			return true
		}
		s.said.Line(line)
		return false
	}, s.alive)
}

// report takes in a line that is a report. One that looks like a report and cannot be read is none, as for Hadoop.
func (s *stderr) report(text string) bool {
	if report, ok := strings.CutPrefix(text, "reporter:counter:"); ok {
		// The group holds no comma, the name may.
		group, rest, named := strings.Cut(report, ",")
		at := strings.LastIndexByte(rest, ',')
		if !named || at < 0 {
			return false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(rest[at+1:]), 10, 64)
		if err != nil {
			return false
		}
		s.lock.Lock()
		defer s.lock.Unlock()
		if s.counts == nil {
			s.counts = map[mapreduce.CounterName]int64{}
		}
		s.counts[mapreduce.CounterName{Group: group, Name: rest[:at]}] += n
		return true
	}
	status, ok := strings.CutPrefix(text, "reporter:status:")
	if ok {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.status = strings.ToValidUTF8(status, "?")
	}
	return ok
}

// publish adds what was counted to the counters of the attempt.
func (s *stderr) publish(c *mapreduce.Context) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for name, n := range s.counts {
		c.Counter(name.Group, name.Name).Add(n)
	}
	s.counts = nil
}

// explain is what the command said last, to stand behind the reason of a failure.
func (s *stderr) explain() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.status != "" {
		return "; its last status was: " + s.status + s.words.String()
	}
	return s.words.String()
}
