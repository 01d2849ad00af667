package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/slackline/slackline/units"
)

// frame is some lines at the end of a terminal that are drawn again and again. The progress bars of go-pretty
// draw nothing and erase nothing without an active tracker, so the last picture of a run would stay and lines
// written at its end would be lost; to mend that around them takes more lines than this.
type frame struct {
	out   io.Writer
	drawn int // lines on the screen
}

// erase takes the lines off the screen.
func (f *frame) erase() {
	if f.drawn > 0 {
		fmt.Fprintf(f.out, "\x1b[%dA\r\x1b[J", f.drawn)
		f.drawn = 0
	}
}

// show puts lines in place of those before.
func (f *frame) show(lines ...string) {
	f.erase()
	for _, line := range lines {
		fmt.Fprintln(f.out, text.Snip(line, width(f.out)-1, "…"))
	}
	f.drawn = len(lines)
}

// bar shows on standard error how many runs of a grid are done: on a terminal drawn again and again, else
// in a line now and then if lines are wanted. Of one run it shows nothing.
type bar struct {
	lock         sync.Mutex
	frame        frame
	drawn, lines bool
	done, total  int
	began, last  time.Time
}

// progressEvery is how long a line of progress stands alone.
const progressEvery = 5 * time.Second

func newBar(w io.Writer, total int, lines bool) *bar {
	now := time.Now()
	b := &bar{frame: frame{out: w}, drawn: total > 1 && drawable(w), lines: lines && !isTerminal(w), total: total, began: now, last: now}
	if b.drawn {
		b.draw(now)
	}
	return b
}

// step counts a run. Several goroutines may call it.
func (b *bar) step(now time.Time) {
	b.lock.Lock()
	defer b.lock.Unlock()
	switch b.done++; {
	case b.drawn && now.Sub(b.last) >= repaint:
		b.draw(now)
	case b.lines && now.Sub(b.last) >= progressEvery:
		b.last = now
		fmt.Fprintf(b.frame.out, "%d of %d runs\n", b.done, b.total)
	}
}

func (b *bar) draw(now time.Time) {
	b.last = now
	text := fmt.Sprintf("%s  %d of %d runs", bar12(float64(b.done)/float64(b.total)), b.done, b.total)
	if b.done > 0 {
		left := now.Sub(b.began).Seconds() * float64(b.total-b.done) / float64(b.done)
		text += ", " + units.Span(left) + " left"
	}
	b.frame.show(text)
}

// close clears the line.
func (b *bar) close() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.frame.erase()
}
