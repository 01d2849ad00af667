package engine

import (
	"context"
	"sync"

	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// outputs are the map outputs of a job. Reduces wait here for those that are not there yet, or not there any more.
type outputs struct {
	lock    sync.Mutex
	byMap   []*task.Output
	changed chan struct{} // closed when one comes
}

func (o *outputs) put(m int, out *task.Output) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.byMap[m] = out
	close(o.changed)
	o.changed = make(chan struct{})
}

// drop forgets an output, and tells whether it was the one that counts.
func (o *outputs) drop(m int, out *task.Output) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	if out == nil || o.byMap[m] != out {
		return false
	}
	o.byMap[m] = nil
	return true
}

// wait returns the output of a map as soon as there is one.
func (o *outputs) wait(ctx context.Context, m int) (*task.Output, error) {
	for {
		o.lock.Lock()
		out, changed := o.byMap[m], o.changed
		o.lock.Unlock()
		if out != nil {
			return out, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
