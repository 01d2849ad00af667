package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/studies/weather"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Read reads a scenario file. The error, if any, is a config.Errors.
func Read(file string, src []byte) (*Scenario, error) { return ReadResized(file, src, Resize{}) }

// Bounds on the size of a cluster, those that the tags of Cluster and Offer state.
const (
	MaxNodes = 1_000_000
	MaxSlots = 100_000
)

// Resize takes the place of what a file says of its cluster's size, where it is set, and knows what
// earlier runs taught, and what the weather was.
type Resize struct {
	Nodes, MapSlots, ReduceSlots *int
	Known                        func(class string) *profile.Class // nil: nothing
	Weather                      *weather.Series                   // in place of what would be made up; nil: none
}

// ReadResized is Read for a cluster of another size.
func ReadResized(file string, src []byte, to Resize) (*Scenario, error) {
	doc, err := config.ParseOne(file, src)
	if err != nil {
		return nil, err
	}
	return read(doc, to, maxTasks)
}

func read(doc *config.Document, to Resize, most int) (*Scenario, error) {
	s := &Scenario{most: most, src: doc, record: to.Weather}
	scenarioFile.read(doc, s)
	if to.Nodes != nil {
		s.resized = true // the file's copies fit on as many nodes as there are now
		s.Cluster.Nodes = *to.Nodes
	}
	if to.MapSlots != nil {
		s.Cluster.MapSlots, s.Cluster.ReduceSlots = to.MapSlots, to.ReduceSlots
	}
	s.Name = cmp.Or(s.Name, stem(doc.File))
	if class := s.Cluster.TaskTimes.Profile; class != "" {
		s.learned(class, to.Known)
	}
	s.lists()
	if len(s.src.Errs) == 0 {
		s.build()
	}
	if err := s.src.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// lists checks the lists of seeds and of swept keys.
func (s *Scenario) lists() {
	var at int
	var err error
	if s.Seeds, at, err = Seeds(s.Ranges); err != nil && len(s.src.Errs) == 0 {
		s.src.Failf(fmt.Sprintf("seeds[%d]", at), "%v", err)
	}
	for _, key := range s.Sweep.Keys() {
		switch word, _, _ := strings.Cut(key, "."); word {
		case "policies", "seeds", "sweep", "name":
			s.src.Failf("sweep."+key, "%s cannot be swept; policies and seeds are lists of their own", key)
		}
	}
}

// learned takes the distribution of task times from what earlier runs taught of the maps of a class.
func (s *Scenario) learned(class string, known func(string) *profile.Class) {
	var p *profile.Class
	if known != nil {
		p = known(class)
	}
	const points = 200
	if p != nil {
		maps := p.Any(workload.Map)
		if s.Cluster.TaskTimes.Values != nil {
			s.src.Failf("cluster.task_times.profile", "profile and values exclude each other; give one of them")
		}
		s.Cluster.TaskTimes.Values = maps.Spread.Values(points)
	}
	if s.Cluster.TaskTimes.Values == nil {
		s.src.Failf("cluster.task_times.profile", "nothing is known of the task times of class %q yet; run a job of it with slackline run", class)
	}
}

// Sim returns the simulation for a seed. What it points to is shared by all seeds and is not to be changed.
func (s *Scenario) Sim(seed uint64) sim.Config {
	c := s.config
	c.Seed = seed
	if s.skies != nil {
		s.skies(seed, &c)
	}
	if s.arrivals != nil {
		c.Source = func() workload.Source { return s.arrivals(seed) }
	}
	return c
}

// Powered tells whether any node draws power when it is awake.
func (s *Scenario) Powered() bool {
	return slices.ContainsFunc(s.config.Cluster.Classes, func(c *cluster.Class) bool { return c.Idle > 0 || c.Dynamic > 0 || c.Rented() })
}

// Supplies are the kinds of supply that the run has.
func (s *Scenario) Supplies() (kinds []sched.SupplyKind) {
	for _, st := range s.config.Supply {
		if !slices.Contains(kinds, st.Of) {
			kinds = append(kinds, st.Of)
		}
	}
	return kinds
}

// Deadlines tells whether any job may have a deadline, and a soft one, and any workflow as a whole. What stands in a
// trace is not known before it is read.
func (s *Scenario) Deadlines() (hard, soft, whole bool) {
	w := &s.Workload
	hard, soft, whole = w.Trace != nil, w.Trace != nil, w.Trace != nil
	see := func(j *SimJob) {
		hard, soft, whole = hard || j.Deadline.Set, soft || j.Soft.Set, whole || j.WorkflowDue.Set
	}
	for i := range w.Jobs {
		see(&w.Jobs[i])
	}
	for i := range w.Streams {
		see(&w.Streams[i].SimJob)
	}
	if w.Mix != nil {
		hard = hard || slices.ContainsFunc(w.Mix.Jobs, func(m Mixed) bool { return m.Deadline.To > 0 })
	}
	return hard, soft, whole
}

// Confident tells whether a job or its queue says how likely its deadline is to be met.
func (s *Scenario) Confident() (some bool) {
	w := &s.Workload
	see := func(r *Rank) { some = some || r.Confidence.Chance > 0 || s.Config.Confidence(r.Queue) > 0 }
	for i := range w.Jobs {
		see(&w.Jobs[i].Rank)
	}
	for i := range w.Streams {
		see(&w.Streams[i].Rank)
	}
	return some
}

// File is the file that it was read from.
func (s *Scenario) File() string { return s.src.File }

// Errorf returns an error at the value that stands at a path such as "policies[1]", or at what is around it.
func (s *Scenario) Errorf(path, format string, args ...any) error {
	return s.src.Errorf(path, format, args...)
}

func stem(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

var laws = map[string]sim.Law{"constant": sim.Constant, "uniform": sim.Uniform, "normal": sim.Normal, "exponential": sim.Exponential,
	"lognormal": sim.LogNormal, "pareto": sim.Pareto, "empirical": sim.Empirical}

// build makes the simulation, and checks what needs more than one value to be seen.
func (s *Scenario) build() {
	d := s.src
	c := s.cluster()
	nodes := make(map[string]cluster.NodeID, len(c.Nodes))
	for i, n := range c.Nodes {
		nodes[n.Name] = cluster.NodeID(i + 1)
	}
	k := &s.Cluster
	cfg := sim.Config{
		Cluster:    c,
		Workload:   &workload.Workload{},
		Heartbeat:  k.Heartbeat.Duration(),
		Launch:     k.Launch.Duration(),
		Replicas:   min(3, len(c.Own())),
		Times:      sim.Times{Law: laws[k.TaskTimes.Law], CV: k.TaskTimes.CV, Values: k.TaskTimes.Values},
		Read:       sim.ReadRates{Rack: units.Bytes(k.Read.Rack), Remote: units.Bytes(k.Read.Remote)},
		Network:    sim.Network{Fabric: units.Bytes(k.Network.Fabric), Link: units.Bytes(k.Network.Link)},
		Stragglers: sim.Straggling{Rate: k.Stragglers.Rate, Factor: k.Stragglers.Factor},
		Skew:       k.Skew,
		Files:      sim.Files{Count: k.Files.Count, Zipf: k.Files.Zipf, Blocks: k.Files.Blocks},
		Failures: sim.Failures{MTBF: k.MTBF.Duration(), MTTR: k.MTTR.Duration(), RackMTBF: k.RackMTBF.Duration(), RackMTTR: k.RackMTTR.Duration(),
			Rate: k.FailureRate, Faulty: k.Faulty.Share, FaultyRate: k.Faulty.Rate,
			Blacklist: sim.Blacklist{Failures: k.Blacklist.Failures, Restore: k.Blacklist.Restore.Duration()}},
		MaxFailures: k.MaxFailures,
		Until:       units.Time(s.Until),
		Progress:    k.Progress.Duration(),
		Profiles:    s.known(),
	}
	if !s.Start.IsZero() {
		cfg.Origin = s.Start.Format(time.RFC3339Nano)
	}
	if k.Replicas != nil {
		if cfg.Replicas = *k.Replicas; s.resized { // the file's copies fit on as many nodes as there are now
			cfg.Replicas = min(cfg.Replicas, len(c.Own()))
		}
	}
	cfg.Placement = map[string]sim.Placement{"scatter": sim.Scatter, "cover": sim.Cover}[k.Placement]
	s.rules(cfg.Replicas, len(c.Own()))
	node := func(path, name string) cluster.NodeID {
		if nodes[name] == 0 {
			d.Failf(path, "there is no node %q, the nodes are n1 to n%d", name, len(c.Nodes))
		}
		return nodes[name]
	}
	s.happenings(&cfg, node)
	s.supply(&cfg)
	s.slots(&cfg)
	if s.Workload.Trace != nil {
		s.trace(&cfg)
	} else {
		s.jobs(&cfg, node)
	}
	s.addMasters(&cfg)
	s.named()
	if s.arrivals != nil {
		cfg.Workload, cfg.Source = nil, func() workload.Source { return s.arrivals(0) }
	}
	found := len(d.Errs)
	innerQueues(d, "queues", s.Config.Queues)
	if err := s.Config.Validate(); err != nil && len(d.Errs) == found {
		d.Failf("queues", "%v", err)
	}
	if len(d.Errs) == 0 {
		if err := cfg.Validate(); err != nil { // what the checks above do not know of
			d.Failf("", "%v", err)
		}
	}
	s.config = cfg
}

// rates makes the rates that stand at a place of the file.
func ratesOf(src *config.Document, of []Rate, at string) (list []cluster.Rate) {
	for i, r := range of {
		is := cluster.Rate{Container: r.Container, Jobs: r.Jobs, Speed: last(0, r.Speed), Watts: units.Watts(last(0, r.Power))}
		path := fmt.Sprintf("%s.rates[%d]", at, i)
		for _, o := range list {
			if o.Container == is.Container && o.Jobs == is.Jobs {
				src.Failf(path, "another rate is for container %q and the same jobs; leave one out", is.Container)
			}
		}
		if is.Speed == 0 && is.Watts == 0 {
			src.Failf(path, "a rate says speed, power, or both, such as {container: %s, speed: 8, power: 60W}", is.Container)
		}
		list = append(list, is)
	}
	return list
}

// named checks that some job has each kind of container of which something is stated.
func (s *Scenario) named() {
	if s.Workload.Trace != nil || s.Workload.Mix != nil {
		return // they take what they find
	}
	known := append([]string{cluster.MapSlot().Name, cluster.ReduceSlot().Name, "master"}, s.kinds...)
	check := func(at string, of []Rate) {
		for i, r := range of {
			if !slices.Contains(known, r.Container) {
				s.src.Failf(fmt.Sprintf("%s.rates[%d].container", at, i), "no job runs in a container %q; they are %s", r.Container, strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", "))
			}
		}
	}
	check("cluster", s.Cluster.Rates)
	for i := range s.Cluster.Classes {
		check(fmt.Sprintf("cluster.classes[%d]", i), s.Cluster.Classes[i].Rates)
	}
	for i := range s.Cluster.Offers {
		check(fmt.Sprintf("cluster.offers[%d]", i), s.Cluster.Offers[i].Rates)
	}
}

// happenings makes what is written down to happen to nodes.
func (s *Scenario) happenings(cfg *sim.Config, node func(path, name string) cluster.NodeID) {
	d, k, c := s.src, &s.Cluster, cfg.Cluster
	for i, st := range k.SpeedSteps {
		step := sim.SpeedStep{At: units.Time(st.At), Factor: st.Factor}
		if st.Node != "" {
			step.Node = node(fmt.Sprintf("cluster.speed_steps[%d].node", i), st.Node)
		}
		cfg.Speeds = append(cfg.Speeds, step)
	}
	for i, st := range k.NodeSteps {
		if st.Nodes > len(c.Own()) {
			d.Failf(fmt.Sprintf("cluster.node_steps[%d].nodes", i), "nodes is %d, it must be at most the cluster's %d", st.Nodes, len(c.Own()))
		}
		cfg.Sizes = append(cfg.Sizes, sim.SizeStep{At: units.Time(st.At), Nodes: st.Nodes, Crash: st.Crash})
	}
	for i, o := range k.Outages {
		at := fmt.Sprintf("cluster.outages[%d]", i)
		up := units.Never
		if d.Has(at + ".up") {
			if up = units.Time(o.Up); o.Up <= o.Down {
				d.Failf(at+".up", "up is %v, it must be after down, %v", o.Up, o.Down)
			}
		}
		out := sim.Outage{Down: units.Time(o.Down), Up: up, Rack: cluster.RackID(o.Rack)}
		switch {
		case (o.Node == "") == (o.Rack == 0):
			d.Failf(at, "an outage is of a node or of a rack; name one of them")
		case o.Rack > k.Racks:
			d.Failf(at+".rack", "rack is %d, it must be at most the number of racks, %d", o.Rack, k.Racks)
		case o.Rack == 0:
			out.Node = node(at+".node", o.Node)
		}
		cfg.Outages = append(cfg.Outages, out)
	}
}

// rules refuses what a sentence each says of keys that go together.
func (s *Scenario) rules(replicas, nodes int) {
	d, k := s.src, &s.Cluster
	least := func(key string, span config.Span, at units.Duration) rule {
		return rule{"cluster." + key, span > 0 && span.Duration() < at,
			fmt.Sprintf("%s is %v, it must be at least %v: such a run would not end", key, span, at)}
	}
	pointless := func(path, without string) rule {
		return rule{path, d.Has(path) && !d.Has(without), config.Name(path) + " has no effect without " + config.Name(without)}
	}
	times, fits := &k.TaskTimes, s.resized || len(d.Errs) > 0
	most := map[string]float64{"uniform": 0.577, "normal": 1}[times.Law]
	for _, r := range []rule{
		{"cluster.replicas", k.Replicas != nil && replicas > nodes && !fits,
			fmt.Sprintf("replicas is %d, it must be at most the number of nodes, %d", replicas, nodes)},
		{"cluster.racks", k.Racks > nodes && !fits, fmt.Sprintf("racks is %d, it must be at most the number of nodes, %d", k.Racks, nodes)},
		{"cluster.mtbf", k.MTBF > 0 && k.MTTR == 0,
			"nodes with random failures also need a mean time to repair; add mttr, such as mttr: 10m"},
		{"cluster.rack_mtbf", k.RackMTBF > 0 && k.RackMTTR == 0,
			"racks with random failures also need a mean time to repair; add rack_mttr, such as rack_mttr: 10m"},
		{"cluster.task_times.cv", times.CV > 0 && times.Law == "constant",
			"constant times do not vary; name a law, such as law: lognormal"},
		{"cluster.task_times.cv", most > 0 && times.CV > most,
			fmt.Sprintf("cv is %g, %s times vary by at most %g; use lognormal", times.CV, times.Law, most)},
		{"cluster.task_times", (times.Law == "empirical") != (len(times.Values) > 0),
			"empirical times are drawn from measured values, other laws are not; give law: empirical together with values or a profile"},
		{"cluster.network", (k.Network.Fabric > 0) != (k.Network.Link > 0),
			"the network needs both fabric and link, such as {fabric: 10GB, link: 100MB}"},
		least("mtbf", k.MTBF, units.Second), least("rack_mtbf", k.RackMTBF, units.Second), least("progress", k.Progress, 10*units.Millisecond),
		pointless("workload.trace.every", "workload.trace.repeat"),
		pointless("cluster.mttr", "cluster.mtbf"), pointless("cluster.rack_mttr", "cluster.rack_mtbf"),
		pointless("cluster.faulty.rate", "cluster.faulty.share"), pointless("cluster.blacklist.restore", "cluster.blacklist.failures"),
		pointless("cluster.files.zipf", "cluster.files.count"), pointless("cluster.files.blocks", "cluster.files.count"),
		pointless("cluster.stragglers.factor", "cluster.stragglers.rate"),
		pointless("workload.trace.deadlines.factor", "workload.trace.deadlines.share"),
		pointless("workload.trace.deadlines.classes", "workload.trace.deadlines.share"),
		pointless("workload.trace.deadlines.slots", "workload.trace.deadlines.share"),
	} {
		if r.broken {
			d.Failf(r.path, "%s", r.text)
		}
	}
	s.needPower()
}

// rule is a sentence about the key at a path, told if it is broken.
type rule struct {
	path   string
	broken bool
	text   string
}

// needPower refuses what is said of power where no node draws any when it is awake: its energy
// would be reported as 0.
func (s *Scenario) needPower() {
	k := &s.Cluster
	draws := func(o *Offer) bool {
		return o.IdlePower != nil || o.DynamicPower != nil || o.PowerCurve != nil || slices.ContainsFunc(o.Rates, func(r Rate) bool { return r.Power != nil })
	}
	need := func(path string, drawn bool) {
		if s.src.Has(path) && !drawn {
			s.src.Failf(path, "%s has no effect without idle_power, dynamic_power or power_curve", config.Name(path))
		}
	}
	rests := func(at string, o *Offer) {
		class := o.class("", &k.Offer)
		said := slices.IndexFunc(sleepKeys, func(key string) bool { return s.src.Has(at + key) })
		if said >= 0 && class.Sleep > class.Idle && (draws(o) || draws(&k.Offer)) {
			s.src.Failf(at+sleepKeys[said], "a node draws %v asleep and %v idle; sleep_power must not be above idle_power, or the first of power_curve", class.Sleep, class.Idle)
		}
	}
	some := draws(&k.Offer)
	checkCurve(s.src, "cluster", &k.Offer)
	rests("cluster.", &k.Offer)
	for i := range k.Classes {
		o := &k.Classes[i].Offer
		checkCurve(s.src, fmt.Sprintf("cluster.classes[%d]", i), o)
		rests(fmt.Sprintf("cluster.classes[%d].", i), o)
		some = some || draws(o)
		for _, key := range []string{"sleep_power", "wake_time"} {
			need(fmt.Sprintf("cluster.classes[%d].%s", i, key), draws(o) || draws(&k.Offer))
		}
	}
	for _, key := range []string{"sleep_power", "wake_time"} {
		need("cluster."+key, some)
	}
	if slices.ContainsFunc(k.Supply, func(st Supply) bool { return st.Green != nil }) {
		need("cluster.supply", some)
	}
}

// sleepKeys say how sleep and idle compare, the one that is to blame first.
var sleepKeys = []string{"sleep_power", "idle_power", "power_curve"}

// checkCurve refuses a curve of power that falls, goes back, or is none.
func checkCurve(src *config.Document, at string, o *Offer) {
	path := at + ".power_curve"
	switch {
	case !src.Has(path):
		return
	case len(o.PowerCurve) < 2:
		src.Failf(path, "power_curve needs two numbers and more: what a node draws at equal steps of load, from idle to full")
		return
	case o.IdlePower != nil || o.DynamicPower != nil:
		src.Failf(path, "power_curve stands in place of idle_power and dynamic_power; leave these out")
		return
	}
	loads, _ := loadsOf(o.PowerCurve)
	for i, p := range o.PowerCurve {
		at, last := fmt.Sprintf("%s[%d]", path, i), max(0, i-1)
		switch was := o.PowerCurve[last]; {
		case p.Power < 0:
			src.Failf(at, "%s is %v, it must not be negative", config.Name(at), p.Power)
		case p.Said != o.PowerCurve[0].Said:
			src.Failf(at, "power_curve has loads for some of its numbers; write that of each, such as 90W at 30%%, or of none")
		case i == 0 && loads[i] != 0, i == len(loads)-1 && loads[i] != 1, i > 0 && loads[i] <= loads[last]:
			src.Failf(at, "power_curve has %v at %v %% load; loads must rise, from 0 %% to 100 %%", p.Power, 100*loads[i])
		case p.Power < was.Power:
			src.Failf(at, "power_curve falls from %v at %v %% load to %v at %v %%; it must not", was.Power, 100*loads[last], p.Power, 100*loads[i])
		}
	}
}

// last is the last of the values that are stated, or what stands for none.
func last[T any](none T, stated ...*T) T {
	for _, x := range stated {
		if x != nil {
			none = *x
		}
	}
	return none
}

// cluster makes the nodes: first those of no class, then those of each class, named n1, n2, …
// through all of them.
func (s *Scenario) cluster() *cluster.Cluster {
	k := &s.Cluster
	c := &cluster.Cluster{Racks: k.Racks, Named: []string{"gpus"}}
	add := func(at, name string, count int, o Offer) *cluster.Class {
		class := o.class(name, &k.Offer)
		if class.Rates = ratesOf(s.src, k.Rates, "cluster"); o.Rates != nil {
			class.Rates = ratesOf(s.src, o.Rates, at)
		}
		labels := o.Labels
		if labels == nil {
			labels = k.Labels
		}
		c.Classes = append(c.Classes, class)
		for range count {
			n := len(c.Nodes)
			c.Nodes = append(c.Nodes, &cluster.Node{Name: "n" + strconv.Itoa(n+1), Rack: cluster.RackID(n%k.Racks + 1), Class: class, Labels: labels})
		}
		return class
	}
	if k.Nodes > 0 {
		add("cluster", "standard", k.Nodes, k.Offer)
	}
	seen := map[string]bool{"standard": k.Nodes > 0}
	once := func(path, name string) {
		if seen[name] {
			s.src.Failf(path+".name", "there is another class %q; give each its own name", name)
		}
		seen[name] = true
	}
	for i, cl := range k.Classes {
		at := fmt.Sprintf("cluster.classes[%d]", i)
		once(at, cl.Name)
		add(at, cl.Name, cl.Nodes, cl.Offer)
	}
	if len(c.Nodes) == 0 {
		s.src.Failf("cluster", "the cluster has no node; give it some, such as nodes: 20")
		add("cluster", "standard", 1, k.Offer) // so that the other checks have something to look at
	}
	for i, o := range k.Offers {
		at := fmt.Sprintf("cluster.offers[%d]", i)
		once(at, o.Name)
		o.rented(add(at, o.Name, o.Most, o.Offer))
	}
	return c
}
