package task

import (
	"fmt"
	"strings"
	"sync"
)

// Said keeps what the program of an attempt says beside its output, for people to read later: the
// end of it, if it is much. Several goroutines may write to it; a nil one keeps nothing.
type Said struct {
	lock  sync.Mutex
	lines []string
	bytes int
	gone  int // lines
}

// mostSaid is how many bytes are kept.
const mostSaid = 64 << 10

// Line keeps a line.
func (s *Said) Line(line string) {
	if s == nil {
		return
	}
	if len(line) > mostSaid {
		line = line[:mostSaid]
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	for s.bytes > mostSaid || len(s.lines) > mostSaid/16 { // empty lines take room too
		s.bytes -= len(s.lines[0])
		s.lines = s.lines[1:]
		s.gone++
	}
}

// String returns the lines that were kept, and how many came before them.
func (s *Said) String() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.lines) == 0 {
		return ""
	}
	text := strings.ToValidUTF8(strings.Join(s.lines, "\n")+"\n", "?")
	if s.gone > 0 {
		text = fmt.Sprintf("… %d earlier lines\n", s.gone) + text
	}
	return text
}
