package streaming

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/slackline/slackline/mapreduce"
)

const (
	longestReport = 8 << 10 // bytes of a line on standard error; what is longer is cut
	lastWords     = 5       // lines that are kept
	lastWord      = 300     // bytes of one of them that are told
)

// stderr listens to what a command says beside its output. Nothing of it can fill the memory.
type stderr struct {
	alive func()

	lock   sync.Mutex
	counts map[mapreduce.CounterName]int64
	status string
	last   []string
}

// listen reads until the end.
func (s *stderr) listen(r io.Reader) {
	buf := make([]byte, 32<<10)
	var line []byte
	for {
		n, err := r.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			part := rest
			if i >= 0 {
				part = rest[:i]
			}
			line = append(line, part[:min(len(part), longestReport-len(line))]...)
			if i < 0 {
				break
			}
			s.line(string(line))
			line, rest = line[:0], rest[i+1:]
		}
		if n > 0 {
			s.alive()
		}
		if err != nil {
			if len(line) > 0 {
				s.line(string(line))
			}
			return
		}
	}
}

// line takes in one line. One that looks like a report and cannot be read is passed over, as Hadoop does.
func (s *stderr) line(text string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if report, ok := strings.CutPrefix(text, "reporter:counter:"); ok {
		// The group holds no comma, the name may.
		group, rest, ok1 := strings.Cut(report, ",")
		at := strings.LastIndexByte(rest, ',')
		if ok1 && at >= 0 {
			if n, err := strconv.ParseInt(strings.TrimSpace(rest[at+1:]), 10, 64); err == nil {
				if s.counts == nil {
					s.counts = map[mapreduce.CounterName]int64{}
				}
				s.counts[mapreduce.CounterName{Group: group, Name: rest[:at]}] += n
				return
			}
		}
	}
	if status, ok := strings.CutPrefix(text, "reporter:status:"); ok {
		s.status = status
		return
	}
	if text = strings.TrimRight(text, "\r \t"); text == "" {
		return
	}
	if len(text) > lastWord {
		text = text[:lastWord] + "…"
	}
	if s.last = append(s.last, text); len(s.last) > lastWords {
		s.last = s.last[1:]
	}
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

// words are the last lines, to explain a failure by; empty if there are none.
func (s *stderr) words() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	var b strings.Builder
	if s.status != "" {
		b.WriteString("; its status was: " + strings.ToValidUTF8(s.status, "?"))
	}
	if len(s.last) > 0 {
		b.WriteString("; its last words: " + strings.ToValidUTF8(strings.Join(s.last, " | "), "?"))
	}
	return b.String()
}
