package referee

import (
	"cmp"
	"slices"
	"time"
)

// seconds gives slow tasks a second attempt (Hadoop 0.20; paper 003, section 2.1.2): of a stage of
// which no task is open, tasks that have run alone for so long and are so far behind the average of
// all, the slowest first, on the next node round about.
type seconds struct {
	lag, interval int64
	gap           float64
	look          int64 // when it looks next, 0 = nothing runs
	node          int   // who had the last one
}

func secondsOf(_ *made, a *asked) part {
	return &seconds{lag: a.span("lag", time.Minute), gap: float64(a.count("gap", 20)) / 100,
		interval: max(a.span("interval", 5*time.Second), int64(100*time.Millisecond))}
}

func (h *seconds) decide(b *book, _ []*line, p *wants) {
	if h.look != 0 && b.now >= h.look {
		h.look = 0
		var jobs []*job
		for _, j := range b.live {
			if j.state == admitted && !j.waits && !j.cancelled {
				jobs = append(jobs, j)
			}
		}
		slices.SortFunc(jobs, func(x, y *job) int { return cmp.Compare(x.id, y.id) })
		for _, j := range jobs {
			for _, s := range []int{mapStage, reduceStage} {
				if j.stage[s] != nil {
					h.stage(b, j, j.stage[s], p)
				}
			}
		}
	}
	if h.look == 0 && slices.ContainsFunc(b.live, func(j *job) bool { return j.state == admitted && !j.waits }) {
		h.look = b.now + h.interval
	}
}

// stage looks at the tasks of one stage.
func (h *seconds) stage(b *book, j *job, s *stage, p *wants) {
	if s.open > 0 || len(s.youngest) == 0 || s.withheld || len(s.Tasks) < 2 {
		return
	}
	far := make([]float64, len(s.Tasks)+1)
	runs := make([]int, len(s.Tasks)+1)
	for _, a := range s.youngest {
		far[a.task] = max(far[a.task], a.progress)
		runs[a.task]++
	}
	average := float64(s.done)
	for _, x := range far {
		average += x
	}
	average /= float64(len(s.Tasks))
	var slow []*attempt
	for _, a := range s.youngest {
		if runs[a.task] == 1 && !a.dying && b.now-a.started >= h.lag && average-a.progress >= h.gap-1e-9 {
			slow = append(slow, a)
		}
	}
	slices.SortFunc(slow, func(x, y *attempt) int {
		return cmp.Or(cmp.Compare(x.progress, y.progress), cmp.Compare(x.task, y.task))
	})
	for _, a := range slow {
		n := h.room(b, j, s, a.node)
		if n == nil {
			return
		}
		p.second(j, s, a.task, n, "straggler"+numbers(int64(a.progress*1000+1e-6), int64(average*1000+1e-6)))
	}
}

// room is the next node that has room and is not that one.
func (h *seconds) room(b *book, j *job, s *stage, not int) *node {
	for range len(b.nodes) - 1 {
		h.node = h.node%(len(b.nodes)-1) + 1
		if n := b.nodes[h.node]; n != nil && n.id != not && n.serves() && s.needs.fits(&n.free) && n.carries(j) {
			return n
		}
	}
	return nil
}
