package need

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Config says what may be rented.
type Config struct {
	Base   int            // nodes that are always kept
	Warm   int            // percent of the nodes that had work in this hour of former days, which are kept
	Budget int            // what they may cost an hour together, 0 = anything
	Late   int            // what they may cost an hour together for each unit of weight of jobs that nothing can save
	Margin int            // percent by which tasks are taken to be longer than their mean
	Idle   units.Duration // a node is given back after so long, 0 = as long as it boots, a minute at least
}

// Need rents and gives back.
type Need struct {
	c Config
	memory

	line line
	by   estimate.Estimator // who knows what is left of jobs; nil = nobody but Own
}

// memory is what outlives a look.
type memory struct {
	Own   estimate.Own  `json:"own"`
	Nodes []tenure      `json:"nodes,omitempty"` // by handle
	Told  []bool        `json:"told,omitempty"`  // jobs, by handle, that nothing can save, as was told
	Next  units.Time    `json:"next"`            // when it looks again, at the next end of a task
	Hired bool          `json:"hired,omitempty"` // at the last look nodes were rented
	Wake  compose.Alarm `json:"wake"`
	Past  past          `json:"past,omitzero"`
	// the class and the instant of the last request: what it changes for who knows of jobs is no need of that instant
	Asked [2]int64 `json:"asked,omitzero"`
}

// past is how much work rented nodes had by hour of the day, in milliseconds of nodes.
type past struct {
	Hours [24]int64 `json:"hours"` // of hours that are over
	Hour  int64     `json:"hour"`  // of the one that is not
	Seen  int64     `json:"seen"`  // when that was counted last, in milliseconds
	Busy  int       `json:"busy"`  // and how many had work
}

const hour = int64(units.Hour / units.Millisecond)

// count notes how many have work from now on, and tells how many there were in this hour of former days, in percent of
// the mean, rounded up. The run began so long after midnight.
func (p *past) count(now, began int64, busy, percent int) int {
	for end := p.Seen - (p.Seen+began)%hour + hour; end <= now; end += hour {
		p.Hours[(p.Seen+began)/hour%24] += p.Hour + int64(p.Busy)*(end-p.Seen)
		p.Hour, p.Seen = 0, end
	}
	p.Hour += int64(p.Busy) * (now - p.Seen)
	p.Seen, p.Busy = now, busy
	all := 100 * hour * max(1, now/hour/24)
	return int((int64(percent)*p.Hours[(now+began)/hour%24] + all - 1) / all)
}

// began is for how long the day had lasted at the origin of times, in milliseconds; 0 where a world has no clock.
func began(w *sched.Capabilities) int64 {
	if t, err := time.Parse(time.RFC3339, w.Origin); err == nil {
		return int64((t.Hour()*60+t.Minute())*60+t.Second()) * 1000
	}
	return 0
}

// tenure is what is remembered of a node that can be rented.
type tenure struct {
	Rented units.Time `json:"rented,omitempty"` // when it was asked for last, from when on it is charged
	Back   units.Time `json:"back,omitempty"`   // when it was to be given back last
}

// New returns the part.
func New(c Config) *Need { return &Need{c: c} }

// By has it go by what another part knows of jobs.
func (n *Need) By(e estimate.Estimator) { n.by = e }

// left is what is left of a job.
func (n *Need) left(v sched.View, j *sched.Job) (estimate.Left, bool) {
	if n.by != nil {
		return n.by.Left(v, j)
	}
	return n.Own.Left(v, j, n.c.Margin, [kinds]units.Duration{})
}

// changes are the events at which it looks at once; at the ends of tasks it does so once in a while.
var (
	changes = sched.EventsOf(sched.Resync, sched.Control, sched.JobArrived, sched.JobAmended, sched.OutputLost,
		sched.NodeUp, sched.NodeDown, sched.NodeChanged, sched.Refused)
	turns = sched.EventsOf(sched.Ended, sched.JobEnded)
)

const every = 5 * units.Second

// Decide rents and gives back. A look costs little for each job where none can be late, and O(running tasks); else
// O(jobs log nodes) for those up to the last one that may be; and O(nodes) where some wake or may be idle.
func (n *Need) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	at, turn, ticked := false, false, false
	for i := range batch {
		e := &batch[i]
		n.notice(v, e)
		at, turn, ticked = at || changes.Has(e.Kind), turn || turns.Has(e.Kind), ticked || e.Kind == sched.Tick
	}
	if !v.World().Can(sched.Wake) {
		return
	}
	at = (at || turn || ticked) && n.Wake.Rings(v.Now(), ticked, p) || at
	if !at && (!turn || v.Now() < n.Next) {
		if turn && n.Hired { // nothing else may happen any more
			n.Wake.Set(n.Next, p)
		}
		return
	}
	n.Next = v.Now().Add(every)
	s := stocked(v)
	now, day := int64(v.Now()/units.Time(units.Millisecond)), began(v.World())
	s.base = max(n.c.Base, n.Past.count(now, day, s.rented-len(s.idle), n.c.Warm))
	if n.by != nil && n.by.Looks() != n.line.asOf {
		n.line.asOf = n.by.Looks()
		clear(n.line.marks)
	}
	n.line.look(v, n.left)
	n.rent(v, &s, p)
	n.back(v, &s, p)
	if n.c.Warm > 0 { // other nodes are kept in the next hour
		n.Wake.Set(units.Time(now-(now+day)%hour+hour)*units.Time(units.Millisecond), p)
	}
	n.Hired = s.rented > 0
}

// notice takes in an event.
func (n *Need) notice(v sched.View, e *sched.Event) {
	if e.Kind == sched.Resync || e.Kind == sched.Control {
		n.memory, n.line = memory{}, line{}
	}
	if n.by == nil {
		n.Own.Notice(v, e)
	}
	if e.Kind == sched.ProfileLearned {
		clear(n.line.marks)
	}
	if (e.Kind == sched.JobArrived || e.Kind == sched.JobEnded || e.Kind == sched.JobAmended) && int(e.Job) < len(n.Told) {
		n.Told[e.Job] = false
	}
}

func (n *Need) tenure(h sched.NodeID) *tenure {
	return sched.Row(&n.Nodes, h)
}

// An offer is a class of nodes that can be had.
type offer struct {
	id    sched.ClassID
	most  int // nodes of it
	slots [kinds]int64
	boot  int64
	price float64
}

// missing tells whether a node did not come when it was asked for, or was taken away soon: it is not to be had yet.
func (n *Need) missing(v sched.View, nd *sched.Node) bool {
	t := n.tenure(nd.ID)
	return t.Rented > t.Back && v.Now() < t.Rented.Add(n.patience(v.Class(nd.Class).Spec.WakeTime))
}

// offers lists them by handle, as far as the budget allows, without missing nodes: another class may have some.
func (n *Need) offers(v sched.View, s *stock) (list []offer) {
	missing := make([]int, v.Classes()+1)
	for h := range n.Nodes {
		if nd := v.Node(sched.NodeID(h)); nd != nil && nd.State == sched.Offered && n.missing(v, nd) {
			missing[nd.Class]++
		}
	}
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		k := v.Class(c)
		if k == nil || !k.Spec.Rented() || k.Nodes[sched.Offered] == 0 {
			continue
		}
		o := offer{c, int(k.Nodes[sched.Offered]) - missing[c], slotsOf(&k.Spec.Capacity), estimate.Millis(k.Spec.WakeTime), k.Spec.PriceAt(v.Now())}
		if n.c.Budget > 0 && o.price > 0 {
			o.most = int(max(0, min(float64(o.most), units.Rounded((float64(n.c.Budget)-s.costs)/o.price))))
		}
		if o.most > 0 {
			list = append(list, o)
		}
	}
	return list
}

// A choice is so many nodes of a class.
type choice struct {
	offer
	nodes, late int
	lost        int // of these, jobs beyond help
	load            // of the others
	ids         []sched.JobID
}

// rent asks for what lacks.
func (n *Need) rent(v sched.View, s *stock, p *sched.Plan) {
	list, late := n.offers(v, s), n.line.late(s.room, v.Now(), 0, nil)
	n.tell(v, s, list, p)
	if few := s.base - s.rented; few > 0 && len(list) > 0 {
		o := slices.MinFunc(list, func(a, b offer) int { return compare(a.price, b.price) })
		n.wake(v, o.id, min(few, o.most), s, p, sched.Because(Warm, int64(s.base)))
		return // what lacks beyond that the next look tells
	}
	if len(list) == 0 || late == 0 {
		return
	}
	for wanted := range min(2, 1+n.c.Late) { // those that can be saved first
		var best choice
		for i := range list {
			c := n.choose(v, s, list[i], wanted > 0)
			if before := compare(float64(c.nodes)*c.price, float64(best.nodes)*best.price); i == 0 ||
				c.late < best.late || c.late == best.late && (before < 0 || before == 0 && c.nodes < best.nodes) {
				best = c
			}
		}
		if is := [2]int64{int64(best.id), int64(v.Now())}; best.nodes > 0 {
			if is == n.Asked {
				return
			}
			n.Asked = is
			n.wake(v, best.id, best.nodes, s, p, n.certify(v, s.room, &best, p))
			return
		}
	}
}

// choose finds the least number of nodes of a class with which no more jobs are late than with all of them. Jobs that
// nothing can save are left out, or, if they are wanted even so, are to take no longer than twice the time that they
// had, as far as their weight pays for it.
func (n *Need) choose(v sched.View, s *stock, o offer, wanted bool) choice {
	c, r, pays := choice{offer: o}, s.room, 0.0
	with := func(nodes int) room { return r.with(int64(nodes), o.slots, o.boot) }
	all, l := with(o.most), &n.line
	for i, j := range l.jobs {
		soonest := all.alone(&j)
		if soonest > j.due { // an even chance is more than none
			j.due += j.sure
		}
		if of := v.Job(l.ids[i]); wanted && soonest > j.due {
			j.due += millis(of.Due(), of.Arrived)
			pays += float64(of.Spec.Weight * float64(n.c.Late))
		}
		if soonest > j.due {
			c.lost += j.counts()
		} else {
			c.jobs, c.ids = append(c.jobs, j), append(c.ids, l.ids[i])
		}
	}
	c.runs = l.runs
	if wanted && o.price > 0 {
		c.most = int(max(0, min(float64(o.most), units.Rounded((pays-s.costs)/o.price))))
		all = with(c.most)
	}
	c.late, _ = all.late(&c.load, math.MaxInt)
	enough := func(k int) bool {
		late, _ := with(k).late(&c.load, c.late)
		return late <= c.late
	}
	few, many := 0, 0 // most often few are enough
	for many < c.most && !enough(many) {
		few, many = many+1, min(2*many+1, c.most)
	}
	c.nodes = few + sort.Search(many-few, func(k int) bool { return enough(few + k) })
	c.late += c.lost
	return c
}

// least is the number of nodes of the class without which a fluid says that some job is late: at most those chosen.
func (c *choice) least(r room) int {
	jobs := slices.SortedStableFunc(slices.Values(c.jobs), func(a, b job) int { return cmp.Compare(a.due, b.due) })
	starts := byStart(jobs)
	return sort.Search(c.nodes, func(k int) bool { return r.with(int64(k), c.slots, c.boot).enough(jobs, starts) })
}

// wake rents the first nodes of the class that are offered.
func (n *Need) wake(v sched.View, class sched.ClassID, nodes int, s *stock, p *sched.Plan, why sched.Reason) {
	k := v.Class(class).Spec
	for h := sched.NodeID(1); h <= v.Nodes() && nodes > 0; h++ {
		nd := v.Node(h)
		if nd == nil || nd.Class != class || nd.State != sched.Offered || n.missing(v, nd) {
			continue
		}
		if p.Add(sched.Item{Verb: sched.Wake, Node: h, Reason: why}) {
			n.tenure(h).Rented = max(1, v.Now())
			s.room = s.room.with(1, slotsOf(&k.Capacity), estimate.Millis(k.WakeTime))
			s.rented++
			nodes--
			why.Evidence = sched.Span{} // it is said with the first
		}
	}
}

// compare compares prices.
func compare(a, b float64) int { return cmp.Compare(units.Rounded(a), units.Rounded(b)) }

// Remembers is what outlives a round.
func (n *Need) Remembers() any { return &n.memory }

// Entry lists the part.
func Entry() compose.Entry {
	return compose.Entry{
		Name: "need",
		Kind: compose.KindScale,
		Doc:  "rents nodes of a cloud before deadlines are missed, as few as are enough, and gives them back",
		Cite: "Slackline; compare paper 002, section 3.3 (request)",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Sleep, sched.Wake}, Reads: compose.Reads{Profiles: true},
			Causes: []*sched.Cause{NodesLack, Warm, NotNeeded, BeyondHelp, sched.Wakeup}, Heeds: (changes | turns | sched.EventsOf(sched.ProfileLearned, sched.Tick)) &^ sched.EventsOf(sched.Resync, sched.Control)},
		Params: []compose.Param{
			{Name: "base", Type: compose.Count, Default: "0", Unit: "nodes", Doc: "so many are rented at any time, of the cheapest class"},
			{Name: "warm", Type: compose.Count, Default: "0", Unit: "percent", Doc: "so many of the nodes that had work in this hour of former days, on the average, are rented at any time; 0 = none"},
			{Name: "late", Type: compose.Count, Default: "0", Doc: "what rented nodes may cost an hour together, in the unit of prices, for each unit of weight of jobs that nothing can save: to be done in twice their time; 0 = nothing"},
			{Name: "budget", Type: compose.Count, Default: "0", Doc: "what rented nodes may cost an hour together, in the unit of prices; 0 = anything"},
			{Name: "margin", Type: compose.Count, Default: "20", Unit: "percent", Doc: "tasks are taken to be so much longer than their mean"},
			{Name: "idle", Type: compose.Span, Default: "0s", Doc: "a node is given back when nothing has run on it for this long; 0s = as long as it boots, and a minute at least"},
		},
		Step: func(a compose.Args) (compose.Step, error) {
			return New(Config{Base: a.Count("base"), Warm: a.Count("warm"), Late: a.Count("late"), Budget: a.Count("budget"), Margin: a.Count("margin"), Idle: a.Span("idle")}), nil
		},
	}
}
