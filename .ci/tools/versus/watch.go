package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// watch looks at the anonymous memory of a process and its descendants every few milliseconds,
// where the system has /proc.
type watch struct {
	stop chan struct{}
	done sync.WaitGroup
	peak float64
}

func startWatch(pid int) *watch {
	w := &watch{stop: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			w.peak = max(w.peak, anonymous(pid))
			select {
			case <-tick.C:
			case <-w.stop:
				return
			}
		}
	})
	return w
}

// end stops looking and returns the peak in MB.
func (w *watch) end() float64 {
	close(w.stop)
	w.done.Wait()
	return w.peak
}

// anonymous is the anonymous memory of a process and its descendants, in MB.
func anonymous(pid int) float64 {
	total := 0.0
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		for line := range strings.Lines(string(status)) {
			if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
				kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
				total += kb / 1000
			}
		}
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range tasks {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for _, child := range strings.Fields(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				total += anonymous(id)
			}
		}
	}
	return total
}
