package place

import "github.com/slackline/slackline/sched"

// share fills a node on which maps and reduces compete, offering it to the first job of all each time.
func (g *Greedy) share(t *turn, maps, reduces *quota) {
	for !maps.spent && !reduces.spent {
		m := t.v.First(t.node.ID, sched.Map, maps.after)
		r := t.v.First(t.node.ID, sched.Reduce, reduces.after)
		if m == 0 || r == 0 {
			break
		}
		if m != r && g.before(t.v, r, sched.Reduce, m, sched.Map) {
			t.start(reduces, r)
		} else {
			t.start(maps, m)
		}
	}
	t.fill(maps)
	t.fill(reduces)
}

// before tells whether job a with work of stage sa goes before job b with work of stage sb: by the keys of the first pair of
// pages on their paths that stand in the same queue, then by arrival.
func (g *Greedy) before(v sched.View, a sched.JobID, sa sched.Stage, b sched.JobID, sb sched.Stage) bool {
	ja, jb := v.Job(a), v.Job(b)
	ka, kb := g.order.JobKey(v, ja, sa), g.order.JobKey(v, jb, sb)
	qa, qb := v.Queue(ja.Queue), v.Queue(jb.Queue)
	for qa != nil && qb != nil && qa.ID != qb.ID {
		if qa.Depth >= qb.Depth {
			ka, qa = g.order.QueueKey(v, qa, sa), v.Queue(qa.Parent)
		} else {
			kb, qb = g.order.QueueKey(v, qb, sb), v.Queue(qb.Parent)
		}
	}
	if ka != kb {
		return ka.Less(kb)
	}
	return ja.Seq < jb.Seq
}
