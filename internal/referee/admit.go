package referee

import (
	"cmp"
	"fmt"
	"slices"
)

// A part is one step of a policy.
type part interface {
	decide(b *book, events []*line, p *wants)
}

// A rule is a policy: its parts in their order.
type rule []part

func (r rule) decide(b *book, events []*line, p *wants) {
	for _, part := range r {
		part.decide(b, events, p)
	}
}

// all lets in every job when it arrives.
type all struct{}

func (all) decide(b *book, events []*line, p *wants) {
	for _, e := range events {
		if e.name == "job-arrived" {
			if j := b.jobs[e.int("job")]; j.state == pending {
				p.verdict("admit", j, admitted, 0, "admit-all")
			}
		}
	}
}

// limit bounds running jobs: in all, of a queue, of a user. A job that a bound keeps out holds back nobody behind it.
type limit struct {
	running, perUser, perQueue int
	queues                     *describedQueues
}

func (l *limit) decide(b *book, events []*line, p *wants) {
	var waiting []*job
	running, users, queues := 0, map[string]int{}, map[string]int{}
	queue := func(j *job) string { return j.Queue }
	if f, ok := b.order.(*fairShare); ok {
		queue = f.name // the order's pools
	}
	count := func(j *job) {
		running++
		users[j.User]++
		queues[queue(j)]++
	}
	for _, j := range b.live {
		if j.waits {
			continue
		}
		switch j.state {
		case admitted:
			count(j)
		case pending, held:
			waiting = append(waiting, j)
		}
	}
	slices.SortFunc(waiting, func(x, y *job) int {
		return cmp.Or(b.order.line(x, y), cmp.Compare(x.seq, y.seq))
	})
	for _, j := range waiting {
		why, full := "admit-all", false
		bound := func(has, most int) {
			if most == 0 || full {
				return
			}
			full = has >= most
			if full {
				why = fmt.Sprintf("over-limit:%d,%d", has, most)
			} else if why == "admit-all" {
				why = "slot-of-order" + numbers(int64(has), int64(most))
			}
		}
		bound(running, l.running) // the reason names the first that is full, or else the first that there is
		if j.User != "" {
			bound(users[j.User], l.perUser)
		}
		most := l.perQueue
		if q, _ := l.queues.leaf(queue(j)); q != nil && q.MaxRunning != 0 {
			most = q.MaxRunning
		}
		bound(queues[queue(j)], most)
		switch {
		case !full:
			count(j)
			p.verdict("admit", j, admitted, 0, why)
		case j.state == pending:
			p.verdict("hold", j, held, 0, why)
		}
	}
}

// numbers writes up to three numbers of a reason as a journal does: those at the end that are 0 are left out.
func numbers(list ...int64) (s string) {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	for i, n := range list {
		s += fmt.Sprintf("%c%d", ":,,"[i], n)
	}
	return s
}
