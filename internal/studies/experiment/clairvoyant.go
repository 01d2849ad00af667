package experiment

import (
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// clairvoyant rents what a linear program finds that knows all jobs before they come: the least node-hours with which
// a fluid of maps and reduces is in time (maps of a job until its last reduce would have to begin, reduces from when a
// first map can be over), minute by minute, with what nodes cost while they boot. What they cannot do is left out at a
// price. That is a lower bound; played with whole tasks, each minute's nodes rounded up, it is what nobody can hope to
// beat by much (002-elastic).
type clairvoyant struct {
	nodes []int // beyond the cluster's own, by minute
	next  units.Time
}

// late is the price of a minute of a slot's work that is not done in time, in node-minutes: more than any node's.
const latePrice = 20

// foresee finds the nodes for a scenario, all of whose offers are of one class, if tasks take so many percent longer.
func foresee(c *sim.Config, margin int) []int {
	own, class := c.Cluster.Own(), c.Cluster.Nodes[len(c.Cluster.Nodes)-1].Class
	var has [2]float64
	for _, n := range own {
		has[0] += float64(n.Class.Capacity[units.MapSlots])
		has[1] += float64(n.Class.Capacity[units.ReduceSlots])
	}
	each := [2]float64{float64(class.Capacity[units.MapSlots]), float64(class.Capacity[units.ReduceSlots])}
	jobs, minutes := listed(c), 1
	for _, j := range jobs {
		if j.Deadline != units.Never {
			minutes = max(minutes, int(j.Deadline.Seconds()/60)+1)
		}
	}
	p := &optimize.Linear{}
	rows := make([]optimize.Row, 2*minutes) // slots of a kind in a minute
	for t := range minutes {
		n := p.Add(1, 0, float64(class.Most))
		boots := optimize.Row{Lower: math.Inf(-1), Upper: 0, Terms: []optimize.Term{{Variable: n, Coefficient: 1},
			{Variable: p.Add(class.WakeTime.Seconds()/60, 0, float64(class.Most)), Coefficient: -1}}}
		if t > 0 {
			boots.Terms = append(boots.Terms, optimize.Term{Variable: n - 2, Coefficient: -1})
		}
		p.Rows = append(p.Rows, boots)
		for k := range 2 {
			rows[2*t+k] = optimize.Row{Lower: math.Inf(-1), Upper: has[k], Terms: []optimize.Term{{Variable: n, Coefficient: -each[k]}}}
		}
	}
	for _, j := range jobs {
		var work, longest [2]float64 // in minutes
		for _, s := range j.Stages {
			for _, task := range s.Tasks {
				k := int(s.Kind - sched.Map)
				x := (task.Work + task.Shuffle).Seconds() / 60 * (1 + float64(margin)/100)
				work[k], longest[k] = work[k]+x, max(longest[k], x)
			}
		}
		if j.Deadline == units.Never {
			continue
		}
		from, to := j.Arrive.Seconds()/60, j.Deadline.Seconds()/60
		for k, w := range work {
			a, b := from, to-longest[1]
			if k == 1 {
				a, b = from+longest[0], to
			}
			if w == 0 {
				continue
			}
			done := optimize.Row{Lower: w, Upper: w, Terms: []optimize.Term{{Variable: p.Add(latePrice, 0, w), Coefficient: 1}}}
			for t := int(a); t < minutes && float64(t) < b; t++ {
				x := p.Add(0, 0, max(0, min(b, float64(t+1))-max(a, float64(t)))*float64(max(1, len(j.Stage(sched.Map+sched.Stage(k)).Tasks))))
				done.Terms = append(done.Terms, optimize.Term{Variable: x, Coefficient: 1})
				rows[2*t+k].Terms = append(rows[2*t+k].Terms, optimize.Term{Variable: x, Coefficient: 1})
			}
			p.Rows = append(p.Rows, done)
		}
	}
	p.Rows = append(p.Rows, rows...)
	nodes, x := make([]int, minutes), p.Solve().X
	for t := range nodes {
		nodes[t] = int(math.Ceil(units.Rounded(x[2*t] - 1e-6)))
	}
	return nodes
}

// listed are the jobs of a scenario that come whatever becomes of those before.
func listed(c *sim.Config) (list []*workload.Job) {
	if c.Workload != nil {
		return c.Workload.Jobs
	}
	for from := c.Source(); from.Due() != units.Never; {
		j, err := from.Next()
		if err != nil {
			break // playing them tells
		}
		list = append(list, j)
	}
	return list
}

// at is how many are to serve then.
func (c *clairvoyant) at(t units.Time) int {
	if i := int(t.Seconds() / 60); i < len(c.nodes) {
		return c.nodes[i]
	}
	return 0
}

// Decide rents a node so that it serves when it is needed, and gives one back that is not, until it would have to be
// rented again.
func (c *clairvoyant) Decide(v sched.View, _ []sched.Event, p *sched.Plan) {
	up, boot := 0, units.Duration(0)
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if nd := v.Node(n); nd != nil && nd.Spec.Class.Rented() {
			boot = nd.Spec.Class.WakeTime
			if nd.State == sched.Awake || nd.State == sched.Waking {
				up++
			}
		}
	}
	most := 0
	for t := v.Now(); t <= v.Now().Add(boot); t = t.Add(units.Minute) {
		most = max(most, c.at(t))
	}
	most = max(most, c.at(v.Now().Add(boot)))
	for n := sched.NodeID(1); n <= v.Nodes() && up != most; n++ {
		nd := v.Node(n)
		switch {
		case nd == nil || !nd.Spec.Class.Rented():
		case up < most && nd.State == sched.Offered:
			if p.Add(sched.Item{Verb: sched.Wake, Node: n, Reason: sched.Because(knownAhead, int64(most))}) {
				up++
			}
		case up > most && nd.State == sched.Awake && nd.Occupied == 0:
			if p.Add(sched.Item{Verb: sched.Sleep, Node: n, Reason: sched.Because(knownAhead, int64(most))}) {
				up--
			}
		}
	}
	if v.Now() >= c.next && v.Now().Seconds() < float64(60*len(c.nodes)) {
		c.next = v.Now().Add(10 * units.Second)
		p.WakeMe(c.next, sched.Because(sched.Wakeup, int64(c.next)))
	}
}

var knownAhead = &sched.Cause{Name: "known-ahead", Text: "{nodes} are to serve then, by a program that knows all jobs",
	Numbers: []sched.Number{sched.Count.Named("nodes", "nodes that are to serve", 3)}}

func clairvoyantEntry(nodes func(margin int) []int) compose.Entry {
	return compose.Entry{Name: "clairvoyant", Kind: compose.KindScale, Doc: "nodes by a linear program that knows all jobs", Cite: "a bound",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Sleep, sched.Wake}, Causes: []*sched.Cause{knownAhead, sched.Wakeup}},
		Params: []compose.Param{{Name: "margin", Type: compose.Count, Default: "0", Unit: "percent", Doc: "tasks are taken to be so much longer"}},
		Step:   func(a compose.Args) (compose.Step, error) { return &clairvoyant{nodes: nodes(a.Count("margin"))}, nil }}
}

// foresees tells whether a policy has that part.
func foresees(policy string) bool { return strings.Contains(policy, "+clairvoyant") }
