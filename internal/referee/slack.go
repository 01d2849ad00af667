package referee

import (
	"cmp"
	"math"
	"slices"
)

// spared keeps as many nodes in service as deadlines need, those that draw least for what they do first: nodes are
// taken one by one until they are enough.
type spared struct {
	took
	gamma      int64
	lax        map[int]int64 // jobs that can wait, and their deadlines
	once       map[int]int64 // and those that could
	rush       []int         // jobs that cannot, with tasks to start
	since      map[int]int64 // since when they have had some
	shut       map[int]bool
	asked      map[int]int64
	sizes      map[int][2]int64 // what maps and reduces take by their input, as their class was known when they came
	next, tick int64
	peak       int64 // the most that could not wait at once, which fades over 20 minutes since it was looked at
	seen       int64
	first      int64            // when it began; 0 = not yet
	came       map[int]bool     // jobs that it has not looked at
	over       int64            // milliseconds of all nodes that came before jobs that can wait, and fade likewise
	reach      map[int]int64    // the part of the nodes that jobs go to, in millionths
	rank       map[int]int64    // the part before each node
	later      bool             // work waits for cheaper hours
	mean       int64            // what a joule costs, in thousandths of the mean
	held       map[int]int64    // nodes that may not sleep, since when they are to
	vows       map[int]int64    // the risks that promises leave, in millionths
	tails      map[[2]int]int64 // of a job's maps or reduces, by how many thousandths of the mean the last is longer
}

func sparedOf(m *made, _ *asked) part {
	s := &spared{gamma: 1000, vows: map[int]int64{}}
	s.pace = func(b *book, a *attempt) float64 { return b.pace(b.nodes[a.node].Class.Name) }
	s.forget()
	if o, is := m.parts["admit"].(*stated); is {
		o.sleepers = true
	}
	return s
}

func (s *spared) forget() {
	s.peak, s.seen, s.first, s.over, s.tails = 0, 0, 0, 0, map[[2]int]int64{}
	s.came, s.reach, s.rank, s.held = map[int]bool{}, map[int]int64{}, map[int]int64{}, map[int]int64{}
	s.once = map[int]int64{}
	s.lax, s.rush, s.shut, s.asked, s.sizes, s.since, s.next, s.tick = map[int]int64{}, nil, map[int]bool{}, map[int]int64{}, map[int][2]int64{}, map[int]int64{}, 0, 0
}

// there tells whether a node of the cluster's own is there; one that costs nothing is its own, wherever it is.
func (n *node) there() bool {
	return n != nil && (!n.rented() || n.Class.Price == 0 && n.Class.Prices == nil) && (n.up && !n.draining || n.offered || n.rented() && n.waking)
}

// pace is the speed of nodes of a class in parts of the mean.
func (b *book) pace(class string) float64 {
	sum, nodes, is := 0.0, 0.0, 0.0
	for _, n := range b.nodes {
		if n.there() || n != nil && n.up && !n.draining {
			if sum, nodes = sum+n.Class.Speed, nodes+1; n.Class.Name == class {
				is = n.Class.Speed
			}
		}
	}
	if rounded(is) == 0 {
		return 1
	}
	return rounded(is * nodes / sum)
}

// even is by how much longer tasks of a stage are on all nodes than where they ran.
func (b *book) even(j *job, k int) float64 {
	took, takes := 0.0, 0.0
	for _, s := range b.profiles[j.Class].Stages {
		if s.Stage == stageNames[k] {
			took += float64(s.Task.N) * s.Task.Mean
			takes += float64(s.Task.N) * s.Task.Mean * b.pace(s.Node)
		}
	}
	if took == 0 {
		return 1
	}
	return rounded(takes / took)
}

// startable is how many tasks of a stage may start now.
func startable(j *job, k int) int {
	st := j.stage[k]
	if st == nil || !st.ready || st.withheld || j.waits || j.state != admitted || j.cancelled {
		return 0
	}
	if st.limit >= 0 {
		return max(0, min(st.open, st.limit-st.occupied))
	}
	return st.open
}

// witness hears what jobs are promised.
func (s *spared) witness(items []*line) {
	for _, l := range items {
		if l.name != "admit" && l.name != "foretell" {
			continue
		}
		if delete(s.vows, l.int("job")); l.get("word") == "promised" {
			s.vows[l.int("job")] = 1_000_000 - l.num64("confidence")
		}
	}
}

// tail is by how much a stage's last task is longer than the mean, where as many start at once as there is room for:
// that of the n-th root of the chance to keep the promise. It stays what it was when the job was looked at first.
func (s *spared) tail(b *book, j *job, k int, all [len(vector{})]float64) int64 {
	p, st, at := b.profiles[j.Class], j.stage[k], [2]int{j.id, k}
	if p == nil || s.tails[at] != 0 {
		return s.tails[at]
	}
	i := slices.IndexFunc(p.Models, func(m costModel) bool { return m.Stage == stageNames[k] && m.Part == "run" })
	if i < 0 {
		return 0
	}
	risk, is := s.vows[j.id]
	if !is {
		risk = 10_000
	}
	room := float64(len(st.Tasks))
	if !slices.ContainsFunc(b.nodes, func(n *node) bool { return n.there() && !st.needs.fits(&n.Class.Capacity) }) {
		for d, n := range st.needs {
			if n > 0 {
				room = min(room, all[d]/float64(n))
			}
		}
	}
	last := p.Models[i].Own.quantile(math.Pow(1-float64(risk)/1e6, 1/max(1, room)))
	s.tails[at] = max(1, int64(math.Round(rounded(1000*min(1000, last/p.Models[i].Own.mean()-1)))))
	return s.tails[at]
}

// left is what one map and one reduce of a job with a deadline take, in milliseconds.
func (s *spared) left(b *book, j *job) (mean [2]int64, known bool) {
	c, known := (&needs{took: s.took, size: s.sizes[j.id]}).chore(b, j)
	return c.mean, known
}

// keeps tells whether a task of the job does not go to the node.
func (s *spared) keeps(b *book, n *node, j *job, k int) bool {
	if s.shut[n.id] || s.lax[j.id] != 0 && slices.ContainsFunc(s.rush, func(id int) bool { return b.jobs[id] != nil && startable(b.jobs[id], k) > 0 }) {
		return true
	}
	if held := s.held[n.id]; held != 0 {
		return j.started >= held
	}
	if s.lax[j.id] != 0 && s.rank[n.id] > s.reach[j.id] {
		return true
	}
	if k != mapStage && k != reduceStage || j.due() == never {
		return false
	}
	fast := 0.0
	for _, o := range b.nodes {
		if o.there() || o != nil && o.up && !o.draining {
			fast = max(fast, b.pace(o.Class.Name))
		}
	}
	here := b.pace(n.Class.Name)
	mean, known := s.left(b, j)
	takes := mean[k-mapStage]
	if k == mapStage {
		takes += mean[1]
	}
	due := float64((j.due() - b.now) / 1_000_000)
	return here < fast && known && rounded(float64(takes)/here) > due && rounded(float64(takes)/fast) <= due
}

func (s *spared) decide(b *book, events []*line, p *wants) {
	b.keeps = s.keeps
	look, turn := false, false
	s.notice(b, events)
	for _, l := range events {
		look, turn = look || slices.Contains(atOnce, l.name) && l.name != "refused" || l.name == "job-ended", turn || l.name == "ended"
		if j := b.jobs[l.int("job")]; l.name == "job-arrived" && j != nil {
			t := b.timesOf(j, 1, mean)
			s.sizes[j.id] = [2]int64{}
			if t.known && !slices.ContainsFunc(j.Stages, func(st stage) bool { return st.kind >= other0 }) {
				size := [2]int64{t.oneMap, t.oneReduce}
				for i, takes := range size {
					size[i] = int64(math.Round(float64(takes) * b.even(j, mapStage+i)))
				}
				s.sizes[j.id] = size
			}
		}
		if l.name == "job-ended" {
			clear(s.asked)
		}
		if due := s.once[l.int("job")]; l.name == "job-ended" || l.name == "job-arrived" {
			delete(s.lax, l.int("job"))
			delete(s.once, l.int("job"))
			delete(s.since, l.int("job"))
			delete(s.tails, [2]int{l.int("job"), mapStage})
			delete(s.tails, [2]int{l.int("job"), reduceStage})
			if b.told[l.int("job")] == nil {
				delete(s.vows, l.int("job"))
			}
			s.came[l.int("job")] = l.name == "job-arrived"
			switch {
			case due == 0 || l.name == "job-arrived" || l.get("outcome") != "committed":
			case b.now > due:
				s.gamma = min(4000, s.gamma+250)
			default:
				s.gamma = max(1000, s.gamma-1)
			}
		}
	}
	heard := look || turn || slices.ContainsFunc(events, func(l *line) bool { return l.name == "tick" })
	if heard && s.tick != 0 && b.now >= s.tick {
		s.tick, look = 0, true
	}
	if look || turn && b.now >= s.next {
		s.next = b.now + 5e9
		s.look(b, p)
	}
}

// needed is the part of all nodes that deadlines need.
func (s *spared) needed(b *book, all [len(vector{})]float64, wake int64, list []*node, share func(*node) int64) float64 {
	if s.rush, s.later = nil, false; len(list) == 0 {
		return 1
	}
	cheap := s.cheapest(b, list, share)
	line := slices.DeleteFunc(slices.Clone(b.live), func(j *job) bool { return j.state > admitted || j.state == held || j.cancelled })
	slices.SortFunc(line, func(x, y *job) int { return cmp.Or(cmp.Compare(x.due(), y.due()), cmp.Compare(x.seq, y.seq)) })
	pool := func(k *stage) int {
		switch {
		case k.needs[slotOf(mapStage)] > 0:
			return 0
		case k.needs[slotOf(reduceStage)] > 0:
			return 1
		}
		return 2
	}
	most, work, now, stuck := 0.0, [3]float64{}, [3]float64{}, false
	comes := min(0.9, float64(s.over)/1_200_000)
	owns := map[int]float64{}
	for _, j := range line {
		if len(j.Labels)+len(j.Avoids) > 0 {
			return 1
		}
		mean, lax := s.left(b, j)
		far := 0.0
		for k := 0; k < 2 && lax && j.due() != never; k++ {
			if mean[k] > 0 {
				tail := float64(mean[k] * s.tail(b, j, mapStage+k, all))
				lax = tail > 0
				far += float64(tail * tail)
			}
		}
		time := (j.due()-b.now)/1_000_000 - ms(wake) - mean[0] - mean[1] - int64(rounded(math.Sqrt(far)/1000)) - ms(b.world.World.Heartbeat)
		lax = lax && time > 0
		before, own, width, rush := slices.Max(work[:]), 0.0, 0.0, false
		for k := range stages {
			st := j.stage[k]
			if st == nil || st.open <= 0 && st.occupied <= 0 {
				continue
			}
			part := 0.0
			for d, n := range st.needs {
				if n > 0 {
					part = max(part, float64(n)/all[d])
				}
			}
			if slices.ContainsFunc(b.nodes, func(n *node) bool { return n.there() && !st.needs.fits(&n.Class.Capacity) }) {
				return 1
			}
			if tasks := startable(j, k); !lax || k != mapStage && k != reduceStage {
				now[pool(st)] += part * float64(tasks+st.occupied)
				rush = rush || tasks > 0
				continue
			}
			m := mean[k-mapStage]
			takes := part * float64(int64(st.open)*m+int64(st.occupied)*m/2)
			own += takes
			work[pool(st)] += takes
			width = max(width, part*float64(st.open+st.occupied))
		}
		delete(s.lax, j.id)
		if !rush {
			delete(s.since, j.id)
		} else if s.since[j.id] == 0 {
			s.since[j.id] = max(1, b.now)
		}
		stuck = stuck || rush && b.now-s.since[j.id] > wake+60e9
		switch g := float64(s.gamma) / 1000; {
		case lax:
			s.lax[j.id], s.once[j.id] = j.due(), j.due()
			g /= 1 - comes*comes
			owns[j.id] = own
			part := rounded(min(s.now(b, cheap, g*(before+own), time), s.now(b, cheap, g*before, time)+width))
			s.reach[j.id] = int64(math.Round(rounded(min(1, part) * 1e6)))
			most = max(most, part)
			s.later = s.later || part < rounded(min(g*(before+own)/float64(time), g*before/float64(time)+width))
		case rush:
			s.rush = append(s.rush, j.id)
		}
	}
	if stuck {
		return 1
	}
	s.peak = max(s.peak, int64(math.Round(rounded(min(1, slices.Max(now[:]))*1e6))))
	for i, j := range line {
		behind := slices.ContainsFunc(line[i+1:], func(o *job) bool { return s.lax[o.id] != 0 && !s.came[o.id] })
		if s.came[j.id] && behind {
			s.over += int64(math.Round(rounded(owns[j.id])))
		}
	}
	fill := s.ahead(list, share, cheap != nil, slices.Max(work[:]), wake)
	for i, j := range line {
		delete(s.came, j.id)
		if s.lax[j.id] != 0 {
			s.reach[j.id] = max(s.reach[j.id], int64(math.Round(rounded(min(1, fill)*1e6))))
		}
		for _, o := range line[i+1:] {
			if s.lax[o.id] != 0 {
				s.reach[j.id] = max(s.reach[j.id], s.reach[o.id])
			}
		}
	}
	for _, j := range line {
		s.reach[j.id] += s.peak
	}
	return rounded(max(most, fill) + float64(s.peak)/1e6)
}

// ahead is the part of all nodes that may do what can wait before it has to be done: those that use least, where others
// use more, as many as have work for as long as one takes to wake.
func (s *spared) ahead(list []*node, share func(*node) int64, dear bool, work float64, wake int64) (part float64) {
	first, last := list[0], list[len(list)-1]
	use := func(n *node) int64 { return int64(rounded((n.Class.Idle + n.Class.Dynamic) * 1e6 / float64(share(n)))) }
	if dear || use(first) >= use(last) {
		return 0
	}
	for _, n := range list {
		if n.Class.Name == first.Class.Name {
			part += float64(share(n)) / 1e6
		}
	}
	return max(0, min(part, work/float64(max(1000, ms(wake))))-float64(s.peak)/1e6)
}

func (s *spared) look(b *book, p *wants) {
	var all, fast [len(vector{})]float64
	var list []*node
	wake := int64(0)
	for _, n := range b.nodes {
		if !n.there() {
			continue
		}
		list = append(list, n)
		wake = max(wake, n.Class.WakeTime)
		for d, has := range n.Class.Capacity {
			all[d], fast[d] = all[d]+float64(has), fast[d]+float64(has)*n.Class.Speed
		}
	}
	millionths := func(part float64) int64 { return int64(math.Round(rounded(min(part, 1) * 1e6))) }
	share := func(n *node) int64 {
		least := 1.0
		for d, has := range n.Class.Capacity {
			if rounded(fast[d]) > 0 {
				least = min(least, float64(has)*n.Class.Speed/fast[d])
			}
		}
		return max(1, millionths(least))
	}
	draws := func(n *node) int64 { return int64(rounded((n.Class.Idle + n.Class.Dynamic) * 1e6 / float64(share(n)))) }
	first := func(n *node) int {
		return slices.IndexFunc(b.nodes, func(o *node) bool { return o != nil && o.Class.Name == n.Class.Name })
	}
	state := func(n *node) int {
		switch {
		case n.waking:
			return 1
		case n.asleep, n.offered:
			return 2
		}
		return 0
	}
	slices.SortStableFunc(list, func(x, y *node) int {
		return cmp.Or(cmp.Compare(draws(x), draws(y)), cmp.Compare(first(x), first(y)), cmp.Compare(state(x), state(y)), cmp.Compare(x.id, y.id))
	})
	if s.first == 0 {
		s.first, s.seen = max(1, b.now), b.now
	}
	seen := s.seen
	s.peak -= s.peak * min((b.now-s.seen)/1_000_000, 1_200_000) / 1_200_000
	s.seen = b.now
	s.over -= s.over * min((b.now-seen)/1_000_000, 1_200_000) / 1_200_000
	need := millionths(s.needed(b, all, wake, list, share))
	aside := need == 1e6
	looks := b.now-s.first < 2*wake
	if aside {
		clear(s.lax)
		s.rush = nil
	}
	wanted, rest, coming := 0, need, 0
	for _, n := range list {
		if !aside && !looks && rest <= 0 {
			break
		}
		rest -= share(n)
		wanted++
	}
	open := map[*node]bool{}
	for i, n := range list {
		if state(n) == 0 && i < wanted {
			open[n] = true
		} else if i < wanted {
			coming++
		}
	}
	for _, n := range list {
		if state(n) == 0 && !open[n] && coming > 0 {
			open[n] = true
			coming--
		}
	}
	mille := (need + 999) / 1000
	opened, next := false, int64(never)
	s.rank = map[int]int64{}
	place := int64(0)
	for _, class := range slices.Compact(mapped(list, first)) { // of one class they stand by number, asked or not
		for _, n := range byID(list) {
			if first(n) == class && open[n] {
				s.rank[n.id] = place - share(n)
				place += share(n)
			}
		}
	}
	woken := map[*node]bool{}
	for _, n := range list[:wanted] {
		woken[n] = state(n) == 2
	}
	slices.SortFunc(list, func(x, y *node) int { return cmp.Compare(x.id, y.id) })
	for _, n := range b.nodes {
		if n != nil && (!n.up || n.asleep || n.waking) {
			delete(s.held, n.id)
		}
	}
	was := s.shut
	s.shut = map[int]bool{}
	for _, n := range list {
		switch {
		case state(n) == 2:
			if delete(s.asked, n.id); !woken[n] {
				continue
			}
			p.power("wake", n, "deadlines-need"+numbers(int64(wanted), mille, s.gamma))
		case state(n) != 0:
		case open[n]:
			opened = opened || was[n.id]
			delete(s.asked, n.id)
			delete(s.held, n.id)
		default:
			if s.held[n.id] == 0 && s.asked[n.id] != 0 {
				s.held[n.id] = s.asked[n.id]
			}
			if s.held[n.id] == 0 {
				s.shut[n.id] = true
			}
			if n.occupied > 0 {
				continue
			}
			due := n.since + 1e9
			if s.asked[n.id] != 0 {
				due = max(due, s.asked[n.id]+60e9)
			}
			if b.now >= due {
				s.asked[n.id] = max(1, b.now)
				why := "not-wanted" + numbers(n.since, int64(wanted), mille)
				if s.later {
					why = "cheaper-later" + numbers(n.since, int64(wanted), s.mean)
				}
				p.power("sleep", n, why)
				due = b.now + 60e9
			}
			next = min(next, due)
		}
	}
	waits := slices.ContainsFunc(b.live, func(j *job) bool { return j.state <= admitted && j.state != held && !j.cancelled })
	switch {
	case !aside && opened:
		next = b.now + 1e9
	case !aside && waits:
		next = min(next, b.now+5e9)
	case !waits && (aside || looks || need >= 1000):
		next = min(next, b.now+60e9)
	}
	if next != never && (s.tick == 0 || next < s.tick) {
		s.tick = next
	}
}

// mapped is what f makes of each.
func mapped(list []*node, f func(*node) int) (of []int) {
	for _, n := range list {
		of = append(of, f(n))
	}
	return of
}

// byID is the list by number.
func byID(list []*node) []*node {
	return slices.SortedFunc(slices.Values(list), func(x, y *node) int { return cmp.Compare(x.id, y.id) })
}
