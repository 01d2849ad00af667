package referee

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// took is what the committed tasks of jobs took, in nanoseconds.
type took struct {
	of   map[*job]*[stages]struct{ n, sum int64 }
	pace func(b *book, a *attempt) float64 // of the node, where that counts
}

func (t *took) notice(b *book, events []*line) {
	if t.of == nil {
		t.of = map[*job]*[stages]struct{ n, sum int64 }{}
	}
	for _, a := range b.fresh {
		j := b.jobs[a.job]
		if j == nil || !slices.ContainsFunc(events, func(l *line) bool {
			return l.name == "ended" && l.int("attempt") == a.id && l.get("outcome") == "committed"
		}) {
			continue
		}
		if t.of[j] == nil {
			t.of[j] = &[stages]struct{ n, sum int64 }{}
		}
		t.of[j][a.stage].n++
		lasted := a.lasted
		if t.pace != nil {
			lasted = int64(math.Round(float64(lasted) * t.pace(b, a)))
		}
		t.of[j][a.stage].sum += lasted
	}
}

// A place is where a job stands by its demand for resources; one without is before all that have one.
type place struct {
	has    bool
	demand int64
}

// asking is what a job needs by the equations of paper 002: p = 0.45 maps + 0.45 reduces + 0.1 shuffle; n =
// (1-p) m t1 / (p (t2 - t1)) - m, where m t1 is what its tasks took; and where nothing is done yet, the means
// of its class say how long all of it takes.
func asking(b *book, t *took, j *job) (n, m, left float64, has bool) {
	left = float64(j.due()-b.now) / 1e9
	class := b.profiles[j.Class]
	var part [stages]float64
	all, held, known := 0.0, 0.0, class != nil
	for _, k := range []int{mapStage, reduceStage} {
		s := j.stage[k]
		if s == nil {
			continue
		}
		mean := 0.0
		if class != nil {
			usual, _, ok := class.task(k)
			usual = float64(span(usual)) / 1e9
			known = known && (ok || len(s.Tasks) == 0)
			mean = usual
			all += usual * float64(len(s.Tasks))
		}
		if own := t.of[j]; own != nil && own[k].n > 0 {
			mean = float64(own[k].sum) / 1e9 / float64(own[k].n)
			held += float64(own[k].sum) / 1e9
		}
		sum := float64(s.done)
		for _, a := range s.youngest {
			ran := float64(b.now-a.started) / 1e9
			held += ran
			if mean > 0 {
				sum += math.Min(ran/mean, 1023.0/1024)
			}
		}
		m += float64(s.occupied)
		if len(s.Tasks) > 0 {
			part[k] = math.Min(1, sum/float64(len(s.Tasks)))
		}
	}
	p := part[mapStage]
	if r := j.stage[reduceStage]; r != nil && len(r.Tasks) > 0 {
		p = math.Min(1, 0.45*p+0.45*part[reduceStage]+0.1*float64(r.done+r.occupied)/float64(len(r.Tasks)))
	}
	switch {
	case rounded(left) <= 0:
	case rounded(p) > 0 && rounded(held) > 0:
		return (1-p)*held/(p*left) - m, m, left, true
	case known && rounded(all) > 0:
		return (1-p)*all/left - m, m, left, true
	}
	return 0, m, left, false
}

// demanded is the order by demand, which follows the jobs once in a second, and when one comes.
type demanded struct {
	flat
	took
	places map[*job]place
	next   int64
}

func (o *demanded) decide(b *book, events []*line, _ *wants) {
	o.notice(b, events)
	turn := false
	for _, l := range events {
		turn = turn || l.name == "heartbeat" || l.name == "ended"
		if j := b.jobs[l.int("job")]; (l.name == "job-arrived" || l.name == "job-amended") && j != nil {
			o.see(b, j)
		}
	}
	if turn && b.now >= o.next {
		o.next = b.now + 1e9
		for _, j := range b.live {
			o.see(b, j)
		}
	}
	b.dirty = true
}

func (o *demanded) see(b *book, j *job) {
	if j.due() == never || j.state > admitted {
		return
	}
	n, _, left, has := asking(b, &o.took, j)
	if !has {
		delete(o.places, j)
		return
	}
	o.places[j] = place{true, int64(math.Round(rounded(n / left * (1 << 30))))}
}

func (o *demanded) rank(j *job) [2]int64 {
	at := o.places[j]
	switch {
	case j.due() == never:
		return [2]int64{2}
	case at.has:
		return [2]int64{1, -at.demand}
	}
	return [2]int64{0}
}

func (o *demanded) compare(x *job, _ int, y *job, _ int) int {
	a, b := o.rank(x), o.rank(y)
	return cmp.Or(slices.Compare(a[:], b[:]), cmp.Compare(x.arrived, y.arrived))
}

func (*demanded) line(x, y *job) int {
	return cmp.Or(cmp.Compare(x.due(), y.due()), cmp.Compare(x.arrived, y.arrived))
}

// requests rent nodes by eq. 12 of paper 002: as many units as lack over the time until the deadline for which most
// do, in whole nodes, the first that are offered.
type requests struct {
	took
	next int64
}

// unitsIn is how many tasks a node of the class takes at once, of what v says.
func unitsIn(n *node, v *vector) int64 {
	if c := &n.Class.Capacity; c[slotOf(mapStage)]+c[slotOf(reduceStage)] > 0 {
		return v[slotOf(mapStage)] + v[slotOf(reduceStage)]
	}
	return v[2]
}

func (r *requests) decide(b *book, events []*line, p *wants) {
	r.notice(b, events)
	at := false
	for _, l := range events {
		at = at || slices.Contains([]string{"job-arrived", "job-amended", "node-down", "refused"}, l.name)
	}
	heeds := []string{"ended", "job-ended", "heartbeat", "node-up"}
	if !at && (b.now < r.next || !slices.ContainsFunc(events, func(l *line) bool { return slices.Contains(heeds, l.name) })) {
		return
	}
	r.next = b.now + 1e9
	free := map[string]int64{}
	units := int64(0)
	for _, n := range b.nodes {
		switch {
		case n == nil:
		case n.serves():
			free[n.Class.Name] += unitsIn(n, &n.free)
		case n.waking:
			units += unitsIn(n, &n.Class.Capacity)
		}
	}
	for _, n := range free {
		units += max(0, n)
	}
	line := slices.DeleteFunc(slices.Clone(b.live), func(j *job) bool { return j.due() == never || j.state > admitted || j.cancelled })
	slices.SortStableFunc(line, func(x, y *job) int { return cmp.Or(cmp.Compare(x.due(), y.due()), cmp.Compare(x.seq, y.seq)) })
	type claim struct {
		n, m, left float64
		j          *job
	}
	var claims []claim
	for _, j := range line {
		if n, m, left, has := asking(b, &r.took, j); has {
			claims = append(claims, claim{n, m, left, j})
		}
	}
	most, by := 0.0, (*job)(nil)
	for k, last := range claims {
		sum := -float64(units) * last.left
		for _, c := range claims[:k+1] {
			sum += c.n*c.left - c.m*(last.left-c.left)
		}
		if rounded(sum/last.left) > rounded(most) {
			most, by = sum/last.left, last.j
		}
	}
	lack := int64(math.Ceil(rounded(most)))
	for _, n := range b.nodes {
		if n != nil && n.offered && lack > 0 && unitsIn(n, &n.Class.Capacity) > 0 {
			p.power("wake", n, fmt.Sprintf("units-lack%s job %d", numbers(lack, by.due()), by.id))
			lack -= unitsIn(n, &n.Class.Capacity)
		}
	}
}
