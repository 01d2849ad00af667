package referee

import "slices"

// starts takes in that an attempt runs.
func (j *judge) starts(l *line, job *job, st int) {
	x := bound{job.id, st, l.int("task"), l.int("node"), slices.Index(localityNames[:], l.get("locality"))}
	item := l.int("item")
	list := j.items[item]
	i := slices.IndexFunc(list, func(y bound) bool { return y.task == x.task && y.job == x.job && y.stage == x.stage })
	if i < 0 {
		was := job.stage[st].sample
		j.take(x)
		job.stage[st].sample = was // nobody asked for it as a sample
		if item != 0 {
			j.differ(l.num, "that only what was planned starts", x.String())
		}
	} else {
		x.locality = list[i].locality
		if list = slices.Delete(list, i, i+1); len(list) == 0 {
			delete(j.items, item)
		} else {
			j.items[item] = list
		}
	}
	job.started = min(job.started, j.now)
	j.started++
	a := &attempt{id: l.int("attempt"), job: job.id, stage: st, task: x.task, node: x.node, item: item, locality: x.locality, started: j.now, seq: j.started}
	j.attempts[a.id] = a
	job.stage[st].youngest = append(job.stage[st].youngest, a)
}

// ends takes in that an attempt is over.
func (j *judge) ends(a *attempt, outcome string) {
	job := j.jobs[a.job]
	s := job.stage[a.stage]
	if j.opt.Plain {
		j.due(a, outcome)
	}
	delete(j.attempts, a.id)
	a.lasted = j.now - a.started
	s.youngest = slices.DeleteFunc(s.youngest, func(b *attempt) bool { return b == a })
	t := &s.Tasks[a.task-1]
	t.tries--
	switch {
	case outcome == "committed":
		if t.state != taskDone {
			t.state = taskDone
			s.done++
		}
		s.ended = j.now
	case t.state == taskTaken && t.tries == 0:
		s.reopen(a.task)
	}
	n := j.nodes[a.node]
	j.hold(job, s, n, -1)
	n.since = j.now
	j.dirty = true
}

// leaves takes a job out.
func (j *judge) leaves(gone *job) {
	gone.state = finished
	j.live = slices.DeleteFunc(j.live, func(o *job) bool { return o == gone })
	j.left = true
	for _, o := range j.live {
		o.waits = o.waits && slices.ContainsFunc(o.After, func(name string) bool {
			p := j.names[name]
			return p != nil && !p.committed
		})
	}
	j.dirty = true
}

// refuse takes back what the world did not do of an item; 0 = all that is left of it.
func (j *judge) refuse(item, count int) {
	list := j.items[item]
	if count == 0 || count > len(list) {
		count = len(list)
	}
	for range count {
		last := len(list) - 1
		j.untake(list[last])
		j.nodes[list[last].node].since = j.now // a container is taken back
		list = list[:last]
	}
	if len(list) == 0 {
		delete(j.items, item)
	} else {
		j.items[item] = list
	}
	j.dirty = true
}
