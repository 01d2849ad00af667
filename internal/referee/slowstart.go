package referee

import (
	"fmt"
	"math"
	"slices"
)

// lateStart withholds the reduces of a job until its last map has ended, or until, when a map of it
// ends, a later start would make the job end later, and there is room to wait:
//
//   - the last map is expected to end in less time than it takes to place the reduces, one a
//     node and beat, and to fetch what the other maps have left;
//   - all of the job's reduces, and all those of other jobs that wait for maps, leave a slot;
//   - no reduce of a job waits whose maps have ended;
//   - where reduces take no slots of their own, no map waits.
//
// It leaves jobs alone whose own slow start is 1, and reduces that somebody else withholds.
type lateStart struct {
	held, early []*job
}

func (o *lateStart) decide(b *book, events []*line, p *wants) {
	i := 0
	for _, e := range events {
		switch e.name {
		case "job-ended":
			o.forget(b.jobs[e.int("job")])
		case "output-lost", "job-arrived", "job-amended", "demand":
			o.look(b, b.jobs[e.int("job")], p)
		case "ended":
			for ; i < len(b.fresh) && b.fresh[i].id != e.int("attempt"); i++ {
			}
			if i < len(b.fresh) && b.fresh[i].stage == mapStage {
				o.look(b, b.jobs[b.fresh[i].job], p)
			}
		}
	}
}

func (o *lateStart) forget(j *job) {
	same := func(x *job) bool { return x == j }
	o.held, o.early = slices.DeleteFunc(o.held, same), slices.DeleteFunc(o.early, same)
}

func (o *lateStart) look(b *book, j *job, p *wants) {
	if j == nil || j.state >= rejected || j.stage[mapStage] == nil || j.stage[reduceStage] == nil || j.SlowStart >= 1 {
		return
	}
	maps, held, early := j.stage[mapStage], slices.Contains(o.held, j), slices.Contains(o.early, j)
	switch {
	case maps.done == len(maps.Tasks):
		o.forget(j)
		if held {
			p.withhold(j, reduceStage, false, "maps-over")
		}
	case held:
		if why := o.pays(b, j); why != "" {
			p.withhold(j, reduceStage, false, why)
			o.forget(j)
			o.early = append(o.early, j)
		}
	case !j.stage[reduceStage].withheld && !(early && maps.occupied > 0):
		o.forget(j)
		p.withhold(j, reduceStage, true, "maps-first")
		o.held = append(o.held, j)
	}
}

func (o *lateStart) pays(b *book, j *job) string {
	maps, reduces, c := j.stage[mapStage], j.stage[reduceStage], b.profiles[j.Class]
	if c == nil || len(maps.youngest) == 0 || reduces.open == 0 {
		return ""
	}
	one, _, known := c.task(mapStage)
	if !known {
		return ""
	}
	remaining := max(0, maps.youngest[len(maps.youngest)-1].started+span(one)-b.now)
	for left := maps.open; left > 0; left -= max(1, maps.occupied) {
		remaining += span(one)
	}
	lead := b.world.World.Heartbeat * int64(reduces.open) / int64(len(b.nodes)-1)
	if k := c.stage(reduceStage).Shuffle; k.N > 0 && len(maps.Tasks) > 1 {
		sum := 0.0
		for _, s := range c.Stages {
			if s.Stage == stageNames[reduceStage] {
				sum += float64(s.Shuffle.N) * s.Shuffle.Mean
			}
		}
		lead += int64(math.Round(rounded(sum/float64(k.N))*1e9)) / int64(len(maps.Tasks)) * int64(len(maps.Tasks)-1)
	}
	if remaining >= lead || !o.room(b, j) {
		return ""
	}
	return fmt.Sprintf("reduces-in-time:%d,%d", remaining, lead)
}

// room counts who would wait, and who waits already.
func (o *lateStart) room(b *book, j *job) bool {
	slots := int64(-1)
	for d, need := range j.stage[reduceStage].needs {
		if q := int64(0); need > 0 {
			if q = b.capacity[d] / need; slots < 0 || q < slots {
				slots = q
			}
		}
	}
	waiting := 0
	for _, x := range append(slices.Clone(o.early), j) {
		waiting += x.stage[reduceStage].occupied + x.stage[reduceStage].open
	}
	for _, x := range b.live {
		may := func(s *stage) bool {
			return s != nil && s.open > 0 && s.ready && !s.withheld && !x.waits && !x.cancelled && x.state == admitted
		}
		if may(x.stage[reduceStage]) && !slices.Contains(o.early, x) {
			return false
		}
		if may(x.stage[mapStage]) && j.stage[reduceStage].needs[slotOf(reduceStage)] == 0 {
			return false
		}
	}
	return int64(waiting) < slots
}
