package placement

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Worth lets a map take a container in which it uses more energy than elsewhere only where it ends there sooner than
// behind all that wait for the better ones: ours, beside EFH.
//
//	(1 + X) · time here  <  maps that wait / what the better containers do in a unit of time  +  time there
//
// Times are those by the rates of classes of nodes, in units of what a map takes at speed 1: all maps that wait for
// the same containers are taken to be equally long, so that nothing has to be known of them. X is for energy: with a
// larger one more work waits. The maps that wait are those of jobs with the same best kind of container; better
// containers are counted as they are, free or not.
//
// A container of another kind than the job's first is left to jobs whose own it is, while such a one waits. Nobody
// waits for containers that are not there. Jobs go in the policy's order, and one that would rather wait lets the
// next one have the node. Masters, reduces and further stages are served as Greedy does.
type Worth struct {
	X float64

	strict bool // nothing but the best will do
	turn        // reused
}

// Decide serves the nodes that beat. When nodes come or go others may be worth it that were not: it asks to be
// woken, and nodes with room beat again.
func (w *Worth) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	t, again := &w.turn, false
	for i := range batch {
		switch batch[i].Kind {
		case sched.NodeDown, sched.NodeChanged:
			again = !w.strict
		case sched.Heartbeat:
			if t.of(v, p, batch[i].Node) {
				t.serve(&worthy{Worth: w}, 1, 1)
			}
		}
	}
	if again && v.Queue(sched.Root).Stages[sched.Map].Open > 0 {
		at := v.Now().Add(units.Second)
		p.WakeMe(at, sched.Because(sched.Wakeup, int64(at)))
	}
}

// worthy is the line of maps that are worth it on the node.
type worthy struct {
	*Worth
	after sched.JobID
	kind  uint8 // of the job named last
	why   sched.Reason
}

func (l *worthy) next(t *turn) sched.JobID {
	for {
		j := t.v.First(t.node.ID, sched.Map, l.after)
		if j == 0 || l.takes(t, t.v.Job(j)) {
			return j
		}
		l.after = j
	}
}

func (l *worthy) start(t *turn, j sched.JobID) {
	if !t.p.Add(sched.Item{Verb: sched.Start, Job: j, Stage: sched.Map, Container: l.kind, Node: t.node.ID, Count: 1, Locality: sched.Remote, Reason: l.why}) {
		l.after = j
	}
}

// takes tells whether one of the job's maps takes a container of the node, and of which kind: of those that fit the
// most efficient one that it may have.
func (l *worthy) takes(t *turn, j *sched.Job) bool {
	if l.strict {
		return l.ideal(t, j)
	}
	st := j.Spec.Stage(sched.Map)
	best := -1.0
	for k, box := range st.Kinds() {
		ef := efficiency(t.v.Class(t.node.Class).Rate(j.Spec, sched.Map, k))
		if units.Rounded(ef) <= units.Rounded(best) || !t.node.Free.Fits(&box.Needs) || k > 0 && waitsFor(t.v, func(o *sched.Job) bool { return o.Spec.Stage(sched.Map).Container(0).Name == box.Name }) > 0 {
			continue
		}
		best, l.kind = ef, uint8(k)
	}
	if best < 0 {
		return false
	}
	rate, there := l.better(t.v, j, best)
	if rate == 0 {
		l.why = sched.Because(LeastEnergy)
		return true
	}
	kind := bestKind(t.v, j)
	waiting := waitsFor(t.v, func(o *sched.Job) bool { return bestKind(t.v, o) == kind })
	here := 1 / t.v.Class(t.node.Class).Rate(j.Spec, sched.Map, int(l.kind)).Speed
	if units.Rounded((1+l.X)*here) >= units.Rounded(float64(waiting)/rate+1/there) {
		return false
	}
	l.why = sched.Because(WorthIt, waiting, int64(units.Rounded(1000*float64(waiting)/rate)), int64(units.Rounded(1000*here)))
	return true
}

// better is what the containers in which the job's maps use less do in a unit of time, and how fast the fastest is.
// Kinds that take from the same resources count once, the most efficient first.
func (l *worthy) better(v sched.View, j *sched.Job, than float64) (rate, fastest float64) {
	st := j.Spec.Stage(sched.Map)
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		class := v.Class(c)
		has := class.Spec.Capacity
		for k, box := range st.Kinds() {
			is := class.Rate(j.Spec, sched.Map, k)
			if n := has.Times(&box.Needs); n > 0 && units.Rounded(efficiency(is)) > units.Rounded(than) && class.Nodes[sched.Awake] > 0 {
				rate += float64(n) * float64(class.Nodes[sched.Awake]) * is.Speed
				fastest = max(fastest, units.Rounded(is.Speed))
				for d, by := range box.Needs {
					has[d] -= n * by
				}
			}
		}
	}
	return rate, fastest
}

// bestKind is the name of the kind of container in which the job's maps use the least, of all nodes that are awake.
func bestKind(v sched.View, j *sched.Job) string {
	class, kind := thriftiestOf(v, j, true)
	if class == 0 {
		return ""
	}
	return j.Spec.Stage(sched.Map).Container(kind).Name
}

// waitsFor is how many maps of such jobs wait.
func waitsFor(v sched.View, so func(*sched.Job) bool) (n int64) {
	for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
		if job := v.Job(j); so(job) {
			n += int64(job.Stages[sched.Map].Open)
		}
	}
	return n
}

// WorthIt places a map where it does not use the least.
var WorthIt = &sched.Cause{Name: "worth-it", Text: "{maps} {maps?map waits|maps wait} for containers in which less energy is used, {queue} times as long as a map takes; here it takes {here}",
	Numbers: []sched.Number{sched.Count.Named("maps", "maps that wait for better containers", 40), sched.Thousandths.Named("queue", "how long these take, in thousandths of a map at speed 1", 5714), sched.Thousandths.Named("here", "how long one takes here, likewise", 1000)}}

// WorthEntry lists the part.
func WorthEntry() compose.Entry {
	return compose.Entry{
		Name: "worth",
		Kind: compose.KindPlace,
		Doc:  "a map takes a container in which it uses more energy than elsewhere only if it ends there sooner than behind the queue for the better ones",
		Cite: "Slackline; compare paper 003, chapter 6",
		Traits: compose.Traits{Heeds: sched.EventsOf(sched.Heartbeat, sched.NodeDown, sched.NodeChanged),
			Causes: []*sched.Cause{WorthIt, LeastEnergy, sched.FirstInOrder, sched.Wakeup}},
		Params: []compose.Param{
			{Name: "X", Type: compose.Count, Default: "0", Unit: "%", Doc: "how much longer it would rather wait than take a worse container, in parts of its time there"},
		},
		Step: func(a compose.Args) (compose.Step, error) { return &Worth{X: float64(a.Count("X")) / 100}, nil },
	}
}
