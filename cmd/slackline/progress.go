package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/slackline/slackline/internal/studies/report"
)

// frame is some lines at the end of a terminal that are drawn again and again.
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

// show puts lines in the place of those before.
func (f *frame) show(lines ...string) {
	f.erase()
	for _, line := range lines {
		fmt.Fprintln(f.out, text.Snip(line, width(f.out)-1, "…"))
	}
	f.drawn = len(lines)
}

// bar shows on standard error how many runs of a grid are done, where that is a terminal.
type bar struct {
	lock        sync.Mutex
	frame       frame // without a writer nothing is shown
	done, total int
	began, last time.Time
}

// newBar returns a bar for so many runs; for one, or without a terminal, it shows nothing.
func newBar(w io.Writer, total int) *bar {
	b := &bar{total: total, began: time.Now()}
	if total > 1 && drawable(w) {
		b.frame.out = w
		b.draw()
	}
	return b
}

// step counts a run. Several goroutines may call it.
func (b *bar) step() {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.done++; b.frame.out != nil && time.Since(b.last) >= repaint {
		b.draw()
	}
}

func (b *bar) draw() {
	b.last = time.Now()
	text := fmt.Sprintf("%s  %d of %d runs", bar12(float64(b.done)/float64(b.total)), b.done, b.total)
	if b.done > 0 {
		left := time.Since(b.began).Seconds() * float64(b.total-b.done) / float64(b.done)
		text += ", " + report.Span(left) + " left"
	}
	b.frame.show(text)
}

// close clears the line.
func (b *bar) close() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.frame.erase()
}
