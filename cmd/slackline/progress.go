package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// bar shows on standard error how many runs of a grid are done, where that is a terminal.
type bar struct {
	w     io.Writer
	total int
	began time.Time
	lock  sync.Mutex
	done  int
}

// newBar returns a bar for so many runs; for one, or without a terminal, it shows nothing.
func newBar(w io.Writer, total int) *bar {
	if total < 2 || !isTerminal(w) {
		w = io.Discard
	}
	b := &bar{w: w, total: total, began: time.Now()}
	b.draw()
	return b
}

// step counts a run. Several goroutines may call it.
func (b *bar) step() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.done++
	b.draw()
}

func (b *bar) draw() {
	const cells = 40
	full := cells * b.done / max(1, b.total)
	fmt.Fprintf(b.w, "\r%s%s %d/%d runs, %.0f s", strings.Repeat("█", full), strings.Repeat("░", cells-full), b.done, b.total, time.Since(b.began).Seconds())
}

// close clears the line.
func (b *bar) close() { fmt.Fprintf(b.w, "\r%s\r", strings.Repeat(" ", 78)) }
