package placement

import "github.com/slackline/slackline/sched"

// share offers a node on which maps and reduces compete to the first job of all each time, until one
// of the lines ends.
func (t *turn) share(maps, reduces line) {
	for {
		m, r := maps.next(t), reduces.next(t)
		if m == 0 || r == 0 {
			return
		}
		if m != r && before(t.order, t.v, r, sched.Reduce, m, sched.Map) {
			reduces.start(t, r)
		} else {
			maps.start(t, m)
		}
	}
}

// before tells whether job a with work of stage sa goes before job b with work of stage sb: by the
// keys of the first pair of pages on their paths that stand in the same queue, then by arrival.
func before(o sched.Order, v sched.View, a sched.JobID, sa sched.Stage, b sched.JobID, sb sched.Stage) bool {
	ja, jb := v.Job(a), v.Job(b)
	ka, kb := o.JobKey(v, ja, sa), o.JobKey(v, jb, sb)
	qa, qb := v.Queue(ja.Queue), v.Queue(jb.Queue)
	for qa != nil && qb != nil && qa.ID != qb.ID {
		if qa.Depth >= qb.Depth {
			ka, qa = o.QueueKey(v, qa, sa), v.Queue(qa.Parent)
		} else {
			kb, qb = o.QueueKey(v, qb, sb), v.Queue(qb.Parent)
		}
	}
	if ka != kb {
		return ka.Less(kb)
	}
	return ja.Seq < jb.Seq
}
