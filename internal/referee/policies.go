package referee

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An asked is a name with its parameters, as people write them.
type asked struct {
	name string
	with map[string]string
}

func (a *asked) count(key string, usual int) int {
	if n, err := strconv.Atoi(a.with[key]); err == nil {
		return n
	}
	return usual
}

func (a *asked) on(key string, usual bool) bool {
	if v, err := strconv.ParseBool(a.with[key]); err == nil {
		return v
	}
	return usual
}

func (a *asked) span(key string, usual time.Duration) int64 {
	if d, err := time.ParseDuration(a.with[key]); err == nil {
		return int64(d)
	}
	return int64(usual)
}

// A made is a policy in the making: one order and at most one part of each kind.
type made struct {
	queues *describedQueues
	order  order
	parts  map[string]part // plan, admit, share, place, speculate, preempt, scale
}

// kinds are the parts in the order in which they decide.
var kinds = []string{"plan", "admit", "share", "place", "speculate", "preempt", "scale"}

// table says what each name stands for.
var table = map[string]func(m *made, a *asked){
	// schemes
	"fifo":  func(m *made, a *asked) { m.order, m.parts["admit"] = byArrival{}, allOf(m, a) },
	"edf-p": func(m *made, a *asked) { m.order, m.parts["admit"] = edf{}, allOf(m, a) },
	"edf-n": func(m *made, a *asked) {
		m.order = edf{}
		m.parts["admit"] = &limit{running: 1, queues: &describedQueues{}}
	},
	"fair": func(m *made, a *asked) {
		m.order = fairOf(m, a)
		m.parts["admit"] = limitOf(m, &asked{name: a.name, with: map[string]string{"masters": a.with["masters"]}})
		if a.on("preemption", false) {
			m.parts["preempt"] = preemptionOf(m, a)
		}
	},
	"capacity": func(m *made, a *asked) {
		m.order = capacityOf(m, a)
		m.parts["admit"] = limitOf(m, &asked{name: a.name, with: map[string]string{"masters": a.with["masters"]}})
	},
	"dc": func(m *made, a *asked) {
		m.order = edf{}
		m.parts["admit"] = constraintOf(m, a)
	},
	"rds": func(m *made, a *asked) {
		r := recedeOf(a)
		m.order, m.parts["admit"], m.parts["share"] = adjusted{recede: r}, r, sharing{r}
	},
	"ondemand": func(m *made, a *asked) {
		o := &demanded{places: map[*job]place{}}
		m.order, m.parts["plan"], m.parts["admit"], m.parts["scale"] = o, o, allOf(m, a), &requests{}
	},
	"rtmr": func(m *made, a *asked) { m.parts = map[string]part{"admit": rtmrOf(m, a)} },
	"promise": func(m *made, a *asked) {
		o := statedOf(m, a)
		m.order, m.parts["admit"], m.parts["share"] = o, o, &lateStart{}
	},

	"dawsee": func(m *made, a *asked) {
		m.order, m.parts["plan"], m.parts["share"] = edf{}, &planned{cuts: true}, &planned{dates: true}
		m.parts["place"] = &waitsFor{a.with["waiting"] == "timer", a.with["waiting"] == "predict"}
	},
	"flow": func(m *made, a *asked) {
		m.order, m.parts["plan"] = edf{}, &planned{cuts: true, dates: true}
		m.parts["place"] = &waitsFor{a.with["waiting"] == "timer", a.with["waiting"] == "predict"}
	},

	// parts
	"atp":      func(m *made, a *asked) { m.parts["plan"] = &planned{cuts: true} },
	"tradeoff": func(m *made, a *asked) { m.parts["plan"] = &planned{cuts: true, dates: true} },
	"vds":      func(m *made, a *asked) { m.parts["share"] = &planned{dates: true} },
	"deets": func(m *made, a *asked) {
		m.parts["place"] = &waitsFor{a.with["waiting"] == "timer", a.with["waiting"] == "predict"}
	},
	"by-arrival": func(m *made, a *asked) { m.order = byArrival{} },
	"edf": func(m *made, a *asked) {
		m.order = edf{}
		if a.on("feasible", false) {
			o := &feasible{}
			m.order, m.parts["plan"] = o, o
		}
	},
	"fair-share":     func(m *made, a *asked) { m.order = fairOf(m, a) },
	"capacity-share": func(m *made, a *asked) { m.order = capacityOf(m, a) },
	"all":            func(m *made, a *asked) { m.parts["admit"] = allOf(m, a) },
	"constraint":     func(m *made, a *asked) { m.parts["admit"] = constraintOf(m, a) },
	"limit":          func(m *made, a *asked) { m.parts["admit"] = limitOf(m, a) },
	"serial":         func(m *made, a *asked) { m.parts["admit"] = &limit{running: 1, queues: &describedQueues{}} },
	"greedy": func(m *made, a *asked) {
		m.parts["place"] = &greedy{a.count("nonlocal", 1), a.count("reduces", 1), a.with["local"] == "rack"}
	},
	"delay": func(m *made, a *asked) {
		m.parts["place"] = &delay{d: a.span("D", 4500*time.Millisecond), rack: a.span("rack", 4500*time.Millisecond), reduces: a.count("reduces", 1), waits: map[*job]*waited{}}
	},
	"matchmaking": func(m *made, a *asked) {
		m.parts["place"] = &matchmaking{a.count("reduces", 1), map[int]bool{}}
	},
	"efh":       func(m *made, a *asked) { m.parts["place"] = &efh{a.span("T", 10*time.Minute), a.on("cap", true)} },
	"ideal":     func(m *made, _ *asked) { m.parts["place"] = &ideal{} },
	"worth":     func(m *made, a *asked) { m.parts["place"] = &worth{float64(a.count("X", 0)) / 100} },
	"preempt":   func(m *made, a *asked) { m.parts["preempt"] = preemptionOf(m, a) },
	"speculate": func(m *made, a *asked) { m.parts["speculate"] = secondsOf(m, a) },
	"slowstart": func(m *made, a *asked) { m.parts["share"] = &lateStart{} },
	"demand": func(m *made, a *asked) {
		o := &demanded{places: map[*job]place{}}
		m.order, m.parts["plan"] = o, o
	},
	"request": func(m *made, a *asked) { m.parts["scale"] = &requests{} },
	"need":    func(m *made, a *asked) { m.parts["scale"] = needsOf(m, a) },
	"sleep":   func(m *made, a *asked) { m.parts["scale"] = sleeperOf(m, a) },
	"slack":   func(m *made, a *asked) { m.parts["scale"] = sparedOf(m, a) },
}

func rtmrOf(m *made, a *asked) *rtmr {
	return &rtmr{feedback: a.on("feedback", true), sampling: a.with["unknown"] != "best-effort",
		samples: a.count("sample", 3), skew: float64(a.count("skew", 100)) / 100,
		masters: mastersOf(m, a) / 100, plan: schedule{shrunk: -1},
		known: map[*job]bool{}, measures: map[*job]*sampled{}}
}

func constraintOf(m *made, a *asked) part {
	c := &constraint{cost: mean, late: "alone-late-mean", known: map[*job]bool{}, share: mastersOf(m, a) / 100}
	if a.with["cost"] == "worst" {
		c.cost, c.late = worst, "alone-late"
	}
	return c
}

func fairOf(m *made, a *asked) order {
	return &fairShare{queues: m.queues, byUser: a.with["pool"] == "user", users: a.on("users", false), fifo: a.with["jobs"] == "fifo", came: map[string]int{}}
}

func limitOf(m *made, a *asked) *limit {
	l := &limit{running: m.queues.MaxRunning, perUser: m.queues.MaxRunningPerUser, perQueue: m.queues.MaxRunningPerQueue, queues: m.queues}
	for _, x := range []struct {
		key string
		to  *int
	}{{"running", &l.running}, {"per_user", &l.perUser}, {"per_queue", &l.perQueue}} {
		if n := a.count(x.key, 0); n != 0 {
			*x.to = n
		}
	}
	l.masters = mastersOf(m, a)
	return l
}

// mastersOf is the share of masters that is asked for, or described, or usual.
func mastersOf(m *made, a *asked) float64 {
	switch n := a.count("masters", 0); {
	case n != 0:
		return float64(n)
	case m.queues.MaxMasterShare != 0:
		return m.queues.MaxMasterShare
	case a.name == "fair":
		return 50
	}
	return 10
}

func allOf(m *made, a *asked) part {
	return &all{room: &limit{queues: unbounded(m.queues), masters: mastersOf(m, a)}}
}

// unbounded is a description without bounds on running jobs.
func unbounded(q *describedQueues) *describedQueues {
	var strip func(list []describedQueue) []describedQueue
	strip = func(list []describedQueue) []describedQueue {
		list = slices.Clone(list)
		for i := range list {
			list[i].MaxRunning, list[i].Queues = 0, strip(list[i].Queues)
		}
		return list
	}
	return &describedQueues{Queues: strip(q.Queues), MaxMasterShare: q.MaxMasterShare}
}

// Knows tells whether the referee has a rule for a policy, as people write it.
func Knows(policy string) error {
	_, _, err := ruleOf(&header{Policy: policy})
	return err
}

// ruleOf makes the rule of the policy that a journal names: name(key=value,…)+name+…
func ruleOf(h *header) (rule, order, error) {
	m := &made{queues: &h.Settings.Queues, order: byArrival{}, parts: map[string]part{"place": &greedy{nonlocal: 1, reduces: 1}}}
	m.parts["admit"] = allOf(m, &asked{})
	for _, term := range strings.Split(h.Policy, "+") {
		a := asked{with: map[string]string{}}
		var in string
		a.name, in, _ = strings.Cut(strings.TrimSuffix(term, ")"), "(")
		for _, pair := range strings.Split(in, ",") {
			if key, value, ok := strings.Cut(pair, "="); ok {
				a.with[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		fill := table[a.name]
		if fill == nil {
			return nil, nil, fmt.Errorf("line 1: the referee does not know the policy %q", a.name)
		}
		fill(m, &a)
	}
	g, local := m.parts["place"].(*greedy)
	if _, saves := m.parts["scale"].(*spared); saves && local {
		g.nonlocal = 0 // data lie on nodes that may get no work
	}
	var r rule
	for _, k := range kinds {
		if p := m.parts[k]; p != nil {
			r = append(r, p)
		}
	}
	return r, m.order, nil
}
