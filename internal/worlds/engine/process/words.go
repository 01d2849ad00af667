package process

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

const (
	longestWords = 8 << 10 // bytes of a line; what is longer is cut
	lastWords    = 5       // lines that are kept
	tellWords    = 300     // bytes of a line that are told
)

// Words are the last lines of what a process said, to explain its end by. However much it says, little is kept.
type Words struct {
	lock  sync.Mutex
	first string // the line that says why, if one was recognized
	last  []string
}

// Listen reads until the end. each is called for every line; a line for which it returns true is
// not kept. heard is called now and then while there is something to read.
func (w *Words) Listen(r io.Reader, each func(line string) bool, heard func()) {
	buf := make([]byte, 32<<10)
	var line []byte
	take := func() {
		if text := string(line); !each(text) {
			w.keep(text)
		}
		line = line[:0]
	}
	for {
		n, err := r.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			part := rest
			if i >= 0 {
				part = rest[:i]
			}
			line = append(line, part[:min(len(part), longestWords-len(line))]...)
			if i < 0 {
				break
			}
			take()
			rest = rest[i+1:]
		}
		if n > 0 {
			heard()
		}
		if err != nil {
			if len(line) > 0 {
				take()
			}
			return
		}
	}
}

func (w *Words) keep(text string) {
	if text = strings.TrimRight(text, "\r \t"); text == "" {
		return
	}
	if len(text) > tellWords {
		text = text[:tellWords] + "…"
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.first == "" && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) {
		w.first = text // how a Go program dies: what stands below is a stack
	}
	if w.last = append(w.last, text); len(w.last) > lastWords {
		w.last = w.last[1:]
	}
}

// String is what explains a failure, to stand behind it; empty if nothing was said. Several lines stay lines.
func (w *Words) String() string {
	w.lock.Lock()
	defer w.lock.Unlock()
	switch {
	case w.first != "":
		return "; it said: " + strings.ToValidUTF8(w.first, "?")
	case len(w.last) > 0:
		text := strings.ToValidUTF8(strings.Join(w.last, "\n"), "?")
		if len(w.last) > 1 {
			return "; it said:\n" + text
		}
		return "; it said: " + text
	}
	return ""
}
