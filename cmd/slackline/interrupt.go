package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// onlyWaits is set while a command waits for what another process does: it ends at once.
var onlyWaits atomic.Bool

// reads counts what reads and checks what a command was given, or forecasts: nothing is made meanwhile, and what takes
// long there, such as a parser, knows of no signals. So the command ends at once.
var reads atomic.Int32

// reading begins that; the caller calls over.
func reading() (over func()) {
	reads.Add(1)
	return func() { reads.Add(-1) }
}

// outside is set from when a command runs real jobs, or holds what belongs to a cluster: it then
// needs some time to pause or to give that back.
var outside atomic.Bool

// How long a command may take to stop after a signal: one that reads, computes or simulates loses
// nothing when it is ended.
const (
	graceInside  = 5 * time.Second
	graceOutside = time.Minute
)

// interruptible returns a context that Ctrl-C, SIGTERM or the loss of the terminal ends, so that
// what runs pauses: nothing new begins, what is under way ends, and what is done is kept. A second
// Ctrl-C or SIGTERM ends the program at once; that keeps the same. So does the first one after a
// grace, whatever the program is at: no phase of it is deaf to signals. A signal that was ignored
// when the program began, by nohup or by a shell that runs it in the background, stays so.
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
		atOnce := func(text string) {
			fmt.Fprintln(stderr, "slackline: stopped at once"+text)
			os.Exit(exitInterrupt)
		}
		var over <-chan time.Time // the grace
		for times := 0; ; {
			select {
			case <-over:
				atOnce(", as the command did not stop by itself; the same command starts again, or continues")
			case s := <-signals:
				if times > 0 && s == syscall.SIGHUP { // a terminal that goes may tell so twice
					continue
				}
				if times == 0 && reads.Load() > 0 {
					fmt.Fprintln(stderr, "slackline: interrupted; the same command starts again")
					os.Exit(exitInterrupt)
				}
				if times++; times > 1 {
					atOnce("; the same command continues from there")
				}
				if text := "slackline: stopping; press again to stop at once"; !onlyWaits.Load() && !tellAbove(text) {
					fmt.Fprintln(stderr, "\n"+text)
				}
				over = time.After(graceInside)
				if outside.Load() {
					over = time.After(graceOutside)
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
