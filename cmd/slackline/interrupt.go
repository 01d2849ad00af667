package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// onlyWaits is set while a command waits for what another process does: it ends at once.
var onlyWaits atomic.Bool

// interruptible returns a context that Ctrl-C, SIGTERM or the loss of the terminal ends, so that
// what runs pauses: nothing new begins, what is under way ends, and what is done is kept. A second
// Ctrl-C or SIGTERM ends the program at once; that keeps the same. A signal that was ignored when
// the program began, by nohup or by a shell that runs it in the background, stays so.
func interruptible(stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	done := make(chan struct{})
	go func() {
		for times := 0; ; {
			select {
			case s := <-signals:
				if times > 0 && s == syscall.SIGHUP { // a terminal that goes may tell so twice
					continue
				}
				if times++; times > 1 {
					fmt.Fprintln(stderr, "slackline: stopped at once; the same command continues from there")
					os.Exit(exitInterrupt)
				}
				if text := "slackline: stopping; press again to stop at once"; !onlyWaits.Load() && !tellAbove(text) {
					fmt.Fprintln(stderr, "\n"+text)
				}
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
