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

// all lets in every job when it arrives; one with an ApplicationMaster waits until masters leave room.
type all struct{ room *limit }

func (a *all) decide(b *book, events []*line, p *wants) {
	for _, e := range events {
		if j := b.jobs[e.int("job")]; e.name == "job-arrived" && (j.state == pending || j.state == held) && j.stage[master] == nil {
			p.verdict("admit", j, admitted, "", "admit-all")
		}
	}
	a.room.decide(b, events, p)
}

// limit bounds running jobs: in all, of a queue, of a user; and what their ApplicationMasters take.
// A job that a bound keeps out holds back nobody behind it.
type limit struct {
	running, perUser, perQueue int
	queues                     *describedQueues
	// percent of what a queue is promised that masters may take, unless the queue says; 0 = no
	// bound
	masters float64
}

func (l *limit) decide(b *book, events []*line, p *wants) {
	var waiting []*job
	queue := func(j *job) string { return j.Queue }
	if f, ok := b.order.(*fairShare); ok {
		queue = f.name // the order's pools
	}
	running, users, queues, use := 0, map[string]int{}, map[string]int{}, map[string]vector{}
	var whole vector
	count := func(j *job) {
		running++
		users[j.User]++
		for _, name := range l.above(queue(j)) {
			queues[name]++
		}
		if m := j.stage[master]; m != nil {
			v := use[queue(j)]
			v.add(&m.needs, 1)
			use[queue(j)] = v
			whole.add(&m.needs, 1)
		}
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
	if len(waiting) == 0 {
		return
	}
	slices.SortFunc(waiting, func(x, y *job) int {
		return cmp.Or(b.order.line(x, y), cmp.Compare(x.seq, y.seq))
	})
	share := l.shares(b, queue)
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
		for i, name := range l.above(queue(j)) {
			most := 0
			if i == 0 {
				most = l.perQueue
			}
			if _, path := l.queues.leaf(queue(j)); len(path) > 0 && path[len(path)-1-i].MaxRunning != 0 {
				most = path[len(path)-1-i].MaxRunning
			}
			bound(queues[name], most)
		}
		if m := j.stage[master]; m != nil && !full && l.masters > 0 && whole != (vector{}) {
			own, all := share(queue(j))
			for d, need := range m.needs {
				if need == 0 || full {
					continue
				}
				held := use[queue(j)]
				if most := int64(rounded(all * float64(b.capacity[d]))); whole[d]+need > most {
					full, why = true, "master-share"+numbers(whole[d], most, int64(d))
				} else if most := int64(rounded(own * float64(b.capacity[d]))); held != (vector{}) && held[d]+need > most {
					full, why = true, "master-share"+numbers(held[d], most, int64(d))
				}
			}
		}
		switch {
		case !full:
			count(j)
			p.verdict("admit", j, admitted, "", why)
		case j.state == pending:
			p.verdict("hold", j, held, "", why)
		}
	}
}

// above returns the path of a queue and those of the queues above it, from the leaf up.
func (l *limit) above(name string) []string {
	_, path := l.queues.leaf(name)
	if len(path) == 0 {
		return []string{name}
	}
	full, list := "", []string{}
	for _, q := range path {
		full += "." + q.Name
		list = append(list, full)
	}
	slices.Reverse(list)
	return list
}

// shares tells what masters of a queue may take, as part of the cluster, and what all masters may:
// its share of what the queue is promised (of its guaranteed part; of its weight among pools with
// jobs; else of the cluster), and the largest share that any queue has, where each queue may have a
// master at least half of the cluster.
func (l *limit) shares(b *book, queue func(*job) string) func(string) (own, all float64) {
	of := func(q *describedQueue) float64 {
		if q != nil && q.MaxMasterShare != 0 {
			return q.MaxMasterShare / 100
		}
		return l.masters / 100
	}
	all := l.masters / 100
	var each func(list []describedQueue)
	each = func(list []describedQueue) {
		for i := range list {
			all = max(all, of(&list[i]))
			each(list[i].Queues)
		}
	}
	each(l.queues.Queues)
	weight := func(q *describedQueue) float64 {
		if q != nil && q.Weight != 0 {
			return q.Weight
		}
		return 1
	}
	sum, seen := 0.0, map[string]bool{}
	for _, j := range b.live {
		if name := queue(j); !j.waits && !seen[name] {
			seen[name] = true
			q, _ := l.queues.leaf(name)
			sum += weight(q)
		}
	}
	return func(name string) (float64, float64) {
		q, path := l.queues.leaf(name)
		switch b.order.(type) {
		case *capacityShare:
			part := 1.0
			for _, d := range path {
				part *= d.Capacity / 100
			}
			if q == nil && (len(l.queues.Queues) > 0 || name != "" && name != "default") {
				part = 0 // a queue that nobody described is promised nothing
			}
			return of(q) * part, max(all, 0.5)
		case *fairShare:
			return of(q) * weight(q) / sum, max(all, 0.5)
		}
		return of(q), all
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
