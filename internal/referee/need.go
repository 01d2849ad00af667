package referee

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// needs rent nodes before deadlines are missed, and give them back. All is tried out: nodes one more at a time, tasks
// one by one on single slots, in milliseconds.
type needs struct {
	took
	base, budget int
	warm, late   int
	busy         []stint // how many had work from when on
	margin       int
	size         [2]int64 // what a map and a reduce of the class take, where that is known by their input
	idle         int64
	rented, gone map[int]int64 // when nodes were asked for, and were to be given back
	next, tick   int64
	hired        bool   // nodes were rented at the last look
	asked        string // of which class it asked last, and when
}

func needsOf(_ *made, a *asked) part {
	return &needs{base: a.count("base", 0), warm: a.count("warm", 0), late: a.count("late", 0), budget: a.count("budget", 0), margin: a.count("margin", 20), idle: a.span("idle", 0),
		rented: map[int]int64{}, gone: map[int]int64{}}
}

// A stint is so many rented nodes that have work from a time on, in milliseconds.
type stint struct {
	at   int64
	busy int
}

// kept is how many nodes are kept warm now: looks are looked through once more.
func (s *needs) kept(now int64) int {
	const hour = 3_600_000
	sum := int64(0)
	for i, x := range s.busy[:len(s.busy)-1] {
		for h := now/hour - 24; h >= 0; h -= 24 {
			sum += int64(x.busy) * max(0, min(s.busy[i+1].at, (h+1)*hour)-max(x.at, h*hour))
		}
	}
	days := max(1, now/hour/24)
	return max(s.base, int(math.Ceil(rounded(float64(s.warm)*float64(sum)/float64(100*hour*days)))))
}

// A crew is so many slots of maps and of reduces from a time on.
type crew struct{ from, maps, reduces int64 }

// A chore is what is left of a job.
type chore struct {
	j          *job
	due        int64
	open, mean [2]int64
	runs       [2][]int64
}

func ms(ns int64) int64 { return (max(0, ns) + 999_999) / 1_000_000 }

func slotsIn(n *node) (maps, reduces int64) {
	c := &n.Class.Capacity
	if maps, reduces = c[slotOf(mapStage)], c[slotOf(reduceStage)]; maps+reduces == 0 {
		maps, reduces = c[2], c[2]
	}
	return maps, reduces
}

var atOnce = []string{"job-arrived", "job-amended", "output-lost", "node-up", "node-down", "node-changed", "refused"}

func (s *needs) decide(b *book, events []*line, p *wants) {
	look, turn := false, false
	s.notice(b, events)
	for _, l := range events {
		look, turn = look || slices.Contains(atOnce, l.name), turn || l.name == "ended" || l.name == "job-ended"
	}
	heard := look || turn || slices.ContainsFunc(events, func(l *line) bool { return l.name == "tick" })
	if heard && s.tick != 0 && b.now >= s.tick {
		s.tick, look = 0, true
	}
	if !look && (!turn || b.now < s.next) {
		// If nothing else comes, it looks all the same: somebody may be idle by now.
		if turn && s.hired && (s.tick == 0 || s.next < s.tick) {
			s.tick = s.next
		}
		return
	}
	s.next = b.now + 5e9
	var crews []crew
	var chores []chore
	hired, costs := 0, 0.0
	for _, n := range b.nodes {
		if n == nil || !n.serves() && !n.waking {
			continue
		}
		c := crew{}
		if c.maps, c.reduces = slotsIn(n); n.waking {
			c.from = ms(n.comes - b.now)
		}
		if crews = append(crews, c); n.rented() {
			hired++
			costs += n.price(b.now)
		}
	}
	for _, j := range b.live {
		if c, known := s.chore(b, j); known {
			chores = append(chores, c)
		}
	}
	slices.SortStableFunc(chores, func(x, y chore) int { return cmp.Or(cmp.Compare(x.j.due(), y.j.due()), cmp.Compare(x.j.seq, y.j.seq)) })
	work := hired - len(slices.DeleteFunc(slices.Clone(b.nodes), func(n *node) bool { return n == nil || !n.serves() || n.occupied > 0 || !n.rented() }))
	s.busy = append(s.busy, stint{b.now / 1_000_000, work})
	base := s.kept(b.now / 1_000_000)
	hired, crews = s.rent(b, p, crews, chores, hired, base, costs)
	s.hired = s.back(b, p, crews, chores, hired, base) > 0
	if hour := b.now/int64(time.Hour) + 1; s.warm > 0 && (s.tick == 0 || hour*int64(time.Hour) < s.tick) {
		s.tick = hour * int64(time.Hour)
	}
}

// price is what an hour of a node costs then.
func (n *node) price(at int64) float64 {
	list := n.Class.Prices
	if len(list) == 0 {
		list = []float64{n.Class.Price}
	}
	return list[min(at/int64(time.Hour), int64(len(list)-1))]
}

func (s *needs) patience(n *node) int64 {
	if s.idle > 0 {
		return max(s.idle, 1e9)
	}
	return max(n.Class.WakeTime, 60e9)
}

func (s *needs) chore(b *book, j *job) (c chore, known bool) {
	if j.due() == never || j.state > admitted || j.state == held || j.cancelled {
		return c, false
	}
	c.j, c.due = j, (j.due()-b.now)/1_000_000
	for i, k := range []int{mapStage, reduceStage} {
		st := j.stage[k]
		if st == nil || st.open <= 0 && st.occupied <= 0 {
			continue
		}
		n, sum := int64(0), int64(0)
		if own := s.of[j]; own != nil {
			n, sum = own[k].n, own[k].sum
		}
		if class := b.profiles[j.Class]; class != nil {
			mean, _, ok := class.task(k)
			takes := span(mean)
			if s.size[i] > 0 {
				takes = s.size[i]
			}
			if ok && takes < int64(1000*time.Hour) {
				n, sum = n+3, sum+3*takes
			}
		}
		if n == 0 {
			return c, false
		}
		c.open[i], c.mean[i] = int64(st.open), max(1, ms(sum/n+b.world.World.Heartbeat/2)*int64(100+s.margin)/100)
		for _, a := range st.youngest {
			c.runs[i] = append(c.runs[i], max(c.mean[i]-(b.now-a.started)/1_000_000, c.mean[i]/16))
		}
		for len(c.runs[i]) < st.occupied {
			c.runs[i] = append(c.runs[i], c.mean[i])
		}
	}
	return c, true
}

// free lists single slots of a kind by when they are free.
func free(crews []crew, chores []chore, k int) (list []int64) {
	for _, c := range crews {
		for range []int64{c.maps, c.reduces}[k] {
			list = append(list, c.from)
		}
	}
	slices.Sort(list)
	var runs []int64
	for _, c := range chores {
		runs = append(runs, c.runs[k]...)
	}
	slices.Sort(runs)
	for at, left := range runs {
		if at < len(list) && list[at] == 0 {
			list[at] = left
		}
	}
	return list
}

// played is when jobs are done if whole tasks are given to single slots, maps by deadline and reduces as maps end.
// Those of all run.
func played(crews []crew, all, chores []chore) []int64 {
	maps, reduces := free(crews, all, 0), free(crews, all, 1)
	give := func(slots []int64, c *chore, k int, release int64) int64 {
		done := release
		for range c.open[k] {
			if len(slots) == 0 {
				return math.MaxInt64 / 4
			}
			first := slices.Index(slots, slices.Min(slots))
			slots[first] = max(slots[first], release) + c.mean[k]
			done = max(done, slots[first])
		}
		return done
	}
	most := func(list []int64) int64 { return slices.Max(append(list, 0)) }
	order, done := []int{}, make([]int64, len(chores))
	for i := range chores {
		order = append(order, i)
		done[i] = most(slices.Clone(chores[i].runs[0]))
		if chores[i].open[0] > 0 {
			done[i] = max(done[i], give(maps, &chores[i], 0, 0))
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(done[x], done[y]) })
	for _, i := range order {
		c := &chores[i]
		if c.open[1] > 0 && done[i] < math.MaxInt64/4 {
			done[i] = give(reduces, c, 1, done[i])
		}
		done[i] = max(done[i], most(slices.Clone(c.runs[1])))
	}
	return done
}

// late counts the jobs that are late then, or by Graham's bound if that has fewer, and says behind which job nobody is
// late by this: those are not played.
func late(crews []crew, all, chores []chore) (n, last int) {
	bound := byGraham(crews, all, chores)
	for i, done := range bound {
		if done > chores[i].due {
			n, last = n+1, i+1
		}
	}
	few := 0
	for i, done := range played(crews, all, chores[:last]) {
		if done > chores[i].due {
			few++
		}
	}
	return min(n, few), last
}

// hours is the slot time of a kind until t, and until the first time by which there is so much.
func hours(crews []crew, k int, t int64) (sum int64) {
	for _, c := range crews {
		sum += []int64{c.maps, c.reduces}[k] * max(0, t-c.from)
	}
	return sum
}

func until(crews []crew, k int, work int64) int64 {
	lo, hi := int64(-1), int64(1)<<40
	if hours(crews, k, hi) < work {
		return math.MaxInt64 / 4
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; hours(crews, k, mid) >= work {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// slotsBy is when so many slots of a kind serve.
func slotsBy(crews []crew, k int, n int64) int64 {
	list := free(crews, nil, k)
	if n < 1 || int64(len(list)) < n {
		return math.MaxInt64 / 4
	}
	return list[n-1]
}

// byGraham is when jobs are done at the latest.
func byGraham(crews []crew, all, chores []chore) (list []int64) {
	var work, tasks [2]int64
	for _, c := range all {
		for k := range work {
			tasks[k] += int64(len(c.runs[k]))
			for _, left := range c.runs[k] {
				work[k] += left
			}
		}
	}
	start := func(k int, w int64) int64 {
		return min(max(slotsBy(crews, k, 1), until(crews, k, max(0, w))), slotsBy(crews, k, tasks[k]))
	}
	reduced := work[1]
	for _, c := range chores {
		mapped := slices.Max(append(slices.Clone(c.runs[0]), 0))
		if c.open[0] > 0 {
			work[0] += c.open[0] * c.mean[0]
			tasks[0] += c.open[0]
			mapped = max(mapped, start(0, work[0]-c.mean[0])+c.mean[0])
		}
		done := max(mapped, slices.Max(append(slices.Clone(c.runs[1]), 0)))
		if c.open[1] > 0 && mapped < math.MaxInt64/4 {
			reduced = max(reduced, hours(crews, 1, mapped)) + c.open[1]*c.mean[1]
			tasks[1] += c.open[1]
			done = max(done, max(mapped, start(1, reduced-c.mean[1]))+c.mean[1])
		}
		list = append(list, done)
	}
	return list
}

// alone is when a job could be done that has all slots.
func alone(crews []crew, c *chore) int64 {
	mapped := int64(0)
	if c.open[0] > 0 {
		mapped = max(until(crews, 0, c.open[0]*c.mean[0]), slotsBy(crews, 0, 1)+c.mean[0])
	}
	if c.open[1] == 0 || mapped >= math.MaxInt64/4 {
		return mapped
	}
	return max(until(crews, 1, hours(crews, 1, mapped)+c.open[1]*c.mean[1]), max(mapped, slotsBy(crews, 1, 1))+c.mean[1])
}

// asFluid tells whether all could be in time if tasks could be cut at will.
func asFluid(crews []crew, chores []chore) bool {
	for i := range chores {
		maps, reduces, c := int64(0), int64(0), &chores[i]
		by := func(c *chore) int64 {
			if c.open[1] > 0 {
				return c.due - c.mean[1]
			}
			return c.due
		}
		for k := range chores {
			if o := &chores[k]; by(o) <= by(c) {
				maps += o.open[0] * o.mean[0]
			}
			if o := &chores[k]; o.due <= c.due {
				reduces += o.open[1] * o.mean[1]
			}
		}
		if c.open[0] > 0 && maps > hours(crews, 0, by(c)) || c.open[1] > 0 && reduces > hours(crews, 1, c.due) || alone(crews, c) > c.due {
			return false
		}
	}
	return true
}

func (s *needs) rent(b *book, p *wants, crews []crew, chores []chore, hired, base int, costs float64) (int, []crew) {
	type offered struct {
		nodes []*node
		most  int
	}
	var classes []*offered
	byName := map[string]*offered{}
	for _, n := range b.nodes {
		if n == nil || !n.offered || s.rented[n.id] > s.gone[n.id] && b.now < s.rented[n.id]+s.patience(n) {
			continue // it cannot be had, or was asked for and did not come
		}
		o := byName[n.Class.Name]
		if o == nil {
			o = &offered{}
			byName[n.Class.Name] = o
			classes = append(classes, o)
		}
		o.nodes = append(o.nodes, n)
	}
	// Classes are in the order in which they were first told of.
	first := func(o *offered) int {
		return slices.IndexFunc(b.nodes, func(n *node) bool { return n != nil && n.Class.Name == o.nodes[0].Class.Name })
	}
	slices.SortFunc(classes, func(x, y *offered) int { return cmp.Compare(first(x), first(y)) })
	for _, o := range classes {
		o.most = len(o.nodes)
		if price := o.nodes[0].price(b.now); s.budget > 0 && price > 0 {
			o.most = min(o.most, int(rounded((float64(s.budget)-costs)/price)))
		}
	}
	classes = slices.DeleteFunc(classes, func(o *offered) bool { return o.most <= 0 })
	hire := func(o *offered, few int, why string) {
		for _, n := range o.nodes {
			if few == 0 {
				break
			}
			p.power("wake", n, why)
			s.rented[n.id] = max(1, b.now)
			crews = append(crews, more(n, 1)...)
			hired++
			few--
		}
	}
	if few := base - hired; few > 0 && len(classes) > 0 {
		o := slices.MinFunc(classes, func(x, y *offered) int { return cmp.Compare(x.nodes[0].price(b.now), y.nodes[0].price(b.now)) })
		hire(o, min(few, o.most), "kept-warm"+numbers(int64(base)))
		return hired, crews
	}
	n, last := late(crews, chores, chores)
	if n == 0 {
		return hired, crews
	}
	all, chores := chores, chores[:last] // who is in time at the latest needs nothing
	misses := func(crews []crew, saved []chore) int { n, _ := late(crews, all, saved); return n }
	wanted := false
again:
	var best *offered
	var worth []chore
	nodes, fails := 0, 0
	for _, o := range classes {
		n := o.nodes[0]
		with := func(few int) []crew { return slices.Concat(crews, more(n, few)) }
		var saved []chore
		most, pays := o.most, 0.0
		for _, c := range chores {
			soonest := alone(with(o.most), &c)
			if wanted && soonest > c.due { // twice the time that it had
				c.due += (c.j.due() - c.j.arrived) / 1_000_000
				pays += c.j.Weight * float64(s.late)
			}
			if soonest <= c.due {
				saved = append(saved, c)
			}
		}
		if price := n.price(b.now); wanted && price > 0 {
			most = max(0, min(most, int(rounded((pays-costs)/price))))
		}
		few, least := 0, misses(with(most), saved)
		for few < most && misses(with(few), saved) > least {
			few++
		}
		least += len(chores) - len(saved)
		cheaper := 0.0
		if best != nil {
			cheaper = rounded(float64(few)*n.price(b.now)) - rounded(float64(nodes)*best.nodes[0].price(b.now))
		}
		if best == nil || least < fails || least == fails && (cheaper < 0 || cheaper == 0 && few < nodes) {
			best, nodes, fails, worth = o, few, least, saved
		}
	}
	if nodes == 0 && !wanted && s.late > 0 {
		wanted = true
		goto again
	}
	if nodes == 0 || s.asked == fmt.Sprint(best.nodes[0].Class.Name, b.now) {
		return hired, crews
	}
	one := best.nodes[0]
	s.asked = fmt.Sprint(one.Class.Name, b.now)
	least, boots := 0, ms(one.Class.WakeTime)*1_000_000
	for least < nodes && !asFluid(slices.Concat(crews, more(one, least)), worth) {
		least++
	}
	if fails > len(chores)-len(worth) {
		least = 0
	}
	why := fmt.Sprintf("nodes-lack:%d,%d,%d", nodes, least, boots)
	without, with := played(crews, all, worth), played(slices.Concat(crews, more(one, nodes)), all, worth)
	for i, c := range worth {
		if without[i] > c.due && with[i] <= c.due {
			why += fmt.Sprintf(" job %d", c.j.id)
			break
		}
	}
	hire(best, nodes, why)
	return hired, crews
}

// more are nodes like one, that serve when they have booted.
func more(n *node, few int) (list []crew) {
	for range few {
		c := crew{from: ms(n.Class.WakeTime)}
		c.maps, c.reduces = slotsIn(n)
		list = append(list, c)
	}
	return list
}

func (s *needs) back(b *book, p *wants, crews []crew, chores []chore, hired, base int) int {
	next := int64(never)
	for _, n := range slices.Backward(b.nodes) {
		if n == nil || !n.serves() || n.occupied > 0 || !n.rented() {
			continue
		}
		if hired <= base {
			break
		}
		again := int64(0)
		if s.gone[n.id] > 0 {
			again = s.gone[n.id] + s.patience(n)
		}
		at := max(n.since+s.patience(n), again)
		if step := n.Class.Billing; step > s.patience(n) {
			since, from := s.rented[n.id], max(b.now, again)
			if since == 0 {
				since = n.since - n.Class.WakeTime
			}
			at = max(from, since+((from-since)/step+1)*step-max(5e9, 2*b.world.World.Heartbeat))
		}
		if b.now >= at {
			maps, reduces := slotsIn(n)
			k := slices.Index(crews, crew{0, maps, reduces})
			without := slices.Delete(slices.Clone(crews), k, k+1)
			were, _ := late(crews, chores, chores)
			if are, _ := late(without, chores, chores); are <= were {
				p.power("sleep", n, "not-needed"+numbers(b.now-n.since, int64(hired)))
				s.gone[n.id] = max(1, b.now)
				crews = without
				hired--
				continue
			}
			at = b.now + 5e9
		}
		next = min(next, at)
	}
	if next != never && (s.tick == 0 || next < s.tick) {
		s.tick = next
	}
	return hired
}
