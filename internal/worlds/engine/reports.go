package engine

import (
	"sync"

	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
)

// report is what another goroutine tells the loop: an attempt ended, a job's output is committed or removed, a node goes or comes.
type report struct {
	attempt *attempt
	output  *task.Output // of a map with reduces
	stats   task.Stats
	job     sched.JobID  // whose output is dealt with, if not 0
	node    sched.NodeID // that goes or comes, if not 0
	up      bool
	err     error
}

// reports is a queue without a bound, so that nobody who reports ever waits for the loop.
type reports struct {
	lock sync.Mutex
	list []report
	bell chan struct{} // of capacity 1: something came since it was last heard
}

func newReports() *reports { return &reports{bell: make(chan struct{}, 1)} }

func (r *reports) post(rep report) {
	r.lock.Lock()
	r.list = append(r.list, rep)
	r.lock.Unlock()
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

func (r *reports) take() []report {
	r.lock.Lock()
	defer r.lock.Unlock()
	list := r.list
	r.list = nil
	return list
}
