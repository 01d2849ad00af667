package referee

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// The stages, in the order in which a job goes through them.
const (
	master = iota
	mapStage
	reduceStage
	other0
	stages = 6
)

var stageNames = [stages]string{"master", "map", "reduce", "other0", "other1", "other2"}

// How far a task is from its input; smaller is nearer.
const (
	none = iota
	anywhere
	nodeLocal
	rackLocal
	remote
)

var localityNames = [...]string{"none", "anywhere", "node", "rack", "remote"}

const never = math.MaxInt64

// A vector is an amount of each resource: map slots, reduce slots, vcores, memory, and four that a cluster names.
type vector [8]int64

func (v *vector) fits(free *vector) bool {
	for i := range v {
		if v[i] > free[i] {
			return false
		}
	}
	return true
}

func (v *vector) add(o *vector, times int64) {
	for i := range v {
		v[i] += o[i] * times
	}
}

// What a task is doing.
const (
	taskOpen = iota
	taskTaken
	taskDone
)

type task struct {
	Input   int64 `json:"input"`
	Hosts   []int `json:"hosts"`
	Work    int64 `json:"work"`
	Shuffle int64 `json:"shuffle"`
	state   int
	tries   int // attempts that are promised or run
}

type stage struct {
	Kind       string `json:"kind"`
	Tasks      []task `json:"tasks"`
	Containers []struct {
		Needs vector `json:"needs"`
	} `json:"containers"`
	CPUShare float64 `json:"cpu_share"`
	Done     []int   `json:"done"`
	Least    int     `json:"min_tasks"`
	Works    []int64 `json:"works"` // of each task if there are so many tasks, one more, …

	cutting              bool // it may be cut otherwise, and nothing of it starts
	asked                int  // the item that asks for it
	kind                 int
	open, occupied, done int
	ready, withheld      bool
	limit                int // slots it may occupy, -1 = no bound
	sample               int // tasks that may still start as a sample, -1 = it is none
	needs                vector
	byNode, byRack       map[int]*list
	all                  list
	ended                int64 // when its last task ended
	lost                 bool  // a result of it was lost
	youngest             []*attempt
}

// A list holds tasks by number; none before next is open.
type list struct {
	tasks []int
	next  int
}

type job struct {
	Name       string   `json:"id"`
	Class      string   `json:"class"`
	Queue      string   `json:"queue"`
	User       string   `json:"user"`
	Soft       int64    `json:"soft"`
	Deadline   int64    `json:"deadline"`
	Virtual    int64    `json:"virtual"` // for orders to read, 0 = none
	Confidence float64  `json:"confidence"`
	Least      float64  `json:"least"`    // that will do, 0 = no other than that
	Promised   bool     `json:"promised"` // by a run with which this one goes on
	Weight     float64  `json:"weight"`
	Priority   int      `json:"priority"`
	After      []string `json:"after"`
	Labels     []string `json:"labels"`
	Avoids     []int    `json:"avoids"` // nodes on which it wants nothing more
	Stages     []stage  `json:"stages"`
	SlowStart  float64  `json:"slow_start"`
	Workflow   *struct {
		ID       string   `json:"id"`
		Deadline int64    `json:"deadline"`
		Jobs     []string `json:"jobs"`
	} `json:"workflow"`

	id        int
	seq       int
	arrived   int64
	started   int64
	joined    int   // when it came to its queue, in the row of seq
	virtual   int64 // that, or what a plan set
	state     int
	waits     bool // for predecessors
	cancelled bool // its user wants it gone: none of its tasks start any more
	stage     [stages]*stage
	committed bool
	occupied  int
}

// goesOn tells whether an earlier run has done tasks of the job or has promised its deadline: that
// time was lost since is not held against it. It runs on without a promise where its deadline can
// be promised no more.
func (j *job) goesOn() bool {
	return j.Promised || slices.ContainsFunc(j.Stages, func(s stage) bool { return len(s.Done) > 0 })
}

// Where a job stands.
const (
	pending = iota
	held
	admitted
	rejected
	finished
)

type node struct {
	Rack  int `json:"rack"`
	Class struct {
		Name     string    `json:"name"`
		Speed    float64   `json:"speed"`
		Capacity vector    `json:"capacity"`
		Idle     float64   `json:"idle"`
		Dynamic  float64   `json:"dynamic"`
		Sleep    float64   `json:"sleep"`
		WakeTime int64     `json:"wake_time"`
		Most     int       `json:"most"`   // it can be rented
		Price    float64   `json:"price"`  // for an hour
		Prices   []float64 `json:"prices"` // of each; the last one goes on
		Billing  int64     `json:"billing"`
	} `json:"class"`
	Labels []string `json:"labels"`

	id       int
	up       bool
	asleep   bool
	waking   bool  // it is asleep or rented, and is to come up
	comes    int64 // when it does
	offered  bool  // it is a cloud's, and not there
	asked    int   // the item that put it to sleep or wakes it
	draining bool
	factor   float64
	free     vector
	occupied int
	since    int64 // nothing has run on it since
	beaten   int64 // when it beat last, -1 = never
	paces    []pace
}

type attempt struct {
	id, job, stage, task, node, item int
	locality                         int
	started                          int64
	seq                              int
	lasted                           int64 // when it has ended
	progress                         float64
	dying                            bool
}

// A book is what a scheduler believes, from what the journal told it.
type book struct {
	now      int64
	world    *header
	order    order
	jobs     map[int]*job
	names    map[string]*job
	live     []*job // by arrival
	nodes    []*node
	attempts map[int]*attempt
	fresh    []*attempt      // that ended in this round
	told     map[int]*line   // what the plan of this round says of jobs
	items    map[int][]bound // starts on their way, by item
	profiles map[string]*profile
	expects  map[string]*expected // of each supply
	seq      int
	started  int // attempts so far
	capacity vector
	dirty    bool // lines have to be sorted again
	left     bool // jobs have ended in the last round
	lines    [stages][]*job
	keeps    func(b *book, n *node, j *job, s int) bool // tasks from nodes, nil = nobody does
}

// A bound is a task that was given to a node.
type bound struct{ job, stage, task, node, locality int }

func newBook(h *header, o order) *book {
	return &book{world: h, order: o, jobs: map[int]*job{}, names: map[string]*job{}, nodes: []*node{nil}, attempts: map[int]*attempt{}, items: map[int][]bound{},
		profiles: map[string]*profile{}, expects: map[string]*expected{}, dirty: true}
}

func (b *book) node(id int) *node {
	for len(b.nodes) <= id {
		b.nodes = append(b.nodes, nil)
	}
	return b.nodes[id]
}

// stageOf reads the name of a stage.
func stageOf(name string) int { return slices.Index(stageNames[:], name) }

// describe reads the description of a job.
func describe(detail []byte) (*job, error) {
	var d struct{ Job *job }
	if err := json.Unmarshal(detail, &d); err != nil || d.Job == nil {
		return nil, fmt.Errorf("its job cannot be read: %v", err)
	}
	for i := range d.Job.Stages {
		s := &d.Job.Stages[i]
		if s.kind = stageOf(s.Kind); s.kind < 0 || len(s.Containers) > 1 {
			return nil, fmt.Errorf("the referee does not know stages like %q of job %q", s.Kind, d.Job.Name)
		}
		d.Job.stage[s.kind] = s
	}
	return d.Job, nil
}

// arrive takes in a job.
func (b *book) arrive(id int, j *job) {
	j.id, j.seq, j.joined, j.arrived, j.started, j.virtual = id, b.seq, b.seq, b.now, never, j.Virtual
	b.seq++
	for i := range j.Stages {
		b.list(&j.Stages[i])
	}
	for _, name := range j.After {
		if p := b.names[name]; p == nil || !p.committed {
			j.waits = true
		}
	}
	b.jobs[id], b.names[j.Name] = j, j
	b.live = append(b.live, j)
	b.dirty = true
}

// list opens the tasks of a stage.
func (b *book) list(s *stage) {
	s.limit, s.sample = -1, -1
	switch {
	case len(s.Containers) == 1:
		s.needs = s.Containers[0].Needs
	case s.kind == reduceStage:
		s.needs = vector{1: 1}
	default:
		s.needs = vector{0: 1}
	}
	b.places(s)
	s.open = len(s.Tasks)
	for _, t := range s.Done {
		if int(t) > len(s.Tasks) { // more may be done of a stage that grows than are listed
			continue
		}
		s.Tasks[t-1].state = taskDone
		s.open--
		s.done++
	}
}

// places lists the tasks of a stage by the nodes that hold their input, and by the racks of those that are known.
func (b *book) places(s *stage) {
	s.byNode, s.byRack, s.all = map[int]*list{}, map[int]*list{}, list{}
	put := func(m map[int]*list, key, t int) {
		l := m[key]
		if l == nil {
			l = new(list)
			m[key] = l
		}
		if n := len(l.tasks); n == 0 || l.tasks[n-1] != t {
			l.tasks = append(l.tasks, t)
		}
	}
	for t := range s.Tasks {
		for _, h := range s.Tasks[t].Hosts {
			put(s.byNode, h, t+1)
			if n := b.node(h); n != nil {
				put(s.byRack, n.Rack, t+1)
			}
		}
		if len(s.Tasks[t].Hosts) == 0 {
			put(s.byNode, 0, t+1)
		}
		s.all.tasks = append(s.all.tasks, t+1)
	}
}

// amend puts a new description in place of a job's: of stages that have begun only what is said of the job changes.
func (b *book) amend(j, to *job) {
	if j.Queue != to.Queue {
		j.joined = b.seq
		b.seq++
	}
	if j.Virtual != to.Virtual {
		j.Virtual, j.virtual = to.Virtual, to.Virtual
	}
	j.Class, j.Queue, j.User, j.Deadline, j.Weight, j.Priority = to.Class, to.Queue, to.User, to.Deadline, to.Weight, to.Priority
	j.Labels, j.Avoids, j.SlowStart, j.Promised = to.Labels, to.Avoids, to.SlowStart, to.Promised
	for i := range j.Stages {
		s := &j.Stages[i]
		if was, is := *s, to.stage[s.kind]; is != nil && s.occupied == 0 && s.done == 0 {
			*s = *is
			s.Done = nil
			b.list(s)
			s.ready, s.withheld, s.limit, s.sample = was.ready, was.withheld, was.limit, was.sample
		}
	}
	b.dirty, b.left = true, true
}

// first returns the first open task of a list, 0 if there is none.
func (s *stage) first(l *list) int {
	if l == nil {
		return 0
	}
	for l.next < len(l.tasks) && s.Tasks[l.tasks[l.next]-1].state != taskOpen {
		l.next++
	}
	if l.next == len(l.tasks) {
		return 0
	}
	return l.tasks[l.next]
}

// nearest returns the open task of the stage that lies nearest to the node, of several the first.
func (b *book) nearest(n *node, s *stage) (t, locality int) {
	if s == nil || s.open == 0 {
		return 0, none
	}
	if t = s.first(s.byNode[0]); t != 0 {
		return t, anywhere
	}
	if t = s.first(s.byNode[n.id]); t != 0 {
		return t, nodeLocal
	}
	if t = s.first(s.byRack[n.Rack]); t != 0 {
		return t, rackLocal
	}
	return s.first(&s.all), remote
}

// reopen makes a task one that is to be started.
func (s *stage) reopen(t int) {
	s.Tasks[t-1].state = taskOpen
	s.open++
	for _, l := range s.byNode {
		l.next = 0
	}
	for _, l := range s.byRack {
		l.next = 0
	}
	s.all.next = 0
}

// take gives a task to a node.
func (b *book) take(x bound) {
	j, n := b.jobs[x.job], b.nodes[x.node]
	s := j.stage[x.stage]
	t := &s.Tasks[x.task-1]
	if t.state == taskOpen {
		t.state = taskTaken
		s.open--
		if s.sample > 0 && j.state != admitted {
			s.sample--
		}
	}
	t.tries++
	b.hold(j, s, n, 1)
}

// untake is the inverse of take.
func (b *book) untake(x bound) {
	j, n := b.jobs[x.job], b.nodes[x.node]
	s := j.stage[x.stage]
	t := &s.Tasks[x.task-1]
	if t.tries--; t.tries == 0 && t.state == taskTaken {
		s.reopen(x.task)
	}
	if s.sample >= 0 && j.state != admitted { // also of a task that runs by an older start
		s.sample++
	}
	b.hold(j, s, n, -1)
}

// hold counts a container more or less.
func (b *book) hold(j *job, s *stage, n *node, by int) {
	s.occupied += by
	j.occupied += by
	n.occupied += by
	n.free.add(&s.needs, -int64(by))
	if b.order.shares() {
		b.dirty = true
	}
}

// runs tells whether tasks of the stage may start now, wherever.
func (b *book) runs(j *job, s *stage) bool {
	if s == nil || s.open == 0 || !s.ready || s.withheld || s.cutting || j.waits || j.cancelled || j.state >= rejected {
		return false
	}
	if j.state != admitted && s.sample <= 0 {
		return false
	}
	return s.limit < 0 || s.occupied < s.limit
}

// line returns the jobs of a stage in the order, those with nothing to start among them.
func (b *book) line(s int) []*job {
	if b.dirty {
		b.dirty = false
		b.count()
		b.order.look(b)
		for k := range b.lines {
			l := b.lines[k][:0]
			for _, j := range b.live {
				if st := j.stage[k]; st != nil && st.ready && !j.waits && (j.state == admitted || st.sample >= 0) {
					l = append(l, j)
				}
			}
			slices.SortFunc(l, func(x, y *job) int {
				return cmp.Or(b.order.compare(x, k, y, k), cmp.Compare(x.seq, y.seq))
			})
			b.lines[k] = l
		}
	}
	return b.lines[s]
}

// serves tells whether the node may run a task of the job's stage.
func (b *book) serves(n *node, j *job, s int) bool {
	st := j.stage[s]
	return b.runs(j, st) && n.serves() && st.needs.fits(&n.free) && n.carries(j) && b.order.open(b, j, s) && (b.keeps == nil || !b.keeps(b, n, j, s))
}

// serves tells whether anything may start on the node.
func (n *node) serves() bool { return n.up && !n.asleep && !n.draining }

// carries tells whether the node has all labels that the job asks for, and the job does not avoid it.
func (n *node) carries(j *job) bool {
	return !slices.Contains(j.Avoids, n.id) && !slices.ContainsFunc(j.Labels, func(l string) bool { return !slices.Contains(n.Labels, l) })
}

// firstJob returns the first job in the order that has a task of the stage for the node, nil if there is none.
func (b *book) firstJob(n *node, s int) *job {
	for _, j := range b.line(s) {
		if b.serves(n, j, s) {
			return j
		}
	}
	return nil
}

// count adds up what nodes offer that are up.
func (b *book) count() {
	b.capacity = vector{}
	for _, n := range b.nodes {
		if n != nil && n.up {
			b.capacity.add(&n.Class.Capacity, 1)
		}
	}
}

// slots returns how many slots of the stage nodes offer that are up.
func (b *book) slots(s int) (sum int64) {
	for _, n := range b.nodes {
		if n != nil && n.up {
			sum += n.Class.Capacity[slotOf(s)]
		}
	}
	return sum
}

// slotOf is the resource that a stage takes which asks for nothing else.
func slotOf(s int) int {
	if s == reduceStage {
		return 1
	}
	return 0
}

func (x bound) String() string {
	return fmt.Sprintf("start job=%d stage=%s node=%d task=%d:%s", x.job, stageNames[x.stage], x.node, x.task, localityNames[x.locality])
}
