package main

import (
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// bar shows on standard error how many runs of a grid are done, where that is a terminal.
type bar struct {
	writer  progress.Writer // nil: nothing is shown
	tracker *progress.Tracker
}

// newBar returns a bar for so many runs; for one, or without a terminal, it shows nothing.
func newBar(w io.Writer, total int) *bar {
	if total < 2 || !isTerminal(w) {
		return &bar{}
	}
	b := &bar{writer: progress.NewWriter(), tracker: &progress.Tracker{Message: "runs", Total: int64(total), RemoveOnCompletion: true}}
	b.writer.SetOutputWriter(w)
	b.writer.SetUpdateFrequency(100 * time.Millisecond)
	b.writer.Style().Visibility.ETA = true // the time left
	b.writer.AppendTracker(b.tracker)
	go b.writer.Render()
	return b
}

// step counts a run. Several goroutines may call it.
func (b *bar) step() {
	if b.writer != nil {
		b.tracker.Increment(1)
	}
}

// close clears the line.
func (b *bar) close() {
	if b.writer == nil {
		return
	}
	b.tracker.MarkAsDone()
	for b.writer.IsRenderInProgress() {
		b.writer.Stop()
		time.Sleep(10 * time.Millisecond)
	}
}
