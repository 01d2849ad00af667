package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// maxTasks bounds what one file can ask for, so that a mistyped number is told instead of filling the memory.
const maxTasks = 10_000_000

// jobs makes the workload.
func (s *Scenario) jobs(cfg *sim.Config, node func(path, name string) cluster.NodeID) {
	d := s.src
	m := &jobMaker{s: s, cluster: cfg.Cluster, node: node, shared: map[tasksKey][]workload.Task{}}
	if len(s.Workload.Jobs) == 0 && len(s.Workload.Streams) == 0 && s.Workload.Mix == nil {
		d.Failf("workload", "there is no job; give at least one, a stream of them, a mix, or a trace")
	}
	links, members := make([]link, len(s.Workload.Jobs)), make([]member, len(s.Workload.Jobs))
	for i := range s.Workload.Jobs {
		j, at := &s.Workload.Jobs[i], fmt.Sprintf("workload.jobs[%d]", i)
		links[i] = link{d: d, at: at, key: "id", name: j.ID, after: j.After}
		job := m.job(j, at)
		if job == nil {
			return
		}
		cfg.Workload.Jobs = append(cfg.Workload.Jobs, job)
		members[i] = member{d, at, job, j.Workflow, j.WorkflowDue.Of(job.Arrive, s.Start.Time)}
	}
	checkLinks(links)
	join(members)
	s.streams(cfg, m)
	s.mix(cfg)
}

// jobMaker makes jobs of what a scenario says of them.
type jobMaker struct {
	s       *Scenario
	cluster *cluster.Cluster
	node    func(path, name string) cluster.NodeID
	shared  map[tasksKey][]workload.Task
	total   int // tasks so far
}

// job makes a job of the description at a path, nil if there are too many tasks.
func (m *jobMaker) job(j *SimJob, at string) *workload.Job {
	s, d := m.s, m.s.src
	count := mapsOf(d, j, at, s.Cluster.Block)
	s.timed(j, at, count)
	if m.total += count + j.Reduces; m.total > s.most {
		d.Failf(at, "the jobs up to this one have %d tasks, and at most %d are possible", m.total, s.most)
		return nil
	}
	job := j.Rank.job(j.ID, j.Arrive, j.SlowStart)
	job.File = j.File
	job.Deadline, job.Soft = j.Deadline.Of(job.Arrive, s.Start.Time), j.Soft.Of(job.Arrive, s.Start.Time)
	for _, k := range []struct {
		key string
		due Due
	}{{"deadline", j.Deadline}, {"soft_deadline", j.Soft}, {"workflow_deadline", j.WorkflowDue}} {
		switch {
		case !k.due.Clock.Set:
		case s.Start.IsZero():
			d.Failf(at+"."+k.key, "%v is a time of day, and the scenario does not say when it starts; add start: 2030-01-31T08:00:00+01:00, or write a time of the run, such as 10m",
				k.due.Clock)
		default:
			if odd := k.due.Clock.odd(s.Start.Add(time.Duration(k.due.Of(job.Arrive, s.Start.Time)))); odd != "" {
				s.notes = append(s.notes, fmt.Sprintf("job %q: its %s, %s", j.ID, strings.ReplaceAll(k.key, "_", " "), odd))
			}
		}
	}
	deadlines(d, at, &job)
	if err := s.checkQueue(job.Queue); err != nil {
		d.Failf(at+".queue", "%v", err)
	}
	if count > 0 {
		spec := workload.StageSpec{Kind: workload.Map, CPUShare: j.CPUShare, Containers: m.containers(j.MapNeeds, at, "map")}
		spec.Tasks = mapTasks(m.shared, count, j, s.Cluster.Block)
		if j.Hosts != nil {
			spec.Hosts = hostsOf(d, count, j.Hosts, at, m.node)
		}
		if d.Has(at + ".moldable") {
			j.Moldable.mold(d, at+".moldable", &spec)
		}
		job.Stages = append(job.Stages, spec)
	}
	if j.Reduces > 0 {
		key := tasksKey{n: j.Reduces, work: j.ReduceTime, shuffle: j.ShuffleTime}
		spec := workload.StageSpec{Kind: workload.Reduce, CPUShare: j.CPUShare, Containers: m.containers(j.ReduceNeeds, at, "reduce"), Tasks: key.tasks(m.shared)}
		if d.Has(at + ".moldable") { // then what it takes is known, though not how it could be cut otherwise
			spec.MinTasks, spec.MaxTasks, spec.Works = j.Reduces, j.Reduces, []units.Duration{spec.Tasks[0].Work}
		}
		job.Stages = append(job.Stages, spec)
	}
	if len(job.Stages) == 0 && s.says(at+".maps") {
		d.Failf(at, "job %q has nothing to do; give it maps, or input to read", j.ID)
	}
	runnable(d, at, &job, m.cluster)
	return &job
}

// says tells whether the file, or its sweep, states the key.
func (s *Scenario) says(path string) bool {
	return s.src.Has(path) || s.Sweep.Has(path)
}

// timed checks that somebody said how many tasks a job has and how long they take: tasks of no time
// would look as if they had run.
func (s *Scenario) timed(j *SimJob, at string, maps int) {
	d := s.src
	input := at + ".maps"
	for _, key := range []string{".hosts", ".input"} {
		if d.Has(at + key) {
			input = at + key
		}
	}
	switch {
	case !d.Has(at+".maps") && !d.Has(at+".input") && !d.Has(at+".hosts"):
		d.Failf(at, "job %q has neither maps nor input; give it some, or maps: 0 if it has none", j.ID)
	case maps > 0 && !s.says(at+".map_time"):
		d.Failf(input, "job %q has maps and no map_time; say how long one takes, such as map_time: 20s", j.ID)
	}
	if j.Reduces > 0 && !s.says(at+".reduce_time") {
		d.Failf(at+".reduces", "job %q has reduces and no reduce_time; say how long one takes after its shuffle, such as reduce_time: 20s", j.ID)
	}
	for _, key := range []string{"shuffle_time", "reduce_time"} {
		if d.Has(at+"."+key) && !s.says(at+".reduces") {
			d.Failf(at+"."+key, "%s has no effect without reduces", key)
		}
	}
}

// job is the part of a job that both kinds of files state.
func (r *Rank) job(id string, arrive config.Span, slowStart float64) workload.Job {
	class := r.Class
	class = cmp.Or(class, id)
	j := workload.Job{ID: id, Class: class, Queue: r.Queue, User: r.User, Weight: r.Weight, Priority: r.Priority, After: r.After,
		Labels: r.Labels, SlowStart: slowStart, Arrive: units.Time(arrive), Soft: units.Never, Deadline: units.Never,
		Confidence: r.Confidence.Chance}
	if r.Confidence.Least {
		j.Confidence, j.Least = 0, r.Confidence.Chance
	}
	return j
}

// deadlines checks that both lie behind the arrival, in order.
func deadlines(d *config.Document, at string, j *workload.Job) {
	switch {
	case j.Deadline <= j.Arrive:
		d.Failf(at+".deadline", "the deadline %v is not after the arrival, %v; both count from the start of the run; +%v would count from the arrival", j.Deadline, j.Arrive, j.Deadline)
	case j.Soft <= j.Arrive:
		d.Failf(at+".soft_deadline", "the soft deadline %v is not after the arrival, %v; both count from the start of the run; +%v would count from the arrival", j.Soft, j.Arrive, j.Soft)
	case j.Soft != units.Never && j.Soft > j.Deadline:
		d.Failf(at+".soft_deadline", "the soft deadline %v is after the deadline, %v", j.Soft, j.Deadline)
	}
}

// mapsOf returns the number of maps: as stated, or a block each.
func mapsOf(d *config.Document, j *SimJob, at string, block config.Size) int {
	switch {
	case j.Maps != nil:
		return *j.Maps
	case j.Hosts != nil:
		return len(j.Hosts)
	case j.Input == nil:
		return 0
	}
	n := (int64(*j.Input)-1)/int64(block) + 1
	if *j.Input == 0 {
		n = 1
	}
	if n > maxTasks {
		d.Failf(at+".input", "%v in blocks of %v are %d maps, at most %d are possible", *j.Input, block, n, maxTasks)
		return 0
	}
	return int(n)
}

// tasksKey tells lists of tasks apart, so that jobs that are alike share theirs.
type tasksKey struct {
	n             int
	input         config.Size // of each but the last
	last          config.Size
	work, shuffle config.Span
}

func (k tasksKey) tasks(shared map[tasksKey][]workload.Task) []workload.Task {
	if shared[k] == nil {
		list := make([]workload.Task, k.n)
		for i := range list {
			list[i] = workload.Task{Input: units.Bytes(k.input), Work: k.work.Duration(), Shuffle: k.shuffle.Duration()}
		}
		list[k.n-1].Input = units.Bytes(k.last)
		shared[k] = list
	}
	return shared[k]
}

// mapTasks shares the input out: in blocks, or evenly where another number of maps is stated.
func mapTasks(shared map[tasksKey][]workload.Task, n int, j *SimJob, block config.Size) []workload.Task {
	k := tasksKey{n: n, input: block, last: block, work: j.MapTime}
	if j.Input != nil {
		if j.Maps != nil {
			k.input = *j.Input / config.Size(n)
		}
		k.last = *j.Input - k.input*config.Size(n-1)
	}
	return k.tasks(shared)
}

// hostsOf are the nodes that hold the input of maps, by their names.
func hostsOf(d *config.Document, maps int, names [][]string, at string, node func(path, name string) cluster.NodeID) workload.Hosts {
	if len(names) != maps {
		d.Failf(at+".hosts", "hosts has %d entries for %d maps; give one list of nodes for each map", len(names), maps)
		return workload.Hosts{}
	}
	hosts := make([][]cluster.NodeID, maps)
	for t := range names {
		for h, name := range names[t] {
			hosts[t] = append(hosts[t], node(fmt.Sprintf("%s.hosts[%d][%d]", at, t, h), name))
		}
	}
	return workload.HostsOf(hosts...)
}

// containers returns the kinds of containers of a stage: nil for a slot.
func (m *jobMaker) containers(k config.OneOrMore[Needs], at, name string) (list []cluster.Container) {
	if key := name + "_needs"; len(k) > 255 {
		m.s.src.Failf(at+"."+key, "%s lists %d kinds of containers, it must be 255 at most", key, len(k))
	}
	for i, n := range k {
		kind := name
		if len(k) > 1 {
			kind = fmt.Sprintf("%s-%d", name, i+1)
		}
		kind = cmp.Or(n.Name, kind)
		m.s.kinds = append(m.s.kinds, kind)
		list = append(list, cluster.Container{Name: kind, Needs: units.Vector{units.VCores: int64(n.VCores), units.Memory: int64(n.Memory), units.Named0: int64(n.GPUs)}})
	}
	return list
}

// runnable checks that every stage can run somewhere: else the run would hang on it.
func runnable(d *config.Document, at string, j *workload.Job, c *cluster.Cluster) {
	for i := range j.Stages {
		st := &j.Stages[i]
		for _, kind := range st.Kinds() {
			if kind.Validate() != nil {
				d.Failf(fmt.Sprintf("%s.%v_needs", at, st.Kind), "%s_needs is empty; give it vcores, memory or gpus", st.Kind)
				return
			}
		}
	}
	if why := unfit(j, c); why != "" {
		d.Failf(at, "job %q cannot run: %s", j.ID, why)
	}
}

// unfit says which task of a job no node can run, "" if there is none.
func unfit(j *workload.Job, c *cluster.Cluster) string {
	for i := range j.Stages {
		st := &j.Stages[i]
		if slices.ContainsFunc(c.Nodes, func(n *cluster.Node) bool {
			_, fits := st.Fitting(&n.Class.Capacity)
			return fits && n.Carries(j.Labels)
		}) {
			continue
		}
		on := ""
		if len(j.Labels) > 0 {
			on = " with the labels " + strings.Join(j.Labels, ", ")
		}
		needs := st.Container(0).Needs
		return fmt.Sprintf("no node%s offers %v for a %v task%s", on, needs.Words(c.Named), st.Kind, offered(&needs, j.Labels, c))
	}
	return ""
}

// offered says how much there is of what no node has enough of.
func offered(needs *units.Vector, labels []string, c *cluster.Cluster) string {
	var most, lacking units.Vector
	any := false
	for _, n := range c.Nodes {
		if n.Carries(labels) {
			any = true
			for d, x := range n.Class.Capacity {
				most[d] = max(most[d], x)
			}
		}
	}
	if !any {
		return "; no node carries them"
	}
	short := false
	for d, x := range needs {
		if x > most[d] {
			short, lacking[d] = true, most[d]
		}
	}
	switch {
	case !short:
		return "; each is there, but not on one node"
	case lacking != units.Vector{}:
		return "; the largest has " + lacking.Words(c.Named)
	}
	return ""
}

// link is what the check of predecessors needs of a job, and where it stands: errors go to the
// decoder of its file.
type link struct {
	d     *config.Document
	at    string // path of the job
	key   string // under which it states its name
	name  string
	after []string
	fed   map[string]string // of after: those that write what it reads, and the key that says so
}

// checkLinks checks that names are unique, that predecessors exist, and that no job waits for itself.
func checkLinks(links []link) {
	place := make(map[string]int, len(links))
	var names []string
	for i, l := range links {
		if l.name == "" {
			l.d.Failf(config.Join(l.at, l.key), "the %s is empty; give the job a name", l.key)
		}
		if other, twice := place[l.name]; twice {
			first := links[other]
			there := &config.Error{File: first.d.File, Pos: first.d.Pos(config.Join(first.at, first.key))}
			l.d.Failf(config.Join(l.at, l.key), "the %s %q is already used by the job at %v", l.key, l.name, there)
			continue
		}
		place[l.name] = i
		names = append(names, l.name)
	}
	broken := false
	for _, l := range links {
		for k, before := range l.after {
			if _, ok := place[before]; !ok {
				broken = true
				l.d.Failf(fmt.Sprintf("%s[%d]", config.Join(l.at, "after"), k), "job %q waits for job %q, which does not exist%s", l.name, before, spelling.Hint(before, others(names, l.name)))
			}
		}
	}
	if broken {
		return
	}
	if loop := cycle(len(links), func(i int) []int {
		return each.Of(links[i].after, func(b string) int { return place[b] })
	}); loop != nil {
		path := each.Of(loop, func(i int) string { return strconv.Quote(links[i].name) })
		l := links[loop[0]]
		key, why := config.Join(l.at, "after"), ""
		for k, i := range loop[:len(loop)-1] {
			if read, is := links[i].fed[links[loop[k+1]].name]; is {
				if why += fmt.Sprintf("; %s reads what %s writes", path[k], path[k+1]); k == 0 {
					key = read
				}
			}
		}
		l.d.Failf(key, "job %s waits for itself: %s%s", path[0], strings.Join(path, " after "), why)
	}
}

func others(names []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == but })
}

// cycle returns a way from an element over what must come before it back to itself, nil if there is
// none. Elements that wait for nothing are taken away until there are no more; every one that stays
// waits for one that stays.
func cycle(n int, before func(int) []int) []int {
	waits, behind := make([]int, n), make([][]int, n)
	var free []int
	for i := range n {
		for _, b := range before(i) {
			waits[i]++
			behind[b] = append(behind[b], i)
		}
		if waits[i] == 0 {
			free = append(free, i)
		}
	}
	for k := 0; k < len(free); k++ {
		for _, i := range behind[free[k]] {
			if waits[i]--; waits[i] == 0 {
				free = append(free, i)
			}
		}
	}
	at := slices.IndexFunc(waits, func(w int) bool { return w > 0 })
	if at < 0 {
		return nil
	}
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		list := before(at)
		at = list[slices.IndexFunc(list, func(b int) bool { return waits[b] > 0 })]
	}
	return append(path[slices.Index(path, at):], at)
}
