package engine

import (
	"sync"

	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
)

// report is what another goroutine tells the loop: an attempt ended, a job's input is read or cut otherwise, its
// output is committed or removed, a node goes or comes.
type report struct {
	attempt *attempt
	output  *task.Output // of a map with reduces
	stats   task.Stats
	job     *job // whose input is read, or whose output is dealt with, if not nil
	read    *job // that job with its input, in the first case
	cut     *job // that job cut otherwise, as this item asked for
	item    sched.ItemID
	node    sched.NodeID // that goes or comes, if not 0
	up      bool
	rented  bool // a cloud says so
	err     error
}

// mailbox is a queue without a bound, so that nobody who posts ever waits for the loop.
type mailbox[T any] struct {
	lock sync.Mutex
	list []T
	bell chan struct{} // of capacity 1: something came since it was last heard
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{bell: make(chan struct{}, 1)} }

func (m *mailbox[T]) post(mail T) {
	m.lock.Lock()
	m.list = append(m.list, mail)
	m.lock.Unlock()
	select {
	case m.bell <- struct{}{}:
	default:
	}
}

func (m *mailbox[T]) take() []T {
	m.lock.Lock()
	defer m.lock.Unlock()
	list := m.list
	m.list = nil
	return list
}
