package referee

import (
	"slices"
	"strconv"
	"strings"
)

// ending is the part of rds that ends tasks above their bounds.
type ending struct {
	*recede
	least int64 // for how long a task has to run that ends
}

func (e ending) decide(b *book, _ []*line, p *wants) {
	if !slices.ContainsFunc(e.items, func(l *line) bool { return l.word == "item" && l.name == "kill" }) {
		return
	}
	missing := e.missing(b)
	for _, l := range e.items {
		if l.word != "item" || l.name != "kill" {
			continue
		}
		j := b.jobs[l.int("job")]
		st := j.stage[stageOf(l.get("stage"))]
		slot := st.slot()
		var next *attempt
		dying := 0
		for _, a := range st.youngest {
			if a.dying {
				dying++
			} else {
				next = a
			}
		}
		cause, rest, _ := strings.Cut(l.get("reason"), ":")
		var n [3]int64
		for i, text := range strings.Split(rest, ",") {
			if i < len(n) {
				n[i], _ = strconv.ParseInt(text, 10, 64)
			}
		}
		wrong := ""
		switch {
		case cause != "above-plan" || n[0] != int64(st.limit) || n[1] != int64(st.occupied):
			wrong = "the slots of its plan, and those that it holds"
		case st.limit < 0 || next == nil || st.occupied-dying <= st.limit:
			wrong = "nothing of a stage that is within its bound"
		case slot < 0 || missing[slot] <= 0:
			wrong = "nothing, as nobody lacks a slot"
		case n[2] <= e.least:
			wrong = "nothing that is soon over"
		}
		if wrong != "" {
			p.want("kill", wrong, "")
			return
		}
		p.kill(j, st.kind, []int{next.id}, "preempted", actsOf(l)[0].why)
		if !b.yielded { // then each is refused
			missing[slot] -= int(st.needs[slot])
		}
	}
}

// missing is how many slots of each kind stages lack of their bounds, beyond those that are free or will be soon.
func (e ending) missing(b *book) (missing [2]int) {
	for _, n := range b.nodes {
		if n != nil && n.serves() {
			missing[0] += int(n.Class.Capacity[0])
			missing[1] += int(n.Class.Capacity[1])
		}
	}
	free := missing
	missing = [2]int{}
	for _, j := range b.live {
		for _, kind := range [2]int{mapStage, reduceStage} {
			s := j.stage[kind]
			if s == nil || s.slot() < 0 || s.limit < 0 {
				continue
			}
			each := int(s.needs[s.slot()])
			free[s.slot()] -= s.occupied * each
			if j.state == admitted && s.ready && !s.withheld {
				missing[s.slot()] += max(0, min(s.limit-s.occupied, s.open)) * each
			}
			for _, a := range s.youngest {
				if a.dying && s.occupied > s.limit {
					missing[s.slot()] -= each
				}
			}
		}
	}
	for slot := range missing {
		missing[slot] -= max(0, free[slot])
	}
	return missing
}
